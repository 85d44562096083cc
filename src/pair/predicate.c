// SPDX-License-Identifier: Apache-2.0
// The exact decision in floating point, with error bounds: no root of the coplanarity cubic, or one that is isolated,
// bracketed, and certainly inside or outside; or two vertices in one place at the start. Decides nearly all questions
// in some hundred nanoseconds.
//
// Errors. u = 2^-53; differences of coordinates are off by a relative u at most. S is the product of the largest
// components of the three vectors of the cubic. A determinant of such vectors has 6 terms of at most S, each
// off by a relative 10u at most: 3u from the differences, 2u from its products, 5u from the sums. Bernstein's middle
// coefficients average three of them (4u more), 6 halvings average neighbours (3u a halving), evaluation at a time
// does so three times with rounded weights (12u): below 6 S (14 + 18 + 12) u < 300 u S altogether, taken as 512 u S.
// Sizes are kept within 1e-90 .. 1e90, so that what underflows is far below that bound and nothing overflows.
#include "pair/predicate.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/vec.h"

static const double U = DBL_EPSILON / 2;

// A vector between two vertices at both ends of the step.
typedef struct moving {
    toc_vec at0, at1;
    double size; // no component is larger at any time
} moving;

static moving between(const double x0[4][3], const double x1[4][3], int from, int to) {
    moving m = {toc_vec_sub(toc_vec_of(x0[to]), toc_vec_of(x0[from])),
                toc_vec_sub(toc_vec_of(x1[to]), toc_vec_of(x1[from])), 0};
    m.size = fmax(toc_vec_max(m.at0), toc_vec_max(m.at1));
    return m;
}

static toc_vec at(const moving *m, double t) { return toc_vec_mix(m->at0, m->at1, t); }

// The question: r joins the features, d and e span the plane (compare exact.c).
typedef struct question {
    toc_kind kind;
    const double (*x0)[3], (*x1)[3];
    moving r, d, e;
    double cubic[4]; // Bernstein's coefficients of r . (d x e)
    double cubic_error;
} question;

static bool sized(const moving *m) { return m->size >= 1e-90 && m->size <= 1e90; }

static bool ask(toc_kind kind, const double x0[4][3], const double x1[4][3], question *q) {
    const bool vf = kind == TOC_VF;
    q->kind = kind;
    q->x0 = x0;
    q->x1 = x1;
    q->r = between(x0, x1, 0, vf ? 1 : 2);
    q->d = vf ? between(x0, x1, 1, 2) : between(x0, x1, 0, 1);
    q->e = vf ? between(x0, x1, 1, 3) : between(x0, x1, 2, 3);
    if (!sized(&q->r) || !sized(&q->d) || !sized(&q->e)) return false;
    const toc_vec n00 = toc_vec_cross(q->d.at0, q->e.at0), n11 = toc_vec_cross(q->d.at1, q->e.at1);
    const toc_vec n01 = toc_vec_add(toc_vec_cross(q->d.at0, q->e.at1), toc_vec_cross(q->d.at1, q->e.at0));
    q->cubic[0] = toc_vec_dot(q->r.at0, n00);
    q->cubic[1] = (toc_vec_dot(q->r.at0, n01) + toc_vec_dot(q->r.at1, n00)) / 3;
    q->cubic[2] = (toc_vec_dot(q->r.at1, n01) + toc_vec_dot(q->r.at0, n11)) / 3;
    q->cubic[3] = toc_vec_dot(q->r.at1, n11);
    q->cubic_error = 512 * U * q->r.size * q->d.size * q->e.size;
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

// A root between a and b, where the cubic changes sign, as near as floating point comes: Newton kept in by bisection.
static double find_root(const double c[4], double a, double b) {
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

// Times around the only root in [a, b] at which the cubic certainly has opposite signs. False when they are not close.
static bool enclose_root(const question *q, double a, double b, bracket *out) {
    const double root = find_root(q->cubic, a, b), slope = fabs(slope_at(q->cubic, root));
    double width = 4 * U * root + 2 * q->cubic_error / slope;
    for (int i = 0; i < 3; i++, width *= 8) {
        const double low = root - width, high = root + width;
        if (!(low > a && high < b && high - low <= 0x1p-32 * low)) return false;
        const double before = cubic_at(q->cubic, low), after = cubic_at(q->cubic, high);
        if (fabs(before) > q->cubic_error && fabs(after) > q->cubic_error && (before < 0) != (after < 0)) {
            *out = (bracket){low, high};
            return true;
        }
    }
    return false;
}

// Shares of the whole (n . n) that belong to the vertices, up to a common factor: barycentrics of the face, or places u
// and w along the edges and what is left of them.
//
// Each is a sum of 12 products of four components that are at most `size`, off by a relative 5u each for difference and
// mixing, and 8u for products and sums: below 12 (20 + 8) u size^4 < 512 u size^4. Over the bracket a component changes
// by at most 2 size (high - low), the sum by 12 * 4 * 2 size^4 (high - low). What is left, n . n minus a share, doubles
// both.
static int inside_shares(const question *q, double t, double shares[4], double *size) {
    const toc_vec d = at(&q->d, t), e = at(&q->e, t), n = toc_vec_cross(d, e);
    *size = fmax(q->d.size, q->e.size);
    if (q->kind == TOC_VF) {
        toc_vec to[3];
        for (int i = 0; i < 3; i++) {
            const moving corner = between(q->x0, q->x1, 0, 1 + i);
            *size = fmax(*size, corner.size);
            to[i] = at(&corner, t);
        }
        for (int i = 0; i < 3; i++) shares[i] = toc_vec_dot(toc_vec_cross(to[(i + 1) % 3], to[(i + 2) % 3]), n);
        return 3;
    }
    const toc_vec r = at(&q->r, t);
    const double whole = toc_vec_dot(n, n);
    *size = fmax(*size, q->r.size);
    shares[1] = toc_vec_dot(toc_vec_cross(r, e), n);
    shares[3] = toc_vec_dot(toc_vec_cross(r, d), n);
    shares[0] = whole - shares[1];
    shares[2] = whole - shares[3];
    return 4;
}

static void weigh(toc_kind kind, const double shares[4], double weights[4]) {
    if (kind == TOC_VF) {
        const double whole = shares[0] + shares[1] + shares[2];
        weights[0] = 1;
        for (int i = 0; i < 3; i++) weights[1 + i] = shares[i] / whole;
    } else {
        for (int i = 0; i < 4; i++) weights[i] = shares[i] / (shares[i] + shares[i ^ 1]);
    }
}

// Whether the features touch at the only root in [a, b].
static toc_verdict look_inside(const question *q, double a, double b, toc_hit *hit) {
    bracket root;
    double shares[4], size;
    if (!enclose_root(q, a, b, &root)) return TOC_UNDECIDED;
    const int count = inside_shares(q, root.low, shares, &size);
    const double error = (1024 * U + 256 * (root.high - root.low)) * size * size * size * size;
    bool inside = true;
    for (int i = 0; i < count; i++) {
        if (shares[i] < -error) return TOC_APART;
        inside = inside && shares[i] > error;
    }
    if (!inside) return TOC_UNDECIDED;
    hit->verdict = TOC_HIT;
    hit->toc = root.low;
    weigh(q->kind, shares, hit->weights);
    return TOC_HIT;
}

// Certain sign changes among Bernstein's coefficients; -1 where a sign is not certain.
static int sign_changes(const double c[4], double error) {
    int changes = 0;
    for (int i = 0; i < 4; i++)
        if (!(fabs(c[i]) > error)) return -1;
    for (int i = 1; i < 4; i++) changes += (c[i] < 0) != (c[i - 1] < 0);
    return changes;
}

// The coefficients over both halves.
static void halve(const double c[4], double left[4], double right[4]) {
    const double c01 = (c[0] + c[1]) / 2, c12 = (c[1] + c[2]) / 2, c23 = (c[2] + c[3]) / 2;
    const double c012 = (c01 + c12) / 2, c123 = (c12 + c23) / 2, middle = (c012 + c123) / 2;
    memcpy(left, (double[4]){c[0], c01, c012, middle}, 4 * sizeof *left);
    memcpy(right, (double[4]){middle, c123, c23, c[3]}, 4 * sizeof *right);
}

// The first contact in [a, b], whose coefficients are c.
static toc_verdict look(const question *q, const double c[4], double a, double b, int halvings, toc_hit *hit) {
    const int changes = sign_changes(c, q->cubic_error);
    if (changes == 0) return TOC_APART;
    if (changes == 1) return look_inside(q, a, b, hit);
    if (halvings == 0) return TOC_UNDECIDED;
    double left[4], right[4];
    halve(c, left, right);
    const double middle = (a + b) / 2;
    const toc_verdict early = look(q, left, a, middle, halvings - 1, hit);
    return early == TOC_APART ? look(q, right, middle, b, halvings - 1, hit) : early;
}

// Whether two vertices are in one place at the start, as they are all over a mesh whose seams are not welded.
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

toc_verdict toc_filter_pair(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit) {
    question q;
    if (meets_in_corners(kind, x0, hit)) return TOC_HIT;
    return ask(kind, x0, x1, &q) ? look(&q, q.cubic, 0, 1, 6, hit) : TOC_UNDECIDED;
}
