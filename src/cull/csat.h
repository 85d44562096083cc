// SPDX-License-Identifier: Apache-2.0
// Continuous separating axis test of two elements: is there a fixed axis along which they stay apart for the whole
// step?
#ifndef TOC_CULL_CSAT_H
#define TOC_CULL_CSAT_H

#include "bound/dop.h"

/// Four vertices at both ends of the step, in single precision, in a frame.
typedef struct toc_block {
    float at[2][3][4]; // by end, coordinate, vertex
} toc_block;

/// @param v four vertices, of which x0 and x1 hold 3 doubles each.
void toc_block_fill(const toc_frame *frame, const double *x0, const double *x1, const uint32_t v[4], toc_block *out);

/// What the signs must clear, and how many axes to try.
typedef struct toc_csat {
    float reach;      // no coordinate of any block is larger
    float separation; // elements closer than this are not apart; in the frame
    int axes;
} toc_csat;

/// The test as it is measured best, of blocks in a frame around all of them.
toc_csat toc_csat_make(const toc_frame *frame, double separation);

/// The number of the axis that keeps two elements of 1 or 2 blocks each apart, from 1 on; 0 where none of those tried
/// does. What is apart is so in real arithmetic, for the whole step. O(axes), no allocation.
int toc_csat_apart(const toc_csat *csat, const toc_block *a, int a_blocks, const toc_block *b, int b_blocks);

#endif
