// SPDX-License-Identifier: Apache-2.0
// Properties of every elementary method: parts of the step, a distance to keep, and invalid settings.
#include <math.h>

#include "pair/pair.h"
#include "support/queries.h"
#include "toccata/research.h"

static toc_hit ask(const test_query *q, const toc_pair_test *test) {
    toc_hit hit = {.verdict = TOC_APART};
    assert_ok(toc_pair_find(q->kind, &q->pair, test, &hit));
    return hit;
}

// A contact outside of the part must not hide one within. Times of the exact method may be 2^-32 early.
static void check(const test_query *q, toc_pair_test test) {
    test.method = TOC_METHOD_EXACT;
    const toc_hit truth = ask(q, &test);
    test.exact = false;
    for (int m = TOC_METHOD_CERTIFIED; m < TOC_METHOD_COUNT; m++) {
        test.method = (toc_method)m;
        if (m == TOC_METHOD_CUBIC || m == TOC_METHOD_INCLUSION)
            continue; // one can miss, the other takes its time: below
        const toc_hit hit = ask(q, &test);
        if (hit.verdict == TOC_APART) {
            assert_int_equal(truth.verdict, TOC_APART);
            continue;
        }
        assert_true(hit.toc >= test.from && hit.toc <= test.to);
        if (truth.verdict == TOC_HIT) assert_true(hit.toc <= truth.toc * (1 + 1e-9));
    }
}

static toc_pair_test any_part(test_random *random) {
    toc_pair_test test = toc_pair_test_default();
    test.from = test_random_between(random, 0, 1);
    test.to = test_random_below(random, 8) ? test_random_between(random, test.from, 1) : test.from;
    return test;
}

static void parts_of_the_step(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < test_less(12000, 2000); i++) {
        const test_query q = test_query_make(&random, i % TEST_TINY);
        check(&q, any_part(&random));
    }
}

static void distances_to_keep(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < test_less(6000, 1000); i++) {
        const test_query q = test_query_make(&random, i % TEST_TINY);
        toc_pair_test test = i % 2 ? toc_pair_test_default() : any_part(&random);
        test.separation = ldexp(1, -(int)test_random_below(&random, 12));
        check(&q, test);
    }
}

// Only questions without a region of contacts, on which it halves boxes up to its limit.
static void parts_and_distances_by_inclusion(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < test_less(60, 20); i++) {
        const test_query q = test_query_make(&random, TEST_UNIFORM);
        toc_pair_test test = any_part(&random);
        if (i % 2) test.separation = 0.125;
        test.method = TOC_METHOD_EXACT;
        const toc_hit truth = ask(&q, &test);
        test.method = TOC_METHOD_INCLUSION, test.exact = false;
        const toc_hit hit = ask(&q, &test);
        if (truth.verdict == TOC_HIT) assert_true(hit.verdict != TOC_APART && hit.toc <= truth.toc * (1 + 1e-9));
    }
}

// Products of coordinates vanish at 2^-600 and overflow at 2^600: distances were wrong, and times late. The cubic may
// be late by rounding.
static void never_late_at_any_scale(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < test_less(6000, 1500); i++) {
        test_query q = test_query_make(&random, i % TEST_FAMILIES);
        const int exponent = (int)test_random_below(&random, 1601) - 1000;
        for (int j = 0; j < 12; j++) {
            q.pair.x0[j / 3][j % 3] = ldexp(q.pair.x0[j / 3][j % 3], exponent);
            q.pair.x1[j / 3][j % 3] = ldexp(q.pair.x1[j / 3][j % 3], exponent);
        }
        toc_pair_test test = toc_pair_test_default();
        test.method = TOC_METHOD_EXACT;
        const toc_hit truth = ask(&q, &test);
        if (truth.verdict != TOC_HIT) continue;
        test.exact = false, test.tolerance = ldexp(1e-6, exponent);
        for (int m = TOC_METHOD_CERTIFIED; m < TOC_METHOD_COUNT; m++) {
            if (m == TOC_METHOD_INCLUSION && (i % TEST_FAMILIES != TEST_UNIFORM || i > 400)) continue;
            test.method = (toc_method)m;
            const toc_hit hit = ask(&q, &test);
            if (m == TOC_METHOD_CUBIC && (hit.verdict == TOC_APART || i % TEST_FAMILIES != TEST_UNIFORM)) continue;
            assert_int_not_equal(hit.verdict, TOC_APART);
            assert_true(hit.toc <= truth.toc * (1 + 1e-9));
        }
    }
}

static void assert_refused(toc_method method, toc_pair_test test, const char *words) {
    const test_query falls = {
        TOC_VF, {{{1, 1, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, -1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}}};
    toc_hit hit = {.toc = -1};
    test.method = method;
    assert_fails(toc_pair_find(falls.kind, &falls.pair, &test, &hit), TOC_BAD_INPUT, words);
    assert_double_same(hit.toc, -1);
}

static void settings_that_make_no_sense(void **state) {
    (void)state;
    const double bad[] = {-1, NAN, INFINITY, -INFINITY, -0x1p-1074};
    const double parts[][2] = {{1, 0}, {-0.5, 1}, {0, 1.5}, {NAN, 1}, {0, NAN}, {0.5, 0.4999}};
    for (int m = 0; m < TOC_METHOD_COUNT; m++) {
        toc_pair_test test = toc_pair_test_default();
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            test.tolerance = bad[i];
            assert_refused((toc_method)m, test, "tolerance");
            test.tolerance = 0, test.separation = bad[i];
            assert_refused((toc_method)m, test, "separation");
            test.separation = 0;
        }
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            test.from = parts[i][0], test.to = parts[i][1];
            assert_refused((toc_method)m, test, "from <= to");
        }
    }
    assert_refused(TOC_METHOD_COUNT, toc_pair_test_default(), "no elementary method");
    assert_refused(TOC_METHOD_OF_PRESET, toc_pair_test_default(), "no elementary method");
    assert_string_equal(toc_method_get(TOC_METHOD_COUNT).name, "unknown");
    assert_string_equal(toc_method_get(TOC_METHOD_OF_PRESET).name, "unknown");
}

// A method that misses a contact must not be called complete: only the column of its row says so. The cubic misses some
// of these questions, so that the test can fail.
static void methods_that_miss_are_not_called_complete(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    bool misses[TOC_METHOD_COUNT] = {false};
    for (int i = 0; i < test_less(12000, 3000); i++) {
        const test_query q = test_query_make(&random, i % TEST_TINY);
        toc_pair_test test = toc_pair_test_default();
        test.method = TOC_METHOD_EXACT;
        if (ask(&q, &test).verdict == TOC_APART) continue;
        for (int m = 0; m < TOC_METHOD_COUNT; m++) {
            test.method = (toc_method)m;
            if (m != TOC_METHOD_INCLUSION) misses[m] |= ask(&q, &test).verdict == TOC_APART;
        }
    }
    assert_true(misses[TOC_METHOD_CUBIC]);
    for (int m = 0; m < TOC_METHOD_COUNT; m++) assert_false(misses[m] && toc_method_get((toc_method)m).is_complete);
    assert_true(toc_method_get(TOC_METHOD_CERTIFIED).is_complete);
    assert_false(toc_method_get(TOC_METHOD_COUNT).is_complete || toc_method_get(TOC_METHOD_OF_PRESET).is_complete);
}

// A tolerance of 0 meant a millionth of a length: pairs apart by that "touched", and early.
static void no_tolerance_invents_no_contact(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int apart = 0, touching = 0;
    for (int i = 0; i < test_less(2000, 400); i++) {
        test_query q = test_query_make(&random, i % TEST_TINY);
        const double size = ldexp(1, -(int)test_random_below(&random, 25));
        for (int j = 0; j < 12; j++) q.pair.x0[j / 3][j % 3] *= size, q.pair.x1[j / 3][j % 3] *= size;
        toc_pair_test test = toc_pair_test_default();
        test.separation = i % 3 ? 0 : 0.125 * size;
        test.method = TOC_METHOD_EXACT;
        const toc_hit truth = ask(&q, &test);
        for (int m = 0; m < TOC_METHOD_COUNT; m++) {
            if (m == TOC_METHOD_INCLUSION && (i % TEST_FAMILIES != TEST_UNIFORM || i > 400)) continue;
            test.method = (toc_method)m;
            const toc_hit hit = ask(&q, &test);
            if (truth.verdict == TOC_APART) assert_int_equal(hit.verdict, TOC_APART);
            if (truth.verdict == TOC_APART || !toc_method_get((toc_method)m).is_complete) continue;
            assert_int_equal(hit.verdict, TOC_HIT);
            assert_double_near(hit.toc, truth.toc, 2e-9 * truth.toc);
        }
        *(truth.verdict == TOC_APART ? &apart : &touching) += 1;
    }
    assert_true(apart > 50 && touching > 50);
}

// Columns that a row leaves out promise nothing: a file and a name alone make no complete method.
static void rows_promise_what_they_name(void **state) {
    (void)state;
    const toc_method_row bare = {.name = "bare", .find = toc_cubic_pair};
    assert_false(bare.complete || bare.convex || bare.in_lanes || bare.sharp != TOC_SHARP_NEVER);
    assert_false(toc_method_row_of(TOC_METHOD_CUBIC)->complete);
    for (int m = 0; m < TOC_METHOD_COUNT; m++) {
        const toc_method_row *row = toc_method_row_of((toc_method)m);
        assert_int_equal(toc_method_get((toc_method)m).is_complete, row->complete);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_the_step),
        cmocka_unit_test(distances_to_keep),
        cmocka_unit_test(parts_and_distances_by_inclusion),
        cmocka_unit_test(never_late_at_any_scale),
        cmocka_unit_test(settings_that_make_no_sense),
        cmocka_unit_test(methods_that_miss_are_not_called_complete),
        cmocka_unit_test(no_tolerance_invents_no_contact),
        cmocka_unit_test(rows_promise_what_they_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
