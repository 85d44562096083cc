// SPDX-License-Identifier: Apache-2.0
// Pack vertices for the prefilter, and prepare the work of its kernels. O(n), a few ns a vertex.
#include "pair/prefilter.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "base/backend.h"

typedef struct body {
    size_t count;
    const double *x0, *x1;
} body;

static toc_status pack_bodies(toc_arena *arena, const body bodies[2], int body_count, toc_prefilter *out) {
    toc_box box = toc_box_empty();
    for (int b = 0; b < body_count; b++)
        for (size_t i = 0; i < bodies[b].count; i++)
            toc_box_put(&box, bodies[b].x0 + 3 * i), toc_box_put(&box, bodies[b].x1 + 3 * i);
    const toc_frame frame = toc_frame_of(&box);
    toc_prefilter prefilter = {.scale = frame.scale};
    for (int b = 0; b < body_count; b++) {
        toc_packed *packed = toc_arena_new(arena, bodies[b].count, sizeof *packed);
        if (!packed) return TOC_OUT_OF_MEMORY;
        if (!(toc_packed_set(&frame, bodies[b].count, bodies[b].x0, bodies[b].x1, packed) <= 1)) return TOC_OK;
        prefilter.bodies[b] = packed;
    }
    if (body_count == 1) prefilter.bodies[1] = prefilter.bodies[0];
    *out = prefilter;
    return TOC_OK;
}

toc_status toc_prefilter_make(toc_arena *arena, size_t count, const double *x0, const double *x1, toc_prefilter *out) {
    const body bodies[2] = {{count, x0, x1}};
    *out = (toc_prefilter){0};
    return pack_bodies(arena, bodies, 1, out);
}

static uint32_t largest(size_t count, const uint32_t *ids) {
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++) most = ids[i] > most ? ids[i] : most;
    return most;
}

// The number of vertices of the two bodies to which the pairs may refer.
static void count_vertices(const toc_pair_batch *batch, size_t counts[2]) {
    const size_t first = batch->kind == TOC_VF ? 1 : 2;
    uint32_t most[2] = {0, 0};
    for (size_t i = 0; i < batch->count; i++) {
        const uint32_t a = largest(first, batch->vertices[i]), b = largest(4 - first, batch->vertices[i] + first);
        most[0] = a > most[0] ? a : most[0], most[1] = b > most[1] ? b : most[1];
    }
    counts[0] = (size_t)most[0] + 1, counts[1] = (size_t)most[1] + 1;
}

toc_status toc_prefilter_make_for(toc_arena *arena, const toc_pair_batch *batch, toc_prefilter *out) {
    const bool same = batch->body0[0] == batch->body0[1] && batch->body1[0] == batch->body1[1];
    size_t counts[2] = {batch->vertex_count[0], batch->vertex_count[1]};
    *out = (toc_prefilter){0};
    if (!counts[0] || !counts[1]) count_vertices(batch, counts);
    if (same) counts[0] = counts[0] > counts[1] ? counts[0] : counts[1], counts[1] = 0;
    // Packing a vertex costs about as much as the prefilter saves for a pair.
    if (counts[0] + counts[1] > batch->count) return TOC_OK;
    const body bodies[2] = {{counts[0], batch->body0[0], batch->body1[0]},
                            {counts[1], batch->body0[1], batch->body1[1]}};
    return pack_bodies(arena, bodies, same ? 1 : 2, out);
}

// The nearest float is off by 2^-24 of itself; a tiny value could lose more.
static float float_below(double t) { return t > 0x1p-100 ? (float)(t * (1 - 0x1p-22)) : 0; }
static float float_above(double t) { return t > 0x1p-100 ? (float)(t * (1 + 0x1p-22)) : 0x1p-100f; }

toc_prefilter_work toc_prefilter_work_of(const toc_prefilter *prefilter, const toc_pair_batch *pairs,
                                         const toc_pair_test *test) {
    assert(pairs->vertices && (pairs->kind == TOC_VF || pairs->kind == TOC_EE));
    assert(0 <= test->from && test->from <= test->to && test->to <= 1);
    assert(test->tolerance >= 0 && test->separation >= 0);
    // No two points are farther apart than 4, so a larger distance needs no float.
    const double distance = fmin((test->tolerance + test->separation) * prefilter->scale, 4);
    return (toc_prefilter_work){.kind = pairs->kind,
                                .count = pairs->count,
                                .vertices = pairs->vertices,
                                .bodies = {prefilter->bodies[0], prefilter->bodies[1]},
                                .distance = float_above(distance),
                                .from = float_below(test->from),
                                .to = fminf(float_above(test->to), 1)};
}

size_t toc_prefilter_at(const toc_backend *backend, const toc_prefilter *prefilter, const toc_pair_batch *pairs,
                        const toc_pair_test *test, uint32_t *rest) {
    const toc_prefilter_work work = toc_prefilter_work_of(prefilter, pairs, test);
    if (prefilter->bodies[0]) return backend->prefilter(&work, rest);
    for (size_t i = 0; i < pairs->count; i++) rest[i] = (uint32_t)i;
    return pairs->count;
}
