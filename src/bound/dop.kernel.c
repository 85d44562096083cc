// SPDX-License-Identifier: Apache-2.0
// k-DOPs of many points and features, compiled for each instruction set. O(n), no allocation.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "bound/dop.h"
#include "bound/overlap.h"

// Bounds along as many directions as there are lanes.
typedef float bounds __attribute__((vector_size(4 * TOC_LANES)));

// Floats below x: rounding to nearest has an error of at most 2^-24 of the value, or a subnormal, which is less than
// the amount subtracted.
static TOC_INLINE void store_down(toc_wide x, float *to) {
    const toc_wide less = x - (toc_wide_abs(x) * toc_wide_all(0x1p-22) + toc_wide_all(FLT_MIN));
    const bounds down = __builtin_convertvector(less, bounds);
    memcpy(to, &down, sizeof down);
}
static TOC_INLINE void store_up(toc_wide x, float *to) {
    const toc_wide more = x + (toc_wide_abs(x) * toc_wide_all(0x1p-22) + toc_wide_all(FLT_MIN));
    const bounds up = __builtin_convertvector(more, bounds);
    memcpy(to, &up, sizeof up);
}

// The directions, coordinate by coordinate; slabs after the last one hold everything.
typedef struct axes {
    double of[3][16], open[16];
} axes;

static axes axes_of(const toc_dop_kind *kind) {
    axes a;
    memset(&a, 0, sizeof a);
    for (int d = 0; d < kind->directions; d++)
        for (int c = 0; c < 3; c++) a.of[c][d] = kind->axes[d][c];
    for (int d = kind->directions; d < 16; d++) a.open[d] = INFINITY;
    return a;
}

// The parameters of all points of a call.
typedef struct setting {
    axes axes;
    toc_frame frame;
    double grown;
} setting;

// A point in the frame. @return the error bound of any sum of its coordinates: each coordinate was rounded once when it
// was moved, each sum twice, and a subnormal one by less than 2^-1000.
static TOC_INLINE double in_frame(const toc_frame *frame, const double x[3], double p[3]) {
    double size = 0;
    for (int c = 0; c < 3; c++) {
        p[c] = (x[c] - frame->centre[c]) * frame->scale;
        size += fabs(p[c]);
    }
    return 2 * DBL_EPSILON * size + 0x1p-1000;
}

static TOC_INLINE void dop_of_point(const setting *s, int lanes, const double x[3], float *restrict dop) {
    double p[3];
    const double margin = s->grown + 2 * in_frame(&s->frame, x, p);
    for (int d = 0; d < lanes; d += TOC_LANES) {
        toc_wide along = toc_wide_load(s->axes.of[0] + d) * toc_wide_all(p[0]);
        along += toc_wide_load(s->axes.of[1] + d) * toc_wide_all(p[1]);
        along += toc_wide_load(s->axes.of[2] + d) * toc_wide_all(p[2]);
        const toc_wide room = toc_wide_load(s->axes.open + d) + toc_wide_all(margin);
        store_down(along - room, dop + d);
        store_up(along + room, dop + lanes + d);
    }
}

static setting setting_of(const toc_dop_kind *kind, const toc_frame *frame, double thickness) {
    // The directions are up to sqrt(3) long; twice the thickness covers that and its rounding. A margin of 2^100 holds
    // everything, and nothing must overflow.
    const double grown = thickness > 0 ? fmin(2 * thickness * frame->scale, 0x1p100) : 0;
    return (setting){axes_of(kind), *frame, grown};
}

static TOC_INLINE void points_by(const setting *s, int lanes, size_t count, const double *x, size_t stride,
                                 float *dops) {
    for (size_t i = 0; i < count; i++) dop_of_point(s, lanes, x + 3 * i, dops + i * stride);
}

static void dops_of_points(const toc_dop_kind *kind, const toc_frame *frame, size_t count, const double *x,
                           double thickness, size_t stride, float *dops) {
    const setting s = setting_of(kind, frame, thickness);
    kind->lanes == 8 ? points_by(&s, 8, count, x, stride, dops) : points_by(&s, 16, count, x, stride, dops);
}

// From vertices with `ends` DOPs each: as many DOPs for each feature, or one that holds all.
static TOC_INLINE void features_by(int lanes, int ends, int kept, const float *points, const toc_corners *of,
                                   float *dops) {
    const size_t floats = 2 * (size_t)lanes, from = floats * (size_t)ends, to = floats * (size_t)kept;
    for (size_t i = 0; i < of->count; i++) {
        const uint32_t *v = of->vertices + i * (size_t)of->each;
        float dop[2 * TOC_DOP_FLOATS_MOST];
        memcpy(dop, points + v[0] * from, to * sizeof *dop);
        if (kept < ends) toc_dop_hold(lanes, points + v[0] * from + floats, dop);
        for (int j = 1; j < of->each; j++)
            for (int end = 0; end < ends; end++)
                toc_dop_hold(lanes, points + v[j] * from + (size_t)end * floats,
                             dop + (kept > end ? (size_t)end * floats : 0));
        memcpy(dops + i * to, dop, to * sizeof *dop);
    }
}

static TOC_INLINE void features_of(int lanes, int ends, int kept, const float *points, const toc_corners *of,
                                   float *dops) {
    const toc_corners one = {of->vertices, 1, of->count}, two = {of->vertices, 2, of->count};
    const toc_corners three = {of->vertices, 3, of->count};
    if (of->each == 1)
        features_by(lanes, ends, kept, points, &one, dops);
    else if (of->each == 2)
        features_by(lanes, ends, kept, points, &two, dops);
    else if (of->each == 3)
        features_by(lanes, ends, kept, points, &three, dops);
    else
        features_by(lanes, ends, kept, points, of, dops);
}

// Compiled for each number of lanes and corners.
#define FEATURES(name, ends, kept)                                                                        \
    static void name(const toc_dop_kind *kind, const float *points, const toc_corners *of, float *dops) { \
        kind->lanes == 8 ? features_of(8, ends, kept, points, of, dops)                                   \
                         : features_of(16, ends, kept, points, of, dops);                                 \
    }
FEATURES(dops_of_features, 1, 1)
FEATURES(dops_of_moving, 2, 2)
FEATURES(dops_of_swept, 2, 1)

const toc_dop_kernel TOC_FOR_LANES(toc_dop_kernel) = {dops_of_points, dops_of_features, dops_of_moving, dops_of_swept};
