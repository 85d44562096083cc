// SPDX-License-Identifier: Apache-2.0
// Axis-aligned boxes of features swept over the step.
//
// A vertex moves on a straight line, so the box of its two ends holds its whole path, exactly: minimum and maximum do
// not round (docs/guarantees.md, G1).
#ifndef TOC_BOUND_BOX_H
#define TOC_BOUND_BOX_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct toc_box {
    double low[3], high[3];
} toc_box;

/// The empty box.
static inline toc_box toc_box_empty(void) {
    return (toc_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline void toc_box_put(toc_box *box, const double x[3]) {
    for (int k = 0; k < 3; k++) {
        if (x[k] < box->low[k]) box->low[k] = x[k];
        if (x[k] > box->high[k]) box->high[k] = x[k];
    }
}

/// Whether two boxes overlap. Touching boxes do.
static inline bool toc_box_overlaps(const toc_box *a, const toc_box *b) {
    for (int k = 0; k < 3; k++)
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
    return true;
}

/// Set the boxes that features of `corners` vertices each sweep from x0 to x1 (3 doubles for each vertex).
void toc_box_sweep(const double *x0, const double *x1, const uint32_t *vertices, int corners, size_t count,
                   toc_box *boxes);

/// Extend each box to the control points of its feature's parabolas. Paths stay within the hull of these points.
void toc_box_grow(const double *control, const uint32_t *vertices, int corners, size_t count, toc_box *boxes);
/// Grow each box by a distance on all sides, rounded outward.
void toc_box_thicken(double distance, size_t count, toc_box *boxes);

#endif
