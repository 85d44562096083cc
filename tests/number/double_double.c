// SPDX-License-Identifier: Apache-2.0
// Double-double arithmetic against rational numbers: the error that the predicates count on.
#include "number/double_double.h"

#include <gmp.h>
#include <stdbool.h>

#include "support/test.h"

static toc_dd any_number(test_random *random) {
    const double high = ldexp(test_random_between(random, -1, 1), (int)test_random_below(random, 80) - 40);
    const double low = ldexp(high, -53 - (int)test_random_below(random, 40)) * test_random_between(random, -1, 1);
    return toc_dd_sum_of(high, low);
}

static void set(mpq_t out, toc_dd a) {
    mpq_t low;
    mpq_init(low);
    mpq_set_d(out, a.high);
    mpq_set_d(low, a.low);
    mpq_add(out, out, low);
    mpq_clear(low);
}

// Whether |got - want| <= error |want|.
static bool is_within(toc_dd got, const mpq_t want, double error) {
    mpq_t off, limit;
    mpq_inits(off, limit, NULL);
    set(off, got);
    mpq_sub(off, off, want);
    mpq_abs(off, off);
    mpq_set_d(limit, error);
    mpq_mul(limit, limit, want);
    mpq_abs(limit, limit);
    const bool within = mpq_cmp(off, limit) <= 0;
    mpq_clears(off, limit, NULL);
    return within;
}

// Sums that nearly cancel are the hard ones: their error is large beside the small sum.
static void sums_and_products(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    mpq_t x, y, want;
    mpq_inits(x, y, want, NULL);
    for (int i = 0; i < 100000; i++) {
        const toc_dd a = any_number(&random);
        toc_dd b = any_number(&random);
        if (i % 4 == 0) b = toc_dd_sum_of(-a.high, a.high * 0x1p-56 * test_random_between(&random, -1, 1));
        if (i % 4 == 1) b = toc_dd_sum_of(-a.high * (1 + 0x1p-52), -a.low);
        set(x, a), set(y, b);
        mpq_add(want, x, y);
        assert_true(is_within(toc_dd_add(a, b), want, TOC_DD_ERROR));
        mpq_sub(want, x, y);
        assert_true(is_within(toc_dd_subtract(a, b), want, TOC_DD_ERROR));
        mpq_mul(want, x, y);
        assert_true(is_within(toc_dd_multiply(a, b), want, TOC_DD_ERROR));
    }
    mpq_clears(x, y, want, NULL);
}

static void exact_of_doubles(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    mpq_t x, y, want;
    mpq_inits(x, y, want, NULL);
    for (int i = 0; i < 100000; i++) {
        const double a = any_number(&random).high, b = any_number(&random).high;
        mpq_set_d(x, a), mpq_set_d(y, b);
        mpq_sub(want, x, y);
        assert_true(is_within(toc_dd_difference_of(a, b), want, 0));
        mpq_mul(want, x, y);
        assert_true(is_within(toc_dd_product_of(a, b), want, 0));
    }
    mpq_clears(x, y, want, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_of_doubles),
        cmocka_unit_test(sums_and_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
