// SPDX-License-Identifier: Apache-2.0
// Fans: the triangles around a vertex, which cannot touch each other while they lie flat.
//
// Neighbours overlap in every bounding volume, always; in a fine mesh most pairs that a search finds are neighbours.
// Where some projection shows all triangles around a vertex with the same side up for the whole step, and they go
// round it once, no two of them are ever over each other: their features that share no vertex cannot touch.
// (Positive angles that add up to one turn share out the plane around the vertex between the triangles. Their sum is a
// whole number of turns and cannot jump, so counting the turns at the start is enough.)
//
// After the regularity test of Volino and Magnenat-Thalmann 1994, for single vertices, where the contour needs no
// test, and over time.
#ifndef TOC_CULL_SURFACE_FLAT_RINGS_H
#define TOC_CULL_SURFACE_FLAT_RINGS_H

#include "cull/surface/representatives.h"

enum { TOC_FAN_LEAST = 3, TOC_FAN_MOST = 12 }; // triangles around a vertex; others are not looked at

/// Closed fans by their size: the vertex in the middle, then those around it in order.
typedef struct toc_flat_rings {
    struct {
        size_t count;
        uint32_t *rings; // 1 + size a fan
    } of[TOC_FAN_MOST + 1];
} toc_flat_rings;

/// Find the vertices whose faces form one closed fan. O(n). The arena holds the result.
toc_status toc_flat_rings_find(toc_arena *arena, const toc_feature_set *features, toc_flat_rings *out);

/// Part of the fans of one size, to be looked at together.
typedef struct toc_ring_range {
    int size;
    size_t first, count;
} toc_ring_range;

/// Where all vertices are, and the part of the step that counts.
typedef struct toc_ring_motion {
    const double *x0, *x1;
    double until;
} toc_ring_motion;

/// Tell by vertex which fans stay flat until then: 1 where that is certain. Others are left as they are.
void toc_flat_rings_tell(const toc_flat_rings *fans, toc_ring_range range, const toc_ring_motion *motion,
                         uint8_t *flat);

/// The same, compiled for each instruction set.
typedef void toc_flat_rings_kernel(const uint32_t *rings, size_t count, int size, const toc_ring_motion *motion,
                                   uint8_t *flat);
toc_flat_rings_kernel toc_flat_rings_kernel1, toc_flat_rings_kernel4, toc_flat_rings_kernel8;

#endif
