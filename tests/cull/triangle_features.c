// SPDX-License-Identifier: Apache-2.0
// The culling sequence for two moving triangles: never removes a pair that touches, and removes the pairs that each
// step is made for.
#include "cull/surface/triangle_features.h"

#include <string.h>

#include "support/queries.h"

static toc_moving motion_of(const toc_triangle_pair *t) {
    toc_moving m;
    toc_moving_set(&m, 6, t->x0, t->x1);
    return m;
}

static test_query feature_query(const toc_triangle_pair *t, int bit) {
    const toc_triangle_feature feature = toc_triangle_feature_of(bit);
    test_query q = {.kind = feature.kind};
    for (int k = 0; k < 4; k++) {
        memcpy(q.pair.x0[k], t->x0[feature.at[k]], sizeof q.pair.x0[k]);
        memcpy(q.pair.x1[k], t->x1[feature.at[k]], sizeof q.pair.x1[k]);
    }
    return q;
}

// Two triangles made of questions of one family: the corners of one question, and two of another.
static toc_triangle_pair random_triangles(test_random *random, int family) {
    const test_query q = test_query_make(random, family), r = test_query_make(random, family);
    toc_triangle_pair t = {0};
    static const int from[2][6] = {[TOC_VF] = {0, 4, 5, 1, 2, 3}, [TOC_EE] = {0, 1, 4, 2, 3, 5}};
    for (int i = 0; i < 6; i++) {
        const int k = from[q.kind][i];
        memcpy(t.x0[i], k < 4 ? q.pair.x0[k] : r.pair.x0[k - 4], sizeof t.x0[i]);
        memcpy(t.x1[i], k < 4 ? q.pair.x1[k] : r.pair.x1[k - 4], sizeof t.x1[i]);
    }
    return t;
}

// Each step alone, and all together, on every family: removed pairs must be apart in exact arithmetic.
static void nothing_that_touches_is_removed(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    uint64_t touching = 0;
    uint32_t removed[TOC_TRIANGLE_STEP_COUNT] = {0};
    for (int round = 0; round < 1600; round++) {
        const toc_triangle_pair t = random_triangles(&random, round % TEST_ALL_FAMILIES);
        const toc_moving m = motion_of(&t);
        unsigned left = toc_triangle_cull(&m, 0, TOC_TRIANGLE_ALL, TOC_TRIANGLE_STEP_ALL, removed);
        for (int step = 0; step < TOC_TRIANGLE_STEP_COUNT; step++)
            left &= toc_triangle_cull(&m, 0, TOC_TRIANGLE_ALL, 1u << step, removed);
        for (int bit = 0; bit < TOC_TRIANGLE_PAIRS; bit++) {
            const test_query q = feature_query(&t, bit);
            const bool touches = test_ask(&q, TOC_METHOD_EXACT, 0, 1).verdict == TOC_HIT;
            touching += touches;
            assert_true(!touches || (left >> bit & 1));
        }
    }
    assert_true(touching > 1000);
    for (int step = 0; step < TOC_TRIANGLE_STEP_COUNT; step++) assert_true(removed[step] > 100);
}

// A triangle over the floor's; heights of its three corners at start and end.
static toc_triangle_pair over_floor(const double z0[3], const double z1[3]) {
    return (toc_triangle_pair){
        .x0 = {{1, 1, z0[0]}, {2, 1, z0[1]}, {1, 2, z0[2]}, {0, 0, 0}, {9, 0, 0}, {0, 9, 0}},
        .x1 = {{1, 1, z1[0]}, {2, 1, z1[1]}, {1, 2, z1[2]}, {0, 0, 0}, {9, 0, 0}, {0, 9, 0}},
    };
}

static unsigned left_over_floor(const double z0[3], const double z1[3], unsigned steps) {
    const toc_triangle_pair t = over_floor(z0, z1);
    const toc_moving m = motion_of(&t);
    return toc_triangle_cull(&m, 0, TOC_TRIANGLE_ALL, steps, NULL);
}

static void three_corners_on_one_side_end_it(void **state) {
    (void)state;
    const unsigned steps = 1 << TOC_TRIANGLE_STEP_PLANE | 1 << TOC_TRIANGLE_STEP_THREE;
    assert_int_equal(left_over_floor((double[]){1, 2, 3}, (double[]){3, 2, 1}, steps), 0);
    assert_int_equal(left_over_floor((double[]){-1, -2, -3}, (double[]){-3, -2, -1}, steps), 0);
}

// Contact at exactly 1, or at 0: a corner that arrives on the floor, or leaves it, is not on one side of it.
static void touching_at_the_ends_is_kept(void **state) {
    (void)state;
    assert_true(left_over_floor((double[]){1, 2, 3}, (double[]){0, 2, 1}, TOC_TRIANGLE_STEP_ALL) & TOC_TRIANGLE_AB(0));
    assert_true(left_over_floor((double[]){0, 2, 3}, (double[]){5, 2, 1}, TOC_TRIANGLE_STEP_ALL) & TOC_TRIANGLE_AB(0));
}

// Two corners on one side take their edge, and only that, out of all three edge pairs.
static void two_corners_on_one_side_take_their_edge(void **state) {
    (void)state;
    const unsigned steps = 1 << TOC_TRIANGLE_STEP_PLANE | 1 << TOC_TRIANGLE_STEP_TWO;
    const unsigned left = left_over_floor((double[]){1, 1, 1}, (double[]){1, 1, -1}, steps);
    for (int j = 0; j < 3; j++) {
        assert_false(left & TOC_TRIANGLE_EE(0, j));
        assert_true(left & TOC_TRIANGLE_EE(1, j));
        assert_true(left & TOC_TRIANGLE_EE(2, j));
    }
    assert_int_equal(left & 7, TOC_TRIANGLE_AB(2));
}

// Parallel edges have no common normal; the next step compares them side by side. The separation must remain.
static void parallel_edges_are_left_to_the_circles(void **state) {
    (void)state;
    const toc_pair pair = {{{0, 0, 0}, {1, 0, 0}, {4, 0, 0}, {5, 0, 0}}, {{0, 0, 0}, {1, 0, 0}, {4, 0, 0}, {5, 0, 0}}};
    toc_moving m;
    toc_moving_set(&m, 4, (const double(*)[3])pair.x0, (const double(*)[3])pair.x1);
    assert_true(toc_feature_cull(TOC_EE, &m, 0));
    assert_true(toc_feature_cull(TOC_EE, &m, 2.9));
    assert_false(toc_feature_cull(TOC_EE, &m, 3));
}

// Shared vertices: the pairs left out at first must not come back, and are not counted.
static void only_the_pairs_given_are_looked_at(void **state) {
    (void)state;
    const toc_triangle_pair t = over_floor((double[]){1, 1, 1}, (double[]){-1, -1, -1});
    const toc_moving m = motion_of(&t);
    uint32_t removed[TOC_TRIANGLE_STEP_COUNT] = {0};
    const unsigned some = TOC_TRIANGLE_AB(1) | TOC_TRIANGLE_EE(2, 2);
    const unsigned left = toc_triangle_cull(&m, 0, some, TOC_TRIANGLE_STEP_ALL, removed);
    assert_int_equal(left & ~some, 0);
    uint32_t sum = 0;
    for (int step = 0; step < TOC_TRIANGLE_STEP_COUNT; step++) sum += removed[step];
    assert_int_equal(sum, 2 - __builtin_popcount(left));
}

static void no_step_removes_nothing(void **state) {
    (void)state;
    assert_int_equal(left_over_floor((double[]){1, 2, 3}, (double[]){3, 2, 1}, 0), TOC_TRIANGLE_ALL);
}

// Products of such coordinates overflow: nothing can be said of them, so nothing may be removed for that reason.
static void overflow_removes_nothing_that_touches(void **state) {
    (void)state;
    for (double s = 1e90; s < 1e308; s *= 1e9) {
        toc_triangle_pair t = over_floor((double[]){1, 1, 1}, (double[]){-1, -1, -1});
        for (int i = 0; i < 18; i++) (&t.x0[0][0])[i] *= s / 9, (&t.x1[0][0])[i] *= s / 9;
        const toc_moving m = motion_of(&t);
        assert_int_equal(toc_triangle_cull(&m, 0, TOC_TRIANGLE_ALL, TOC_TRIANGLE_STEP_ALL, NULL) & 7, 7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_that_touches_is_removed),
        cmocka_unit_test(three_corners_on_one_side_end_it),
        cmocka_unit_test(touching_at_the_ends_is_kept),
        cmocka_unit_test(two_corners_on_one_side_take_their_edge),
        cmocka_unit_test(parallel_edges_are_left_to_the_circles),
        cmocka_unit_test(only_the_pairs_given_are_looked_at),
        cmocka_unit_test(no_step_removes_nothing),
        cmocka_unit_test(overflow_removes_nothing_that_touches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
