// SPDX-License-Identifier: Apache-2.0
// Feature pairs of two primitives, by what is compiled for this machine.
#include "cull/surface/primitive_features.h"

#include "base/lanes.h"

void toc_primitive_features_cull(const toc_primitive_dops *dops, const toc_leaf_pair *pairs, size_t count,
                                 toc_feature_pairs *out) {
    TOC_KERNEL_HERE(toc_primitive_features_kernel)(dops, pairs, count, out);
}
