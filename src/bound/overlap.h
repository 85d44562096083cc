// SPDX-License-Identifier: Apache-2.0
// Whether two k-DOPs overlap, four slabs at a time: what every x86-64 has, and compilers lower elsewhere.
#ifndef TOC_BOUND_OVERLAP_H
#define TOC_BOUND_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// For what is compiled once for each number of lanes.
#define TOC_INLINE inline __attribute__((always_inline))

typedef float toc_slabs __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t toc_slab_mask __attribute__((vector_size(16)));

static inline bool toc_slabs_any(toc_slab_mask mask) {
#if defined(__SSE2__)
    return _mm_movemask_ps((__m128)mask) != 0;
#else
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

/// Two DOPs of `lanes` lows and highs each. Touching ones overlap.
static TOC_INLINE bool toc_dops_overlap(const float *a, const float *b, int lanes) {
    for (int i = 0; i < lanes; i += 8) {
        const toc_slabs *low_a = (const toc_slabs *)(a + i), *high_a = (const toc_slabs *)(a + lanes + i);
        const toc_slabs *low_b = (const toc_slabs *)(b + i), *high_b = (const toc_slabs *)(b + lanes + i);
        const toc_slab_mask near = (low_a[0] > high_b[0]) | (low_b[0] > high_a[0]);
        const toc_slab_mask far = (low_a[1] > high_b[1]) | (low_b[1] > high_a[1]);
        if (toc_slabs_any(near | far)) return false;
    }
    return true;
}

#endif
