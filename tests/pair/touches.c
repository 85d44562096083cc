// SPDX-License-Identifier: Apache-2.0
// All times at which two features touch, against rational numbers and against sampled distances.
#include <gmp.h>
#include <math.h>
#include <string.h>

#include "support/answers.h"
#include "support/oracle.h"
#include "support/queries.h"

static int compare_double(double a, const mpq_t b) {
    mpq_t exact;
    mpq_init(exact);
    mpq_set_d(exact, a);
    const int sign = mpq_cmp(exact, b);
    mpq_clear(exact);
    return sign;
}

// The first time in [from, 1] must lie in the touch; without one there must be none.
static void assert_first_from(const test_query *q, double from, const toc_touch *touch) {
    test_truth truth;
    test_truth_init(&truth);
    test_oracle_find(q->kind, &q->pair, from, 1, &truth);
    assert_int_equal(truth.touches, touch != NULL);
    if (touch) {
        assert_true(compare_double(touch->enter, truth.upper) <= 0);
        assert_true(touch->enter == 1 || compare_double(nextafter(touch->enter, 2), truth.lower) >= 0);
    }
    test_truth_clear(&truth);
}

static bool touches_then(const test_query *q, double time) {
    test_truth truth;
    test_truth_init(&truth);
    test_oracle_find(q->kind, &q->pair, time, time, &truth);
    const bool result = truth.touches;
    test_truth_clear(&truth);
    return result;
}

static size_t assert_touches(const test_query *q) {
    toc_touches found;
    double from = 0;
    assert_ok(toc_pair_find_touches(q->kind, &q->pair, 0, &found));
    for (size_t i = 0; i < found.count; i++) {
        const toc_touch *touch = &found.at[i];
        assert_true(from <= 1 && 0 <= touch->enter && touch->enter <= touch->leave && touch->leave <= 1);
        assert_first_from(q, from, touch);
        if (touch->is_instant)
            assert_true(touch->leave <= nextafter(touch->enter, 2));
        else
            for (int k = 1; k < 8; k++)
                assert_true(touches_then(q, touch->enter + (touch->leave - touch->enter) * k / 8));
        from = nextafter(touch->leave, 2);
    }
    if (from <= 1) assert_first_from(q, from, NULL);
    return found.count;
}

static void every_family(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t counts[4] = {0};
    for (int family = 0; family < TEST_ALL_FAMILIES; family++)
        for (int round = 0; round < test_less(40, 6); round++) {
            const test_query q = test_query_make(&random, family);
            const size_t count = assert_touches(&q);
            counts[count < 3 ? count : 3]++;
        }
    assert_true(counts[0] > 0 && counts[1] > 0);
    print_message("touches a pair: none %zu, one %zu, two %zu, more %zu\n", counts[0], counts[1], counts[2], counts[3]);
}

// Small whole numbers: flat motion, resting features, touching along stretches, double roots.
static void small_numbers(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t several = 0, stretches = 0;
    for (int round = 0; round < test_less(1500, 150); round++) {
        test_query q = {.kind = round % 2 ? TOC_EE : TOC_VF};
        const int levels = round % 3 + 1;
        for (int i = 0; i < 12; i++) {
            q.pair.x0[i / 3][i % 3] = (int)test_random_below(&random, 5) - 2;
            q.pair.x1[i / 3][i % 3] = (int)test_random_below(&random, 5) - 2;
            if (i % 3 == 2 && levels == 1) q.pair.x0[i / 3][2] = q.pair.x1[i / 3][2] = 1;
        }
        several += assert_touches(&q) > 1;
        toc_touches found;
        assert_ok(toc_pair_find_touches(q.kind, &q.pair, 0, &found));
        for (size_t i = 0; i < found.count; i++) stretches += !found.at[i].is_instant;
    }
    assert_true(several > test_less(20, 2) && stretches > test_less(50, 5));
}

// A vertex in the plane of a face slides across it.
static void sliding_across_a_face(void **state) {
    (void)state;
    const toc_pair pair = {{{-1, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                           {{2, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    toc_touches found;
    assert_ok(toc_pair_find_touches(TOC_VF, &pair, 0, &found));
    assert_int_equal(found.count, 1);
    assert_false(found.at[0].is_instant);
    assert_double_near(found.at[0].enter, 1. / 3, 1e-15);
    assert_double_near(found.at[0].leave, 1.75 / 3, 1e-15);
    assert_true(found.at[0].enter <= 1. / 3 && found.at[0].leave >= 1.75 / 3);
}

static toc_quadratic_pair thrown(double control) {
    toc_quadratic_pair pair = {{{0.2, 0.2, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                               {{0.2, 0.2, control}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                               {{0.2, 0.2, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    return pair;
}

// Down through a face and up again; down to the face exactly; not as far.
static void a_vertex_that_comes_back(void **state) {
    (void)state;
    toc_touches found;
    toc_quadratic_pair pair = thrown(-3);
    assert_ok(toc_quadratic_find_touches(TOC_VF, &pair, &found));
    assert_int_equal(found.count, 2);
    assert_double_near(found.at[0].enter, (2 - sqrt(2)) / 4, 1e-15);
    assert_double_near(found.at[1].enter, (2 + sqrt(2)) / 4, 1e-15);
    pair = thrown(-1);
    assert_ok(toc_quadratic_find_touches(TOC_VF, &pair, &found));
    assert_int_equal(found.count, 1);
    assert_true(found.at[0].is_instant && found.at[0].enter == 0.5 && found.at[0].leave == 0.5);
    pair = thrown(nextafter(-1, 0));
    assert_ok(toc_quadratic_find_touches(TOC_VF, &pair, &found));
    assert_int_equal(found.count, 0);
    pair = thrown(nextafter(-1, -2)); // two roots 2^-26 apart
    assert_ok(toc_quadratic_find_touches(TOC_VF, &pair, &found));
    assert_int_equal(found.count, 2);
    assert_true(found.at[0].leave < found.at[1].enter);
}

static void resting_on_each_other(void **state) {
    (void)state;
    const toc_pair pair = {{{0.2, 0.2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                           {{0.2, 0.2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    toc_touches found;
    assert_ok(toc_pair_find_touches(TOC_VF, &pair, 0, &found));
    assert_true(found.count == 1 && found.at[0].enter == 0 && found.at[0].leave == 1 && !found.at[0].is_instant);
}

// ---- within a separation

static double distance_at(const test_query *q, double time) {
    toc_pair at = q->pair;
    toc_distance found;
    toc_positions_interpolate(time, 12, q->pair.x0[0], q->pair.x1[0], at.x0[0]);
    assert_ok(toc_distance_find(q->kind, at.x0[0], &found));
    return found.distance;
}

static bool is_listed(const toc_touches *found, double time) {
    for (size_t i = 0; i < found->count; i++)
        if (found->at[i].enter <= time && time <= found->at[i].leave) return true;
    return false;
}

static void assert_sampled(const test_query *q, double separation, const toc_touches *found, double slack) {
    for (int i = 0; i <= 64; i++) {
        const double distance = distance_at(q, i / 64.);
        if (distance < separation - slack) assert_true(is_listed(found, i / 64.));
        if (distance > separation + slack) assert_false(is_listed(found, i / 64.));
    }
    toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    test.method = TOC_METHOD_EXACT;
    test.separation = separation;
    assert_ok(toc_pair_find(q->kind, &q->pair, &test, &hit));
    assert_int_equal(hit.verdict == TOC_HIT, found->count > 0);
    if (found->count) assert_double_near(hit.toc, found->at[0].enter, 1e-8 * found->at[0].enter);
    for (size_t i = 0; i + 1 < found->count; i++) assert_true(found->at[i].leave <= found->at[i + 1].enter);
}

static void within_a_separation(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t several = 0;
    for (int family = 0; family < TEST_TINY; family++)
        for (int round = 0; round < test_less(25, 3); round++) {
            const test_query q = test_query_make(&random, family);
            double extent = 0;
            for (int i = 0; i < 12; i++) extent = fmax(extent, fabs(q.pair.x0[i / 3][i % 3] - q.pair.x0[0][i % 3]));
            const double separation = extent * pow(2, test_random_between(&random, -12, 0));
            toc_touches found;
            assert_ok(toc_pair_find_touches(q.kind, &q.pair, separation, &found));
            assert_sampled(&q, separation, &found, 0x1p-30 * extent);
            several += found.count > 1;
        }
    print_message("%zu pairs come near more than once\n", several);
}

// ---- scenes

static void touches_of_the_contacts_of_a_scene(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *bodies = test_scene_of_soups(&random, TOC_TRIANGLE, 12, 30, 0.3);
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    enum { MOST = 4096 };
    static toc_touches one[MOST], same[MOST];
    for (int round = 0; round < 2; round++) {
        if (round == 1) assert_ok(toc_scene_set_body_thickness(bodies, 1, 0.02));
        assert_ok(toc_scene_find_contacts(bodies, &query, &contacts));
        assert_true(contacts->count > 0 && contacts->count <= MOST);
        query.threads = 1;
        assert_ok(toc_scene_find_touches(bodies, &query, contacts, one));
        for (query.threads = 2; query.threads <= 8; query.threads += 3) {
            assert_ok(toc_scene_find_touches(bodies, &query, contacts, same));
            assert_memory_equal(one, same, contacts->count * sizeof *one);
        }
        for (size_t i = 0; i < contacts->count; i++) {
            assert_true(one[i].count > 0);
            assert_double_near(one[i].at[0].enter, contacts->contacts[i].toc, 1e-8);
        }
        toc_contacts_destroy(contacts);
    }
    toc_scene_destroy(bodies);
}

static void bad_input_is_refused(void **state) {
    (void)state;
    toc_pair pair = {{{0}}, {{0}}};
    toc_quadratic_pair curved = {{{0}}, {{0}}, {{0}}};
    toc_touches found = {.count = 7};
    assert_fails(toc_pair_find_touches(TOC_VF, NULL, 0, &found), TOC_BAD_INPUT, "pair is NULL");
    assert_fails(toc_pair_find_touches(TOC_VF, &pair, 0, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_pair_find_touches((toc_kind)2, &pair, 0, &found), TOC_BAD_INPUT, "kind");
    assert_fails(toc_pair_find_touches(TOC_VF, &pair, -1, &found), TOC_BAD_INPUT, "separation");
    pair.x1[3][2] = NAN;
    assert_fails(toc_pair_find_touches(TOC_EE, &pair, 0, &found), TOC_BAD_INPUT, "z of x1 of vertex 3");
    curved.control[1][0] = INFINITY;
    assert_fails(toc_quadratic_find_touches(TOC_VF, &curved, &found), TOC_BAD_INPUT, "control");
    assert_fails(toc_scene_find_touches(NULL, NULL, NULL, &found), TOC_BAD_INPUT, "scene is NULL");
    assert_int_equal(found.count, 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family),
        cmocka_unit_test(small_numbers),
        cmocka_unit_test(sliding_across_a_face),
        cmocka_unit_test(a_vertex_that_comes_back),
        cmocka_unit_test(resting_on_each_other),
        cmocka_unit_test(within_a_separation),
        cmocka_unit_test(touches_of_the_contacts_of_a_scene),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
