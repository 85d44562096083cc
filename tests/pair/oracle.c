// SPDX-License-Identifier: Apache-2.0
// The exact decision against an oracle that shares nothing with it: the same verdicts, and times within the promise.
// TOC_QUERIES asks so many questions in each group instead of the number that suits a short run.
#include "support/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "pair/pair.h"
#include "support/queries.h"

typedef struct comparison {
    test_truth truth;
    double from, to;
    uint64_t asked, touching;
} comparison;

static uint64_t query_count(uint64_t usual) {
    const char *wish = getenv("TOC_QUERIES");
    return wish ? strtoull(wish, NULL, 10) : test_less(usual, usual / 3);
}

static comparison comparison_start(void) {
    comparison c = {.from = 0, .to = 1};
    test_truth_init(&c.truth);
    return c;
}

// A group in which nothing touches, or everything, would show little.
static void comparison_end(comparison *c) {
    print_message("%llu compared, %llu touching\n", (unsigned long long)c->asked, (unsigned long long)c->touching);
    assert_true(c->touching > 0 && c->touching < c->asked);
    test_truth_clear(&c->truth);
}

// How much of itself a time may be early: by the certified test with exact arithmetic behind it, with a look ahead, and
// in integers, where it is the last double not late.
#define CERTIFIED 1e-9
#define LOOKING_AHEAD 0x1p-31
#define IN_INTEGERS 0x1p-51

// Not after the first contact and not too early before; a denormal time has no such precision.
static bool time_is_right(const test_truth *truth, double toc, double precision) {
    mpq_t time, early;
    mpq_inits(time, early, NULL);
    mpq_set_d(time, toc);
    mpq_set_d(early, 1 - precision);
    mpq_mul(early, early, truth->upper);
    const bool late = mpq_cmp(time, truth->upper) > 0;
    mpq_sub(early, early, time);
    mpq_set_d(time, 0x1p-1074);
    const bool right = !late && mpq_cmp(early, time) <= 0;
    mpq_clears(time, early, NULL);
    return right;
}

static void assert_agrees(const comparison *c, const test_query *q, const toc_hit *hit, double precision) {
    const bool touches = hit->verdict == TOC_HIT;
    if (hit->verdict != TOC_UNDECIDED && touches == c->truth.touches &&
        (!touches || (time_is_right(&c->truth, hit->toc, precision) && hit->toc >= c->from)))
        return;
    print_error("%s %s from %a to %a: verdict %d at %a; the oracle: %d at %a\n", q->kind == TOC_VF ? "VF" : "EE",
                precision == IN_INTEGERS ? "in integers"
                : precision == CERTIFIED ? "certified"
                                         : "with a look ahead",
                c->from, c->to, (int)hit->verdict, touches ? hit->toc : 0, c->truth.touches, mpq_get_d(c->truth.upper));
    for (int i = 0; i < 8; i++) {
        const double *x = i < 4 ? q->pair.x0[i] : q->pair.x1[i - 4];
        print_error("    {%a, %a, %a},\n", x[0], x[1], x[2]);
    }
    fail();
}

// Neither missed nor invented, within 1e-9 of the time, and at 0 only what touches at the start; but a time may be so
// close to 0 that no double is between.
static void compare_certified(const comparison *c, const test_query *q) {
    toc_pair_test test = toc_pair_test_default();
    test.from = c->from;
    test.to = c->to;
    toc_hit hit = {.verdict = TOC_APART};
    assert_ok(toc_pair_find(q->kind, &q->pair, &test, &hit));
    assert_agrees(c, q, &hit, CERTIFIED);
    if (c->truth.touches && hit.toc == 0) assert_true(mpq_get_d(c->truth.upper) == 0);
}

static void compare(comparison *c, const test_query *q) {
    test_oracle_find(q->kind, &q->pair, c->from, c->to, &c->truth);
    c->asked++;
    c->touching += c->truth.touches;
    const toc_hit looks_ahead = test_ask(q, TOC_METHOD_EXACT, c->from, c->to);
    assert_agrees(c, q, &looks_ahead, LOOKING_AHEAD);
    compare_certified(c, q);
    toc_pair_test test = toc_pair_test_default();
    test.from = c->from;
    test.to = c->to;
    toc_arena scratch = toc_arena_make(NULL);
    toc_hit in_integers;
    assert_ok(toc_integer_pair(q->kind, q->pair.x0, q->pair.x1, &test, &scratch, &in_integers));
    toc_arena_free(&scratch);
    assert_agrees(c, q, &in_integers, IN_INTEGERS);
}

static test_query one_of_both_kinds(test_random *random) {
    return (test_query){.kind = test_random_below(random, 2) ? TOC_EE : TOC_VF};
}

static void rest(test_random *random, toc_pair *pair) {
    const uint32_t moving = test_random_below(random, 16);
    for (int i = 0; i < 4; i++)
        if (!(moving >> i & 1)) memcpy(pair->x1[i], pair->x0[i], sizeof pair->x1[i]);
}

// Whole numbers below 2 to 6, some vertices at rest, some coordinates the same for all: every degeneracy there is.
static test_query small_numbers(test_random *random) {
    test_query q = one_of_both_kinds(random);
    const uint32_t count = 2 + test_random_below(random, 5);
    const uint32_t flat = test_random_below(random, 12);
    for (int i = 0; i < 4; i++)
        for (uint32_t k = 0; k < 3; k++) {
            q.pair.x0[i][k] = k == flat ? 1 : test_random_below(random, count);
            q.pair.x1[i][k] = k == flat ? 1 : test_random_below(random, count);
        }
    rest(random, &q.pair);
    return q;
}

static double *any_coordinate(test_random *random, toc_pair *pair) {
    double(*x)[3] = test_random_below(random, 2) ? pair->x0 : pair->x1;
    return &x[test_random_below(random, 4)][test_random_below(random, 3)];
}

// Numbers of full length, drawn from a few.
static test_query shared_coordinates(test_random *random) {
    double pool[5];
    for (int i = 0; i < 5; i++) pool[i] = test_random_between(random, -1, 1);
    test_query q = one_of_both_kinds(random);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            q.pair.x0[i][k] = pool[test_random_below(random, 5)];
            q.pair.x1[i][k] = pool[test_random_below(random, 5)];
        }
    rest(random, &q.pair);
    return q;
}

// Small numbers, one coordinate off by the least that can be or by a little.
static test_query almost_small_numbers(test_random *random) {
    test_query q = small_numbers(random);
    double *x = any_coordinate(random, &q.pair);
    const double off = ldexp(test_random_between(random, -1, 1), -(int)test_random_below(random, 60));
    *x = test_random_below(random, 2) ? nextafter(*x, test_random_between(random, -9, 9)) : *x + off;
    return q;
}

static int any_exponent(test_random *random, int low, int high) {
    return low + (int)test_random_below(random, (uint32_t)(high - low));
}

// Stretching an axis changes no answer and no time, but how long the numbers are.
static test_query stretched_axes(test_random *random) {
    test_query q = small_numbers(random);
    for (int k = 0; k < 3; k++) {
        const int by = any_exponent(random, -1074, 1018);
        for (int i = 0; i < 4; i++) {
            q.pair.x0[i][k] = ldexp(q.pair.x0[i][k], by);
            q.pair.x1[i][k] = ldexp(q.pair.x1[i][k], by);
        }
    }
    return q;
}

// Small numbers, a few of any size among them: times from denormal to almost 1.
static test_query mixed_magnitudes(test_random *random) {
    test_query q = small_numbers(random);
    const bool far = test_random_below(random, 8) == 0;
    for (int n = 0; n < 6; n++) {
        const int by = far ? any_exponent(random, -1074, 1018) : any_exponent(random, -80, 80);
        double *x = any_coordinate(random, &q.pair);
        *x = ldexp(test_random_between(random, -1, 1), by);
    }
    return q;
}

static void compare_many(uint64_t usual, test_query make(test_random *random)) {
    comparison c = comparison_start();
    test_random random = test_random_make(0);
    for (uint64_t i = query_count(usual); i > 0; i--) {
        const test_query q = make(&random);
        compare(&c, &q);
    }
    comparison_end(&c);
}

static void degenerate_in_small_numbers(void **state) {
    (void)state;
    compare_many(4000, small_numbers);
}

static void degenerate_in_long_numbers(void **state) {
    (void)state;
    compare_many(3000, shared_coordinates);
}

static void all_but_degenerate(void **state) {
    (void)state;
    compare_many(2000, almost_small_numbers);
}

static void axes_of_different_size(void **state) {
    (void)state;
    compare_many(1000, stretched_axes);
}

static void coordinates_of_different_size(void **state) {
    (void)state;
    compare_many(250, mixed_magnitudes);
}

static void every_family(void **state) {
    (void)state;
    comparison c = comparison_start();
    test_random random = test_random_make(0);
    for (uint64_t i = query_count(2000); i > 0; i--) {
        const test_query q = test_query_make(&random, (int)(i % TEST_ALL_FAMILIES));
        compare(&c, &q);
    }
    comparison_end(&c);
}

static double any_time(test_random *random) {
    return test_random_below(random, 2) ? 0.25 * test_random_below(random, 5) : test_random_between(random, 0, 1);
}

// Contacts before and after the part do not count; those on its ends do.
static void parts_of_a_step(void **state) {
    (void)state;
    comparison c = comparison_start();
    test_random random = test_random_make(0);
    for (uint64_t i = query_count(2000); i > 0; i--) {
        const test_query q =
            i % 2 ? small_numbers(&random) : test_query_make(&random, (int)(i / 2 % TEST_ALL_FAMILIES));
        const double a = any_time(&random), b = any_time(&random);
        c.from = fmin(a, b);
        c.to = fmax(a, b);
        compare(&c, &q);
    }
    comparison_end(&c);
}

// The oracle is asked as well whether it knows the published answer.
static void compare_published(void *user, const test_query *q, bool collides) {
    comparison *c = user;
    compare(c, q);
    assert_int_equal(c->truth.touches, collides);
}

static void published_questions(void **state) {
    (void)state;
    test_need_data(TEST_PUBLISHED);
    comparison c = comparison_start();
    test_published(getenv("TOC_QUERIES") ? 1 : 3, compare_published, &c);
    comparison_end(&c);
}

// ---- pairs of whole frames, with their published answers

static toc_mesh *read_mesh(const char *folder, const char *name) {
    char path[256];
    toc_mesh *mesh;
    snprintf(path, sizeof path, "frames/%s/%s.ply", folder, name);
    assert_ok(toc_mesh_read(test_data(path), NULL, &mesh));
    return mesh;
}

// A row is the kind, four vertices and the answer: "ee,1,2,3,4,1".
static test_query read_pair(const char *row, const double *x0, const double *x1, bool *collides) {
    test_query q = {.kind = row[0] == 'e' ? TOC_EE : TOC_VF};
    char *at = (char *)row + 3;
    for (int i = 0; i < 4; i++, at++) {
        const size_t v = strtoul(at, &at, 10);
        memcpy(q.pair.x0[i], x0 + 3 * v, sizeof q.pair.x0[i]);
        memcpy(q.pair.x1[i], x1 + 3 * v, sizeof q.pair.x1[i]);
    }
    *collides = *at == '1';
    return q;
}

static void compare_frames(const char *folder, int stride) {
    char answers[256], row[256];
    snprintf(answers, sizeof answers, "frames/%s/truth.csv.gz", folder);
    test_need_data(answers);
    toc_mesh *start = read_mesh(folder, "start"), *end = read_mesh(folder, "end");
    gzFile file = gzopen(test_data(answers), "rb");
    comparison c = comparison_start();
    assert_non_null(file);
    assert_non_null(gzgets(file, row, sizeof row)); // the names of the columns
    for (int i = 0; gzgets(file, row, sizeof row); i++) {
        bool collides;
        const test_query q = read_pair(row, toc_mesh_get_x0(start), toc_mesh_get_x0(end), &collides);
        if (collides && i % stride) continue; // nearly all of them do
        compare(&c, &q);
        assert_int_equal(c.truth.touches, collides);
    }
    comparison_end(&c);
    gzclose(file);
    toc_mesh_destroy(start), toc_mesh_destroy(end);
}

static void pairs_of_frames(void **state) {
    (void)state;
    const int stride = getenv("TOC_QUERIES") ? 1 : 97;
    compare_frames("cloth-ball", stride);
    compare_frames("n-body", stride);
}

// The comparison would be blind if it took any time for right.
static void wrong_times_are_seen(void **state) {
    (void)state;
    const toc_pair falls = {{{1, 1, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                            {{1, 1, -2}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
    test_truth truth;
    test_truth_init(&truth);
    test_oracle_find(TOC_VF, &falls, 0, 1, &truth);
    assert_true(truth.touches);
    assert_true(time_is_right(&truth, nextafter(1.0 / 3, 0), IN_INTEGERS));
    assert_false(time_is_right(&truth, nextafter(1.0 / 3, 1), IN_INTEGERS));
    assert_false(time_is_right(&truth, (1 - 0x1p-30) / 3, LOOKING_AHEAD));
    test_oracle_find(TOC_VF, &falls, 0.5, 1, &truth);
    assert_false(truth.touches);
    test_truth_clear(&truth);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_times_are_seen),
        cmocka_unit_test(degenerate_in_small_numbers),
        cmocka_unit_test(degenerate_in_long_numbers),
        cmocka_unit_test(all_but_degenerate),
        cmocka_unit_test(axes_of_different_size),
        cmocka_unit_test(coordinates_of_different_size),
        cmocka_unit_test(every_family),
        cmocka_unit_test(parts_of_a_step),
        cmocka_unit_test(published_questions),
        cmocka_unit_test(pairs_of_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
