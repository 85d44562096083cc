// SPDX-License-Identifier: Apache-2.0
// The exact decision with a separation: touching is being exactly as close as that, or closer.
#include <math.h>
#include <string.h>

#include "pair/distance.h"
#include "pair/pair.h"
#include "support/queries.h"
#include "toccata/research.h"

#define FLOOR \
    {0, 0, 0}, {4, 0, 0}, { 0, 4, 0 }

static toc_hit ask(const test_query *q, toc_method method, double separation, double from, double to) {
    toc_pair_test test = toc_pair_test_default();
    test.method = method, test.separation = separation;
    test.from = from, test.to = to;
    toc_hit hit;
    assert_ok(toc_pair_find(q->kind, &q->pair, &test, &hit));
    return hit;
}

// In integers alone, without a look ahead.
static toc_hit ask_integers(const test_query *q, double separation, double from, double to) {
    toc_pair_test test = toc_pair_test_default();
    test.separation = separation, test.from = from, test.to = to;
    toc_arena scratch = toc_arena_make(NULL);
    toc_hit hit;
    assert_ok(toc_integer_pair(q->kind, q->pair.x0, q->pair.x1, &test, &scratch, &hit));
    toc_arena_free(&scratch);
    return hit;
}

// With the separation it is touching at that time, and with the next double below it is apart.
static void assert_reaches(const test_query *q, double separation, double time) {
    const toc_hit hit = ask(q, TOC_METHOD_EXACT, separation, 0, 1), alone = ask_integers(q, separation, 0, 1);
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_int_equal(alone.verdict, TOC_HIT);
    assert_true(hit.toc <= time && alone.toc <= time);
    assert_double_near(hit.toc, time, 1e-9);
    assert_double_near(alone.toc, time, 1e-15);
    assert_int_equal(ask(q, TOC_METHOD_EXACT, nextafter(separation, 0), 0, 1).verdict, TOC_APART);
    assert_int_equal(ask(q, TOC_METHOD_CERTIFIED, nextafter(separation, 0), 0, 1).verdict, TOC_APART);
    assert_int_equal(ask(q, TOC_METHOD_CERTIFIED, separation, 0, 1).verdict, TOC_HIT);
}

static void a_vertex_that_stops_above_a_face(void **state) {
    (void)state;
    assert_reaches(&(test_query){TOC_VF, {{{1, 1, 3}, FLOOR}, {{1, 1, 0.5}, FLOOR}}}, 0.5, 1);
}

// Beside by 3 and above by 4 it is 5 away.
static void a_vertex_that_stops_beside_an_edge(void **state) {
    (void)state;
    assert_reaches(&(test_query){TOC_VF, {{{2, -6, 8}, FLOOR}, {{2, -3, 4}, FLOOR}}}, 5, 1);
}

static void a_vertex_that_stops_before_a_corner(void **state) {
    (void)state;
    assert_reaches(&(test_query){TOC_VF, {{{-4, -8, 4}, FLOOR}, {{-1, -2, 2}, FLOOR}}}, 3, 1);
}

static void edges_that_cross_above_each_other(void **state) {
    (void)state;
    const test_query q = {
        TOC_EE, {{{-1, 0, 2}, {1, 0, 2}, {0, -1, 0}, {0, 1, 0}}, {{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}}}};
    assert_reaches(&q, 1, 1);
}

// Parallel edges span no plane: their ends are nearest.
static void parallel_edges(void **state) {
    (void)state;
    const test_query q = {TOC_EE,
                          {{{0, 6, 8}, {2, 6, 8}, {1, 0, 0}, {3, 0, 0}}, {{0, 3, 4}, {2, 3, 4}, {1, 0, 0}, {3, 0, 0}}}};
    assert_reaches(&q, 5, 1);
}

// A face and an edge without extent are the points they are at.
static void features_that_are_points(void **state) {
    (void)state;
    const test_query face = {
        TOC_VF, {{{6, 8, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {{3, 4, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}};
    const test_query edge = {
        TOC_EE, {{{6, 8, 0}, {6, 8, 0}, {0, 0, 0}, {0, 0, 0}}, {{3, 4, 0}, {3, 4, 0}, {0, 0, 0}, {0, 0, 0}}}};
    assert_reaches(&face, 5, 1);
    assert_reaches(&edge, 5, 1);
}

// The distance to the plane is the separation all the time, so that its polynomial is zero: contact begins where the
// vertex comes over the edge.
static void sliding_in_at_exactly_the_distance(void **state) {
    (void)state;
    assert_reaches(&(test_query){TOC_VF, {{{-1, 1, 2}, FLOOR}, {{3, 1, 2}, FLOOR}}}, 2, 0.25);
}

// Within the distance at the start, and again from 0.75 on.
static void parts_of_a_step(void **state) {
    (void)state;
    const test_query swings = {
        TOC_VF, {{{1, 1, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, -7}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}}};
    assert_double_same(ask_integers(&swings, 1, 0, 1).toc, 0);
    assert_double_same(ask_integers(&swings, 0.5, 0, 1).toc, 0.0625);
    assert_double_same(ask_integers(&swings, 1, 0.125, 1).toc, 0.125);
    assert_int_equal(ask_integers(&swings, 1, 0.25, 1).verdict, TOC_HIT);
    assert_int_equal(ask_integers(&swings, 1, nextafter(0.25, 1), 1).verdict, TOC_APART);
}

static double distance_at(const test_query *q, double t) {
    toc_vec x[4];
    for (int i = 0; i < 4; i++) x[i] = toc_vec_mix(toc_vec_of(q->pair.x0[i]), toc_vec_of(q->pair.x1[i]), t);
    return q->kind == TOC_VF ? toc_closest_vf(x).distance : toc_closest_ee(x).distance;
}

// Separations that are distances of the pair at some time, integers where the corners are integers, so that equality
// decides often. The certified test must agree, and distances at many times must not contradict.
static void check_random(test_random *random, int family, int *decided, int *exact) {
    const test_query q = test_query_make(random, family);
    double separation = distance_at(&q, test_random_between(random, 0, 1));
    if (family == TEST_GRID) separation = 1 + (double)test_random_below(random, 2);
    if (separation == 0) return;
    toc_pair_test test = toc_pair_test_default();
    test.exact = false, test.separation = separation;
    toc_hit certified;
    assert_ok(toc_pair_find(q.kind, &q.pair, &test, &certified));
    const toc_hit truth = ask_integers(&q, separation, 0, 1), asked = ask(&q, TOC_METHOD_CERTIFIED, separation, 0, 1);
    assert_int_equal(asked.verdict, truth.verdict);
    *(certified.verdict == TOC_UNDECIDED ? exact : decided) += 1;
    if (certified.verdict != TOC_UNDECIDED) assert_int_equal(certified.verdict, truth.verdict);
    if (truth.verdict == TOC_HIT) {
        assert_true(asked.toc <= truth.toc * (1 + 0x1p-50));
        assert_double_near(asked.toc, truth.toc, 1e-9);
        if (family < TEST_TINY)
            assert_double_near(distance_at(&q, truth.toc), fmin(separation, distance_at(&q, 0)), 1e-9);
    }
    const double end = truth.verdict == TOC_HIT ? truth.toc : 1;
    for (int i = 0; i <= 16 && family < TEST_TINY; i++)
        assert_true(distance_at(&q, i / 16.0 * end) > separation - 1e-9 || end == 0);
}

static void questions_of_every_family(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int decided = 0, exact = 0;
    for (int i = 0; i < 40; i++)
        for (int family = 0; family < TEST_ALL_FAMILIES; family++) check_random(&random, family, &decided, &exact);
    assert_true(decided > 200);
    assert_true(exact > 20);
}

// Both the certified test and exact arithmetic may be early by 1e-9 of the time, as the first answers for the second
// where it can; local advancement stops within its tolerance. None is late.
static void times_of_all_methods(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int hits = 0;
    for (int i = 0; i < 1400; i++) {
        const test_query q = test_query_make(&random, i % TEST_TINY);
        const double separation = test_random_between(&random, 0.001, 0.1);
        const toc_hit truth = ask_integers(&q, separation, 0, 1);
        if (truth.verdict != TOC_HIT) continue;
        const toc_hit certified = ask(&q, TOC_METHOD_CERTIFIED, separation, 0, 1);
        const toc_hit exact = ask(&q, TOC_METHOD_EXACT, separation, 0, 1);
        const toc_hit local = ask(&q, TOC_METHOD_CA_TRIANGLE, separation, 0, 1);
        assert_true(certified.toc <= truth.toc && certified.toc >= truth.toc * (1 - 1e-9));
        assert_true(exact.toc <= truth.toc && exact.toc >= truth.toc * (1 - 1e-9));
        assert_true(local.toc <= truth.toc);
        hits++;
    }
    assert_true(hits > 100);
}

static toc_status ask_with(const toc_allocator *allocator, void *user) {
    const test_query *q = user;
    toc_pair_test test = toc_pair_test_default();
    test.separation = 0.3;
    toc_arena scratch = toc_arena_make(allocator);
    toc_hit hit;
    const toc_status status = toc_integer_pair(q->kind, q->pair.x0, q->pair.x1, &test, &scratch, &hit);
    toc_arena_free(&scratch);
    return status;
}

static void running_out_of_memory(void **state) {
    (void)state;
    test_query q = {TOC_EE,
                    {{{0.1, 1.3, 0.9}, {3, 1e-3, 0.7}, {-1.5, 0, 0.1}, {0.3, 4, 1e-2}},
                     {{0.2, 0.7, -1.1}, {0, 0.1, 0.2}, {1.1, 0, 0.3}, {0.7, 1e-3, 0.1}}}};
    assert_true(test_every_allocation(ask_with, &q) > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vertex_that_stops_above_a_face),
        cmocka_unit_test(a_vertex_that_stops_beside_an_edge),
        cmocka_unit_test(a_vertex_that_stops_before_a_corner),
        cmocka_unit_test(edges_that_cross_above_each_other),
        cmocka_unit_test(parallel_edges),
        cmocka_unit_test(features_that_are_points),
        cmocka_unit_test(sliding_in_at_exactly_the_distance),
        cmocka_unit_test(parts_of_a_step),
        cmocka_unit_test(questions_of_every_family),
        cmocka_unit_test(times_of_all_methods),
        cmocka_unit_test(running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
