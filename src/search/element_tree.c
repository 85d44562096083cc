// SPDX-License-Identifier: Apache-2.0
// Making and fitting the tree over the elements of a scene.
//
// O(n) a step for positions and bounds as long as the motion keeps the tree good. Edits are followed: incidence, cells
// and O-Sets around the change only. An element that is gone leaves a ghost in the tree, bounded by the vertices it
// had; one that is added is young, and stays beside the tree until there are so many that building it anew pays.
#include "search/element_tree.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "search/interior.h"

// Room for what is to come, so that it need not be made anew with each edit.
static size_t with_room(size_t count) { return count + count / 8 + 64; }

// ---- making

static toc_status make_incidence(const toc_body *body, toc_incidence *out) {
    if (body->features && body->features_revision == toc_mesh_get_revision(body->mesh))
        return toc_incidence_make(body->mesh, body->features, out);
    toc_features *features;
    TOC_TRY(toc_features_make(body->mesh, false, 1, &features));
    const toc_status status = toc_incidence_make(body->mesh, features, out);
    toc_features_destroy(features);
    return status;
}

static void set_cells(toc_element_tree *volume, const toc_mesh *mesh, uint32_t body, size_t room) {
    const toc_cell_body *of = &volume->cells.bodies[body];
    for (size_t e = 0; e < room; e++) {
        toc_cell *cell = &volume->cells.at[of->first_cell + e];
        *cell = (toc_cell){.body = body, .element = (uint32_t)e, .leaf = UINT32_MAX};
        toc_cell_set(mesh, of->first_vertex, cell);
        if (cell->fours > volume->leaves.fours) volume->leaves.fours = cell->fours;
    }
}

// Whether a cell has features that are asked about; all of its features' vertices are its own.
static bool is_live(const toc_element_tree *volume, const toc_cell *cell) {
    const toc_cell_body *body = &volume->cells.bodies[cell->body];
    for (int i = 0; i < cell->corners; i++)
        if (!volume->surface_only ||
            body->incidence.vertex_flags.at[cell->v[i] - body->first_vertex] & TOC_FEATURE_ON_BOUNDARY)
            return true;
    return false;
}

static float *new_dops(toc_element_tree *volume, size_t count) {
    return toc_arena_new(&volume->arena, count, toc_dop_floats(&volume->kind) * sizeof(float));
}

static toc_status make_cells(toc_element_tree *volume, const toc_scene *scene) {
    toc_cells *cells = &volume->cells;
    for (uint32_t b = 0; b < cells->body_count; b++) {
        cells->bodies[b].first_cell = (uint32_t)cells->count;
        cells->count += with_room(toc_mesh_get_element_count(scene->bodies.at[b].mesh));
    }
    if (cells->count >= UINT32_MAX) return toc_fail(TOC_BAD_INPUT, "the scene has too many elements");
    cells->at = toc_arena_new(&volume->arena, cells->count, sizeof *cells->at);
    if (!cells->at) return TOC_OUT_OF_MEMORY;
    for (uint32_t b = 0; b < cells->body_count; b++) {
        toc_cell_body *body = &cells->bodies[b];
        const toc_mesh *mesh = scene->bodies.at[b].mesh;
        body->first_vertex = scene->step.body_first[b];
        TOC_TRY(make_incidence(&scene->bodies.at[b], &body->incidence));
        set_cells(volume, mesh, b, with_room(toc_mesh_get_element_count(mesh)));
    }
    return toc_cells_join(&volume->allocator, cells);
}

static toc_status make_leaves(toc_element_tree *volume, const toc_step *step) {
    const size_t room = volume->live_room = volume->cells.count;
    toc_arena *arena = &volume->arena;
    volume->vertex_room = with_room(step->vertex_count);
    volume->live = toc_arena_new(arena, room, sizeof *volume->live);
    volume->leaf_cells = toc_arena_new(arena, room, sizeof *volume->leaf_cells);
    volume->leaves.at = toc_arena_new(arena, room, toc_leaf_bytes(volume->leaves.fours));
    volume->vertex_dops = new_dops(volume, volume->vertex_room);
    volume->end_dops = new_dops(volume, volume->vertex_room);
    volume->cell_dops = new_dops(volume, room);
    const bool all = volume->live && volume->leaf_cells && volume->leaves.at && volume->vertex_dops &&
                     volume->end_dops && volume->cell_dops;
    return all ? TOC_OK : TOC_OUT_OF_MEMORY;
}

// All that are asked about, in order, to be built into a new tree.
static void list_live(toc_element_tree *volume) {
    if (volume->bvh.nodes) toc_bvh_free(&volume->bvh);
    volume->bvh = (toc_bvh){.count = 0};
    volume->live_count = volume->ghosts = 0;
    for (size_t i = 0; i < volume->cells.count; i++) {
        toc_cell *cell = &volume->cells.at[i];
        cell->leaf = is_live(volume, cell) ? (uint32_t)volume->live_count : UINT32_MAX;
        if (cell->leaf != UINT32_MAX) volume->live[volume->live_count++] = (uint32_t)i;
    }
}

static toc_status make(toc_scene *scene, const toc_element_tree_form *form) {
    toc_element_tree *volume = toc_new(&scene->allocator, 1, sizeof *volume);
    if (!volume) return TOC_OUT_OF_MEMORY;
    scene->volume = volume;
    volume->allocator = scene->allocator;
    volume->kind = form->kind;
    volume->surface_only = form->surface_only;
    volume->hashes = form->hashes;
    volume->leaves.fours = 1;
    volume->arena = toc_arena_make(&scene->allocator);
    volume->hash = toc_hash_make(&scene->allocator);
    const size_t bodies = scene->step.body_count;
    volume->cells.bodies = toc_arena_new(&volume->arena, bodies, sizeof *volume->cells.bodies);
    volume->osets = toc_arena_new(&volume->arena, bodies, sizeof *volume->osets);
    if (!volume->cells.bodies || !volume->osets) return TOC_OUT_OF_MEMORY;
    volume->cells.body_count = bodies;
    for (size_t b = 0; b < bodies; b++) {
        volume->cells.bodies[b] = (toc_cell_body){.incidence.allocator = scene->allocator};
        volume->osets[b] = (toc_orphan_pairs){.allocator = scene->allocator};
    }
    TOC_TRY(make_cells(volume, scene));
    TOC_TRY(make_leaves(volume, &scene->step));
    list_live(volume);
    return TOC_OK;
}

void toc_element_tree_free(toc_element_tree *volume) {
    if (!volume) return;
    const toc_allocator allocator = volume->allocator;
    for (size_t b = 0; b < volume->cells.body_count; b++) {
        toc_incidence_free(&volume->cells.bodies[b].incidence);
        toc_orphan_pairs_free(&volume->osets[b]);
    }
    if (volume->bvh.nodes) toc_bvh_free(&volume->bvh);
    toc_hash_free(&volume->hash);
    toc_interior_free(volume->inside);
    toc_arena_free(&volume->arena);
    toc_free(&allocator, volume, 1, sizeof *volume);
}

// ---- following edits

static size_t room_of(const toc_element_tree *volume, size_t body) {
    const toc_cells *cells = &volume->cells;
    const size_t end = body + 1 < cells->body_count ? cells->bodies[body + 1].first_cell : cells->count;
    return end - cells->bodies[body].first_cell;
}

// Whether the volume can be brought up to date with the scene at all.
static bool can_follow(const toc_element_tree *volume, const toc_scene *scene, const toc_element_tree_form *form) {
    if (volume->kind.k != form->kind.k || volume->surface_only != form->surface_only ||
        volume->hashes != form->hashes || volume->cells.body_count != scene->bodies.count ||
        scene->step.vertex_count > volume->vertex_room)
        return false;
    for (size_t b = 0; b < scene->bodies.count; b++) {
        const toc_mesh *mesh = scene->bodies.at[b].mesh;
        const toc_event *events;
        size_t count;
        if (toc_mesh_get_element_count(mesh) > room_of(volume, b)) return false;
        if (toc_mesh_get_events(mesh, volume->cells.bodies[b].incidence.revision, &events, &count) != TOC_OK)
            return false;
    }
    return true;
}

bool toc_element_tree_is_current(const toc_element_tree *volume, const toc_scene *scene) {
    if (volume->cells.body_count != scene->bodies.count) return false;
    for (size_t b = 0; b < scene->bodies.count; b++)
        if (volume->cells.bodies[b].incidence.revision != toc_mesh_get_revision(scene->bodies.at[b].mesh)) return false;
    return true;
}

// Vertices are numbered through, so those of later bodies move on when earlier ones get more.
static void renumber(toc_element_tree *volume, const toc_step *step) {
    for (size_t b = 0; b < volume->cells.body_count; b++) {
        toc_cell_body *body = &volume->cells.bodies[b];
        const uint32_t moved = step->body_first[b] - body->first_vertex;
        body->first_vertex += moved;
        for (size_t e = 0; e < room_of(volume, b) && moved > 0; e++)
            for (int i = 0; i < TOC_CELL_CORNERS; i++) volume->cells.at[body->first_cell + e].v[i] += moved;
    }
}

static void add_young(toc_element_tree *volume, uint32_t cell) {
    toc_cell *at = &volume->cells.at[cell];
    if (at->leaf != UINT32_MAX || !is_live(volume, at)) return;
    at->leaf = (uint32_t)volume->live_count;
    volume->leaf_cells[volume->live_count] = cell;
    volume->live[volume->live_count++] = cell;
}

// What is new, or came to the surface, is young; what is gone is a ghost.
static void place_changed(toc_element_tree *volume, const toc_cell_body *body, const toc_changes *changes) {
    for (size_t i = 0; i < changes->elements.count; i++) {
        const toc_cell *cell = &volume->cells.at[body->first_cell + changes->elements.at[i]];
        volume->ghosts += cell->corners == 0 && cell->leaf != UINT32_MAX;
        add_young(volume, body->first_cell + changes->elements.at[i]);
    }
    for (size_t i = 0; i < changes->vertices.count && volume->surface_only; i++) {
        const toc_around around = toc_around_of(body, &body->incidence.vertex_elements, changes->vertices.at[i]);
        for (size_t j = 0; j < around.count; j++) add_young(volume, around.first_cell + around.elements[j]);
    }
}

static uint64_t work_of(const toc_element_tree *volume, uint32_t body) {
    return volume->cells.bodies[body].incidence.work + volume->osets[body].work;
}

static toc_status follow_body(toc_element_tree *volume, const toc_mesh *mesh, uint32_t body, toc_changes *changes) {
    toc_cell_body *of = &volume->cells.bodies[body];
    TOC_TRY(toc_incidence_follow(&of->incidence, mesh, changes));
    toc_cells_follow(&volume->cells, mesh, body, changes);
    place_changed(volume, of, changes);
    return volume->has_osets ? toc_orphan_pairs_follow(&volume->osets[body], &volume->cells, body, changes) : TOC_OK;
}

static toc_status follow(toc_element_tree *volume, const toc_scene *scene, toc_element_tree_update *how) {
    renumber(volume, &scene->step);
    for (uint32_t b = 0; b < scene->bodies.count; b++) {
        const toc_mesh *mesh = scene->bodies.at[b].mesh;
        const uint64_t before = work_of(volume, b);
        toc_changes changes;
        if (volume->cells.bodies[b].incidence.revision == toc_mesh_get_revision(mesh)) continue;
        memset(&changes, 0, sizeof changes);
        const toc_status status = follow_body(volume, mesh, b, &changes);
        how->edited += changes.elements.count;
        toc_changes_free(&volume->allocator, &changes);
        TOC_TRY(status);
        how->work += work_of(volume, b) - before;
        volume->asked = 0;
    }
    return TOC_OK;
}

// A list of young ones is searched by brute force, and ghosts are found in vain. A few elements that outgrow the leaves
// make room for larger ones in all.
static bool is_outgrown(const toc_element_tree *volume) {
    const double young = (double)toc_element_tree_young(volume), count = (double)volume->bvh.count;
    return volume->ghosts > volume->live_count / 4 || young > fmax(64, 4 * sqrt(count));
}

static bool has_larger(const toc_element_tree *volume) {
    for (size_t i = volume->bvh.count; i < volume->live_count; i++)
        if (volume->cells.at[volume->live[i]].fours > volume->leaves.fours) return true;
    return false;
}

// ---- each step

static void bound_cells(toc_element_tree *volume) {
    const size_t floats = toc_dop_floats(&volume->kind);
    for (size_t i = 0; i < volume->live_count; i++) {
        const toc_cell *cell = &volume->cells.at[volume->live[i]];
        const int corners = cell->corners ? cell->corners : TOC_CELL_CORNERS; // a ghost: those it had
        toc_dop_of_features(&volume->kind, volume->vertex_dops, cell->v, corners, 1, volume->cell_dops + i * floats);
    }
}

static void fill_leaves(toc_element_tree *volume, const toc_step *step, const toc_frame *frame) {
    const toc_leaves *leaves = &volume->leaves;
    for (uint32_t i = 0; i < volume->live_count; i++) {
        const toc_cell *cell = &volume->cells.at[volume->leaf_cells[i]];
        memcpy(toc_leaf_ids(leaves, i), cell->v, 4 * (size_t)leaves->fours * sizeof *cell->v);
        for (int b = 0; b < leaves->fours; b++)
            toc_vertex4_fill(frame, step->x0, step->x1, cell->v + 4 * b, toc_leaf_vertex4s(leaves, i) + b);
    }
}

void toc_element_tree_bound_vertices(toc_element_tree *volume, const toc_step *step, const toc_frame *frame,
                                     double separation) {
    const toc_dop_kind *kind = &volume->kind;
    const double thickness = separation / 2; // on either side
    toc_dop_of_points(kind, frame, step->vertex_count, step->x0, thickness, volume->vertex_dops);
    toc_dop_of_points(kind, frame, step->vertex_count, step->x1, thickness, volume->end_dops);
    toc_dop_join(kind, step->vertex_count, volume->end_dops, volume->vertex_dops);
    if (step->control) {
        toc_dop_of_points(kind, frame, step->vertex_count, step->control, thickness, volume->end_dops);
        toc_dop_join(kind, step->vertex_count, volume->end_dops, volume->vertex_dops);
    }
}

static void order_leaves(toc_element_tree *volume) {
    const bool by_tree = !volume->hashes;
    for (size_t i = 0; i < volume->live_count; i++)
        volume->leaf_cells[i] = volume->live[by_tree && i < volume->bvh.count ? volume->bvh.order[i] : i];
}

static toc_status build_or_refit(toc_element_tree *volume, int threads, size_t *rebuilt) {
    toc_bvh_dops dops = {&volume->kind, volume->cell_dops};
    const toc_bvh_source source = toc_bvh_source_of(&dops);
    const toc_bvh_input input = {.kind = &volume->kind, .count = volume->live_count, .source = &source};
    if (!volume->bvh.nodes) {
        *rebuilt = volume->live_count;
        return toc_bvh_build(&volume->allocator, &input, threads, &volume->bvh);
    }
    toc_bvh_fit(&volume->bvh, &source, 0, threads);
    return toc_bvh_restructure(&volume->bvh, &source, threads, rebuilt);
}

// Everything anew, as Teschner et al. 2003 have it.
static toc_status build_hash(toc_element_tree *volume, int threads, size_t *rebuilt) {
    const toc_hash_input input = {.kind = &volume->kind, .dops = volume->cell_dops, .count = volume->live_count};
    const toc_hash_form form = {.cell = toc_hash_cell(&input), .table = TOC_HASH_PRIME, .voxels = 1};
    *rebuilt = volume->live_count;
    return toc_hash_build(&volume->hash, &form, &input, threads);
}

static toc_status make_osets(toc_element_tree *volume) {
    for (uint32_t b = 0; b < volume->cells.body_count; b++)
        TOC_TRY(toc_orphan_pairs_make(&volume->allocator, &volume->cells, b, &volume->osets[b]));
    volume->has_osets = true;
    return TOC_OK;
}

static toc_status fit(toc_scene *scene, const toc_element_tree_form *form, int threads, toc_element_tree_update *how) {
    toc_element_tree *volume = scene->volume;
    const toc_step *step = &scene->step;
    const double start = toc_seconds();
    const toc_frame frame = toc_frame_around(step->vertex_count, step->x0, step->x1);
    toc_element_tree_bound_vertices(volume, step, &frame, form->separation);
    bound_cells(volume);
    const double bounded = toc_seconds();
    TOC_TRY((volume->hashes ? build_hash : build_or_refit)(volume, threads, &how->rebuilt));
    if (form->osets && !volume->has_osets) TOC_TRY(make_osets(volume));
    const double built = toc_seconds();
    if (how->rebuilt > 0) order_leaves(volume);
    fill_leaves(volume, step, &frame);
    volume->csat = toc_csat_make(&frame, form->separation);
    how->build_seconds = built - bounded;
    how->bound_seconds = bounded - start + toc_seconds() - built;
    return TOC_OK;
}

static void drop(toc_scene *scene) {
    toc_element_tree_free(scene->volume);
    scene->volume = NULL;
}

static toc_status follow_or_make(toc_scene *scene, const toc_element_tree_form *form, toc_element_tree_update *how) {
    if (scene->volume && can_follow(scene->volume, scene, form)) {
        TOC_TRY(follow(scene->volume, scene, how));
        if (!has_larger(scene->volume)) {
            if (is_outgrown(scene->volume)) list_live(scene->volume);
            return TOC_OK;
        }
    }
    drop(scene);
    return make(scene, form);
}

toc_status toc_element_tree_fit(toc_scene *scene, const toc_element_tree_form *form, int threads,
                                toc_element_tree_update *how) {
    const double start = toc_seconds();
    *how = (toc_element_tree_update){0};
    toc_status status = follow_or_make(scene, form, how);
    how->follow_seconds = toc_seconds() - start;
    if (status == TOC_OK) status = fit(scene, form, threads, how);
    if (status == TOC_OK) scene->volume->asked++;
    if (status != TOC_OK) drop(scene);
    return status;
}
