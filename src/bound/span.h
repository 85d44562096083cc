// SPDX-License-Identifier: Apache-2.0
// The time span in which two moving k-DOPs overlap: local advancement of bounding volumes, after Tang, Kim and Manocha
// 2010.
//
// A moving DOP is the DOP at the start followed by the DOP at the end. Each boundary of a slab moves linearly between
// them, as the points inside do, so every point stays inside. Two slabs overlap while neither gap between them is
// positive. The start and the end of this overlap are zeros of linear functions. The DOPs overlap at most from the
// latest start to the earliest end. The paper's own rule, no contact if any of these times is outside of the step, is
// right only for slabs that start apart.
//
// In single precision, rounded outward. Let u = 2^-24; errors are relative. A gap at an end is one difference, with an
// error of u. If the ends have different signs, their difference is a sum of the two sizes, with 2 u. So the quotient
// has a little more than 4 u, or a subnormal, and the two operations that widen it have 1 u each: less than the 16 u by
// which it is widened. Signs are exact.
#ifndef TOC_BOUND_SPAN_H
#define TOC_BOUND_SPAN_H

#include <float.h>

#include "bound/overlap.h"

/// Times from `enter` to `leave`; empty if enter > leave.
typedef struct toc_span {
    float enter, leave;
} toc_span;

/// Narrow spans to the times at which gaps between two values, not both positive, are not positive. Slabs that hold
/// everything give NaN for the zero, which is not used.
static TOC_INLINE void toc_spans_narrow(toc_slabs from, toc_slabs to, toc_slabs *enter, toc_slabs *leave) {
    const toc_slabs none = {0}, whole = none + 1, tiny = none + FLT_MIN;
    const toc_slab_mask before = toc_slabs_above(from, none), after = toc_slabs_above(to, none);
    const toc_slabs zero = from / (from - to);
    *enter = toc_slabs_most(*enter, toc_slabs_select(before, zero * (1 - 0x1p-20f) - tiny, none));
    *leave = toc_slabs_least(*leave, toc_slabs_select(after, zero * (1 + 0x1p-20f) + tiny, whole));
}

/// The gaps between the slabs of two moving DOPs, at the start and at the end.
typedef struct toc_gaps {
    toc_slabs from[8], to[8];
} toc_gaps;

static TOC_INLINE toc_gaps toc_dops_gaps(const float *a, const float *b, int lanes) {
    toc_gaps gaps;
    const int end = 2 * lanes;
    for (int i = 0; i < toc_dops_parts(lanes); i++) {
        gaps.from[i] = toc_dops_gap(a, b, lanes, i);
        gaps.to[i] = toc_dops_gap(a + end, b + end, lanes, i);
    }
    return gaps;
}

/// The span in which no gap is positive. No gap may be positive at both ends.
static TOC_INLINE toc_span toc_gaps_span(const toc_gaps *gaps, int lanes) {
    toc_slabs enter = {0}, leave = enter + 1;
    for (int i = 0; i < toc_dops_parts(lanes); i++) toc_spans_narrow(gaps->from[i], gaps->to[i], &enter, &leave);
    return (toc_span){toc_slabs_greatest(enter), toc_slabs_smallest(leave)};
}

/// The searched part of the step. Its end may decrease while other threads read it.
typedef struct toc_window {
    double from;
    _Atomic double to;
} toc_window;

/// A copy of a window.
typedef struct toc_look {
    double from, until;
    float reach; // the end, rounded up: see toc_dops_meet
} toc_look;

/// The zero of a gap is after the window if the gap is larger than its change times the end. The end is rounded up as
/// above, and by so much that the products are not subnormal, which would be slow.
static TOC_INLINE toc_look toc_window_look(const toc_window *window) {
    const double until = window->to;
    return (toc_look){window->from, until, (float)until * (1 + 0x1p-20f) + 0x1p-60f};
}

/// The result of a test of two moving DOPs without a division. Both are false if they are apart during the window.
typedef struct toc_meeting {
    bool sure;  // they overlap at the start or the end of the step, which is in the window
    bool maybe; // they may overlap in between
} toc_meeting;

/// Test without a division. Most pairs are apart in some slab until the end of the window, or overlap in all slabs at
/// the start or the end of the step. The code does not branch on it.
static TOC_INLINE toc_meeting toc_gaps_tell(const toc_gaps *gaps, int lanes, toc_look look) {
    const toc_slabs none = {0};
    toc_slab_mask apart = toc_slabs_above(none, none), at_start = apart, at_end = apart;
    for (int i = 0; i < toc_dops_parts(lanes); i++) {
        const toc_slabs from = gaps->from[i], to = gaps->to[i];
        const toc_slab_mask before = toc_slabs_above(from, none), after = toc_slabs_above(to, none);
        apart |= before & (after | toc_slabs_above(from, (from - to) * look.reach));
        at_start |= before;
        at_end |= after;
    }
    const int at_once = (look.from <= 0) & !toc_slabs_any(at_start);
    const int at_last = (look.until >= 1) & !toc_slabs_any(at_end);
    const int together = at_once | at_last, near = !toc_slabs_any(apart);
    return (toc_meeting){near & together, near & !together};
}

/// Whether there is a time of the window at which no gap is positive, for gaps that toc_gaps_tell does not decide.
static TOC_INLINE bool toc_gaps_close(const toc_gaps *gaps, int lanes, toc_look look) {
    const toc_span span = toc_gaps_span(gaps, lanes);
    return (span.enter <= span.leave) & (span.enter <= look.until) & (span.leave >= look.from);
}

/// Whether two moving DOPs of `lanes` slabs overlap at some time of the window.
static TOC_INLINE bool toc_dops_meet(const float *a, const float *b, int lanes, toc_look look) {
    const toc_gaps gaps = toc_dops_gaps(a, b, lanes);
    const toc_meeting meeting = toc_gaps_tell(&gaps, lanes, look);
    return meeting.sure || (meeting.maybe && toc_gaps_close(&gaps, lanes, look));
}

/// Whether they may: false only if a single slab proves that they do not. A few more pairs pass than with
/// toc_dops_meet, in half of the time, since the code does not branch on it.
static TOC_INLINE bool toc_dops_may_meet(const float *a, const float *b, int lanes, toc_look look) {
    const toc_gaps gaps = toc_dops_gaps(a, b, lanes);
    const toc_meeting meeting = toc_gaps_tell(&gaps, lanes, look);
    return meeting.sure | meeting.maybe;
}

/// The same for a window that is the whole step: a slab proves it if its gap is positive at both ends.
static TOC_INLINE bool toc_dops_may_meet_at_all(const float *a, const float *b, int lanes) {
    const toc_gaps gaps = toc_dops_gaps(a, b, lanes);
    const toc_slabs none = {0};
    toc_slab_mask apart = toc_slabs_above(none, none);
    for (int i = 0; i < toc_dops_parts(lanes); i++)
        apart |= toc_slabs_above(toc_slabs_least(gaps.from[i], gaps.to[i]), none);
    return !toc_slabs_any(apart);
}

#endif
