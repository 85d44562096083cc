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

/// Narrow spans to where gaps that go from one value to another, not both positive, are not positive. Slabs that hold
/// everything give NaN for the zero, which is not used.
static TOC_INLINE void toc_spans_narrow(toc_slabs from, toc_slabs to, toc_slabs *enter, toc_slabs *leave) {
    const toc_slabs none = {0}, whole = none + 1, tiny = none + FLT_MIN;
    const toc_slab_mask before = toc_slabs_above(from, none), after = toc_slabs_above(to, none);
    const toc_slabs zero = from / (from - to);
    *enter = toc_slabs_most(*enter, toc_slabs_select(before, zero * (1 - 0x1p-20f) - tiny, none));
    *leave = toc_slabs_least(*leave, toc_slabs_select(after, zero * (1 + 0x1p-20f) + tiny, whole));
}

/// Between the slabs of two moving DOPs, at the start and at the end.
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

/// The span in which no gap is positive, where none is positive at both ends.
static TOC_INLINE toc_span toc_gaps_span(const toc_gaps *gaps, int lanes) {
    toc_slabs enter = {0}, leave = enter + 1;
    for (int i = 0; i < toc_dops_parts(lanes); i++) toc_spans_narrow(gaps->from[i], gaps->to[i], &enter, &leave);
    return (toc_span){toc_slabs_greatest(enter), toc_slabs_smallest(leave)};
}

/// The part of the step that is of interest. The end may come nearer while others look.
typedef struct toc_window {
    double from;
    _Atomic double to;
} toc_window;

/// A window as it is at a time.
typedef struct toc_look {
    double from, until;
    float reach; // the end, rounded up: see toc_dops_meet
} toc_look;

/// The zero of a gap is beyond the window where the gap is larger than its change times the end, rounded up as above
/// and by so much that the products stay clear of subnormals, which are slow.
static TOC_INLINE toc_look toc_window_look(const toc_window *window) {
    const double until = window->to;
    return (toc_look){window->from, until, (float)until * (1 + 0x1p-20f) + 0x1p-60f};
}

/// What can be told of two moving DOPs without a division: both false where they are apart during the window.
typedef struct toc_meeting {
    bool sure;  // they overlap at the start or the end of the step, which is in the window
    bool maybe; // they may overlap in between
} toc_meeting;

/// Most pairs are apart in some slab until the end of the window, or together in all slabs at the start or at the end
/// of the step. No branch depends on which.
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

/// Whether gaps that do not rule it out leave a time of the window at which none is positive.
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

/// Whether they may: false only where one slab is enough to tell that they do not. A few more than those that
/// meet, for half of the time, since no branch depends on it.
static TOC_INLINE bool toc_dops_may_meet(const float *a, const float *b, int lanes, toc_look look) {
    const toc_gaps gaps = toc_dops_gaps(a, b, lanes);
    const toc_meeting meeting = toc_gaps_tell(&gaps, lanes, look);
    return meeting.sure | meeting.maybe;
}

/// The same for a window that is the whole step: then such a slab is one whose gap is positive at both ends.
static TOC_INLINE bool toc_dops_may_meet_at_all(const float *a, const float *b, int lanes) {
    const toc_gaps gaps = toc_dops_gaps(a, b, lanes);
    const toc_slabs none = {0};
    toc_slab_mask apart = toc_slabs_above(none, none);
    for (int i = 0; i < toc_dops_parts(lanes); i++)
        apart |= toc_slabs_above(toc_slabs_least(gaps.from[i], gaps.to[i]), none);
    return !toc_slabs_any(apart);
}

#endif
