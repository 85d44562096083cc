// SPDX-License-Identifier: Apache-2.0
// Making, sharing and freeing worlds; their place in a scene.
//
// A world never changes after it was made, so that scenes of many threads read it without locks. Its tree bounds whole
// elements at rest, rounded outward (docs/guarantees.md, G1). O(n log n) once.
#include "scene/world.h"
#include "base/arithmetic.h"

#include <assert.h>
#include <string.h>

#include "base/threads.h"
#include "base/vec.h"
#include "scene/scene.h"

enum { WORLD_DOP = 16 }; // sides of the DOPs

// ---- making

static toc_status check_world_mesh(const toc_mesh *mesh) {
    for (size_t i = 0; i < mesh->x0.count; i++)
        if (mesh->x0.at[i] != mesh->x1.at[i])
            return toc_fail(TOC_BAD_INPUT, "vertex %zu moves from %g to %g; a world rests", i / 3, mesh->x0.at[i],
                            mesh->x1.at[i]);
    return TOC_OK;
}

static toc_status list_world_elements(toc_world *world) {
    const toc_mesh *mesh = world->mesh;
    world->elements = toc_arena_new(&world->arena, mesh->shapes.count, sizeof *world->elements);
    if (!world->elements) return TOC_OUT_OF_MEMORY;
    for (uint32_t e = 0; e < mesh->shapes.count; e++) {
        if (toc_mesh_shape(mesh, e) == TOC_REMOVED) continue;
        world->elements[world->count++] = e;
        world->thickest = toc_larger(world->thickest, toc_mesh_get_element(mesh, e).thickness);
    }
    for (size_t v = 0; v < mesh->x0.count; v += 3) toc_box_put(&world->box, mesh->x0.at + v);
    return TOC_OK;
}

// Bound the elements. Scratch memory of the arena.
static toc_status bound_world_elements(const toc_world *world, toc_arena *arena, float **out) {
    const toc_mesh *mesh = world->mesh;
    const toc_dop_kind *kind = &world->kind;
    float *points = toc_dops_new(arena, kind, mesh->x0.count / 3), *dops = toc_dops_new(arena, kind, world->count);
    if (!points || !dops) return TOC_OUT_OF_MEMORY;
    toc_dop_of_points(kind, &world->frame, mesh->x0.count / 3, mesh->x0.at, 0, points);
    for (size_t i = 0; i < world->count; i++) {
        const uint32_t e = world->elements[i];
        toc_dop_of_features(kind, points, toc_mesh_corners(mesh, e), toc_shape_count_corners(toc_mesh_shape(mesh, e)),
                            1, dops + i * toc_dop_floats(kind));
    }
    *out = dops;
    return TOC_OK;
}

static toc_status build_world_tree(toc_world *world) {
    float *at;
    TOC_TRY(toc_dop_kind_make(WORLD_DOP, &world->kind));
    world->frame = toc_frame_of(&world->box);
    if (world->count == 0) return TOC_OK;
    toc_arena scratch = toc_arena_make(&world->allocator);
    toc_status status = bound_world_elements(world, &scratch, &at);
    if (status == TOC_OK) {
        toc_bvh_dops dops = {&world->kind, at};
        const toc_bvh_source source = toc_bvh_source_of(&dops);
        const toc_bvh_input input = {.kind = &world->kind, .count = world->count, .source = &source};
        status = toc_bvh_build(&world->allocator, &input, toc_threads_resolve(0), &world->bvh);
    }
    toc_arena_free(&scratch);
    return status;
}

static void free_world(toc_world *world) {
    const toc_allocator allocator = world->allocator;
    if (world->bvh.nodes) toc_bvh_free(&world->bvh);
    toc_arena_free(&world->arena);
    toc_free(&allocator, world, 1, sizeof *world);
}

static toc_status make_world(const toc_allocator *allocator, toc_mesh *mesh, toc_world **out) {
    toc_world *world = toc_new(allocator, 1, sizeof *world);
    if (!world) return TOC_OUT_OF_MEMORY;
    world->allocator = *allocator;
    world->arena = toc_arena_make(allocator);
    world->mesh = mesh;
    world->box = toc_box_empty();
    atomic_init(&world->holders, 1);
    toc_status status = list_world_elements(world);
    if (status == TOC_OK) status = build_world_tree(world);
    if (status == TOC_OK)
        *out = world;
    else
        free_world(world);
    return status;
}

toc_status toc_world_create(const toc_allocator *allocator, toc_mesh *mesh, toc_world **out) {
    TOC_SCOPED_ARITHMETIC;
    const toc_allocator memory = toc_allocator_or_default(allocator);
    TOC_NEED(out);
    TOC_CHANGE_MESH(mesh);
    if (mesh->owner)
        return toc_fail(TOC_BAD_INPUT, "the mesh is a body of a scene, or a world, already; give a copy "
                                       "(toc_mesh_copy)");
    TOC_TRY(check_world_mesh(mesh));
    toc_world *world;
    TOC_TRY(make_world(&memory, mesh, &world));
    toc_guard_own(&world->guard);
    mesh->owner = &world->guard;
    *out = world;
    return TOC_OK;
}

// ---- sharing

void toc_world_hold(toc_world *world) { atomic_fetch_add_explicit(&world->holders, 1, memory_order_relaxed); }

void toc_world_destroy(toc_world *world) {
    if (!world) return;
    const size_t before = atomic_fetch_sub_explicit(&world->holders, 1, memory_order_acq_rel);
    assert(before > 0);
    if (before > 1) return;
    world->mesh->owner = NULL;
    toc_mesh_destroy(world->mesh);
    free_world(world);
}

// ---- the world as a body

// An empty mesh of the scene, to become the patch.
static toc_status make_patch_mesh(toc_scene *scene, toc_mesh **out) {
    toc_mesh *mesh;
    TOC_TRY(toc_mesh_create(&scene->allocator, &mesh));
    mesh->owner = &scene->guard;
    *out = mesh;
    return TOC_OK;
}

toc_status toc_scene_add_world(toc_scene *scene, toc_world *world, uint32_t *body) {
    TOC_SCOPED_ARITHMETIC;
    TOC_USE_SCENE(scene);
    TOC_NEED(world);
    TOC_TRY(toc_scene_check_room(scene));
    TOC_TRY(toc_array_reserve(&scene->allocator, &scene->bodies, 1));
    toc_patch *patch;
    toc_mesh *mesh;
    TOC_TRY(toc_patch_make(&scene->allocator, world, &patch));
    const toc_status status = make_patch_mesh(scene, &mesh);
    if (status != TOC_OK) {
        toc_patch_free(&scene->allocator, world, patch);
        return status;
    }
    toc_world_hold(world);
    if (body) *body = (uint32_t)scene->bodies.count;
    scene->bodies.at[scene->bodies.count++] = (toc_body){
        .mesh = mesh, .layers = TOC_DEFAULT_LAYERS, .mask = TOC_DEFAULT_MASK, .world = world, .patch = patch};
    return TOC_OK;
}

bool toc_scene_has_worlds(const toc_scene *scene) {
    for (size_t b = 0; b < scene->bodies.count; b++)
        if (scene->bodies.at[b].world) return true;
    return false;
}

bool toc_scene_has_patches(const toc_scene *scene) {
    for (size_t b = 0; b < scene->bodies.count; b++)
        if (scene->bodies.at[b].patch) return true;
    return false;
}

toc_box toc_scene_bounds(const toc_scene *scene) {
    toc_box box = toc_box_empty();
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const toc_body *body = &scene->bodies.at[b];
        if (body->world && body->world->mesh->x0.count > 0) {
            toc_box_put(&box, body->world->box.low);
            toc_box_put(&box, body->world->box.high);
        }
        for (size_t v = 0; body->share.on && v < body->share.count; v++) {
            double x[3];
            toc_position_read(&body->share.x0, v, x);
            toc_box_put(&box, x);
            toc_position_read(&body->share.x1, v, x);
            toc_box_put(&box, x);
        }
        for (size_t v = 0; body->own && !body->share.on && v < body->own->x0.count; v += 3) {
            toc_box_put(&box, body->own->x0.at + v);
            toc_box_put(&box, body->own->x1.at + v);
        }
    }
    return box;
}

double toc_scene_largest_coordinate(const toc_scene *scene) {
    const toc_box box = toc_scene_bounds(scene);
    double most = 0;
    for (int c = 0; c < 3 && box.low[0] <= box.high[0]; c++)
        most = toc_larger(most, toc_larger(-box.low[c], box.high[c]));
    return most;
}

// ---- ids

uint32_t toc_scene_vertex_id(const toc_scene *scene, uint32_t body, uint32_t vertex) {
    const toc_patch *patch = scene->bodies.at[body].patch;
    assert(!patch || vertex < patch->vertices.count);
    return patch ? patch->vertices.at[vertex] : vertex;
}

uint32_t toc_scene_element_id(const toc_scene *scene, uint32_t body, uint32_t element) {
    const toc_patch *patch = scene->bodies.at[body].patch;
    assert(!patch || element < patch->elements.count);
    return patch ? patch->elements.at[element] : element;
}

void toc_scene_name_vertices(const toc_scene *scene, toc_kind kind, const uint32_t body[2], uint32_t v[4]) {
    const int second = kind == TOC_VF ? 1 : 2;
    for (int i = 0; i < 4; i++) v[i] = toc_scene_vertex_id(scene, body[i >= second], v[i]);
}

bool toc_scene_find_vertex(const toc_scene *scene, uint32_t body, uint32_t id, uint32_t *vertex) {
    const toc_patch *patch = scene->bodies.at[body].patch;
    *vertex = id;
    if (!patch) return toc_mesh_has_vertex(scene->bodies.at[body].mesh, id);
    size_t low = 0, high = patch->vertices.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        *(patch->vertices.at[middle] < id ? &low : &high) = patch->vertices.at[middle] < id ? middle + 1 : middle;
    }
    *vertex = (uint32_t)low;
    return low < patch->vertices.count && patch->vertices.at[low] == id;
}
