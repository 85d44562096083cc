// SPDX-License-Identifier: Apache-2.0
// Parting triangles, by what is compiled for this machine.
#include "cull/part.h"

#include "base/lanes.h"

static void pack(const toc_frame *frame, const double x[3], float packed[4]) {
    for (int c = 0; c < 3; c++) packed[c] = (float)((x[c] - frame->centre[c]) * frame->scale);
    packed[3] = 0;
}

void toc_part_pack(const toc_frame *frame, size_t count, const double *x0, const double *x1, float (*packed)[8]) {
    for (size_t i = 0; i < count; i++) {
        pack(frame, x0 + 3 * i, packed[i]);
        pack(frame, x1 + 3 * i, packed[i] + 4);
    }
}

size_t toc_part_triangles(const toc_bvh *bvh, const toc_parting *how, const toc_node_pair *pairs, size_t count,
                          toc_node_pair *kept) {
    return TOC_KERNEL_HERE(toc_part_kernel)(bvh, how, pairs, count, kept);
}
