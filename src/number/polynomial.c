// SPDX-License-Identifier: Apache-2.0
// Integer polynomials and their roots in [0, 1]: Descartes' rule on halves of halves, after Collins and Akritas 1976,
// "Polynomial real root isolation using Descartes' rule of signs".
#include "number/polynomial.h"

#include <assert.h>
#include <string.h>

toc_polynomial toc_polynomial_zero(void) { return (toc_polynomial){.degree = -1}; }

static void drop_leading_zeros(toc_polynomial *p) {
    while (p->degree >= 0 && p->c[p->degree].sign == 0) p->degree--;
}

toc_polynomial toc_polynomial_of(int degree, const toc_integer *c) {
    toc_polynomial p = {.degree = degree};
    for (int i = 0; i <= degree; i++) p.c[i] = c[i];
    drop_leading_zeros(&p);
    return p;
}

toc_polynomial toc_polynomial_add(toc_number_scope *numbers, const toc_polynomial *a, const toc_polynomial *b) {
    toc_polynomial sum = a->degree >= b->degree ? *a : *b;
    const toc_polynomial *other = a->degree >= b->degree ? b : a;
    for (int i = 0; i <= other->degree; i++) sum.c[i] = toc_integer_add(numbers, sum.c[i], other->c[i]);
    drop_leading_zeros(&sum);
    return sum;
}

static toc_polynomial negated(const toc_polynomial *p) {
    toc_polynomial minus = *p;
    for (int i = 0; i <= p->degree; i++) minus.c[i] = toc_integer_negate(p->c[i]);
    return minus;
}

toc_polynomial toc_polynomial_subtract(toc_number_scope *numbers, const toc_polynomial *a, const toc_polynomial *b) {
    const toc_polynomial minus = negated(b);
    return toc_polynomial_add(numbers, a, &minus);
}

toc_polynomial toc_polynomial_multiply(toc_number_scope *numbers, const toc_polynomial *a, const toc_polynomial *b) {
    if (a->degree < 0 || b->degree < 0) return toc_polynomial_zero();
    assert(a->degree + b->degree <= TOC_DEGREE_MAX);
    toc_polynomial product = {.degree = a->degree + b->degree};
    for (int i = 0; i <= a->degree; i++)
        for (int j = 0; j <= b->degree; j++) {
            const toc_integer term = toc_integer_multiply(numbers, a->c[i], b->c[j]);
            product.c[i + j] = toc_integer_add(numbers, product.c[i + j], term);
        }
    drop_leading_zeros(&product);
    return product;
}

toc_integer toc_polynomial_at(toc_number_scope *numbers, const toc_polynomial *p, toc_integer place, uint32_t depth) {
    toc_integer value = {0};
    for (int i = p->degree; i >= 0; i--) {
        const toc_integer scaled = toc_integer_shift(numbers, p->c[i], depth * (uint32_t)(p->degree - i));
        value = toc_integer_add(numbers, toc_integer_multiply(numbers, value, place), scaled);
    }
    return value;
}

// Divide by the largest power of two that divides every coefficient: keeps divisor chains from growing.
static void reduce(toc_number_scope *numbers, toc_polynomial *p) {
    uint32_t common = UINT32_MAX;
    for (int i = 0; i <= p->degree; i++) {
        if (p->c[i].sign == 0) continue;
        const uint32_t zeros = toc_integer_trailing_zeros(p->c[i]);
        if (zeros < common) common = zeros;
    }
    if (common == 0 || common == UINT32_MAX) return;
    for (int i = 0; i <= p->degree; i++) p->c[i] = toc_integer_cut(numbers, p->c[i], common);
}

// Divide a by b up to constant factors: afterwards a is the remainder. The quotient may be NULL.
static void pseudo_divide(toc_number_scope *numbers, toc_polynomial *a, const toc_polynomial *b,
                          toc_polynomial *quotient) {
    const toc_integer lead = b->c[b->degree];
    if (quotient) *quotient = (toc_polynomial){.degree = a->degree - b->degree};
    while (a->degree >= b->degree) {
        const int shift = a->degree - b->degree;
        const toc_integer top = a->c[a->degree];
        for (int i = 0; i < a->degree; i++) {
            a->c[i] = toc_integer_multiply(numbers, a->c[i], lead);
            if (i < shift) continue;
            const toc_integer term = toc_integer_multiply(numbers, top, b->c[i - shift]);
            a->c[i] = toc_integer_subtract(numbers, a->c[i], term);
        }
        if (quotient) {
            for (int i = 0; i <= quotient->degree; i++)
                quotient->c[i] = toc_integer_multiply(numbers, quotient->c[i], lead);
            quotient->c[shift] = top;
        }
        a->degree--;
        drop_leading_zeros(a);
    }
}

toc_polynomial toc_polynomial_divisor(toc_number_scope *numbers, const toc_polynomial *a, const toc_polynomial *b) {
    toc_polynomial larger = *a, smaller = *b;
    if (larger.degree < smaller.degree) {
        larger = *b;
        smaller = *a;
    }
    while (smaller.degree >= 0) {
        pseudo_divide(numbers, &larger, &smaller, NULL);
        reduce(numbers, &larger);
        const toc_polynomial remainder = larger;
        larger = smaller;
        smaller = remainder;
    }
    return larger;
}

static toc_polynomial derivative(toc_number_scope *numbers, const toc_polynomial *p) {
    toc_polynomial d = {.degree = p->degree - 1};
    for (int i = 1; i <= p->degree; i++)
        d.c[i - 1] = toc_integer_multiply(numbers, p->c[i], toc_integer_small(numbers, i));
    return d;
}

static toc_polynomial square_free(toc_number_scope *numbers, const toc_polynomial *p) {
    if (p->degree < 2) return *p;
    const toc_polynomial slope = derivative(numbers, p);
    const toc_polynomial twice = toc_polynomial_divisor(numbers, p, &slope);
    if (twice.degree < 1) return *p;
    toc_polynomial rest = *p, once;
    pseudo_divide(numbers, &rest, &twice, &once);
    drop_leading_zeros(&once);
    reduce(numbers, &once);
    return once;
}

// p(x + 1).
static void shift_by_one(toc_number_scope *numbers, toc_polynomial *p) {
    for (int i = 0; i < p->degree; i++)
        for (int j = p->degree - 1; j >= i; j--) p->c[j] = toc_integer_add(numbers, p->c[j], p->c[j + 1]);
}

// The signs of Bernstein's coefficients on [0, 1]: those of (1 + x)^n p(1 / (1 + x)), from the last to the first.
static toc_polynomial bernstein(toc_number_scope *numbers, const toc_polynomial *p) {
    toc_polynomial turned = {.degree = p->degree};
    for (int i = 0; i <= p->degree; i++) turned.c[i] = p->c[p->degree - i];
    shift_by_one(numbers, &turned);
    return turned;
}

static int sign_changes(const toc_polynomial *p) {
    int changes = 0, last = 0;
    for (int i = 0; i <= p->degree; i++) {
        if (p->c[i].sign == 0) continue;
        changes += last != 0 && p->c[i].sign != last;
        last = p->c[i].sign;
    }
    return changes;
}

int toc_polynomial_sure_sign(toc_number_scope *numbers, const toc_polynomial *p) {
    const toc_polynomial b = bernstein(numbers, p);
    if (sign_changes(&b) > 0) return 0;
    for (int i = 0; i <= b.degree; i++)
        if (b.c[i].sign) return b.c[i].sign;
    return 0;
}

// Over the left half: 2^n p(x / 2).
static toc_polynomial left_half(toc_number_scope *numbers, const toc_polynomial *p) {
    toc_polynomial left = *p;
    for (int i = 0; i < p->degree; i++) left.c[i] = toc_integer_shift(numbers, p->c[i], (uint32_t)(p->degree - i));
    reduce(numbers, &left);
    return left;
}

// Over the right half, given the left one: the left half moved on by one.
static toc_polynomial right_half(toc_number_scope *numbers, const toc_polynomial *left) {
    toc_polynomial right = *left;
    shift_by_one(numbers, &right);
    drop_leading_zeros(&right);
    return right;
}

// Over the interval (place, place + 1) / 2^depth.
static toc_polynomial over_interval(toc_number_scope *numbers, const toc_polynomial *p, toc_integer place,
                                    uint32_t depth) {
    toc_polynomial local = *p;
    for (int i = 0; i < p->degree; i++)
        local.c[i] = toc_integer_shift(numbers, p->c[i], depth * (uint32_t)(p->degree - i));
    for (int i = 0; i < p->degree; i++)
        for (int j = p->degree - 1; j >= i; j--) {
            const toc_integer moved = toc_integer_multiply(numbers, place, local.c[j + 1]);
            local.c[j] = toc_integer_add(numbers, local.c[j], moved);
        }
    reduce(numbers, &local);
    return local;
}

// The sign just right of 0: that of the lowest coefficient that is not 0.
static int sign_after_zero(const toc_polynomial *p) {
    for (int i = 0; i <= p->degree; i++)
        if (p->c[i].sign) return p->c[i].sign;
    return 0;
}

// The sign just left of 1: that of p(1 - x) just right of 0.
static int sign_before_one(toc_number_scope *numbers, const toc_polynomial *p) {
    toc_polynomial from_one = *p;
    shift_by_one(numbers, &from_one);
    for (int i = 0; i <= p->degree; i++)
        if (from_one.c[i].sign) return i % 2 ? -from_one.c[i].sign : from_one.c[i].sign;
    return 0;
}

// 2 * place + last bit.
static toc_integer next_place(toc_number_scope *numbers, toc_integer place, int bit) {
    const toc_integer doubled = toc_integer_shift(numbers, place, 1);
    return bit ? toc_integer_add(numbers, doubled, toc_integer_small(numbers, 1)) : doubled;
}

toc_root toc_root_zero(void) {
    return (toc_root){.exact = true, .of = toc_polynomial_zero(), .local = toc_polynomial_zero()};
}

static toc_root exact_root(const toc_polynomial *of, toc_integer place, uint32_t depth) {
    return (toc_root){.exact = true, .place = place, .depth = depth, .of = *of, .local = toc_polynomial_zero()};
}

// By Descartes' rule: 0 for no root in (0, 1), 1 for one; more leave it open.
static int changes_inside(toc_number_scope *numbers, const toc_polynomial *local) {
    const toc_polynomial b = bernstein(numbers, local);
    return sign_changes(&b);
}

// Intervals that may hold roots, and roots on the border between two of them. The sign changes of the parts never add
// up to more than those of the whole, and a border root is one of at most `degree`: no more pieces than that wait.
typedef struct pieces {
    toc_root at[2 * TOC_DEGREE_MAX + 2];
    int changes[2 * TOC_DEGREE_MAX + 2];
    int count;
} pieces;

static void push(toc_number_scope *numbers, pieces *waiting, toc_root piece) {
    const int changes = piece.exact ? 0 : changes_inside(numbers, &piece.local);
    if (!piece.exact && changes == 0) return;
    assert(waiting->count < (int)(sizeof waiting->at / sizeof *waiting->at));
    waiting->changes[waiting->count] = changes;
    waiting->at[waiting->count++] = piece;
}

// Split a piece; the parts wait so that the left one comes first.
static void push_halves(toc_number_scope *numbers, pieces *waiting, const toc_root *whole) {
    toc_root left = *whole, right = *whole;
    left.depth = right.depth = whole->depth + 1;
    left.local = left_half(numbers, &whole->local);
    left.place = next_place(numbers, whole->place, 0);
    right.local = right_half(numbers, &left.local);
    right.place = next_place(numbers, whole->place, 1);
    push(numbers, waiting, right);
    if (right.local.c[0].sign == 0) push(numbers, waiting, exact_root(&whole->of, right.place, right.depth));
    push(numbers, waiting, left);
}

int toc_polynomial_roots(toc_number_scope *numbers, const toc_polynomial *p, toc_root roots[TOC_DEGREE_MAX]) {
    assert(p->degree >= 0);
    int count = 0;
    pieces waiting;
    waiting.count = 0;
    // A single sign change is a single simple root, however often others outside are repeated.
    const toc_polynomial of = changes_inside(numbers, p) > 1 ? square_free(numbers, p) : *p;
    const toc_integer one = toc_integer_small(numbers, 1);
    if (of.c[0].sign == 0) roots[count++] = exact_root(&of, (toc_integer){0}, 0);
    push(numbers, &waiting, (toc_root){.of = of, .local = of});
    while (waiting.count > 0 && !numbers->failed) {
        const toc_root piece = waiting.at[--waiting.count];
        if (waiting.changes[waiting.count] > 1)
            push_halves(numbers, &waiting, &piece);
        else
            roots[count++] = piece;
    }
    if (numbers->failed) return 0;
    if (toc_polynomial_at(numbers, &of, one, 0).sign == 0) roots[count++] = exact_root(&of, one, 0);
    return count;
}

// Halve the interval of an inexact root. @return the half of another polynomial over the same interval.
static toc_polynomial halve(toc_number_scope *numbers, toc_root *root, const toc_polynomial *other) {
    const toc_polynomial left = left_half(numbers, &root->local);
    const toc_polynomial right = right_half(numbers, &left);
    const toc_polynomial other_left = left_half(numbers, other);
    const bool in_left = right.c[0].sign != 0 && right.c[0].sign != sign_after_zero(&left);
    root->exact = right.c[0].sign == 0;
    root->local = in_left ? left : right;
    root->place = next_place(numbers, root->place, !in_left);
    root->depth++;
    return in_left ? other_left : right_half(numbers, &other_left);
}

// Whether p is zero at an inexact root: whether the common divisor changes sign over the interval.
static bool is_zero_at(toc_number_scope *numbers, const toc_root *root, const toc_polynomial *p) {
    const toc_polynomial common = toc_polynomial_divisor(numbers, &root->of, p);
    if (common.degree < 1) return false;
    const toc_polynomial local = over_interval(numbers, &common, root->place, root->depth);
    return sign_after_zero(&local) != sign_before_one(numbers, &local);
}

int toc_root_sign(toc_number_scope *numbers, toc_root *root, const toc_polynomial *p) {
    enum { PATIENCE = 6 }; // halvings before the costlier question whether it is zero
    if (p->degree < 0) return 0;
    toc_polynomial local = p->degree > 0 && !root->exact ? over_interval(numbers, p, root->place, root->depth) : *p;
    for (int halvings = 0; !numbers->failed; halvings++) {
        if (root->exact) return toc_polynomial_at(numbers, p, root->place, root->depth).sign;
        const int sign = toc_polynomial_sure_sign(numbers, &local);
        if (sign) return sign;
        if (halvings == PATIENCE && is_zero_at(numbers, root, p)) return 0;
        local = halve(numbers, root, &local);
    }
    return 0;
}

void toc_root_refine(toc_number_scope *numbers, toc_root *root, uint32_t bits) {
    const toc_polynomial nothing = toc_polynomial_zero();
    while (!root->exact && !numbers->failed && toc_integer_bits(root->place) < bits && root->depth < 1140)
        halve(numbers, root, &nothing);
}

bool toc_root_earlier(toc_number_scope *numbers, toc_root *a, toc_root *b) {
    toc_root_refine(numbers, a, 64);
    toc_root_refine(numbers, b, 64);
    return toc_integer_to_double(a->place, (int)a->depth) < toc_integer_to_double(b->place, (int)b->depth);
}
