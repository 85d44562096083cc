// SPDX-License-Identifier: Apache-2.0
// Triangles that an axis parts for all of the time that is asked about: none of their features can touch.
//
// A look at a whole pair of triangles, several pairs at a time, before any of their features are compared: what stands
// close side by side, as layers of cloth do, overlaps in all slabs of a k-DOP but not along its normals.
#ifndef TOC_CULL_SURFACE_TRIANGLE_AXES_H
#define TOC_CULL_SURFACE_TRIANGLE_AXES_H

#include "bound/packed.h"
#include "bound/span.h"
#include "index/leaf_pairs.h"

/// Triangles and how they move.
typedef struct toc_triangle_axes {
    const uint32_t (*corners)[3]; // of each leaf, by its number; vertices are repeated where it has fewer than three
    const toc_packed *packed;     // by vertex
    float distance;               // what is within it of each other is kept; in the frame, rounded up
    const toc_window *window;
} toc_triangle_axes;

/// Write those of up to TOC_LEAF_PAIRS pairs of leaves that are not parted. Two that share a vertex never are. @return
/// how many.
size_t toc_triangle_axes_separate(const toc_triangle_axes *how, const toc_leaf_pair *pairs, size_t count,
                                  toc_leaf_pair *kept);

/// The same, compiled for each instruction set.
typedef size_t toc_triangle_axes_kernel(const toc_triangle_axes *how, const toc_leaf_pair *pairs, size_t count,
                                        toc_leaf_pair *kept);
toc_triangle_axes_kernel toc_triangle_axes_kernel1, toc_triangle_axes_kernel4, toc_triangle_axes_kernel8;

#endif
