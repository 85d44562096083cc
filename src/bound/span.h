// SPDX-License-Identifier: Apache-2.0
// When two moving k-DOPs overlap: local advancement of bounding volumes, after Tang, Kim and Manocha 2010.
//
// A moving DOP is the DOP at the start and the one at the end, side by side. Each boundary of a slab moves linearly
// between them, as the points inside do, so every point stays inside. Two slabs overlap while neither gap between
// them is positive: from when on and how long is the zero of a linear function, and the DOPs overlap at most from the
// latest of the first to the earliest of the second. The paper's own rule, no contact where any of these times is
// outside of the step, is right only for slabs that start apart.
//
// In single precision, rounded outward. u = 2^-24. A gap at an end is one difference, off by u of itself; where the
// ends have different signs their difference is a sum of the two sizes, off by 2 u of itself; so the quotient
// is off by 4 u of itself and a little, or by a subnormal, and the two operations that widen it by 1 u each:
// less than the 16 u it is widened by. Signs are exact.
#ifndef TOC_BOUND_SPAN_H
#define TOC_BOUND_SPAN_H

#include <float.h>

#include "bound/overlap.h"

/// Not before `enter`, not after `leave`; never where enter > leave.
typedef struct toc_span {
    float enter, leave;
} toc_span;

#if defined(__SSE2__)
static inline toc_slabs toc_slabs_most(toc_slabs a, toc_slabs b) { return _mm_max_ps((__m128)a, (__m128)b); }
static inline toc_slabs toc_slabs_least(toc_slabs a, toc_slabs b) { return _mm_min_ps((__m128)a, (__m128)b); }
#else
static inline toc_slabs toc_slabs_most(toc_slabs a, toc_slabs b) {
    const toc_slab_mask m = a > b;
    return (toc_slabs)(((toc_slab_mask)a & m) | ((toc_slab_mask)b & ~m));
}
static inline toc_slabs toc_slabs_least(toc_slabs a, toc_slabs b) { return -toc_slabs_most(-a, -b); }
#endif

/// Narrow spans to where gaps that go from one value to another, not both positive, are not positive. Slabs that hold
/// everything give NaN for the zero, which is not used.
static TOC_INLINE void toc_spans_narrow(toc_slabs from, toc_slabs to, toc_slabs *enter, toc_slabs *leave) {
    const toc_slabs none = {0}, whole = none + 1, tiny = none + FLT_MIN;
    const toc_slab_mask before = from > none, after = to > none;
    const toc_slabs zero = from / (from - to);
    const toc_slab_mask early = (toc_slab_mask)(zero * (1 - 0x1p-20f) - tiny) & before;
    const toc_slab_mask late = (toc_slab_mask)(zero * (1 + 0x1p-20f) + tiny) & after;
    *enter = toc_slabs_most(*enter, (toc_slabs)early);
    *leave = toc_slabs_least(*leave, (toc_slabs)(late | ((toc_slab_mask)whole & ~after)));
}

/// Two moving DOPs of `lanes` slabs. Most pairs are apart all the while in some slab, or together in all of them: these
/// take no division.
static TOC_INLINE toc_span toc_dops_span(const float *a, const float *b, int lanes) {
    toc_slabs from[8], to[8]; // gaps, first of one side, then of the other
    toc_slab_mask apart = {0}, parts = {0};
    for (int i = 0; i < lanes / 4; i++) {
        const toc_slabs *slabs_a = (const toc_slabs *)a + i, *slabs_b = (const toc_slabs *)b + i;
        const int high = lanes / 4, end = lanes / 2;
        from[2 * i] = slabs_a[0] - slabs_b[high];
        from[2 * i + 1] = slabs_b[0] - slabs_a[high];
        to[2 * i] = slabs_a[end] - slabs_b[end + high];
        to[2 * i + 1] = slabs_b[end] - slabs_a[end + high];
    }
    for (int i = 0; i < lanes / 2; i++) {
        const toc_slab_mask before = from[i] > 0, after = to[i] > 0;
        apart |= before & after;
        parts |= before | after;
    }
    if (toc_slabs_any(apart)) return (toc_span){1, 0};
    if (!toc_slabs_any(parts)) return (toc_span){0, 1};
    toc_slabs enter = {0}, leave = enter + 1;
    for (int i = 0; i < lanes / 2; i++) toc_spans_narrow(from[i], to[i], &enter, &leave);
    float e = enter[0], l = leave[0];
    for (int i = 1; i < 4; i++) {
        e = enter[i] > e ? enter[i] : e;
        l = leave[i] < l ? leave[i] : l;
    }
    return (toc_span){e, l};
}

/// The part of the step that is of interest. The end may come nearer while others look.
typedef struct toc_window {
    double from;
    _Atomic double to;
} toc_window;

static inline bool toc_span_is_empty(toc_span s, const toc_window *window) {
    return (s.enter > s.leave) | (s.enter > window->to) | (s.leave < window->from);
}

#endif
