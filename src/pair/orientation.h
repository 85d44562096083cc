// SPDX-License-Identifier: Apache-2.0
// On which side of a plane a point is: the exact sign of a determinant.
#ifndef TOC_PAIR_ORIENTATION_H
#define TOC_PAIR_ORIENTATION_H

#include "base/memory.h"

/// The sign of ((b - a) x (c - a)) . (d - a), exact for any finite coordinates: 1 when d is on the side that the normal
/// of the triangle a b c points to, 0 in one plane.
/// @return TOC_OK, or TOC_OUT_OF_MEMORY.
toc_status toc_orientation_find(const double a[3], const double b[3], const double c[3], const double d[3],
                                toc_arena *scratch, int *sign);

/// The same in the plane of x and y: the sign of (b - a) x (c - a).
toc_status toc_orientation_find_flat(const double a[2], const double b[2], const double c[2], toc_arena *scratch,
                                     int *sign);

#endif
