// SPDX-License-Identifier: Apache-2.0
// Continuous separating axis test of two elements: whether they stay apart along a fixed axis for the whole step.
#ifndef TOC_CULL_VOLUME_CSAT_H
#define TOC_CULL_VOLUME_CSAT_H

#include <stdbool.h>

#include "bound/dop.h"

/// Four vertices at both ends of the step, in single precision, in a frame.
typedef struct toc_vertex4 {
    float at[2][3][4]; // by end, coordinate, vertex
} toc_vertex4;

/// Convert four vertices to the frame.
/// @param v four vertices; x0 and x1 hold 3 doubles for each.
void toc_vertex4_fill(const toc_frame *frame, const double *x0, const double *x1, const uint32_t v[4],
                      toc_vertex4 *out);

/// The vertices of elements and their positions, in the order of the leaves of a tree, so that the data of a leaf is
/// contiguous. Each leaf has the ids of 4 * fours vertices, then the fours, and with parabolic paths as many more for
/// their control points.
typedef struct toc_leaves {
    int fours; // 1, or 2 if any element has more than four vertices
    bool curved;
    char *at;
} toc_leaves;

static inline size_t toc_leaf_bytes(int fours, bool curved) {
    return (size_t)fours * (4 * sizeof(uint32_t) + (curved ? 2 : 1) * sizeof(toc_vertex4));
}
static inline uint32_t *toc_leaf_ids(const toc_leaves *leaves, uint32_t leaf) {
    return (uint32_t *)(void *)(leaves->at + leaf * toc_leaf_bytes(leaves->fours, leaves->curved));
}
static inline toc_vertex4 *toc_leaf_vertex4s(const toc_leaves *leaves, uint32_t leaf) {
    return (toc_vertex4 *)(void *)(toc_leaf_ids(leaves, leaf) + 4 * leaves->fours);
}

/// Parameters of the test.
typedef struct toc_csat {
    float reach;      // the largest coordinate of any four
    float separation; // elements closer than this are not apart; in the frame
    int axes;         // number of axes to try
    bool curved;      // paths are parabolas: behind the fours of an element are those of its control points
} toc_csat;

/// The fastest parameters measured, for a frame around all fours.
toc_csat toc_csat_make(const toc_frame *frame, double separation);

/// Search an axis that separates two elements of 1 or 2 fours. @return its number, from 1 on; 0 if no tried axis does.
/// Separated elements are apart in real arithmetic, for the whole step. O(axes), no allocation.
int toc_csat_apart(const toc_csat *csat, int fours, const toc_vertex4 *a, const toc_vertex4 *b);

#endif
