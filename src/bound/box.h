// SPDX-License-Identifier: Apache-2.0
// Axis-aligned boxes of what a feature sweeps over the step.
//
// A vertex moves on a straight line, so the box of its two ends holds all of its path, exactly: minimum and maximum
// do not round (docs/guarantees.md, G1).
#ifndef TOC_BOUND_BOX_H
#define TOC_BOUND_BOX_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct toc_box {
    double low[3], high[3];
} toc_box;

/// The box of nothing: everything put in makes it larger.
static inline toc_box toc_box_empty(void) {
    return (toc_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline void toc_box_put(toc_box *box, const double x[3]) {
    for (int k = 0; k < 3; k++) {
        if (x[k] < box->low[k]) box->low[k] = x[k];
        if (x[k] > box->high[k]) box->high[k] = x[k];
    }
}

/// Touching boxes overlap.
static inline bool toc_box_overlaps(const toc_box *a, const toc_box *b) {
    for (int k = 0; k < 3; k++)
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
    return true;
}

/// The boxes that features of `corners` vertices each sweep from x0 to x1 (3 doubles a vertex).
void toc_box_sweep(const double *x0, const double *x1, const uint32_t *vertices, int corners, size_t count,
                   toc_box *boxes);

/// Let each box hold the control points of its feature's parabolas, too: paths stay within the hull of their points.
void toc_box_grow(const double *control, const uint32_t *vertices, int corners, size_t count, toc_box *boxes);
/// Let each box hold what is within a distance of it, too, rounded outward.
void toc_box_thicken(double distance, size_t count, toc_box *boxes);

#endif
