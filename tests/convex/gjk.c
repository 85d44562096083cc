// SPDX-License-Identifier: Apache-2.0
// The closest vector between hulls: known distances, hulls gone flat, and bounds that hold in exact arithmetic.
#include "convex/gjk.h"

#include <math.h>

#include "convex/convex.h"
#include "convex/decision.h"
#include "support/hull.h"

static const double nowhere[3] = {0, 0, 0};

static toc_gap gap_of(const test_hull *a, const test_hull *b) {
    const toc_hull first = test_hull_straight(a), second = test_hull_straight(b);
    toc_hull_sweep sweep;
    toc_gap gap;
    toc_hull_sweep_make(&first, &second, 0, &sweep);
    toc_hull_sweep_part(&sweep, 0, 0, &gap);
    return gap;
}

static toc_gjk find(const toc_gap *gap, bool any) {
    toc_gjk found;
    toc_gjk_find(gap, toc_gap_middle(gap), any, &found);
    return found;
}

static void known_distances(void **state) {
    (void)state;
    test_hull a, b;
    test_hull_box(nowhere, 1, nowhere, &a);
    const double low[][3] = {{3, 0.25, 0.25}, {4, 5, 0.5}, {3, 3, 2}}, want[] = {2, 5, 3};
    for (int i = 0; i < 3; i++) {
        test_hull_box(low[i], 1, nowhere, &b);
        const toc_gap gap = gap_of(&a, &b);
        const toc_gjk found = find(&gap, false);
        assert_double_near(found.distance, want[i], 1e-8);
        assert_true(found.lower > 0 && found.lower <= want[i]);
        assert_false(found.inside);
    }
}

// The nearest point comes with weights that are those of a point, and give the distance.
static void weights_give_the_distance(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int n = 0; n < 2000; n++) {
        const double middle[3] = {3, 0.5 * (n % 4), 0};
        test_hull a, b;
        test_hull_random(&random, (test_style)(n % TEST_STYLES), 1 + n % 8, nowhere, &a);
        test_hull_random(&random, (test_style)(n % TEST_STYLES), 1 + n % 7, middle, &b);
        const toc_gap gap = gap_of(&a, &b);
        const toc_gjk found = find(&gap, false);
        toc_vec nearest = {0};
        double sum = 0;
        for (int i = 0; i < found.size; i++) {
            assert_true(found.weights[i] >= 0);
            sum += found.weights[i];
            nearest = toc_vec_add(nearest, toc_vec_scale(found.w[i], found.weights[i]));
        }
        assert_double_near(sum, 1, 1e-12);
        assert_double_near(toc_vec_length(nearest), found.distance, 1e-9);
        // No axis shows more than the distance, and the one found shows nearly all of it.
        assert_true(found.lower <= found.distance + 1e-12);
        assert_true(found.lower >= found.distance - 1e-6);
    }
}

/// A point of a hull, but for rounding: no axis may separate it from the hull, and a wrong bound does.
static void put_on(test_random *random, const test_hull *a, test_hull *b) {
    const double u = test_random_between(random, 0, 1), w = test_random_between(random, 0, 1 - u);
    *b = (test_hull){.count = 1};
    for (int c = 0; c < 3; c++)
        b->x0[0][c] = b->x1[0][c] = (1 - u - w) * a->x0[0][c] + u * a->x0[1 % a->count][c] + w * a->x0[2 % a->count][c];
}

// A positive bound means apart and a certain inside means together, for any rounding: integers decide.
static void bounds_hold_in_exact_arithmetic(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_arena scratch = toc_arena_make(NULL);
    int apart = 0, together = 0;
    for (int n = 0; n < 3000; n++) {
        test_hull a, b;
        test_hull_random(&random, (test_style)(n % TEST_STYLES), 1 + n % 5, nowhere, &a);
        test_hull_random(&random, (test_style)(n % TEST_STYLES), 1 + n % 7, nowhere, &b);
        if (n % 4 == 0) put_on(&random, &a, &b);
        const toc_gap gap = gap_of(&a, &b);
        const toc_gjk found = find(&gap, n % 8 < 2);
        const toc_hull first = test_hull_straight(&a), second = test_hull_straight(&b);
        bool share;
        assert_ok(toc_decide_instant(&first, &second, 0, &scratch, &share));
        if (found.lower > 0) assert_false(share);
        if (toc_gjk_certainly_inside(&gap, &found)) assert_true(share);
        apart += found.lower > 0;
        together += toc_gjk_certainly_inside(&gap, &found);
    }
    assert_in_range(apart, 300, 2700);
    assert_in_range(together, 100, 2700);
    toc_arena_free(&scratch);
}

// Hulls that are apart by more than rounding are proved so, also when corners coincide or are in one plane.
static void finds_an_axis_for_flat_hulls(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int n = 0; n < 3000; n++) {
        test_hull a, b;
        test_hull_random(&random, TEST_GRID, 1 + n % 8, nowhere, &a);
        test_hull_random(&random, TEST_GRID, 1 + n % 7, nowhere, &b);
        for (int i = 0; i < b.count; i++) b.x0[i][n % 3] = 0.25;
        for (int i = 0; i < a.count; i++) a.x0[i][n % 3] = 0.25 - 1e-6;
        const toc_gap gap = gap_of(&a, &b);
        assert_true(find(&gap, true).lower > 0);
        assert_true(find(&gap, false).lower > 0);
    }
}

// A first axis of no use, and hulls that are one and the same point.
static void useless_first_axis(void **state) {
    (void)state;
    test_hull a, b;
    test_hull_box(nowhere, 1, nowhere, &a);
    test_hull_box((double[]){3, 0, 0}, 1, nowhere, &b);
    const toc_gap gap = gap_of(&a, &b);
    toc_gjk found;
    toc_gjk_find(&gap, (toc_vec){0, 0, 0}, false, &found);
    assert_double_near(found.distance, 2, 1e-9);
    toc_gjk_find(&gap, (toc_vec){-1, 0.5, 0}, false, &found);
    assert_double_near(found.distance, 2, 1e-9);
    const test_hull dot = {.count = 8};
    const toc_gap none = gap_of(&dot, &dot);
    found = find(&none, false);
    assert_double_same(found.distance, 0);
    assert_true(found.lower <= 0);
}

// The smallest (b - a).axis of the pairs of corners.
static double least_gap(const toc_gap *gap, toc_vec axis) {
    double least = INFINITY;
    for (int k = 0; k < gap->sets; k++) {
        double a[TOC_GAP_CORNERS] = {0}, b[TOC_GAP_CORNERS] = {0};
        toc_gap_project(gap->at[k][0], gap->count[0], axis, a);
        toc_gap_project(gap->at[k][1], gap->count[1], axis, b);
        for (int i = 0; i < gap->count[0]; i++)
            for (int j = 0; j < gap->count[1]; j++) least = fmin(least, b[j] - a[i]);
    }
    return least;
}

// All positions of a path at once: an axis exists for the whole step exactly when the hull of all differences is clear.
static void one_axis_for_the_whole_step(void **state) {
    (void)state;
    const test_hull a = {.count = 2, .x0 = {{-1, 0, 0}, {1, 0, 0}}, .x1 = {{-1, 0, 0}, {1, 0, 0}}};
    const test_hull b = {.count = 2, .x0 = {{2, -0.25, 0}, {1.5, 1, 0}}, .x1 = {{0, 0.5, 0}, {-1, 2, 0}}};
    const toc_hull first = test_hull_straight(&a), second = test_hull_straight(&b);
    toc_hull_sweep sweep;
    toc_gap gap;
    toc_hull_sweep_make(&first, &second, 0, &sweep);
    toc_hull_sweep_part(&sweep, 0, 1, &gap);
    assert_int_equal(gap.sets, 2);
    const toc_gjk found = find(&gap, true);
    assert_true(found.lower > 0);
    for (int i = 0; i <= 8; i++) {
        toc_hull_sweep_part(&sweep, i / 8.0, i / 8.0, &gap);
        assert_true(least_gap(&gap, found.axis) > toc_gap_slack(&gap, found.axis));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_distances),
        cmocka_unit_test(weights_give_the_distance),
        cmocka_unit_test(bounds_hold_in_exact_arithmetic),
        cmocka_unit_test(finds_an_axis_for_flat_hulls),
        cmocka_unit_test(useless_first_axis),
        cmocka_unit_test(one_axis_for_the_whole_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
