// SPDX-License-Identifier: Apache-2.0
// From pairs of primitives to pairs of the features that they represent, kept if the features' own k-DOPs overlap.
#ifndef TOC_CULL_SURFACE_FEATURES_H
#define TOC_CULL_SURFACE_FEATURES_H

#include "cull/shared.h"
#include "cull/surface/representatives.h"
#include "index/bvh.h"

/// A tree whose leaves are representatives, with the DOPs of their features: moving DOPs if the tree has a lower layer,
/// else swept ones.
typedef struct toc_represented_dops {
    const toc_bvh *bvh;       // leaf i is representative i
    const toc_window *window; // the times at which moving DOPs must overlap
    const toc_representatives *representatives;
    const float *points, *edges;
    const float *faces; // by primitive
} toc_represented_dops;

/// Feature pairs: room for those of some pairs of leaves, and one more to overwrite.
typedef struct toc_feature_pairs {
    size_t vf_count, ee_count;
    uint64_t asked;            // pairs whose DOPs were compared
    size_t leaf_pairs;         // at most TOC_LEAF_PAIRS
    toc_feature_pair *vf, *ee; // 6 and 9 for each of them
} toc_feature_pairs;

static inline size_t toc_feature_pairs_vf(size_t leaf_pairs) { return 6 * leaf_pairs + 1; }
static inline size_t toc_feature_pairs_ee(size_t leaf_pairs) { return 9 * leaf_pairs + 1; }

/// Replace the content of `out` by the feature pairs of some pairs of leaves that share no vertex and overlap. Pairs of
/// edges have the lower edge first.
void toc_cull_features(const toc_represented_dops *dops, const toc_leaf_pair *pairs, size_t count,
                       toc_feature_pairs *out);

/// The same without comparing DOPs.
void toc_list_features(const toc_represented_dops *dops, const toc_leaf_pair *pairs, size_t count,
                       toc_feature_pairs *out);

/// Add the feature pairs of two leaves to `out`, likewise.
void toc_list_leaf_features(const toc_representatives *representatives, toc_leaf_pair pair, toc_feature_pairs *out);

/// The kernel of toc_cull_features, compiled for each instruction set.
typedef void toc_features_kernel(const toc_represented_dops *dops, const toc_leaf_pair *pairs, size_t count,
                                 toc_feature_pairs *out);
toc_features_kernel toc_features_kernel1, toc_features_kernel4, toc_features_kernel8;

#endif
