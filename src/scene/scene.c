// SPDX-License-Identifier: Apache-2.0
// A scene: its bodies, and the data that queries keep between steps.
//
// A removed body leaves an empty mesh under its id, so that loops over bodies need no exception. The history of that
// mesh begins after the last revision of the removed one: every structure that follows a body's events starts anew.
#include "scene/scene.h"
#include "base/arithmetic.h"

#include <assert.h>
#include <math.h>

#include "base/threads.h"
#include "mesh/mesh.h"

toc_status toc_scene_create(const toc_allocator *allocator, toc_scene **out) {
    TOC_NEED(out);
    const toc_allocator memory = toc_allocator_or_default(allocator);
    toc_scene *scene = toc_new(&memory, 1, sizeof *scene);
    if (!scene) return TOC_OUT_OF_MEMORY;
    scene->allocator = memory;
    toc_pool_make(&scene->pool, &memory);
    scene->memory = toc_pool_allocator(&scene->pool);
    *out = scene;
    return TOC_OK;
}

toc_status toc_scene_begin(toc_scene *scene, toc_hold *hold) {
    TOC_NEED(scene);
    if (!toc_guard_own(&scene->guard))
        return toc_fail(TOC_BUSY, "the scene is in use by another call: in another thread, or around this one");
    hold->own = &scene->guard;
    return toc_compact_follow(scene);
}

static void destroy_owned_mesh(toc_mesh *mesh) {
    mesh->owner = NULL;
    toc_mesh_destroy(mesh);
}

static void destroy_body(const toc_allocator *allocator, toc_body *body) {
    toc_features_destroy(body->features);
    toc_share_free(&body->share);
    toc_patch_free(allocator, body->world, body->patch);
    toc_world_destroy(body->world);
    if (body->own && body->own != body->mesh) destroy_owned_mesh(body->own);
    destroy_owned_mesh(body->mesh);
}

void toc_scene_destroy(toc_scene *scene) {
    if (!scene) return;
    if (!toc_guard_own(&scene->guard)) {
        toc_fail(TOC_BUSY, "the scene is in use by another call and stays as it is");
        return;
    }
    const toc_allocator allocator = scene->allocator;
    for (size_t i = 0; i < scene->bodies.count; i++) destroy_body(&allocator, &scene->bodies.at[i]);
    toc_array_free(&allocator, &scene->bodies);
    toc_array_free(&allocator, &scene->ignored);
    if (scene->search) scene->free_search(scene->search);
    toc_step_free(&scene->step);
    toc_pool_free(&scene->pool);
    toc_free(&allocator, scene, 1, sizeof *scene);
}

// Hold a mesh alone. Unlike toc_mesh_begin_change this works within a call that owns the scene of the mesh.
static toc_status hold_mesh(toc_mesh *mesh, toc_hold *hold) {
    if (!toc_guard_own(&mesh->guard)) return toc_fail(TOC_BUSY, "the mesh is in use by another call");
    hold->own = &mesh->guard;
    return TOC_OK;
}

toc_status toc_scene_check_room(const toc_scene *scene) {
    if (scene->bodies.count < UINT32_MAX - 1) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the scene has %zu bodies and can have no more", scene->bodies.count);
}

toc_status toc_scene_add_body(toc_scene *scene, toc_mesh *mesh, uint32_t *body) {
    TOC_SCOPED_ARITHMETIC;
    TOC_USE_SCENE(scene);
    TOC_SCOPED_HOLD(mesh_use);
    TOC_NEED(mesh);
    TOC_TRY(hold_mesh(mesh, &mesh_use));
    if (mesh->owner)
        return toc_fail(TOC_BAD_INPUT, "the mesh is a body of %s scene already; add a copy (toc_mesh_copy)",
                        mesh->owner == &scene->guard ? "this" : "another");
    TOC_TRY(toc_scene_check_room(scene));
    TOC_TRY(toc_array_reserve(&scene->allocator, &scene->bodies, 1));
    mesh->owner = &scene->guard;
    if (body) *body = (uint32_t)scene->bodies.count;
    scene->bodies.at[scene->bodies.count++] =
        (toc_body){.own = mesh, .mesh = mesh, .layers = TOC_DEFAULT_LAYERS, .mask = TOC_DEFAULT_MASK};
    return TOC_OK;
}

toc_status toc_scene_need_body(const toc_scene *scene, uint32_t body) {
    if (body >= scene->bodies.count)
        return toc_fail(TOC_BAD_INPUT, "there is no body %u; the scene has %zu", body, scene->bodies.count);
    if (scene->bodies.at[body].is_removed) return toc_fail(TOC_BAD_INPUT, "body %u was removed", body);
    return TOC_OK;
}

// The mesh leaves its scene, which the caller holds. Fails while another call uses the mesh.
static toc_status release_mesh(const toc_scene *scene, toc_mesh *mesh) {
    (void)scene; // without asserts
    TOC_SCOPED_HOLD(mesh_use);
    TOC_TRY(hold_mesh(mesh, &mesh_use));
    assert(mesh->owner == &scene->guard);
    mesh->owner = NULL;
    return TOC_OK;
}

// The mesh that stands for a removed body, with a history behind those of the meshes that queries have seen.
static toc_status make_hole(const toc_scene *scene, const toc_body *removed, toc_mesh **out) {
    const uint64_t seen = toc_mesh_get_revision(removed->mesh), own = toc_mesh_get_revision(removed->own);
    return toc_mesh_create_at(&scene->allocator, (seen > own ? seen : own) + 1, out);
}

// Put the empty mesh in the place of a body whose own mesh has left the scene.
static void leave_hole(toc_scene *scene, toc_body *removed, toc_mesh *hole) {
    toc_features_destroy(removed->features);
    toc_share_free(&removed->share);
    if (removed->mesh != removed->own) destroy_owned_mesh(removed->mesh);
    toc_patch_free(&scene->allocator, removed->world, removed->patch);
    toc_world_destroy(removed->world);
    hole->owner = &scene->guard;
    *removed = (toc_body){.mesh = hole, .layers = TOC_DEFAULT_LAYERS, .mask = TOC_DEFAULT_MASK, .is_removed = true};
}

toc_status toc_scene_remove_body(toc_scene *scene, uint32_t body, toc_mesh **mesh) {
    TOC_USE_SCENE(scene);
    TOC_TRY(toc_scene_need_body(scene, body));
    toc_body *removed = &scene->bodies.at[body];
    toc_mesh *hole, *own = removed->own;
    TOC_TRY(make_hole(scene, removed, &hole));
    const toc_status status = own ? release_mesh(scene, own) : TOC_OK;
    if (status != TOC_OK) {
        toc_mesh_destroy(hole);
        return status;
    }
    leave_hole(scene, removed, hole);
    if (mesh)
        *mesh = own;
    else
        toc_mesh_destroy(own);
    return TOC_OK;
}

// Refuse a body without a mesh or positions of its own, and one that does not exist.
static toc_status need_own_mesh(const toc_scene *scene, uint32_t body) {
    TOC_TRY(toc_scene_need_body(scene, body));
    const toc_body *of = &scene->bodies.at[body];
    if (!of->own) return toc_fail(TOC_BAD_INPUT, "body %u is a world, which cannot be changed", body);
    if (!of->share.on) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "body %u shares positions (toc_scene_share_positions); end that first", body);
}

toc_status toc_scene_empty_body(toc_scene *scene, uint32_t body) {
    TOC_SCOPED_ARITHMETIC;
    TOC_USE_SCENE(scene);
    TOC_TRY(need_own_mesh(scene, body));
    toc_body *at = &scene->bodies.at[body];
    const toc_body before = *at;
    toc_mesh *empty;
    TOC_TRY(make_hole(scene, at, &empty));
    const toc_status status = release_mesh(scene, before.own);
    if (status != TOC_OK) {
        toc_mesh_destroy(empty);
        return status;
    }
    leave_hole(scene, at, empty);
    *at = (toc_body){.own = empty,
                     .mesh = empty,
                     .layers = before.layers,
                     .mask = before.mask,
                     .ignores_itself = before.ignores_itself,
                     .thickness = before.thickness};
    toc_mesh_destroy(before.own);
    return TOC_OK;
}

// Append the mesh of `gone`, which then leaves the scene. Nothing has changed on failure.
static toc_status append_body(const toc_scene *scene, uint32_t kept, toc_mesh *gone, uint32_t *first_vertex,
                              uint32_t *first_element) {
    TOC_SCOPED_HOLD(kept_use);
    TOC_SCOPED_HOLD(gone_use);
    TOC_TRY(hold_mesh(scene->bodies.at[kept].own, &kept_use));
    TOC_TRY(hold_mesh(gone, &gone_use));
    TOC_TRY(toc_mesh_append_held(scene->bodies.at[kept].own, gone, first_vertex, first_element));
    gone->owner = NULL;
    return TOC_OK;
}

toc_status toc_scene_merge_bodies(toc_scene *scene, uint32_t kept, uint32_t gone, uint32_t *first_vertex,
                                  uint32_t *first_element) {
    TOC_SCOPED_ARITHMETIC;
    TOC_USE_SCENE(scene);
    TOC_TRY(need_own_mesh(scene, kept));
    TOC_TRY(need_own_mesh(scene, gone));
    if (kept == gone) return toc_fail(TOC_BAD_INPUT, "body %u cannot be merged with itself", kept);
    toc_body *removed = &scene->bodies.at[gone];
    toc_mesh *hole, *own = removed->own;
    TOC_TRY(make_hole(scene, removed, &hole));
    const toc_status status = append_body(scene, kept, own, first_vertex, first_element);
    if (status != TOC_OK) {
        toc_mesh_destroy(hole);
        return status;
    }
    leave_hole(scene, removed, hole);
    toc_mesh_destroy(own);
    return TOC_OK;
}

static bool body_exists(const toc_scene *scene, uint32_t body) {
    return scene && body < scene->bodies.count && !scene->bodies.at[body].is_removed;
}

const toc_mesh *toc_scene_get_mesh(const toc_scene *scene, uint32_t body) {
    if (!body_exists(scene, body)) return NULL;
    const toc_body *at = &scene->bodies.at[body];
    return at->world ? at->world->mesh : at->own;
}

toc_mesh *toc_scene_edit_mesh(toc_scene *scene, uint32_t body) {
    return body_exists(scene, body) ? scene->bodies.at[body].own : NULL;
}

size_t toc_scene_get_body_count(const toc_scene *scene) { return scene ? scene->bodies.count : 0; }

bool toc_scene_is_accelerated(const toc_scene *scene) {
    for (size_t b = 0; b < scene->bodies.count; b++)
        if (toc_mesh_get_acceleration(scene->bodies.at[b].mesh)) return true;
    return false;
}

toc_status toc_scene_need_straight(const toc_scene *scene) {
    if (!toc_scene_is_accelerated(scene)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "this takes straight paths only, and bodies are accelerated");
}

toc_status toc_thickness_check(double thickness) {
    if (thickness >= 0 && isfinite(thickness)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the thickness is %g; it must be a number that is not negative", thickness);
}

toc_status toc_scene_set_body_thickness(toc_scene *scene, uint32_t body, double thickness) {
    TOC_SCOPED_ARITHMETIC;
    TOC_USE_SCENE(scene);
    TOC_TRY(toc_scene_need_body(scene, body));
    TOC_TRY(toc_thickness_check(thickness));
    scene->bodies.at[body].thickness = thickness;
    return TOC_OK;
}

toc_status toc_scene_set_steady(toc_scene *scene, bool on) {
    TOC_USE_SCENE(scene);
    scene->is_steady = on;
    return TOC_OK;
}

toc_status toc_scene_set_region(toc_scene *scene, const double *low, const double *high) {
    TOC_SCOPED_ARITHMETIC;
    TOC_USE_SCENE(scene);
    for (int c = 0; c < 3 && low && high; c++)
        if (!(low[c] <= high[c]))
            return toc_fail(TOC_BAD_INPUT, "the region has sides at %c = %g and %g; the low one must come first",
                            "xyz"[c], low[c], high[c]);
    scene->has_region = low && high;
    for (int c = 0; c < 3 && scene->has_region; c++) {
        scene->region.low[c] = low[c];
        scene->region.high[c] = high[c];
    }
    return TOC_OK;
}

// A query of fewer vertices takes less time than to start a second thread and to share its loops.
int toc_scene_threads(const toc_scene *scene, int threads) {
    enum { VERTICES_PER_THREAD = 2048 };
    size_t vertices = 0;
    if (threads > 0) return toc_team_resolve(threads);
    for (size_t b = 0; b < scene->bodies.count; b++) vertices += toc_mesh_get_vertex_count(scene->bodies.at[b].mesh);
    const size_t wanted = 1 + vertices / VERTICES_PER_THREAD;
    // Reading the limits of the system takes longer than a small query.
    if (wanted == 1) return 1;
    const int most = toc_team_resolve(0);
    return wanted < (size_t)most ? (int)wanted : most;
}
