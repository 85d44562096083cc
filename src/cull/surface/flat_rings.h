// SPDX-License-Identifier: Apache-2.0
// Flat rings: the triangles around a vertex cannot touch each other while they lie flat.
//
// Neighbours overlap in every bounding volume; in a fine mesh most pairs that a search finds are neighbours. If some
// projection shows all triangles around a vertex with the same side up for the whole step, and they go round the vertex
// once, no two of them are ever above each other: their features that share no vertex cannot touch.
// (Positive angles that sum to one turn divide the plane around the vertex among the triangles. Their sum is a whole
// number of turns and cannot jump, so it is enough to count the turns at the start.)
//
// After the regularity test of Volino and Magnenat-Thalmann 1994, for single vertices, where the contour needs no
// test, and over time.
#ifndef TOC_CULL_SURFACE_FLAT_RINGS_H
#define TOC_CULL_SURFACE_FLAT_RINGS_H

#include "cull/surface/representatives.h"

enum { TOC_RING_LEAST = 3, TOC_RING_MOST = 12 }; // triangles around a vertex; other vertices are skipped

/// Closed rings by their number of triangles.
typedef struct toc_flat_rings {
    struct {
        size_t count;
        uint32_t *rings; // 1 + size vertices each: the middle vertex, then those around it in order
    } of[TOC_RING_MOST + 1];
} toc_flat_rings;

/// Find the vertices whose faces form one closed ring, and that no loose edge has. O(n). The arena holds the result,
/// which does not depend on the number of threads.
/// @param primitives of the features: faces first.
toc_status toc_flat_rings_find(toc_arena *arena, const toc_feature_set *features, const toc_primitives *primitives,
                               int threads, toc_flat_rings *out);

/// A range of the rings of one size.
typedef struct toc_ring_range {
    int size;
    size_t first, count;
} toc_ring_range;

/// The positions of all vertices at both ends of the step, and the time from 0 up to which rings must stay flat.
typedef struct toc_ring_motion {
    const double *x0, *x1;
    double until;
} toc_ring_motion;

/// Write for the middle vertex of each ring of the range whether the ring certainly stays flat: 1, else 0. The flags of
/// other vertices do not change.
void toc_flat_rings_tell(const toc_flat_rings *rings, toc_ring_range range, const toc_ring_motion *motion,
                         uint8_t *flat);

/// The kernel, compiled for each instruction set.
typedef void toc_flat_rings_kernel(const uint32_t *rings, size_t count, int size, const toc_ring_motion *motion,
                                   uint8_t *flat);
toc_flat_rings_kernel toc_flat_rings_kernel1, toc_flat_rings_kernel4, toc_flat_rings_kernel8;

#endif
