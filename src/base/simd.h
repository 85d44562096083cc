// SPDX-License-Identifier: Apache-2.0
// One wide type. A kernel is written once over `toc_wide` and compiled once for each instruction set, with
// TOC_LANES doubles at a time: 1 (the reference), 4 (AVX2), 8 (AVX-512). Comparisons give -1 or 0 in each lane.
#ifndef TOC_BASE_SIMD_H
#define TOC_BASE_SIMD_H

#include <stdint.h>
#include <string.h>

#ifndef TOC_LANES
#define TOC_LANES 1
#endif

typedef double toc_wide __attribute__((vector_size(8 * TOC_LANES)));
typedef int64_t toc_mask __attribute__((vector_size(8 * TOC_LANES)));

static inline toc_wide toc_wide_all(double x) {
    toc_wide w;
    for (int i = 0; i < TOC_LANES; i++) w[i] = x;
    return w;
}

static inline toc_wide toc_wide_load(const double *from) {
    toc_wide w;
    memcpy(&w, from, sizeof w);
    return w;
}

static inline void toc_wide_store(double *to, toc_wide w) { memcpy(to, &w, sizeof w); }

/// yes where the mask is set, no elsewhere.
static inline toc_wide toc_wide_select(toc_mask mask, toc_wide yes, toc_wide no) {
    return (toc_wide)((mask & (toc_mask)yes) | (~mask & (toc_mask)no));
}

static inline toc_wide toc_wide_min(toc_wide a, toc_wide b) { return toc_wide_select(a < b, a, b); }
static inline toc_wide toc_wide_max(toc_wide a, toc_wide b) { return toc_wide_select(a > b, a, b); }
static inline toc_wide toc_wide_abs(toc_wide a) {
    const toc_mask clear = (toc_mask)toc_wide_all(-0.0);
    return (toc_wide)((toc_mask)a & ~clear);
}

/// Whether any lane is set.
static inline int toc_mask_any(toc_mask mask) {
    int64_t any = 0;
    for (int i = 0; i < TOC_LANES; i++) any |= mask[i];
    return any != 0;
}

#endif
