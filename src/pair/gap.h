// SPDX-License-Identifier: Apache-2.0
// The gap between two features along an axis, with a margin for rounding: if it is above 0, they are apart. Plain
// doubles, for the processor and for the kernels of a device, with the same bits.
#ifndef TOC_PAIR_GAP_H
#define TOC_PAIR_GAP_H

#include <math.h>
#include <stdbool.h>

#include "cull/axis.h"
#include "pair/distance.h"

/// The first vertex of the second feature of a pair.
static inline int toc_second_feature(toc_kind kind) { return kind == TOC_VF ? 1 : 2; }

static inline toc_vec gap_remove_along(toc_vec axis, toc_vec edge) {
    const double square = toc_vec_dot(edge, edge);
    if (!(square > 0)) return axis;
    return toc_vec_sub(axis, toc_vec_scale(edge, toc_vec_dot(axis, edge) / square));
}

// The edge of a feature between its two vertices of a weight; none where the closest point is a vertex or inside.
static inline bool gap_edge_of_weights(const toc_vec *x, const double *weights, int count, toc_vec *edge) {
    int at[3], used = 0;
    for (int i = 0; i < count; i++)
        if (weights[i] > 0) at[used++] = i;
    if (used != 2) return false;
    *edge = toc_vec_sub(x[at[1]], x[at[0]]);
    return true;
}

/// An axis for separating two features, from their closest points: the gap, made normal to the edges that hold these
/// points. Rounding turns the gap by u R / |gap|, R the extent; along the result, projections are off by u R only.
static inline toc_vec toc_gap_axis(toc_kind kind, const toc_vec x[4], const toc_closest *closest) {
    const int second = toc_second_feature(kind);
    toc_vec axis = closest->gap, edge;
    // Twice: the first pass leaves a rounding error of the gap's own direction, and with two edges the second edge
    // brings back some of the first.
    for (int pass = 0; pass < 2; pass++) {
        if (gap_edge_of_weights(x, closest->weights, second, &edge)) axis = gap_remove_along(axis, edge);
        if (gap_edge_of_weights(x + second, closest->weights + second, 4 - second, &edge))
            axis = gap_remove_along(axis, edge);
    }
    return axis;
}

/// The gap along an axis, times the length of the axis.
static inline double toc_gap_along(toc_kind kind, const toc_vec x[4], toc_vec axis) {
    const int second = toc_second_feature(kind);
    double first_end = -INFINITY, second_start = INFINITY;
    for (int i = 0; i < 4; i++) {
        const double along = toc_vec_dot(x[i], axis);
        if (i < second)
            first_end = toc_larger(first_end, along);
        else
            second_start = toc_smaller(second_start, along);
    }
    return second_start - first_end;
}

/// The same less all rounding: no more than the true one.
static inline double toc_gap_least(toc_kind kind, const toc_local_pair *local, toc_vec axis) {
    const toc_moving at = {.size = local->extent};
    return toc_gap_along(kind, local->x, axis) - toc_axis_margin(&at, axis);
}

/// Whether an axis proves that more than a limit, in the units of the pair, lies between the features. The product of
/// limit and length is off by less than 8 roundings; 2^-48 is 32 of them. The margin of the axis covers an underflow of
/// the limit.
static inline bool toc_gap_exceeds(toc_kind kind, const toc_local_pair *local, const toc_closest *closest,
                                   double limit) {
    const toc_vec axis = toc_gap_axis(kind, local->x, closest);
    const double wanted = limit * toc_vec_length(axis) * (1 + 0x1p-48);
    return toc_gap_least(kind, local, axis) > wanted;
}

#endif
