// SPDX-License-Identifier: Apache-2.0
// Representative primitives: every vertex, edge and face of a step is owned by one primitive that has it.
//
// Two features that touch lie in overlapping primitives, their owners; so testing what two overlapping primitives own
// asks about every pair of features once, neighbours included, and keeps no list of pairs seen.
// After Curtis, Tamstorf and Manocha 2008, "Fast collision detection for deformable models using
// representative-triangles".
#ifndef TOC_CULL_OWNERS_H
#define TOC_CULL_OWNERS_H

#include "base/memory.h"

/// Features side by side: points are vertices, edges have the lower vertex first and ascend.
typedef struct toc_feature_set {
    size_t vertex_count, point_count, edge_count, face_count;
    const uint32_t *points;
    const uint32_t (*edges)[2];
    const uint32_t (*faces)[3];
} toc_feature_set;

/// What a primitive owns.
typedef struct toc_owner {
    uint32_t face; // UINT32_MAX for a loose edge or point
    uint32_t edges[3], points[3];
    uint8_t edge_count, point_count;
} toc_owner;

/// Faces first, in order; then edges that are in no face, then points that are in no edge.
typedef struct toc_owners {
    size_t count;
    toc_owner *at;
} toc_owners;

/// O(n). The arena holds the result.
toc_status toc_owners_find(toc_arena *arena, const toc_feature_set *features, toc_owners *out);

#endif
