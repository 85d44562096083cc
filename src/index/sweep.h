// SPDX-License-Identifier: Apache-2.0
// All pairs of overlapping boxes, by sorting along x. The reference for the other indices: simple and without
// parameters.
#ifndef TOC_INDEX_SWEEP_H
#define TOC_INDEX_SWEEP_H

#include "base/memory.h"
#include "bound/box.h"

/// Boxes in the order of their low x.
typedef struct toc_sweep {
    size_t count;
    toc_box *boxes;
    uint32_t *ids; // positions in the array that was sorted
} toc_sweep;

/// Sort boxes. O(n log n). Free with toc_sweep_free.
toc_status toc_sweep_sort(const toc_allocator *allocator, size_t count, const toc_box *boxes, toc_sweep *out);
void toc_sweep_free(const toc_allocator *allocator, toc_sweep *sweep);

/// Positions in a sweep.
typedef TOC_ARRAY(uint32_t) toc_positions;

/// The boxes of `other` that a box is compared with, so that each pair is found once, at its box that begins first.
typedef enum toc_sweep_rule {
    TOC_SWEEP_SELF,  ///< Within one sweep: those behind it.
    TOC_SWEEP_EQUAL, ///< In another sweep: those that begin at the same x or later.
    TOC_SWEEP_LATER  ///< In another sweep: those that begin later.
} toc_sweep_rule;

/// Append the positions in `other` of the boxes that overlap box i of `sweep` and begin as the rule says.
toc_status toc_sweep_from(const toc_allocator *allocator, const toc_sweep *sweep, size_t i, const toc_sweep *other,
                          toc_sweep_rule rule, toc_positions *out);

#endif
