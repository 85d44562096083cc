// SPDX-License-Identifier: Apache-2.0
// Representative primitives: every vertex, edge and face of a step is owned by one primitive that has it.
//
// Two features that touch lie in overlapping primitives, their owners; so testing what two overlapping primitives own
// asks about every pair of features once, neighbours included, and keeps no list of pairs seen.
// After Curtis, Tamstorf and Manocha 2008, "Fast collision detection for deformable models using
// representative-triangles".
#ifndef TOC_CULL_SURFACE_REPRESENTATIVES_H
#define TOC_CULL_SURFACE_REPRESENTATIVES_H

#include <stdbool.h>

#include "base/memory.h"

/// Features side by side: points are vertices, edges have the lower vertex first and ascend.
typedef struct toc_feature_set {
    size_t vertex_count, point_count, edge_count, face_count;
    const uint32_t *points;
    const uint32_t (*edges)[2];
    const uint32_t (*faces)[3];
} toc_feature_set;

/// A face with its edges, an edge that is in no face, or a point that is in no edge. UINT32_MAX for what it has not.
typedef struct toc_primitive {
    uint32_t vertices[3];
    uint32_t edges[3]; // positions in the feature set
} toc_primitive;

/// Faces first, in order, then loose edges, then loose points.
typedef struct toc_primitives {
    size_t count;
    toc_primitive *at;
} toc_primitives;

/// Two primitives, by their numbers in toc_primitives.
typedef struct toc_primitive_pair {
    uint32_t a, b;
} toc_primitive_pair;
typedef TOC_ARRAY(toc_primitive_pair) toc_primitive_pairs;

/// What a primitive owns: runs of the owned points and edges.
typedef struct toc_representative {
    uint32_t face[3]; // UINT32_MAX where it is no face
    uint32_t first_edge, first_point;
    uint8_t edge_count, point_count;
} toc_representative;

/// Owners in an order of the caller's, and the features in the order of their owners, so that what is near in
/// a tree is near in memory.
typedef struct toc_representatives {
    size_t count, edge_count, point_count;
    toc_representative *at;
    toc_representative *of; // the same by primitive
    uint32_t (*edges)[2];
    uint32_t *points;
} toc_representatives;

/// O(n). The arena holds the result, likewise below.
toc_status toc_primitives_list(toc_arena *arena, const toc_feature_set *features, toc_primitives *out);

/// Give every feature to the first primitive in the order that has it. O(n).
/// @param order positions of all primitives, each once; NULL for as they are.
toc_status toc_representatives_assign(toc_arena *arena, const toc_feature_set *features,
                                      const toc_primitives *primitives, const uint32_t *order,
                                      toc_representatives *out);
/// Let other primitives be the owners from one on; they keep what they own. No allocation.
void toc_representatives_move(const toc_representatives *owners, const uint32_t *primitives, size_t first,
                              size_t count);

#endif
