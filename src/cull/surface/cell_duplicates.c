// SPDX-License-Identifier: Apache-2.0
// Feature pairs of two primitives, by what is compiled for this machine.
#include "cull/surface/cell_duplicates.h"

#include "base/lanes.h"

void toc_cull_elements(const toc_element_dops *dops, const toc_node_pair *pairs, size_t count, toc_feature_pairs *out) {
    TOC_KERNEL_HERE(toc_elements_kernel)(dops, pairs, count, out);
}
