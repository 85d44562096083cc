// SPDX-License-Identifier: Apache-2.0
// The first contact of two triangles: the earliest of their feature pairs, by every method, and input that is refused.
#include "pair/triangle_pair.h"

#include <math.h>
#include <string.h>

#include "cull/surface/triangle_features.h"
#include "support/queries.h"
#if TOC_HAVE_GMP
#include "support/oracle.h"
#include "toccata/research.h"
#endif

static toc_triangle_hit find_first(const toc_triangle_pair *t, const toc_pair_test *test) {
    toc_triangle_hit hit;
    assert_ok(toc_triangles_find(t, test, &hit));
    return hit;
}

static toc_pair_test test_of(toc_method method, bool exact) {
    toc_pair_test test = toc_pair_test_default();
    test.method = method;
    test.exact = exact;
    return test;
}

static toc_pair feature_of(const toc_triangle_pair *t, int bit, toc_kind *kind) {
    const toc_triangle_feature feature = toc_triangle_feature_of(bit);
    toc_pair pair;
    for (int k = 0; k < 4; k++) {
        memcpy(pair.x0[k], t->x0[feature.at[k]], sizeof pair.x0[k]);
        memcpy(pair.x1[k], t->x1[feature.at[k]], sizeof pair.x1[k]);
    }
    *kind = feature.kind;
    return pair;
}

// The earliest answer of the feature pairs, one by one.
static toc_hit earliest(const toc_triangle_pair *t, unsigned pairs, const toc_pair_test *test) {
    toc_hit best = {.verdict = TOC_APART};
    for (int bit = 0; bit < TOC_TRIANGLE_PAIRS; bit++) {
        toc_kind kind;
        toc_hit hit;
        const toc_pair pair = feature_of(t, bit, &kind);
        if (!(pairs >> bit & 1)) continue;
        assert_ok(toc_pair_find(kind, &pair, test, &hit));
        if (hit.verdict != TOC_APART && (best.verdict == TOC_APART || hit.toc < best.toc)) best = hit;
    }
    return best;
}

// Two triangles made of questions of one family: the corners of one question, and two of another.
static toc_triangle_pair random_triangles(test_random *random, int family) {
    const test_query q = test_query_make(random, family), r = test_query_make(random, family);
    static const int from[2][6] = {[TOC_VF] = {0, 4, 5, 1, 2, 3}, [TOC_EE] = {0, 1, 4, 2, 3, 5}};
    toc_triangle_pair t = {0};
    for (int i = 0; i < 6; i++) {
        const int k = from[q.kind][i];
        memcpy(t.x0[i], k < 4 ? q.pair.x0[k] : r.pair.x0[k - 4], sizeof t.x0[i]);
        memcpy(t.x1[i], k < 4 ? q.pair.x1[k] : r.pair.x1[k - 4], sizeof t.x1[i]);
    }
    return t;
}

static uint32_t removed_in_all(const toc_triangle_hit *hit) {
    uint32_t sum = 0;
    for (int step = 0; step < TOC_TRIANGLE_STEP_COUNT; step++) sum += hit->removed[step];
    return sum;
}

// The hit is that of its feature pair: the kind, the corners, and the place.
static void assert_describes_its_pair(const toc_triangle_hit *hit) {
    if (hit->hit.verdict == TOC_APART) {
        assert_int_equal(hit->pair, -1);
        return;
    }
    assert_in_range(hit->pair, 0, TOC_TRIANGLE_PAIRS - 1);
    const toc_triangle_feature feature = toc_triangle_feature_of(hit->pair);
    assert_int_equal(hit->kind, feature.kind);
    for (int k = 0; k < 4; k++) assert_int_equal(hit->corner[k], feature.at[k]);
    for (int k = 0; k < 4; k++) assert_true(hit->hit.weights[k] >= 0 && hit->hit.weights[k] <= 1);
}

// Exact answers, with and without culling: the verdict and the time of the earliest feature pair.
static void exact_answers_are_the_earliest_of_the_feature_pairs(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int hits = 0;
    for (int i = 0; i < test_less(2800, 280); i++) {
        toc_triangle_pair t = random_triangles(&random, i % TEST_ALL_FAMILIES);
        for (int m = TOC_METHOD_EXACT; m <= TOC_METHOD_CERTIFIED; m++) {
            toc_pair_test test = test_of((toc_method)m, true);
            if (i % 3 == 1) test.from = 0.25, test.to = 0.75;
            const toc_hit want = earliest(&t, TOC_TRIANGLE_ALL, &test);
            for (int skip = 0; skip < 2; skip++) {
                t.skip = skip ? TOC_TRIANGLE_STEP_ALL : 0;
                const toc_triangle_hit hit = find_first(&t, &test);
                assert_int_equal(hit.hit.verdict, want.verdict);
                assert_int_equal(hit.tested + removed_in_all(&hit), TOC_TRIANGLE_PAIRS);
                assert_describes_its_pair(&hit);
                if (want.verdict != TOC_APART) assert_double_near(hit.hit.toc, want.toc, 2e-9 * want.toc);
            }
            hits += want.verdict == TOC_HIT;
        }
    }
    assert_true(hits > 100);
}

static bool takes_long(int method, int family) {
    return method == TOC_METHOD_INCLUSION && family != TEST_UNIFORM && family != TEST_SLOW;
}

// Without culling, methods with a tolerance give the earliest answer as well; with culling none is earlier than that,
// and none is later than exact arithmetic.
static void other_methods_lie_between_the_feature_pairs_and_the_truth(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < test_less(420, 84); i++) {
        const int family = i % TEST_ALL_FAMILIES;
        toc_triangle_pair t = random_triangles(&random, family);
        const toc_pair_test exact = test_of(TOC_METHOD_EXACT, true);
        const toc_triangle_hit truth = find_first(&t, &exact);
        for (int m = TOC_METHOD_CERTIFIED; m < TOC_METHOD_COUNT; m++) {
            if (m == TOC_METHOD_CUBIC || takes_long(m, family)) continue; // the cubic can miss
            const toc_pair_test test = test_of((toc_method)m, false);
            const toc_hit one_by_one = earliest(&t, TOC_TRIANGLE_ALL, &test);
            t.skip = 0;
            const toc_triangle_hit culled = find_first(&t, &test);
            t.skip = TOC_TRIANGLE_STEP_ALL;
            const toc_triangle_hit plain = find_first(&t, &test);
            assert_describes_its_pair(&culled);
            if (one_by_one.verdict == TOC_APART && m != TOC_METHOD_CULLING)
                assert_int_equal(culled.hit.verdict, TOC_APART);
            if (m == TOC_METHOD_CA_FEATURE) {
                assert_int_equal(plain.hit.verdict != TOC_APART, one_by_one.verdict != TOC_APART);
                if (one_by_one.verdict != TOC_APART) assert_double_same(plain.hit.toc, one_by_one.toc);
            }
            if (truth.hit.verdict != TOC_HIT) continue;
            assert_int_not_equal(culled.hit.verdict, TOC_APART);
            assert_int_not_equal(plain.hit.verdict, TOC_APART);
            assert_true(culled.hit.toc <= truth.hit.toc * (1 + 1e-9) && plain.hit.toc <= truth.hit.toc * (1 + 1e-9));
        }
    }
}

// The separation counts in every culling step.
static void distances_to_keep_are_complete(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < test_less(420, 84); i++) {
        const toc_triangle_pair t = random_triangles(&random, i % TEST_TINY);
        toc_pair_test test = test_of(TOC_METHOD_CERTIFIED, true);
        test.separation = ldexp(1, -(int)test_random_below(&random, 12));
        const toc_hit want = earliest(&t, TOC_TRIANGLE_ALL, &test);
        const toc_triangle_hit hit = find_first(&t, &test);
        assert_int_equal(hit.hit.verdict, want.verdict);
        if (want.verdict != TOC_APART) assert_double_near(hit.hit.toc, want.toc, 2e-9);
    }
}

#if TOC_HAVE_GMP
// The first time of all 15 feature pairs in rational numbers: never later than that, and at most 1e-9 of it earlier.
static void times_agree_with_the_oracle(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    test_truth truth;
    test_truth_init(&truth);
    mpq_t first, time;
    mpq_inits(first, time, NULL);
    for (int i = 0; i < test_less(280, 56); i++) {
        const toc_triangle_pair t = random_triangles(&random, i % TEST_ALL_FAMILIES);
        bool touches = false;
        for (int bit = 0; bit < TOC_TRIANGLE_PAIRS; bit++) {
            toc_kind kind;
            const toc_pair pair = feature_of(&t, bit, &kind);
            test_oracle_find(kind, &pair, 0, 1, &truth);
            if (truth.touches && (!touches || mpq_cmp(truth.upper, first) < 0)) mpq_set(first, truth.upper);
            touches = touches || truth.touches;
        }
        for (int m = TOC_METHOD_EXACT; m <= TOC_METHOD_CERTIFIED; m++) {
            const toc_pair_test test = test_of((toc_method)m, true);
            const toc_triangle_hit hit = find_first(&t, &test);
            assert_int_equal(hit.hit.verdict, touches ? TOC_HIT : TOC_APART);
            if (!touches) continue;
            mpq_set_d(time, hit.hit.toc);
            assert_true(mpq_cmp(time, first) <= 0);
            assert_true(hit.hit.toc >= mpq_get_d(first) * (1 - 1e-9));
        }
    }
    mpq_clears(first, time, NULL);
    test_truth_clear(&truth);
}
#endif

// The triangles are through each other all the time, and no feature pair touches: no method invents a contact.
static void triangles_through_each_other_from_the_start(void **state) {
    (void)state;
    toc_triangle_pair t = {.x0 = {{1, 1, -1}, {1, 1, 1}, {2, 2, 0.5}, {0, 0, 0}, {8, 0, 0}, {0, 8, 0}}};
    memcpy(t.x1, t.x0, sizeof t.x1);
    for (int m = 0; m < TOC_METHOD_COUNT; m++) {
        const toc_pair_test test = test_of((toc_method)m, true);
        assert_int_equal(find_first(&t, &test).hit.verdict, TOC_APART);
    }
}

static const toc_triangle_pair falls = {
    .x0 = {{1, 1, 2}, {2, 1, 1}, {1, 2, 3}, {0, 0, 0}, {9, 0, 0}, {0, 9, 0}},
    .x1 = {{1, 1, -2}, {2, 1, -3}, {1, 2, -1}, {0, 0, 0}, {9, 0, 0}, {0, 9, 0}},
};

// Corner 0 arrives at 0.5 and is asked first; corner 1 arrives at 0.25.
static void the_earlier_of_two_contacts(void **state) {
    (void)state;
    for (int m = 0; m < TOC_METHOD_COUNT; m++) {
        const toc_pair_test test = test_of((toc_method)m, true);
        const toc_triangle_hit found = find_first(&falls, &test);
        assert_int_equal(found.hit.verdict, TOC_HIT);
        assert_int_equal(found.pair, 1);
        assert_int_equal(found.kind, TOC_VF);
        assert_int_equal(found.corner[0], 1);
        assert_double_near(found.hit.toc, 0.25, 1e-5);
        assert_double_near(found.hit.point[0], 2, 1e-4);
        assert_double_near(found.hit.normal[2], 1, 1e-9);
    }
}

// Two triangles with a common vertex, or a common edge, that fold around it. Positions alone do not make it common.
static void common_vertices_are_left_out(void **state) {
    (void)state;
    toc_triangle_pair t = {.x0 = {{0, 0, 0}, {1, 0, 0}, {0, 1, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, -1}},
                           .x1 = {{0, 0, 0}, {1, 0, 0}, {0, 1, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, -1}}};
    for (int m = 0; m < TOC_METHOD_COUNT; m++) {
        const toc_pair_test test = test_of((toc_method)m, true);
        t.common = 0;
        assert_int_not_equal(find_first(&t, &test).hit.verdict, TOC_APART);
        t.common = 1 | 1 << 4, t.skip = TOC_TRIANGLE_STEP_ALL;
        toc_triangle_hit hit = find_first(&t, &test);
        assert_int_equal(hit.hit.verdict, TOC_APART);
        assert_int_equal(hit.tested, 4);
        t.common = 1;
        assert_int_equal(find_first(&t, &test).tested, 9);
        t.common = 1 | 1 << 4, t.skip = 0;
        hit = find_first(&t, &test);
        assert_int_equal(hit.tested + removed_in_all(&hit), 4);
    }
}

// The other two corners still meet across a common edge.
static void a_fold_closes_over_a_common_edge(void **state) {
    (void)state;
    const toc_triangle_pair t = {.x0 = {{0, 0, 0}, {1, 0, 0}, {0.25, 1, 1}, {0, 0, 0}, {1, 0, 0}, {0.25, 2, 0}},
                                 .x1 = {{0, 0, 0}, {1, 0, 0}, {0.25, 1, -1}, {0, 0, 0}, {1, 0, 0}, {0.25, 2, 0}},
                                 .common = 1 | 1 << 4};
    const toc_pair_test test = toc_pair_test_default();
    const toc_triangle_hit hit = find_first(&t, &test);
    assert_int_equal(hit.hit.verdict, TOC_HIT);
    assert_int_equal(hit.pair, 2);
    assert_double_near(hit.hit.toc, 0.5, 1e-9);
}

static void assert_refused(toc_triangle_pair t, toc_pair_test test, const char *words) {
    toc_triangle_hit hit = {.pair = 77};
    assert_fails(toc_triangles_find(&t, &test, &hit), TOC_BAD_INPUT, words);
    assert_int_equal(hit.pair, 77);
}

static void bad_input_is_refused(void **state) {
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    const toc_pair_test test = toc_pair_test_default();
    toc_triangle_hit hit;
    assert_fails(toc_triangles_find(NULL, &test, &hit), TOC_BAD_INPUT, "pair is NULL");
    assert_fails(toc_triangles_find(&falls, &test, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_triangles_find(&falls, NULL, &hit), TOC_BAD_INPUT, "toc_pair_test_init");
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++)
        for (int i = 0; i < 36; i++) {
            toc_triangle_pair t = falls;
            (i < 18 ? t.x0 : t.x1)[i % 18 / 3][i % 3] = bad[b];
            assert_refused(t, test, i < 18 ? "at the start" : "at the end");
        }
    toc_triangle_pair t = falls;
    t.common = 1 << 9;
    assert_refused(t, test, "`common`");
    t.common = 0, t.skip = 1u << TOC_TRIANGLE_STEP_COUNT;
    assert_refused(t, test, "`skip`");
}

static void bad_settings_are_refused(void **state) {
    (void)state;
    toc_pair_test test = toc_pair_test_default();
    test.tolerance = NAN;
    assert_refused(falls, test, "tolerance");
    test = toc_pair_test_default(), test.separation = -1;
    assert_refused(falls, test, "separation");
    test = toc_pair_test_default(), test.from = 0.5, test.to = 0.25;
    assert_refused(falls, test, "from <= to");
    test = toc_pair_test_default(), test.method = TOC_METHOD_OF_PRESET;
    assert_refused(falls, test, "no elementary method");
}

// An older caller has a shorter structure, a newer one a longer.
static void reports_have_the_size_of_the_caller(void **state) {
    (void)state;
    const toc_pair_test test = toc_pair_test_default();
    struct {
        toc_triangle_hit known;
        uint64_t added;
    } newer = {.added = 7};
    assert_ok(toc_triangles_find_sized(&falls, &test, &newer.known, sizeof newer));
    assert_int_equal(newer.added, 0);
    toc_triangle_hit older;
    memset(&older, 0xff, sizeof older);
    assert_ok(toc_triangles_find_sized(&falls, &test, &older, offsetof(toc_triangle_hit, removed)));
    assert_int_equal(older.pair, 1);
    assert_int_equal(older.removed[0], UINT32_MAX);
}

static toc_status find_with(const toc_allocator *allocator, void *user) {
    const toc_pair_test test = test_of(TOC_METHOD_EXACT, true);
    toc_arena scratch = toc_arena_make(allocator);
    toc_triangle_hit hit = {.pair = 77};
    const toc_status status = toc_triangles_find_unchecked(user, &test, &scratch, &hit);
    if (status != TOC_OK) assert_int_equal(hit.pair, 77);
    toc_arena_free(&scratch);
    return status;
}

// All in one plane: exact arithmetic in integers, which takes memory.
static void out_of_memory_is_reported(void **state) {
    (void)state;
    toc_triangle_pair t = {.x0 = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 1, 0}, {3, 1, 0}, {2, 2, 0}},
                           .x1 = {{3, 0, 0}, {4, 0, 0}, {3, 1, 0}, {-1, 1, 0}, {0, 1, 0}, {-1, 2, 0}}};
    assert_true(test_every_allocation(find_with, &t) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_answers_are_the_earliest_of_the_feature_pairs),
        cmocka_unit_test(other_methods_lie_between_the_feature_pairs_and_the_truth),
        cmocka_unit_test(distances_to_keep_are_complete),
#if TOC_HAVE_GMP
        cmocka_unit_test(times_agree_with_the_oracle),
#endif
        cmocka_unit_test(triangles_through_each_other_from_the_start),
        cmocka_unit_test(the_earlier_of_two_contacts),
        cmocka_unit_test(common_vertices_are_left_out),
        cmocka_unit_test(a_fold_closes_over_a_common_edge),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(reports_have_the_size_of_the_caller),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
