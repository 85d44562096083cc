// SPDX-License-Identifier: Apache-2.0
// Parting triangles, by what is compiled for this machine.
#include "cull/part.h"

#include "base/lanes.h"

size_t toc_part_triangles(const toc_parting *how, const toc_node_pair *pairs, size_t count, toc_node_pair *kept) {
    return TOC_KERNEL_HERE(toc_part_kernel)(how, pairs, count, kept);
}
