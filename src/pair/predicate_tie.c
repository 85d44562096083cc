// SPDX-License-Identifier: Apache-2.0
// Signs of shares that are 0 or nearly 0: a vertex passes over an edge, as in meshes with aligned grids.
//
// At a root of the coplanarity cubic all four vertices are in one plane. With its normal n not 0 there, each area of
// the shares is parallel to n: area = share n, up to a positive factor. So any component k with n[k] certainly not 0
// gives the sign of a share, sign(area[k]) sign(n[k]); and an area[k] that is exactly 0 proves that the share is 0. The
// dot product of predicate.c needs the whole area, and its error that of the largest component. Where grids are aligned
// with an axis, the coordinates along this axis are equal or differ in their last bits. The components of the area that
// take them are then exactly 0, or tiny with a small relative error. Decides in about a hundred nanoseconds.
//
// In a plane of another orientation no component shows this. But if the three vertices of an area move in one plane,
// whose normal is m, the area is parallel to m, too. So it is 0 if m and n are not parallel (predicate_plane.c).
//
// Numbers carry their own error bounds: a number is exactly 0 if value and error are. TINY covers underflow: no sum
// here has more than 8 products, each off by less than 2^-1074.
#include "pair/predicate.h"

#include <assert.h>
#include <math.h>

#include "base/vec.h"

static const double U = 0x1p-53, TINY = 0x1p-1060;

toc_tie_number toc_tie_difference(double a, double b) {
    const toc_dd difference = toc_dd_difference_of(a, b); // exact
    return (toc_tie_number){difference.high, fabs(difference.low)};
}

// A difference is off by 1 u of itself, 1 - t, the product and the sum by 1 u each: 4 u for each end, taken as 5.
toc_tie_number toc_tie_mix(toc_tie_number a, toc_tie_number b, double t, double blur) {
    assert(0 <= t && t <= 1 && blur >= 0);
    if (a.value == b.value && a.error == 0 && b.error == 0) return a;
    const double size = fabs(a.value) + fabs(b.value), speed = fabs(b.value - a.value) + 2 * U * size;
    return (toc_tie_number){(1 - t) * a.value + t * b.value, (5 * U * size + blur * speed) * TOC_BOUND_SLACK + TINY};
}

static bool is_exactly_zero(toc_tie_number a) { return a.value == 0 && a.error == 0; }

static toc_tie_number tie_product(toc_tie_number a, toc_tie_number b) {
    if (is_exactly_zero(a) || is_exactly_zero(b)) return (toc_tie_number){0, 0};
    const double value = a.value * b.value;
    const double error = fabs(a.value) * b.error + a.error * (fabs(b.value) + b.error) + U * fabs(value);
    return (toc_tie_number){value, error * TOC_BOUND_SLACK + TINY};
}

toc_tie_number toc_tie_sum(toc_tie_number a, toc_tie_number b) {
    const double value = a.value + b.value;
    return (toc_tie_number){value, (a.error + b.error + U * fabs(value)) * TOC_BOUND_SLACK};
}

toc_tie_number toc_tie_determinant(toc_tie_number a, toc_tie_number b, toc_tie_number c, toc_tie_number d) {
    const toc_tie_number ad = tie_product(a, d), bc = tie_product(b, c);
    return toc_tie_sum(ad, (toc_tie_number){-bc.value, bc.error});
}

int toc_tie_sign(toc_tie_number a) { return a.value > a.error ? 1 : a.value < -a.error ? -1 : 0; }

typedef struct tie_vector {
    toc_tie_number x[3];
} tie_vector;

typedef struct tie_question {
    const double (*x0)[3], (*x1)[3];
    double t, blur;
} tie_question;

static tie_vector tie_between(const tie_question *q, int from, int to) {
    tie_vector v;
    for (int k = 0; k < 3; k++)
        v.x[k] = toc_tie_mix(toc_tie_difference(q->x0[to][k], q->x0[from][k]),
                             toc_tie_difference(q->x1[to][k], q->x1[from][k]), q->t, q->blur);
    return v;
}

static toc_tie_number cross_component(const tie_vector *a, const tie_vector *b, int k) {
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    return toc_tie_determinant(a->x[l], a->x[m], b->x[l], b->x[m]);
}

// The area of a share is the cross product of two vectors between vertices; in the order of toc_shares. For edges a + u
// d and b + w e with r = b - a: u is r x e, 1 - u is (d - r) x e, w is r x d, and 1 - w is d x (e + r).
typedef struct area_rule {
    int a[2], b[2]; // from, to
} area_rule;

static const area_rule face_areas[3] = {{{0, 2}, {0, 3}}, {{0, 3}, {0, 1}}, {{0, 1}, {0, 2}}};
static const area_rule edge_areas[4] = {{{2, 1}, {2, 3}}, {{0, 2}, {2, 3}}, {{0, 1}, {0, 3}}, {{0, 2}, {0, 1}}};

enum { UNKNOWN_SIGN = 2 };

// Whether two vectors are certainly not parallel.
static bool are_apart_in_direction(const toc_tie_number a[3], const toc_tie_number b[3]) {
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        if (toc_tie_sign(toc_tie_determinant(a[l], a[m], b[l], b[m])) != 0) return true;
    }
    return false;
}

// Whether the three vertices of an area move in one plane that crosses that of the features.
static bool area_vanishes(const tie_question *q, const toc_tie_number normal[3], const area_rule *rule) {
    double v[4][3];
    toc_tie_number across[3];
    for (int end = 0; end < 2; end++) {
        const double(*x)[3] = end ? q->x1 : q->x0;
        if (!toc_plane_vector(x[rule->a[0]], x[rule->a[1]], v[2 * end])) return false;
        if (!toc_plane_vector(x[rule->b[0]], x[rule->b[1]], v[2 * end + 1])) return false;
    }
    return toc_plane_of_vectors(4, (const double(*)[3])v, across) && are_apart_in_direction(normal, across);
}

static int sign_of_share(const tie_question *q, const toc_tie_number normal[3], const area_rule *rule) {
    const tie_vector a = tie_between(q, rule->a[0], rule->a[1]), b = tie_between(q, rule->b[0], rule->b[1]);
    for (int k = 0; k < 3; k++) {
        const int direction = toc_tie_sign(normal[k]);
        if (direction == 0) continue;
        const toc_tie_number area = cross_component(&a, &b, k);
        if (is_exactly_zero(area)) return 0;
        if (toc_tie_sign(area) != 0) return toc_tie_sign(area) * direction;
    }
    return area_vanishes(q, normal, rule) ? 0 : UNKNOWN_SIGN;
}

static void make_normal(toc_kind kind, const tie_question *q, toc_tie_number normal[3]) {
    const tie_vector d = kind == TOC_VF ? tie_between(q, 1, 2) : tie_between(q, 0, 1);
    const tie_vector e = kind == TOC_VF ? tie_between(q, 1, 3) : tie_between(q, 2, 3);
    for (int k = 0; k < 3; k++) normal[k] = cross_component(&d, &e, k);
}

// Rounding may take a share of 0 or more below 0. Clamp it to 0; this does not increase the error.
toc_verdict toc_shares_settle(toc_kind kind, const double x0[4][3], const double x1[4][3], double t, double blur,
                              toc_shares *shares) {
    assert(kind == TOC_VF || kind == TOC_EE);
    const tie_question q = {x0, x1, t, blur};
    const area_rule *rules = kind == TOC_VF ? face_areas : edge_areas;
    toc_tie_number normal[3];
    make_normal(kind, &q, normal);
    for (int i = 0; i < shares->count; i++) {
        if (shares->at[i] > shares->error[i]) continue;
        const int sign = sign_of_share(&q, normal, &rules[i]);
        if (sign == UNKNOWN_SIGN) return TOC_UNDECIDED;
        if (sign < 0) return TOC_APART;
        shares->at[i] = sign == 0 ? 0 : toc_larger(shares->at[i], 0);
        if (sign == 0) shares->error[i] = 0;
    }
    return TOC_HIT;
}

// With f' in slope +- slope_error between t and the root, root = t - f(t) / f'(s) for some s there. The quotient in
// doubles is off by 2 roundings. t + step is high + low exactly; the root is the same sum with low off by `off`, which
// is far below the distance of doubles. So the root is above or below `high`, or it may be `high`.
bool toc_root_round_down(double t, toc_dd value, double value_error, double slope, double slope_error, double *out) {
    const double least = fabs(slope) - slope_error, step = -value.high / slope;
    if (!(least > 0)) return false;
    const double blunt = (value_error + U * fabs(value.high)) + fabs(value.high) * (slope_error / fabs(slope));
    const double off = (blunt / least + 4 * U * fabs(step)) * TOC_BOUND_SLACK;
    const toc_dd root = toc_dd_sum_of(t, step);
    if (!(off <= 0x1p-56 * root.high && root.high <= 1)) return false;
    if (root.low > off) {
        *out = root.high;
        return true;
    }
    *out = nextafter(root.high, 0);
    return root.low < -off;
}
