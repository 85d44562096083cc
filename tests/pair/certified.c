// SPDX-License-Identifier: Apache-2.0
// The certified test against exact arithmetic. TOC_QUERIES sets how many random questions are asked.
#include "pair/certified.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/backend.h"
#include "pair/distance.h"
#include "support/queries.h"

static uint64_t query_count(uint64_t usual) {
    const char *text = getenv("TOC_QUERIES");
    return text ? strtoull(text, NULL, 10) : usual;
}

static toc_pair_test settings(bool exact) {
    toc_pair_test test = toc_pair_test_default();
    test.exact = exact;
    return test;
}

static toc_hit ask(const test_query *q, const toc_pair_test *test) {
    toc_hit hit = {.verdict = TOC_APART};
    assert_ok(toc_pair_find(q->kind, &q->pair, test, &hit));
    return hit;
}

static toc_hit ask_exact(const test_query *q, double from, double to) {
    toc_pair_test test = settings(false);
    test.from = from, test.to = to;
    toc_arena scratch = toc_arena_make(NULL);
    toc_hit hit = {.verdict = TOC_APART};
    assert_ok(toc_integer_pair(q->kind, q->pair.x0, q->pair.x1, &test, &scratch, &hit));
    toc_arena_free(&scratch);
    return hit;
}

static void what_every_method_must_get_right(void **state) {
    (void)state;
    test_method_basics(TOC_METHOD_CERTIFIED);
}

// ---- against the truth

/// Never apart where there is contact, never late; with exact arithmetic behind it never wrong and within 1e-9.
static void check_truth(const test_query *q, double from, double to) {
    toc_pair_test test = settings(false);
    test.from = from, test.to = to;
    const toc_hit truth = ask_exact(q, from, to), alone = ask(q, &test);
    test.exact = true;
    const toc_hit both = ask(q, &test);
    assert_int_equal(both.verdict, truth.verdict);
    if (alone.verdict != TOC_UNDECIDED) assert_int_equal(alone.verdict, truth.verdict);
    if (truth.verdict == TOC_APART) return;
    assert_true(alone.toc <= truth.toc && alone.toc >= from);
    assert_true(both.toc <= truth.toc && both.toc >= from);
    assert_true(both.toc >= truth.toc * (1 - 1e-9));
    assert_true((both.toc == 0) == (truth.toc == 0));
}

static void see_truth(void *user, const test_query *q, bool collides) {
    (*(uint64_t *)user)++;
    assert_int_equal(ask_exact(q, 0, 1).verdict == TOC_HIT, collides);
    check_truth(q, 0, 1);
}

static void published_questions(void **state) {
    (void)state;
    test_need_data(TEST_PUBLISHED);
    uint64_t count = 0;
    test_published(1, see_truth, &count);
    assert_int_equal(count, 2824);
}

static void hard_questions_of_every_family(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const uint64_t count = query_count(40000);
    for (uint64_t i = 0; i < count; i++) {
        const test_query q = test_query_make(&random, (int)(i % TEST_ALL_FAMILIES));
        check_truth(&q, 0, 1);
    }
}

static void parts_of_the_step(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (uint64_t i = 0; i < 8000; i++) {
        const test_query q = test_query_make(&random, (int)(i % TEST_ALL_FAMILIES));
        const double a = i % 3 ? test_random_between(&random, 0, 1) : 0, b = test_random_between(&random, 0, 1);
        check_truth(&q, fmin(a, b), i % 5 ? fmax(a, b) : fmin(a, b));
    }
}

static double size_of(const toc_pair *pair) {
    double most = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) most = fmax(most, fmax(fabs(pair->x0[i][k]), fabs(pair->x1[i][k])));
    return most;
}

static void check_place(const test_query *q, const toc_hit *hit) {
    const int second = q->kind == TOC_VF ? 1 : 2;
    const double size = size_of(&q->pair);
    double sum[2] = {0, 0}, length = 0;
    for (int i = 0; i < 4; i++) {
        assert_true(hit->weights[i] >= 0 && hit->weights[i] <= 1);
        sum[i >= second] += hit->weights[i];
    }
    for (int k = 0; k < 3; k++) {
        double side[2] = {0, 0};
        for (int i = 0; i < 4; i++)
            side[i >= second] += hit->weights[i] * ((1 - hit->toc) * q->pair.x0[i][k] + hit->toc * q->pair.x1[i][k]);
        assert_double_near(side[0], side[1], 1e-6 * size);
        assert_double_near(side[1], hit->point[k], 1e-12 * size);
        length += hit->normal[k] * hit->normal[k];
    }
    assert_double_near(sum[0], 1, 1e-12);
    assert_double_near(sum[1], 1, 1e-12);
    assert_double_near(length, 1, 1e-12);
}

// Products of coordinates as large or as small as these overflow or vanish: the time alone is not the answer.
static void both_features_are_at_the_point_at_any_size(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (uint64_t i = 0; i < 14000; i++) {
        const test_query q = test_query_make(&random, (int)(i % TEST_ALL_FAMILIES));
        const toc_pair_test test = settings(true);
        const toc_hit hit = ask(&q, &test);
        if (hit.verdict == TOC_HIT) check_place(&q, &hit);
    }
}

static void the_largest_doubles(void **state) {
    (void)state;
    const double m = 0x1.fffffffffffffp1023;
    const test_query falls = {
        TOC_VF, {{{0, 0, m}, {-m, -m, 0}, {m, -m, 0}, {0, m, 0}}, {{0, 0, -m}, {-m, -m, 0}, {m, -m, 0}, {0, m, 0}}}};
    const toc_pair_test test = settings(true);
    const toc_hit hit = ask(&falls, &test);
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_double_near(hit.toc, 0.5, 1e-9);
    check_place(&falls, &hit);
    assert_double_near(hit.normal[2], 1, 1e-12);
}

// How often exact arithmetic has to help must not creep up: it costs a hundred times as much.
static void common_questions_need_no_help(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    uint64_t undecided = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        const test_query q = test_query_make(&random, i % 2 ? TEST_UNIFORM : TEST_ROTATING);
        const toc_pair_test test = settings(false);
        undecided += ask(&q, &test).verdict == TOC_UNDECIDED;
    }
    assert_in_range(undecided, 0, 40);
}

// ---- distances

static double distance_at(const test_query *q, double t) {
    toc_vec x[4];
    for (int i = 0; i < 4; i++) x[i] = toc_vec_mix(toc_vec_of(q->pair.x0[i]), toc_vec_of(q->pair.x1[i]), t);
    return q->kind == TOC_VF ? toc_closest_vf(x).distance : toc_closest_ee(x).distance;
}

// Touching means being as close as the separation: nobody that close may be called apart, nor be reported later.
static void separation_is_kept(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    uint64_t apart = 0, undecided = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        const test_query q = test_query_make(&random, i % 2 ? TEST_UNIFORM : (int)(i / 2 % TEST_TINY));
        toc_pair_test test = settings(true);
        test.separation = ldexp(1, -(int)test_random_below(&random, 12));
        const toc_hit hit = ask(&q, &test);
        apart += hit.verdict == TOC_APART, undecided += hit.verdict == TOC_UNDECIDED;
        for (int n = 0; n <= 64; n++) {
            if (distance_at(&q, n / 64.0) > test.separation * (1 - 1e-9)) continue;
            assert_int_not_equal(hit.verdict, TOC_APART);
            assert_true(hit.toc <= n / 64.0);
        }
        if (hit.verdict == TOC_HIT) assert_true(distance_at(&q, hit.toc) <= test.separation * (1 + 1e-6) + 1e-6);
    }
    assert_in_range(apart, 1000, 9000);
    assert_in_range(undecided, 0, 200);
}

// No reported contact is farther apart than the tolerance, and a contact is still never late.
static void tolerance_is_kept(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (uint64_t i = 0; i < 10000; i++) {
        const test_query q = test_query_make(&random, (int)(i % TEST_TINY));
        toc_pair_test test = settings(true);
        test.tolerance = ldexp(1, -4 - (int)test_random_below(&random, 30));
        const toc_hit hit = ask(&q, &test), truth = ask_exact(&q, 0, 1);
        if (truth.verdict == TOC_HIT) assert_true(hit.verdict == TOC_HIT && hit.toc <= truth.toc);
        if (hit.verdict == TOC_HIT) assert_true(distance_at(&q, hit.toc) <= test.tolerance + 1e-6);
    }
}

// ---- batches

enum { BATCH = 2222 }; // no multiple of a chunk or of any number of lanes

typedef struct batch {
    double x0[12][BATCH], x1[12][BATCH]; // the pairs in columns
    double start[4 * BATCH][3], end[4 * BATCH][3];
    uint32_t vertices[BATCH][4];
    test_query queries[BATCH];
    toc_verdict verdicts[BATCH];
    double times[BATCH];
    toc_pair_batch columns, list;
} batch;

static void batch_put(batch *b, uint32_t i, const toc_pair *pair) {
    for (uint32_t k = 0; k < 4; k++) {
        b->vertices[i][k] = 4 * (BATCH - 1 - i) + 3 - k;
        for (uint32_t c = 0; c < 3; c++) {
            b->x0[3 * k + c][i] = b->start[b->vertices[i][k]][c] = pair->x0[k][c];
            b->x1[3 * k + c][i] = b->end[b->vertices[i][k]][c] = pair->x1[k][c];
        }
    }
}

static batch *batch_make(test_random *random, toc_kind kind) {
    batch *b = test_malloc(sizeof *b);
    for (uint32_t i = 0; i < BATCH; i++) {
        do b->queries[i] = test_query_make(random, (int)(i % TEST_ALL_FAMILIES));
        while (b->queries[i].kind != kind);
        batch_put(b, i, &b->queries[i].pair);
    }
    b->columns = (toc_pair_batch){.kind = kind, .count = BATCH};
    for (int c = 0; c < 12; c++) b->columns.x0[c] = b->x0[c], b->columns.x1[c] = b->x1[c];
    b->list = (toc_pair_batch){.kind = kind,
                               .count = BATCH,
                               .vertices = (const uint32_t(*)[4])b->vertices,
                               .body0 = {*b->start, *b->start},
                               .body1 = {*b->end, *b->end}};
    return b;
}

static toc_pair_test random_settings(test_random *random, bool exact) {
    toc_pair_test test = settings(exact);
    if (test_random_below(random, 2)) test.tolerance = test_random_between(random, 0, 0.1);
    if (!exact && test_random_below(random, 2)) test.separation = test_random_between(random, 0, 0.1);
    if (test_random_below(random, 2)) test.from = test_random_between(random, 0, 1);
    if (test_random_below(random, 2)) test.to = test_random_between(random, test.from, 1);
    return test;
}

static void assert_same_as_single(const batch *b, const toc_pair_test *test) {
    for (uint32_t i = 0; i < BATCH; i++) {
        const toc_hit hit = ask(&b->queries[i], test);
        assert_int_equal(b->verdicts[i], hit.verdict);
        if (hit.verdict != TOC_APART) assert_double_same(b->times[i], hit.toc);
    }
}

static void batches_answer_as_single_pairs(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int n = 0; n < 8; n++) {
        batch *b = batch_make(&random, n % 2 ? TOC_EE : TOC_VF);
        const toc_pair_test test = random_settings(&random, n % 3 == 0);
        assert_ok(toc_pair_find_batch(&b->columns, &test, b->verdicts, b->times));
        assert_same_as_single(b, &test);
        memset(b->verdicts, -1, sizeof b->verdicts);
        assert_ok(toc_pair_find_batch(&b->list, &test, b->verdicts, b->times));
        assert_same_as_single(b, &test);
        test_free(b);
    }
}

// One chunk by the kernel of so many lanes.
static void solve(batch *b, const toc_pair_test *test, bool list, toc_certified_kernel *kernel) {
    toc_certified_work work = {.pairs = list ? b->list : b->columns,
                               .tolerance = test->tolerance,
                               .separation = test->separation,
                               .from = test->from,
                               .to = test->to,
                               .verdicts = b->verdicts,
                               .times = b->times};
    work.pairs.count = TOC_CERTIFIED_CHUNK - 5;
    memset(b->times, 0, sizeof b->times);
    kernel(&work);
}

static void every_kernel_answers_alike_bit_for_bit(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int n = 0; n < 16; n++) {
        batch *b = batch_make(&random, n % 2 ? TOC_EE : TOC_VF), *reference = test_malloc(sizeof *b);
        const toc_pair_test test = random_settings(&random, false);
        solve(b, &test, false, toc_backend_of(1)->certified);
        memcpy(reference, b, sizeof *b);
        for (int lanes = 1; lanes <= 8; lanes *= 2) {
            toc_certified_kernel *kernel = toc_backend_of(lanes) ? toc_backend_of(lanes)->certified : NULL;
            for (int list = 0; list < 2 && kernel; list++) {
                solve(b, &test, list, kernel);
                assert_memory_equal(b->verdicts, reference->verdicts, (TOC_CERTIFIED_CHUNK - 5) * sizeof *b->verdicts);
                assert_memory_equal(b->times, reference->times, (TOC_CERTIFIED_CHUNK - 5) * sizeof *b->times);
            }
        }
        test_free(reference), test_free(b);
    }
}

// The two features of a pair may belong to different bodies.
static void features_of_two_bodies(void **state) {
    (void)state;
    const double first0[2][3] = {{9, 9, 9}, {1, 1, 1}}, first1[2][3] = {{9, 9, 9}, {1, 1, -1}};
    const double face[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const uint32_t pairs[2][4] = {{1, 0, 1, 2}, {0, 2, 1, 0}};
    const toc_pair_batch list = {
        .kind = TOC_VF, .count = 2, .vertices = pairs, .body0 = {*first0, *face}, .body1 = {*first1, *face}};
    const toc_pair_test test = toc_pair_test_default();
    toc_verdict verdicts[2];
    double times[2] = {-1, -1};
    assert_ok(toc_pair_find_batch(&list, &test, verdicts, times));
    assert_int_equal(verdicts[0], TOC_HIT);
    assert_double_near(times[0], 0.5, 1e-9);
    assert_int_equal(verdicts[1], TOC_APART);
    assert_double_same(times[1], -1);
}

static void non_finite_coordinates_are_refused_by_batches(void **state) {
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    test_random random = test_random_make(0);
    batch *b = batch_make(&random, TOC_VF);
    const toc_pair_test test = settings(true);
    for (int c = 0; c < 24; c++) {
        double *at = c < 12 ? &b->x0[c][BATCH - 1] : &b->x1[c - 12][BATCH - 1];
        const double before = *at;
        *at = bad[c % 3];
        assert_fails(toc_pair_find_batch(&b->columns, &test, b->verdicts, b->times), TOC_BAD_INPUT, "pair 2221");
        *at = before;
    }
    b->columns.kind = (toc_kind)7;
    assert_fails(toc_pair_find_batch(&b->columns, &test, b->verdicts, b->times), TOC_BAD_INPUT, "kind");
    b->columns.kind = TOC_VF, b->columns.count = 0;
    assert_ok(toc_pair_find_batch(&b->columns, &test, b->verdicts, b->times));
    test_free(b);
}

static void what_a_batch_lacks_is_told(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    batch *b = batch_make(&random, TOC_VF);
    const toc_pair_test test = settings(true);
    toc_pair_batch lacking = b->columns;
    lacking.x1[11] = NULL;
    assert_fails(toc_pair_find_batch(&lacking, &test, b->verdicts, b->times), TOC_BAD_INPUT, "NULL");
    lacking = b->list, lacking.body1[1] = NULL;
    assert_fails(toc_pair_find_batch(&lacking, &test, b->verdicts, b->times), TOC_BAD_INPUT, "NULL");
    assert_fails(toc_pair_find_batch(&b->list, &test, NULL, b->times), TOC_BAD_INPUT, "NULL");
    assert_fails(toc_pair_find_batch(&b->list, &test, b->verdicts, NULL), TOC_BAD_INPUT, "NULL");
    assert_ok(toc_pair_find_batch(&(toc_pair_batch){.kind = TOC_EE}, &test, NULL, NULL));
    test_free(b);
}

// Rows, lanes and parts end anywhere: neither is a pair left out nor is anything written behind the last.
static void batches_of_every_small_count(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    batch *b = batch_make(&random, TOC_EE), *whole = test_malloc(sizeof *b);
    const toc_pair_test test = settings(true);
    assert_ok(toc_pair_find_batch(&b->columns, &test, b->verdicts, b->times));
    memcpy(whole, b, sizeof *b);
    for (uint32_t n = 0; n < 1100; n += n < 40 || n > 500 ? 1 : 7) {
        toc_pair_batch few = n % 2 ? b->columns : b->list;
        few.count = n;
        memset(b->verdicts, -1, sizeof b->verdicts);
        for (uint32_t i = 0; i < BATCH; i++) b->times[i] = -1;
        assert_ok(toc_pair_find_batch(&few, &test, b->verdicts, b->times));
        assert_memory_equal(b->verdicts, whole->verdicts, n * sizeof *b->verdicts);
        for (uint32_t i = 0; i < n; i++)
            if (b->verdicts[i] != TOC_APART) assert_double_same(b->times[i], whole->times[i]);
        for (uint32_t i = n; i < BATCH; i++) assert_true((int)b->verdicts[i] == -1 && b->times[i] == -1);
        if (n > 600 && n < 1000) n = 1000;
    }
    test_free(whole), test_free(b);
}

static void other_methods_answer_batches_too(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    batch *b = batch_make(&random, TOC_EE);
    toc_pair_test test = settings(false);
    test.method = TOC_METHOD_EXACT;
    assert_ok(toc_pair_find_batch(&b->list, &test, b->verdicts, b->times));
    assert_same_as_single(b, &test);
    b->end[b->vertices[3][2]][1] = NAN;
    assert_fails(toc_pair_find_batch(&b->list, &test, b->verdicts, b->times), TOC_BAD_INPUT, "pair 3");
    test_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_every_method_must_get_right),
        cmocka_unit_test(published_questions),
        cmocka_unit_test(hard_questions_of_every_family),
        cmocka_unit_test(parts_of_the_step),
        cmocka_unit_test(both_features_are_at_the_point_at_any_size),
        cmocka_unit_test(the_largest_doubles),
        cmocka_unit_test(common_questions_need_no_help),
        cmocka_unit_test(separation_is_kept),
        cmocka_unit_test(tolerance_is_kept),
        cmocka_unit_test(batches_answer_as_single_pairs),
        cmocka_unit_test(every_kernel_answers_alike_bit_for_bit),
        cmocka_unit_test(features_of_two_bodies),
        cmocka_unit_test(non_finite_coordinates_are_refused_by_batches),
        cmocka_unit_test(what_a_batch_lacks_is_told),
        cmocka_unit_test(batches_of_every_small_count),
        cmocka_unit_test(other_methods_answer_batches_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
