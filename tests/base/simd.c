// SPDX-License-Identifier: Apache-2.0
// The wide type of four lanes as this build compiles it: registers of NEON, or what the compiler makes of vectors.
#define TOC_LANES 4
#include "base/simd.h"

#include "support/test.h"

enum { COUNT = 11 };
static const double values[COUNT] = {0, -0.0, 1, -1, 1.5, -1.5, 0x1p-1074, INFINITY, -INFINITY, NAN, 0x1p1000};

static void expect_bits(double got, double wanted) { assert_memory_equal(&got, &wanted, sizeof got); }
static void expect_float_bits(float got, float wanted) { assert_memory_equal(&got, &wanted, sizeof got); }

// min and max of 0 and -0, or of a NaN, are another number in each instruction set, and so would be the results of
// kernels: b, unless a is really less, or greater.
static void the_lesser_of_equals_is_the_second(void **state) {
    (void)state;
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            toc_wide a = toc_wide_all(1), b = toc_wide_all(2);
            a[j % 4] = values[i];
            b[j % 4] = values[j];
            const toc_wide least = toc_wide_min(a, b), most = toc_wide_max(a, b);
            for (int lane = 0; lane < 4; lane++) {
                expect_bits(least[lane], a[lane] < b[lane] ? a[lane] : b[lane]);
                expect_bits(most[lane], a[lane] > b[lane] ? a[lane] : b[lane]);
            }
        }
}

static void eight_floats_compare_as_one_by_one(void **state) {
    (void)state;
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            toc_eight a = {0, 1, 2, 3, 4, 5, 6, 7}, b = {7, 6, 5, 4, 3, 2, 1, 0};
            toc_eight_mask n = {0, 1, 2, 3, 4, 5, 6, 7};
            a[j % 8] = (float)values[i];
            b[j % 8] = (float)values[j];
            const toc_eight least = toc_eight_min(a, b), most = toc_eight_max(a, b);
            const unsigned above = toc_eight_bits(toc_eight_above(a, b));
            for (int lane = 0; lane < 8; lane++) {
                expect_float_bits(least[lane], a[lane] < b[lane] ? a[lane] : b[lane]);
                expect_float_bits(most[lane], a[lane] > b[lane] ? a[lane] : b[lane]);
                assert_int_equal(above >> lane & 1, a[lane] > b[lane]);
            }
            assert_int_equal(toc_eight_bits(toc_eight_equal(n, (toc_eight_mask){0} + i)), i < 8 ? 1 << i : 0);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lesser_of_equals_is_the_second),
        cmocka_unit_test(eight_floats_compare_as_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
