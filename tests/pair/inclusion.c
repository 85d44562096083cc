// SPDX-License-Identifier: Apache-2.0
// Interval root finding.
#include <string.h>

#include "pair/pair.h"
#include "support/queries.h"
#include "toccata/research.h"

static void falling_resting_arriving_passing(void **state) {
    (void)state;
    test_method_basics(TOC_METHOD_INCLUSION);
}

static void no_contact_is_missed_and_none_is_late(void **state) {
    (void)state;
    const test_score score = test_score_random(TOC_METHOD_INCLUSION, TEST_PLANAR, 200);
    assert_true(score.hits > 200);
    assert_int_equal(score.missed, 0);
    assert_int_equal(score.late, 0);
    assert_in_range(score.undecided, 0, score.queries / 50);
}

// Features that move in one plane touch in a whole region of (t, u, v): level by level the limit comes before the
// tolerance. The time must not be late then either, and pairs that do not touch must still be apart.
static void contacts_that_fill_a_region(void **state) {
    (void)state;
    const test_score score = test_score_random(TOC_METHOD_INCLUSION, TEST_FAMILIES, test_less(6, 2));
    assert_true(score.undecided > 0);
    assert_int_equal(score.missed, 0);
    assert_int_equal(score.late, 0);
    assert_in_range(score.false_alarms, 0, score.queries / 50);
}

static void no_published_contact_is_missed(void **state) {
    (void)state;
    test_need_data(TEST_PUBLISHED);
    assert_int_equal(test_score_published(TOC_METHOD_INCLUSION, test_less(8, 32)).missed, 0);
}

// The face tilts over as the vertex flies across: through it at a quarter, and back at three quarters.
static void the_earliest_of_several_contacts(void **state) {
    (void)state;
    const test_query swings = {
        TOC_VF,
        {{{-1, 0, 0.25}, {-4, -4, 4}, {4, -4, -4}, {0, 4, 0}}, {{1, 0, 0.25}, {-4, -4, -4}, {4, -4, 4}, {0, 4, 0}}}};
    const toc_hit hit = test_ask(&swings, TOC_METHOD_INCLUSION, 0, 1),
                  again = test_ask(&swings, TOC_METHOD_INCLUSION, 0.5, 1);
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_double_near(hit.toc, 0.25, 1e-6);
    assert_true(hit.toc <= 0.25);
    assert_double_near(again.toc, 0.75, 1e-6);
}

static toc_status ask_with(const toc_allocator *allocator, void *user) {
    const test_query *q = user;
    toc_pair_test test = toc_pair_test_default();
    test.method = TOC_METHOD_INCLUSION;
    toc_arena scratch = toc_arena_make(allocator);
    toc_hit hit;
    memset(&hit, 0, sizeof hit);
    const toc_status status = toc_inclusion_pair(q->kind, (const double(*)[3])q->pair.x0,
                                                 (const double(*)[3])q->pair.x1, &test, &scratch, &hit);
    toc_arena_free(&scratch);
    return status;
}

// Edges that slide along one line have contacts in a whole region of (u, v): the queue must grow.
static void running_out_of_memory(void **state) {
    (void)state;
    test_query slides = {
        TOC_EE,
        {{{-3, 0.125, 0}, {-2, 0.125, 0}, {0, 0, 0}, {1, 0, 0}}, {{1, 0.125, 0}, {2, 0.125, 0}, {0, 0, 0}, {1, 0, 0}}}};
    assert_true(test_every_allocation(ask_with, &slides) > 0);
}

static void huge_coordinates_are_not_apart(void **state) {
    (void)state;
    for (double s = 1e150; s < 1.7e308 / 10; s *= 1e30) {
        const test_query falls = {TOC_VF,
                                  {{{s, s, s}, {-s, -s, 0}, {4 * s, 0, 0}, {0, 4 * s, 0}},
                                   {{s, s, -s}, {-s, -s, 0}, {4 * s, 0, 0}, {0, 4 * s, 0}}}};
        assert_int_not_equal(test_ask(&falls, TOC_METHOD_INCLUSION, 0, 1).verdict, TOC_APART);
    }
}

// Edges that are almost parallel and almost touch keep a whole band of boxes alive: the limit must end it, whichever
// box it falls on.
static void the_limit_of_boxes_is_undecided(void **state) {
    (void)state;
    test_random random = {99};
    int undecided = 0;
    for (int i = 0; i < 4; i++) {
        const test_query q = test_query_make(&random, TEST_PARALLEL);
        undecided += test_ask(&q, TOC_METHOD_INCLUSION, 0, 1).verdict == TOC_UNDECIDED;
    }
    assert_true(undecided > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_resting_arriving_passing),
        cmocka_unit_test(no_contact_is_missed_and_none_is_late),
        cmocka_unit_test(contacts_that_fill_a_region),
        cmocka_unit_test(no_published_contact_is_missed),
        cmocka_unit_test(the_earliest_of_several_contacts),
        cmocka_unit_test(the_limit_of_boxes_is_undecided),
        cmocka_unit_test(running_out_of_memory),
        cmocka_unit_test(huge_coordinates_are_not_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
