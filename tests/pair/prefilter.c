// SPDX-License-Identifier: Apache-2.0
// The prefilter in single precision: dropped pairs are apart, and most pairs are dropped.
#include "pair/prefilter.h"

#include <math.h>
#include <string.h>

#include "pair/distance.h"
#include "pair/pair.h"
#include "support/queries.h"

enum { PAIRS = 2203 }; // no multiple of any number of lanes

// Pairs with four vertices each, in one body.
typedef struct scene {
    toc_arena arena;
    double start[4 * PAIRS][3], end[4 * PAIRS][3];
    uint32_t vertices[PAIRS][4], rest[PAIRS];
    toc_pair_batch pairs;
    toc_prefilter glance;
} scene;

static void scene_put(scene *s, uint32_t i, const toc_pair *pair, double scale, const double shift[3]) {
    for (uint32_t k = 0; k < 4; k++) {
        s->vertices[i][k] = 4 * (PAIRS - 1 - i) + 3 - k;
        for (int c = 0; c < 3; c++) {
            s->start[s->vertices[i][k]][c] = pair->x0[k][c] * scale + shift[c];
            s->end[s->vertices[i][k]][c] = pair->x1[k][c] * scale + shift[c];
        }
    }
}

// Pairs of all families but the extreme ones, the smallest of them 2^-smaller the size of the largest.
static scene *scene_make(test_random *random, toc_kind kind, uint32_t smaller) {
    scene *s = test_malloc(sizeof *s);
    for (uint32_t i = 0; i < PAIRS; i++) {
        const int family = (int)(i % TEST_TINY);
        test_query q;
        do q = test_query_make(random, family == TEST_FAR ? TEST_UNIFORM : family);
        while (q.kind != kind);
        const double shift[3] = {test_random_between(random, -4, 4), ldexp(test_random_below(random, 64), -4), 0.5};
        scene_put(s, i, &q.pair, ldexp(1, -(int)test_random_below(random, smaller + 1)), shift);
    }
    s->arena = toc_arena_make(NULL);
    assert_ok(toc_prefilter_make(&s->arena, 4 * PAIRS, *s->start, *s->end, &s->glance));
    assert_non_null(s->glance.bodies[0]);
    s->pairs = (toc_pair_batch){.kind = kind,
                                .count = PAIRS,
                                .vertices = (const uint32_t(*)[4])s->vertices,
                                .body0 = {*s->start, *s->start},
                                .body1 = {*s->end, *s->end},
                                .vertex_count = {4 * PAIRS, 4 * PAIRS}};
    return s;
}

static void scene_free(scene *s) {
    toc_arena_free(&s->arena);
    test_free(s);
}

static toc_pair pair_of(const scene *s, uint32_t i) {
    toc_pair pair;
    for (int k = 0; k < 4; k++) {
        memcpy(pair.x0[k], s->start[s->vertices[i][k]], sizeof pair.x0[k]);
        memcpy(pair.x1[k], s->end[s->vertices[i][k]], sizeof pair.x1[k]);
    }
    return pair;
}

static double distance_at(toc_kind kind, const toc_pair *pair, double t) {
    toc_vec x[4];
    for (int i = 0; i < 4; i++) x[i] = toc_vec_mix(toc_vec_of(pair->x0[i]), toc_vec_of(pair->x1[i]), t);
    return kind == TOC_VF ? toc_closest_vf(x).distance : toc_closest_ee(x).distance;
}

static void assert_apart(const scene *s, uint32_t i, const toc_pair_test *test) {
    const toc_pair pair = pair_of(s, i);
    toc_pair_test exact = *test;
    exact.method = TOC_METHOD_EXACT;
    toc_hit hit;
    assert_ok(toc_pair_find(s->pairs.kind, &pair, &exact, &hit));
    assert_int_equal(hit.verdict, TOC_APART);
    for (int n = 0; n <= 8; n++) {
        const double t = test->from + n / 8.0 * (test->to - test->from);
        assert_true(distance_at(s->pairs.kind, &pair, t) > (test->tolerance + test->separation) * (1 - 1e-9));
    }
}

// @return how many pairs were parted, each of which must be apart.
static uint32_t check_parted(scene *s, const toc_pair_test *test) {
    const size_t left = toc_prefilter_at(toc_backend_here(), &s->glance, &s->pairs, test, s->rest);
    size_t next = 0;
    for (uint32_t i = 0; i < PAIRS; i++) {
        if (next < left && s->rest[next] == i)
            next++;
        else
            assert_apart(s, i, test);
    }
    assert_int_equal(next, left);
    return PAIRS - (uint32_t)left;
}

static void what_is_parted_is_apart(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int n = 0; n < 16; n++) {
        scene *s = scene_make(&random, n % 2 ? TOC_EE : TOC_VF, (uint32_t)n / 2 % 4 * 8);
        toc_pair_test test = toc_pair_test_default();
        if (n % 4 == 1) test.tolerance = test_random_between(&random, 0, 0.1);
        if (n % 4 == 2) test.separation = test_random_between(&random, 0, 0.1);
        if (n % 5 > 2) test.from = test_random_between(&random, 0, 1);
        if (n % 5 > 1) test.to = test_random_between(&random, test.from, 1);
        const uint32_t parted = check_parted(s, &test);
        if (n < 8 && test.tolerance + test.separation == 0) assert_in_range(parted, PAIRS / 8, PAIRS);
        scene_free(s);
    }
}

// The vertex is on the face all the while, in exact arithmetic; as floats they may be on either side of each other.
static void what_touches_is_never_parted(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int n = 0; n < 16; n++) {
        scene *s = scene_make(&random, TOC_VF, 0);
        for (uint32_t i = 0; i < PAIRS; i++) {
            toc_pair pair;
            for (int c = 0; c < 3; c++) {
                // whole numbers below 2^20, so that the sums are exact
                for (int k = 1; k < 4; k++) {
                    pair.x0[k][c] = (double)(test_random_bits(&random) >> 44);
                    pair.x1[k][c] = (double)(test_random_bits(&random) >> 44);
                }
                pair.x0[0][c] = (pair.x0[1][c] + pair.x0[2][c] + 2 * pair.x0[3][c]) / 4;
                pair.x1[0][c] = (pair.x1[1][c] + pair.x1[2][c] + 2 * pair.x1[3][c]) / 4;
            }
            scene_put(s, i, &pair, ldexp(1, -20 - 2 * n), (const double[3]){0.75, -0.625, 0.875});
        }
        s->start[s->vertices[7][0]][1] = s->end[s->vertices[7][0]][1] = -1; // the frame stays as large
        toc_arena_free(&s->arena);
        assert_ok(toc_prefilter_make(&s->arena, 4 * PAIRS, *s->start, *s->end, &s->glance));
        const toc_pair_test test = toc_pair_test_default();
        assert_in_range(toc_prefilter_at(toc_backend_here(), &s->glance, &s->pairs, &test, s->rest), PAIRS - 1, PAIRS);
        scene_free(s);
    }
}

// A vertex passes through a face exactly when the window begins, or ends: a bound of the window that is rounded inward
// leaves the contact out.
static void contacts_at_the_ends_of_the_window(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int end = 0; end < 2; end++) {
        scene *s = scene_make(&random, TOC_VF, 0);
        for (uint32_t i = 0; i < PAIRS; i++) {
            const double z = test_random_between(&random, 0.25, 1), w = 0x1p-12; // small, so that any axis will do
            const toc_pair pair = {.x0 = {{0, 0, -z}, {-w, -w, 0}, {w, -w, 0}, {0, w, 0}},
                                   .x1 = {{0, 0, z}, {-w, -w, 0}, {w, -w, 0}, {0, w, 0}}};
            scene_put(s, i, &pair, 1, (const double[3]){0, 0, 0});
        }
        toc_arena_free(&s->arena);
        assert_ok(toc_prefilter_make(&s->arena, 4 * PAIRS, *s->start, *s->end, &s->glance));
        toc_pair_test test = toc_pair_test_default();
        *(end ? &test.to : &test.from) = 0.5;
        assert_int_equal(toc_prefilter_at(toc_backend_here(), &s->glance, &s->pairs, &test, s->rest), PAIRS);
        scene_free(s);
    }
}

// A vertex that goes through the scene to a corner of a face, and reaches it just before the window ends: rounding of
// the way, which is long, must not take it back.
static void vertices_that_come_from_afar(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int n = 0; n < 12; n++) {
        const double to = test_random_between(&random, 0.3, 0.9);
        scene *s = scene_make(&random, TOC_VF, 0);
        for (uint32_t i = 0; i < PAIRS; i++) {
            toc_pair pair;
            const int axis = (int)(i % 3);
            for (int c = 0; c < 3; c++) {
                pair.x0[0][c] = test_random_between(&random, -0.9, 0.9);
                pair.x1[0][c] = test_random_between(&random, -0.9, 0.9);
                for (int k = 1; k < 4; k++) {
                    pair.x0[k][c] = pair.x0[0][c] + (k > 1 ? test_random_between(&random, -0.1, 0.1) : 0);
                    pair.x1[k][c] = pair.x1[0][c] + pair.x0[k][c] - pair.x0[0][c];
                }
            }
            const double near = test_random_between(&random, 0.7, 1), past = near * (1 / to - 1) * (1 + 1e-9);
            pair.x0[0][axis] = near;
            pair.x1[0][axis] = -past;
            for (int k = 1; k < 4; k++) {
                const double behind = k > 1 ? -test_random_between(&random, 0.01, 0.1) : 0;
                pair.x0[k][axis] = behind - near;
                pair.x1[k][axis] = behind + past;
            }
            scene_put(s, i, &pair, 1, (const double[3]){0, 0, 0});
        }
        toc_arena_free(&s->arena);
        assert_ok(toc_prefilter_make(&s->arena, 4 * PAIRS, *s->start, *s->end, &s->glance));
        toc_pair_test test = toc_pair_test_default();
        test.to = to;
        assert_int_equal(toc_prefilter_at(toc_backend_here(), &s->glance, &s->pairs, &test, s->rest), PAIRS);
        scene_free(s);
    }
}

static void every_kernel_leaves_the_same(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    uint32_t rest[PAIRS];
    for (int n = 0; n < 16; n++) {
        scene *s = scene_make(&random, n % 2 ? TOC_EE : TOC_VF, 8);
        toc_pair_test test = toc_pair_test_default();
        if (n % 4 > 1) test.from = 0.25, test.to = 0.875;
        const size_t count = toc_prefilter_at(toc_backend_of(1), &s->glance, &s->pairs, &test, rest);
        for (int lanes = 4; lanes <= 8; lanes *= 2) {
            const toc_backend *backend = toc_backend_of(lanes);
            if (!backend) continue;
            assert_int_equal(toc_prefilter_at(backend, &s->glance, &s->pairs, &test, s->rest), count);
            assert_memory_equal(s->rest, rest, count * sizeof *rest);
        }
        scene_free(s);
    }
}

// Most pairs that a broad phase leaves are apart: a first look that does not see that is of no use.
static void pairs_of_a_crowd_are_parted(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int kind = 0; kind < 2; kind++) {
        scene *s = scene_make(&random, (toc_kind)kind, 0);
        for (uint32_t i = 0; i < PAIRS; i++) {
            test_query q;
            do q = test_query_make(&random, TEST_UNIFORM);
            while ((int)q.kind != kind);
            scene_put(s, i, &q.pair, 1, (const double[3]){0, 0, 0});
        }
        toc_arena_free(&s->arena);
        assert_ok(toc_prefilter_make(&s->arena, 4 * PAIRS, *s->start, *s->end, &s->glance));
        const toc_pair_test test = toc_pair_test_default();
        uint32_t apart = 0;
        for (uint32_t i = 0; i < PAIRS; i++) {
            const toc_pair pair = pair_of(s, i);
            toc_hit hit;
            assert_ok(toc_pair_find((toc_kind)kind, &pair, &test, &hit));
            apart += hit.verdict == TOC_APART;
        }
        assert_in_range(check_parted(s, &test), apart / 2, apart);
        scene_free(s);
    }
}

static void sizes_beyond_floats(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int exponent = -1060; exponent <= 1000; exponent += 103) {
        scene *s = scene_make(&random, TOC_EE, 0);
        for (uint32_t i = 0; i < 4 * PAIRS; i++)
            for (int c = 0; c < 3; c++)
                s->start[i][c] = ldexp(s->start[i][c], exponent), s->end[i][c] = ldexp(s->end[i][c], exponent);
        toc_arena_free(&s->arena);
        assert_ok(toc_prefilter_make(&s->arena, 4 * PAIRS, *s->start, *s->end, &s->glance));
        const toc_pair_test test = toc_pair_test_default();
        const size_t left = toc_prefilter_at(toc_backend_here(), &s->glance, &s->pairs, &test, s->rest);
        for (uint32_t i = 0, next = 0; i < PAIRS; i++) {
            const toc_pair pair = pair_of(s, i);
            toc_hit hit = {.verdict = TOC_APART};
            if (next < left && s->rest[next] == i)
                next++;
            else
                assert_ok(toc_pair_find(TOC_EE, &pair, &test, &hit));
            assert_int_equal(hit.verdict, TOC_APART);
        }
        scene_free(s);
    }
}

static void nothing_is_parted_where_something_is_not_finite(void **state) {
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    test_random random = test_random_make(0);
    scene *s = scene_make(&random, TOC_VF, 0);
    const toc_pair_test test = toc_pair_test_default();
    for (int n = 0; n < 6; n++) {
        double *at = n < 3 ? &s->start[5][n] : &s->end[77][n - 3];
        const double before = *at;
        *at = bad[n % 3];
        assert_ok(toc_prefilter_make(&s->arena, 4 * PAIRS, *s->start, *s->end, &s->glance));
        assert_null(s->glance.bodies[0]);
        assert_int_equal(toc_prefilter_at(toc_backend_here(), &s->glance, &s->pairs, &test, s->rest), PAIRS);
        assert_int_equal(s->rest[PAIRS - 1], PAIRS - 1);
        *at = before;
    }
    scene_free(s);
}

// ---- as batches use it: more pairs than vertices

enum { VERTICES = 60, MANY = 3000 };

typedef struct crowd {
    double start[VERTICES][3], end[VERTICES][3];
    uint32_t vertices[MANY][4];
    toc_verdict verdicts[MANY];
    double times[MANY];
    toc_pair_batch pairs;
} crowd;

static void crowd_make(test_random *random, toc_kind kind, crowd *c) {
    for (uint32_t i = 0; i < VERTICES; i++)
        for (int k = 0; k < 3; k++) {
            c->start[i][k] = test_random_between(random, -1, 1);
            c->end[i][k] = c->start[i][k] + test_random_between(random, -0.5, 0.5);
        }
    for (uint32_t i = 0; i < MANY; i++)
        for (uint32_t k = 0; k < 4; k++) c->vertices[i][k] = (test_random_below(random, VERTICES / 4) * 4) + k;
    c->pairs = (toc_pair_batch){.kind = kind,
                                .count = MANY,
                                .vertices = (const uint32_t(*)[4])c->vertices,
                                .body0 = {*c->start, *c->start},
                                .body1 = {*c->end, *c->end}};
}

static void assert_as_single_pairs(crowd *c, const toc_pair_test *test) {
    memset(c->verdicts, -1, sizeof c->verdicts);
    assert_ok(toc_pair_find_batch(&c->pairs, test, c->verdicts, c->times));
    for (uint32_t i = 0; i < MANY; i++) {
        toc_pair pair;
        for (int k = 0; k < 4; k++) {
            const int second = k > (c->pairs.kind == TOC_VF ? 0 : 1);
            memcpy(pair.x0[k], c->pairs.body0[second] + 3 * c->vertices[i][k], sizeof pair.x0[k]);
            memcpy(pair.x1[k], c->pairs.body1[second] + 3 * c->vertices[i][k], sizeof pair.x1[k]);
        }
        toc_hit hit;
        assert_ok(toc_pair_find(c->pairs.kind, &pair, test, &hit));
        assert_int_equal(c->verdicts[i], hit.verdict);
        if (hit.verdict != TOC_APART) assert_double_same(c->times[i], hit.toc);
    }
}

static void batches_answer_as_single_pairs(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    crowd *c = test_malloc(sizeof *c);
    for (int n = 0; n < 12; n++) {
        crowd_make(&random, n % 2 ? TOC_EE : TOC_VF, c);
        toc_pair_test test = toc_pair_test_default();
        if (n % 3 == 1) test.tolerance = 0.05;
        if (n % 4 == 3) test.from = 0.125, test.to = 0.75;
        assert_as_single_pairs(c, &test);
        c->pairs.vertex_count[0] = c->pairs.vertex_count[1] = VERTICES;
        assert_as_single_pairs(c, &test);
    }
    test_free(c);
}

// The bodies are packed apart, in one frame.
static void batches_of_two_bodies(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    crowd *c = test_malloc(sizeof *c), *other = test_malloc(sizeof *c);
    for (int n = 0; n < 4; n++) {
        crowd_make(&random, n % 2 ? TOC_EE : TOC_VF, c);
        crowd_make(&random, c->pairs.kind, other);
        c->pairs.body0[1] = *other->start, c->pairs.body1[1] = *other->end;
        const toc_pair_test test = toc_pair_test_default();
        assert_as_single_pairs(c, &test);
        c->pairs.vertex_count[0] = c->pairs.vertex_count[1] = VERTICES;
        assert_as_single_pairs(c, &test);
    }
    test_free(c), test_free(other);
}

// A vertex that is not finite and of no pair takes the first look away, but nothing else.
static void vertices_of_no_pair_do_not_matter(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    crowd *c = test_malloc(sizeof *c);
    crowd_make(&random, TOC_EE, c);
    for (uint32_t i = 0; i < MANY; i++)
        for (int k = 0; k < 4; k++)
            c->vertices[i][k] = c->vertices[i][k] < 4 ? c->vertices[i][k] + 4 : c->vertices[i][k];
    c->start[2][1] = NAN;
    const toc_pair_test test = toc_pair_test_default();
    assert_as_single_pairs(c, &test);
    c->start[9][1] = INFINITY;
    assert_fails(toc_pair_find_batch(&c->pairs, &test, c->verdicts, c->times), TOC_BAD_INPUT, "not finite");
    test_free(c);
}

static toc_status ask_with(const toc_allocator *allocator, void *user) {
    crowd *c = user;
    const toc_pair_test test = toc_pair_test_default();
    toc_arena scratch = toc_arena_make(allocator);
    const toc_status status = toc_pair_find_batch_unchecked(&c->pairs, &test, &scratch, c->verdicts, c->times);
    toc_arena_free(&scratch);
    return status;
}

static void running_out_of_memory(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    crowd *c = test_malloc(sizeof *c);
    crowd_make(&random, TOC_VF, c);
    assert_true(test_every_allocation(ask_with, c) > 0);
    test_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_parted_is_apart),
        cmocka_unit_test(what_touches_is_never_parted),
        cmocka_unit_test(contacts_at_the_ends_of_the_window),
        cmocka_unit_test(vertices_that_come_from_afar),
        cmocka_unit_test(every_kernel_leaves_the_same),
        cmocka_unit_test(pairs_of_a_crowd_are_parted),
        cmocka_unit_test(sizes_beyond_floats),
        cmocka_unit_test(nothing_is_parted_where_something_is_not_finite),
        cmocka_unit_test(batches_answer_as_single_pairs),
        cmocka_unit_test(batches_of_two_bodies),
        cmocka_unit_test(vertices_of_no_pair_do_not_matter),
        cmocka_unit_test(running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
