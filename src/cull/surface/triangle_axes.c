// SPDX-License-Identifier: Apache-2.0
// Separating triangles: dispatch to the kernel of this machine.
#include "cull/surface/triangle_axes.h"

#include <assert.h>

#include "base/backend.h"

size_t toc_triangle_axes_separate(const toc_triangle_axes *how, const toc_leaf_pair *pairs, size_t count,
                                  toc_leaf_pair *kept) {
    assert(count <= TOC_LEAF_PAIRS && how->distance >= 0 && how->window);
    return toc_backend_here()->triangle_axes(how, pairs, count, kept);
}
