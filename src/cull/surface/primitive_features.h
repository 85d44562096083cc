// SPDX-License-Identifier: Apache-2.0
// Feature pairs of two primitives, up to 15 of two triangles, kept where the k-DOPs of the features overlap.
//
// Element level culling after Jung and Choi, and Hutter and Fuhrmann 2007. The DOP of an edge is computed for each pair
// (features.h stores the DOPs instead): few pairs of primitives come this far in a hash.
#ifndef TOC_CULL_SURFACE_PRIMITIVE_FEATURES_H
#define TOC_CULL_SURFACE_PRIMITIVE_FEATURES_H

#include "cull/surface/features.h"

/// The primitives of an index that keeps their numbers (leaf i is primitive i), with the DOPs of their vertices.
typedef struct toc_primitive_dops {
    int lanes;
    const toc_feature_set *features;
    const toc_primitives *primitives;
    const toc_representatives *representatives; // NULL: all features of both primitives, shared ones repeatedly
    const float *faces, *vertices;              // by primitive, by vertex; both NULL to keep every pair
} toc_primitive_dops;

/// Replace the content of `out` by the feature pairs of some pairs of primitives; features that share a
/// vertex are no pair. Pairs of edges have the lower edge first.
void toc_primitive_features_cull(const toc_primitive_dops *dops, const toc_leaf_pair *pairs, size_t count,
                                 toc_feature_pairs *out);

/// The kernel, compiled for each instruction set.
typedef void toc_primitive_features_kernel(const toc_primitive_dops *dops, const toc_leaf_pair *pairs, size_t count,
                                           toc_feature_pairs *out);
toc_primitive_features_kernel toc_primitive_features_kernel1, toc_primitive_features_kernel4,
    toc_primitive_features_kernel8;

#endif
