// SPDX-License-Identifier: Apache-2.0
// The question of predicate.c for several pairs at a time: vectors with error bounds, the coplanarity cubic, shares.
//
// Each lane takes the operations of predicate.c and error_bound.h in their order, so it has the same bits; the error
// bounds are derived there. A lane whose sizes are out of range is not `sized`: its numbers mean nothing.
#ifndef TOC_PAIR_WIDE_QUESTION_H
#define TOC_PAIR_WIDE_QUESTION_H

#include "base/wide3.h"
#include "pair/error_bound.h"
#include "toccata/pair.h"

#define WIDE_UNIT 0x1p-53

/// The four vertices at both ends of the step.
typedef struct wide_corners {
    wide3 x0[4], x1[4];
} wide_corners;

/// Load pairs of a batch that names vertices.
static TOC_INLINE wide_corners wide_corners_load(const toc_pair_batch *pairs, toc_kind kind,
                                                 const uint32_t at[TOC_LANES]) {
    wide_corners c;
    for (int k = 0; k < 4; k++) {
        const int second = k > (kind == TOC_VF ? 0 : 1);
        const double *start[TOC_LANES], *end[TOC_LANES];
        for (int i = 0; i < TOC_LANES; i++) {
            const size_t vertex = 3 * (size_t)pairs->vertices[at[i]][k];
            start[i] = pairs->body0[second] + vertex;
            end[i] = pairs->body1[second] + vertex;
        }
        toc_wide x[3];
        toc_wide_load3(start, x);
        c.x0[k] = (wide3){x[0], x[1], x[2]};
        toc_wide_load3(end, x);
        c.x1[k] = (wide3){x[0], x[1], x[2]};
    }
    return c;
}

static TOC_INLINE toc_wide wide3_size(wide3 a) { return wide3_largest(wide3_abs(a)); }

static TOC_INLINE wide3 wide3_mix(wide3 a, wide3 b, toc_wide t) {
    return wide3_add(wide3_scale(a, toc_wide_all(1) - t), wide3_scale(b, t));
}

/// A vector between two vertices at both ends of the step; bounds of its components and of their change.
typedef struct wide_moving {
    wide3 at0, at1;
    toc_wide size, speed;
} wide_moving;

static TOC_INLINE wide_moving wide_moving_between(const wide_corners *c, int from, int to) {
    wide_moving m = {.at0 = wide3_sub(c->x0[to], c->x0[from]), .at1 = wide3_sub(c->x1[to], c->x1[from])};
    m.size = toc_wide_max(wide3_size(m.at0), wide3_size(m.at1));
    m.speed = wide3_size(wide3_sub(m.at1, m.at0)) + toc_wide_all(4 * WIDE_UNIT) * m.size;
    return m;
}

/// A vector, the largest of its components, and how far these can be off.
typedef struct wide_bounded {
    wide3 v;
    toc_wide size, error;
} wide_bounded;

static TOC_INLINE toc_wide wide_slack(toc_wide a) { return a * toc_wide_all(TOC_BOUND_SLACK); }

static TOC_INLINE wide_bounded wide_bounded_at(const wide_moving *m, toc_wide t, toc_wide blur) {
    const wide3 v = wide3_mix(m->at0, m->at1, t);
    return (wide_bounded){v, wide3_size(v), wide_slack(toc_wide_all(5 * WIDE_UNIT) * m->size + blur * m->speed)};
}

static TOC_INLINE toc_wide wide_product_error(const wide_bounded *a, const wide_bounded *b) {
    return a->error * (b->size + b->error) + b->error * a->size;
}

static TOC_INLINE wide_bounded wide_bounded_cross(const wide_bounded *a, const wide_bounded *b) {
    const wide3 v = wide3_cross(a->v, b->v);
    return (wide_bounded){
        v, wide3_size(v),
        wide_slack(toc_wide_all(2) * wide_product_error(a, b) + toc_wide_all(4 * WIDE_UNIT) * a->size * b->size)};
}

static TOC_INLINE toc_wide wide_bounded_dot(const wide_bounded *a, const wide_bounded *b, toc_wide *error) {
    *error = wide_slack(toc_wide_all(3) * wide_product_error(a, b) + toc_wide_all(8 * WIDE_UNIT) * a->size * b->size);
    return wide3_dot(a->v, b->v);
}

/// r joins the features, d and e span the plane; the cubic r . (d x e) by Bernstein's coefficients.
typedef struct wide_question {
    wide_moving r, d, e;
    toc_wide cubic[4], cubic_error;
    toc_mask sized;
} wide_question;

static TOC_INLINE toc_mask wide_is_sized(const wide_moving *m) {
    return (m->size >= toc_wide_all(1e-60)) & (m->size <= toc_wide_all(1e60));
}

static TOC_INLINE wide_question wide_question_of(toc_kind kind, const wide_corners *c) {
    const int vf = kind == TOC_VF;
    wide_question q = {.r = wide_moving_between(c, 0, vf ? 1 : 2),
                       .d = vf ? wide_moving_between(c, 1, 2) : wide_moving_between(c, 0, 1),
                       .e = vf ? wide_moving_between(c, 1, 3) : wide_moving_between(c, 2, 3)};
    const toc_wide three = toc_wide_all(3);
    const wide3 n00 = wide3_cross(q.d.at0, q.e.at0), n11 = wide3_cross(q.d.at1, q.e.at1);
    const wide3 n01 = wide3_add(wide3_cross(q.d.at0, q.e.at1), wide3_cross(q.d.at1, q.e.at0));
    q.sized = wide_is_sized(&q.r) & wide_is_sized(&q.d) & wide_is_sized(&q.e);
    q.cubic[0] = wide3_dot(q.r.at0, n00);
    q.cubic[1] = (wide3_dot(q.r.at0, n01) + wide3_dot(q.r.at1, n00)) / three;
    q.cubic[2] = (wide3_dot(q.r.at1, n01) + wide3_dot(q.r.at0, n11)) / three;
    q.cubic[3] = wide3_dot(q.r.at1, n11);
    q.cubic_error = toc_wide_all(512 * WIDE_UNIT) * q.r.size * q.d.size * q.e.size;
    return q;
}

static TOC_INLINE toc_wide wide_cubic_at(const toc_wide c[4], toc_wide t) {
    const toc_wide s = toc_wide_all(1) - t, three = toc_wide_all(3);
    return s * s * (s * c[0] + three * t * c[1]) + t * t * (three * s * c[2] + t * c[3]);
}

static TOC_INLINE toc_wide wide_slope_at(const toc_wide c[4], toc_wide t) {
    const toc_wide s = toc_wide_all(1) - t;
    return toc_wide_all(3) * (s * s * (c[1] - c[0]) + toc_wide_all(2) * s * t * (c[2] - c[1]) + t * t * (c[3] - c[2]));
}

/// The slope and its error bound anywhere within `width` of t.
static TOC_INLINE toc_wide wide_slope_around(const wide_question *q, toc_wide t, toc_wide width, toc_wide *error) {
    const toc_wide *c = q->cubic, two = toc_wide_all(2);
    const toc_wide early = toc_wide_abs(c[2] - two * c[1] + c[0]), late = toc_wide_abs(c[3] - two * c[2] + c[1]);
    const toc_wide bend = toc_wide_max(early, late) + toc_wide_all(8) * q->cubic_error;
    *error = toc_wide_all(12) * q->cubic_error + wide_slack(toc_wide_all(6) * width * bend);
    return wide_slope_at(c, t);
}

/// The value of the cubic from the positions at a time.
static TOC_INLINE toc_wide wide_plane_value(const wide_question *q, toc_wide t, toc_wide *error) {
    const toc_wide none = toc_wide_all(0);
    const wide_bounded r = wide_bounded_at(&q->r, t, none), d = wide_bounded_at(&q->d, t, none);
    const wide_bounded e = wide_bounded_at(&q->e, t, none), n = wide_bounded_cross(&d, &e);
    return wide_bounded_dot(&r, &n, error);
}

/// As toc_shares: three of a face, four of two edges.
typedef struct wide_shares {
    toc_wide at[4], error[4];
} wide_shares;

static TOC_INLINE wide_shares wide_shares_in_face(const wide_corners *c, const wide_question *q, toc_wide t,
                                                  toc_wide blur) {
    const wide_bounded d = wide_bounded_at(&q->d, t, blur), e = wide_bounded_at(&q->e, t, blur);
    const wide_bounded n = wide_bounded_cross(&d, &e);
    wide_shares shares;
    wide_bounded to[3];
    for (int i = 0; i < 3; i++) {
        const wide_moving corner = wide_moving_between(c, 0, 1 + i);
        to[i] = wide_bounded_at(&corner, t, blur);
    }
    for (int i = 0; i < 3; i++) {
        const wide_bounded area = wide_bounded_cross(&to[(i + 1) % 3], &to[(i + 2) % 3]);
        shares.at[i] = wide_bounded_dot(&area, &n, &shares.error[i]);
    }
    return shares;
}

static TOC_INLINE wide_shares wide_shares_of_edges(const wide_question *q, toc_wide t, toc_wide blur) {
    const wide_bounded d = wide_bounded_at(&q->d, t, blur), e = wide_bounded_at(&q->e, t, blur);
    const wide_bounded n = wide_bounded_cross(&d, &e), r = wide_bounded_at(&q->r, t, blur);
    const wide_bounded along_d = wide_bounded_cross(&r, &e), along_e = wide_bounded_cross(&r, &d);
    toc_wide whole_error;
    const toc_wide whole = wide_bounded_dot(&n, &n, &whole_error);
    wide_shares shares;
    shares.at[1] = wide_bounded_dot(&along_d, &n, &shares.error[1]);
    shares.at[3] = wide_bounded_dot(&along_e, &n, &shares.error[3]);
    for (int i = 0; i < 4; i += 2) {
        shares.at[i] = whole - shares.at[i + 1];
        shares.error[i] =
            wide_slack(whole_error + shares.error[i + 1] + toc_wide_all(WIDE_UNIT) * toc_wide_abs(shares.at[i]));
    }
    return shares;
}

static TOC_INLINE wide_shares wide_shares_at(toc_kind kind, const wide_corners *c, const wide_question *q, toc_wide t,
                                             toc_wide blur) {
    return kind == TOC_VF ? wide_shares_in_face(c, q, t, blur) : wide_shares_of_edges(q, t, blur);
}

/// Whether all shares are certainly above 0.
static TOC_INLINE toc_mask wide_shares_hit(toc_kind kind, const wide_shares *shares) {
    toc_mask inside = shares->at[0] > shares->error[0];
    for (int i = 1; i < (kind == TOC_VF ? 3 : 4); i++) inside &= shares->at[i] > shares->error[i];
    return inside;
}

/// The weights of shares; and whether they are known to TOC_WEIGHT_ERROR.
static TOC_INLINE toc_mask wide_shares_weigh(toc_kind kind, const wide_shares *shares, double weight_error,
                                             toc_wide weights[4]) {
    const toc_wide *s = shares->at, *e = shares->error, two = toc_wide_all(2), part = toc_wide_all(weight_error / 2);
    if (kind == TOC_VF) {
        const toc_wide whole = s[0] + s[1] + s[2], off = e[0] + e[1] + e[2];
        weights[0] = toc_wide_all(1);
        for (int i = 0; i < 3; i++) weights[1 + i] = s[i] / whole;
        return wide_slack(two * off) <= (whole - off) * part;
    }
    toc_mask sharp = {0};
    for (int i = 0; i < 4; i += 2) {
        const toc_wide whole = s[i] + s[i + 1], off = e[i] + e[i + 1];
        weights[i] = s[i] / whole;
        weights[i + 1] = s[i + 1] / whole;
        const toc_mask known = wide_slack(two * off) <= (whole - off) * part;
        sharp = i == 0 ? known : sharp & known;
    }
    return sharp;
}

#endif
