// SPDX-License-Identifier: Apache-2.0
// Elementary questions and convex elements on parabolas: by hand, against samples of time, and against the exact roots.
#include <math.h>
#include <string.h>

#include "convex/convex.h"
#include "pair/pair.h"
#include "support/hull.h"
#ifdef TOC_HAVE_GMP
#include "support/oracle.h"
#endif

static const double nowhere[3] = {0, 0, 0};

static toc_hit find(toc_kind kind, const toc_quadratic_pair *pair, const toc_pair_test *test) {
    toc_hit hit = {.toc = -1};
    assert_ok(toc_quadratic_find(kind, pair, test, &hit));
    return hit;
}

/// A vertex thrown up from below a face at rest in the plane z = 0: its height is -1 + 2 (1 + reach) t (1 - t).
static toc_quadratic_pair make_throw(double reach) {
    static const double face[3][3] = {{-1, -1, 0}, {2, -1, 0}, {-1, 2, 0}};
    toc_quadratic_pair pair = {.x0 = {{0, 0, -1}}, .control = {{0, 0, reach}}, .x1 = {{0, 0, -1}}};
    memcpy(pair.x0[1], face, sizeof face);
    memcpy(pair.control[1], face, sizeof face);
    memcpy(pair.x1[1], face, sizeof face);
    return pair;
}

// Start and end are both below the face, so straight paths would never meet.
static void thrown_through_a_face_and_back(void **state) {
    (void)state;
    const toc_pair_test test = toc_pair_test_default();
    const toc_quadratic_pair pair = make_throw(3);
    const toc_hit hit = find(TOC_VF, &pair, &test);
    const double want = (8 - sqrt(32)) / 16;
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_double_near(hit.toc, want, 1e-12);
    assert_double_near(hit.weights[0], 1, 1e-12);
    assert_double_near(hit.weights[1] + hit.weights[2] + hit.weights[3], 1, 1e-12);
    assert_double_near(hit.weights[2], 1.0 / 3, 1e-6);
    assert_double_near(hit.point[2], 0, 1e-9);
    assert_double_near(hit.normal[2], -1, 1e-9);
}

// The top of the path is on the face: one double root.
static void grazes_at_the_top(void **state) {
    (void)state;
    toc_pair_test test = toc_pair_test_default();
    toc_quadratic_pair pair = make_throw(1);
    assert_int_equal(find(TOC_VF, &pair, &test).verdict, TOC_HIT);
    assert_true(find(TOC_VF, &pair, &test).toc <= 0.5);
    pair = make_throw(1 - 0x1p-50);
    assert_int_equal(find(TOC_VF, &pair, &test).verdict, TOC_APART);
    test.exact = false;
    pair = make_throw(1);
    assert_int_not_equal(find(TOC_VF, &pair, &test).verdict, TOC_APART);
    pair = make_throw(1 - 1e-6);
    assert_int_equal(find(TOC_VF, &pair, &test).verdict, TOC_APART);
}

static void edge_thrown_over_an_edge(void **state) {
    (void)state;
    toc_quadratic_pair pair = {.x0 = {{-1, 0, -1}, {1, 0, -1}, {0, -1, 0}, {0, 1, 0}},
                               .control = {{-1, 0, 3}, {1, 0, 3}, {0, -1, 0}, {0, 1, 0}},
                               .x1 = {{-1, 0, -1}, {1, 0, -1}, {0, -1, 0}, {0, 1, 0}}};
    const toc_pair_test test = toc_pair_test_default();
    const toc_hit hit = find(TOC_EE, &pair, &test);
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_double_near(hit.toc, (8 - sqrt(32)) / 16, 1e-12);
    for (int i = 0; i < 4; i++) assert_double_near(hit.weights[i], 0.5, 1e-9);
}

static void part_of_the_step(void **state) {
    (void)state;
    const toc_quadratic_pair pair = make_throw(3);
    toc_pair_test test = toc_pair_test_default();
    test.to = 0.14;
    assert_int_equal(find(TOC_VF, &pair, &test).verdict, TOC_APART);
    test.from = 0.3;
    test.to = 0.7;
    assert_int_equal(find(TOC_VF, &pair, &test).verdict, TOC_APART);
    test.to = 1;
    assert_double_near(find(TOC_VF, &pair, &test).toc, (8 + sqrt(32)) / 16, 1e-12);
}

static void separation_comes_earlier(void **state) {
    (void)state;
    const toc_quadratic_pair pair = make_throw(3);
    toc_pair_test test = toc_pair_test_default();
    test.separation = 0.5; // -1 + 8 t (1 - t) = -1/2
    const toc_hit hit = find(TOC_VF, &pair, &test);
    assert_int_not_equal(hit.verdict, TOC_APART);
    assert_double_near(hit.toc, (1 - sqrt(0.75)) / 2, 1e-6);
}

static void control_points_from_accelerations(void **state) {
    (void)state;
    const double x0[3] = {0, 1, 2}, x1[3] = {4, 1, -2}, acceleration[3] = {8, 0, -4};
    double control[3];
    toc_path_find_control(1, x0, x1, acceleration, control);
    for (int c = 0; c < 3; c++) {
        assert_double_same(2 * (x0[c] - 2 * control[c] + x1[c]), acceleration[c]);
        assert_double_same(control[c], (x0[c] + x1[c]) / 2 - acceleration[c] / 4);
    }
}

static toc_quadratic_pair random_pair(test_random *random, test_style style) {
    toc_quadratic_pair pair;
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++) {
            pair.x0[i][c] = test_coordinate(random, style);
            pair.control[i][c] = 1.5 * test_coordinate(random, style);
            pair.x1[i][c] = test_coordinate(random, style);
        }
    return pair;
}

// With the control point half way a parabola is a straight path: the answer is the elementary one.
static void straight_parabolas(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_arena scratch = toc_arena_make(NULL);
    const toc_pair_test test = toc_pair_test_default();
    int contacts = 0;
    for (int n = 0; n < 3000; n++) {
        const toc_kind kind = n % 2 ? TOC_VF : TOC_EE;
        toc_quadratic_pair pair = random_pair(&random, TEST_GRID);
        for (int i = 0; i < 4; i++)
            for (int c = 0; c < 3; c++) pair.control[i][c] = (pair.x0[i][c] + pair.x1[i][c]) / 2;
        toc_hit want;
        assert_ok(
            toc_integer_pair(kind, (const double(*)[3])pair.x0, (const double(*)[3])pair.x1, &test, &scratch, &want));
        const toc_hit got = find(kind, &pair, &test);
        assert_int_equal(got.verdict, want.verdict);
        if (want.verdict != TOC_HIT) continue;
        assert_true(got.toc <= want.toc);
        assert_double_near(got.toc, want.toc, 1e-6);
        contacts++;
    }
    assert_in_range(contacts, 200, 2800);
    toc_arena_free(&scratch);
}

// The certificate against the roots of degree 6: it misses nothing and is never late.
static void certificate_against_exact_roots(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_pair_test rough = toc_pair_test_default(), exact = rough, test = rough;
    rough.exact = false;
    exact.method = TOC_METHOD_EXACT;
    int contacts = 0, apart = 0;
    for (int n = 0; n < 1500; n++) {
        const toc_kind kind = n % 2 ? TOC_VF : TOC_EE;
        const toc_quadratic_pair pair = random_pair(&random, (test_style)(n % TEST_STYLES));
        const toc_hit want = find(kind, &pair, &exact), guess = find(kind, &pair, &rough);
        assert_int_equal(find(kind, &pair, &test).verdict, want.verdict);
        if (want.verdict == TOC_HIT) {
            assert_int_not_equal(guess.verdict, TOC_APART);
            assert_true(guess.toc <= want.toc);
            contacts++;
        }
        apart += guess.verdict == TOC_APART;
    }
    assert_in_range(contacts, 150, 1400);
    assert_in_range(apart, 300, 1400);
}

static double sum_of(const double *weights, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        assert_true(weights[i] >= 0 && weights[i] <= 1);
        sum += weights[i];
    }
    return sum;
}

// Shares of a thin simplex are quotients of small differences: their sum must be brought to 1.
static void weights_sum_to_one(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_pair_test test = toc_pair_test_default();
    int contacts = 0;
    for (int n = 0; n < 4000; n++) {
        const toc_kind kind = n % 2 ? TOC_VF : TOC_EE;
        const int first = kind == TOC_VF ? 1 : 2;
        toc_quadratic_pair pair = random_pair(&random, (test_style)(n % TEST_STYLES));
        for (int i = 0; i < 4; i++) pair.x0[i][0] += 1000, pair.control[i][0] += 1000, pair.x1[i][0] += 1000;
        const toc_hit hit = find(kind, &pair, &test);
        if (hit.verdict == TOC_APART) continue;
        assert_double_near(sum_of(hit.weights, first), 1, 0x1p-51);
        assert_double_near(sum_of(hit.weights + first, 4 - first), 1, 0x1p-51);
        contacts++;
    }
    assert_in_range(contacts, 400, 3900);
}

#ifdef TOC_HAVE_GMP
static void compare_with_truth(toc_kind kind, const toc_quadratic_pair *pair, test_truth *truth, int *contacts) {
    toc_pair_test certified = toc_pair_test_default(), exact = certified;
    exact.method = TOC_METHOD_EXACT;
    test_oracle_find_curved(kind, pair, 0, 1, truth);
    *contacts += truth->touches;
    for (int method = 0; method < 2; method++) {
        const toc_hit hit = find(kind, pair, method ? &exact : &certified);
        assert_int_equal(hit.verdict, truth->touches ? TOC_HIT : TOC_APART);
        if (!truth->touches) continue;
        mpq_t told;
        mpq_init(told);
        mpq_set_d(told, hit.toc);
        assert_true(mpq_cmp(told, truth->upper) <= 0);
        mpq_clear(told);
        assert_true(hit.toc >= mpq_get_d(truth->lower) * (1 - 1e-9));
        if (hit.toc == 0) assert_int_equal(mpq_sgn(truth->lower), 0);
    }
}
#endif

// Rational numbers decide: the same verdicts, times never late and at most 1e-9 early.
static void against_rational_numbers(void **state) {
    (void)state;
#ifndef TOC_HAVE_GMP
    skip();
#else
    test_random random = test_random_make(0);
    test_truth truth;
    test_truth_init(&truth);
    int contacts = 0, rounds = test_less(600, 100);
    for (int n = 0; n < rounds; n++) {
        const toc_quadratic_pair pair = random_pair(&random, (test_style)(n % TEST_STYLES));
        compare_with_truth(n / 2 % 2 ? TOC_VF : TOC_EE, &pair, &truth, &contacts);
    }
    assert_in_range(contacts, rounds / 10, rounds - rounds / 10);
    test_truth_clear(&truth);
#endif
}

static double along(const toc_quadratic_pair *pair, int i, int c, double t) {
    return (1 - t) * (1 - t) * pair->x0[i][c] + 2 * t * (1 - t) * pair->control[i][c] + t * t * pair->x1[i][c];
}

/// Distance of the vertex from the face at a time, by the overlap of the two.
static double distance_at(const toc_quadratic_pair *pair, int n, double t) {
    double at[4][3];
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++) at[i][c] = along(pair, i, c, t);
    toc_overlap overlap;
    assert_ok(toc_overlap_find(n, at[0], 4 - n, at[n], &overlap));
    return overlap.distance;
}

// At the time the exact method tells, the two are indeed together; and where it tells none, samples stay apart.
static void exact_roots_against_samples(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_pair_test exact = toc_pair_test_default();
    exact.method = TOC_METHOD_EXACT;
    for (int n = 0; n < 300; n++) {
        const toc_kind kind = n % 2 ? TOC_VF : TOC_EE;
        const toc_quadratic_pair pair = random_pair(&random, TEST_UNIFORM);
        const toc_hit hit = find(kind, &pair, &exact);
        const double end = hit.verdict == TOC_HIT ? hit.toc : 1;
        if (hit.verdict == TOC_HIT) assert_double_near(distance_at(&pair, kind == TOC_VF ? 1 : 2, hit.toc), 0, 1e-12);
        for (int i = 0; i < 32; i++) assert_true(distance_at(&pair, kind == TOC_VF ? 1 : 2, end * i / 32) > 0);
    }
}

// Convex elements, one of them on straight paths: the certificate against the exact decision.
static void convex_elements(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_pair_test rough = toc_pair_test_default(), exact = rough;
    rough.exact = false;
    exact.method = TOC_METHOD_EXACT;
    int contacts = 0;
    for (int n = 0; n < 60; n++) {
        const double middle[3] = {1, 0.25 * (n % 4), 0.25}, shift[3] = {1e5 * (n % 2), 0, 0};
        const test_style style = n % 2 ? TEST_UNIFORM : TEST_GRID;
        test_hull a, b;
        test_hull_random(&random, style, 4, nowhere, &a);
        test_hull_random(&random, style, 3 + n % 3, middle, &b);
        test_hull_change(&a, shift, 1);
        test_hull_change(&b, shift, 1);
        const toc_hull first = n % 3 == 0 ? test_hull_straight(&a) : test_hull_bent(&a);
        const toc_hull second = n % 3 == 1 ? test_hull_straight(&b) : test_hull_bent(&b);
        toc_convex_hit guess, want;
        assert_ok(toc_convex_find(&first, &second, &rough, &guess));
        assert_ok(toc_convex_find(&first, &second, &exact, &want));
        if (want.verdict == TOC_HIT) {
            assert_int_not_equal(guess.verdict, TOC_APART);
            assert_true(guess.toc <= want.toc);
            contacts++;
        }
        if (guess.verdict == TOC_HIT) assert_int_equal(want.verdict, TOC_HIT);
    }
    assert_in_range(contacts, 10, 59);
}

// Two edges approach an end of each other's until the last instant. A search for the nearest points rounds to 0 before
// that, although its own bound proves a gap.
static void a_rounded_distance_of_zero_is_no_contact(void **state) {
    (void)state;
    const double near = 0x1.000008p-10, size = 0x1p-10;
    const double acceleration[4][3] = {
        {0x1.8p-30, -0x1.4p-29, 0x1.8p-29}, {0}, {0, 0x1.cp-29, -0x1p-28}, {0x1p-31, 0, 0}};
    toc_quadratic_pair pair = {
        .x0 = {{near, size, size}, {0, size, 0}, {size, near, size}, {near, near, size}},
        .x1 = {{near, -0x1.8p-31, size}, {size, size, 0}, {0, size, size}, {near, -0x1.8p-31, size}}};
    toc_path_find_control(4, pair.x0[0], pair.x1[0], acceleration[0], pair.control[0]);
    toc_pair_test test = toc_pair_test_default();
    assert_double_near(find(TOC_EE, &pair, &test).toc, 1, 1e-9);
    test.to = 1 - 1e-9;
    assert_int_equal(find(TOC_EE, &pair, &test).verdict, TOC_APART);
}

static void refuses_what_makes_no_sense(void **state) {
    (void)state;
    toc_quadratic_pair pair = make_throw(1);
    const toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    assert_fails(toc_quadratic_find((toc_kind)2, &pair, &test, &hit), TOC_BAD_INPUT, "kind");
    pair.control[2][0] = INFINITY;
    assert_fails(toc_quadratic_find(TOC_VF, &pair, &test, &hit), TOC_BAD_INPUT, "not finite");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thrown_through_a_face_and_back),
        cmocka_unit_test(grazes_at_the_top),
        cmocka_unit_test(edge_thrown_over_an_edge),
        cmocka_unit_test(part_of_the_step),
        cmocka_unit_test(separation_comes_earlier),
        cmocka_unit_test(control_points_from_accelerations),
        cmocka_unit_test(straight_parabolas),
        cmocka_unit_test(certificate_against_exact_roots),
        cmocka_unit_test(weights_sum_to_one),
        cmocka_unit_test(against_rational_numbers),
        cmocka_unit_test(exact_roots_against_samples),
        cmocka_unit_test(convex_elements),
        cmocka_unit_test(a_rounded_distance_of_zero_is_no_contact),
        cmocka_unit_test(refuses_what_makes_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
