// SPDX-License-Identifier: Apache-2.0
// k-DOPs of points and features. O(n), no allocation.
#include "bound/dop.h"

#include <float.h>
#include <math.h>
#include <string.h>

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

static void grow(double low[3], double high[3], size_t count, const double *x) {
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
            low[c] = fmin(low[c], x[3 * i + (size_t)c]);
            high[c] = fmax(high[c], x[3 * i + (size_t)c]);
        }
}

toc_frame toc_frame_around(size_t count, const double *x0, const double *x1) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    toc_frame frame = {.scale = 1};
    grow(low, high, count, x0);
    grow(low, high, count, x1);
    double size = 0;
    for (int c = 0; c < 3 && count; c++) {
        frame.centre[c] = low[c] / 2 + high[c] / 2;
        size = fmax(size, high[c] / 2 - low[c] / 2);
    }
    int exponent;
    if (size > 0) {
        frexp(size, &exponent);
        // beyond these the scale itself would not be a normal double
        frame.scale = ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
    }
    return frame;
}

// A float below x, one above: the nearest one is off by 2^-24 of itself at most, or by a subnormal.
static inline float float_down(double x) {
    const float f = (float)x;
    return f - (fabsf(f) * 0x1p-22f + FLT_MIN);
}
static inline float float_up(double x) { return -float_down(-x); }

// A point in the frame, and how far any sum of its coordinates may be off: each was rounded once when it was moved,
// each sum twice, and a subnormal one by less than 2^-1000.
static double in_frame(const toc_frame *frame, const double x[3], double p[3]) {
    double size = 0;
    for (int c = 0; c < 3; c++) {
        p[c] = (x[c] - frame->centre[c]) * frame->scale;
        size += fabs(p[c]);
    }
    return 2 * DBL_EPSILON * size + 0x1p-1000;
}

static void dop_of_point(const toc_dop_kind *kind, const double p[3], double margin, float *dop) {
    for (int d = 0; d < kind->directions; d++) {
        const int8_t *axis = kind->axes[d];
        const double along = axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2];
        dop[d] = float_down(along - margin);
        dop[kind->lanes + d] = float_up(along + margin);
    }
    for (int d = kind->directions; d < kind->lanes; d++) {
        dop[d] = -INFINITY;
        dop[kind->lanes + d] = INFINITY;
    }
}

void toc_dop_of_points(const toc_dop_kind *kind, const toc_frame *frame, size_t count, const double *x,
                       double thickness, float *dops) {
    // The directions are up to sqrt(3) long, so the thickness counts as much as twice; its own rounding is in there,
    // too. Beyond 2^100 it holds everything anyway, and must not overflow.
    const double grown = thickness > 0 ? fmin(2 * thickness * frame->scale, 0x1p100) : 0;
    for (size_t i = 0; i < count; i++) {
        double p[3];
        const double error = in_frame(frame, x + 3 * i, p);
        dop_of_point(kind, p, grown + 2 * error, dops + i * toc_dop_floats(kind));
    }
}

static void join(int lanes, const float *restrict other, float *restrict dop) {
    for (int d = 0; d < lanes; d++) dop[d] = other[d] < dop[d] ? other[d] : dop[d];
    for (int d = lanes; d < 2 * lanes; d++) dop[d] = other[d] > dop[d] ? other[d] : dop[d];
}

void toc_dop_join(const toc_dop_kind *kind, size_t count, const float *other, float *dops) {
    const size_t floats = toc_dop_floats(kind);
    for (size_t i = 0; i < count; i++) join(kind->lanes, other + i * floats, dops + i * floats);
}

void toc_dop_of_features(const toc_dop_kind *kind, const float *points, const uint32_t *vertices, int corners,
                         size_t count, float *dops) {
    const size_t floats = toc_dop_floats(kind);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *v = vertices + i * (size_t)corners;
        float *dop = dops + i * floats;
        memcpy(dop, points + v[0] * floats, floats * sizeof *dop);
        for (int j = 1; j < corners; j++) join(kind->lanes, points + v[j] * floats, dop);
    }
}
