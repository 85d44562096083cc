// SPDX-License-Identifier: Apache-2.0
// Triangle pairs with a separating axis for the whole time window: none of their features can touch.
//
// Whole pairs of triangles are tested, several at a time, before any of their features are compared. Close parallel
// triangles, such as layers of cloth, overlap in all slabs of a k-DOP but not along their normals.
#ifndef TOC_CULL_SURFACE_TRIANGLE_AXES_H
#define TOC_CULL_SURFACE_TRIANGLE_AXES_H

#include "bound/packed.h"
#include "bound/span.h"
#include "index/leaf_pairs.h"

/// Triangles and how they move.
typedef struct toc_triangle_axes {
    const uint32_t (*corners)[3]; // by leaf; a leaf with fewer than three vertices repeats one
    const toc_packed *packed;     // by vertex
    float distance;               // pairs within this distance are kept; in the frame, rounded up
    const toc_window *window;
} toc_triangle_axes;

/// Write those of up to TOC_LEAF_PAIRS pairs of leaves that have no separating axis among those tried; pairs that share
/// a vertex always stay. @return their number.
size_t toc_triangle_axes_separate(const toc_triangle_axes *how, const toc_leaf_pair *pairs, size_t count,
                                  toc_leaf_pair *kept);

/// The kernel, compiled for each instruction set.
typedef size_t toc_triangle_axes_kernel(const toc_triangle_axes *how, const toc_leaf_pair *pairs, size_t count,
                                        toc_leaf_pair *kept);
toc_triangle_axes_kernel toc_triangle_axes_kernel1, toc_triangle_axes_kernel4, toc_triangle_axes_kernel8;

#endif
