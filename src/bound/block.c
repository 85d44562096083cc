// SPDX-License-Identifier: Apache-2.0
// Setting blocks, by what is compiled for this machine.
#include "bound/block.h"

#include "base/lanes.h"

static const toc_block_kernel *kernel(void) { return TOC_KERNEL_HERE(toc_block_kernel); }

// With u = 2^-24 and coordinates of 1 at the most, a packed coordinate is off by u / 2. Brought to a time within the
// step, a difference of 2 and its product with the time are off by u each beside the u of the coordinates they come
// from, the sum by u: 5 u in all, 15 u for three of them, and 4 u for their two sums. Taking the margin off costs 2 u.
// 2^-19 is 32 u. Coordinates that are larger are off as much more.
float toc_packed_grown(const toc_frame *frame, double thickness, double far) {
    // Directions are up to sqrt(3) long; beyond 2^100 all is held anyway, and nothing must overflow.
    const double grown = fmin(2 * thickness * frame->scale, 0x1p100) + 0x1p-19 * fmax(far, 1);
    return (float)(grown * (1 + 0x1p-20));
}

void toc_block_of_dops(const toc_dop_kind *kind, const float *dops, const uint32_t *numbers, uint32_t count,
                       float *block) {
    kernel()->of_dops(kind, dops, numbers, count, block);
}

void toc_block_of_triangles(const toc_dop_kind *kind, const toc_packed_bounds *how, const uint32_t (*corners)[3],
                            uint32_t count, int ends, float *block) {
    kernel()->of_triangles(kind, how, corners, count, ends, block);
}
