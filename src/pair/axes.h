// SPDX-License-Identifier: Apache-2.0
// A first test of moving features: does one of a few axes separate them for the whole step?
//
// Along a fixed axis the gap between two corners is linear in time. Features are therefore apart if the gaps of all
// corner pairs exceed their error at the start and at the end. This holds for any axis. The first axis joins the
// middles of the features at the end of the step where these are closer. While a gap is too small, the axis is turned.
// The first turn makes the worst gap slightly positive, as relaxation does with linear inequalities (Agmon 1954,
// Motzkin and Schoenberg 1954). Later axes are perpendicular to the last two corner pairs that were worst, and lean a
// little towards both. This costs no more than another axis of the features, and separates nine in ten of the separable
// pairs that the first axis leaves. The first axis generalises Tang et al. 2011 (CSAT) and Zhang and Kim 2014 (Lemmas
// 4.4 and 5.1).
#ifndef TOC_PAIR_AXES_H
#define TOC_PAIR_AXES_H

#include "base/wide3.h"
#include "toccata/pair.h"

/// The largest number of axes tried. On the pairs of a real frame with overlapping boxes, each axis leaves a fifth of
/// the separable pairs that the one before left: after the fourth, another one costs as much as it saves.
#define AXES_LIMIT 4
// The overshoot of the worst gap beyond zero, and the lean of the axis towards the two worst pairs. The speed is the
// same for any values from 0.02 to 0.2.
#define AXES_BEYOND ((toc_real)1.1)
#define AXES_LEAN ((toc_real)0.05)

/// All lanes.
#define AXES_ALL ((2u << (TOC_WIDTH - 1)) - 1)

/// The corners other than the first, relative to it, at the start and at the end of the time considered.
typedef struct ends {
    wide3 start[3], end[3];
} ends;

/// Shorten to a part of the step.
static TOC_INLINE void ends_cut(ends *e, toc_real from, toc_real to) {
    const toc_wide ta = toc_wide_all(from), tb = toc_wide_all(to), one = toc_wide_all(1);
    for (int k = 0; k < 3; k++) {
        const wide3 start = e->start[k], end = e->end[k];
        e->start[k] = wide3_add(wide3_scale(start, one - ta), wide3_scale(end, ta));
        e->end[k] = wide3_add(wide3_scale(start, one - tb), wide3_scale(end, tb));
    }
}

/// From the middle of the first feature to the middle of the second, times 3 or 2.
static TOC_INLINE wide3 axes_middle(toc_kind kind, const wide3 r[3]) {
    return kind == TOC_VF ? wide3_add(r[0], wide3_add(r[1], r[2])) : wide3_sub(wide3_add(r[1], r[2]), r[0]);
}

/// The smallest gap of all corner pairs along an axis at one end, and the difference of the two corners.
static TOC_INLINE toc_wide axes_gap_at(toc_kind kind, const wide3 r[3], wide3 n, wide3 *worst) {
    const toc_wide s0 = wide3_dot(r[0], n), s1 = wide3_dot(r[1], n), s2 = wide3_dot(r[2], n), zero = toc_wide_all(0);
    const toc_wide s = toc_wide_min(s1, s2);
    const wide3 low = wide3_select(s1 < s2, r[1], r[2]);
    if (kind == TOC_VF) {
        *worst = wide3_select(s < s0, low, r[0]);
        return toc_wide_min(s, s0);
    }
    *worst = wide3_sub(low, wide3_select(s0 > zero, r[0], (wide3){zero, zero, zero}));
    return s - toc_wide_max(s0, zero);
}

/// An axis, the smallest gap along it at both ends, and the difference of the two corners of this gap.
typedef struct wide_axis {
    wide3 n, worst;
    toc_wide gap;
} wide_axis;

static TOC_INLINE wide_axis axes_along(toc_kind kind, const ends *e, wide3 n) {
    wide3 at_start, at_end;
    const toc_wide start = axes_gap_at(kind, e->start, n, &at_start), end = axes_gap_at(kind, e->end, n, &at_end);
    return (wide_axis){n, wide3_select(start < end, at_start, at_end), toc_wide_min(start, end)};
}

static TOC_INLINE wide_axis axes_first(toc_kind kind, const ends *e) {
    const wide3 middle = axes_middle(kind, e->start), velocity = wide3_sub(axes_middle(kind, e->end), middle);
    const toc_wide t = wide_clamp(-wide3_dot(middle, velocity) / wide3_dot(velocity, velocity));
    return axes_along(kind, e, wide3_add(middle, wide3_scale(velocity, t)));
}

/// Turn the axis until the worst gap is positive.
static TOC_INLINE wide3 axes_turn(const wide_axis *a) {
    const toc_wide part = toc_wide_all(AXES_BEYOND) * a->gap / wide3_dot(a->worst, a->worst);
    return wide3_sub(a->n, wide3_scale(a->worst, part));
}

/// An axis along which two corner pairs have small positive gaps, on the side of the last axis. Lengths are measured by
/// their largest coordinate, and there are no divisions.
static TOC_INLINE wide3 axes_between(wide3 n, wide3 p, wide3 q) {
    const wide3 square = wide3_cross(p, q);
    const toc_wide p_size = wide3_largest(wide3_abs(p)), q_size = wide3_largest(wide3_abs(q)), size = p_size * q_size;
    const toc_wide side = toc_wide_select(wide3_dot(square, n) < toc_wide_all(0), -size, size);
    const toc_wide lean = wide3_largest(wide3_abs(square)) * toc_wide_all(AXES_LEAN);
    return wide3_add(wide3_scale(square, side),
                     wide3_scale(wide3_add(wide3_scale(p, q_size), wide3_scale(q, p_size)), lean));
}

/// The pairs that an axis certainly separates, this one or one of the next.
/// @param blur the bound of a gap's error in each coordinate; @param underflow an absolute bound for any gap.
static TOC_INLINE unsigned axes_separate(toc_kind kind, const ends *e, wide_axis a, wide3 blur, toc_real underflow) {
    unsigned apart = 0;
    wide3 before = a.worst;
    for (int i = 1;; i++) {
        apart |= toc_mask_bits(a.gap > wide3_dot(blur, wide3_abs(a.n)) + toc_wide_all(underflow));
        if (i == AXES_LIMIT || apart == AXES_ALL) return apart;
        const wide3 last = a.worst;
        a = axes_along(kind, e, i == 1 ? axes_turn(&a) : axes_between(a.n, before, last));
        before = last;
    }
}

#endif
