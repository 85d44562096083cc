// SPDX-License-Identifier: Apache-2.0
// Two moving hulls, prepared for any part of the step.
#ifndef TOC_CONVEX_CONVEX_H
#define TOC_CONVEX_CONVEX_H

#include "base/memory.h"
#include "convex/gjk.h"
#include "toccata/convex.h"

/// The control points of all paths: set k of `path` is the k-th, relative to that of the first corner.
typedef struct toc_hull_sweep {
    toc_gap path;
    int unit; // 1 in `path` is 2^unit
} toc_hull_sweep;

void toc_hull_sweep_make(const toc_hull *a, const toc_hull *b, double separation, toc_hull_sweep *out);
/// The paths from time s to time e; one set when the two are the same.
void toc_hull_sweep_part(const toc_hull_sweep *sweep, double s, double e, toc_gap *out);
/// A first guess at the axis of a gap: from the middle of A to the middle of B.
toc_vec toc_gap_middle(const toc_gap *gap);

/// The place of a corner at a time, in floating point.
toc_vec toc_hull_corner(const toc_hull *hull, int corner, double t);

/// Refuse a hull with a wrong count, no positions or a coordinate that is not finite. @param name "first" or "second".
toc_status toc_hull_check(const toc_hull *hull, const char *name);

/// As toc_convex_find, without checking the input and with the caller's scratch memory.
toc_status toc_convex_find_unchecked(const toc_hull *a, const toc_hull *b, const toc_pair_test *test,
                                     toc_arena *scratch, toc_convex_hit *out);
/// As toc_quadratic_find, likewise.
toc_status toc_quadratic_find_unchecked(toc_kind kind, const toc_quadratic_pair *pair, const toc_pair_test *test,
                                        toc_arena *scratch, toc_hit *out);

#endif
