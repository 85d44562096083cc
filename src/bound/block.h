// SPDX-License-Identifier: Apache-2.0
// Blocks: the DOPs of up to eight primitives, slab by slab, so that a DOP is compared with all of them at a time.
//
// A block has a row of eight lows for each direction, then a row of eight highs for each; moving DOPs have the same
// again for the end of the step. Unused places repeat the last used one, so the bound of all places is the bound of the
// block.
#ifndef TOC_BOUND_BLOCK_H
#define TOC_BOUND_BLOCK_H

#include "bound/packed.h"
#include "bound/span.h"

enum { TOC_BLOCK = 8 };

/// Floats of a block with `ends` DOPs for each primitive: 1, or 2 for moving DOPs.
static inline size_t toc_block_floats(const toc_dop_kind *kind, int ends) {
    return (size_t)ends * 2 * TOC_BLOCK * (size_t)kind->directions;
}

/// Set a block to the DOPs of one to eight primitives.
/// @param dops by number, @param numbers of the primitives.
void toc_block_of_dops(const toc_dop_kind *kind, const float *dops, const uint32_t *numbers, uint32_t count,
                       float *block);

/// Parameters of bounds of packed vertices.
typedef struct toc_packed_bounds {
    const toc_packed *packed;
    float grown; // margin on all sides: toc_packed_grown
    float until; // the end of the bounded part of the step, 0 .. 1
} toc_packed_bounds;

/// The margin of each point, for a thickness and for the rounding of packed coordinates up to `far`. Infinite if `far`
/// is: then bounds hold everything.
float toc_packed_grown(const toc_frame *frame, double thickness, double far);

/// Set a block to the swept DOPs of one to eight triangles, or, with two ends, to moving ones.
void toc_block_of_triangles(const toc_dop_kind *kind, const toc_packed_bounds *how, const uint32_t (*corners)[3],
                            uint32_t count, int ends, float *block);

/// The kernels, compiled for each instruction set.
typedef struct toc_block_kernel {
    void (*of_dops)(const toc_dop_kind *kind, const float *dops, const uint32_t *numbers, uint32_t count, float *block);
    void (*of_triangles)(const toc_dop_kind *kind, const toc_packed_bounds *how, const uint32_t (*corners)[3],
                         uint32_t count, int ends, float *block);
} toc_block_kernel;
extern const toc_block_kernel toc_block_kernel1, toc_block_kernel4, toc_block_kernel8;

// ---- comparing, within kernels

#if TOC_LANES == 8 && defined(__AVX512VL__) && defined(__AVX512DQ__)
typedef __mmask8 toc_places;
static inline toc_places toc_places_above(toc_eight a, toc_eight b) {
    return _mm256_cmp_ps_mask((__m256)a, (__m256)b, _CMP_GT_OQ);
}
static inline toc_places toc_places_equal(const uint32_t *numbers, uint32_t other) {
    return _mm256_cmpeq_epi32_mask(_mm256_loadu_si256((const __m256i *)numbers), _mm256_set1_epi32((int32_t)other));
}
static inline unsigned toc_places_bits(toc_places places) { return places; }
#else
typedef toc_eight_mask toc_places;
static inline toc_places toc_places_above(toc_eight a, toc_eight b) { return toc_eight_above(a, b); }
static inline toc_places toc_places_equal(const uint32_t *numbers, uint32_t other) {
    return toc_eight_equal(*(const toc_eight_mask *)numbers, (toc_eight_mask){0} + (int32_t)other);
}
static inline unsigned toc_places_bits(toc_places places) { return toc_eight_bits(places); }
#endif

/// The layout of the slabs of a DOP: of a node, or of one place of a block.
typedef struct toc_slabs_of {
    const float *low, *high;
    size_t stride, end; // to the next slab; to the end of the step
} toc_slabs_of;

static TOC_INLINE toc_slabs_of toc_slabs_of_dop(const float *dop, int lanes) {
    return (toc_slabs_of){dop, dop + lanes, 1, 2 * (size_t)lanes};
}
static TOC_INLINE toc_slabs_of toc_slabs_of_place(const float *block, int directions, unsigned place) {
    const size_t high = TOC_BLOCK * (size_t)directions;
    return (toc_slabs_of){block + place, block + place + high, TOC_BLOCK, 2 * high};
}

// The places without a positive gap, given the largest gap of each. Gaps are rounded; their signs are exact.
static TOC_INLINE unsigned toc_places_within(toc_eight gap) {
    return ~toc_places_bits(toc_places_above(gap, (toc_eight){0})) & 0xff;
}

/// The places of a block, as bits, that a swept DOP overlaps.
static TOC_INLINE unsigned toc_block_overlap(const float *block, int directions, toc_slabs_of dop) {
    const toc_eight *low = (const toc_eight *)block, *high = low + directions;
    toc_eight gap = toc_eight_all(-INFINITY);
    for (int d = 0; d < directions; d++) {
        gap = toc_eight_max(gap, low[d] - dop.high[(size_t)d * dop.stride]);
        gap = toc_eight_max(gap, dop.low[(size_t)d * dop.stride] - high[d]);
    }
    return toc_places_within(gap);
}

/// Positive if a gap stays positive until the end of the window, or throughout the step: toc_gaps_tell.
static TOC_INLINE toc_eight toc_gap_lasting(toc_eight from, toc_eight to, toc_look look, bool whole) {
    if (!whole) to = toc_eight_max(to, from - (from - to) * look.reach);
    return toc_eight_min(from, to);
}

/// The places of a block, as bits, that a moving DOP may meet: toc_dops_may_meet.
/// @param whole whether the window is the whole step.
static TOC_INLINE unsigned toc_block_may_meet(const float *block, int directions, toc_slabs_of dop, toc_look look,
                                              bool whole) {
    const toc_eight *low = (const toc_eight *)block, *high = low + directions;
    const toc_eight *low1 = low + 2 * directions, *high1 = high + 2 * directions;
    toc_eight gap = toc_eight_all(-INFINITY);
    for (int d = 0; d < directions; d++) {
        const float *l = dop.low + (size_t)d * dop.stride, *h = dop.high + (size_t)d * dop.stride;
        gap = toc_eight_max(gap, toc_gap_lasting(low[d] - h[0], low1[d] - h[dop.end], look, whole));
        gap = toc_eight_max(gap, toc_gap_lasting(l[0] - high[d], l[dop.end] - high1[d], look, whole));
    }
    return toc_places_within(gap);
}

// The least of each of eight rows.
static TOC_INLINE toc_eight toc_rows_least(const toc_eight row[8]) {
    toc_eight pair[4], four[2];
    for (int i = 0; i < 4; i++) {
        const toc_eight a = row[2 * i], b = row[2 * i + 1];
        pair[i] = toc_eight_min(__builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13),
                                __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15));
    }
    for (int i = 0; i < 2; i++) {
        const toc_eight a = pair[2 * i], b = pair[2 * i + 1];
        four[i] = toc_eight_min(__builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13),
                                __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15));
    }
    return toc_eight_min(__builtin_shufflevector(four[0], four[1], 0, 1, 2, 3, 8, 9, 10, 11),
                         __builtin_shufflevector(four[0], four[1], 4, 5, 6, 7, 12, 13, 14, 15));
}

/// Set a DOP to hold all places of a block, at one end.
static TOC_INLINE void toc_block_hold(const float *block, int directions, int lanes, float *dop) {
    for (int first = 0; first < lanes; first += 8) {
        toc_eight low[8], high[8]; // negated, so that the least is needed for both
        for (int i = 0; i < 8; i++) {
            const bool is = first + i < directions;
            const toc_eight *at = (const toc_eight *)block + first + i;
            low[i] = is ? at[0] : toc_eight_all(-INFINITY);
            high[i] = is ? -at[directions] : toc_eight_all(-INFINITY);
        }
        *(toc_eight *)(dop + first) = toc_rows_least(low);
        *(toc_eight *)(dop + lanes + first) = -toc_rows_least(high);
    }
}

#endif
