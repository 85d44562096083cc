// SPDX-License-Identifier: Apache-2.0
// Integer polynomials and their roots in [0, 1]: Descartes' rule on halves of halves, after Collins and Akritas 1976,
// "Polynomial real root isolation using Descartes' rule of signs".
#include "number/polynomial.h"

#include <assert.h>
#include <math.h>
#include <string.h>

toc_polynomial toc_polynomial_zero(void) { return (toc_polynomial){.degree = -1}; }

static void drop_leading_zeros(toc_polynomial *p) {
    while (p->degree >= 0 && p->c[p->degree].sign == 0) p->degree--;
}

toc_polynomial toc_polynomial_of(int degree, const toc_integer *c) {
    assert(-1 <= degree && degree <= TOC_DEGREE_MAX);
    toc_polynomial p = {.degree = degree};
    for (int i = 0; i <= degree; i++) p.c[i] = c[i];
    drop_leading_zeros(&p);
    return p;
}

toc_polynomial toc_polynomial_add(toc_number_scope *numbers, const toc_polynomial *a, const toc_polynomial *b) {
    const toc_polynomial *longer = a->degree >= b->degree ? a : b, *other = longer == a ? b : a;
    toc_polynomial sum;
    sum.degree = longer->degree;
    for (int i = 0; i <= sum.degree; i++)
        sum.c[i] = i > other->degree ? longer->c[i] : toc_integer_add(numbers, longer->c[i], other->c[i]);
    drop_leading_zeros(&sum);
    return sum;
}

toc_polynomial toc_polynomial_subtract(toc_number_scope *numbers, const toc_polynomial *a, const toc_polynomial *b) {
    toc_polynomial difference;
    difference.degree = a->degree > b->degree ? a->degree : b->degree;
    for (int i = 0; i <= difference.degree; i++)
        difference.c[i] = i > b->degree   ? a->c[i]
                          : i > a->degree ? toc_integer_negate(b->c[i])
                                          : toc_integer_subtract(numbers, a->c[i], b->c[i]);
    drop_leading_zeros(&difference);
    return difference;
}

toc_polynomial toc_polynomial_multiply(toc_number_scope *numbers, const toc_polynomial *a, const toc_polynomial *b) {
    if (a->degree < 0 || b->degree < 0) return toc_polynomial_zero();
    assert(a->degree + b->degree <= TOC_DEGREE_MAX);
    toc_polynomial product;
    product.degree = a->degree + b->degree;
    for (int i = 0; i <= product.degree; i++) product.c[i] = (toc_integer){0};
    for (int i = 0; i <= a->degree; i++)
        for (int j = 0; j <= b->degree; j++) {
            if (a->c[i].sign == 0 || b->c[j].sign == 0) continue;
            const toc_integer term = toc_integer_multiply(numbers, a->c[i], b->c[j]);
            toc_integer *sum = &product.c[i + j];
            *sum = sum->sign == 0 ? term : toc_integer_add(numbers, *sum, term);
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

// Divide by the largest power of two that divides every coefficient, so that divisor chains stay short.
static void divide_by_common_power(toc_number_scope *numbers, toc_polynomial *p) {
    uint32_t common = UINT32_MAX;
    for (int i = 0; i <= p->degree; i++) {
        if (p->c[i].sign == 0) continue;
        const uint32_t zeros = toc_integer_trailing_zeros(p->c[i]);
        if (zeros < common) common = zeros;
    }
    if (common == 0 || common == UINT32_MAX) return;
    for (int i = 0; i <= p->degree; i++) p->c[i] = toc_integer_cut(numbers, p->c[i], common);
}

// Divide a by b up to constant factors: afterwards a is the remainder, times a power of b's leading coefficient. The
// quotient may be NULL. Returns the exponent of that power.
static int pseudo_divide(toc_number_scope *numbers, toc_polynomial *a, const toc_polynomial *b,
                         toc_polynomial *quotient) {
    const toc_integer lead = b->c[b->degree];
    int steps = 0;
    if (quotient) *quotient = (toc_polynomial){.degree = a->degree - b->degree};
    for (; a->degree >= b->degree; steps++) {
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
    return steps;
}

// ---- Coprime polynomials
//
// Euclid's algorithm on integers makes coefficients that grow without bound. Residues modulo a prime q show most
// coprime pairs at once: if q does not divide the leading coefficient of a, the greatest common divisor keeps its
// degree modulo q and divides both residues. Residues without a common divisor then prove that the polynomials have
// none.

static const uint64_t PRIME = (UINT64_C(1) << 61) - 1;

typedef struct residue_polynomial {
    int degree; // -1 for zero
    uint64_t c[TOC_DEGREE_MAX + 1];
} residue_polynomial;

static uint64_t residue_of_product(uint64_t a, uint64_t b) {
    const toc_limb_product product = (toc_limb_product)a * b; // below 2^122
    const uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);
    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t residue_difference(uint64_t a, uint64_t b) { return a >= b ? a - b : a + PRIME - b; }

// 2^64 = 8 modulo 2^61 - 1.
static uint64_t residue_of_integer(toc_integer a) {
    uint64_t r = 0;
    for (uint32_t i = a.count; i-- > 0;) {
        const uint64_t limb = (a.limbs[i] & PRIME) + (a.limbs[i] >> 61), high = residue_of_product(r, 8);
        r = residue_difference(high, residue_difference(0, limb >= PRIME ? limb - PRIME : limb));
    }
    return a.sign < 0 ? residue_difference(0, r) : r;
}

static residue_polynomial residues_of(const toc_polynomial *p) {
    residue_polynomial r = {.degree = p->degree};
    for (int i = 0; i <= p->degree; i++) r.c[i] = residue_of_integer(p->c[i]);
    while (r.degree >= 0 && r.c[r.degree] == 0) r.degree--;
    return r;
}

// Afterwards a is the remainder of its division by b, up to a factor that is not 0.
static void divide_residues(residue_polynomial *a, const residue_polynomial *b) {
    while (a->degree >= b->degree) {
        const uint64_t top = a->c[a->degree], lead = b->c[b->degree];
        for (int i = 0; i < a->degree; i++) a->c[i] = residue_of_product(a->c[i], lead);
        for (int i = 0; i < b->degree; i++) {
            uint64_t *c = &a->c[a->degree - b->degree + i];
            *c = residue_difference(*c, residue_of_product(top, b->c[i]));
        }
        a->degree--;
        while (a->degree >= 0 && a->c[a->degree] == 0) a->degree--;
    }
}

// Whether residues prove that two polynomials have no common divisor. False proves nothing.
static bool are_surely_coprime(const toc_polynomial *a, const toc_polynomial *b) {
    residue_polynomial larger = residues_of(a), smaller = residues_of(b);
    if (a->degree < 0 || larger.degree < a->degree) return false;
    while (smaller.degree >= 0) {
        divide_residues(&larger, &smaller);
        const residue_polynomial remainder = larger;
        larger = smaller;
        smaller = remainder;
    }
    return larger.degree == 0;
}

static toc_integer power_of(toc_number_scope *numbers, toc_integer base, int exponent) {
    toc_integer power = toc_integer_small(numbers, 1);
    for (int i = 0; i < exponent; i++) power = toc_integer_multiply(numbers, power, base);
    return power;
}

static void multiply_all(toc_number_scope *numbers, toc_polynomial *p, toc_integer factor) {
    for (int i = 0; i <= p->degree; i++) p->c[i] = toc_integer_multiply(numbers, p->c[i], factor);
}

static void divide_all(toc_number_scope *numbers, toc_polynomial *p, toc_integer divisor) {
    for (int i = 0; i <= p->degree; i++) p->c[i] = toc_integer_divide(numbers, p->c[i], divisor);
}

// Euclid's algorithm with subresultants (Collins 1967; Brown and Traub 1971): each remainder is divided by a factor
// known beforehand, so that coefficients grow linearly with the steps, not exponentially.
static toc_polynomial divisor_by_subresultants(toc_number_scope *numbers, toc_polynomial larger,
                                               toc_polynomial smaller) {
    toc_integer lead = toc_integer_small(numbers, 1), scale = lead;
    divide_by_common_power(numbers, &larger);
    divide_by_common_power(numbers, &smaller);
    while (smaller.degree >= 0) {
        const int drop = larger.degree - smaller.degree;
        const int steps = pseudo_divide(numbers, &larger, &smaller, NULL);
        multiply_all(numbers, &larger, power_of(numbers, smaller.c[smaller.degree], drop + 1 - steps));
        divide_all(numbers, &larger, toc_integer_multiply(numbers, lead, power_of(numbers, scale, drop)));
        drop_leading_zeros(&larger); // after lack of memory
        const toc_polynomial remainder = larger;
        larger = smaller;
        smaller = remainder;
        lead = larger.c[larger.degree];
        if (drop > 0)
            scale = toc_integer_divide(numbers, power_of(numbers, lead, drop), power_of(numbers, scale, drop - 1));
    }
    divide_by_common_power(numbers, &larger);
    return larger;
}

toc_polynomial toc_polynomial_divisor(toc_number_scope *numbers, const toc_polynomial *a, const toc_polynomial *b) {
    assert(a->degree >= 0 || b->degree >= 0);
    if (are_surely_coprime(a, b)) {
        const toc_integer one = toc_integer_small(numbers, 1);
        return toc_polynomial_of(0, &one);
    }
    return divisor_by_subresultants(numbers, a->degree >= b->degree ? *a : *b, a->degree >= b->degree ? *b : *a);
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
    divide_by_common_power(numbers, &once);
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
    const toc_arena_mark mark = toc_arena_here(numbers->arena);
    const toc_polynomial b = bernstein(numbers, p);
    toc_arena_back(numbers->arena, mark); // only signs are read from now on
    if (sign_changes(&b) > 0) return 0;
    for (int i = 0; i <= b.degree; i++)
        if (b.c[i].sign) return b.c[i].sign;
    return 0;
}

// Over the left half: 2^n p(x / 2).
static toc_polynomial left_half(toc_number_scope *numbers, const toc_polynomial *p) {
    toc_polynomial left = *p;
    for (int i = 0; i < p->degree; i++) left.c[i] = toc_integer_shift(numbers, p->c[i], (uint32_t)(p->degree - i));
    divide_by_common_power(numbers, &left);
    return left;
}

// Over the right half, given the left one: the left half moved on by one.
static toc_polynomial right_half(toc_number_scope *numbers, const toc_polynomial *left) {
    toc_polynomial right = *left;
    shift_by_one(numbers, &right);
    drop_leading_zeros(&right);
    return right;
}

// Over the interval (place, place + 1) / 2^depth, times 2^(depth * degree).
static toc_polynomial scaled_over_interval(toc_number_scope *numbers, const toc_polynomial *p, toc_integer place,
                                           uint32_t depth) {
    toc_polynomial local = *p;
    for (int i = 0; i < p->degree; i++)
        local.c[i] = toc_integer_shift(numbers, p->c[i], depth * (uint32_t)(p->degree - i));
    for (int i = 0; i < p->degree; i++)
        for (int j = p->degree - 1; j >= i; j--) {
            const toc_integer moved = toc_integer_multiply(numbers, place, local.c[j + 1]);
            local.c[j] = toc_integer_add(numbers, local.c[j], moved);
        }
    return local;
}

// The same up to a power of two, in the shortest coefficients.
static toc_polynomial over_interval(toc_number_scope *numbers, const toc_polynomial *p, toc_integer place,
                                    uint32_t depth) {
    toc_polynomial local = scaled_over_interval(numbers, p, place, depth);
    divide_by_common_power(numbers, &local);
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

// By Descartes' rule: 0 for no root in (0, 1), 1 for one; larger counts decide nothing.
static int changes_inside(toc_number_scope *numbers, const toc_polynomial *local) {
    const toc_arena_mark mark = toc_arena_here(numbers->arena);
    const toc_polynomial b = bernstein(numbers, local);
    const int changes = sign_changes(&b);
    toc_arena_back(numbers->arena, mark);
    return changes;
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
static void push_root_halves(toc_number_scope *numbers, pieces *waiting, const toc_root *whole) {
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

// ---- memory of long searches
//
// Two roots may agree in thousands of bits, and every halving makes new coefficients. Only those of the pieces that
// wait and of the roots found so far are needed again.

enum { HALVINGS_A_SWEEP = 32 }; // halvings between two sweeps; nearly all searches end before the first

static toc_integer copy_integer(toc_number_scope *to, toc_integer a) {
    if (a.count == 0) return a;
    uint64_t *limbs = toc_arena_new_words(to->arena, a.count);
    if (!limbs) {
        to->failed = true;
        return (toc_integer){0};
    }
    memcpy(limbs, a.limbs, a.count * sizeof *limbs);
    a.limbs = limbs;
    return a;
}

// `of` was made before the search.
static void copy_found(toc_number_scope *to, int count, toc_root *roots) {
    for (int i = 0; i < count; i++) {
        roots[i].place = copy_integer(to, roots[i].place);
        for (int k = 0; k <= roots[i].local.degree; k++) roots[i].local.c[k] = copy_integer(to, roots[i].local.c[k]);
    }
}

// Release all numbers since the mark except those of the roots and the pieces.
static void sweep_numbers(toc_number_scope *numbers, toc_arena_mark mark, int count, toc_root *roots, pieces *waiting) {
    toc_arena aside = toc_arena_make(&numbers->arena->allocator);
    toc_number_scope other = {.arena = &aside};
    copy_found(&other, count, roots);
    copy_found(&other, waiting->count, waiting->at);
    toc_arena_back(numbers->arena, mark);
    copy_found(numbers, count, roots);
    copy_found(numbers, waiting->count, waiting->at);
    numbers->failed = numbers->failed || other.failed;
    toc_arena_free(&aside);
}

int toc_polynomial_roots(toc_number_scope *numbers, const toc_polynomial *p, toc_root roots[TOC_DEGREE_MAX]) {
    assert(p->degree >= 0);
    int count = 0, halvings = 0;
    pieces *waiting = toc_arena_new(numbers->arena, 1, sizeof *waiting); // too large for the stack
    if (!waiting) {
        numbers->failed = true;
        return 0;
    }
    waiting->count = 0;
    // A single sign change is a single simple root, also if roots outside are repeated.
    const toc_polynomial of = changes_inside(numbers, p) > 1 ? square_free(numbers, p) : *p;
    const toc_integer one = toc_integer_small(numbers, 1);
    if (of.c[0].sign == 0) roots[count++] = exact_root(&of, (toc_integer){0}, 0);
    push(numbers, waiting, (toc_root){.of = of, .local = of});
    const toc_arena_mark mark = toc_arena_here(numbers->arena);
    while (waiting->count > 0 && !numbers->failed) {
        const toc_root piece = waiting->at[--waiting->count];
        if (waiting->changes[waiting->count] <= 1) {
            roots[count++] = piece;
            continue;
        }
        push_root_halves(numbers, waiting, &piece);
        if (++halvings % HALVINGS_A_SWEEP == 0) sweep_numbers(numbers, mark, count, roots, waiting);
    }
    if (numbers->failed) return 0;
    if (toc_polynomial_at(numbers, &of, one, 0).sign == 0) roots[count++] = exact_root(&of, one, 0);
    return count;
}

// Halve the interval of an inexact root.
static void halve_root(toc_number_scope *numbers, toc_root *root) {
    const toc_polynomial left = left_half(numbers, &root->local);
    const toc_polynomial right = right_half(numbers, &left);
    const bool in_left = right.c[0].sign != 0 && right.c[0].sign != sign_after_zero(&left);
    root->exact = right.c[0].sign == 0;
    root->local = in_left ? left : right;
    root->place = next_place(numbers, root->place, !in_left);
    root->depth++;
}

// ---- long steps towards a root
//
// The root of the local polynomial is guessed in floating point, and integers test the two multiples of 2^-depth around
// the guess. Only the signs there count: a bad guess costs time, never a digit.

enum { STEP_BITS = 40 }; // significant bits that are taken from a guess

// The coefficients in floating point, the largest about 1. Others may vanish.
static void approximate(const toc_polynomial *p, double c[TOC_DEGREE_MAX + 1]) {
    uint32_t most = 0;
    for (int i = 0; i <= p->degree; i++)
        if (toc_integer_bits(p->c[i]) > most) most = toc_integer_bits(p->c[i]);
    for (int i = 0; i <= p->degree; i++) c[i] = toc_integer_to_double(p->c[i], (int)most);
}

static double polynomial_value(int degree, const double *c, double x, double *slope) {
    double value = c[degree];
    *slope = 0;
    for (int i = degree - 1; i >= 0; i--) {
        *slope = *slope * x + value;
        value = value * x + c[i];
    }
    return value;
}

// An estimate of the root in (0, 1), given the sign right of 0: Newton's method, kept in by bisection.
static double guess_root(const toc_polynomial *p, int sign) {
    double c[TOC_DEGREE_MAX + 1], low = 0, high = 1, x = 0.5, slope;
    approximate(p, c);
    for (int i = 0; i < 60; i++) {
        const double value = sign * polynomial_value(p->degree, c, x, &slope), before = x;
        if (value > 0)
            low = x;
        else
            high = x;
        x -= value / (sign * slope);
        if (!(x > low && x < high)) x = low + (high - low) / 2;
        if (fabs(x - before) <= 0x1p-52 * x) break;
    }
    return x;
}

// The number of leading zero bits of a root that is too small for the guess, by its tangent at 0. Useless if the root
// of the tangent is not below 2^-40.
static int leading_zeros(const toc_polynomial *p) {
    if (p->c[0].sign == 0 || p->c[1].sign == 0) return 0;
    const int zeros = (int)toc_integer_bits(p->c[1]) - (int)toc_integer_bits(p->c[0]) - 2;
    return zeros > STEP_BITS ? zeros : 0;
}

static void move_root(toc_number_scope *numbers, toc_root *root, int64_t place, uint32_t depth, bool exact) {
    const toc_integer at = toc_integer_small(numbers, place);
    root->exact = exact;
    root->local = exact ? toc_polynomial_zero() : over_interval(numbers, &root->local, at, depth);
    root->place = toc_integer_add(numbers, toc_integer_shift(numbers, root->place, depth), at);
    root->depth += depth;
}

// The sign of the local polynomial at place / 2^depth. Next to the ends it is given, because another root may be there.
static int local_sign_at(toc_number_scope *numbers, const toc_root *root, int sign, int64_t place, uint32_t depth) {
    if (place == 0) return sign;
    if (depth < 62 && place == (int64_t)1 << depth) return -sign;
    return toc_polynomial_at(numbers, &root->local, toc_integer_small(numbers, place), depth).sign;
}

// Whether the root is found in (place, place + 1) / 2^depth, or at an end of it, or in an interval beside.
static bool try_places(toc_number_scope *numbers, toc_root *root, int sign, int64_t place, uint32_t depth) {
    for (int tries = 0; tries < 2 && place >= 0; tries++) {
        const int low = local_sign_at(numbers, root, sign, place, depth);
        const int high = local_sign_at(numbers, root, sign, place + 1, depth);
        if (numbers->failed || (depth < 62 && place >= (int64_t)1 << depth)) return false;
        if (low == 0 || high == 0 || low != high) {
            move_root(numbers, root, high == 0 ? place + 1 : place, depth, low == 0 || high == 0);
            return true;
        }
        place += low == sign ? 1 : -1;
    }
    return false;
}

// Refine an inexact root by some bits: by STEP_BITS where the guess is good, by one otherwise.
static void step_to_root(toc_number_scope *numbers, toc_root *root) {
    const int sign = sign_after_zero(&root->local), zeros = leading_zeros(&root->local);
    if (zeros > 0 && try_places(numbers, root, sign, 0, (uint32_t)zeros)) return;
    const double x = guess_root(&root->local, sign);
    int exponent;
    frexp(x, &exponent);
    const int depth = STEP_BITS - exponent;
    if (depth < 1000 && try_places(numbers, root, sign, (int64_t)ldexp(x, depth), (uint32_t)depth)) return;
    halve_root(numbers, root);
}

// Whether p is zero at an inexact root: whether the common divisor changes sign over the interval.
static bool is_zero_at(toc_number_scope *numbers, const toc_root *root, const toc_polynomial *p) {
    const toc_polynomial common = toc_polynomial_divisor(numbers, &root->of, p);
    if (common.degree < 1) return false;
    const toc_polynomial local = over_interval(numbers, &common, root->place, root->depth);
    return sign_after_zero(&local) != sign_before_one(numbers, &local);
}

int toc_root_sign(toc_number_scope *numbers, toc_root *root, const toc_polynomial *p) {
    if (p->degree <= 0) return p->degree < 0 ? 0 : p->c[0].sign;
    // After one step a sign other than 0 is nearly always visible; otherwise the costlier test for zero is due.
    const int due = root->depth >= STEP_BITS ? 0 : 1;
    for (int steps = 0; !numbers->failed; steps++) {
        if (root->exact) return toc_polynomial_at(numbers, p, root->place, root->depth).sign;
        const toc_polynomial local = over_interval(numbers, p, root->place, root->depth);
        const int sign = toc_polynomial_sure_sign(numbers, &local);
        if (sign) return sign;
        if (steps == due && is_zero_at(numbers, root, p)) return 0;
        step_to_root(numbers, root);
    }
    return 0;
}

void toc_root_refine(toc_number_scope *numbers, toc_root *root, uint32_t bits) {
    while (!root->exact && !numbers->failed && toc_integer_bits(root->place) < bits && root->depth < 1140)
        step_to_root(numbers, root);
}

// The value at the lower end of the interval, and the largest difference to any value within, times 2^(depth * degree).
static toc_integer value_over(toc_number_scope *numbers, const toc_root *root, const toc_polynomial *p, int degree,
                              toc_integer *spread) {
    const toc_polynomial local = scaled_over_interval(numbers, p, root->place, root->depth);
    const uint32_t shift = p->degree < 0 ? 0 : root->depth * (uint32_t)(degree - p->degree);
    *spread = (toc_integer){0};
    for (int i = 1; i <= p->degree && !root->exact; i++)
        *spread = toc_integer_add(numbers, *spread, local.c[i].sign < 0 ? toc_integer_negate(local.c[i]) : local.c[i]);
    *spread = toc_integer_shift(numbers, *spread, shift);
    return p->degree < 0 ? (toc_integer){0} : toc_integer_shift(numbers, local.c[0], shift);
}

double toc_root_ratio(toc_number_scope *numbers, toc_root *root, const toc_polynomial *p, const toc_polynomial *q) {
    const int degree = p->degree > q->degree ? p->degree : q->degree;
    while (!numbers->failed) {
        toc_integer above, below;
        const toc_integer over = value_over(numbers, root, p, degree, &above);
        const toc_integer whole = value_over(numbers, root, q, degree, &below);
        const toc_integer least = toc_integer_subtract(numbers, whole, below);
        const toc_integer off = toc_integer_add(numbers, above, below);
        // With |p| <= q at the root, the ratio is off by less than 2 (above + below) / least.
        const bool sharp = off.sign == 0 || toc_integer_bits(off) + TOC_RATIO_BITS + 2 <= toc_integer_bits(least);
        if (least.sign > 0 && sharp) return toc_integer_ratio(over, whole);
        if (root->exact) return 0; // the caller's mistake: q is not above 0
        step_to_root(numbers, root);
    }
    return 0;
}

bool toc_root_earlier(toc_number_scope *numbers, toc_root *a, toc_root *b) {
    toc_root_refine(numbers, a, 64);
    toc_root_refine(numbers, b, 64);
    return toc_integer_to_double(a->place, (int)a->depth) < toc_integer_to_double(b->place, (int)b->depth);
}
