// SPDX-License-Identifier: Apache-2.0
// Bounding and hashing the primitives that moved.
#include "search/surface_grid.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/threads.h"
#include "scene/scene.h"
#include "search/pipeline.h"
#include "search/sweep_ratio.h"

enum {
    CHUNK = 1024 // vertices, primitives or rings of a round
};
static const double OURS_VOXELS = 0.5; // slots a primitive; twice as many are no better
static const double PAPER_VOXELS = 0.2;

// ---- making

static float *new_grid_dops(toc_surface_grid *grid, size_t count) {
    return toc_dops_new(&grid->arena, &grid->kind, count);
}

static toc_status allocate_grid(toc_surface_grid *grid) {
    const size_t count = grid->primitives.count, vertices = grid->features.vertex_count;
    grid->corners = toc_arena_new(&grid->arena, count, sizeof *grid->corners);
    grid->flat = toc_arena_new(&grid->arena, vertices, sizeof *grid->flat);
    grid->stamps = toc_arena_new(&grid->arena, count, sizeof *grid->stamps);
    grid->list = toc_arena_new(&grid->arena, count, sizeof *grid->list);
    if (grid->bare) {
        grid->boxes = toc_arena_new(&grid->arena, count, TOC_BOX_FLOATS * sizeof *grid->boxes);
    } else {
        grid->vertex_dops = new_grid_dops(grid, vertices);
        grid->primitive_dops = new_grid_dops(grid, count);
    }
    const bool bounds = grid->boxes || (grid->vertex_dops && grid->primitive_dops);
    const bool all = grid->corners && grid->flat && grid->stamps && grid->list && bounds;
    return all ? toc_motion_make(&grid->arena, vertices, &grid->motion) : TOC_OUT_OF_MEMORY;
}

static size_t grid_rounds_of(size_t count) { return (count + CHUNK - 1) / CHUNK; }

static size_t grid_round_end(size_t chunk, size_t count) {
    return (chunk + 1) * CHUNK < count ? (chunk + 1) * CHUNK : count;
}

// The corners of primitives, and the flags of as many vertices.
static toc_status place_grid_corners(void *user, size_t chunk, int thread) {
    (void)thread;
    toc_surface_grid *grid = user;
    const size_t vertices = grid->features.vertex_count, first = chunk * CHUNK;
    if (first < vertices) memset(grid->flat + first, 0, grid_round_end(chunk, vertices) - first);
    const size_t end = grid_round_end(chunk, grid->primitives.count);
    for (size_t i = chunk * CHUNK; i < end; i++) {
        const uint32_t *v = grid->primitives.at[i].vertices;
        for (int j = 0; j < 3; j++) grid->corners[i][j] = v[j] != UINT32_MAX ? v[j] : v[0];
        grid->stamps[i] = 0;
    }
    return TOC_OK;
}

// Drop all kept bounds.
static void forget_grid_motion(toc_surface_grid *grid) {
    memset(grid->flat, 0, grid->features.vertex_count);
    toc_motion_forget(&grid->motion);
    memset(grid->stamps, 0, grid->primitives.count * sizeof *grid->stamps);
}

void toc_surface_grid_free(toc_surface_grid *grid) {
    if (!grid) return;
    const toc_allocator allocator = grid->index.allocator;
    toc_hash_free(&grid->moving);
    toc_hash_free(&grid->resting);
    toc_array_free(&allocator, &grid->resting_pairs);
    toc_arena_free(&grid->arena);
    toc_free(&allocator, grid, 1, sizeof *grid);
}

static void free_surface_grid_index(toc_index *index) { toc_surface_grid_free((toc_surface_grid *)index); }

const toc_index_type toc_surface_grid_type = {.is_kept = true, .free = free_surface_grid_index};

static toc_status make_grid(const toc_allocator *allocator, const toc_step *step, const toc_surface_grid_form *form,
                            int threads, toc_surface_grid **out) {
    toc_surface_grid *grid = toc_new(allocator, 1, sizeof *grid);
    if (!grid) return TOC_OUT_OF_MEMORY;
    *out = grid;
    grid->index = (toc_index){&toc_surface_grid_type, *allocator};
    grid->version = step->version;
    grid->kind = form->kind;
    grid->published = form->published;
    grid->bare = form->bare;
    grid->arena = toc_arena_make(allocator);
    grid->moving = toc_hash_make(allocator);
    grid->resting = toc_hash_make(allocator);
    grid->features = toc_step_features(step);
    grid->thickness = -1;
    grid->primitives = step->primitives;
    grid->rings = step->rings;
    TOC_TRY(allocate_grid(grid));
    const size_t items = grid->primitives.count, vertices = grid->features.vertex_count;
    TOC_TRY(toc_loop_run(&(toc_loop){.count = grid_rounds_of(items > vertices ? items : vertices),
                                     .threads = threads,
                                     .round = place_grid_corners,
                                     .user = grid}));
    if (grid->published) return TOC_OK;
    return toc_representatives_assign(&grid->arena, &grid->features, &grid->primitives, NULL, threads,
                                      &grid->representatives);
}

// ---- bounding

typedef struct grid_fit {
    toc_surface_grid *grid;
    const toc_step *step;
    bool rings;
    atomic_size_t resting; // primitives
} grid_fit;

static void bound_grid_vertices(void *user, size_t from, size_t end) {
    enum { FEW = 64 };
    const grid_fit *b = user;
    toc_surface_grid *grid = b->grid;
    const toc_frame *frame = &grid->motion.frame;
    const size_t floats = toc_dop_floats(&grid->kind);
    float at_end[FEW * TOC_DOP_FLOATS_MOST];
    if (grid->bare) return;
    for (size_t v = from; v < end; v += FEW) {
        const size_t count = end - v < FEW ? end - v : FEW;
        toc_dop_of_points(&grid->kind, frame, count, b->step->x0 + 3 * v, grid->thickness,
                          grid->vertex_dops + v * floats);
        toc_dop_of_points(&grid->kind, frame, count, b->step->x1 + 3 * v, grid->thickness, at_end);
        toc_dop_join(&grid->kind, count, at_end, grid->vertex_dops + v * floats);
    }
}

// Bound consecutive primitives.
static void bound_grid_run(const toc_surface_grid *grid, size_t first, size_t count) {
    const uint32_t(*corners)[3] = (const uint32_t(*)[3])grid->corners + first;
    if (grid->bare)
        toc_packed_boxes(grid->motion.packed, grid->axes.grown[0], corners, count,
                         grid->boxes + first * TOC_BOX_FLOATS);
    else
        toc_dop_of_features(&grid->kind, grid->vertex_dops, corners[0], 3, count,
                            grid->primitive_dops + first * toc_dop_floats(&grid->kind));
}

static void bound_grid_primitives(grid_fit *b, size_t chunk) {
    toc_surface_grid *grid = b->grid;
    const size_t end = grid_round_end(chunk, grid->primitives.count);
    size_t run = chunk * CHUNK, resting = 0;
    for (size_t i = chunk * CHUNK; i <= end; i++) {
        const bool rests = i == end || toc_motion_rests(&grid->motion, grid->corners[i], 3);
        if (i < end && !rests) grid->stamps[i] = 0;
        if (!rests) continue;
        bound_grid_run(grid, run, i - run);
        run = i + 1;
        resting += i < end;
    }
    atomic_fetch_add(&b->resting, resting);
}

// Resting rings keep their flag.
static void test_grid_rings(const grid_fit *b, int size, size_t chunk) {
    toc_surface_grid *grid = b->grid;
    const size_t end = grid_round_end(chunk, grid->rings.of[size].count);
    const uint32_t *ring = grid->rings.of[size].rings + chunk * CHUNK * (size_t)(size + 1);
    bool rest = grid->rings_known;
    for (size_t i = chunk * CHUNK; i < end && rest; i++, ring += size + 1)
        rest = toc_motion_rests(&grid->motion, ring, size + 1);
    if (rest) return;
    const toc_ring_motion motion = {b->step->x0, b->step->x1, 1};
    toc_flat_rings_tell(&grid->rings, (toc_ring_range){size, chunk * CHUNK, end - chunk * CHUNK}, &motion, grid->flat);
}

// Rounds of primitives, then of rings.
static toc_status bound_grid_round(void *user, size_t index, int thread) {
    grid_fit *b = user;
    const toc_surface_grid *grid = b->grid;
    (void)thread;
    if (index < grid_rounds_of(grid->primitives.count)) {
        bound_grid_primitives(b, index);
        return TOC_OK;
    }
    index -= grid_rounds_of(grid->primitives.count);
    int size = TOC_RING_LEAST;
    while (index >= grid_rounds_of(grid->rings.of[size].count)) index -= grid_rounds_of(grid->rings.of[size++].count);
    assert(size <= TOC_RING_MOST);
    test_grid_rings(b, size, index);
    return TOC_OK;
}

// Whether to compare moving DOPs. Boxes alone always need them; swept DOPs only where primitives move far.
static bool choose_moving_dops(const toc_surface_grid *grid, const toc_step *step) {
    if (grid->bare || grid->published) return grid->bare;
    return toc_sweep_ratio(step, &grid->primitives, true) >= (grid->moving_dops ? TOC_SWEEP_STILL_FAR : TOC_SWEEP_FAR);
}

static toc_status bound_grid(toc_surface_grid *grid, const toc_step *step, const toc_surface_grid_form *form,
                             int threads, size_t *resting) {
    grid_fit b = {.grid = grid, .step = step, .rings = form->rings && !grid->published};
    const toc_motion_follower follower = {bound_grid_vertices, &b};
    if (grid->thickness != form->thickness && grid->thickness >= 0) forget_grid_motion(grid);
    grid->thickness = form->thickness;
    grid->moving_dops = choose_moving_dops(grid, step);
    if (toc_motion_follow(&grid->motion, step, &follower, threads)) {
        grid->form.cell = 0; // to be chosen again
        grid->rings_known = false;
    }
    grid->axes = toc_dop_axes_of(&grid->kind, toc_packed_grown(&grid->motion.frame, form->thickness, grid->motion.far));
    size_t rounds = grid_rounds_of(grid->primitives.count);
    for (int size = TOC_RING_LEAST; size <= TOC_RING_MOST && b.rings; size++)
        rounds += grid_rounds_of(grid->rings.of[size].count);
    TOC_TRY(toc_loop_run(&(toc_loop){.count = rounds, .threads = threads, .round = bound_grid_round, .user = &b}));
    grid->rings_known = b.rings;
    *resting = b.resting;
    return TOC_OK;
}

// ---- hashing

// List the primitives outside of the resting table, then those in it. No list stands for all of them in order, as long
// as that table was never filled. @return the number outside.
static size_t list_primitives(toc_surface_grid *grid) {
    size_t moving = 0, end = grid->primitives.count;
    if (grid->stamp == 0) return end;
    for (size_t i = 0; i < grid->primitives.count; i++) grid->list[grid->stamps[i] ? --end : moving++] = (uint32_t)i;
    return moving;
}

// Mark all resting primitives for the resting table.
static void stamp_resting(toc_surface_grid *grid) {
    grid->stamp++;
    for (size_t i = 0; i < grid->primitives.count; i++)
        grid->stamps[i] = toc_motion_rests(&grid->motion, grid->corners[i], 3) ? grid->stamp : 0;
}

// Cells suit the moving primitives, which are hashed in every step; or as published.
static void choose_cell(toc_surface_grid *grid, size_t moving) {
    const toc_hash_input input = {.kind = &grid->kind,
                                  .dops = grid->primitive_dops,
                                  .boxes = grid->boxes,
                                  .count = moving && !grid->published ? moving : grid->primitives.count,
                                  .ids = grid->stamp ? grid->list : NULL};
    grid->form = grid->published ? (toc_hash_form){toc_hash_longest(&input), false, TOC_HASH_PRIME, PAPER_VOXELS}
                                 : (toc_hash_form){toc_hash_cell(&input), true, TOC_HASH_BLOCKS, OURS_VOXELS};
}

// Hash a part of the list, if there is one, into a table, ready for primitives of the other one.
static toc_status hash_list(toc_surface_grid *grid, toc_hash *table, size_t from, size_t end, uint32_t beside,
                            int threads) {
    const bool resting = table == &grid->resting;
    assert(from <= end && end <= grid->primitives.count);
    const toc_hash_input input = {.kind = &grid->kind,
                                  .dops = grid->primitive_dops,
                                  .boxes = grid->boxes,
                                  .count = end - from,
                                  .all = grid->primitives.count,
                                  .beside = beside,
                                  .ids = grid->stamp ? grid->list + from : NULL,
                                  .stamps = resting ? grid->stamps : NULL,
                                  .stamp = resting ? grid->stamp : 0};
    return toc_hash_build(table, &grid->form, &input, threads);
}

// Hash the moving primitives, and the resting ones where enough of them are not in their table yet.
static toc_status hash_all(toc_pipeline *p, toc_surface_grid *grid, size_t resting) {
    const size_t count = grid->primitives.count;
    size_t moving = list_primitives(grid);
    assert(resting <= count && moving <= count);
    assert(resting >= count - moving); // the table of resting primitives holds no others
    const bool renew = (resting - (count - moving)) * TOC_REST_SHARE > count - moving;
    if (renew) {
        stamp_resting(grid);
        moving = list_primitives(grid);
        grid->unsettled = true;
    }
    grid->rest_count = count - moving;
    if (grid->published ? grid->form.cell == 0 : renew || moving == count) choose_cell(grid, moving);
    const uint32_t beside = grid->rest_count && !renew ? grid->resting.homes : 0;
    TOC_TRY(hash_list(grid, &grid->moving, 0, moving, beside, p->threads));
    if (renew) TOC_TRY(hash_list(grid, &grid->resting, moving, count, grid->moving.homes, p->threads));
    if (grid->rest_count) {
        TOC_TRY(toc_hash_admit(&grid->resting, grid->moving.homes, p->threads));
        TOC_TRY(toc_hash_admit(&grid->moving, grid->resting.homes, p->threads));
    }
    toc_pipeline_count(p, "bound", count, count - resting);
    toc_pipeline_count(p, "hash", renew ? count : moving,
                       grid->moving.items.count + (renew ? grid->resting.items.count : 0));
    return TOC_OK;
}

// ---- fitting

static bool grid_suits(const toc_surface_grid *grid, const toc_step *step, const toc_surface_grid_form *form) {
    return grid->version == step->version && grid->kind.k == form->kind.k && grid->published == form->published &&
           grid->bare == form->bare;
}

static toc_status make_and_fit_grid(toc_pipeline *p, const toc_surface_grid_form *form, toc_surface_grid **grid) {
    size_t resting;
    if (!*grid) TOC_TRY(make_grid(&p->request->scene->memory, p->step, form, p->threads, grid));
    TOC_TRY(bound_grid(*grid, p->step, form, p->threads, &resting));
    toc_pipeline_enter(p, "hash");
    return hash_all(p, *grid, resting);
}

toc_status toc_surface_grid_fit(toc_pipeline *pipeline, const toc_surface_grid_form *form) {
    toc_surface_grid *grid = (toc_surface_grid *)*pipeline->index;
    toc_pipeline_enter(pipeline, "bound");
    if (grid && !grid_suits(grid, pipeline->step, form)) {
        toc_surface_grid_free(grid);
        grid = NULL;
    }
    const toc_status status = make_and_fit_grid(pipeline, form, &grid);
    if (status != TOC_OK) {
        toc_surface_grid_free(grid);
        grid = NULL;
    }
    *pipeline->index = grid ? &grid->index : NULL;
    return status;
}
