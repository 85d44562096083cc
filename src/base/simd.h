// SPDX-License-Identifier: Apache-2.0
// One wide type. A kernel is written once over `toc_wide` and compiled once for each instruction set, with
// TOC_LANES doubles at a time: 1 (the reference), 4 (AVX2; two registers of NEON or WebAssembly), 8 (AVX-512); or,
// where it says TOC_SINGLE before this is included, with twice as many floats (a device: with as many). Comparisons
// give -1 or 0 in each lane. No other file includes a header of a processor.
#ifndef TOC_BASE_SIMD_H
#define TOC_BASE_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#ifndef TOC_LANES
#define TOC_LANES 1
#endif

/// The name of a kernel where it is compiled: NAME1, NAME4 or NAME8; within a device kernel (device/kernel.h) it is a
/// function of that file.
#define TOC_FOR_LANES_(name, lanes) name##lanes
#define TOC_FOR_LANES__(name, lanes) TOC_FOR_LANES_(name, lanes)
#ifdef TOC_IN_DEVICE
#define TOC_FOR_LANES(name) TOC_FOR_LANES__(name, TOC_IN_DEVICE)
#else
#define TOC_FOR_LANES(name) TOC_FOR_LANES__(name, TOC_LANES)
#endif

/// For functions that must be inlined: code that is compiled once for each kind of pair or number of lanes.
#define TOC_INLINE inline __attribute__((always_inline))
/// For rare paths whose registers a caller should not save.
#define TOC_NOINLINE __attribute__((noinline))

// The calling convention of vectors does not matter: all functions with vectors are inlined.
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

/// The mask of four floats, in one register of every instruction set; bit i is set if lane i is.
typedef int32_t toc_four_mask __attribute__((vector_size(16)));
static inline unsigned toc_four_bits(toc_four_mask mask) {
#if defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)mask);
#elif defined(__aarch64__)
    return vaddvq_u32((uint32x4_t)(mask & (toc_four_mask){1, 2, 4, 8}));
#elif defined(__wasm_simd128__)
    return (unsigned)wasm_i32x4_bitmask((v128_t)mask);
#else
    return (unsigned)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}

/// Eight floats on every instruction set, and the mask that comparisons of them give.
typedef float toc_eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t toc_eight_mask __attribute__((vector_size(32), aligned(4), may_alias));

/// NAME(a, b) on vectors of two registers of 128 bits each: `operation` on the registers p and q. gcc compares wider
/// vectors than registers number by number.
#define TOC_BY_HALVES(name, in, register_in, out, register_out, operation) \
    static inline out name(in a, in b) {                                   \
        register_in x[2], y[2];                                            \
        register_out z[2];                                                 \
        out made;                                                          \
        memcpy(x, &a, sizeof x);                                           \
        memcpy(y, &b, sizeof y);                                           \
        for (int h = 0; h < 2; h++) {                                      \
            const register_in p = x[h], q = y[h];                          \
            z[h] = operation;                                              \
        }                                                                  \
        memcpy(&made, z, sizeof made);                                     \
        return made;                                                       \
    }

static inline toc_eight toc_eight_all(float x) { return x - (toc_eight){0}; }
#ifdef __AVX2__
static inline toc_eight toc_eight_min(toc_eight a, toc_eight b) {
    return (toc_eight)_mm256_min_ps((__m256)a, (__m256)b);
}
static inline toc_eight toc_eight_max(toc_eight a, toc_eight b) {
    return (toc_eight)_mm256_max_ps((__m256)a, (__m256)b);
}
static inline unsigned toc_eight_bits(toc_eight_mask mask) { return (unsigned)_mm256_movemask_ps((__m256)mask); }
#elif defined(__wasm_simd128__)
// wasm's pmin(q, p) is p < q ? p : q, also for NaNs.
TOC_BY_HALVES(toc_eight_min, toc_eight, v128_t, toc_eight, v128_t, wasm_f32x4_pmin(q, p))
TOC_BY_HALVES(toc_eight_max, toc_eight, v128_t, toc_eight, v128_t, wasm_f32x4_pmax(q, p))
#elif defined(__aarch64__)
TOC_BY_HALVES(toc_eight_min, toc_eight, float32x4_t, toc_eight, float32x4_t, vbslq_f32(vcltq_f32(p, q), p, q))
TOC_BY_HALVES(toc_eight_max, toc_eight, float32x4_t, toc_eight, float32x4_t, vbslq_f32(vcgtq_f32(p, q), p, q))
#else
static inline toc_eight toc_eight_min(toc_eight a, toc_eight b) {
    const toc_eight_mask less = a < b;
    return (toc_eight)(((toc_eight_mask)a & less) | ((toc_eight_mask)b & ~less));
}
static inline toc_eight toc_eight_max(toc_eight a, toc_eight b) { return -toc_eight_min(-a, -b); }
#endif
#ifdef __aarch64__
TOC_BY_HALVES(toc_eight_above, toc_eight, float32x4_t, toc_eight_mask, uint32x4_t, vcgtq_f32(p, q))
TOC_BY_HALVES(toc_eight_equal, toc_eight_mask, int32x4_t, toc_eight_mask, uint32x4_t, vceqq_s32(p, q))
#else
static inline toc_eight_mask toc_eight_above(toc_eight a, toc_eight b) { return a > b; }
static inline toc_eight_mask toc_eight_equal(toc_eight_mask a, toc_eight_mask b) { return a == b; }
#endif
#ifndef __AVX2__
static inline unsigned toc_eight_bits(toc_eight_mask mask) {
    toc_four_mask half[2];
    memcpy(half, &mask, sizeof half);
    return toc_four_bits(half[0]) | toc_four_bits(half[1]) << 4;
}
#endif

/// Load eight consecutive floats from each of eight places, as six vectors, without the fourth and the eighth.
static inline void toc_eight_load6(const float *const from[8], toc_eight out[6]) {
#ifdef __AVX2__
    __m256 half[2][3]; // x, y, z of four places: the first four floats, and the others
    for (int h = 0; h < 2; h++) {
        __m256 row[4];
        for (int i = 0; i < 4; i++) row[i] = _mm256_loadu_ps(from[4 * h + i]);
        const __m256 xy01 = _mm256_unpacklo_ps(row[0], row[1]), xy23 = _mm256_unpacklo_ps(row[2], row[3]);
        const __m256 z01 = _mm256_unpackhi_ps(row[0], row[1]), z23 = _mm256_unpackhi_ps(row[2], row[3]);
        half[h][0] = _mm256_shuffle_ps(xy01, xy23, 0x44);
        half[h][1] = _mm256_shuffle_ps(xy01, xy23, 0xee);
        half[h][2] = _mm256_shuffle_ps(z01, z23, 0x44);
    }
    for (int c = 0; c < 3; c++) {
        out[c] = (toc_eight)_mm256_permute2f128_ps(half[0][c], half[1][c], 0x20);
        out[c + 3] = (toc_eight)_mm256_permute2f128_ps(half[0][c], half[1][c], 0x31);
    }
#else
    for (int c = 0; c < 6; c++)
        for (int i = 0; i < 8; i++) out[c][i] = from[i][c < 3 ? c : c + 1];
#endif
}

#ifdef TOC_SINGLE
typedef float toc_real;
typedef int32_t toc_real_bits;
#ifdef TOC_IN_DEVICE
#define TOC_WIDTH TOC_LANES // fewer registers, so that more threads run at a time
#else
#define TOC_WIDTH (2 * TOC_LANES)
#endif
#define TOC_OF_REALS(operation) operation##_ps
#define TOC_HALF float32x4_t
#define TOC_OF_HALF(operation) operation##_f32
#else
typedef double toc_real;
typedef int64_t toc_real_bits;
#define TOC_WIDTH TOC_LANES
#define TOC_OF_REALS(operation) operation##_pd
#define TOC_HALF float64x2_t
#define TOC_OF_HALF(operation) operation##_f64
#endif

typedef toc_real toc_wide __attribute__((vector_size(TOC_WIDTH * sizeof(toc_real))));
typedef toc_real_bits toc_mask __attribute__((vector_size(TOC_WIDTH * sizeof(toc_real))));

static inline toc_wide toc_wide_all(toc_real x) { return x - (toc_wide){0}; }

static inline toc_wide toc_wide_load(const toc_real *from) {
    toc_wide w;
    memcpy(&w, from, sizeof w);
    return w;
}

#ifdef TOC_SINGLE
/// Load eight consecutive floats from each of TOC_WIDTH places, as six wides, without the fourth and the eighth.
static inline void toc_wide_load6(const float *const from[TOC_WIDTH], toc_wide out[6]) {
#if TOC_LANES == 8 && defined(__AVX512DQ__)
    __m512 half[2][3]; // x, y, z of eight places: the first four floats of four of them, the others, and so on
    for (int h = 0; h < 2; h++) {
        __m512 row[4];
        for (int i = 0; i < 4; i++)
            row[i] = _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(from[8 * h + i])),
                                        _mm256_loadu_ps(from[8 * h + 4 + i]), 1);
        const __m512 xy01 = _mm512_unpacklo_ps(row[0], row[1]), xy23 = _mm512_unpacklo_ps(row[2], row[3]);
        const __m512 z01 = _mm512_unpackhi_ps(row[0], row[1]), z23 = _mm512_unpackhi_ps(row[2], row[3]);
        half[h][0] = _mm512_shuffle_ps(xy01, xy23, 0x44);
        half[h][1] = _mm512_shuffle_ps(xy01, xy23, 0xee);
        half[h][2] = _mm512_shuffle_ps(z01, z23, 0x44);
    }
    for (int c = 0; c < 3; c++) {
        out[c] = (toc_wide)_mm512_shuffle_f32x4(half[0][c], half[1][c], 0x88);
        out[c + 3] = (toc_wide)_mm512_shuffle_f32x4(half[0][c], half[1][c], 0xdd);
    }
#elif TOC_LANES == 4 && defined(__AVX2__)
    toc_eight_load6(from, out);
#else
    for (int c = 0; c < 6; c++) {
        float column[TOC_WIDTH];
        for (int i = 0; i < TOC_WIDTH; i++) column[i] = from[i][c < 3 ? c : c + 1];
        out[c] = toc_wide_load(column);
    }
#endif
}
#else
#if TOC_LANES == 8 && defined(__AVX512VL__)
/// Rows of four doubles become columns: rows i and i + 4 in register i.
static inline void toc_wide_turn4(const __m512d pair[4], toc_wide out[4]) {
    const __m512i low = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0), high = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
    const __m512d xz01 = _mm512_unpacklo_pd(pair[0], pair[1]), xz23 = _mm512_unpacklo_pd(pair[2], pair[3]);
    const __m512d yw01 = _mm512_unpackhi_pd(pair[0], pair[1]), yw23 = _mm512_unpackhi_pd(pair[2], pair[3]);
    out[0] = (toc_wide)_mm512_permutex2var_pd(xz01, low, xz23);
    out[1] = (toc_wide)_mm512_permutex2var_pd(yw01, low, yw23);
    out[2] = (toc_wide)_mm512_permutex2var_pd(xz01, high, xz23);
    out[3] = (toc_wide)_mm512_permutex2var_pd(yw01, high, yw23);
}
#elif TOC_LANES == 4 && defined(__AVX2__)
static inline void toc_wide_turn4(const __m256d row[4], toc_wide out[4]) {
    const __m256d xz01 = _mm256_unpacklo_pd(row[0], row[1]), xz23 = _mm256_unpacklo_pd(row[2], row[3]);
    const __m256d yw01 = _mm256_unpackhi_pd(row[0], row[1]), yw23 = _mm256_unpackhi_pd(row[2], row[3]);
    out[0] = (toc_wide)_mm256_permute2f128_pd(xz01, xz23, 0x20);
    out[1] = (toc_wide)_mm256_permute2f128_pd(yw01, yw23, 0x20);
    out[2] = (toc_wide)_mm256_permute2f128_pd(xz01, xz23, 0x31);
    out[3] = (toc_wide)_mm256_permute2f128_pd(yw01, yw23, 0x31);
}
#endif

/// Load three consecutive doubles from each of TOC_LANES places, as three wides: x, y, z.
static inline void toc_wide_load3(const double *const from[TOC_LANES], toc_wide out[3]) {
#if TOC_LANES == 8 && defined(__AVX512VL__)
    __m512d pair[4];
    toc_wide turned[4];
    for (int i = 0; i < 4; i++)
        pair[i] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_maskz_loadu_pd(7, from[i])),
                                     _mm256_maskz_loadu_pd(7, from[i + 4]), 1);
    toc_wide_turn4(pair, turned);
    for (int c = 0; c < 3; c++) out[c] = turned[c];
#elif TOC_LANES == 4 && defined(__AVX2__)
    const __m256i three = _mm256_set_epi64x(0, -1, -1, -1);
    __m256d row[4];
    toc_wide turned[4];
    for (int i = 0; i < 4; i++) row[i] = _mm256_maskload_pd(from[i], three);
    toc_wide_turn4(row, turned);
    for (int c = 0; c < 3; c++) out[c] = turned[c];
#else
    for (int c = 0; c < 3; c++) {
        double column[TOC_LANES];
        for (int i = 0; i < TOC_LANES; i++) column[i] = from[i][c];
        out[c] = toc_wide_load(column);
    }
#endif
}

/// Load four consecutive doubles from each of TOC_LANES places, as four wides.
static inline void toc_wide_load4(const double *const from[TOC_LANES], toc_wide out[4]) {
#if TOC_LANES == 8 && defined(__AVX512VL__)
    __m512d pair[4];
    for (int i = 0; i < 4; i++)
        pair[i] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(from[i])), _mm256_loadu_pd(from[i + 4]), 1);
    toc_wide_turn4(pair, out);
#elif TOC_LANES == 4 && defined(__AVX2__)
    __m256d row[4];
    for (int i = 0; i < 4; i++) row[i] = _mm256_loadu_pd(from[i]);
    toc_wide_turn4(row, out);
#else
    for (int c = 0; c < 4; c++) {
        double column[TOC_LANES];
        for (int i = 0; i < TOC_LANES; i++) column[i] = from[i][c];
        out[c] = toc_wide_load(column);
    }
#endif
}
#endif

static inline void toc_wide_store(toc_real *to, toc_wide w) { memcpy(to, &w, sizeof w); }

/// `yes` in lanes where the mask is set, else `no`.
static inline toc_wide toc_wide_select(toc_mask mask, toc_wide yes, toc_wide no) {
#if TOC_LANES == 8 && defined(__AVX512DQ__) && defined(TOC_SINGLE)
    return (toc_wide)_mm512_mask_blend_ps(_mm512_movepi32_mask((__m512i)mask), no, yes);
#elif TOC_LANES == 8 && defined(__AVX512DQ__)
    return (toc_wide)_mm512_mask_blend_pd(_mm512_movepi64_mask((__m512i)mask), no, yes);
#else
    return (toc_wide)((mask & (toc_mask)yes) | (~mask & (toc_mask)no));
#endif
}

#if TOC_LANES == 8 && defined(__AVX512F__)
#define TOC_REGISTER(operation) TOC_OF_REALS(_mm512_##operation)
#elif TOC_LANES == 4 && defined(__AVX2__)
#define TOC_REGISTER(operation) TOC_OF_REALS(_mm256_##operation)
#endif

// The smaller and the larger of two; b if either is a NaN, on every instruction set.
#ifdef TOC_REGISTER
static inline toc_wide toc_wide_min(toc_wide a, toc_wide b) { return (toc_wide)TOC_REGISTER(min)(a, b); }
static inline toc_wide toc_wide_max(toc_wide a, toc_wide b) { return (toc_wide)TOC_REGISTER(max)(a, b); }
static inline toc_wide toc_wide_sqrt(toc_wide a) { return (toc_wide)TOC_REGISTER(sqrt)(a); }
#else
#if TOC_LANES == 4 && defined(__aarch64__)
TOC_BY_HALVES(toc_wide_min, toc_wide, TOC_HALF, toc_wide, TOC_HALF, TOC_OF_HALF(vbslq)(TOC_OF_HALF(vcltq)(p, q), p, q))
TOC_BY_HALVES(toc_wide_max, toc_wide, TOC_HALF, toc_wide, TOC_HALF, TOC_OF_HALF(vbslq)(TOC_OF_HALF(vcgtq)(p, q), p, q))
#else
static inline toc_wide toc_wide_min(toc_wide a, toc_wide b) { return toc_wide_select(a < b, a, b); }
static inline toc_wide toc_wide_max(toc_wide a, toc_wide b) { return toc_wide_select(a > b, a, b); }
#endif
static inline toc_wide toc_wide_sqrt(toc_wide a) {
#if TOC_LANES == 4 && defined(__aarch64__)
    TOC_HALF half[2];
    memcpy(half, &a, sizeof half);
    for (int h = 0; h < 2; h++) half[h] = TOC_OF_HALF(vsqrtq)(half[h]);
    memcpy(&a, half, sizeof a);
    return a;
#else
    for (int i = 0; i < TOC_WIDTH; i++) a[i] = (toc_real)sqrt(a[i]);
    return a;
#endif
}
#endif
static inline toc_wide toc_wide_abs(toc_wide a) {
    const toc_mask clear = (toc_mask)toc_wide_all((toc_real)-0.0);
    return (toc_wide)((toc_mask)a & ~clear);
}

/// Bit i is set if lane i is.
static inline unsigned toc_mask_bits(toc_mask mask) {
#if TOC_LANES == 8 && defined(__AVX512DQ__) && defined(TOC_SINGLE)
    return (unsigned)_mm512_movepi32_mask((__m512i)mask);
#elif TOC_LANES == 8 && defined(__AVX512DQ__)
    return (unsigned)_mm512_movepi64_mask((__m512i)mask);
#elif TOC_LANES == 4 && defined(__AVX2__)
    return (unsigned)TOC_REGISTER(movemask)((toc_wide)mask);
#elif TOC_LANES == 4 && defined(TOC_SINGLE)
    return toc_eight_bits((toc_eight_mask)mask);
#elif TOC_LANES == 4 && defined(__wasm_simd128__)
    v128_t half[2];
    memcpy(half, &mask, sizeof half);
    return (unsigned)wasm_i64x2_bitmask(half[0]) | (unsigned)wasm_i64x2_bitmask(half[1]) << 2;
#elif TOC_LANES == 4 && defined(__aarch64__)
    uint64x2_t half[2];
    memcpy(half, &mask, sizeof half);
    const uint64x2_t low = {1, 2}, high = {4, 8};
    return (unsigned)vaddvq_u64(vorrq_u64(vandq_u64(half[0], low), vandq_u64(half[1], high)));
#else
    unsigned bits = 0;
    for (int i = 0; i < TOC_WIDTH; i++) bits |= (unsigned)(mask[i] & 1) << i;
    return bits;
#endif
}

/// Whether any lane is set.
static inline int toc_mask_any(toc_mask mask) { return toc_mask_bits(mask) != 0; }

#endif
