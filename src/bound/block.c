// SPDX-License-Identifier: Apache-2.0
// Setting blocks: dispatch to the kernel of this machine.
#include "bound/block.h"

#include <assert.h>

#include "base/backend.h"

static const toc_block_kernel *block_kernel(void) { return toc_backend_here()->block; }

// Let u = 2^-24 and coordinates be at most 1. A packed coordinate has an error of u / 2. For a time within the step, a
// difference of 2 and its product with the time have errors of u each besides the u of the coordinates, and the sum has
// u: 5 u in all, 15 u for three of them, and 4 u for their two sums. Subtracting the margin costs 2 u. 2^-19 is 32 u.
// Errors of larger coordinates are larger in proportion.
float toc_packed_grown(const toc_frame *frame, double thickness, double far) {
    // Directions are up to sqrt(3) long. A margin of 2^100 holds everything, and nothing must overflow.
    const double grown = fmin(2 * thickness * frame->scale, 0x1p100) + 0x1p-19 * fmax(far, 1);
    return (float)(grown * (1 + 0x1p-20));
}

void toc_block_of_dops(const toc_dop_kind *kind, const float *dops, const uint32_t *numbers, uint32_t count,
                       float *block) {
    assert(count > 0 && count <= TOC_BLOCK);
    block_kernel()->of_dops(kind, dops, numbers, count, block);
}

void toc_block_of_triangles(const toc_dop_kind *kind, const toc_packed_bounds *how, const uint32_t (*corners)[3],
                            uint32_t count, int ends, float *block) {
    assert(count > 0 && count <= TOC_BLOCK && (ends == 1 || ends == 2) && how->grown >= 0);
    block_kernel()->of_triangles(kind, how, corners, count, ends, block);
}
