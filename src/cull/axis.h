// SPDX-License-Identifier: Apache-2.0
// Separation along a fixed axis, for vertices that move on straight lines.
//
// The gap of two such vertices along any axis is linear in time. If it is positive at both ends of the step, it is
// positive throughout, and two convex sets with only positive gaps between their vertices never touch (Tang et al.
// 2011, "VolCCD", Theorem 1). Any axis is valid; only the signs must be certain. A gap counts if it exceeds the margin.
#ifndef TOC_CULL_AXIS_H
#define TOC_CULL_AXIS_H

#include <assert.h>
#include <float.h>

#include "base/vec.h"

enum { TOC_MOVING_MAX = 6 };

/// Up to six vertices at both ends of the step, relative to the first one at the start.
typedef struct toc_moving {
    toc_vec y0[TOC_MOVING_MAX], y1[TOC_MOVING_MAX];
    double size; ///< The largest absolute coordinate.
} toc_moving;

static inline void toc_moving_set(toc_moving *moving, int count, const double x0[][3], const double x1[][3]) {
    assert(count > 0 && count <= TOC_MOVING_MAX);
    const toc_vec origin = toc_vec_of(x0[0]);
    moving->size = 0;
    for (int i = 0; i < count; i++) {
        moving->y0[i] = toc_vec_sub(toc_vec_of(x0[i]), origin);
        moving->y1[i] = toc_vec_sub(toc_vec_of(x1[i]), origin);
        moving->size = toc_larger(moving->size, toc_larger(toc_vec_max(moving->y0[i]), toc_vec_max(moving->y1[i])));
    }
}

/// The margin: a gap computed along the axis, at an end or between, is positive in real arithmetic if it exceeds this.
///
/// With u = 2^-53 and S = size |n|_1: a coordinate of `moving` has an error of u, its dot product 3u more, so a
/// projection has 4u S; a difference of two has 8u S and its own rounding, 2u S; the mix of two such gaps at a time has
/// 6u S more. The sum is 16u S; the margin is twice that. DBL_MIN covers underflow. If anything could overflow, the
/// margin is infinite or NaN, and no gap exceeds it.
static inline double toc_axis_margin(const toc_moving *moving, toc_vec axis) {
    const double reach = 4 * moving->size * (fabs(axis.x) + fabs(axis.y) + fabs(axis.z));
    return 4 * DBL_EPSILON * reach + DBL_MIN;
}

#endif
