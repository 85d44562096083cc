// SPDX-License-Identifier: Apache-2.0
// Distances of features and common points of hulls, for the campaign: extended precision where a bound is enough,
// rational numbers where a decision is asked for.
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/truth.h"

// ---- extended precision

typedef long double real;

static void real_minus(const real a[3], const real b[3], real out[3]) {
    for (int k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

static real real_dot(const real a[3], const real b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static real real_between(const real a[3], const real b[3]) {
    real d[3];
    real_minus(a, b, d);
    return sqrtl(real_dot(d, d));
}

static real clamped(real x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

static void real_mix(const real a[3], const real b[3], real t, real out[3]) {
    for (int k = 0; k < 3; k++) out[k] = a[k] + t * (b[k] - a[k]);
}

static void nearest_on_segment(const real p[3], const real a[3], const real b[3], real q[3]) {
    real d[3], r[3];
    real_minus(b, a, d);
    real_minus(p, a, r);
    const real length = real_dot(d, d);
    real_mix(a, b, length > 0 ? clamped(real_dot(r, d) / length) : 0, q);
}

static real point_segment(const real p[3], const real a[3], const real b[3]) {
    real q[3];
    nearest_on_segment(p, a, b, q);
    return fminl(real_between(p, q), fminl(real_between(p, a), real_between(p, b)));
}

// In thin triangles the shares have few digits; solving again for the rest of the way gives the others.
static real point_triangle(const real p[3], real x[3][3]) {
    real least = fminl(point_segment(p, x[0], x[1]), fminl(point_segment(p, x[1], x[2]), point_segment(p, x[2], x[0])));
    real d[3], e[3], r[3], q[3], u = 0, w = 0;
    real_minus(x[1], x[0], d);
    real_minus(x[2], x[0], e);
    const real a = real_dot(d, d), b = real_dot(d, e), c = real_dot(e, e), det = a * c - b * b;
    if (!(det > 0)) return least;
    for (int round = 0; round < 4; round++) {
        for (int k = 0; k < 3; k++) q[k] = x[0][k] + u * d[k] + w * e[k];
        real_minus(p, q, r);
        const real f = real_dot(r, d), g = real_dot(r, e);
        u += (c * f - b * g) / det;
        w += (a * g - b * f) / det;
    }
    if (!(u >= 0 && w >= 0 && u + w <= 1)) return least;
    for (int k = 0; k < 3; k++) q[k] = x[0][k] + u * d[k] + w * e[k];
    return fminl(least, real_between(p, q));
}

// q becomes the point of the second edge nearest to p, then p that of the first nearest to q. Returns their distance.
static real project_both(real x[4][3], real p[3], real q[3]) {
    nearest_on_segment(p, x[2], x[3], q);
    nearest_on_segment(q, x[0], x[1], p);
    return real_between(p, q);
}

static real segment_segment(real x[4][3]) {
    real least = fminl(fminl(point_segment(x[0], x[2], x[3]), point_segment(x[1], x[2], x[3])),
                       fminl(point_segment(x[2], x[0], x[1]), point_segment(x[3], x[0], x[1])));
    real d[3], e[3], r[3], p[3], q[3];
    real_minus(x[1], x[0], d);
    real_minus(x[3], x[2], e);
    real_minus(x[0], x[2], r);
    const real a = real_dot(d, d), b = real_dot(d, e), c = real_dot(e, e), f = real_dot(r, d), g = real_dot(r, e);
    const real det = a * c - b * b;
    if (!(det > 0)) return least;
    real_mix(x[0], x[1], clamped((b * g - c * f) / det), p);
    real_mix(x[2], x[3], clamped((a * g - b * f) / det), q);
    // The two places have few digits where the edges are almost parallel: each is projected onto the other edge.
    for (int round = 0; round < 3; round++) least = fminl(least, project_both(x, p, q));
    return least;
}

// Relative to the first vertex and of size 1, so that squares neither overflow nor vanish: 2^600 squared is fine for an
// extended exponent, but differences lose less this way.
long double truth_distance(toc_kind kind, long double x[4][3]) {
    real y[4][3];
    for (int i = 0; i < 4; i++) real_minus(x[i], x[0], y[i]);
    return kind == TOC_VF ? point_triangle(y[0], y + 1) : segment_segment(y);
}

long double truth_point_distance(const long double point[3], int count, long double (*x)[3]) {
    if (count == 1) return real_between(point, x[0]);
    return count == 2 ? point_segment(point, x[0], x[1]) : point_triangle(point, x);
}

// ---- the smallest distance of a step

typedef struct approach_search {
    toc_kind kind;
    real x0[4][3], x1[4][3];
    real speed, limit, wanted, high;
    int looks;
} approach_search;

static real distance_at(approach_search *s, real time) {
    real x[4][3];
    for (int i = 0; i < 4; i++) real_mix(s->x0[i], s->x1[i], time, x[i]);
    s->looks++;
    const real d = truth_distance(s->kind, x);
    s->high = fminl(s->high, d);
    return d;
}

enum { MOST_LOOKS = 600 };

// A distance changes no faster than the fastest vertex relative to another. Returns a lower bound over the part.
static real least_in(approach_search *s, real from, real to, real at_from, real at_to) {
    const real low = (at_from + at_to - s->speed * (to - from)) / 2;
    if (low > s->limit || low >= s->high - s->wanted || s->looks > MOST_LOOKS) return fmaxl(low, 0);
    const real middle = (from + to) / 2, at_middle = distance_at(s, middle);
    const real left = least_in(s, from, middle, at_from, at_middle);
    return fminl(left, least_in(s, middle, to, at_middle, at_to));
}

bool truth_closest(toc_kind kind, double x0[4][3], double x1[4][3], long double limit, long double wanted,
                   long double *low, long double *high) {
    approach_search s = {.kind = kind, .limit = limit, .wanted = wanted, .high = INFINITY};
    real way[4][3];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            s.x0[i][k] = x0[i][k];
            s.x1[i][k] = x1[i][k];
            way[i][k] = s.x1[i][k] - s.x0[i][k];
        }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) s.speed = fmaxl(s.speed, real_between(way[i], way[j]));
    const real at_start = distance_at(&s, 0), at_end = distance_at(&s, 1);
    *low = least_in(&s, 0, 1, at_start, at_end);
    *high = s.high;
    *low = fminl(*low, *high);
    return s.looks <= MOST_LOOKS;
}

// ---- rational numbers: distances

typedef mpq_t exact3[3];

static void exact_init(exact3 v) { mpq_inits(v[0], v[1], v[2], NULL); }
static void exact_clear(exact3 v) { mpq_clears(v[0], v[1], v[2], NULL); }

static void exact_minus(exact3 a, exact3 b, exact3 out) {
    for (int k = 0; k < 3; k++) mpq_sub(out[k], a[k], b[k]);
}

static void exact_dot(exact3 a, exact3 b, mpq_t out) {
    mpq_t product;
    mpq_init(product);
    mpq_set_ui(out, 0, 1);
    for (int k = 0; k < 3; k++) {
        mpq_mul(product, a[k], b[k]);
        mpq_add(out, out, product);
    }
    mpq_clear(product);
}

// r + u d + w e, its square; keeps the least.
static void keep_least(exact3 r, exact3 d, mpq_t u, exact3 e, mpq_t w, mpq_t least) {
    exact3 sum;
    mpq_t t;
    exact_init(sum);
    mpq_init(t);
    for (int k = 0; k < 3; k++) {
        mpq_mul(t, d[k], u);
        mpq_add(sum[k], r[k], t);
        mpq_mul(t, e[k], w);
        mpq_add(sum[k], sum[k], t);
    }
    exact_dot(sum, sum, t);
    if (mpq_sgn(least) < 0 || mpq_cmp(t, least) < 0) mpq_set(least, t);
    mpq_clear(t);
    exact_clear(sum);
}

static bool is_share(const mpq_t x) { return mpq_sgn(x) >= 0 && mpq_cmp_ui(x, 1, 1) <= 0; }

// The square of the distance of p from the segment a b, if less.
static void exact_point_segment(exact3 p, exact3 a, exact3 b, mpq_t least) {
    exact3 r, d;
    mpq_t u, zero, length;
    exact_init(r);
    exact_init(d);
    mpq_inits(u, zero, length, NULL);
    exact_minus(a, p, r);
    exact_minus(b, a, d);
    keep_least(r, d, zero, d, zero, least);
    mpq_set_ui(u, 1, 1);
    keep_least(r, d, u, d, zero, least);
    exact_dot(d, d, length);
    if (mpq_sgn(length) > 0) {
        exact_dot(r, d, u);
        mpq_neg(u, u);
        mpq_div(u, u, length);
        if (is_share(u)) keep_least(r, d, u, d, zero, least);
    }
    mpq_clears(u, zero, length, NULL);
    exact_clear(r);
    exact_clear(d);
}

// The stationary point of |r + u d + w e|^2; false where there is no single one.
static bool stationary(exact3 r, exact3 d, exact3 e, mpq_t u, mpq_t w) {
    mpq_t a, b, c, f, g, det, t;
    mpq_inits(a, b, c, f, g, det, t, NULL);
    exact_dot(d, d, a);
    exact_dot(d, e, b);
    exact_dot(e, e, c);
    exact_dot(r, d, f);
    exact_dot(r, e, g);
    mpq_mul(det, a, c);
    mpq_mul(t, b, b);
    mpq_sub(det, det, t);
    const bool single = mpq_sgn(det) > 0;
    if (single) {
        mpq_mul(u, b, g);
        mpq_mul(t, c, f);
        mpq_sub(u, u, t);
        mpq_div(u, u, det);
        mpq_mul(w, b, f);
        mpq_mul(t, a, g);
        mpq_sub(w, w, t);
        mpq_div(w, w, det);
    }
    mpq_clears(a, b, c, f, g, det, t, NULL);
    return single;
}

// Inside of a triangle (r = corner - point) or of two segments (r = a0 - b0, e = b0 - b1).
static void exact_inside(bool triangle, exact3 r, exact3 d, exact3 e, mpq_t least) {
    mpq_t u, w, sum;
    mpq_inits(u, w, sum, NULL);
    if (stationary(r, d, e, u, w) && is_share(u) && is_share(w)) {
        mpq_add(sum, u, w);
        if (!triangle || is_share(sum)) keep_least(r, d, u, e, w, least);
    }
    mpq_clears(u, w, sum, NULL);
}

static void exact_square(toc_kind kind, exact3 x[4], mpq_t least) {
    exact3 r, d, e;
    exact_init(r);
    exact_init(d);
    exact_init(e);
    mpq_set_si(least, -1, 1);
    if (kind == TOC_VF) {
        for (int i = 0; i < 3; i++) exact_point_segment(x[0], x[1 + i], x[1 + (i + 1) % 3], least);
        exact_minus(x[1], x[0], r);
        exact_minus(x[2], x[1], d);
        exact_minus(x[3], x[1], e);
    } else {
        for (int i = 0; i < 2; i++) {
            exact_point_segment(x[i], x[2], x[3], least);
            exact_point_segment(x[2 + i], x[0], x[1], least);
        }
        exact_minus(x[0], x[2], r);
        exact_minus(x[1], x[0], d);
        exact_minus(x[2], x[3], e);
    }
    exact_inside(kind == TOC_VF, r, d, e, least);
    exact_clear(r);
    exact_clear(d);
    exact_clear(e);
}

// The squared distance at a time of straight paths.
static void exact_square_then(toc_kind kind, double x0[4][3], double x1[4][3], double time, mpq_t least) {
    exact3 y[4];
    mpq_t t, way;
    mpq_inits(t, way, NULL);
    mpq_set_d(t, time);
    for (int i = 0; i < 4; i++) {
        exact_init(y[i]);
        for (int k = 0; k < 3; k++) {
            mpq_set_d(y[i][k], x0[i][k]);
            mpq_set_d(way, x1[i][k]);
            mpq_sub(way, way, y[i][k]);
            mpq_mul(way, way, t);
            mpq_add(y[i][k], y[i][k], way);
        }
    }
    exact_square(kind, y, least);
    for (int i = 0; i < 4; i++) exact_clear(y[i]);
    mpq_clears(t, way, NULL);
}

// a + (b - a) t
static void exact_mix(mpq_t a, mpq_t b, mpq_t t, mpq_t out) {
    mpq_t way;
    mpq_init(way);
    mpq_sub(way, b, a);
    mpq_mul(way, way, t);
    mpq_add(out, a, way);
    mpq_clear(way);
}

// The place of a vertex on its parabola: de Casteljau's rule, which has no rounding here.
static void exact_place(const toc_quadratic_pair *p, int i, mpq_t t, exact3 out) {
    mpq_t x[3];
    for (int j = 0; j < 3; j++) mpq_init(x[j]);
    for (int k = 0; k < 3; k++) {
        mpq_set_d(x[0], p->x0[i][k]);
        mpq_set_d(x[1], p->control[i][k]);
        mpq_set_d(x[2], p->x1[i][k]);
        exact_mix(x[0], x[1], t, x[0]);
        exact_mix(x[1], x[2], t, x[1]);
        exact_mix(x[0], x[1], t, out[k]);
    }
    for (int j = 0; j < 3; j++) mpq_clear(x[j]);
}

bool truth_is_within_on_parabolas(toc_kind kind, const toc_quadratic_pair *p, double time, double limit) {
    exact3 y[4];
    mpq_t t, least, square;
    mpq_inits(t, least, square, NULL);
    mpq_set_d(t, time);
    for (int i = 0; i < 4; i++) {
        exact_init(y[i]);
        exact_place(p, i, t, y[i]);
    }
    exact_square(kind, y, least);
    mpq_set_d(square, limit);
    mpq_mul(square, square, square);
    const bool within = mpq_cmp(least, square) <= 0;
    for (int i = 0; i < 4; i++) exact_clear(y[i]);
    mpq_clears(t, least, square, NULL);
    return within;
}

bool truth_is_within_then(toc_kind kind, double x0[4][3], double x1[4][3], double time, double limit) {
    mpq_t least, square;
    mpq_inits(least, square, NULL);
    exact_square_then(kind, x0, x1, time, least);
    mpq_set_d(square, limit);
    mpq_mul(square, square, square);
    const bool within = mpq_cmp(least, square) <= 0;
    mpq_clears(least, square, NULL);
    return within;
}

bool truth_is_within(toc_kind kind, double x[4][3], double limit) { return truth_is_within_then(kind, x, x, 0, limit); }

long double truth_exact_distance(toc_kind kind, double x0[4][3], double x1[4][3], double time) {
    mpq_t least;
    mpq_init(least);
    exact_square_then(kind, x0, x1, time, least);
    mpf_t root;
    mpf_init2(root, 128);
    mpf_set_q(root, least);
    mpf_sqrt(root, root);
    long exponent;
    const double digits = mpf_get_d_2exp(&exponent, root);
    mpf_clear(root);
    mpq_clear(least);
    return ldexpl(digits, (int)exponent);
}

// ---- rational numbers: determinants

static void exact_set(exact3 out, const double x[3]) {
    for (int k = 0; k < 3; k++) mpq_set_d(out[k], x[k]);
}

// a . (b x c)
static void exact_determinant(exact3 a, exact3 b, exact3 c, mpq_t out) {
    exact3 cross;
    mpq_t t;
    exact_init(cross);
    mpq_init(t);
    for (int k = 0; k < 3; k++) {
        const int m = (k + 1) % 3, n = (k + 2) % 3;
        mpq_mul(cross[k], b[m], c[n]);
        mpq_mul(t, b[n], c[m]);
        mpq_sub(cross[k], cross[k], t);
    }
    exact_dot(a, cross, out);
    mpq_clear(t);
    exact_clear(cross);
}

static int determinant_sign(const double p[3], const double a[3], const double b[3], const double c[3], bool relative) {
    exact3 x[4];
    mpq_t det;
    mpq_init(det);
    const double *const from[4] = {p, a, b, c};
    for (int i = 0; i < 4; i++) {
        exact_init(x[i]);
        exact_set(x[i], from[i]);
        if (i > 0 && (i < 3 || relative)) exact_minus(x[i], x[0], x[i]);
    }
    exact_determinant(x[1], x[2], x[3], det);
    const int sign = mpq_sgn(det);
    for (int i = 0; i < 4; i++) exact_clear(x[i]);
    mpq_clear(det);
    return sign;
}

int truth_orientation(const double p[3], const double a[3], const double b[3], const double c[3]) {
    return determinant_sign(p, a, b, c, true);
}

int truth_side(const double p[3], const double a[3], const double b[3], const double direction[3]) {
    return determinant_sign(p, a, b, direction, false);
}

int truth_volume_sign(size_t count, double (*triangles)[3][3]) {
    exact3 x[3];
    mpq_t det, sum;
    mpq_inits(det, sum, NULL);
    for (int i = 0; i < 3; i++) exact_init(x[i]);
    for (size_t t = 0; t < count; t++) {
        for (int i = 0; i < 3; i++) exact_set(x[i], triangles[t][i]);
        exact_determinant(x[0], x[1], x[2], det);
        mpq_add(sum, sum, det);
    }
    const int sign = mpq_sgn(sum);
    for (int i = 0; i < 3; i++) exact_clear(x[i]);
    mpq_clears(det, sum, NULL);
    return sign;
}

// ---- rational numbers: hulls

// Shares of the corners, not negative, that give one point of both hulls: the first phase of the simplex method, with
// Bland's rule, which ends. Rows: x, y, z, sum of the first, sum of the second. The last column is the right side, the
// last row the sum of the rows.
enum { ROWS = 5, COLUMNS = 17 };

typedef struct simplex {
    int columns; // without the right side
    int basis[ROWS];
    mpq_t at[ROWS + 1][COLUMNS];
} simplex;

static void simplex_init(simplex *s, int count_a, double a[8][3], int count_b, double b[8][3]) {
    s->columns = count_a + count_b;
    for (int i = 0; i <= ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) mpq_init(s->at[i][j]);
    for (int j = 0; j < s->columns; j++) {
        const bool first = j < count_a;
        for (int k = 0; k < 3; k++) mpq_set_d(s->at[k][j], first ? a[j][k] : -b[j - count_a][k]);
        mpq_set_ui(s->at[first ? 3 : 4][j], 1, 1);
    }
    for (int k = 3; k < ROWS; k++) mpq_set_ui(s->at[k][s->columns], 1, 1);
    for (int j = 0; j <= s->columns; j++)
        for (int i = 0; i < ROWS; i++) mpq_add(s->at[ROWS][j], s->at[ROWS][j], s->at[i][j]);
    for (int i = 0; i < ROWS; i++) s->basis[i] = s->columns + i;
}

static void simplex_clear(simplex *s) {
    for (int i = 0; i <= ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) mpq_clear(s->at[i][j]);
}

// The row that limits the entering column most; of several the one of the lowest basis.
static int leaving_row(simplex *s, int column) {
    int best = -1;
    mpq_t ratio, least;
    mpq_inits(ratio, least, NULL);
    for (int i = 0; i < ROWS; i++) {
        if (mpq_sgn(s->at[i][column]) <= 0) continue;
        mpq_div(ratio, s->at[i][s->columns], s->at[i][column]);
        const int order = best < 0 ? -1 : mpq_cmp(ratio, least);
        if (order > 0 || (order == 0 && s->basis[i] > s->basis[best])) continue;
        best = i;
        mpq_set(least, ratio);
    }
    mpq_clears(ratio, least, NULL);
    return best;
}

static void pivot(simplex *s, int row, int column) {
    mpq_t factor, t;
    mpq_inits(factor, t, NULL);
    mpq_set(factor, s->at[row][column]);
    for (int j = 0; j <= s->columns; j++) mpq_div(s->at[row][j], s->at[row][j], factor);
    for (int i = 0; i <= ROWS; i++) {
        if (i == row || mpq_sgn(s->at[i][column]) == 0) continue;
        mpq_set(factor, s->at[i][column]);
        for (int j = 0; j <= s->columns; j++) {
            mpq_mul(t, factor, s->at[row][j]);
            mpq_sub(s->at[i][j], s->at[i][j], t);
        }
    }
    s->basis[row] = column;
    mpq_clears(factor, t, NULL);
}

static int entering_column(simplex *s) {
    for (int j = 0; j < s->columns; j++)
        if (mpq_sgn(s->at[ROWS][j]) > 0) return j;
    return -1;
}

bool truth_hulls_meet(int count_a, double a[8][3], int count_b, double b[8][3]) {
    simplex s;
    simplex_init(&s, count_a, a, count_b, b);
    for (int column; (column = entering_column(&s)) >= 0;) {
        const int row = leaving_row(&s, column);
        if (row < 0) break;
        pivot(&s, row, column);
    }
    const bool meet = mpq_sgn(s.at[ROWS][s.columns]) == 0;
    simplex_clear(&s);
    return meet;
}
