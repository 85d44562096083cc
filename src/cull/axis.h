// SPDX-License-Identifier: Apache-2.0
// What a fixed axis proves about vertices that move on straight lines.
//
// The gap of two such vertices along any axis is linear in time. Where it is positive at both ends it is positive all
// the way, and two convex sets with only positive gaps between their vertices never touch (volccd, Theorem 1). It does
// not matter where the axis came from, only that the signs are certain: a gap counts when it clears the margin.
#ifndef TOC_CULL_AXIS_H
#define TOC_CULL_AXIS_H

#include <float.h>

#include "base/vec.h"

enum { TOC_MOVING_MAX = 6 };

/// Up to six vertices at both ends of the step, relative to the first one at the start.
typedef struct toc_moving {
    toc_vec y0[TOC_MOVING_MAX], y1[TOC_MOVING_MAX];
    double size; ///< The largest coordinate in them.
} toc_moving;

static inline void toc_moving_set(toc_moving *moving, int count, const double x0[][3], const double x1[][3]) {
    const toc_vec origin = toc_vec_of(x0[0]);
    moving->size = 0;
    for (int i = 0; i < count; i++) {
        moving->y0[i] = toc_vec_sub(toc_vec_of(x0[i]), origin);
        moving->y1[i] = toc_vec_sub(toc_vec_of(x1[i]), origin);
        moving->size = toc_larger(moving->size, toc_larger(toc_vec_max(moving->y0[i]), toc_vec_max(moving->y1[i])));
    }
}

/// What a gap computed along the axis, at an end or between, must exceed to be positive in real arithmetic.
///
/// With u = 2^-53 and S = size |n|_1: a coordinate of `moving` is off by u, a dot product of it by 3u more, so a
/// projection by 4u S; a difference of two by 8u S and its own rounding, 2u S; the mix of two such gaps at a time by
/// 6u S more. 16u S in all; twice that is taken. DBL_MIN covers whatever underflows on the way; where anything could
/// overflow the margin is infinite, or NaN, and no gap clears it.
static inline double toc_axis_margin(const toc_moving *moving, toc_vec axis) {
    const double reach = 4 * moving->size * (fabs(axis.x) + fabs(axis.y) + fabs(axis.z));
    return 4 * DBL_EPSILON * reach + DBL_MIN;
}

#endif
