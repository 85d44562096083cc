// SPDX-License-Identifier: Apache-2.0
// Additive advancement.
#include "support/queries.h"
#include "toccata/research.h"

static void falling_resting_arriving_passing(void **state) {
    (void)state;
    test_method_basics(TOC_METHOD_ADDITIVE);
}

static void no_contact_was_seen_missed(void **state) {
    (void)state;
    const test_score score = test_score_random(TOC_METHOD_ADDITIVE, TEST_FAMILIES, 800);
    assert_int_equal(score.missed, 0);
    assert_in_range(score.undecided, 0, score.queries / 20);
}

static void no_published_contact_was_seen_missed(void **state) {
    (void)state;
    test_need_data(TEST_PUBLISHED);
    assert_int_equal(test_score_published(TOC_METHOD_ADDITIVE, 1).missed, 0);
}

// The motion both features share is no reason to go slowly: a fast common flight is one step.
static void common_motion_is_taken_out(void **state) {
    (void)state;
    const test_query flies = {TOC_EE,
                              {{{-1, 0, 1e-4}, {1, 0, 1e-4}, {0, -1, 0}, {0, 1, 0}},
                               {{-1, 1e6, 1e-4}, {1, 1e6, 1e-4}, {0, 1e6 - 1, 0}, {0, 1e6 + 1, 0}}}};
    assert_int_equal(test_ask(&flies, TOC_METHOD_ADDITIVE, 0, 1).verdict, TOC_APART);
}

static void running_out_of_rounds_is_undecided(void **state) {
    (void)state;
    const test_query slides = {
        TOC_VF,
        {{{0, 0, 1e-5}, {-9, -9, 0}, {9, -9, 0}, {0, 9, 0}}, {{1, 0, -1e-5}, {-9, -9, 0}, {9, -9, 0}, {0, 9, 0}}}};
    assert_int_equal(test_ask(&slides, TOC_METHOD_ADDITIVE, 0, 1).verdict, TOC_UNDECIDED);
}

static void huge_coordinates_are_not_apart(void **state) {
    (void)state;
    assert_never_apart_when_huge(TOC_METHOD_ADDITIVE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_resting_arriving_passing),     cmocka_unit_test(no_contact_was_seen_missed),
        cmocka_unit_test(no_published_contact_was_seen_missed), cmocka_unit_test(common_motion_is_taken_out),
        cmocka_unit_test(running_out_of_rounds_is_undecided),   cmocka_unit_test(huge_coordinates_are_not_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
