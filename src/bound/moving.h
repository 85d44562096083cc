// SPDX-License-Identifier: Apache-2.0
// The moving DOP of one triangle, directly from its packed vertices, for DOPs that are not worth storing.
#ifndef TOC_BOUND_MOVING_H
#define TOC_BOUND_MOVING_H

#include "bound/packed.h"
#include "bound/span.h"

/// The directions of a kind, coordinate by coordinate, and the margin along each of them.
typedef struct toc_dop_axes {
    int lanes;
    float of[3][16];
    float grown[16]; // infinite after the last direction: these slabs hold everything
} toc_dop_axes;

/// @param grown toc_packed_grown.
static inline toc_dop_axes toc_dop_axes_of(const toc_dop_kind *kind, float grown) {
    toc_dop_axes axes = {.lanes = kind->lanes};
    for (int d = 0; d < 16; d++) axes.grown[d] = d < kind->directions ? grown : INFINITY;
    for (int d = 0; d < kind->directions; d++)
        for (int c = 0; c < 3; c++) axes.of[c][d] = kind->axes[d][c];
    return axes;
}

// The DOP of three points along eight directions from `first` on.
static TOC_INLINE void toc_dop_of_three(const toc_dop_axes *axes, int first, int lanes, const float *const points[3],
                                        float *dop) {
    const toc_eight grown = *(const toc_eight *)(axes->grown + first);
    toc_eight at[3];
    for (int k = 0; k < 3; k++)
        at[k] = points[k][0] * *(const toc_eight *)(axes->of[0] + first) +
                points[k][1] * *(const toc_eight *)(axes->of[1] + first) +
                points[k][2] * *(const toc_eight *)(axes->of[2] + first);
    *(toc_eight *)(dop + first) = toc_eight_min(toc_eight_min(at[0], at[1]), at[2]) - grown;
    *(toc_eight *)(dop + first + lanes) = toc_eight_max(toc_eight_max(at[0], at[1]), at[2]) + grown;
}

/// Set a moving DOP to that of a triangle: the DOP at the start, then the DOP at the end. The sums and their error
/// bound are those of toc_block_of_triangles. With an infinite margin, coordinates may have overflowed: the DOP holds
/// everything.
static TOC_INLINE void toc_dop_of_packed(const toc_dop_axes *axes, int lanes, const toc_packed *packed,
                                         const uint32_t corners[3], float *dop) {
    if (axes->grown[0] == INFINITY) {
        for (int i = 0; i < 4 * lanes; i++) dop[i] = i / lanes % 2 ? INFINITY : -INFINITY;
        return;
    }
    const toc_packed *a = &packed[corners[0]], *b = &packed[corners[1]], *c = &packed[corners[2]];
    for (int first = 0; first < lanes; first += 8) {
        toc_dop_of_three(axes, first, lanes, (const float *const[]){a->x0, b->x0, c->x0}, dop);
        toc_dop_of_three(axes, first, lanes, (const float *const[]){a->x1, b->x1, c->x1}, dop + 2 * lanes);
    }
}

#endif
