// SPDX-License-Identifier: Apache-2.0
// Roots in [0, 1] of polynomials whose roots are known because they were built from them.
#include "number/polynomial.h"

#include <math.h>
#include <stdlib.h>

#include "support/test.h"

typedef struct calculator {
    toc_arena arena;
    toc_number_scope numbers;
} calculator;

static void calculator_open(calculator *c) {
    c->arena = toc_arena_make(NULL);
    c->numbers = (toc_number_scope){.arena = &c->arena};
}

static toc_polynomial of_numbers(calculator *c, int degree, const int64_t *coefficients) {
    toc_integer integers[TOC_DEGREE_MAX + 1];
    for (int i = 0; i <= degree; i++) integers[i] = toc_integer_small(&c->numbers, coefficients[i]);
    return toc_polynomial_of(degree, integers);
}

static double value(calculator *c, toc_root *root) {
    toc_root_refine(&c->numbers, root, 60);
    return toc_integer_to_double(root->place, (int)root->depth);
}

// (q t - p) for a root p / q.
static toc_polynomial with_root(calculator *c, int64_t p, int64_t q) { return of_numbers(c, 1, (int64_t[]){-p, q}); }

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Random products of linear factors, repeated roots and roots at the ends among them, times a factor without real
// roots.
static void built_roots_are_found(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 3000; round++) {
        calculator c;
        calculator_open(&c);
        double wanted[6];
        int wanted_count = 0;
        const int factors = 1 + (int)test_random_below(&random, 6);
        const int64_t one[] = {(int64_t)test_random_below(&random, 2) * 2 - 1}, no_root[] = {2, -2, 1};
        toc_polynomial p = of_numbers(&c, 0, one);
        if (test_random_below(&random, 2)) p = of_numbers(&c, 2, no_root);
        for (int i = 0; i < factors; i++) {
            const int64_t q = 1 + test_random_below(&random, 8), r = (int64_t)test_random_below(&random, 12) - 2;
            const toc_polynomial factor = with_root(&c, r, q);
            p = toc_polynomial_multiply(&c.numbers, &p, &factor);
            const double root = (double)r / (double)q;
            bool new = root >= 0 && root <= 1;
            for (int j = 0; j < wanted_count; j++) new = new &&wanted[j] != root;
            if (new) wanted[wanted_count++] = root;
        }
        qsort(wanted, (size_t)wanted_count, sizeof *wanted, compare);
        toc_root roots[TOC_DEGREE_MAX];
        const int count = toc_polynomial_roots(&c.numbers, &p, roots);
        assert_int_equal(count, wanted_count);
        for (int i = 0; i < count; i++) {
            assert_double_near(value(&c, &roots[i]), wanted[i], 1e-15);
            assert_true(value(&c, &roots[i]) <= wanted[i]);
        }
        toc_arena_free(&c.arena);
    }
}

// Two roots 2^-40 apart must not be taken for a double one, nor a double one for two or none.
static void close_and_double_roots_are_told_apart(void **state) {
    (void)state;
    calculator c;
    calculator_open(&c);
    const int64_t far = (int64_t)1 << 40;
    const toc_polynomial a = with_root(&c, far / 3, far), b = with_root(&c, far / 3 + 1, far);
    toc_root roots[TOC_DEGREE_MAX];
    const toc_polynomial close = toc_polynomial_multiply(&c.numbers, &a, &b);
    assert_int_equal(toc_polynomial_roots(&c.numbers, &close, roots), 2);
    const toc_polynomial twice = toc_polynomial_multiply(&c.numbers, &a, &a);
    assert_int_equal(toc_polynomial_roots(&c.numbers, &twice, roots), 1);
    const toc_polynomial none = of_numbers(&c, 2, (int64_t[]){1, -2, 2});
    assert_int_equal(toc_polynomial_roots(&c.numbers, &none, roots), 0);
    toc_arena_free(&c.arena);
}

// Signs at sqrt(1/2): of polynomials that vanish there, and of ones that nearly do.
static void signs_at_an_irrational_root(void **state) {
    (void)state;
    calculator c;
    calculator_open(&c);
    toc_root roots[TOC_DEGREE_MAX];
    const toc_polynomial p = of_numbers(&c, 2, (int64_t[]){-1, 0, 2}); // 2 t^2 - 1
    assert_int_equal(toc_polynomial_roots(&c.numbers, &p, roots), 1);
    assert_double_near(value(&c, &roots[0]), sqrt(0.5), 1e-15);
    const toc_polynomial zero = of_numbers(&c, 4, (int64_t[]){3, -5, -6, 10, 0}); // (2 t^2 - 1)(5 t - 3)
    assert_int_equal(toc_root_sign(&c.numbers, &roots[0], &zero), 0);
    const int64_t big = (int64_t)1 << 50;
    const int64_t below = (int64_t)floor(sqrt(0.5) * (double)big);
    const toc_polynomial slightly_more = of_numbers(&c, 1, (int64_t[]){-below, big});
    assert_int_equal(toc_root_sign(&c.numbers, &roots[0], &slightly_more), 1);
    const toc_polynomial slightly_less = of_numbers(&c, 1, (int64_t[]){-below - 1, big});
    assert_int_equal(toc_root_sign(&c.numbers, &roots[0], &slightly_less), -1);
    const toc_polynomial nothing = toc_polynomial_zero();
    assert_int_equal(toc_root_sign(&c.numbers, &roots[0], &nothing), 0);
    toc_arena_free(&c.arena);
}

// Up to four coefficients that are not 0, so that remainders lose several degrees at once; some far longer than a limb.
static toc_polynomial sparse_polynomial(calculator *c, test_random *random, int degree) {
    toc_polynomial p = {.degree = degree};
    for (int i = 0; i < 4; i++) {
        const int at = i == 0 ? degree : (int)test_random_below(random, (uint32_t)degree + 1);
        const toc_integer small = toc_integer_small(&c->numbers, 1 + test_random_below(random, 1000000));
        const toc_integer odd = toc_integer_multiply(&c->numbers, small, toc_integer_small(&c->numbers, INT64_MAX));
        p.c[at] = toc_integer_multiply(&c->numbers, odd, toc_integer_small(&c->numbers, i % 2 ? -7 : 11));
    }
    return p;
}

// Two products of a known factor: their divisor is this factor, up to a constant.
static void built_divisors_are_found(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int found = 0;
    for (int round = 0; round < 300; round++) {
        calculator c;
        calculator_open(&c);
        const toc_polynomial factor = sparse_polynomial(&c, &random, (int)test_random_below(&random, 4));
        const toc_polynomial u = sparse_polynomial(&c, &random, 1 + (int)test_random_below(&random, 5));
        const toc_polynomial v = sparse_polynomial(&c, &random, 1 + (int)test_random_below(&random, 5));
        const toc_polynomial a = toc_polynomial_multiply(&c.numbers, &factor, &u);
        const toc_polynomial b = toc_polynomial_multiply(&c.numbers, &factor, &v);
        const toc_polynomial got = toc_polynomial_divisor(&c.numbers, &a, &b);
        assert_true(got.degree >= factor.degree);
        for (int i = 0; i <= factor.degree && got.degree == factor.degree; i++) {
            const toc_integer one = toc_integer_multiply(&c.numbers, got.c[i], factor.c[factor.degree]);
            const toc_integer other = toc_integer_multiply(&c.numbers, factor.c[i], got.c[got.degree]);
            assert_int_equal(toc_integer_subtract(&c.numbers, one, other).sign, 0);
        }
        found += got.degree == factor.degree;
        toc_arena_free(&c.arena);
    }
    assert_true(found > 200); // the others have a power of t in common, too
}

// Roots 1/3 +- 2^-2000 / 3 part after two thousand halvings. The numbers of all halvings are not kept.
static void roots_that_agree_in_2000_bits(void **state) {
    (void)state;
    test_allocator memory;
    test_allocator_make(&memory, 0);
    calculator c = {.arena = toc_arena_make(&memory.allocator)};
    c.numbers = (toc_number_scope){.arena = &c.arena};
    toc_polynomial p = of_numbers(&c, 2, (int64_t[]){1, -6, 9});
    toc_root roots[TOC_DEGREE_MAX];
    for (int i = 0; i < 3; i++) p.c[i] = toc_integer_shift(&c.numbers, p.c[i], 4000);
    p.c[0] = toc_integer_subtract(&c.numbers, p.c[0], toc_integer_small(&c.numbers, 1));
    assert_int_equal(toc_polynomial_roots(&c.numbers, &p, roots), 2);
    assert_double_near(value(&c, &roots[0]), 1.0 / 3, 1e-15);
    assert_double_near(value(&c, &roots[1]), 1.0 / 3, 1e-15);
    assert_true(roots[0].depth > 1990 && roots[1].depth > 1990);
    assert_true(memory.peak < (size_t)1 << 20);
    toc_arena_free(&c.arena);
    assert_int_equal(memory.alive, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_roots_are_found),         cmocka_unit_test(close_and_double_roots_are_told_apart),
        cmocka_unit_test(signs_at_an_irrational_root),   cmocka_unit_test(built_divisors_are_found),
        cmocka_unit_test(roots_that_agree_in_2000_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
