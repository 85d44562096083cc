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

/// Between the slabs of two moving DOPs, at the start and at the end: those of one side, then of the other, and so on.
typedef struct toc_gaps {
    toc_slabs from[8], to[8];
} toc_gaps;

static TOC_INLINE toc_gaps toc_dops_gaps(const float *a, const float *b, int lanes) {
    toc_gaps gaps;
    for (int i = 0; i < lanes / 4; i++) {
        const toc_slabs *slabs_a = (const toc_slabs *)a + i, *slabs_b = (const toc_slabs *)b + i;
        const int high = lanes / 4, end = lanes / 2;
        gaps.from[2 * i] = slabs_a[0] - slabs_b[high];
        gaps.from[2 * i + 1] = slabs_b[0] - slabs_a[high];
        gaps.to[2 * i] = slabs_a[end] - slabs_b[end + high];
        gaps.to[2 * i + 1] = slabs_b[end] - slabs_a[end + high];
    }
    return gaps;
}

/// The span in which no gap is positive, where none is positive at both ends.
static TOC_INLINE toc_span toc_gaps_span(const toc_gaps *gaps, int lanes) {
    toc_slabs enter = {0}, leave = enter + 1;
    for (int i = 0; i < lanes / 2; i++) toc_spans_narrow(gaps->from[i], gaps->to[i], &enter, &leave);
    toc_span span = {enter[0], leave[0]};
    for (int i = 1; i < 4; i++) {
        span.enter = enter[i] > span.enter ? enter[i] : span.enter;
        span.leave = leave[i] < span.leave ? leave[i] : span.leave;
    }
    return span;
}

/// The part of the step that is of interest. The end may come nearer while others look.
typedef struct toc_window {
    double from;
    _Atomic double to;
} toc_window;

/// Whether two moving DOPs of `lanes` slabs overlap at some time of the window. Most pairs are apart in some slab until
/// its end, or together in all slabs at the start or at the end of the step: these take no division.
static TOC_INLINE bool toc_dops_meet(const float *a, const float *b, int lanes, const toc_window *window) {
    const double until = window->to;
    // The zero of a gap is beyond the window where the gap is larger than its change times the end, rounded up as above
    // and by so much that the products stay clear of subnormals, which are slow.
    const float t = (float)until * (1 + 0x1p-20f) + 0x1p-60f;
    const toc_gaps gaps = toc_dops_gaps(a, b, lanes);
    toc_slab_mask apart = {0}, at_start = {0}, at_end = {0};
    for (int i = 0; i < lanes / 2; i++) {
        const toc_slabs from = gaps.from[i], to = gaps.to[i];
        const toc_slab_mask before = from > 0, after = to > 0;
        apart |= before & (after | (from > (from - to) * t));
        at_start |= before;
        at_end |= after;
    }
    if (toc_slabs_any(apart)) return false;
    if (window->from <= 0 && !toc_slabs_any(at_start)) return true;
    if (until >= 1 && !toc_slabs_any(at_end)) return true;
    const toc_span span = toc_gaps_span(&gaps, lanes);
    return (span.enter <= span.leave) & (span.enter <= until) & (span.leave >= window->from);
}

#endif
