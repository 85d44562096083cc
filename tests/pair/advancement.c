// SPDX-License-Identifier: Apache-2.0
// Conservative advancement, by the largest speed (ca-feature), along the closest direction (ca-triangle) and after
// culling.
#include "pair/advancement.h"

#include "support/queries.h"
#include "toccata/research.h"

static const toc_method METHODS[] = {TOC_METHOD_CA_FEATURE, TOC_METHOD_CA_TRIANGLE, TOC_METHOD_CULLING};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

static void falling_resting_arriving_passing(void **state) {
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) test_method_basics(METHODS[i]);
}

static void no_contact_is_missed_and_none_is_late(void **state) {
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        const test_score score = test_score_random(METHODS[i], TEST_FAMILIES, 800);
        assert_true(score.hits > 1000);
        assert_int_equal(score.missed, 0);
        assert_int_equal(score.late, 0);
        assert_in_range(score.undecided, 0, score.queries / 20);
        assert_in_range(score.false_alarms, 0, score.queries / 100);
    }
}

// Nearly parallel, sliding, sharing corners, turning, and all of it tiny or huge: much stays undecided, nothing is
// lost.
static void no_contact_of_the_hardest_is_missed(void **state) {
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        const test_score score = test_score_random(METHODS[i], TEST_ALL_FAMILIES, 100);
        assert_int_equal(score.missed, 0);
        assert_int_equal(score.late, 0);
    }
}

static void no_published_contact_is_missed(void **state) {
    (void)state;
    test_need_data(TEST_PUBLISHED);
    for (int i = 0; i < METHOD_COUNT; i++) {
        const test_score score = test_score_published(METHODS[i], 1);
        assert_int_equal(score.queries, 2824);
        assert_int_equal(score.missed, 0);
    }
}

static toc_hit ask_apart_by(toc_method method, double separation, double height) {
    const toc_pair pair = {{{1, 1, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                           {{1, 1, height}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
    toc_pair_test test = toc_pair_test_default();
    test.method = method;
    test.separation = separation;
    toc_hit hit;
    assert_ok(toc_pair_find(TOC_VF, &pair, &test, &hit));
    return hit;
}

// With a separation, touching is being that close: halfway down to 0 at a quarter, and never when it stops above.
static void separation_is_where_contact_begins(void **state) {
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        const toc_hit hit = ask_apart_by(METHODS[i], 0.75, 0);
        assert_int_equal(hit.verdict, TOC_HIT);
        assert_double_near(hit.toc, 0.25, 1e-5);
        assert_int_equal(ask_apart_by(METHODS[i], 0.4, 0.5).verdict, TOC_APART);
        assert_int_equal(ask_apart_by(METHODS[i], 0.5, 0.5).verdict, TOC_HIT);
        assert_double_same(ask_apart_by(METHODS[i], 1.5, 0.5).toc, 0);
    }
}

// A vertex sliding close over a face: thousands of rounds at the largest speed, which must not end as "apart".
static void running_out_of_rounds_is_undecided(void **state) {
    (void)state;
    const test_query slides = {
        TOC_VF,
        {{{0, 0, 1e-5}, {-9, -9, 0}, {9, -9, 0}, {0, 9, 0}}, {{1, 0, -1e-5}, {-9, -9, 0}, {9, -9, 0}, {0, 9, 0}}}};
    const toc_hit hit = test_ask(&slides, TOC_METHOD_CA_FEATURE, 0, 1);
    assert_int_equal(hit.verdict, TOC_UNDECIDED);
    assert_true(hit.toc <= 0.5);
    assert_int_equal(test_ask(&slides, TOC_METHOD_CA_TRIANGLE, 0, 1).verdict, TOC_HIT);
}

// Coordinates whose squares, or differences, overflow: any answer but "apart" is right for these pairs, which touch.
static void huge_coordinates_are_not_apart(void **state) {
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++)
        for (double s = 1; s < 1.7e308 / 10; s *= 1e11) {
            const test_query falls = {TOC_VF,
                                      {{{s, s, s}, {0, 0, 0}, {4 * s, 0, 0}, {0, 4 * s, 0}},
                                       {{s, s, -s}, {0, 0, 0}, {4 * s, 0, 0}, {0, 4 * s, 0}}}};
            assert_int_not_equal(test_ask(&falls, METHODS[i], 0, 1).verdict, TOC_APART);
        }
}

static void tiny_coordinates_are_undecided(void **state) {
    (void)state;
    const double s = 1e-300;
    const test_query falls = {
        TOC_VF,
        {{{s, s, s}, {0, 0, 0}, {4 * s, 0, 0}, {0, 4 * s, 0}}, {{s, s, s}, {0, 0, 0}, {4 * s, 0, 0}, {0, 4 * s, 0}}}};
    for (int i = 0; i < METHOD_COUNT; i++) assert_double_same(test_ask(&falls, METHODS[i], 0, 1).toc, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_resting_arriving_passing),    cmocka_unit_test(no_contact_is_missed_and_none_is_late),
        cmocka_unit_test(no_contact_of_the_hardest_is_missed), cmocka_unit_test(no_published_contact_is_missed),
        cmocka_unit_test(separation_is_where_contact_begins),  cmocka_unit_test(running_out_of_rounds_is_undecided),
        cmocka_unit_test(huge_coordinates_are_not_apart),      cmocka_unit_test(tiny_coordinates_are_undecided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
