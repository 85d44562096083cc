// SPDX-License-Identifier: Apache-2.0
// Signs of orientations are those of integers: points by the last bits beside a plane, at any size, and of sizes far
// apart.
#include "pair/orientation.h"

#include <math.h>
#include <string.h>

#include "support/test.h"

enum { POINTS = 4000 };

__extension__ typedef __int128 long_integer;

static int sign_of(const double x[4][3]) {
    toc_arena scratch = toc_arena_make(NULL);
    int sign = 2;
    assert_ok(toc_orientation_find(x[0], x[1], x[2], x[3], &scratch, &sign));
    toc_arena_free(&scratch);
    return sign;
}

// Of integers up to 2^36: products of three are below 2^112.
static int true_sign(const double x[4][3]) {
    long_integer r[3][3], sum = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) r[i][k] = (long_integer)(x[1 + i][k] - x[0][k]);
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        sum += (r[0][l] * r[1][m] - r[0][m] * r[1][l]) * r[2][k];
    }
    return (sum > 0) - (sum < 0);
}

// Three points nearly on a line, and a fourth in their plane or beside it by 1: the volume is small against its
// products.
static void make_nearly_flat(test_random *random, double x[4][3]) {
    const double far = 1 + test_random_below(random, 16), times = 1 + test_random_below(random, 16);
    for (int k = 0; k < 3; k++) {
        const double u = (double)test_random_below(random, 1u << 31) - 0x1p30, off = test_random_below(random, 16);
        x[0][k] = (double)test_random_below(random, 0x10000);
        x[1][k] = x[0][k] + u;
        x[2][k] = x[0][k] + far * u + off;
        x[3][k] = x[2][k] + times * (x[2][k] - x[1][k]) + test_random_below(random, 3) - 1;
    }
}

static void points_beside_a_plane_by_the_last_bits(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < POINTS; i++) {
        double x[4][3];
        make_nearly_flat(&random, x);
        assert_int_equal(sign_of((const double(*)[3])x), true_sign((const double(*)[3])x));
    }
}

// Products of these coordinates underflow or overflow, partly or all. In half of the cases the sum of all products is
// near the least double.
static void points_of_any_size(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < POINTS; i++) {
        double x[4][3], scaled[4][3];
        const int shift =
            i % 2 ? -400 + (int)test_random_below(&random, 40) : (int)test_random_below(&random, 1900) - 1000;
        make_nearly_flat(&random, x);
        for (int j = 0; j < 12; j++) scaled[j / 3][j % 3] = ldexp(x[j / 3][j % 3], shift);
        assert_int_equal(sign_of((const double(*)[3])scaled), true_sign((const double(*)[3])x));
    }
}

// A product of two differences vanishes, and the third one would make it the largest of all.
static void products_that_vanish_count(void **state) {
    (void)state;
    const double x[4][3] = {{0, 0, 0}, {0, 0x1p-540, 0x1p-300}, {0x1p-200, 0, -0x1p-540}, {0x1p1000, 0x1p-300, 0}};
    assert_int_equal(sign_of(x), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_beside_a_plane_by_the_last_bits),
        cmocka_unit_test(points_of_any_size),
        cmocka_unit_test(products_that_vanish_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
