// SPDX-License-Identifier: Apache-2.0
// From pairs of triangles to the pairs of features they represent, by the culling steps for two moving triangles.
#ifndef TOC_CULL_SURFACE_TRIANGLE_CULLING_H
#define TOC_CULL_SURFACE_TRIANGLE_CULLING_H

#include "cull/surface/features.h"
#include "cull/surface/triangle_features.h"

/// The representatives of a step, its positions, and the culling steps to run.
typedef struct toc_triangle_culling {
    const toc_representatives *representatives; // by leaf
    const double *x0, *x1;
    double distance; // feature pairs farther apart than this for the whole step may be removed
    unsigned steps;  // bits 1 << toc_triangle_step
} toc_triangle_culling;

/// Replace the content of `out` by the feature pairs of some pairs of leaves that no step removes.
/// Features that share a vertex are no pair. Edges and points that are in no triangle keep all their pairs.
/// @param removed the number of pairs that each step removed is added to it.
void toc_triangle_culling_run(const toc_triangle_culling *culling, const toc_leaf_pair *pairs, size_t count,
                              uint32_t removed[TOC_TRIANGLE_STEP_COUNT], toc_feature_pairs *out);

#endif
