// SPDX-License-Identifier: Apache-2.0
// Making and fitting the tree over the elements of a scene. O(n) a step as long as the motion keeps the tree good.
#include "query/volume.h"

#include <string.h>

#include "base/threads.h"
#include "mesh/shape.h"

// ---- cells

static void set_cell(const toc_mesh *mesh, uint32_t body, uint32_t element, uint32_t first_vertex, toc_cell *cell) {
    const toc_element e = toc_mesh_element(mesh, element);
    uint32_t distinct[TOC_CELL_CORNERS];
    const int count = toc_ids_distinct(e.corners, e.corner_count, distinct);
    *cell = (toc_cell){.body = body, .element = element, .corners = (uint8_t)count, .blocks = count > 4 ? 2 : 1};
    for (int i = 0; i < TOC_CELL_CORNERS && count > 0; i++) cell->v[i] = first_vertex + distinct[i < count ? i : 0];
}

static toc_status make_body(toc_volume *volume, const toc_scene *scene, uint32_t body, uint32_t first_cell) {
    const toc_body *of = &scene->bodies.at[body];
    toc_cell_body *to = &volume->cells.bodies[body];
    to->first_cell = first_cell;
    to->first_vertex = scene->step.body_first[body];
    TOC_TRY(toc_incidence_make(of->mesh, of->features, &to->incidence));
    const size_t count = toc_mesh_element_count(of->mesh);
    for (size_t e = 0; e < count; e++) {
        toc_cell *cell = &volume->cells.at[first_cell + e];
        set_cell(of->mesh, body, (uint32_t)e, to->first_vertex, cell);
        if (cell->blocks > volume->leaves.blocks) volume->leaves.blocks = cell->blocks;
    }
    return TOC_OK;
}

// Whether a cell has features that are asked about; all of its features' vertices are its own.
static bool is_live(const toc_volume *volume, const toc_cell *cell, bool surface_only) {
    const toc_cell_body *body = &volume->cells.bodies[cell->body];
    for (int i = 0; i < cell->corners; i++)
        if (!surface_only || body->incidence.vertex_flags.at[cell->v[i] - body->first_vertex] & TOC_ON_BOUNDARY)
            return true;
    return false;
}

static toc_status make_cells(toc_volume *volume, const toc_scene *scene) {
    const toc_step *step = &scene->step;
    toc_cells *cells = &volume->cells;
    uint32_t first = 0;
    for (uint32_t b = 0; b < cells->body_count; b++) {
        TOC_TRY(make_body(volume, scene, b, first));
        first += (uint32_t)toc_mesh_element_count(scene->bodies.at[b].mesh);
    }
    TOC_TRY(toc_cells_join(&scene->allocator, cells));
    for (size_t i = 0; i < cells->count; i++)
        if (is_live(volume, &cells->at[i], step->surface_only)) volume->live[volume->live_count++] = (uint32_t)i;
    volume->leaf_cells = toc_arena_new(&volume->arena, volume->live_count, sizeof *volume->leaf_cells);
    volume->leaves.at = toc_arena_new(&volume->arena, volume->live_count, toc_leaf_bytes(volume->leaves.blocks));
    return volume->leaf_cells && volume->leaves.at ? TOC_OK : TOC_OUT_OF_MEMORY;
}

static float *new_dops(toc_volume *volume, size_t count) {
    return toc_arena_new(&volume->arena, count, toc_dop_floats(&volume->kind) * sizeof(float));
}

static toc_status allocate(toc_volume *volume, const toc_step *step) {
    toc_arena *arena = &volume->arena;
    toc_cells *cells = &volume->cells;
    cells->count = step->element_count;
    cells->at = toc_arena_new(arena, cells->count, sizeof *cells->at);
    volume->live = toc_arena_new(arena, cells->count, sizeof *volume->live);
    volume->vertex_dops = new_dops(volume, step->vertex_count);
    volume->end_dops = new_dops(volume, step->vertex_count);
    volume->cell_dops = new_dops(volume, cells->count);
    const bool all = cells->at && volume->live && volume->vertex_dops && volume->end_dops && volume->cell_dops;
    return all ? TOC_OK : TOC_OUT_OF_MEMORY;
}

static toc_status make(toc_scene *scene, const toc_volume_form *form) {
    toc_volume *volume = toc_new(&scene->allocator, 1, sizeof *volume);
    if (!volume) return TOC_OUT_OF_MEMORY;
    scene->volume = volume;
    volume->allocator = scene->allocator;
    volume->version = scene->step.version;
    volume->kind = form->kind;
    volume->arena = toc_arena_make(&scene->allocator);
    volume->hash = toc_hash_make(&scene->allocator);
    const size_t bodies = scene->step.body_count;
    volume->cells.bodies = toc_arena_new(&volume->arena, bodies, sizeof *volume->cells.bodies);
    volume->osets = toc_arena_new(&volume->arena, bodies, sizeof *volume->osets);
    if (!volume->cells.bodies || !volume->osets) return TOC_OUT_OF_MEMORY;
    volume->cells.body_count = bodies;
    for (size_t b = 0; b < bodies; b++) {
        volume->cells.bodies[b] = (toc_cell_body){.incidence.allocator = scene->allocator};
        volume->osets[b] = (toc_oset){.allocator = scene->allocator};
    }
    TOC_TRY(allocate(volume, &scene->step));
    return make_cells(volume, scene);
}

void toc_volume_free(toc_volume *volume) {
    if (!volume) return;
    const toc_allocator allocator = volume->allocator;
    for (size_t b = 0; b < volume->cells.body_count; b++) {
        toc_incidence_free(&volume->cells.bodies[b].incidence);
        toc_oset_free(&volume->osets[b]);
    }
    if (volume->bvh.nodes) toc_bvh_free(&volume->bvh);
    toc_hash_free(&volume->hash);
    toc_arena_free(&volume->arena);
    toc_free(&allocator, volume, 1, sizeof *volume);
}

// ---- each step

static void bound_cells(toc_volume *volume) {
    const size_t floats = toc_dop_floats(&volume->kind);
    for (size_t i = 0; i < volume->live_count; i++) {
        const toc_cell *cell = &volume->cells.at[volume->live[i]];
        toc_dop_of_features(&volume->kind, volume->vertex_dops, cell->v, cell->corners, 1,
                            volume->cell_dops + i * floats);
    }
}

static void fill_leaves(toc_volume *volume, const toc_step *step, const toc_frame *frame) {
    const toc_leaves *leaves = &volume->leaves;
    for (uint32_t i = 0; i < volume->live_count; i++) {
        const toc_cell *cell = &volume->cells.at[volume->leaf_cells[i]];
        memcpy(toc_leaf_ids(leaves, i), cell->v, 4 * (size_t)leaves->blocks * sizeof *cell->v);
        for (int b = 0; b < leaves->blocks; b++)
            toc_block_fill(frame, step->x0, step->x1, cell->v + 4 * b, toc_leaf_blocks(leaves, i) + b);
    }
}

static void bound(toc_volume *volume, const toc_step *step, const toc_frame *frame, double separation) {
    const toc_dop_kind *kind = &volume->kind;
    const double thickness = separation / 2; // on either side
    toc_dop_of_points(kind, frame, step->vertex_count, step->x0, thickness, volume->vertex_dops);
    toc_dop_of_points(kind, frame, step->vertex_count, step->x1, thickness, volume->end_dops);
    toc_dop_join(kind, step->vertex_count, volume->end_dops, volume->vertex_dops);
    bound_cells(volume);
}

static toc_status build_or_refit(toc_volume *volume, int threads, size_t *rebuilt) {
    const float *dops = volume->cell_dops;
    if (!volume->bvh.nodes) {
        *rebuilt = volume->live_count;
        return toc_bvh_build(&volume->allocator, &volume->kind, volume->live_count, dops, threads, &volume->bvh);
    }
    toc_bvh_refit(&volume->bvh, dops, threads);
    return toc_bvh_restructure(&volume->bvh, dops, threads, rebuilt);
}

// Everything anew, as Teschner et al. 2003 have it.
static toc_status build_hash(toc_volume *volume, int threads, size_t *rebuilt) {
    const toc_hash_input input = {.kind = &volume->kind, .dops = volume->cell_dops, .count = volume->live_count};
    const toc_hash_form form = {
        .cell = toc_hash_cell(input.kind, input.count, input.dops), .table = TOC_HASH_PRIME, .voxels = 1};
    *rebuilt = volume->live_count;
    return toc_hash_build(&volume->hash, &form, &input, threads);
}

static void order_leaves(toc_volume *volume, bool by_tree) {
    for (size_t i = 0; i < volume->live_count; i++)
        volume->leaf_cells[i] = volume->live[by_tree ? volume->bvh.order[i] : i];
}

static toc_status make_osets(toc_volume *volume) {
    for (uint32_t b = 0; b < volume->cells.body_count; b++)
        TOC_TRY(toc_oset_make(&volume->allocator, &volume->cells, b, &volume->osets[b]));
    volume->has_osets = true;
    return TOC_OK;
}

static toc_status fit(toc_scene *scene, const toc_volume_form *form, int threads, toc_volume_update *how) {
    toc_volume *volume = scene->volume;
    const toc_step *step = &scene->step;
    const double start = toc_seconds();
    const toc_frame frame = toc_frame_around(step->vertex_count, step->x0, step->x1);
    bound(volume, step, &frame, form->separation);
    const double bounded = toc_seconds();
    TOC_TRY((form->hashes ? build_hash : build_or_refit)(volume, threads, &how->rebuilt));
    if (form->osets && !volume->has_osets) TOC_TRY(make_osets(volume));
    const double built = toc_seconds();
    if (how->rebuilt > 0) order_leaves(volume, !form->hashes);
    fill_leaves(volume, step, &frame);
    volume->csat = toc_csat_make(&frame, form->separation);
    how->build_seconds = built - bounded;
    how->bound_seconds = bounded - start + toc_seconds() - built;
    return TOC_OK;
}

static void drop(toc_scene *scene) {
    toc_volume_free(scene->volume);
    scene->volume = NULL;
}

toc_status toc_volume_fit(toc_scene *scene, const toc_volume_form *form, int threads, toc_volume_update *how) {
    if (scene->volume && (scene->volume->version != scene->step.version || scene->volume->kind.k != form->kind.k))
        drop(scene);
    toc_status status = scene->volume ? TOC_OK : make(scene, form);
    if (status == TOC_OK) status = fit(scene, form, threads, how);
    if (status != TOC_OK) drop(scene);
    return status;
}
