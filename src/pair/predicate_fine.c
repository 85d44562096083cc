// SPDX-License-Identifier: Apache-2.0
// The exact decision in double-double precision, with error bounds. Decides nearly all questions that predicate.c
// leaves, in two to five microseconds; integers take ten to fifty. The rung of two doubles (ladder.c).
//
// Errors. Differences of coordinates are exact here. With unit = TOC_DD_ERROR for u, every other operation is one of
// those that predicate.c counts, so that the same bounds hold: 512 unit S for the cubic. The coefficients are kept
// three times as large, because a third is not a binary fraction. Sizes are kept within 1e-60 .. 1e60. A product that
// underflows is off by less than 2^-1065, while 512 unit S is above 2^-694. The error of an area, which is at least 2
// (5 unit 1e-60)^2, is above 2^-603; the product of two areas gets SHARE_UNDERFLOW on top.
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "number/double_double.h"
#include "pair/predicate.h"

// Far above the underflow of a product of two areas.
static const double SHARE_UNDERFLOW = 0x1p-1000;

// A vector between two vertices at both ends of the step.
typedef struct fine_moving {
    toc_dd3 at0, at1;
    double size, speed; // no component is larger at any time; none changes more
} fine_moving;

static fine_moving fine_between(const double x0[4][3], const double x1[4][3], int from, int to) {
    fine_moving m = {.size = 0, .speed = 0};
    for (int k = 0; k < 3; k++) {
        m.at0.x[k] = toc_dd_difference_of(x0[to][k], x0[from][k]);
        m.at1.x[k] = toc_dd_difference_of(x1[to][k], x1[from][k]);
        m.speed = toc_larger(m.speed, toc_dd_size(toc_dd_subtract(m.at1.x[k], m.at0.x[k])));
    }
    m.size = toc_larger(toc_dd3_size(&m.at0), toc_dd3_size(&m.at1));
    m.speed *= 1 + 0x1p-50;
    return m;
}

static bool fine_sized(const fine_moving *m) { return m->size >= 1e-60 && m->size <= 1e60; }

// A vector with the error bound of its components.
typedef struct fine_bounded {
    toc_dd3 v;
    toc_error_bound bound;
} fine_bounded;

static fine_bounded fine_at(const fine_moving *m, toc_dd t, double blur) {
    const toc_dd s = toc_dd_subtract(toc_dd_of(1), t);
    fine_bounded b;
    for (int k = 0; k < 3; k++) b.v.x[k] = toc_dd_add(toc_dd_multiply(m->at0.x[k], s), toc_dd_multiply(m->at1.x[k], t));
    b.bound = toc_bound_mix(toc_dd3_size(&b.v), m->size, m->speed, blur, TOC_DD_ERROR);
    return b;
}

static fine_bounded fine_cross(const fine_bounded *a, const fine_bounded *b) {
    const toc_dd3 v = toc_dd3_cross(&a->v, &b->v);
    return (fine_bounded){v, {toc_dd3_size(&v), toc_bound_cross(a->bound, b->bound, TOC_DD_ERROR)}};
}

static toc_dd fine_dot(const fine_bounded *a, const fine_bounded *b, double *error) {
    *error = toc_bound_dot(a->bound, b->bound, TOC_DD_ERROR) + SHARE_UNDERFLOW;
    return toc_dd3_dot(&a->v, &b->v);
}

// The question: r joins the features, d and e span the plane (as in exact.c).
typedef struct fine_question {
    toc_kind kind;
    const double (*x0)[3], (*x1)[3];
    fine_moving r, d, e;
    toc_dd cubic[4]; // Bernstein's coefficients of 3 r . (d x e)
    double error;    // of a coefficient or value
} fine_question;

static bool fine_ask(toc_kind kind, const double x0[4][3], const double x1[4][3], fine_question *q) {
    const bool vf = kind == TOC_VF;
    q->kind = kind;
    q->x0 = x0;
    q->x1 = x1;
    q->r = fine_between(x0, x1, 0, vf ? 1 : 2);
    q->d = vf ? fine_between(x0, x1, 1, 2) : fine_between(x0, x1, 0, 1);
    q->e = vf ? fine_between(x0, x1, 1, 3) : fine_between(x0, x1, 2, 3);
    if (!fine_sized(&q->r) || !fine_sized(&q->d) || !fine_sized(&q->e)) return false;
    const toc_dd three = toc_dd_of(3);
    const toc_dd3 n00 = toc_dd3_cross(&q->d.at0, &q->e.at0), n11 = toc_dd3_cross(&q->d.at1, &q->e.at1);
    const toc_dd3 de = toc_dd3_cross(&q->d.at0, &q->e.at1), ed = toc_dd3_cross(&q->d.at1, &q->e.at0);
    const toc_dd3 n01 = toc_dd3_add(&de, &ed);
    q->cubic[0] = toc_dd_multiply(three, toc_dd3_dot(&q->r.at0, &n00));
    q->cubic[1] = toc_dd_add(toc_dd3_dot(&q->r.at0, &n01), toc_dd3_dot(&q->r.at1, &n00));
    q->cubic[2] = toc_dd_add(toc_dd3_dot(&q->r.at1, &n01), toc_dd3_dot(&q->r.at0, &n11));
    q->cubic[3] = toc_dd_multiply(three, toc_dd3_dot(&q->r.at1, &n11));
    q->error = 3 * 512 * TOC_DD_ERROR * q->r.size * q->d.size * q->e.size;
    return true;
}

// The vector between two vertices at a time of one double.
static fine_bounded fine_then(const double x0[4][3], const double x1[4][3], int from, int to, double t) {
    const toc_dd s = toc_dd_difference_of(1, t), time = toc_dd_of(t);
    fine_bounded b;
    double size_ever = 0;
    for (int k = 0; k < 3; k++) {
        const toc_dd at0 = toc_dd_difference_of(x0[to][k], x0[from][k]);
        const toc_dd at1 = toc_dd_difference_of(x1[to][k], x1[from][k]);
        b.v.x[k] = toc_dd_add(toc_dd_multiply(at0, s), toc_dd_multiply(at1, time));
        size_ever = toc_larger(size_ever, toc_larger(toc_dd_size(at0), toc_dd_size(at1)));
    }
    b.bound = toc_bound_mix(toc_dd3_size(&b.v), size_ever, 0, 0, TOC_DD_ERROR);
    return b;
}

toc_dd toc_fine_value(toc_kind kind, const double x0[4][3], const double x1[4][3], double t, double *error) {
    assert(kind == TOC_VF || kind == TOC_EE);
    const int d0 = kind == TOC_VF ? 1 : 0, e0 = kind == TOC_VF ? 1 : 2;
    const fine_bounded r = fine_then(x0, x1, 0, e0, t), d = fine_then(x0, x1, d0, d0 + 1, t);
    const fine_bounded e = fine_then(x0, x1, e0, 3, t), n = fine_cross(&d, &e);
    return fine_dot(&r, &n, error);
}

static toc_dd fine_cubic_at(const toc_dd c[4], toc_dd t) {
    const toc_dd s = toc_dd_subtract(toc_dd_of(1), t), three = toc_dd_of(3);
    const toc_dd three_t = toc_dd_multiply(three, t), three_s = toc_dd_multiply(three, s);
    const toc_dd low = toc_dd_add(toc_dd_multiply(s, c[0]), toc_dd_multiply(three_t, c[1]));
    const toc_dd high = toc_dd_add(toc_dd_multiply(three_s, c[2]), toc_dd_multiply(t, c[3]));
    return toc_dd_add(toc_dd_multiply(toc_dd_multiply(s, s), low), toc_dd_multiply(toc_dd_multiply(t, t), high));
}

// Right to a few digits: enough for Newton's method and for a guess of the width.
static double fine_slope_at(const toc_dd c[4], double t) {
    const double s = 1 - t, d0 = toc_dd_subtract(c[1], c[0]).high, d1 = toc_dd_subtract(c[2], c[1]).high;
    return 3 * (s * s * d0 + 2 * s * t * d1 + t * t * toc_dd_subtract(c[3], c[2]).high);
}

// A root between a and b, where the cubic changes sign, to the accuracy of double-double: Newton's method, kept in by
// bisection.
static toc_dd fine_root_between(const toc_dd c[4], double a, double b) {
    const bool rising = fine_cubic_at(c, toc_dd_of(a)).high < fine_cubic_at(c, toc_dd_of(b)).high;
    toc_dd t = toc_dd_of((a + b) / 2);
    for (int i = 0; i < 60; i++) {
        const toc_dd value = fine_cubic_at(c, t);
        if ((value.high < 0) == rising)
            a = t.high;
        else
            b = t.high;
        const double step = value.high / fine_slope_at(c, t.high);
        toc_dd next = toc_dd_add(t, toc_dd_of(-step));
        if (!(next.high >= a && next.high <= b)) next = toc_dd_of((a + b) / 2);
        const bool settled = fabs(toc_dd_subtract(next, t).high) <= 4 * TOC_DD_ERROR * next.high;
        t = next;
        if (settled) break;
    }
    return t;
}

typedef struct fine_bracket {
    toc_dd low, high;
    double width;
} fine_bracket;

static bool fine_less(toc_dd a, toc_dd b) { return toc_dd_subtract(a, b).high < 0; }

// Times around a guess of the only root in [a, b] at which the cubic certainly has opposite signs. False when they are
// not close.
static bool fine_enclose(const fine_question *q, toc_dd root, double a, double b, fine_bracket *out) {
    double width = 8 * TOC_DD_ERROR * root.high + 2 * q->error / fabs(fine_slope_at(q->cubic, root.high));
    for (int i = 0; i < 4; i++, width *= 8) {
        if (!(width <= 0x1p-34 * root.high)) return false;
        const toc_dd low = toc_dd_add(root, toc_dd_of(-width)), high = toc_dd_add(root, toc_dd_of(width));
        if (!fine_less(toc_dd_of(a), low) || !fine_less(high, toc_dd_of(b))) return false;
        const double before = fine_cubic_at(q->cubic, low).high, after = fine_cubic_at(q->cubic, high).high;
        if (fabs(before) > q->error && fabs(after) > q->error && (before < 0) != (after < 0)) {
            *out = (fine_bracket){low, high, 2 * width * TOC_BOUND_SLACK};
            return true;
        }
    }
    return false;
}

static toc_shares fine_shares_in_face(const fine_question *q, toc_dd t, double blur) {
    const fine_bounded d = fine_at(&q->d, t, blur), e = fine_at(&q->e, t, blur), n = fine_cross(&d, &e);
    toc_shares shares = {.count = 3};
    fine_bounded to[3];
    for (int i = 0; i < 3; i++) {
        const fine_moving corner = fine_between(q->x0, q->x1, 0, 1 + i);
        to[i] = fine_at(&corner, t, blur);
    }
    for (int i = 0; i < 3; i++) {
        const fine_bounded area = fine_cross(&to[(i + 1) % 3], &to[(i + 2) % 3]);
        shares.at[i] = fine_dot(&area, &n, &shares.error[i]).high;
    }
    return shares;
}

static toc_shares fine_shares_of_edges(const fine_question *q, toc_dd t, double blur) {
    const fine_bounded d = fine_at(&q->d, t, blur), e = fine_at(&q->e, t, blur), n = fine_cross(&d, &e);
    const fine_bounded r = fine_at(&q->r, t, blur), along_d = fine_cross(&r, &e), along_e = fine_cross(&r, &d);
    double whole_error;
    const toc_dd whole = fine_dot(&n, &n, &whole_error);
    toc_shares shares = {.count = 4};
    for (int i = 0; i < 4; i += 2) {
        const toc_dd part = fine_dot(i == 0 ? &along_d : &along_e, &n, &shares.error[i + 1]);
        const toc_dd rest = toc_dd_subtract(whole, part);
        shares.at[i + 1] = part.high;
        shares.at[i] = rest.high;
        shares.error[i] = (whole_error + shares.error[i + 1]) * TOC_BOUND_SLACK + TOC_DD_ERROR * toc_dd_size(rest);
    }
    return shares;
}

// The largest double that is not above.
static double round_down(toc_dd t) { return t.low < 0 ? nextafter(t.high, -INFINITY) : t.high; }

// Whether the features touch at the only root in [a, b]. A share in one double is off by 2^-53 of itself, which changes
// no sign, and no weight beyond its error bound.
static toc_verdict fine_look_inside(const fine_question *q, double a, double b, toc_hit *hit) {
    fine_bracket root;
    if (!fine_enclose(q, fine_root_between(q->cubic, a, b), a, b, &root)) return TOC_UNDECIDED;
    toc_shares shares = q->kind == TOC_VF ? fine_shares_in_face(q, root.low, root.width)
                                          : fine_shares_of_edges(q, root.low, root.width);
    const toc_verdict verdict = toc_shares_verdict(&shares);
    if (verdict != TOC_HIT) return verdict;
    hit->verdict = TOC_HIT;
    hit->toc = round_down(root.low);
    for (int i = 0; i < shares.count; i++) shares.error[i] += 0x1p-53 * shares.at[i];
    return toc_shares_weigh(q->kind, &shares, hit->weights) ? TOC_HIT : TOC_UNDECIDED;
}

#define NUMBER toc_dd
#define NUMBER_HIGH(a) (a).high
#define NUMBER_MIDDLE(a, b) toc_dd_scale(toc_dd_add(a, b), 0.5)
#define QUESTION fine_question
#define LOOK_INSIDE fine_look_inside
#include "pair/cubic_search.inc"

toc_verdict toc_predicate_fine(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit) {
    assert(kind == TOC_VF || kind == TOC_EE);
    fine_question q;
    return fine_ask(kind, x0, x1, &q) ? search_step(&q, hit) : TOC_UNDECIDED;
}
