// SPDX-License-Identifier: Apache-2.0
// Feature pairs of overlapping primitives, by what is compiled for this machine.
#include "cull/features.h"

#include "base/lanes.h"

void toc_cull_features(const toc_owned_dops *dops, const toc_node_pair *pairs, size_t count, toc_feature_pairs *out) {
    TOC_KERNEL_HERE(toc_features_kernel)(dops, pairs, count, out);
}
