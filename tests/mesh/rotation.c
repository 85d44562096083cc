// SPDX-License-Identifier: Apache-2.0
// Rigid motion in steps of straight paths: the steps keep the tolerance at all times, and are few.
#include <math.h>

#include "support/test.h"
#include "toccata/toccata.h"

enum { VERTICES = 20 };

static toc_rotation random_rotation(test_random *random, double x[3 * VERTICES]) {
    toc_rotation r = {.angle = test_random_between(random, -6, 6)};
    for (int k = 0; k < 3; k++) {
        r.centre[k] = test_random_between(random, -1, 1);
        r.axis[k] = test_random_between(random, -3, 3);
        r.shift[k] = test_random_between(random, -1, 1);
    }
    for (int i = 0; i < 3 * VERTICES; i++) x[i] = test_random_between(random, -2, 2);
    return r;
}

// The largest distance of straight paths between two fractions from the rigid motion, at the same time.
static double largest_distance(const toc_rotation *r, const double *x, double from, double to) {
    double a[3 * VERTICES], b[3 * VERTICES], at[3 * VERTICES], most = 0;
    assert_ok(toc_rotation_place(r, from, VERTICES, x, a));
    assert_ok(toc_rotation_place(r, to, VERTICES, x, b));
    for (int t = 0; t <= 20; t++) {
        assert_ok(toc_rotation_place(r, from + (to - from) * t / 20, VERTICES, x, at));
        for (int i = 0; i < VERTICES; i++) {
            double square = 0;
            for (int k = 3 * i; k < 3 * i + 3; k++) {
                const double straight = a[k] + (b[k] - a[k]) * t / 20;
                square += (straight - at[k]) * (straight - at[k]);
            }
            most = fmax(most, sqrt(square));
        }
    }
    return most;
}

// For a small angle the error is the distance at half of the step: the steps are as few as can be.
static void steps_are_few_for_small_angles(void **state) {
    (void)state;
    const toc_rotation r = {.axis = {0, 0, 2}, .angle = 0.01};
    const double x[] = {3, 0, 5}, off = 3 * (1 - cos(0.005));
    uint32_t steps;
    assert_ok(toc_rotation_find_steps(&r, 1, x, off + 1e-9, &steps));
    assert_int_equal(steps, 1);
    assert_ok(toc_rotation_find_steps(&r, 1, x, off - 1e-9, &steps));
    assert_int_equal(steps, 2);
}

static void steps_keep_the_tolerance(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    double x[3 * VERTICES];
    uint32_t steps;
    for (int round = 0; round < 300; round++) {
        const toc_rotation r = random_rotation(&random, x);
        assert_ok(toc_rotation_find_steps(&r, VERTICES, x, 0.01, &steps));
        assert_true(steps >= 1 && steps < 200);
        for (uint32_t s = 0; s < steps; s++)
            assert_true(largest_distance(&r, x, (double)s / steps, (double)(s + 1) / steps) <= 0.01 + 1e-12);
    }
    const toc_rotation still = {.axis = {1, 0, 0}, .shift = {1, 2, 3}};
    assert_ok(toc_rotation_find_steps(&still, VERTICES, x, 1e-9, &steps));
    assert_int_equal(steps, 1);
}

static void bad_rotations_are_refused(void **state) {
    (void)state;
    const double x[] = {1, 2, 3};
    double at[3];
    uint32_t steps;
    toc_rotation r = {.angle = 1};
    assert_fails(toc_rotation_find_steps(&r, 1, x, 1, &steps), TOC_BAD_INPUT, "axis");
    r.axis[0] = 1, r.angle = NAN;
    assert_fails(toc_rotation_find_steps(&r, 1, x, 1, &steps), TOC_BAD_INPUT, "angle");
    r.angle = 1, r.shift[1] = INFINITY;
    assert_fails(toc_rotation_place(&r, 0.5, 1, x, at), TOC_BAD_INPUT, "not finite");
    r.shift[1] = 0;
    assert_fails(toc_rotation_place(&r, 1.5, 1, x, at), TOC_BAD_INPUT, "fraction");
    assert_fails(toc_rotation_find_steps(&r, 1, x, 0, &steps), TOC_BAD_INPUT, "tolerance");
    assert_fails(toc_rotation_find_steps(&r, 1, x, 1e-300, &steps), TOC_BAD_INPUT, "steps");
    assert_fails(toc_rotation_find_steps(NULL, 1, x, 1, &steps), TOC_BAD_INPUT, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_few_for_small_angles),
        cmocka_unit_test(steps_keep_the_tolerance),
        cmocka_unit_test(bad_rotations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
