// SPDX-License-Identifier: Apache-2.0
// Turns of a vertex and an edge in a plane: roots are known where they are certain, whoever guessed them. The source is
// included, because its own guesses are right.
#include "pair/predicate_flat.c"
#include "support/test.h"

static flat_corner corner_of_turn(double a, double b, double d, double error) {
    return (flat_corner){.turn = {{a, error}, {b, error}, {d, error}}};
}

static void guesses_beside_a_turn(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int known = 0, unknown = 0;
    for (int i = 0; i < 4000; i++) {
        // (t - root) (1 + t), whose other root is -1; twice the middle coefficient is that of both ends and 1 more.
        const double root = test_random_between(&random, 0.01, 0.99);
        const flat_corner c = corner_of_turn(-root, 1 - 3 * root, 2 * (1 - root), 0x1p-50);
        const double off = ldexp(test_random_between(&random, -1, 1), -30 - (int)test_random_below(&random, 24));
        flat_contact contact;
        const bool found = enclose_turn(&c, root + off, &contact);
        if (found) assert_true(contact.low < root && root < contact.high);
        known += found;
        unknown += !found;
    }
    assert_true(known > 400 && unknown > 400);
}

// The turn changes its sign just before the end of the step. The root is rounded to the end: it is not known, and not
// absent.
static void a_turn_at_the_end_of_the_step(void **state) {
    (void)state;
    const flat_corner c = corner_of_turn(1, 1, -0x1p-60, 0);
    flat_contact turns[2];
    double roots[2];
    assert_int_equal(turn_roots(&c, roots), 0);
    assert_int_equal(enclose_turns(&c, turns), -1);
}

// The slope of any quadratic within the errors of the coefficients, anywhere within the width.
static void slopes_of_turns_within_their_errors(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < 20000; i++) {
        const double size = ldexp(1, -(int)test_random_below(&random, 50)), t = test_random_between(&random, 0, 1);
        const double width =
            i % 2 ? 0 : ldexp(test_random_between(&random, 0, 1), -(int)test_random_below(&random, 40));
        double x[3], error;
        for (int k = 0; k < 3; k++) x[k] = test_random_between(&random, -1, 1);
        const flat_corner c = corner_of_turn(x[0], x[1], x[2], i % 3 ? size : 0);
        const double slope = turn_slope(&c, t, width, &error);
        for (int signs = 0; signs < 16; signs++) {
            long double y[3];
            for (int k = 0; k < 3; k++) y[k] = x[k] + (long double)c.turn[k].error * (signs >> k & 1 ? 1 : -1);
            const long double s = t + (signs & 8 ? 1 : -1) * (long double)width;
            const long double is = (1 - s) * (y[1] - 2 * y[0]) + s * (2 * y[2] - y[1]);
            assert_true(fabsl(is - slope) <= error);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guesses_beside_a_turn),
        cmocka_unit_test(a_turn_at_the_end_of_the_step),
        cmocka_unit_test(slopes_of_turns_within_their_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
