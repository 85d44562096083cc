// SPDX-License-Identifier: Apache-2.0
// Feature pairs of two primitives, up to 15 of two triangles, kept where the features' own k-DOPs overlap: element
// level culling after Jung and Choi, and Hutter and Fuhrmann 2007. The DOPs of edges are made when they are needed:
// where few pairs come this far, that is cheaper than to have them all.
#ifndef TOC_CULL_SURFACE_CELL_DUPLICATES_H
#define TOC_CULL_SURFACE_CELL_DUPLICATES_H

#include "cull/surface/features.h"

/// Primitives, what they own, and the DOPs of their vertices.
typedef struct toc_element_dops {
    int lanes;
    const toc_feature_set *features;
    const toc_primitives *primitives;
    const toc_representatives *owners; // NULL: all features of two primitives, as often as primitives have them
    const float *faces, *vertices;     // by primitive, by vertex; both NULL to keep every pair
} toc_element_dops;

/// Replace what `out` holds by the feature pairs of up to TOC_LEAF_PAIRS pairs of primitives that share no vertex.
/// Those of edges have the lower edge first.
void toc_cull_elements(const toc_element_dops *dops, const toc_node_pair *pairs, size_t count, toc_feature_pairs *out);

/// The same, compiled for each instruction set.
typedef void toc_elements_kernel(const toc_element_dops *dops, const toc_node_pair *pairs, size_t count,
                                 toc_feature_pairs *out);
toc_elements_kernel toc_elements_kernel1, toc_elements_kernel4, toc_elements_kernel8;

#endif
