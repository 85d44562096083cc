// SPDX-License-Identifier: Apache-2.0
// Overlap of two k-DOPs, as many slabs at a time as the instruction set has floats in a register: 4
// (everywhere), 8 (AVX2), 16 (AVX-512, which takes a whole DOP of 8 lanes at once).
#ifndef TOC_BOUND_OVERLAP_H
#define TOC_BOUND_OVERLAP_H

#include <stdbool.h>

#include "base/simd.h"

#if TOC_LANES == 8 && defined(__AVX512DQ__)
enum { TOC_SLABS = 16 };
typedef float toc_slabs __attribute__((vector_size(64), aligned(4), may_alias));
typedef __mmask16 toc_slab_mask;

static inline toc_slab_mask toc_slabs_above(toc_slabs a, toc_slabs b) {
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GT_OQ);
}
static inline bool toc_slabs_any(toc_slab_mask mask) { return mask != 0; }
/// Bit i is set if slab i is.
static inline unsigned toc_slabs_bits(toc_slab_mask mask) { return mask; }
/// The consecutive numbers that equal `other` in the bits `same`, and have none of the bits `not_both` in common.
static inline toc_slab_mask toc_slabs_match(const int32_t *numbers, int32_t other, int32_t same, int32_t not_both) {
    const __m512i all = _mm512_loadu_si512(numbers), differ = _mm512_xor_si512(all, _mm512_set1_epi32(other));
    const __mmask16 alike = _mm512_testn_epi32_mask(differ, _mm512_set1_epi32(same));
    return _mm512_mask_testn_epi32_mask(alike, all, _mm512_set1_epi32(other & not_both));
}
/// Restrict a mask to slabs where a is not above b; to consecutive numbers that differ from another one.
static inline toc_slab_mask toc_slabs_not_above(toc_slab_mask mask, toc_slabs a, toc_slabs b) {
    return _mm512_mask_cmp_ps_mask(mask, (__m512)a, (__m512)b, _CMP_NGT_UQ);
}
static inline toc_slab_mask toc_slabs_unlike(toc_slab_mask mask, const uint32_t *numbers, uint32_t other) {
    return _mm512_mask_cmpneq_epi32_mask(mask, _mm512_loadu_si512(numbers), _mm512_set1_epi32((int32_t)other));
}
static inline toc_slabs toc_slabs_select(toc_slab_mask mask, toc_slabs yes, toc_slabs no) {
    return (toc_slabs)_mm512_mask_mov_ps((__m512)no, mask, (__m512)yes);
}
static inline toc_slabs toc_slabs_most(toc_slabs a, toc_slabs b) {
    return (toc_slabs)_mm512_max_ps((__m512)a, (__m512)b);
}
static inline toc_slabs toc_slabs_least(toc_slabs a, toc_slabs b) {
    return (toc_slabs)_mm512_min_ps((__m512)a, (__m512)b);
}

/// The greatest and the least of all.
static inline float toc_slabs_greatest(toc_slabs a) { return _mm512_reduce_max_ps((__m512)a); }
static inline float toc_slabs_smallest(toc_slabs a) { return _mm512_reduce_min_ps((__m512)a); }

#else

#if TOC_LANES == 4 && defined(__AVX2__)
enum { TOC_SLABS = 8 };
typedef float toc_slabs __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t toc_slab_mask __attribute__((vector_size(32)));

static inline unsigned toc_slabs_bits(toc_slab_mask mask) { return (unsigned)_mm256_movemask_ps((__m256)mask); }
#else
enum { TOC_SLABS = 4 };
typedef float toc_slabs __attribute__((vector_size(16), aligned(4), may_alias));
typedef toc_four_mask toc_slab_mask;

static inline unsigned toc_slabs_bits(toc_slab_mask mask) { return toc_four_bits(mask); }
#endif

static inline bool toc_slabs_any(toc_slab_mask mask) { return toc_slabs_bits(mask) != 0; }
static inline toc_slab_mask toc_slabs_match(const int32_t *numbers, int32_t other, int32_t same, int32_t not_both) {
    toc_slab_mask all;
    memcpy(&all, numbers, sizeof all);
    return (((all ^ other) & same) | (all & other & not_both)) == 0;
}
static inline toc_slab_mask toc_slabs_not_above(toc_slab_mask mask, toc_slabs a, toc_slabs b) {
    return mask & ~(a > b);
}
static inline toc_slab_mask toc_slabs_unlike(toc_slab_mask mask, const uint32_t *numbers, uint32_t other) {
    toc_slab_mask all;
    memcpy(&all, numbers, sizeof all);
    return mask & (all != (int32_t)other);
}
static inline toc_slab_mask toc_slabs_above(toc_slabs a, toc_slabs b) { return a > b; }
static inline toc_slabs toc_slabs_select(toc_slab_mask mask, toc_slabs yes, toc_slabs no) {
    return (toc_slabs)(((toc_slab_mask)yes & mask) | ((toc_slab_mask)no & ~mask));
}
static inline toc_slabs toc_slabs_most(toc_slabs a, toc_slabs b) { return toc_slabs_select(a > b, a, b); }
static inline toc_slabs toc_slabs_least(toc_slabs a, toc_slabs b) { return toc_slabs_select(a < b, a, b); }
static inline float toc_slabs_greatest(toc_slabs a) {
    float most = a[0];
    for (int i = 1; i < TOC_SLABS; i++) most = a[i] > most ? a[i] : most;
    return most;
}
static inline float toc_slabs_smallest(toc_slabs a) { return -toc_slabs_greatest(-a); }
#endif

/// Extend a DOP of `lanes` lows and highs to hold the other one.
static TOC_INLINE void toc_dop_hold(int lanes, const float *restrict other, float *restrict dop) {
    for (int d = 0; d < lanes; d++) dop[d] = other[d] < dop[d] ? other[d] : dop[d];
    for (int d = lanes; d < 2 * lanes; d++) dop[d] = other[d] > dop[d] ? other[d] : dop[d];
}

/// The number of registers that hold the gaps between two DOPs: from the lows of each to the highs of the other.
static TOC_INLINE int toc_dops_parts(int lanes) { return 2 * lanes / TOC_SLABS; }

/// Register i of the gaps, rounded to nearest. A gap is positive if and only if the slabs are apart.
static TOC_INLINE toc_slabs toc_dops_gap(const float *a, const float *b, int lanes, int i) {
#if TOC_LANES == 8 && defined(__AVX512DQ__)
    if (lanes == 8) { // lows less highs, and highs less lows with the sign turned
        const __m512 other = _mm512_loadu_ps(b), turned = _mm512_shuffle_f32x4(other, other, 0x4e);
        const __m512 sign =
            _mm512_castsi512_ps(_mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi32(INT32_MIN), 1));
        return (toc_slabs)_mm512_xor_ps(_mm512_sub_ps(_mm512_loadu_ps(a), turned), sign);
    }
#endif
    const float *low = i % 2 ? b : a, *high = i % 2 ? a : b;
    const size_t at = (size_t)(i / 2 * TOC_SLABS);
    return *(const toc_slabs *)(low + at) - *(const toc_slabs *)(high + at + (size_t)lanes);
}

/// Whether two DOPs of `lanes` lows and highs overlap. Touching ones do.
static TOC_INLINE bool toc_dops_overlap(const float *a, const float *b, int lanes) {
    const toc_slabs none = {0};
    toc_slab_mask apart = toc_slabs_above(toc_dops_gap(a, b, lanes, 0), none);
    for (int i = 1; i < toc_dops_parts(lanes); i++) apart |= toc_slabs_above(toc_dops_gap(a, b, lanes, i), none);
    return !toc_slabs_any(apart);
}

#endif
