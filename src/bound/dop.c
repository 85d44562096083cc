// SPDX-License-Identifier: Apache-2.0
// k-DOPs of points and features. O(n), no allocation.
#include "bound/dop.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/backend.h"
#include "base/threads.h"
#include "bound/overlap.h"

// x y z, six face diagonals, four space diagonals.
static const int8_t all_axes[13][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},  {1, 1, 0},  {1, 0, 1},
                                       {0, 1, 1},  {1, -1, 0}, {1, 0, -1}, {0, 1, -1}, {1, 1, 1},
                                       {1, 1, -1}, {1, -1, 1}, {1, -1, -1}};

toc_status toc_dop_kind_make(int k, toc_dop_kind *out) {
    if (k != 6 && k != 14 && k != 16 && k != 18 && k != 26)
        return toc_fail(TOC_BAD_INPUT, "a k-DOP has 6, 14, 16, 18 or 26 sides, not %d", k);
    toc_dop_kind kind = {.k = k, .directions = k / 2, .lanes = k / 2 <= 8 ? 8 : 16};
    memcpy(kind.axes, all_axes, sizeof all_axes);
    if (k == 14) memcpy(kind.axes[3], all_axes[9], 4 * sizeof all_axes[0]); // the space diagonals instead
    *out = kind;
    return TOC_OK;
}

toc_frame toc_frame_of(const toc_box *box) {
    toc_frame frame = {.scale = 1};
    double size = 0;
    for (int c = 0; c < 3 && box->low[c] <= box->high[c]; c++) {
        frame.centre[c] = box->low[c] / 2 + box->high[c] / 2;
        size = fmax(size, box->high[c] / 2 - box->low[c] / 2);
    }
    int exponent;
    if (size > 0) {
        frexp(size, &exponent);
        // Beyond these the scale itself would not be a normal double.
        frame.scale = ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
    }
    return frame;
}

enum { GROUP = 12 }; // coordinates of four points: as many at a time as registers hold

// The least and the greatest of every GROUP-th coordinate.
typedef struct extremes {
    double low[GROUP], high[GROUP];
} extremes;

static inline void grow_extremes(extremes *e, size_t count, const double *x) {
    for (size_t i = 0; i < count; i++) {
        e->low[i] = x[i] < e->low[i] ? x[i] : e->low[i];
        e->high[i] = x[i] > e->high[i] ? x[i] : e->high[i];
    }
}

static void grow_by_all(extremes *e, size_t count, const double *x) {
    size_t i = 0;
    for (; i + GROUP <= count; i += GROUP) grow_extremes(e, GROUP, x + i);
    grow_extremes(e, count - i, x + i);
}

enum { FRAME_ROUNDS = 64, FRAME_ROUND = 8192 }; // most rounds; fewest points of a round

typedef struct frame_search {
    size_t count, round; // points, and those of a round
    const double *x0, *x1;
    extremes of[FRAME_ROUNDS];
} frame_search;

static toc_status grow_by_round(void *user, size_t index, int thread) {
    (void)thread;
    frame_search *s = user;
    const size_t first = index * s->round, last = first + s->round < s->count ? first + s->round : s->count;
    extremes e;
    for (int i = 0; i < GROUP; i++) e.low[i] = INFINITY, e.high[i] = -INFINITY;
    grow_by_all(&e, 3 * (last - first), s->x0 + 3 * first);
    grow_by_all(&e, 3 * (last - first), s->x1 + 3 * first);
    s->of[index] = e;
    return TOC_OK;
}

toc_frame toc_frame_around(size_t count, const double *x0, const double *x1, int threads) {
    frame_search s = {.count = count, .round = (count + FRAME_ROUNDS - 1) / FRAME_ROUNDS, .x0 = x0, .x1 = x1};
    if (s.round < FRAME_ROUND) s.round = FRAME_ROUND;
    const size_t rounds = (count + s.round - 1) / s.round;
    toc_loop_run(&(toc_loop){.count = rounds, .threads = threads, .round = grow_by_round, .user = &s});
    toc_box box = toc_box_empty();
    for (size_t i = 0; i < rounds * GROUP; i++) {
        box.low[i % 3] = fmin(box.low[i % 3], s.of[i / GROUP].low[i % GROUP]);
        box.high[i % 3] = fmax(box.high[i % 3], s.of[i / GROUP].high[i % GROUP]);
    }
    return toc_frame_of(&box);
}

float *toc_dops_new(toc_arena *arena, const toc_dop_kind *kind, size_t count) {
    return toc_arena_new(arena, count, toc_dop_floats(kind) * sizeof(float));
}

static const toc_dop_kernel *dop_kernel(void) { return toc_backend_here()->dop; }

void toc_dop_of_points(const toc_dop_kind *kind, const toc_frame *frame, size_t count, const double *x,
                       double thickness, float *dops) {
    assert(thickness >= 0);
    dop_kernel()->of_points(kind, frame, count, x, thickness, toc_dop_floats(kind), dops);
}

void toc_dop_of_moving_points(const toc_dop_kind *kind, const toc_frame *frame, size_t count, const double *x0,
                              const double *x1, double thickness, float *dops) {
    assert(thickness >= 0);
    const size_t floats = toc_dop_floats(kind);
    dop_kernel()->of_points(kind, frame, count, x0, thickness, 2 * floats, dops);
    dop_kernel()->of_points(kind, frame, count, x1, thickness, 2 * floats, dops + floats);
}

void toc_dop_join(const toc_dop_kind *kind, size_t count, const float *other, float *dops) {
    const size_t floats = toc_dop_floats(kind);
    for (size_t i = 0; i < count; i++) toc_dop_hold(kind->lanes, other + i * floats, dops + i * floats);
}

void toc_dop_of_features(const toc_dop_kind *kind, const float *points, const uint32_t *vertices, int corners,
                         size_t count, float *dops) {
    dop_kernel()->of_features(kind, points, &(toc_corners){vertices, corners, count}, dops);
}

void toc_dop_of_moving(const toc_dop_kind *kind, const float *points, const uint32_t *vertices, int corners,
                       size_t count, float *dops) {
    dop_kernel()->of_moving(kind, points, &(toc_corners){vertices, corners, count}, dops);
}

void toc_dop_of_swept(const toc_dop_kind *kind, const float *points, const uint32_t *vertices, int corners,
                      size_t count, float *dops) {
    dop_kernel()->of_swept(kind, points, &(toc_corners){vertices, corners, count}, dops);
}
