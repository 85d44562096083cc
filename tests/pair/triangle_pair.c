// SPDX-License-Identifier: Apache-2.0
// The first contact of two triangles, by every way there is.
#include "pair/triangle_pair.h"

#include <string.h>

#include "support/queries.h"

static toc_triangles_hit find(const toc_triangles *t, toc_method method, unsigned steps) {
    toc_pair_test test = toc_pair_test_default();
    test.method = method;
    test.exact = false;
    toc_arena scratch = toc_arena_make(NULL);
    toc_triangles_hit hit;
    assert_ok(toc_triangles_find(t, &test, steps, &scratch, NULL, &hit));
    toc_arena_free(&scratch);
    return hit;
}

static toc_triangles random_triangles(test_random *random, double motion) {
    toc_triangles t = {.pairs = TOC_TRIANGLE_ALL};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) {
            t.x0[i][k] = test_random_between(random, -1, 1);
            t.x1[i][k] = t.x0[i][k] + test_random_between(random, -motion, motion);
        }
    return t;
}

// Every way finds the first contact that exact arithmetic finds, at the same time or a little earlier.
static void all_ways_agree_on_the_first_contact(void **state) {
    (void)state;
    static const struct {
        toc_method method;
        unsigned steps;
    } ways[] = {{TOC_METHOD_CULLING, TOC_STEP_ALL},
                {TOC_METHOD_CULLING, 0},
                {TOC_METHOD_CA_FEATURE, 0},
                {TOC_METHOD_INCLUSION, 0}};
    test_random random = test_random_make(0);
    int hits = 0;
    for (int round = 0; round < 200; round++) {
        const toc_triangles t = random_triangles(&random, 1);
        const toc_triangles_hit truth = find(&t, TOC_METHOD_EXACT, 0);
        hits += truth.verdict == TOC_HIT;
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            const toc_triangles_hit hit = find(&t, ways[i].method, ways[i].steps);
            assert_int_equal(hit.verdict != TOC_APART, truth.verdict == TOC_HIT);
            if (hit.verdict != TOC_HIT) continue;
            assert_true(hit.toc <= truth.toc * (1 + 1e-15));
            assert_double_near(hit.toc, truth.toc, 1e-3);
        }
    }
    assert_in_range(hits, 20, 180);
}

// A whole triangle's advancement finds what the feature pairs find, or that the triangles were never apart.
static void whole_triangles_miss_nothing(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int through = 0;
    for (int round = 0; round < 300; round++) {
        const toc_triangles t = random_triangles(&random, 0.5);
        const toc_triangles_hit truth = find(&t, TOC_METHOD_EXACT, 0), hit = find(&t, TOC_METHOD_CA_TRIANGLE, 0);
        if (truth.verdict == TOC_HIT) assert_int_not_equal(hit.verdict, TOC_APART);
        if (truth.verdict == TOC_HIT) assert_true(hit.toc <= truth.toc * (1 + 1e-15));
        if (truth.verdict == TOC_APART && hit.verdict != TOC_APART) through += hit.toc == 0;
    }
    assert_true(through > 0);
}

// The triangles are through each other all the time and no feature touches another: only the whole triangles show it.
static void triangles_through_each_other_from_the_start(void **state) {
    (void)state;
    toc_triangles t = {.x0 = {{1, 1, -1}, {1, 1, 1}, {2, 2, 0.5}, {0, 0, 0}, {8, 0, 0}, {0, 8, 0}},
                       .pairs = TOC_TRIANGLE_ALL};
    memcpy(t.x1, t.x0, sizeof t.x1);
    assert_int_equal(find(&t, TOC_METHOD_CULLING, TOC_STEP_ALL).verdict, TOC_APART);
    assert_int_equal(find(&t, TOC_METHOD_CA_TRIANGLE, 0).verdict, TOC_HIT);
    assert_double_same(find(&t, TOC_METHOD_CA_TRIANGLE, 0).toc, 0);
}

// Once a contact is known, later ones are not looked for: the earlier of two is reported, whichever comes first in
// order.
static void the_earlier_of_two_contacts(void **state) {
    (void)state;
    const toc_triangles t = {
        .x0 = {{1, 1, 2}, {2, 1, 1}, {1, 2, 3}, {0, 0, 0}, {9, 0, 0}, {0, 9, 0}},
        .x1 = {{1, 1, -2}, {2, 1, -3}, {1, 2, -1}, {0, 0, 0}, {9, 0, 0}, {0, 9, 0}},
        .pairs = TOC_TRIANGLE_ALL,
    };
    const toc_triangles_hit hit = find(&t, TOC_METHOD_CULLING, TOC_STEP_ALL);
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_int_equal(hit.pair, 1);
    assert_double_near(hit.toc, 0.25, 1e-6);
}

static void whole_triangles_need_all_pairs(void **state) {
    (void)state;
    toc_triangles t = {.pairs = TOC_TRIANGLE_ALL & ~TOC_TRIANGLE_AB(0)};
    toc_pair_test test = toc_pair_test_default();
    test.method = TOC_METHOD_CA_TRIANGLE;
    toc_arena scratch = toc_arena_make(NULL);
    toc_triangles_hit hit;
    assert_fails(toc_triangles_find(&t, &test, 0, &scratch, NULL, &hit), TOC_BAD_INPUT, "share no vertex");
    toc_arena_free(&scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ways_agree_on_the_first_contact),
        cmocka_unit_test(whole_triangles_miss_nothing),
        cmocka_unit_test(triangles_through_each_other_from_the_start),
        cmocka_unit_test(the_earlier_of_two_contacts),
        cmocka_unit_test(whole_triangles_need_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
