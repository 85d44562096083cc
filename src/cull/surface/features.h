// SPDX-License-Identifier: Apache-2.0
// From pairs of primitives to pairs of features: what the two own, kept where the features' own k-DOPs overlap.
#ifndef TOC_CULL_SURFACE_FEATURES_H
#define TOC_CULL_SURFACE_FEATURES_H

#include "cull/shared.h"
#include "cull/surface/representatives.h"
#include "index/bvh.h"

/// A tree whose leaves are owners, with the DOPs of what they own: swept, or moving where the tree has a lower layer.
typedef struct toc_represented_dops {
    const toc_bvh *bvh;       // leaf number i is owner i
    const toc_window *window; // when moving ones are to meet
    const toc_representatives *owners;
    const float *points, *edges;
    const float *faces; // by primitive
} toc_represented_dops;

/// Feature pairs: room for those of a full batch, and one to write over.
typedef struct toc_feature_pairs {
    size_t vf_count, ee_count;
    toc_feature_pair vf[TOC_LEAF_PAIRS * 6 + 1];
    toc_feature_pair ee[TOC_LEAF_PAIRS * 9 + 1];
    uint64_t asked; // pairs whose DOPs were compared
} toc_feature_pairs;

/// Replace what `out` holds by the feature pairs of up to TOC_LEAF_PAIRS pairs of leaves that share no vertex and
/// overlap. Those of edges have the lower edge first.
void toc_cull_features(const toc_represented_dops *dops, const toc_leaf_pair *pairs, size_t count,
                       toc_feature_pairs *out);

/// The same without comparing DOPs.
void toc_list_features(const toc_represented_dops *dops, const toc_leaf_pair *pairs, size_t count,
                       toc_feature_pairs *out);

/// What compares them, compiled for each instruction set.
typedef void toc_features_kernel(const toc_represented_dops *dops, const toc_leaf_pair *pairs, size_t count,
                                 toc_feature_pairs *out);
toc_features_kernel toc_features_kernel1, toc_features_kernel4, toc_features_kernel8;

#endif
