// SPDX-License-Identifier: Apache-2.0
// Setting blocks, compiled for each instruction set: eight triangles at a time, directly from their vertices.
#include "bound/block.h"

static void block_from_dops(const toc_dop_kind *kind, const float *dops, const uint32_t *numbers, uint32_t count,
                            float *block) {
    const int directions = kind->directions, lanes = kind->lanes;
    for (uint32_t place = 0; place < TOC_BLOCK; place++) {
        const float *dop = dops + numbers[place < count ? place : count - 1] * toc_dop_floats(kind);
        for (int d = 0; d < directions; d++) {
            block[TOC_BLOCK * d + (int)place] = dop[d];
            block[TOC_BLOCK * (directions + d) + (int)place] = dop[lanes + d];
        }
    }
}

// Corners of eight triangles at both ends, coordinate by coordinate.
typedef struct eight_triangles {
    toc_eight at[2][3][3];
} eight_triangles;

static TOC_INLINE eight_triangles load_eight(const toc_packed_bounds *how, const uint32_t (*corners)[3],
                                             uint32_t count) {
    eight_triangles t;
    for (int k = 0; k < 3; k++) {
        const float *from[TOC_BLOCK];
        toc_eight x[6];
        for (uint32_t i = 0; i < TOC_BLOCK; i++) from[i] = how->packed[corners[i < count ? i : count - 1][k]].x0;
        toc_eight_load6(from, x);
        for (int c = 0; c < 3; c++) {
            t.at[0][k][c] = x[c];
            t.at[1][k][c] = x[c + 3];
            if (how->until < 1) t.at[1][k][c] = x[c] + (x[c + 3] - x[c]) * how->until;
        }
    }
    return t;
}

static TOC_INLINE toc_eight project_eight(const int8_t axis[3], const toc_eight p[3]) {
    return p[0] * (float)axis[0] + p[1] * (float)axis[1] + p[2] * (float)axis[2];
}

// Lows and highs of three corners along an axis.
typedef struct lane_extent {
    toc_eight low, high;
} lane_extent;

static TOC_INLINE lane_extent extent_of_corners(const int8_t axis[3], const toc_eight corner[3][3]) {
    const toc_eight a = project_eight(axis, corner[0]), b = project_eight(axis, corner[1]),
                    c = project_eight(axis, corner[2]);
    return (lane_extent){toc_eight_min(toc_eight_min(a, b), c), toc_eight_max(toc_eight_max(a, b), c)};
}

static TOC_INLINE void set_triangles(const toc_dop_kind *kind, int directions, int ends, const eight_triangles *t,
                                     float grown, float *block) {
    for (int d = 0; d < directions; d++) {
        lane_extent e[2];
        toc_eight *to = (toc_eight *)block + d;
        for (int end = 0; end < 2; end++) e[end] = extent_of_corners(kind->axes[d], t->at[end]);
        if (ends == 1) {
            e[0].low = toc_eight_min(e[0].low, e[1].low);
            e[0].high = toc_eight_max(e[0].high, e[1].high);
        }
        for (int end = 0; end < ends; end++, to += 2 * directions) {
            to[0] = e[end].low - grown;
            to[directions] = e[end].high + grown;
        }
    }
}

static void block_from_triangles(const toc_dop_kind *kind, const toc_packed_bounds *how, const uint32_t (*corners)[3],
                                 uint32_t count, int ends, float *block) {
    const int half = TOC_BLOCK * kind->directions;
    for (int i = 0; i < 2 * ends * half && how->grown == INFINITY; i++) block[i] = i / half % 2 ? INFINITY : -INFINITY;
    if (how->grown == INFINITY) return;
    const eight_triangles t = load_eight(how, corners, count);
    if (kind->directions == 8)
        ends == 1 ? set_triangles(kind, 8, 1, &t, how->grown, block) : set_triangles(kind, 8, 2, &t, how->grown, block);
    else
        set_triangles(kind, kind->directions, ends, &t, how->grown, block);
}

const toc_block_kernel TOC_FOR_LANES(toc_block_kernel) = {block_from_dops, block_from_triangles};
