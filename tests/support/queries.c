// SPDX-License-Identifier: Apache-2.0
#include "support/queries.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pair/pair.h"

static void fill_uniform(test_random *random, double x[4][3], double low, double high) {
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) x[i][k] = test_random_between(random, low, high);
}

// Multiples of 16 in a small range: halves and quarters of their sums are exact.
static void fill_grid(test_random *random, double x[4][3], uint32_t count, double step) {
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) x[i][k] = step * test_random_below(random, count);
}

// Move the first vertex so that the two features touch, in exact arithmetic, for corners that are multiples of 16.
static void make_touch(test_random *random, toc_kind kind, double x[4][3]) {
    const double u = 0.25 * test_random_below(random, 5), v = 0.25 * test_random_below(random, 5);
    for (int k = 0; k < 3; k++) {
        if (kind == TOC_VF) {
            x[0][k] = (1 - u) * x[1][k] + u * ((1 - v) * x[2][k] + v * x[3][k]);
        } else { // the point of the second edge halfway between the ends of the first
            x[0][k] = 2 * ((1 - u) * x[2][k] + u * x[3][k]) - x[1][k];
        }
    }
}

static void move_a_little(test_random *random, toc_pair *pair, double by) {
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) pair->x1[i][k] = pair->x0[i][k] + test_random_between(random, -by, by);
}

static void move_along(double x[3], const double from[3], const double to[3], double u, double off) {
    for (int k = 0; k < 3; k++) x[k] = from[k] + u * (to[k] - from[k]) + off * (k == 2);
}

// Put corners 0 and 1 almost on the line through 2 and 3, at both ends.
static void make_parallel(test_random *random, toc_pair *pair, double off) {
    for (int i = 0; i < 2; i++) {
        const double u = test_random_between(random, -0.5, 1.5);
        move_along(pair->x0[i], pair->x0[2], pair->x0[3], u, off * test_random_between(random, -1, 1));
        move_along(pair->x1[i], pair->x1[2], pair->x1[3], u, off * test_random_between(random, -1, 1));
    }
}

// The second feature rests; the first slides along its edge between corners 2 and 3.
static void make_sliding(test_random *random, toc_pair *pair, double off) {
    memcpy(pair->x1, pair->x0, sizeof pair->x1);
    const double by = off * test_random_between(random, -1, 1);
    move_along(pair->x0[0], pair->x0[2], pair->x0[3], test_random_between(random, -0.5, 1.5), by);
    move_along(pair->x1[0], pair->x0[2], pair->x0[3], test_random_between(random, -0.5, 1.5), by);
}

static void share(test_random *random, toc_pair *pair) {
    for (int n = 0; n < 6; n++) {
        double(*x)[3] = test_random_below(random, 2) ? pair->x0 : pair->x1;
        const uint32_t i = test_random_below(random, 4), j = test_random_below(random, 4);
        for (int k = 0; k < 3; k++)
            if (n % 2 || k == n / 2 % 3) x[i][k] = x[j][k];
    }
}

static void scale_pair(toc_pair *pair, int exponent) {
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            pair->x0[i][k] = ldexp(pair->x0[i][k], exponent);
            pair->x1[i][k] = ldexp(pair->x1[i][k], exponent);
        }
}

test_query test_query_make(test_random *random, int family) {
    if (family == TEST_TINY || family == TEST_HUGE) {
        test_query q = test_query_make(random, (int)test_random_below(random, TEST_TINY));
        scale_pair(&q.pair, family == TEST_TINY ? -1000 : 1000);
        return q;
    }
    test_query q = {.kind = test_random_below(random, 2) ? TOC_EE : TOC_VF};
    fill_uniform(random, q.pair.x0, -1, 1);
    fill_uniform(random, q.pair.x1, -1, 1);
    switch (family) {
    case TEST_GRID:
        fill_grid(random, q.pair.x0, 3, 1);
        fill_grid(random, q.pair.x1, 3, 1);
        break;
    case TEST_TOUCH_AT_START:
    case TEST_TOUCH_AT_END:
        fill_grid(random, q.pair.x0, 9, 16);
        fill_grid(random, q.pair.x1, 9, 16);
        make_touch(random, q.kind, family == TEST_TOUCH_AT_START ? q.pair.x0 : q.pair.x1);
        break;
    case TEST_PLANAR:
        for (int i = 0; i < 4; i++) q.pair.x0[i][2] = q.pair.x1[i][2] = 0.5;
        break;
    case TEST_NEEDLE:
        for (int k = 0; k < 3; k++) {
            q.pair.x0[3][k] = q.pair.x0[2][k] + test_random_between(random, -1e-13, 1e-13);
            q.pair.x1[3][k] = q.pair.x1[2][k] + test_random_between(random, -1e-13, 1e-13);
        }
        break;
    case TEST_FAR:
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++) q.pair.x0[i][k] = 1000 + 0.02 * q.pair.x0[i][k];
        move_a_little(random, &q.pair, 0.01);
        break;
    case TEST_SLOW:
        fill_uniform(random, q.pair.x0, 0, 0.02);
        move_a_little(random, &q.pair, 0.01);
        break;
    case TEST_PARALLEL:
        make_parallel(random, &q.pair, ldexp(1, -(int)test_random_below(random, 60)));
        break;
    case TEST_SLIDING:
        make_sliding(random, &q.pair, ldexp(1, -(int)test_random_below(random, 60)));
        break;
    case TEST_SHARED:
        share(random, &q.pair);
        break;
    case TEST_ROTATING:
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 3; k++) q.pair.x1[i][k] = -q.pair.x0[i][k] * test_random_between(random, 0.9, 1.1);
        for (int i = 2; i < 4; i++) memcpy(q.pair.x1[i], q.pair.x0[i], sizeof q.pair.x1[i]);
        break;
    default:
        break;
    }
    return q;
}

toc_hit test_ask(const test_query *query, toc_method method, double from, double to) {
    toc_pair_test test = toc_pair_test_default();
    test.method = method;
    test.exact = false;
    if (method != TOC_METHOD_EXACT && method != TOC_METHOD_CERTIFIED) test.tolerance = 1e-6;
    test.from = from;
    test.to = to;
    toc_hit hit = {.verdict = TOC_APART};
    assert_ok(toc_pair_find(query->kind, &query->pair, &test, &hit));
    return hit;
}

static void score_one(test_score *score, const toc_hit *hit, bool collides) {
    score->queries++;
    score->hits += collides;
    score->missed += collides && hit->verdict == TOC_APART;
    score->false_alarms += !collides && hit->verdict != TOC_APART;
    score->undecided += hit->verdict == TOC_UNDECIDED;
}

// Whether a time is after the contact. The time of exact arithmetic is the last double that is not.
static bool is_late(const test_query *q, double toc) {
    const toc_pair_test test = toc_pair_test_default();
    toc_arena scratch = toc_arena_make(NULL);
    toc_hit truth = {.verdict = TOC_APART};
    assert_ok(toc_integer_pair(q->kind, q->pair.x0, q->pair.x1, &test, &scratch, &truth));
    toc_arena_free(&scratch);
    return toc > truth.toc;
}

test_score test_score_random(toc_method method, int families, uint64_t count) {
    test_random random = test_random_make(0);
    test_score score = {0};
    for (uint64_t i = 0; i < count; i++)
        for (int family = 0; family < families; family++) {
            const test_query q = test_query_make(&random, family);
            const toc_hit truth = test_ask(&q, TOC_METHOD_EXACT, 0, 1), hit = test_ask(&q, method, 0, 1);
            score_one(&score, &hit, truth.verdict != TOC_APART);
            if (truth.verdict != TOC_APART && hit.verdict != TOC_APART && hit.toc > truth.toc)
                score.late += is_late(&q, hit.toc);
        }
    return score;
}

// One row: three fractions and the answer. False at the end of the file.
static bool read_row(FILE *file, double x[3], bool *collides) {
    char line[4096], *at = line;
    if (!fgets(line, sizeof line, file)) return false;
    for (int k = 0; k < 3; k++) {
        const double above = strtod(at, &at), below = strtod(at + 1, &at);
        x[k] = above / below;
        at++;
    }
    *collides = strtol(at, NULL, 10) != 0;
    return true;
}

typedef void see_query(void *user, const test_query *query, bool collides);

static void see_file(const char *path, toc_kind kind, int stride, see_query *see, void *user) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    test_query q = {.kind = kind};
    bool collides = false;
    for (int row = 0; read_row(file, row % 8 < 4 ? q.pair.x0[row % 8] : q.pair.x1[row % 8 - 4], &collides); row++)
        if (row % 8 == 7 && row / 8 % stride == 0) see(user, &q, collides);
    fclose(file);
}

void test_published(int stride, see_query *see, void *user) {
    static const char *const sets[] = {"erleben-cube-cliff-edges", "erleben-sliding-spike", "erleben-spike-crack",
                                       "erleben-spikes",           "erleben-wedges",        "unit-tests"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (int part = 0; part < 4; part++) {
            char name[256];
            snprintf(name, sizeof name, "queries/%s/%s_data_0_%d.csv", sets[i], part < 2 ? "vertex-face" : "edge-edge",
                     part % 2);
            assert_non_null(test_data("%s", name));
            see_file(test_data("%s", name), part < 2 ? TOC_VF : TOC_EE, stride, see, user);
        }
}

typedef struct scoring {
    toc_method method;
    test_score score;
} scoring;

static void score_query(void *user, const test_query *q, bool collides) {
    scoring *s = user;
    const toc_hit hit = test_ask(q, s->method, 0, 1);
    score_one(&s->score, &hit, collides);
}

test_score test_score_published(toc_method method, int stride) {
    scoring s = {.method = method};
    test_published(stride, score_query, &s);
    return s.score;
}

#define FLOOR \
    {0, 0, 0}, {4, 0, 0}, { 0, 4, 0 }
#define BEAM \
    {0, -1, 0}, { 0, 1, 0 }

static void assert_hits(const test_query *q, toc_method method, double from, double to, double toc) {
    const toc_hit hit = test_ask(q, method, from, to);
    assert_int_not_equal(hit.verdict, TOC_APART);
    assert_double_near(hit.toc, toc, 1e-5);
    assert_true(hit.toc >= from && hit.toc <= to);
}

static void assert_apart(const test_query *q, toc_method method, double from, double to) {
    assert_int_equal(test_ask(q, method, from, to).verdict, TOC_APART);
}

void test_method_basics(toc_method method) {
    const test_query falls = {TOC_VF, {{{1, 1, 1}, FLOOR}, {{1, 1, -1}, FLOOR}}};
    assert_hits(&falls, method, 0, 1, 0.5);
    assert_hits(&falls, method, 0.25, 0.75, 0.5);
    assert_apart(&falls, method, 0, 0.4);
    assert_apart(&falls, method, 0.6, 1);
    assert_hits(&(test_query){TOC_VF, {{{1, 1, 1}, FLOOR}, {{1, 1, 0}, FLOOR}}}, method, 0, 1, 1);
    assert_hits(&(test_query){TOC_VF, {{{1, 1, 0}, FLOOR}, {{1, 1, 1}, FLOOR}}}, method, 0, 1, 0);
    assert_apart(&(test_query){TOC_VF, {{{1, 1, 1}, FLOOR}, {{1, 1, 0.5}, FLOOR}}}, method, 0, 1);
    assert_apart(&(test_query){TOC_VF, {{{5, 5, 1}, FLOOR}, {{5, 5, -1}, FLOOR}}}, method, 0, 1);
    assert_apart(&(test_query){TOC_VF, {{{1, 1, 1}, FLOOR}, {{1, 1, 1}, FLOOR}}}, method, 0, 1);
    const test_query crosses = {TOC_EE, {{{-1, 0, 1}, {1, 0, 1}, BEAM}, {{-1, 0, -3}, {1, 0, -3}, BEAM}}};
    assert_hits(&crosses, method, 0, 1, 0.25);
    assert_apart(&crosses, method, 0.5, 1);
    assert_hits(&(test_query){TOC_EE, {{{-1, 0, 1}, {1, 0, 1}, BEAM}, {{-1, 0, 0}, {1, 0, 0}, BEAM}}}, method, 0, 1, 1);
    assert_hits(&(test_query){TOC_EE, {{{-1, 0, 0}, {1, 0, 0}, BEAM}, {{-1, 0, 1}, {1, 0, 1}, BEAM}}}, method, 0, 1, 0);
    assert_apart(&(test_query){TOC_EE, {{{2, 0, 1}, {4, 0, 1}, BEAM}, {{2, 0, -3}, {4, 0, -3}, BEAM}}}, method, 0, 1);
}

void assert_never_apart_when_huge(toc_method method) {
    for (double s = 1; s < 1.7e308 / 10; s *= 1e11) {
        const test_query falls = {TOC_VF,
                                  {{{s, s, s}, {0, 0, 0}, {4 * s, 0, 0}, {0, 4 * s, 0}},
                                   {{s, s, -s}, {0, 0, 0}, {4 * s, 0, 0}, {0, 4 * s, 0}}}};
        assert_int_not_equal(test_ask(&falls, method, 0, 1).verdict, TOC_APART);
    }
}

static void add_feature(toc_scene *bodies, int corners, const double x0[][3], const double x1[][3]) {
    const toc_shape shapes[] = {TOC_POINT, TOC_EDGE, TOC_TRIANGLE};
    const uint32_t ids[] = {0, 1, 2};
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, (size_t)corners, x0[0], NULL));
    assert_ok(toc_mesh_add_elements(mesh, shapes[corners - 1], 1, ids, NULL));
    assert_ok(test_mesh_set_motion(mesh, x0[0], x1[0]));
    assert_ok(toc_scene_add_body(bodies, mesh, NULL));
}

toc_scene *test_scene_of_pair(toc_kind kind, const toc_pair *pair) {
    const int second = kind == TOC_VF ? 1 : 2;
    toc_scene *bodies;
    assert_ok(toc_scene_create(NULL, &bodies));
    add_feature(bodies, second, pair->x0, pair->x1);
    add_feature(bodies, 4 - second, pair->x0 + second, pair->x1 + second);
    return bodies;
}
