// SPDX-License-Identifier: Apache-2.0
// The exact decision in floating point, with error bounds: no root of the coplanarity cubic, or one that is isolated,
// bracketed, and certainly inside or outside; or two vertices in one place at the start. Decides nearly all questions
// in some hundred nanoseconds. The rung of doubles (ladder.c).
//
// Errors. u = 2^-53; differences of coordinates are off by a relative u at most. S is the product of the largest
// components of the three vectors of the cubic. A determinant of such vectors has 6 terms of at most S, each off by a
// relative 10u at most: 3u from the differences, 2u from its products, 5u from the sums. Bernstein's middle
// coefficients average three of them (4u more), 6 halvings average neighbours (3u a halving), evaluation at a time does
// so three times with rounded weights (12u): below 6 S (14 + 18 + 12) u < 300 u S altogether, taken as 512 u S. Sizes
// are kept within 1e-60 .. 1e60, so that underflow is far below every bound and nothing overflows.
#include "pair/predicate.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/vec.h"

static const double U = DBL_EPSILON / 2;

// A vector between two vertices at both ends of the step.
typedef struct moving {
    toc_vec at0, at1;
    double size;  // no component is larger at any time
    double speed; // no component changes more over the step
} moving;

static moving moving_between(const double x0[4][3], const double x1[4][3], int from, int to) {
    moving m = {.at0 = toc_vec_sub(toc_vec_of(x0[to]), toc_vec_of(x0[from])),
                .at1 = toc_vec_sub(toc_vec_of(x1[to]), toc_vec_of(x1[from]))};
    m.size = toc_larger(toc_vec_max(m.at0), toc_vec_max(m.at1));
    m.speed = toc_vec_max(toc_vec_sub(m.at1, m.at0)) + 4 * U * m.size;
    return m;
}

// A vector with the error bound of its components.
typedef struct bounded {
    toc_vec v;
    toc_error_bound bound;
} bounded;

static bounded bounded_at(const moving *m, double t, double blur) {
    const toc_vec v = toc_vec_mix(m->at0, m->at1, t);
    return (bounded){v, toc_bound_mix(toc_vec_max(v), m->size, m->speed, blur, U)};
}

static bounded bounded_cross(const bounded *a, const bounded *b) {
    const toc_vec v = toc_vec_cross(a->v, b->v);
    return (bounded){v, {toc_vec_max(v), toc_bound_cross(a->bound, b->bound, U)}};
}

static double bounded_dot(const bounded *a, const bounded *b, double *error) {
    *error = toc_bound_dot(a->bound, b->bound, U);
    return toc_vec_dot(a->v, b->v);
}

// The question: r joins the features, d and e span the plane (as in exact.c).
typedef struct question {
    toc_kind kind;
    const double (*x0)[3], (*x1)[3];
    moving r, d, e;
    double cubic[4]; // Bernstein's coefficients of r . (d x e)
    double error;    // of a coefficient or value
} question;

static bool is_sized(const moving *m) { return m->size >= 1e-60 && m->size <= 1e60; }

static bool predicate_ask(toc_kind kind, const double x0[4][3], const double x1[4][3], question *q) {
    const bool vf = kind == TOC_VF;
    q->kind = kind;
    q->x0 = x0;
    q->x1 = x1;
    q->r = moving_between(x0, x1, 0, vf ? 1 : 2);
    q->d = vf ? moving_between(x0, x1, 1, 2) : moving_between(x0, x1, 0, 1);
    q->e = vf ? moving_between(x0, x1, 1, 3) : moving_between(x0, x1, 2, 3);
    if (!is_sized(&q->r) || !is_sized(&q->d) || !is_sized(&q->e)) return false;
    const toc_vec n00 = toc_vec_cross(q->d.at0, q->e.at0), n11 = toc_vec_cross(q->d.at1, q->e.at1);
    const toc_vec n01 = toc_vec_add(toc_vec_cross(q->d.at0, q->e.at1), toc_vec_cross(q->d.at1, q->e.at0));
    q->cubic[0] = toc_vec_dot(q->r.at0, n00);
    q->cubic[1] = (toc_vec_dot(q->r.at0, n01) + toc_vec_dot(q->r.at1, n00)) / 3;
    q->cubic[2] = (toc_vec_dot(q->r.at1, n01) + toc_vec_dot(q->r.at0, n11)) / 3;
    q->cubic[3] = toc_vec_dot(q->r.at1, n11);
    q->error = 512 * U * q->r.size * q->d.size * q->e.size;
    return true;
}

static double cubic_at(const double c[4], double t) {
    const double s = 1 - t;
    return s * s * (s * c[0] + 3 * t * c[1]) + t * t * (3 * s * c[2] + t * c[3]);
}

static double slope_at(const double c[4], double t) {
    const double s = 1 - t;
    return 3 * (s * s * (c[1] - c[0]) + 2 * s * t * (c[2] - c[1]) + t * t * (c[3] - c[2]));
}

// A root between a and b, where the cubic changes sign, to the accuracy of floating point: Newton's method, kept in by
// bisection.
static double find_cubic_root(const double c[4], double a, double b) {
    const bool rising = cubic_at(c, a) < cubic_at(c, b);
    double t = (a + b) / 2;
    for (int i = 0; i < 100; i++) {
        const double value = cubic_at(c, t);
        if ((value < 0) == rising)
            a = t;
        else
            b = t;
        double next = t - value / slope_at(c, t);
        if (!(next > a && next < b)) next = (a + b) / 2;
        if (fabs(next - t) <= 2 * U * t) break;
        t = next;
    }
    return t;
}

typedef struct bracket {
    double low, high;
} bracket;

// Times around a guess of the only root in [a, b] at which the cubic certainly has opposite signs. False when they are
// not close.
static bool enclose_root(const question *q, double root, double a, double b, bracket *out) {
    double width = 4 * U * root + 2 * q->error / fabs(slope_at(q->cubic, root));
    for (int i = 0; i < 3; i++, width *= 8) {
        const double low = root - width, high = root + width;
        if (!(low > a && high < b && high - low <= 0x1p-32 * low)) return false;
        const double before = cubic_at(q->cubic, low), after = cubic_at(q->cubic, high);
        if (fabs(before) > q->error && fabs(after) > q->error && (before < 0) != (after < 0)) {
            *out = (bracket){low, high};
            return true;
        }
    }
    return false;
}

// A share is a product of two areas, (q x q') . n, out of a total n . n. Its error bound follows from those of its
// factors (error_bound.h) at a time that is off by `blur`.
static toc_shares shares_in_face(const question *q, double t, double blur) {
    const bounded d = bounded_at(&q->d, t, blur), e = bounded_at(&q->e, t, blur), n = bounded_cross(&d, &e);
    toc_shares shares = {.count = 3};
    bounded to[3];
    for (int i = 0; i < 3; i++) {
        const moving corner = moving_between(q->x0, q->x1, 0, 1 + i);
        to[i] = bounded_at(&corner, t, blur);
    }
    for (int i = 0; i < 3; i++) {
        const bounded area = bounded_cross(&to[(i + 1) % 3], &to[(i + 2) % 3]);
        shares.at[i] = bounded_dot(&area, &n, &shares.error[i]);
    }
    return shares;
}

static toc_shares shares_of_edges(const question *q, double t, double blur) {
    const bounded d = bounded_at(&q->d, t, blur), e = bounded_at(&q->e, t, blur), n = bounded_cross(&d, &e);
    const bounded r = bounded_at(&q->r, t, blur), along_d = bounded_cross(&r, &e), along_e = bounded_cross(&r, &d);
    double whole_error;
    const double whole = bounded_dot(&n, &n, &whole_error);
    toc_shares shares = {.count = 4};
    shares.at[1] = bounded_dot(&along_d, &n, &shares.error[1]);
    shares.at[3] = bounded_dot(&along_e, &n, &shares.error[3]);
    for (int i = 0; i < 4; i += 2) {
        shares.at[i] = whole - shares.at[i + 1];
        shares.error[i] = (whole_error + shares.error[i + 1] + U * fabs(shares.at[i])) * TOC_BOUND_SLACK;
    }
    return shares;
}

static toc_shares shares_at(const question *q, double t, double blur) {
    return q->kind == TOC_VF ? shares_in_face(q, t, blur) : shares_of_edges(q, t, blur);
}

toc_verdict toc_shares_verdict(const toc_shares *shares) {
    bool inside = true;
    for (int i = 0; i < shares->count; i++) {
        if (shares->at[i] < -shares->error[i]) return TOC_APART;
        inside = inside && shares->at[i] > shares->error[i];
    }
    return inside ? TOC_HIT : TOC_UNDECIDED;
}

// With shares s off by e, weights s / sum(s) are off by less than 2 sum(e) / (sum(s) - sum(e)), and by 4 roundings.
bool toc_shares_weigh(toc_kind kind, const toc_shares *shares, double weights[4]) {
    assert(kind == TOC_VF || kind == TOC_EE);
    for (int i = 0; i < shares->count; i++) assert(shares->at[i] >= 0);
    const double *s = shares->at, *e = shares->error;
    if (kind == TOC_VF) {
        const double whole = s[0] + s[1] + s[2], off = e[0] + e[1] + e[2];
        weights[0] = 1;
        for (int i = 0; i < 3; i++) weights[1 + i] = s[i] / whole;
        return 2 * off * TOC_BOUND_SLACK <= (whole - off) * (TOC_WEIGHT_ERROR / 2);
    }
    bool sharp = true;
    for (int i = 0; i < 4; i += 2) {
        const double whole = s[i] + s[i + 1], off = e[i] + e[i + 1];
        weights[i] = s[i] / whole;
        weights[i + 1] = s[i + 1] / whole;
        sharp = sharp && 2 * off * TOC_BOUND_SLACK <= (whole - off) * (TOC_WEIGHT_ERROR / 2);
    }
    return sharp;
}

// The slope of the cubic and its error bound anywhere within `width` of t. There it changes by at most the width times
// the second derivative, which is 6 times the largest second difference of the coefficients. The slope itself is off by
// less than 12 times the error of a coefficient, and a second difference by 4.
static double slope_around(const question *q, double t, double width, double *error) {
    const double *c = q->cubic;
    const double bend = toc_larger(fabs(c[2] - 2 * c[1] + c[0]), fabs(c[3] - 2 * c[2] + c[1])) + 8 * q->error;
    *error = 12 * q->error + 6 * width * bend * TOC_BOUND_SLACK;
    return slope_at(c, t);
}

// The weights at a root that is at most one unit in the last place behind `time`, from settled shares.
static bool weigh_tie(const question *q, double time, const toc_shares *settled, double weights[4]) {
    toc_shares shares = shares_at(q, time, 0x1p-52 * time);
    for (int i = 0; i < shares.count; i++) {
        const bool is_zero = settled->at[i] == 0 && settled->error[i] == 0;
        shares.at[i] = is_zero ? 0 : toc_larger(shares.at[i], 0);
        if (is_zero) shares.error[i] = 0;
    }
    return toc_shares_weigh(q->kind, &shares, weights);
}

// A root at which the sign of a share is hidden by rounding: by single components. The time is exact to the last bit,
// because several pairs often meet at the same time there, in one vertex.
static toc_verdict look_at_tie(const question *q, const bracket *root, toc_shares *shares, toc_hit *hit) {
    const double width = root->high - root->low, t = root->low + width / 2;
    const toc_verdict verdict = toc_shares_settle(q->kind, q->x0, q->x1, root->low, width, shares);
    if (verdict != TOC_HIT) return verdict;
    double value_error, slope_error;
    const toc_dd value = toc_fine_value(q->kind, q->x0, q->x1, t, &value_error);
    const double slope = slope_around(q, t, width, &slope_error);
    if (!toc_root_round_down(t, value, value_error, slope, slope_error, &hit->toc)) return TOC_UNDECIDED;
    hit->verdict = TOC_HIT;
    return weigh_tie(q, hit->toc, shares, hit->weights) ? TOC_HIT : TOC_UNDECIDED;
}

// Whether the features touch at the only root in [a, b].
static toc_verdict look_inside(const question *q, double a, double b, toc_hit *hit) {
    bracket root;
    if (!enclose_root(q, find_cubic_root(q->cubic, a, b), a, b, &root)) return TOC_UNDECIDED;
    toc_shares shares = shares_at(q, root.low, root.high - root.low);
    const toc_verdict verdict = toc_shares_verdict(&shares);
    if (verdict == TOC_UNDECIDED) return look_at_tie(q, &root, &shares, hit);
    if (verdict != TOC_HIT) return verdict;
    hit->verdict = TOC_HIT;
    hit->toc = root.low;
    return toc_shares_weigh(q->kind, &shares, hit->weights) ? TOC_HIT : TOC_UNDECIDED;
}

// The value of the cubic from the positions at a time. Near a contact r is shorter than it is at the ends of the step,
// so that the error is a small part of that of the coefficients.
static double plane_value(const question *q, double t, double *error) {
    const bounded r = bounded_at(&q->r, t, 0), d = bounded_at(&q->d, t, 0), e = bounded_at(&q->e, t, 0);
    const bounded n = bounded_cross(&d, &e);
    return bounded_dot(&r, &n, error);
}

// The slope bounds the distance to the root: with `least` the smallest slope there, |t - root| <= (|value(t)| + error)
// / least.
bool toc_predicate_weights(toc_kind kind, const double x0[4][3], const double x1[4][3], double time,
                           double weights[4]) {
    assert(kind == TOC_VF || kind == TOC_EE);
    assert(0 <= time && time <= 1);
    question q;
    if (!predicate_ask(kind, x0, x1, &q)) return false;
    double t = time, error;
    const double *c = q.cubic, width = time * 0x1p-29, slope = slope_around(&q, time, width, &error);
    const double least = fabs(slope) - error;
    if (!(least > 0)) return false;
    for (int i = 0; i < 3; i++) {
        const double value = i < 2 ? cubic_at(c, t) : plane_value(&q, t, &error);
        t = toc_smaller(toc_larger(t - value / slope, time), time + width);
    }
    const double value = plane_value(&q, t, &error), blur = (fabs(value) + error) / least * TOC_BOUND_SLACK;
    const toc_shares shares = shares_at(&q, t, blur);
    return toc_shares_verdict(&shares) == TOC_HIT && toc_shares_weigh(kind, &shares, weights);
}

#define NUMBER double
#define NUMBER_HIGH(a) (a)
#define NUMBER_MIDDLE(a, b) (((a) + (b)) / 2)
#define QUESTION question
#define LOOK_INSIDE look_inside
#include "pair/cubic_search.inc"

// Whether two vertices have one place at the start. This is common in meshes whose seams are not welded.
static bool meets_in_corners(toc_kind kind, const double x0[4][3], toc_hit *hit) {
    const int second = kind == TOC_VF ? 1 : 2;
    for (int i = 0; i < second; i++)
        for (int j = second; j < 4; j++) {
            if (x0[i][0] != x0[j][0] || x0[i][1] != x0[j][1] || x0[i][2] != x0[j][2]) continue;
            *hit = (toc_hit){.verdict = TOC_HIT, .toc = 0};
            hit->weights[i] = hit->weights[j] = 1;
            return true;
        }
    return false;
}

// Whether the coordinates of one feature along an axis are all below those of the other. Comparisons are exact.
static bool are_boxes_apart(toc_kind kind, const double x0[4][3], const double x1[4][3]) {
    const int second = kind == TOC_VF ? 1 : 2;
    for (int k = 0; k < 3; k++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 4; i++) {
            const int f = i >= second;
            low[f] = toc_smaller(low[f], toc_smaller(x0[i][k], x1[i][k]));
            high[f] = toc_larger(high[f], toc_larger(x0[i][k], x1[i][k]));
        }
        if (high[0] < low[1] || high[1] < low[0]) return true;
    }
    return false;
}

// Whether the cubic may be 0 at all times, as in flat motion.
static bool may_vanish(const question *q) {
    for (int i = 0; i < 4; i++)
        if (fabs(q->cubic[i]) > q->error) return false;
    return true;
}

toc_verdict toc_predicate_pair(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit) {
    assert(kind == TOC_VF || kind == TOC_EE);
    question q;
    if (are_boxes_apart(kind, x0, x1)) return TOC_APART;
    if (meets_in_corners(kind, x0, hit)) return TOC_HIT;
    if (!predicate_ask(kind, x0, x1, &q)) return TOC_UNDECIDED;
    const toc_verdict verdict = search_step(&q, hit);
    return verdict == TOC_UNDECIDED && may_vanish(&q) ? toc_predicate_flat(kind, x0, x1, hit) : verdict;
}
