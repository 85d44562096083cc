// SPDX-License-Identifier: Apache-2.0
// The surface of a mesh over the steps of a motion: faces, loose edges and points, each with the steps in which it is
// there. Elements that go uncover the faces behind them.
#ifndef TOC_IO_GLTF_LIFETIMES_H
#define TOC_IO_GLTF_LIFETIMES_H

#include "base/memory.h"
#include "toccata/mesh.h"

/// A face of 3 or 4 corners, an edge or a point.
typedef struct toc_lifetime {
    uint32_t birth, death; // its first step, and the one behind its last
    int32_t group;         // 0 for edges and points
    uint32_t corner_count;
    uint32_t corners[4]; // the unused ones are 0
    uint32_t order;      // in its surface
} toc_lifetime;

typedef struct toc_lifetimes {
    toc_allocator allocator;
    TOC_ARRAY(toc_lifetime) ended, alive; // `alive` in the order of their corners
} toc_lifetimes;

/// Take the surface that a mesh has in a step and in those that follow. O(n log n).
toc_status toc_lifetimes_follow(toc_lifetimes *lifetimes, const toc_mesh *mesh, uint32_t step);
/// End all lifetimes, and sort them by their steps, then faces before edges and points, by group, and as in the
/// surface.
/// @param steps their number. @return in `ended`.
toc_status toc_lifetimes_finish(toc_lifetimes *lifetimes, uint32_t steps);
void toc_lifetimes_free(toc_lifetimes *lifetimes);

#endif
