// SPDX-License-Identifier: Apache-2.0
// Bounds within the certified kernel: a crossing of features that move too far between two times, and the times of an
// axis. The source is included, with one lane.
#include "pair/certified.kernel.c"
#include "support/test.h"

// The largest triangle of a cube, with the vertex over its middle. Its area leaves room beyond the error bound, which
// holds up to a blur of a 1,024th of the size.
static void features_that_move_too_far_are_not_over_each_other(void **state) {
    (void)state;
    const double corners[3][3] = {{1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
    const double edges[3][3] = {{2, 0, 0}, {1, -1, 0}, {1, 1, 0}}; // two edges that cross in their middles
    for (int kind = 0; kind < 2; kind++)
        for (int i = 8; i <= 12; i++) {
            wide3 r[3];
            toc_mask tie;
            const double blur = ldexp(1, -i), size = kind ? 2 : 1;
            for (int k = 0; k < 3; k++) {
                const double *x = kind ? edges[k] : corners[k];
                r[k] = (wide3){toc_wide_all(x[0]), toc_wide_all(x[1]), toc_wide_all(x[2])};
            }
            const bool sharp = blur * 1024 <= size;
            const toc_mask over =
                over_each_other(kind ? TOC_EE : TOC_VF, r, toc_wide_all(size), toc_wide_all(blur), &tie);
            assert_int_equal(toc_mask_bits(tie) & 1, sharp);
            if (!sharp) assert_int_equal(toc_mask_bits(over) & 1, 0);
            if (i == 12) assert_int_equal(toc_mask_bits(over) & 1, 1);
        }
}

// A gap from -a to b is above 0 after a / (a + b), which is computed to within 1.5 roundings: an axis separates from
// there on, not a rounding before.
static void an_axis_separates_inside_its_times(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < 20000; i++) {
        const double a = test_random_between(&random, 0, 1), b = test_random_between(&random, 0, 1);
        time_span rises = {toc_wide_all(-1), toc_wide_all(2)}, falls = rises;
        span_narrow(&rises, toc_wide_all(-a), toc_wide_all(b));
        span_narrow(&falls, toc_wide_all(b), toc_wide_all(-a));
        assert_true(rises.enter[0] > a / (a + b) * (1 + 0x1p-52) && rises.enter[0] < a / (a + b) * (1 + 0x1p-48));
        assert_true(falls.leave[0] < b / (a + b) * (1 - 0x1p-52) && falls.leave[0] > b / (a + b) * (1 - 0x1p-48));
    }
}

// Products of four coordinates below 2^-100 or above 2^100 are out of range: the kernel decides nothing about them.
static void sizes_out_of_range_are_left(void **state) {
    (void)state;
    for (int exponent = -300; exponent <= 300; exponent++) {
        double x[4][3] = {{0, 0, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        const uint32_t vertices[1][4] = {{0, 1, 2, 3}};
        toc_verdict verdict;
        double time;
        for (int i = 0; i < 12; i++) x[i / 3][i % 3] = ldexp(x[i / 3][i % 3], exponent);
        const toc_certified_work work = {
            .pairs = {.kind = TOC_VF, .count = 1, .vertices = vertices, .body0 = {*x, *x}, .body1 = {*x, *x}},
            .to = 1,
            .verdicts = &verdict,
            .times = &time};
        toc_certified_kernel1(&work);
        assert_int_equal(verdict, exponent >= -100 && exponent <= 100 ? TOC_APART : TOC_UNDECIDED);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_that_move_too_far_are_not_over_each_other),
        cmocka_unit_test(an_axis_separates_inside_its_times),
        cmocka_unit_test(sizes_out_of_range_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
