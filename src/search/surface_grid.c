// SPDX-License-Identifier: Apache-2.0
// Bounding what moved and hashing it.
#include "search/surface_grid.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/threads.h"
#include "base/vec.h"

enum {
    CHUNK = 1024, // vertices, primitives or fans of a round
    LATE = 8,     // of what rests, so small a part stays with what moves rather than have all hashed anew
};
static const double OURS_VOXELS = 0.5; // for each primitive; twice as many are no better
static const double PAPER_VOXELS = 0.2;
static const double FAR_SWEEP = 1.8; // times the extent of primitives: from there on moving DOPs pay,
static const double STILL_FAR = 1.5; // and down to here they are kept: all is bounded anew when they come

// ---- making

static float *new_dops(toc_surface_grid *h, size_t count) { return toc_dops_new(&h->arena, &h->kind, count); }

static toc_status allocate(toc_surface_grid *h) {
    const size_t count = h->primitives.count, vertices = h->features.vertex_count;
    h->corners = toc_arena_new(&h->arena, count, sizeof *h->corners);
    h->flat = toc_arena_new(&h->arena, vertices, sizeof *h->flat);
    h->stamps = toc_arena_new(&h->arena, count, sizeof *h->stamps);
    h->list = toc_arena_new(&h->arena, count, sizeof *h->list);
    h->vertex_dops = new_dops(h, vertices);
    h->primitive_dops = new_dops(h, count);
    const bool all = h->corners && h->flat && h->stamps && h->list && h->vertex_dops && h->primitive_dops;
    return all ? toc_motion_make(&h->arena, vertices, &h->motion) : TOC_OUT_OF_MEMORY;
}

static void place_corners(toc_surface_grid *h) {
    for (size_t i = 0; i < h->primitives.count; i++) {
        const uint32_t *v = h->primitives.at[i].vertices;
        for (int j = 0; j < 3; j++) h->corners[i][j] = v[j] != UINT32_MAX ? v[j] : v[0];
    }
}

// Nothing is known of any step.
static void forget(toc_surface_grid *h) {
    memset(h->flat, 0, h->features.vertex_count);
    toc_motion_forget(&h->motion);
    memset(h->stamps, 0, h->primitives.count * sizeof *h->stamps);
}

static toc_status make(const toc_allocator *allocator, const toc_step *step, const toc_surface_grid_form *form,
                       toc_surface_grid **out) {
    toc_surface_grid *h = toc_new(allocator, 1, sizeof *h);
    if (!h) return TOC_OUT_OF_MEMORY;
    *out = h;
    h->allocator = *allocator;
    h->version = step->version;
    h->kind = form->kind;
    h->published = form->published;
    h->arena = toc_arena_make(allocator);
    h->moving = toc_hash_make(allocator);
    h->resting = toc_hash_make(allocator);
    h->features = toc_step_features(step);
    h->thickness = -1;
    h->primitives = step->primitives;
    h->fans = step->fans;
    TOC_TRY(allocate(h));
    forget(h);
    place_corners(h);
    if (h->published) return TOC_OK;
    return toc_representatives_assign(&h->arena, &h->features, &h->primitives, NULL, &h->owners);
}

void toc_surface_grid_free(toc_surface_grid *h) {
    if (!h) return;
    const toc_allocator allocator = h->allocator;
    toc_hash_free(&h->moving);
    toc_hash_free(&h->resting);
    toc_array_free(&allocator, &h->resting_pairs);
    toc_arena_free(&h->arena);
    toc_free(&allocator, h, 1, sizeof *h);
}

// ---- bounding

typedef struct bounding {
    toc_surface_grid *h;
    const toc_step *step;
    bool fans;
    atomic_size_t resting; // primitives
} bounding;

static size_t rounds_of(size_t count) { return (count + CHUNK - 1) / CHUNK; }

static size_t end_of(size_t chunk, size_t count) { return (chunk + 1) * CHUNK < count ? (chunk + 1) * CHUNK : count; }

static void bound_vertices(void *user, size_t from, size_t end) {
    enum { FEW = 64 };
    const bounding *b = user;
    toc_surface_grid *h = b->h;
    const toc_frame *frame = &h->motion.frame;
    const size_t floats = toc_dop_floats(&h->kind);
    float at_end[FEW * TOC_DOP_FLOATS_MOST];
    for (size_t v = from; v < end; v += FEW) {
        const size_t count = end - v < FEW ? end - v : FEW;
        toc_dop_of_points(&h->kind, frame, count, b->step->x0 + 3 * v, h->thickness, h->vertex_dops + v * floats);
        toc_dop_of_points(&h->kind, frame, count, b->step->x1 + 3 * v, h->thickness, at_end);
        toc_dop_join(&h->kind, count, at_end, h->vertex_dops + v * floats);
    }
    if (!h->has_ends || from == end) return;
    toc_dop_of_moving_points(&h->kind, frame, end - from, b->step->x0 + 3 * from, b->step->x1 + 3 * from, h->thickness,
                             h->vertex_ends + 2 * from * floats);
}

static void bound_primitives(bounding *b, size_t chunk) {
    toc_surface_grid *h = b->h;
    const size_t floats = toc_dop_floats(&h->kind), end = end_of(chunk, h->primitives.count);
    size_t run = chunk * CHUNK, resting = 0;
    for (size_t i = chunk * CHUNK; i <= end; i++) {
        const bool rests = i == end || toc_motion_rests(&h->motion, h->corners[i], 3);
        if (i < end && !rests) h->stamps[i] = 0;
        if (!rests) continue;
        toc_dop_of_features(&h->kind, h->vertex_dops, h->corners[run], 3, i - run, h->primitive_dops + run * floats);
        if (h->has_ends)
            toc_dop_of_moving(&h->kind, h->vertex_ends, h->corners[run], 3, i - run,
                              h->primitive_ends + 2 * run * floats);
        run = i + 1;
        resting += i < end;
    }
    atomic_fetch_add(&b->resting, resting);
}

// Fans that rest are as flat as they were.
static void look_at_fans(const bounding *b, int size, size_t chunk) {
    toc_surface_grid *h = b->h;
    const size_t end = end_of(chunk, h->fans.of[size].count);
    const uint32_t *ring = h->fans.of[size].rings + chunk * CHUNK * (size_t)(size + 1);
    bool rest = h->told;
    for (size_t i = chunk * CHUNK; i < end && rest; i++, ring += size + 1)
        rest = toc_motion_rests(&h->motion, ring, size + 1);
    if (rest) return;
    const toc_ring_motion motion = {b->step->x0, b->step->x1, 1};
    toc_flat_rings_tell(&h->fans, (toc_ring_range){size, chunk * CHUNK, end - chunk * CHUNK}, &motion, h->flat);
}

// Rounds of primitives, then of fans.
static toc_status bound_rest(void *user, size_t index, int thread) {
    bounding *b = user;
    const toc_surface_grid *h = b->h;
    (void)thread;
    if (index < rounds_of(h->primitives.count)) {
        bound_primitives(b, index);
        return TOC_OK;
    }
    index -= rounds_of(h->primitives.count);
    int size = TOC_FAN_LEAST;
    while (index >= rounds_of(h->fans.of[size].count)) index -= rounds_of(h->fans.of[size++].count);
    look_at_fans(b, size, index);
    return TOC_OK;
}

// Extents of a primitive along x, y and z together: at the start, and of all that it sweeps.
static void measure(const toc_step *step, const uint32_t corners[3], double *still, double *swept) {
    *still = *swept = 0;
    for (size_t c = 0; c < 3; c++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int j = 0; j < 6; j++) {
            const double x = (j < 3 ? step->x0 : step->x1)[3 * (size_t)corners[j % 3] + c];
            for (int all = j / 3; all < 2; all++) low[all] = fmin(low[all], x), high[all] = fmax(high[all], x);
        }
        *still += high[0] - low[0];
        *swept += high[1] - low[1];
    }
}

// How many times their own extent primitives that move sweep, on average, by a sample of all.
static double sweep_of(const toc_surface_grid *h, const toc_step *step) {
    enum { SAMPLE = 1024 };
    double still = 0, swept = 0;
    const size_t stride = h->primitives.count / SAMPLE + 1;
    for (size_t i = 0; i < h->primitives.count; i += stride) {
        double before, all;
        measure(step, h->corners[i], &before, &all);
        if (all > before) still += before, swept += all;
    }
    return still > 0 ? swept / still : 1;
}

// Have moving DOPs from now on, or no more.
static toc_status choose_ends(toc_surface_grid *h, const toc_step *step) {
    const bool wanted = !h->published && sweep_of(h, step) >= (h->has_ends ? STILL_FAR : FAR_SWEEP);
    if (wanted && !h->has_ends) forget(h);
    if (wanted && !h->vertex_ends) {
        h->vertex_ends = new_dops(h, 2 * h->features.vertex_count);
        h->primitive_ends = new_dops(h, 2 * h->primitives.count);
    }
    h->has_ends = wanted && h->vertex_ends && h->primitive_ends;
    return wanted == h->has_ends ? TOC_OK : TOC_OUT_OF_MEMORY;
}

static toc_status bound(toc_surface_grid *h, const toc_step *step, const toc_surface_grid_form *form, int threads,
                        size_t *resting) {
    bounding b = {.h = h, .step = step, .fans = form->fans && !h->published};
    const toc_motion_follower follower = {bound_vertices, &b};
    if (h->thickness != form->thickness) forget(h);
    h->thickness = form->thickness;
    TOC_TRY(choose_ends(h, step));
    if (toc_motion_follow(&h->motion, step, &follower, threads)) {
        h->form.cell = 0; // to be chosen anew
        h->told = false;
    }
    size_t rounds = rounds_of(h->primitives.count);
    for (int size = TOC_FAN_LEAST; size <= TOC_FAN_MOST && b.fans; size++) rounds += rounds_of(h->fans.of[size].count);
    TOC_TRY(toc_loop_run(&(toc_loop){.count = rounds, .threads = threads, .round = bound_rest, .user = &b}));
    h->told = b.fans;
    *resting = b.resting;
    return TOC_OK;
}

// ---- hashing

// List the primitives that are not in the table of what rests, and behind them those that are. @return how many are
// not.
static size_t list_primitives(toc_surface_grid *h) {
    size_t moving = 0, end = h->primitives.count;
    for (size_t i = 0; i < h->primitives.count; i++) h->list[h->stamps[i] ? --end : moving++] = (uint32_t)i;
    return moving;
}

// Whatever rests is to be in that table.
static void stamp_resting(toc_surface_grid *h) {
    h->stamp++;
    for (size_t i = 0; i < h->primitives.count; i++)
        h->stamps[i] = toc_motion_rests(&h->motion, h->corners[i], 3) ? h->stamp : 0;
}

// As what moves wants them, which is put in again and again, or as published.
static void choose_cell(toc_surface_grid *h, size_t moving) {
    const toc_hash_input input = {.kind = &h->kind,
                                  .dops = h->primitive_dops,
                                  .count = moving && !h->published ? moving : h->primitives.count,
                                  .ids = h->list};
    h->form = h->published ? (toc_hash_form){toc_hash_longest(&input), false, TOC_HASH_PRIME, PAPER_VOXELS}
                           : (toc_hash_form){toc_hash_cell(&input), true, TOC_HASH_BLOCKS, OURS_VOXELS};
}

// Put a part of the list into a table, ready for primitives of the other one.
static toc_status hash_list(toc_surface_grid *h, toc_hash *table, size_t from, size_t end, uint32_t beside,
                            int threads) {
    const bool resting = table == &h->resting;
    const toc_hash_input input = {.kind = &h->kind,
                                  .dops = h->primitive_dops,
                                  .count = end - from,
                                  .all = h->primitives.count,
                                  .beside = beside,
                                  .ids = h->list + from,
                                  .stamps = resting ? h->stamps : NULL,
                                  .stamp = resting ? h->stamp : 0};
    return toc_hash_build(table, &h->form, &input, threads);
}

// What moves anew; what rests where enough of it is not in its table yet.
static toc_status hash_all(toc_surface_grid *h, size_t resting, int threads, toc_surface_grid_update *how) {
    const size_t count = h->primitives.count;
    size_t moving = list_primitives(h);
    const bool renew = (resting - (count - moving)) * LATE > count - moving;
    if (renew) {
        stamp_resting(h);
        moving = list_primitives(h);
        h->is_new = true;
    }
    h->rest_count = count - moving;
    if (h->published ? h->form.cell == 0 : renew || moving == count) choose_cell(h, moving);
    const uint32_t beside = h->rest_count && !renew ? h->resting.homes : 0;
    TOC_TRY(hash_list(h, &h->moving, 0, moving, beside, threads));
    if (renew) TOC_TRY(hash_list(h, &h->resting, moving, count, h->moving.homes, threads));
    if (h->rest_count) {
        TOC_TRY(toc_hash_admit(&h->resting, h->moving.homes, threads));
        TOC_TRY(toc_hash_admit(&h->moving, h->resting.homes, threads));
    }
    how->bounded = count - resting;
    how->hashed = renew ? count : moving;
    how->items = h->moving.items.count + (renew ? h->resting.items.count : 0);
    return TOC_OK;
}

// ---- both

static toc_status fit(toc_surface_grid *h, const toc_step *step, const toc_surface_grid_form *form, int threads,
                      toc_surface_grid_update *how) {
    const double start = toc_seconds();
    size_t resting;
    TOC_TRY(bound(h, step, form, threads, &resting));
    const double bounded = toc_seconds();
    TOC_TRY(hash_all(h, resting, threads, how));
    how->bound_seconds = bounded - start;
    how->hash_seconds = toc_seconds() - bounded;
    return TOC_OK;
}

static bool suits(const toc_surface_grid *h, const toc_step *step, const toc_surface_grid_form *form) {
    return h->version == step->version && h->kind.k == form->kind.k && h->published == form->published;
}

toc_status toc_surface_grid_fit(const toc_allocator *allocator, const toc_step *step, const toc_surface_grid_form *form,
                                int threads, toc_surface_grid **hashed, toc_surface_grid_update *how) {
    if (*hashed && !suits(*hashed, step, form)) {
        toc_surface_grid_free(*hashed);
        *hashed = NULL;
    }
    toc_status status = *hashed ? TOC_OK : make(allocator, step, form, hashed);
    if (status == TOC_OK) status = fit(*hashed, step, form, threads, how);
    if (status != TOC_OK) {
        toc_surface_grid_free(*hashed);
        *hashed = NULL;
    }
    return status;
}
