// SPDX-License-Identifier: Apache-2.0
// Continuous separating axis test of two elements: is there a fixed axis along which they stay apart for the whole
// step?
#ifndef TOC_CULL_VOLUME_CSAT_H
#define TOC_CULL_VOLUME_CSAT_H

#include "bound/dop.h"

/// Four vertices at both ends of the step, in single precision, in a frame.
typedef struct toc_vertex4 {
    float at[2][3][4]; // by end, coordinate, vertex
} toc_vertex4;

/// @param v four vertices, of which x0 and x1 hold 3 doubles each.
void toc_vertex4_fill(const toc_frame *frame, const double *x0, const double *x1, const uint32_t v[4],
                      toc_vertex4 *out);

/// The vertices of elements and where they go, leaf by leaf as a tree has them: what two leaves are first compared by
/// stands together. Of each leaf first the ids of 4 * fours vertices, then the fours.
typedef struct toc_leaves {
    int fours; // 1, or 2 where any element has more than four vertices
    char *at;
} toc_leaves;

static inline size_t toc_leaf_bytes(int fours) { return (size_t)fours * (4 * sizeof(uint32_t) + sizeof(toc_vertex4)); }
static inline uint32_t *toc_leaf_ids(const toc_leaves *leaves, uint32_t leaf) {
    return (uint32_t *)(void *)(leaves->at + leaf * toc_leaf_bytes(leaves->fours));
}
static inline toc_vertex4 *toc_leaf_vertex4s(const toc_leaves *leaves, uint32_t leaf) {
    return (toc_vertex4 *)(void *)(toc_leaf_ids(leaves, leaf) + 4 * leaves->fours);
}

/// What the signs must clear, and how many axes to try.
typedef struct toc_csat {
    float reach;      // no coordinate of any four is larger
    float separation; // elements closer than this are not apart; in the frame
    int axes;
} toc_csat;

/// The test as it is measured best, of fours in a frame around all of them.
toc_csat toc_csat_make(const toc_frame *frame, double separation);

/// The number of the axis that keeps two elements of 1 or 2 fours apart, from 1 on; 0 where none of those tried does.
/// What is apart is so in real arithmetic, for the whole step. O(axes), no allocation.
int toc_csat_apart(const toc_csat *csat, int fours, const toc_vertex4 *a, const toc_vertex4 *b);

#endif
