// SPDX-License-Identifier: Apache-2.0
// Overlap at an instant: by hand, against the exact elementary test, and moved apart by its own depth.
#include "convex/overlap.h"

#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "convex/decision.h"
#include "pair/pair.h"
#include "support/hull.h"

static const double nowhere[3] = {0, 0, 0};

static toc_overlap find(const test_hull *a, const test_hull *b) {
    toc_overlap overlap;
    assert_ok(toc_overlap_find(a->count, a->x0[0], b->count, b->x0[0], &overlap));
    return overlap;
}

static void boxes_overlap_by_a_quarter(void **state) {
    (void)state;
    test_hull a, b;
    test_hull_box(nowhere, 1, nowhere, &a);
    test_hull_box((double[]){0.75, 0.5, 0.25}, 1, nowhere, &b);
    const toc_overlap got = find(&a, &b);
    assert_int_equal(got.verdict, TOC_HIT);
    assert_double_near(got.depth, 0.25, 1e-12);
    assert_double_near(got.normal[0], -1, 1e-12);
    assert_double_same(got.distance, 0);
    for (int c = 0; c < 3; c++) assert_true(got.point[c] >= b.x0[0][c] - 1e-9 && got.point[c] <= 1 + 1e-9);
}

// Faces that touch overlap, by nothing; one bit apart they do not.
static void boxes_that_touch(void **state) {
    (void)state;
    test_hull a, b;
    test_hull_box(nowhere, 1, nowhere, &a);
    test_hull_box((double[]){1, 0, 0}, 1, nowhere, &b);
    assert_int_equal(find(&a, &b).verdict, TOC_HIT);
    assert_double_near(find(&a, &b).depth, 0, 1e-15);
    for (int i = 0; i < 8; i++) b.x0[i][0] = nextafter(b.x0[i][0], 9);
    assert_int_equal(find(&a, &b).verdict, TOC_APART);
}

static void boxes_apart_know_their_distance(void **state) {
    (void)state;
    test_hull a, b;
    test_hull_box(nowhere, 1, nowhere, &a);
    test_hull_box((double[]){4, 5, 0}, 1, nowhere, &b);
    const toc_overlap got = find(&a, &b);
    assert_int_equal(got.verdict, TOC_APART);
    assert_double_near(got.distance, 5, 1e-9);
    assert_double_same(got.depth, 0);
    assert_double_near(got.normal[0], -0.6, 1e-6);
    assert_double_near(got.normal[1], -0.8, 1e-6);
    assert_double_near(got.point[0], 4, 1e-6);
}

// Two edges that cross: the way out is along their common normal, and has no length.
static void flat_things_that_cross(void **state) {
    (void)state;
    const test_hull rod = {.count = 2, .x0 = {{-1, 0, 0}, {1, 0, 0}}},
                    bar = {.count = 2, .x0 = {{0, -1, 0}, {0, 1, 0}}};
    const test_hull sheet = {.count = 3, .x0 = {{-1, -1, 0}, {2, -1, 0}, {0, 1, 0}}};
    const test_hull needle = {.count = 2, .x0 = {{0, 0, -0.25}, {0, 0, 1}}};
    assert_int_equal(find(&rod, &bar).verdict, TOC_HIT);
    assert_double_same(find(&rod, &bar).depth, 0);
    assert_double_near(fabs(find(&rod, &bar).normal[2]), 1, 1e-12);
    assert_int_equal(find(&rod, &sheet).verdict, TOC_HIT);
    assert_double_same(find(&rod, &sheet).depth, 0);
    assert_int_equal(find(&needle, &sheet).verdict, TOC_HIT);
    assert_double_near(find(&needle, &sheet).depth, 0.25, 1e-12);
    assert_double_near(find(&needle, &sheet).normal[2], 1, 1e-12);
}

// All on one line, or all in one place: there is a way out across it.
static void collinear_and_coincident(void **state) {
    (void)state;
    const test_hull rod = {.count = 2, .x0 = {{-1, 1, 0}, {1, 3, 0}}},
                    part = {.count = 2, .x0 = {{0, 2, 0}, {2, 4, 0}}};
    const test_hull rest = {.count = 2, .x0 = {{2, 4, 0}, {3, 5, 0}}}, dot = {.count = 1, .x0 = {{0, 2, 0}}};
    assert_int_equal(find(&rod, &part).verdict, TOC_HIT);
    assert_double_same(find(&rod, &part).depth, 0);
    assert_double_near(toc_vec_length(toc_vec_of(find(&rod, &part).normal)), 1, 1e-12);
    assert_int_equal(find(&rod, &rest).verdict, TOC_APART);
    assert_int_equal(find(&part, &rest).verdict, TOC_HIT);
    assert_int_equal(find(&rod, &dot).verdict, TOC_HIT);
    assert_int_equal(find(&rest, &dot).verdict, TOC_APART);
    assert_int_equal(find(&dot, &dot).verdict, TOC_HIT);
    assert_double_near(toc_vec_length(toc_vec_of(find(&dot, &dot).normal)), 1, 1e-12);
}

static void coplanar_triangles(void **state) {
    (void)state;
    const test_hull a = {.count = 3, .x0 = {{0, 0, 1}, {4, 0, 1}, {0, 4, 1}}};
    test_hull within = {.count = 3, .x0 = {{1, 1, 1}, {1.5, 1, 1}, {1, 1.5, 1}}};
    assert_int_equal(find(&a, &within).verdict, TOC_HIT);
    assert_double_same(find(&a, &within).depth, 0);
    test_hull beside = {.count = 3, .x0 = {{4, 4, 1}, {4, 1, 1}, {1, 4, 1}}};
    assert_int_equal(find(&a, &beside).verdict, TOC_APART);
    test_hull at_corner = {.count = 3, .x0 = {{4, 0, 1}, {5, 0, 1}, {5, -1, 1}}};
    assert_int_equal(find(&a, &at_corner).verdict, TOC_HIT);
    within.x0[0][2] = within.x0[1][2] = within.x0[2][2] = nextafter(1, 2);
    assert_int_equal(find(&a, &within).verdict, TOC_APART);
}

// ---- the truth, from elementary questions alone

static bool walk_meets(const double from[3], const double to[3], const double face[3][3], toc_arena *scratch) {
    double x0[4][3], x1[4][3];
    memcpy(x0[0], from, sizeof x0[0]);
    memcpy(x1[0], to, sizeof x1[0]);
    memcpy(x0[1], face, 3 * sizeof x0[0]);
    memcpy(x1[1], face, 3 * sizeof x1[0]);
    const toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    assert_ok(toc_integer_pair(TOC_VF, (const double(*)[3])x0, (const double(*)[3])x1, &test, scratch, &hit));
    return hit.verdict == TOC_HIT;
}

/// An edge of one meets the other, walked along by a point; for triangles there is no other way to meet.
static bool triangles_meet(const test_hull *a, const test_hull *b, toc_arena *scratch) {
    for (int i = 0; i < 3; i++) {
        if (walk_meets(a->x0[i], a->x0[(i + 1) % 3], (const double(*)[3])b->x0, scratch)) return true;
        if (walk_meets(b->x0[i], b->x0[(i + 1) % 3], (const double(*)[3])a->x0, scratch)) return true;
    }
    return false;
}

static void triangles_against_their_edges(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_arena scratch = toc_arena_make(NULL);
    int hits = 0;
    for (int n = 0; n < 6000; n++) {
        const test_style style = (test_style)(n % TEST_STYLES);
        test_hull a, b;
        test_hull_random(&random, style, 3, nowhere, &a);
        test_hull_random(&random, style, 3, nowhere, &b);
        if (n % 7 == 0) // in one plane
            for (int i = 0; i < 3; i++) a.x0[i][n % 3] = b.x0[i][n % 3] = 0.1;
        const bool want = triangles_meet(&a, &b, &scratch);
        assert_int_equal(find(&a, &b).verdict, want ? TOC_HIT : TOC_APART);
        assert_int_equal(find(&b, &a).verdict, want ? TOC_HIT : TOC_APART);
        hits += want;
    }
    assert_in_range(hits, 600, 5400);
    toc_arena_free(&scratch);
}

// ---- the depth

/// Least of the shifts along many directions: an upper bound that comes near the true depth.
static double sampled_depth(const test_hull *a, const test_hull *b) {
    double least = INFINITY;
    for (int n = 0; n < 4000; n++) {
        const double z = 1 - (2 * n + 1) / 4000.0, r = sqrt(1 - z * z), angle = 2.399963229728653 * n;
        const toc_vec axis = {r * cos(angle), r * sin(angle), z};
        double high = -INFINITY, low = INFINITY;
        for (int i = 0; i < a->count; i++) high = fmax(high, toc_vec_dot(axis, toc_vec_of(a->x0[i])));
        for (int i = 0; i < b->count; i++) low = fmin(low, toc_vec_dot(axis, toc_vec_of(b->x0[i])));
        least = fmin(least, high - low);
    }
    return least;
}

static void depth_is_the_least_way_out(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int n = 0; n < 300; n++) {
        test_hull a, b;
        test_hull_random(&random, TEST_UNIFORM, 1 + (int)test_random_below(&random, 8), nowhere, &a);
        test_hull_random(&random, TEST_UNIFORM, 1 + (int)test_random_below(&random, 8), nowhere, &b);
        const toc_overlap got = find(&a, &b);
        if (got.verdict == TOC_APART) continue;
        const double sampled = sampled_depth(&a, &b);
        assert_true(got.depth <= sampled + 1e-12);
        assert_true(got.depth >= sampled - 0.15);
        assert_double_near(toc_vec_length(toc_vec_of(got.normal)), 1, 1e-12);
    }
}

static void moved_by_the_depth_they_only_touch(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int hits = 0;
    for (int n = 0; n < 600; n++) {
        test_hull a, b;
        test_hull_random(&random, n % 2 ? TEST_UNIFORM : TEST_GRID, 1 + (int)test_random_below(&random, 8), nowhere,
                         &a);
        test_hull_random(&random, n % 2 ? TEST_UNIFORM : TEST_GRID, 4 + (int)test_random_below(&random, 5), nowhere,
                         &b);
        const toc_overlap got = find(&a, &b);
        if (got.verdict == TOC_APART) continue;
        test_hull out = a, in = a;
        for (int i = 0; i < a.count; i++)
            for (int c = 0; c < 3; c++) {
                out.x0[i][c] += got.normal[c] * (got.depth + 1e-9);
                in.x0[i][c] += got.normal[c] * (got.depth - 1e-9);
            }
        assert_int_equal(find(&out, &b).verdict, TOC_APART);
        if (got.depth > 1e-9) assert_int_equal(find(&in, &b).verdict, TOC_HIT);
        hits++;
    }
    assert_in_range(hits, 200, 600);
}

// The exact decision does not depend on the order of the elements, nor on the signs that floating point found.
static void exact_decision_agrees(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_arena scratch = toc_arena_make(NULL);
    for (int n = 0; n < 1000; n++) {
        const test_style style = (test_style)(n % TEST_STYLES);
        const double middle[3] = {1, 0.5 * (n % 3), 0};
        test_hull a, b;
        test_hull_random(&random, style, 1 + (int)test_random_below(&random, 8), nowhere, &a);
        test_hull_random(&random, style, 1 + (int)test_random_below(&random, 8), middle, &b);
        const toc_hull first = test_hull_straight(&a), second = test_hull_straight(&b);
        bool share, swapped;
        assert_ok(toc_decide_instant(&first, &second, 0, &scratch, &share));
        assert_ok(toc_decide_instant(&second, &first, 0, &scratch, &swapped));
        assert_int_equal(share, swapped);
        assert_int_equal(find(&a, &b).verdict, share ? TOC_HIT : TOC_APART);
    }
    toc_arena_free(&scratch);
}

static void refuses_what_makes_no_sense(void **state) {
    (void)state;
    double a[3] = {0}, b[3] = {0, INFINITY, 0};
    toc_overlap overlap;
    assert_fails(toc_overlap_find(0, a, 1, a, &overlap), TOC_BAD_INPUT, "first hull");
    assert_fails(toc_overlap_find(1, a, 1, NULL, &overlap), TOC_BAD_INPUT, "second hull");
    assert_fails(toc_overlap_find(1, a, 1, b, &overlap), TOC_BAD_INPUT, "not finite");
}

static toc_status touch(const toc_allocator *allocator, void *user) {
    const test_hull *both = user;
    const toc_hull a = test_hull_straight(&both[0]), b = test_hull_straight(&both[1]);
    toc_arena scratch = toc_arena_make(allocator);
    toc_overlap overlap = {.depth = -1};
    const toc_status status = toc_overlap_find_unchecked(&a, &b, &scratch, &overlap);
    if (status != TOC_OK) assert_double_same(overlap.depth, -1);
    toc_arena_free(&scratch);
    return status;
}

static void out_of_memory_in_the_exact_decision(void **state) {
    (void)state;
    test_hull both[2];
    test_hull_box(nowhere, 1, nowhere, &both[0]);
    test_hull_box((double[]){1, 0, 0}, 1, nowhere, &both[1]);
    assert_true(test_every_allocation(touch, both) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_overlap_by_a_quarter),         cmocka_unit_test(boxes_that_touch),
        cmocka_unit_test(boxes_apart_know_their_distance),    cmocka_unit_test(flat_things_that_cross),
        cmocka_unit_test(collinear_and_coincident),           cmocka_unit_test(coplanar_triangles),
        cmocka_unit_test(triangles_against_their_edges),      cmocka_unit_test(depth_is_the_least_way_out),
        cmocka_unit_test(moved_by_the_depth_they_only_touch), cmocka_unit_test(exact_decision_agrees),
        cmocka_unit_test(refuses_what_makes_no_sense),        cmocka_unit_test(out_of_memory_in_the_exact_decision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
