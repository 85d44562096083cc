// SPDX-License-Identifier: Apache-2.0
// The gap between two convex sets along an axis, and a good axis for it.
#ifndef TOC_CONVEX_GJK_H
#define TOC_CONVEX_GJK_H

#include <stdbool.h>

#include "base/vec.h"

enum {
    TOC_GAP_CORNERS = 8, // of one hull
    TOC_GAP_SETS = 3     // pairs of hulls in one search: the control points of a path
};

/// Pairs of point sets A and B, at most three of them. The search is for the hull of all differences b - a within each
/// pair. An axis on which all differences are positive keeps every pair apart, and every blend of the pairs.
typedef struct toc_gap {
    int sets, count[2];
    double at[TOC_GAP_SETS][2][3]
             [TOC_GAP_CORNERS]; // [set][A or B][x, y, z][corner]; about 1 in size, finite past the count too
    toc_vec extent;             // no coordinate of any set is larger
    double separation;          // a gap is positive above this, in units of `at`
} toc_gap;

/// Coordinates are off by at most 8 roundings of their extent, the rest is the dot product's: 11 on each side, one for
/// the difference. 32 of them leave room for the rounding of the bound itself.
#define TOC_GAP_ERROR 0x1p-48

/// (x, y, z) . axis of the corners of one side, four at a time.
static inline void toc_gap_project(const double at[3][TOC_GAP_CORNERS], int count, toc_vec axis,
                                   double out[TOC_GAP_CORNERS]) {
    for (int first = 0; first < count; first += 4)
        for (int i = first; i < first + 4; i++) out[i] = at[0][i] * axis.x + at[1][i] * axis.y + at[2][i] * axis.z;
}

/// The most by which a computed gap, the smallest (b - a).axis of all pairs, can be too large, the separation included.
double toc_gap_slack(const toc_gap *gap, toc_vec axis);

/// The result of a search. Only `lower` is certain: if positive, the pairs are apart by the separation, in real
/// numbers.
typedef struct toc_gjk {
    toc_vec axis;    // the best one seen, from A to B, not normalised; never zero
    double lower;    // lower bound of the gap on it, in units of distance
    double distance; // between the hulls, to the accuracy of floating point
    bool inside;     // the search enclosed the origin: the hulls seem to overlap
    int size;        // of the simplex nearest to the origin, 1 to 4
    toc_vec w[4];
    double weights[4];                  // its points b - a, and the nearest point in terms of them
    unsigned char set[4], corner[2][4]; // the corners of each w
} toc_gjk;

/// Find the vector from A to B that is nearest to the origin. Ends after few rounds on any input.
/// @param first an axis to begin with; any axis is valid.
/// @param any stop at the first axis that certainly separates, however far from the nearest.
void toc_gjk_find(const toc_gap *gap, toc_vec first, bool any, toc_gjk *out);

/// Whether the simplex certainly holds the origin, so that the hulls share a point. For toc_gap with one set.
bool toc_gjk_certainly_inside(const toc_gap *gap, const toc_gjk *found);

#endif
