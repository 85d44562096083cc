// SPDX-License-Identifier: Apache-2.0
// All feature pairs of two primitives, up to 15 of two triangles, kept where the features' own k-DOPs overlap: element
// level culling after Jung and Choi, and Hutter and Fuhrmann 2007. Features that several primitives have come as often.
#ifndef TOC_CULL_ELEMENTS_H
#define TOC_CULL_ELEMENTS_H

#include "cull/features.h"

/// Primitives and the DOPs of their features; all three NULL to keep every pair.
typedef struct toc_element_dops {
    int lanes;
    const toc_feature_set *features;
    const toc_primitives *primitives;
    const float *faces;          // by primitive
    const float *points, *edges; // by vertex; by edge of the feature set
} toc_element_dops;

/// Replace what `out` holds by the feature pairs of up to TOC_LEAF_PAIRS pairs of primitives that share no vertex.
void toc_cull_elements(const toc_element_dops *dops, const toc_node_pair *pairs, size_t count, toc_feature_pairs *out);

#endif
