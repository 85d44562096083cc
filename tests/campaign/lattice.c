// SPDX-License-Identifier: Apache-2.0
// Features that touch are in one plane at that time: a root of a cubic with small integer coefficients. Roots are
// separated by halving [0, 1] as long as signs change more than once (Descartes). A root with a small denominator is
// recognised by its continued fraction and checked by insertion; signs there are exact. At other roots a sign counts
// where the value clears the width of the interval; the rest goes to the rational oracle. In flat motion contact begins
// at the start, or when a vertex reaches an edge or another vertex: roots of quadratics.
#include "campaign/lattice.h"

#include <math.h>
#include <string.h>

#include "support/oracle.h"

__extension__ typedef __int128 wide;

enum { DEGREE = 4, DEPTH = 34, ROOTS = 24 };

typedef struct poly {
    int degree; // -1 for zero
    wide c[DEGREE + 1];
} poly;

typedef struct vector {
    poly x[3];
} vector;

// A time in [0, 1]: p / q, or a root between place / 2^DEPTH and the next one.
typedef struct moment {
    bool rational;
    wide p, q;
    long double at;
} moment;

static poly trim(poly a) {
    while (a.degree >= 0 && a.c[a.degree] == 0) a.degree--;
    return a;
}

static poly line_of(int from, int to) { return trim((poly){1, {from, to - from}}); }

static poly sum_of(poly a, poly b, int sign) {
    poly r = {a.degree > b.degree ? a.degree : b.degree, {0}};
    for (int i = 0; i <= r.degree; i++) r.c[i] = (i <= a.degree ? a.c[i] : 0) + sign * (i <= b.degree ? b.c[i] : 0);
    return trim(r);
}

static poly product_of(poly a, poly b) {
    poly r = {-1, {0}};
    if (a.degree < 0 || b.degree < 0) return r;
    r.degree = a.degree + b.degree;
    for (int i = 0; i <= a.degree; i++)
        for (int j = 0; j <= b.degree; j++) r.c[i + j] += a.c[i] * b.c[j];
    return r;
}

static vector edge_of(const lattice_pair *pair, int from, int to) {
    vector v;
    for (int k = 0; k < 3; k++)
        v.x[k] = line_of(pair->x0[to][k] - pair->x0[from][k], pair->x1[to][k] - pair->x1[from][k]);
    return v;
}

static vector cross_of(const vector *a, const vector *b) {
    vector v;
    for (int k = 0; k < 3; k++)
        v.x[k] = sum_of(product_of(a->x[(k + 1) % 3], b->x[(k + 2) % 3]),
                        product_of(a->x[(k + 2) % 3], b->x[(k + 1) % 3]), -1);
    return v;
}

static poly dot_of(const vector *a, const vector *b) {
    poly sum = {-1, {0}};
    for (int k = 0; k < 3; k++) sum = sum_of(sum, product_of(a->x[k], b->x[k]), 1);
    return sum;
}

// ---- signs

static int sign_of(wide x) { return (x > 0) - (x < 0); }

// Of a polynomial at p / q, q > 0.
static int sign_at_fraction(const poly *a, wide p, wide q) {
    wide value = 0, power = 1;
    for (int i = a->degree; i >= 0; i--, power *= q) value = value * p + a->c[i] * power;
    return sign_of(value);
}

// @return 2 where the value does not clear the width of the interval.
static int sign_at(const poly *a, const moment *t) {
    long double value = 0, slope = 0;
    if (a->degree < 0) return 0;
    if (t->rational) return sign_at_fraction(a, t->p, t->q);
    for (int i = a->degree; i >= 0; i--) {
        value = value * t->at + (long double)a->c[i];
        slope += (long double)i * fabsl((long double)a->c[i]);
    }
    const long double margin = slope * 0x1p-33L + fabsl((long double)a->c[0]) * 0x1p-60L;
    return fabsl(value) > margin ? (value > 0) - (value < 0) : 2;
}

// ---- roots

typedef struct roots {
    moment at[ROOTS];
    int count;
    bool failed; // 128 bits did not suffice
} roots;

// In lowest terms, so that powers of the denominator stay small.
static void add_fraction(roots *r, wide p, wide q) {
    if (q < 0) p = -p, q = -q;
    if (p < 0 || p > q) return;
    wide a = q, b = p;
    while (b != 0) {
        const wide rest = a % b;
        a = b, b = rest;
    }
    p /= a, q /= a;
    r->at[r->count++] = (moment){.rational = true, .p = p, .q = q, .at = (long double)p / (long double)q};
}

// A root with a small denominator between place / 2^depth and the next one, by continued fractions.
static bool is_fraction(const poly *a, wide place, int depth, wide *p, wide *q) {
    wide p0 = 0, q0 = 1, p1 = 1, q1 = 0;
    long double rest = ((long double)place + 0.5L) / (long double)((wide)1 << depth);
    const wide most = a->c[a->degree] < 0 ? -a->c[a->degree] : a->c[a->degree];
    for (int i = 0; i < 24; i++) {
        const wide whole = (wide)floorl(rest);
        const wide p2 = whole * p1 + p0, q2 = whole * q1 + q0;
        if (q2 > most || q2 > 1 << 20) return false;
        p0 = p1, q0 = q1, p1 = p2, q1 = q2;
        const bool within = place * q1 <= p1 << depth && p1 << depth <= (place + 1) * q1;
        if (within && sign_at_fraction(a, p1, q1) == 0) {
            *p = p1, *q = q1;
            return true;
        }
        if (rest - (long double)whole < 0x1p-40L) return false;
        rest = 1 / (rest - (long double)whole);
    }
    return false;
}

static void take_root(const poly *a, wide place, int depth, roots *out) {
    wide p, q;
    if (is_fraction(a, place, depth, &p, &q))
        add_fraction(out, p, q);
    else
        out->at[out->count++] = (moment){.at = ((long double)place + 0.5L) / (long double)((wide)1 << depth)};
}

static poly left_half_of(const poly *a) {
    poly r = *a;
    for (int i = 0; i <= r.degree; i++) r.c[i] *= (wide)1 << (r.degree - i);
    return r;
}

static poly shifted_by_one(poly r) {
    for (int i = 0; i < r.degree; i++)
        for (int j = r.degree - 1; j >= i; j--) r.c[j] += r.c[j + 1];
    return r;
}

// Sign changes of the coefficients for (0, 1): 0 for no root in it, 1 for one.
static int changes_of(const poly *a) {
    poly turned = *a;
    for (int i = 0; i <= a->degree; i++) turned.c[i] = a->c[a->degree - i];
    turned = shifted_by_one(turned);
    int changes = 0, last = 0;
    for (int i = 0; i <= turned.degree; i++) {
        const int sign = sign_of(turned.c[i]);
        changes += sign != 0 && last != 0 && sign != last;
        if (sign != 0) last = sign;
    }
    return changes;
}

// Halve an interval with one root down to the last depth.
static void narrow_root(const poly *whole, poly local, wide place, int depth, roots *out) {
    while (depth < DEPTH) {
        poly left = left_half_of(&local);
        poly right = shifted_by_one(left);
        place *= 2;
        depth++;
        if (right.c[0] == 0) {
            add_fraction(out, place + 1, (wide)1 << depth);
            return;
        }
        const bool in_left = changes_of(&left) == 1;
        if (!in_left) place++;
        local = in_left ? left : right;
    }
    take_root(whole, place, depth, out);
}

// Roots of a polynomial without repeated ones, of degree 3 at most, in (0, 1).
static void separate(const poly *whole, const poly *local, wide place, int depth, roots *out) {
    const int changes = changes_of(local);
    if (changes == 0) return;
    if (changes == 1) {
        narrow_root(whole, *local, place, depth, out);
        return;
    }
    if (depth == DEPTH - 4) {
        out->failed = true;
        return;
    }
    const poly left = left_half_of(local), right = shifted_by_one(left);
    separate(whole, &left, 2 * place, depth + 1, out);
    if (right.c[0] == 0) add_fraction(out, 2 * place + 1, (wide)1 << (depth + 1));
    separate(whole, &right, 2 * place + 1, depth + 1, out);
}

// A repeated root of a cubic or a quadratic with integer coefficients is a fraction, and so is the rest. @return
// whether there is one.
static bool take_repeated(const poly *a, roots *out) {
    if (a->degree == 2) {
        const wide b = a->c[1], lead = a->c[2];
        if (b * b != 4 * lead * a->c[0]) return false;
        add_fraction(out, -b, 2 * lead);
        return true;
    }
    if (a->degree != 3) return false;
    // 9 lead a - (3 lead t + b) a' = (6 lead c - 2 b^2) t + 9 lead d - b c: the remainder by the derivative
    const wide d = a->c[0], c = a->c[1], b = a->c[2], lead = a->c[3];
    const wide slope = 6 * lead * c - 2 * b * b, rest = 9 * lead * d - b * c;
    if (slope == 0 && rest == 0) {
        add_fraction(out, -b, 3 * lead);
        return true;
    }
    if (slope == 0) return false;
    const wide p = slope < 0 ? rest : -rest, q = slope < 0 ? -slope : slope; // squares of 2^40 at most
    const poly derivative = {2, {c, 2 * b, 3 * lead}};
    if (sign_at_fraction(&derivative, p, q) != 0) return false;
    add_fraction(out, p, q);
    add_fraction(out, -b * q - 2 * p * lead, lead * q); // the sum of the roots is -b / lead
    return true;
}

static void find_roots(const poly *a, roots *out) {
    if (a->degree < 1) return;
    if (take_repeated(a, out)) return;
    if (a->c[0] == 0) add_fraction(out, 0, 1);
    wide at_end = 0;
    for (int i = 0; i <= a->degree; i++) at_end += a->c[i];
    if (at_end == 0) add_fraction(out, 1, 1);
    separate(a, a, 0, 0, out);
}

// ---- touching at a moment: 0 no, 1 yes, 2 unknown

static int all_not_negative(const poly *const *a, int count, const moment *t) {
    int result = 1;
    for (int i = 0; i < count; i++) {
        const int sign = sign_at(a[i], t);
        if (sign == -1) return 0;
        if (sign == 2) result = 2;
    }
    return result;
}

static int is_zero_vector(const vector *v, const moment *t) {
    int result = 1;
    for (int k = 0; k < 3; k++) {
        const int sign = sign_at(&v->x[k], t);
        if (sign == 1 || sign == -1) return 0;
        if (sign == 2) result = 2;
    }
    return result;
}

// A vertex on an edge, which may be a point.
static int is_on_edge(const lattice_pair *pair, int vertex, int from, int to, const moment *t) {
    const vector edge = edge_of(pair, from, to), a = edge_of(pair, from, vertex), b = edge_of(pair, to, vertex);
    const vector off = cross_of(&edge, &a);
    const int on_line = is_zero_vector(&off, t);
    if (on_line == 0) return 0;
    const poly product = dot_of(&a, &b);
    const int between = sign_at(&product, t);
    if (between == 1) return 0;
    return between == 2 || on_line == 2 ? 2 : 1;
}

typedef struct corner {
    int vertex, from, to;
} corner;

static const corner face_corners[] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}};
static const corner edge_corners[] = {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}};

static const corner *corners_of(toc_kind kind, int *count) {
    *count = kind == TOC_VF ? 3 : 4;
    return kind == TOC_VF ? face_corners : edge_corners;
}

static int touch_at_corners(toc_kind kind, const lattice_pair *pair, const moment *t) {
    int count, result = 0;
    const corner *corners = corners_of(kind, &count);
    for (int i = 0; i < count; i++) {
        const int on = is_on_edge(pair, corners[i].vertex, corners[i].from, corners[i].to, t);
        if (on == 1) return 1;
        if (on == 2) result = 2;
    }
    return result;
}

static vector normal_of(toc_kind kind, const lattice_pair *pair) {
    const vector a = kind == TOC_VF ? edge_of(pair, 1, 2) : edge_of(pair, 0, 1);
    const vector b = kind == TOC_VF ? edge_of(pair, 1, 3) : edge_of(pair, 2, 3);
    return cross_of(&a, &b);
}

// Inside of the face, or where the lines of both edges meet: products with the normal that are not negative.
static int touch_inside(toc_kind kind, const lattice_pair *pair, const vector *n, const moment *t) {
    poly inside[4];
    const poly *all[4] = {&inside[0], &inside[1], &inside[2], &inside[3]};
    if (kind == TOC_VF) {
        for (int i = 0; i < 3; i++) {
            const vector edge = edge_of(pair, 1 + i, 1 + (i + 1) % 3), to = edge_of(pair, 1 + i, 0);
            const vector area = cross_of(&edge, &to);
            inside[i] = dot_of(&area, n);
        }
        return all_not_negative(all, 3, t);
    }
    const vector a = edge_of(pair, 0, 1), b = edge_of(pair, 2, 3), between = edge_of(pair, 0, 2);
    const vector of_a = cross_of(&between, &b), of_b = cross_of(&between, &a);
    const poly square = dot_of(n, n);
    inside[0] = dot_of(&of_a, n);
    inside[1] = dot_of(&of_b, n);
    inside[2] = sum_of(square, inside[0], -1);
    inside[3] = sum_of(square, inside[1], -1);
    return all_not_negative(all, 4, t);
}

static int touches_at(toc_kind kind, const lattice_pair *pair, const moment *t) {
    const vector n = normal_of(kind, pair);
    const int flat = is_zero_vector(&n, t);
    if (flat == 2) return 2;
    return flat ? touch_at_corners(kind, pair, t) : touch_inside(kind, pair, &n, t);
}

// ---- the first time

static poly coplanarity(toc_kind kind, const lattice_pair *pair) {
    const vector n = normal_of(kind, pair), between = kind == TOC_VF ? edge_of(pair, 1, 0) : edge_of(pair, 0, 2);
    return dot_of(&n, &between);
}

// The start, and each time at which a vertex may come to an edge or leave it.
static void list_flat_moments(toc_kind kind, const lattice_pair *pair, roots *out) {
    int count;
    const corner *corners = corners_of(kind, &count);
    add_fraction(out, 0, 1);
    for (int i = 0; i < count && !out->failed; i++) {
        const corner c = corners[i];
        const vector edge = edge_of(pair, c.from, c.to), a = edge_of(pair, c.from, c.vertex),
                     b = edge_of(pair, c.to, c.vertex);
        const vector off = cross_of(&edge, &a);
        const poly between = dot_of(&a, &b);
        int k = 0;
        while (k < 3 && off.x[k].degree < 0) k++;
        find_roots(k < 3 ? &off.x[k] : &between, out); // a root of one component is checked with all
    }
}

static void find_first(toc_kind kind, const lattice_pair *pair, const roots *times, bool *known, lattice_answer *out) {
    const moment *first = NULL;
    *known = !times->failed;
    for (int i = 0; i < times->count && *known; i++) {
        const moment *t = &times->at[i];
        if (first && t->at >= first->at) continue;
        const int touches = touches_at(kind, pair, t);
        if (touches == 2) *known = false;
        if (touches == 1) first = t;
    }
    *out = (lattice_answer){.touches = first != NULL};
    if (!first) return;
    const long double width = first->rational ? 0 : 0x1p-35L;
    out->low = nextafter((double)(first->at - width), -1);
    out->high = nextafter((double)(first->at + width), 2);
    if (first->rational && first->p == 0) out->low = out->high = 0;
}

static void ask_oracle(toc_kind kind, const lattice_pair *pair, lattice_answer *out) {
    toc_pair doubles;
    test_truth truth;
    for (int i = 0; i < 12; i++) {
        doubles.x0[i / 3][i % 3] = pair->x0[i / 3][i % 3];
        doubles.x1[i / 3][i % 3] = pair->x1[i / 3][i % 3];
    }
    test_truth_init(&truth);
    test_oracle_find(kind, &doubles, 0, 1, &truth);
    out->touches = truth.touches;
    out->low = truth.touches ? mpq_get_d(truth.lower) : 0;
    out->high = truth.touches ? nextafter(mpq_get_d(truth.upper), 2) : 0;
    test_truth_clear(&truth);
}

// Whether an axis of the lattice separates the features at both ends.
static bool is_parted(toc_kind kind, const lattice_pair *pair) {
    const int first = kind == TOC_VF ? 1 : 2;
    for (int k = 0; k < 3; k++)
        for (int side = -1; side <= 1; side += 2) {
            bool apart = true;
            for (int i = 0; i < first && apart; i++)
                for (int j = first; j < 4; j++)
                    apart = apart && side * (pair->x0[i][k] - pair->x0[j][k]) > 0 &&
                            side * (pair->x1[i][k] - pair->x1[j][k]) > 0;
            if (apart) return true;
        }
    return false;
}

bool lattice_decide(toc_kind kind, const lattice_pair *pair, lattice_answer *out) {
    bool known;
    roots times = {.count = 0};
    *out = (lattice_answer){.touches = false};
    if (is_parted(kind, pair)) return true;
    const poly plane = coplanarity(kind, pair);
    if (plane.degree < 0)
        list_flat_moments(kind, pair, &times);
    else
        find_roots(&plane, &times);
    find_first(kind, pair, &times, &known, out);
    if (!known) ask_oracle(kind, pair, out);
    return known;
}
