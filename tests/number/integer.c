// SPDX-License-Identifier: Apache-2.0
// Integers of any size, checked against GMP.
#include "number/integer.h"

#include <gmp.h>
#include <math.h>

#include "support/test.h"

static void to_gmp(mpz_t out, toc_integer a) {
    mpz_import(out, a.count, -1, 8, 0, 0, a.limbs);
    if (a.sign < 0) mpz_neg(out, out);
}

// Random sizes, with runs of ones and zeros, on which carries fail.
static toc_integer random_integer(toc_number_scope *numbers, test_random *random) {
    toc_integer a = {0};
    for (uint32_t n = test_random_below(random, 6); n > 0; n--) {
        const uint32_t choice = test_random_below(random, 3);
        const int64_t low = choice == 0 ? -1 : choice == 1 ? 0 : (int64_t)test_random_bits(random);
        a = toc_integer_shift(numbers, a, test_random_below(random, 100));
        a = toc_integer_add(numbers, a, toc_integer_small(numbers, low));
    }
    return test_random_below(random, 2) ? a : toc_integer_negate(a);
}

static void assert_is(toc_integer got, const mpz_t wanted) {
    mpz_t value;
    mpz_init(value);
    to_gmp(value, got);
    assert_int_equal(mpz_cmp(value, wanted), 0);
    assert_int_equal(got.sign, mpz_sgn(wanted));
    assert_int_equal(toc_integer_bits(got), mpz_sgn(wanted) ? mpz_sizeinbase(wanted, 2) : 0);
    mpz_clear(value);
}

static void arithmetic_agrees_with_gmp(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_arena arena = toc_arena_make(NULL);
    mpz_t a, b, c;
    mpz_inits(a, b, c, NULL);
    for (int i = 0; i < 20000; i++) {
        const toc_arena_mark mark = toc_arena_here(&arena);
        toc_number_scope numbers = {.arena = &arena};
        const toc_integer x = random_integer(&numbers, &random), y = random_integer(&numbers, &random);
        const uint32_t bits = test_random_below(&random, 200);
        to_gmp(a, x);
        to_gmp(b, y);
        mpz_add(c, a, b);
        assert_is(toc_integer_add(&numbers, x, y), c);
        mpz_sub(c, a, b);
        assert_is(toc_integer_subtract(&numbers, x, y), c);
        mpz_mul(c, a, b);
        assert_is(toc_integer_multiply(&numbers, x, y), c);
        mpz_mul_2exp(c, a, bits);
        assert_is(toc_integer_shift(&numbers, x, bits), c);
        mpz_tdiv_q_2exp(c, a, bits);
        assert_is(toc_integer_cut(&numbers, x, bits), c);
        if (x.sign) assert_int_equal(toc_integer_trailing_zeros(x), mpz_scan1(a, 0));
        assert_double_same(toc_integer_to_double(x, 0), mpz_get_d(a));
        if (y.sign) {
            assert_is(toc_integer_divide(&numbers, toc_integer_multiply(&numbers, x, y), y), a);
            const double ratio = mpz_get_d(a) / mpz_get_d(b);
            assert_double_near(toc_integer_ratio(x, y), ratio, fabs(ratio) * 1e-15);
        }
        toc_arena_back(&arena, mark);
    }
    mpz_clears(a, b, c, NULL);
    toc_arena_free(&arena);
}

static void doubles_come_back(void **state) {
    (void)state;
    const double values[] = {1, -1, 0.1, 0x1p-1074, -0x1.fffffffffffffp1023, 3e-310, 1e22, 12345.678};
    toc_arena arena = toc_arena_make(NULL);
    toc_number_scope numbers = {.arena = &arena};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const toc_integer a = toc_integer_scaled(&numbers, values[i], -1074);
        assert_double_same(toc_integer_to_double(a, 1074), values[i]);
    }
    toc_arena_free(&arena);
}

// The time of contact must never be late: conversions cut, they do not round.
static void conversion_cuts_towards_zero(void **state) {
    (void)state;
    toc_arena arena = toc_arena_make(NULL);
    toc_number_scope numbers = {.arena = &arena};
    const toc_integer all_ones = toc_integer_small(&numbers, INT64_MAX);
    assert_double_same(toc_integer_to_double(all_ones, 63), 1 - 0x1p-53);
    // below the smallest double that has all its bits
    assert_double_same(toc_integer_to_double(all_ones, 63 + 1073), 0x1p-1074);
    assert_double_same(toc_integer_to_double(all_ones, 63 + 1075), 0);
    toc_arena_free(&arena);
}

static toc_status compute(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_arena arena = toc_arena_make(allocator);
    toc_number_scope numbers = {.arena = &arena};
    toc_integer a = toc_integer_small(&numbers, 3);
    for (int i = 0; i < 16; i++) a = toc_integer_multiply(&numbers, a, a);
    toc_arena_free(&arena);
    return numbers.failed ? TOC_OUT_OF_MEMORY : TOC_OK;
}

static void lack_of_memory_is_remembered(void **state) {
    (void)state;
    assert_true(test_every_allocation(compute, NULL) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_agrees_with_gmp),
        cmocka_unit_test(doubles_come_back),
        cmocka_unit_test(conversion_cuts_towards_zero),
        cmocka_unit_test(lack_of_memory_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
