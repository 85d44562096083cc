// SPDX-License-Identifier: Apache-2.0
// Decide whether the origin meets a moving triangle, by exact samples of time.
//
// A vertex meets a face when the origin is in the triangle of the differences; two edges meet when it is in the
// parallelogram of the differences, that is in one of two triangles. A closed triangle is the disjoint union of the
// insides of its corners, edges and face, and the origin is inside of one of these when a few polynomials of time
// vanish and a few others are positive. This can change only at roots of these polynomials. So each root in [0, 1] is
// tried, and one moment between each two roots. There is no other case, and no rounding anywhere.
// Sturm 1829 counts the roots; Tarski 1951 gives signs at roots. O(1) polynomials, on straight paths of degree 15 at
// most, on parabolas of degree 31.
#include "support/oracle.h"

#include <assert.h>
#include <math.h>

enum {
    CAPACITY = 32 // coefficients: on parabolas the product of three polynomials of degree 8, derived, times one of them
};

typedef struct poly {
    int degree; // -1 for the zero polynomial
    mpz_t c[CAPACITY];
} poly;

static void poly_init(poly *p) {
    p->degree = -1;
    for (int i = 0; i < CAPACITY; i++) mpz_init(p->c[i]);
}

static void poly_clear(poly *p) {
    for (int i = 0; i < CAPACITY; i++) mpz_clear(p->c[i]);
}

static void polys_init(int count, poly p[]) {
    for (int i = 0; i < count; i++) poly_init(&p[i]);
}

static void polys_clear(int count, poly p[]) {
    for (int i = 0; i < count; i++) poly_clear(&p[i]);
}

static void poly_trim(poly *p, int degree) {
    p->degree = degree;
    while (p->degree >= 0 && mpz_sgn(p->c[p->degree]) == 0) p->degree--;
    for (int i = p->degree + 1; i < CAPACITY; i++) mpz_set_ui(p->c[i], 0);
}

static void poly_copy(poly *out, const poly *p) {
    for (int i = 0; i <= p->degree; i++) mpz_set(out->c[i], p->c[i]);
    poly_trim(out, p->degree);
}

static void poly_subtract(poly *out, const poly *p, const poly *q) {
    const int degree = p->degree > q->degree ? p->degree : q->degree;
    for (int i = 0; i <= degree; i++) mpz_sub(out->c[i], p->c[i], q->c[i]);
    poly_trim(out, degree);
}

static void poly_negate(poly *p) {
    for (int i = 0; i <= p->degree; i++) mpz_neg(p->c[i], p->c[i]);
}

// out += p * q; out may be neither.
static void poly_add_product(poly *out, const poly *p, const poly *q) {
    if (p->degree < 0 || q->degree < 0) return;
    const int degree = p->degree + q->degree;
    assert(degree < CAPACITY);
    for (int i = 0; i <= p->degree; i++)
        for (int j = 0; j <= q->degree; j++) mpz_addmul(out->c[i + j], p->c[i], q->c[j]);
    poly_trim(out, degree > out->degree ? degree : out->degree);
}

static void poly_derive(poly *out, const poly *p) {
    for (int i = 1; i <= p->degree; i++) mpz_mul_ui(out->c[i - 1], p->c[i], (unsigned long)i);
    poly_trim(out, p->degree - 1);
}

// Divide by the common positive factor of all coefficients: signs stay, and coefficients stay short.
static void poly_shorten(poly *p) {
    mpz_t shared;
    mpz_init(shared);
    for (int i = 0; i <= p->degree; i++) mpz_gcd(shared, shared, p->c[i]);
    for (int i = 0; i <= p->degree; i++) mpz_divexact(p->c[i], p->c[i], shared);
    mpz_clear(shared);
}

// p becomes a positive multiple of its remainder by q.
static void poly_reduce(poly *p, const poly *q) {
    mpz_t lead, factor;
    mpz_inits(lead, factor, NULL);
    mpz_abs(lead, q->c[q->degree]);
    while (p->degree >= q->degree) {
        const int shift = p->degree - q->degree;
        mpz_mul_si(factor, p->c[p->degree], mpz_sgn(q->c[q->degree]));
        for (int i = 0; i <= p->degree; i++) mpz_mul(p->c[i], p->c[i], lead);
        for (int i = 0; i <= q->degree; i++) mpz_submul(p->c[i + shift], q->c[i], factor);
        poly_trim(p, p->degree);
        poly_shorten(p);
    }
    mpz_clears(lead, factor, NULL);
}

// p becomes the greatest common divisor of p and q; that of zero and q is q.
static void poly_share(poly *p, const poly *q) {
    poly rest;
    poly_init(&rest);
    poly_copy(&rest, q);
    while (rest.degree >= 0) {
        if (p->degree >= 0) poly_reduce(p, &rest);
        const poly swapped = *p;
        *p = rest;
        rest = swapped;
    }
    poly_clear(&rest);
}

// All times here are whole multiples of a power of two.
static mp_bitcnt_t time_shift(const mpq_t time) { return mpz_scan1(mpq_denref(time), 0); }

static int poly_sign_at(const poly *p, const mpq_t time) {
    const mp_bitcnt_t shift = time_shift(time);
    mpz_t sum, term;
    mpz_inits(sum, term, NULL);
    for (int i = p->degree; i >= 0; i--) {
        mpz_mul(sum, sum, mpq_numref(time));
        mpz_mul_2exp(term, p->c[i], shift * (mp_bitcnt_t)(p->degree - i));
        mpz_add(sum, sum, term);
    }
    const int sign = mpz_sgn(sum);
    mpz_clears(sum, term, NULL);
    return sign;
}

// Take out the roots 0 and 1. Dividing by t - 1 turns coefficients into the sums of those above them.
static void poly_strip_ends(poly *p) {
    while (p->degree > 0 && mpz_sgn(p->c[0]) == 0) {
        for (int i = 0; i < p->degree; i++) mpz_set(p->c[i], p->c[i + 1]);
        poly_trim(p, p->degree - 1);
    }
    for (;;) {
        poly sums;
        poly_init(&sums);
        for (int i = p->degree - 1; i >= 0; i--) mpz_add(sums.c[i], sums.c[i + 1], p->c[i + 1]);
        const bool divides = p->degree > 0 && mpz_cmpabs(sums.c[0], p->c[0]) == 0 && //
                             mpz_sgn(sums.c[0]) == -mpz_sgn(p->c[0]);
        if (divides) {
            poly_trim(&sums, p->degree - 1);
            poly_copy(p, &sums);
        }
        poly_clear(&sums);
        if (!divides) return;
    }
}

// The sequence of signed remainders that starts with p and p' q.
typedef struct chain {
    int count;
    poly p[CAPACITY + 2];
} chain;

static void chain_make(chain *s, const poly *p, const poly *q) {
    poly derived;
    poly_init(&derived);
    poly_derive(&derived, p);
    polys_init(2, s->p);
    poly_copy(&s->p[0], p);
    poly_add_product(&s->p[1], &derived, q);
    poly_clear(&derived);
    for (s->count = 1; s->p[s->count].degree >= 0; s->count++) {
        assert(s->count + 1 < CAPACITY + 2);
        poly *next = &s->p[s->count + 1];
        poly_init(next);
        poly_copy(next, &s->p[s->count - 1]);
        poly_reduce(next, &s->p[s->count]);
        poly_negate(next);
    }
}

static void chain_clear(chain *s) { polys_clear(s->count + 1, s->p); }

static int chain_changes_at(const chain *s, const mpq_t time) {
    int changes = 0, last = 0;
    for (int i = 0; i < s->count; i++) {
        const int sign = poly_sign_at(&s->p[i], time);
        changes += sign * last < 0;
        if (sign != 0) last = sign;
    }
    return changes;
}

// Over the roots of p between two moments that are not roots: the number with q > 0 minus the number with q < 0.
static int chain_count(const chain *s, const mpq_t lower, const mpq_t upper) {
    return chain_changes_at(s, lower) - chain_changes_at(s, upper);
}

// One root lies strictly between the two moments, and neither is a root unless it is 0 or 1.
typedef struct root {
    mpq_t lower, upper;
} root;

static void root_init(root *r) { mpq_inits(r->lower, r->upper, NULL); }
static void root_clear(root *r) { mpq_clears(r->lower, r->upper, NULL); }

// The exponent of a positive time, rounded down.
static long time_exponent(const mpq_t time) {
    return (long)mpz_sizeinbase(mpq_numref(time), 2) - 1 - (long)time_shift(time);
}

// A moment between two others: at the mean of their exponents if these differ, because a time may be as small as the
// coordinates; else at the mean.
static void middle_between(const mpq_t lower, const mpq_t upper, mpq_t out) {
    const long high = time_exponent(upper), low = mpq_sgn(lower) ? time_exponent(lower) : 2 * high - 4;
    if (high - low > 2) {
        mpq_set_ui(out, 1, 1);
        mpq_div_2exp(out, out, (mp_bitcnt_t)(-(low + high) / 2));
    } else {
        mpq_add(out, lower, upper);
        mpq_div_2exp(out, out, 1);
    }
}

// A moment between two others that is not a root: repeatedly nearer to the first.
static void split(const chain *s, const mpq_t lower, const mpq_t upper, mpq_t out) {
    middle_between(lower, upper, out);
    while (poly_sign_at(&s->p[0], out) == 0) {
        mpq_add(out, out, lower);
        mpq_div_2exp(out, out, 1);
    }
}

// If all roots are simple, one root between two moments changes the sign.
static bool is_between(const chain *s, const mpq_t lower, const mpq_t upper) {
    if (s->p[s->count - 1].degree > 0) return chain_count(s, lower, upper) > 0;
    return poly_sign_at(&s->p[0], lower) != poly_sign_at(&s->p[0], upper);
}

static void root_halve(const chain *s, root *r) {
    mpq_t middle;
    mpq_init(middle);
    split(s, r->lower, r->upper, middle);
    mpq_swap(is_between(s, r->lower, middle) ? r->upper : r->lower, middle);
    mpq_clear(middle);
}

static bool root_is_narrow(const root *r) {
    mpq_t width;
    mpq_init(width);
    mpq_sub(width, r->upper, r->lower);
    mpq_mul_2exp(width, width, 60);
    const bool narrow = mpq_cmp(width, r->upper) <= 0;
    mpq_clear(width);
    return narrow;
}

// All roots between two moments that are not roots, in order.
static void isolate(const chain *s, const mpq_t lower, const mpq_t upper, root roots[], int *count) {
    const int here = chain_count(s, lower, upper);
    if (here == 1) {
        root *r = &roots[(*count)++];
        root_init(r);
        mpq_set(r->lower, lower);
        mpq_set(r->upper, upper);
    }
    if (here <= 1) return;
    mpq_t middle;
    mpq_init(middle);
    split(s, lower, upper, middle);
    isolate(s, lower, middle, roots, count);
    isolate(s, middle, upper, roots, count);
    mpq_clear(middle);
}

static int sign_at_root(const chain *s, const root *r, const poly *q) {
    chain with;
    chain_make(&with, &s->p[0], q);
    const int sign = chain_count(&with, r->lower, r->upper);
    chain_clear(&with);
    return sign;
}

// A condition: the first three polynomials vanish and the counted others are positive.
typedef struct clause {
    poly zero[3], positive[3];
    int positives;
} clause;

static void clause_init(clause *c, int positives) {
    polys_init(3, c->zero);
    polys_init(3, c->positive);
    c->positives = positives;
}

static void clause_clear(clause *c) {
    polys_clear(3, c->zero);
    polys_clear(3, c->positive);
}

static bool clause_holds_at(const clause *c, const mpq_t time) {
    for (int i = 0; i < 3; i++)
        if (poly_sign_at(&c->zero[i], time) != 0) return false;
    for (int i = 0; i < c->positives; i++)
        if (poly_sign_at(&c->positive[i], time) <= 0) return false;
    return true;
}

// At a root of clause_critical, where the first three polynomials vanish.
static bool clause_holds_at_root(const clause *c, const chain *critical, const root *r) {
    for (int i = 0; i < c->positives; i++)
        if (sign_at_root(critical, r, &c->positive[i]) <= 0) return false;
    return true;
}

// The polynomial between whose roots in (0, 1) the condition does not change: the common divisor of the polynomials
// that must vanish or, if these are zero throughout, the product of those that must be positive.
static void clause_critical(const clause *c, poly *out) {
    for (int i = 0; i < 3; i++) poly_share(out, &c->zero[i]);
    if (out->degree < 0) {
        mpz_set_ui(out->c[0], 1);
        out->degree = 0;
        for (int i = 0; i < c->positives; i++) {
            if (c->positive[i].degree < 0) continue;
            poly product;
            poly_init(&product);
            poly_add_product(&product, out, &c->positive[i]);
            poly_copy(out, &product);
            poly_clear(&product);
        }
    }
    poly_shorten(out);
    poly_strip_ends(out);
}

// The moments to try, in order: 0, before the first root, the root, after it, ..., after the last root, 1.
typedef struct samples {
    chain critical;
    root roots[CAPACITY];
    int count;
    mpq_t start, end;
} samples;

static void samples_make(samples *s, const clause *c) {
    poly critical, one;
    poly_init(&critical);
    clause_critical(c, &critical);
    poly_init(&one);
    mpz_set_ui(one.c[0], 1);
    one.degree = 0;
    chain_make(&s->critical, &critical, &one);
    poly_clear(&critical);
    poly_clear(&one);
    mpq_inits(s->start, s->end, NULL);
    mpq_set_ui(s->end, 1, 1);
    s->count = 0;
    isolate(&s->critical, s->start, s->end, s->roots, &s->count);
    if (s->count == 0) return;
    while (mpq_sgn(s->roots[0].lower) == 0) root_halve(&s->critical, &s->roots[0]);
    root *last = &s->roots[s->count - 1];
    while (mpq_cmp_ui(last->upper, 1, 1) == 0) root_halve(&s->critical, last);
}

static void samples_clear(samples *s) {
    chain_clear(&s->critical);
    for (int i = 0; i < s->count; i++) root_clear(&s->roots[i]);
    mpq_clears(s->start, s->end, NULL);
}

// Whether the clause holds right after root i, or right after 0 for i = -1.
static bool holds_after(const samples *s, const clause *c, int i) {
    if (s->count > 0) return clause_holds_at(c, i < 0 ? s->roots[0].lower : s->roots[i].upper);
    mpq_t half;
    mpq_init(half);
    mpq_set_ui(half, 1, 2);
    const bool holds = clause_holds_at(c, half);
    mpq_clear(half);
    return holds;
}

static void keep_if_earlier(test_truth *truth, const mpq_t lower, const mpq_t upper) {
    if (!truth->touches || mpq_cmp(lower, truth->lower) < 0) mpq_set(truth->lower, lower);
    if (!truth->touches || mpq_cmp(upper, truth->upper) < 0) mpq_set(truth->upper, upper);
    truth->touches = true;
}

// The first moment of the clause. If the clause does not hold at that moment itself, another clause does: triangles and
// steps are closed.
static void clause_find(const clause *c, test_truth *truth) {
    samples s;
    samples_make(&s, c);
    if (clause_holds_at(c, s.start) || holds_after(&s, c, -1)) {
        keep_if_earlier(truth, s.start, s.start);
    } else {
        int i = 0;
        while (i < s.count && !clause_holds_at_root(c, &s.critical, &s.roots[i]) && !holds_after(&s, c, i)) i++;
        if (i < s.count) {
            root *r = &s.roots[i];
            while (!root_is_narrow(r)) root_halve(&s.critical, r);
            keep_if_earlier(truth, r->lower, r->upper);
        } else if (clause_holds_at(c, s.end)) {
            keep_if_earlier(truth, s.end, s.end);
        }
    }
    samples_clear(&s);
}

static void dot(poly *out, const poly a[3], const poly b[3]) {
    for (int k = 0; k < 3; k++) poly_add_product(out, &a[k], &b[k]);
}

static void cross(poly out[3], const poly a[3], const poly b[3]) {
    for (int k = 0; k < 3; k++) {
        const int m = (k + 1) % 3, n = (k + 2) % 3;
        poly_add_product(&out[k], &a[n], &b[m]);
        poly_negate(&out[k]);
        poly_add_product(&out[k], &a[m], &b[n]);
    }
}

static void find_at_corner(const poly a[3], test_truth *truth) {
    clause c;
    clause_init(&c, 0);
    for (int k = 0; k < 3; k++) poly_copy(&c.zero[k], &a[k]);
    clause_find(&c, truth);
    clause_clear(&c);
}

// Strictly between two corners: on one line with them, and they in opposite directions.
static void find_on_edge(const poly a[3], const poly b[3], test_truth *truth) {
    clause c;
    clause_init(&c, 1);
    cross(c.zero, a, b);
    dot(&c.positive[0], a, b);
    poly_negate(&c.positive[0]);
    clause_find(&c, truth);
    clause_clear(&c);
}

// Strictly inside: in one plane with the corners, and each two of them seen in the same sense of rotation.
static void find_in_face(poly corners[3][3], test_truth *truth) {
    clause c;
    clause_init(&c, 3);
    poly normals[3][3];
    for (int i = 0; i < 3; i++) {
        polys_init(3, normals[i]);
        cross(normals[i], corners[i], corners[(i + 1) % 3]);
    }
    dot(&c.zero[0], normals[0], corners[2]);
    for (int i = 0; i < 3; i++) dot(&c.positive[i], normals[i], normals[(i + 1) % 3]);
    clause_find(&c, truth);
    for (int i = 0; i < 3; i++) polys_clear(3, normals[i]);
    clause_clear(&c);
}

static void find_in_triangle(poly corners[3][3], test_truth *truth) {
    for (int i = 0; i < 3; i++) {
        find_at_corner(corners[i], truth);
        find_on_edge(corners[i], corners[(i + 1) % 3], truth);
    }
    find_in_face(corners, truth);
}

// x times a power of two that makes it an integer.
static void set_scaled(mpz_t out, double x, int shift) {
    int exponent;
    mpz_set_d(out, ldexp(frexp(x, &exponent), 53));
    if (mpz_sgn(out)) mpz_mul_2exp(out, out, (mp_bitcnt_t)(exponent - 53 + shift));
}

// The motion of four vertices: start, end and, on parabolas, control points.
typedef struct motion {
    const double (*x0)[3], (*x1)[3], (*control)[3]; // control: NULL for straight paths
} motion;

// 2^shift times any double is an integer, 2^-1074 included.
static int shift_for(const motion *m) {
    int shift = -1100;
    for (int i = 0; i < 36; i++) {
        int exponent;
        const double(*x)[3] = i < 12 ? m->x0 : i < 24 ? m->x1 : m->control;
        if (x && frexp(x[i % 12 / 3][i % 3], &exponent) != 0 && 53 - exponent > shift) shift = 53 - exponent;
    }
    return shift;
}

// One coordinate of a path is x + b t + a t^2: from the doubles to integers, in units of 2^-shift.
static void terms_make(mpz_t x, mpz_t b, mpz_t a, double x0, double x1, const double *control, int shift) {
    set_scaled(x, x0, shift);
    set_scaled(b, x1, shift);
    mpz_sub(b, b, x);
    if (!control) return;
    set_scaled(a, *control, shift);
    mpz_sub(a, a, x);
    mpz_mul_2exp(a, a, 1); // 2 (control - x0)
    mpz_swap(a, b);
    mpz_sub(a, a, b);
}

// The path of a vertex while s goes from 0 to 1 and time from `from` to `to`, all in units of some power of two. Time
// is (F + L s) / D for times = {F, L, D}.
static void path_make(poly path[3], const motion *m, int vertex, int shift, const mpz_t times[3]) {
    for (int k = 0; k < 3; k++) {
        mpz_t x, b, a, along;
        mpz_inits(x, b, a, along, NULL);
        terms_make(x, b, a, m->x0[vertex][k], m->x1[vertex][k], m->control ? &m->control[vertex][k] : NULL, shift);
        mpz_mul(along, a, times[0]);
        mpz_addmul(along, b, times[2]); // a F + b D
        mpz_mul(path[k].c[0], x, times[2]);
        mpz_mul(path[k].c[0], path[k].c[0], times[2]);
        mpz_addmul(path[k].c[0], along, times[0]);
        mpz_addmul(along, a, times[0]);
        mpz_mul(path[k].c[1], along, times[1]);
        mpz_mul(path[k].c[2], a, times[1]);
        mpz_mul(path[k].c[2], path[k].c[2], times[1]);
        poly_trim(&path[k], 2);
        mpz_clears(x, b, a, along, NULL);
    }
}

static void paths_make(poly paths[4][3], const motion *m, const mpq_t from, const mpq_t length) {
    mpz_t times[3]; // from, length and 1
    for (int i = 0; i < 3; i++) mpz_init(times[i]);
    mpz_mul(times[0], mpq_numref(from), mpq_denref(length));
    mpz_mul(times[1], mpq_numref(length), mpq_denref(from));
    mpz_mul(times[2], mpq_denref(from), mpq_denref(length));
    const int shift = shift_for(m);
    for (int i = 0; i < 4; i++) {
        polys_init(3, paths[i]);
        path_make(paths[i], m, i, shift, (const mpz_t *)times);
    }
    for (int i = 0; i < 3; i++) mpz_clear(times[i]);
}

// The triangle of the differences of these vertices, given as corner i = second[i] - first[i].
static void find_in_differences(poly paths[4][3], const int first[3], const int second[3], test_truth *truth) {
    poly corners[3][3];
    for (int i = 0; i < 3; i++) {
        polys_init(3, corners[i]);
        for (int k = 0; k < 3; k++) poly_subtract(&corners[i][k], &paths[second[i]][k], &paths[first[i]][k]);
    }
    find_in_triangle(corners, truth);
    for (int i = 0; i < 3; i++) polys_clear(3, corners[i]);
}

void test_truth_init(test_truth *truth) {
    truth->touches = false;
    mpq_inits(truth->lower, truth->upper, NULL);
}

void test_truth_clear(test_truth *truth) { mpq_clears(truth->lower, truth->upper, NULL); }

static void find_first_contact(toc_kind kind, const motion *m, double from, double to, test_truth *truth) {
    mpq_t start, length;
    mpq_inits(start, length, NULL);
    mpq_set_d(start, from);
    mpq_set_d(length, to);
    mpq_sub(length, length, start);
    poly paths[4][3];
    paths_make(paths, m, start, length);
    truth->touches = false;
    mpq_set_ui(truth->lower, 0, 1);
    mpq_set_ui(truth->upper, 0, 1);
    if (kind == TOC_VF) {
        find_in_differences(paths, (const int[]){0, 0, 0}, (const int[]){1, 2, 3}, truth);
    } else {
        find_in_differences(paths, (const int[]){0, 1, 1}, (const int[]){2, 2, 3}, truth);
        find_in_differences(paths, (const int[]){0, 0, 1}, (const int[]){2, 3, 3}, truth);
    }
    mpq_t *const ends[] = {&truth->lower, &truth->upper};
    for (int i = 0; i < 2; i++) {
        mpq_mul(*ends[i], *ends[i], length);
        mpq_add(*ends[i], *ends[i], start);
    }
    for (int i = 0; i < 4; i++) polys_clear(3, paths[i]);
    mpq_clears(start, length, NULL);
}

void test_oracle_find(toc_kind kind, const toc_pair *pair, double from, double to, test_truth *truth) {
    const motion straight = {pair->x0, pair->x1, NULL};
    find_first_contact(kind, &straight, from, to, truth);
}

void test_oracle_find_curved(toc_kind kind, const toc_quadratic_pair *pair, double from, double to, test_truth *truth) {
    const motion curved = {pair->x0, pair->x1, pair->control};
    find_first_contact(kind, &curved, from, to, truth);
}
