// SPDX-License-Identifier: Apache-2.0
// The closest approach of two features over the step: its time, distance and points.
#ifndef TOC_ASK_CLOSEST_APPROACH_H
#define TOC_ASK_CLOSEST_APPROACH_H

#include "base/memory.h"
#include "pair/distance.h"
#include "toccata/convex.h"

/// A pair of features that comes within a limit, and the tools for it.
typedef struct toc_approach_query {
    toc_kind kind;
    const toc_quadratic_pair *path;
    bool curved;                    // on parabolas; else the control points do not count
    double limit;                   // the test found the pair within this distance
    double hit_time;                // at this time
    toc_arena *scratch;             // for exact arithmetic
    toc_status (*poll)(void *user); // called before each test; a failure ends the search
    void *user;
} toc_approach_query;

typedef struct toc_approach {
    double time;         // of the closest approach
    double distance;     // the smallest one of the step; see toc_approach_find
    toc_closest closest; // the closest points at that time
} toc_approach;

/// The part of the limit, and of the extent of the pair, that the distance may be off by.
#define TOC_APPROACH_SHARE 0x1p-20
#define TOC_APPROACH_SHARE_CURVED 0x1p-12 // on parabolas
#define TOC_APPROACH_EXTENT 0x1p-40

/// Find the closest approach. The true smallest distance d of the step is at most limit; `distance` is within [d - e,
/// d + e], where e is TOC_APPROACH_SHARE of the limit or TOC_APPROACH_EXTENT of the pair's extent, the larger of the
/// two. The extent is the largest difference of a coordinate of two vertices at one end of the step, or of two control
/// points. At most 64 looks in floating point and 64 exact tests.
/// On parabolas `distance` is that at `time`, but for rounding, or the limit, if that is less. It exceeds d by at most
/// TOC_APPROACH_SHARE_CURVED of the limit, unless 256 looks do not prove so, as for slivers.
/// @return TOC_OK, TOC_OUT_OF_MEMORY, or the failure of `poll`.
toc_status toc_approach_find(const toc_approach_query *query, toc_approach *out);

#endif
