// SPDX-License-Identifier: Apache-2.0
// The coplanarity cubic: its right answers, and its known errors.
#include "support/queries.h"

static void falling_resting_arriving_passing(void **state) {
    (void)state;
    test_method_basics(TOC_METHOD_CUBIC);
}

static void transversal_contacts_are_found(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int hits = 0;
    for (int i = 0; i < 4000; i++) {
        const test_query q = test_query_make(&random, TEST_UNIFORM);
        const toc_hit truth = test_ask(&q, TOC_METHOD_EXACT, 0, 1), hit = test_ask(&q, TOC_METHOD_CUBIC, 0, 1);
        if (truth.verdict == TOC_APART) continue;
        hits++;
        assert_int_equal(hit.verdict, TOC_HIT);
        assert_double_near(hit.toc, truth.toc, 1e-9);
    }
    assert_true(hits > 100);
}

// The face tilts over as the vertex flies across: the face is too small for the first meeting with its plane.
static void the_root_inside_the_face(void **state) {
    (void)state;
    const test_query swings = {
        TOC_VF, {{{-1, 0, 0.25}, {0, -4, 0}, {4, 0, -4}, {0, 4, 0}}, {{1, 0, 0.25}, {0, -4, 0}, {4, 0, 4}, {0, 4, 0}}}};
    const toc_hit hit = test_ask(&swings, TOC_METHOD_CUBIC, 0, 1);
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_double_near(hit.toc, 0.75, 1e-12);
    assert_double_near(test_ask(&swings, TOC_METHOD_EXACT, 0, 1).toc, 0.75, 1e-12);
}

static toc_verdict verdict_of(const test_query *q, bool exact) {
    toc_pair_test test = toc_pair_test_default();
    toc_hit hit = {.verdict = TOC_UNDECIDED};
    test.method = TOC_METHOD_CUBIC;
    test.exact = exact;
    assert_ok(toc_pair_find(q->kind, &q->pair, &test, &hit));
    return hit.verdict;
}

// A volume that stays zero is no cubic. The published method sees such a contact at the ends of the step only.
static void motion_in_one_plane_is_missed_without_exact_arithmetic(void **state) {
    (void)state;
    const test_query slides = {
        TOC_VF, {{{-4, 1, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{4, 1, 0}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}}};
    test_query arrives = slides, leaves = slides;
    arrives.pair.x1[0][0] = 1, leaves.pair.x0[0][0] = 1;
    assert_int_equal(verdict_of(&slides, true), TOC_HIT);
    assert_int_equal(verdict_of(&slides, false), TOC_APART);
    assert_int_equal(verdict_of(&arrives, false), TOC_HIT);
    assert_int_equal(verdict_of(&leaves, false), TOC_HIT);
}

// As published, every pair is apart or touches: nothing is left to exact arithmetic.
static void alone_it_decides_every_pair(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int hits = 0;
    for (int i = 0; i < test_less(20000, 4000); i++) {
        const test_query q = test_query_make(&random, i % TEST_TINY);
        const toc_verdict verdict = verdict_of(&q, false);
        assert_int_not_equal(verdict, TOC_UNDECIDED);
        hits += verdict == TOC_HIT;
    }
    assert_true(hits > 100);
}

// Within the separation at the start, at the end, or when coplanar; not in between, which the method cannot see.
static void separation_counts_at_both_ends_and_when_coplanar(void **state) {
    (void)state;
    const toc_pair pair = {{{1, 1, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, -1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
    toc_pair_test test = toc_pair_test_default();
    test.method = TOC_METHOD_CUBIC;
    test.separation = 0.1;
    test.tolerance = 1e-12; // the method alone
    toc_hit hit;
    assert_ok(toc_pair_find(TOC_VF, &pair, &test, &hit));
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_double_near(hit.toc, 0.5, 1e-9);
    toc_pair near = pair;
    near.x0[0][2] = 0.05, near.x1[0][2] = 1;
    assert_ok(toc_pair_find(TOC_VF, &near, &test, &hit));
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_true(hit.toc <= 0);
    near.x0[0][2] = 1, near.x1[0][2] = 0.05;
    assert_ok(toc_pair_find(TOC_VF, &near, &test, &hit));
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_true(hit.toc >= 1);
    near.x1[0][2] = 0.5;
    assert_ok(toc_pair_find(TOC_VF, &near, &test, &hit));
    assert_int_equal(hit.verdict, TOC_APART);
}

static void huge_coordinates_are_not_apart(void **state) {
    (void)state;
    assert_never_apart_when_huge(TOC_METHOD_CUBIC);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_resting_arriving_passing),
        cmocka_unit_test(transversal_contacts_are_found),
        cmocka_unit_test(the_root_inside_the_face),
        cmocka_unit_test(motion_in_one_plane_is_missed_without_exact_arithmetic),
        cmocka_unit_test(alone_it_decides_every_pair),
        cmocka_unit_test(separation_counts_at_both_ends_and_when_coplanar),
        cmocka_unit_test(huge_coordinates_are_not_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
