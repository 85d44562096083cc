// SPDX-License-Identifier: Apache-2.0
// Representative primitives: each vertex, edge and face of a step belongs to one of the primitives that have it.
//
// Two features that touch lie in overlapping primitives, so their representatives overlap. Testing only the represented
// features of overlapping primitives tests each pair of features once, neighbours included, without a list of pairs
// already seen.
// After Curtis, Tamstorf and Manocha 2008, "Fast collision detection for deformable models using
// representative-triangles".
#ifndef TOC_CULL_SURFACE_REPRESENTATIVES_H
#define TOC_CULL_SURFACE_REPRESENTATIVES_H

#include <stdbool.h>

#include "base/memory.h"

/// Features of all bodies: points are vertices; edges have the lower vertex first and ascend.
typedef struct toc_feature_set {
    size_t vertex_count, point_count, edge_count, face_count;
    const uint32_t *points;
    const uint32_t (*edges)[2];
    const uint32_t (*faces)[3];
} toc_feature_set;

/// A face with its edges, an edge that is in no face, or a point that is in no edge. Missing entries are UINT32_MAX.
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

/// The features that a primitive represents: a face, and runs of the points and edges of toc_representatives.
typedef struct toc_representative {
    uint32_t face[3]; // UINT32_MAX if the primitive is no face
    uint32_t first_edge, first_point;
    uint8_t edge_count, point_count;
} toc_representative;

/// Representatives in an order that the caller chooses, and the features in the order of their representatives:
/// neighbours in a tree are neighbours in memory.
typedef struct toc_representatives {
    size_t count, edge_count, point_count;
    toc_representative *at;
    toc_representative *of; // the same by primitive
    uint32_t (*edges)[2];   // three more after the last one are readable
    uint32_t *points;       // likewise
} toc_representatives;

/// List the primitives of a set of features. O(n). The arena holds the result, likewise below. The results do not
/// depend on the number of threads.
toc_status toc_primitives_list(toc_arena *arena, const toc_feature_set *features, int threads, toc_primitives *out);

/// Assign each feature to the first primitive of the order that has it. O(n).
/// @param order positions of all primitives, each once; NULL for ascending order.
toc_status toc_representatives_assign(toc_arena *arena, const toc_feature_set *features,
                                      const toc_primitives *primitives, const uint32_t *order, int threads,
                                      toc_representatives *out);
/// Reorder representatives: those from `first` on become the ones of these primitives, each with its features. No
/// allocation.
void toc_representatives_move(const toc_representatives *representatives, const uint32_t *primitives, size_t first,
                              size_t count);

#endif
