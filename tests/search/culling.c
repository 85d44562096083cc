// SPDX-License-Identifier: Apache-2.0
// The preset of simple culling: its steps account for every feature pair, and none of them is needed for the answer.
#include <stdio.h>

#include "support/answers.h"
#include "support/test.h"
#include "toccata/research.h"

static toc_contacts *find_culled(toc_scene *bodies, toc_method method, uint32_t skip) {
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.preset = "culling";
    query.test.method = method;
    query.research = &(toc_research){.skip = skip};
    query.threads = 2;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    return contacts;
}

static const char *const steps[] = {"plane (4.3)", "three (6.2)",  "two (6.1)",    "lines (5.1)",
                                    "third (6.3)", "circle (4.4)", "circles (5.2)"};
enum { STEPS = sizeof steps / sizeof *steps };

// A skipped step removes nothing; each step gets the pairs that the one before left.
static void assert_steps_add_up(const toc_contacts *got, uint32_t skip) {
    uint64_t left = test_stage(got, "triangle pairs").out;
    for (int i = 0; i < STEPS; i++) {
        const toc_stage step = test_stage(got, steps[i]);
        assert_int_equal(step.in, left);
        assert_true(step.out <= step.in);
        if (skip & ((uint32_t)TOC_SKIP_TRIANGLE_PLANE << i)) assert_int_equal(step.out, step.in);
        left = step.out;
    }
    assert_int_equal(test_stage(got, "certified").in, left);
}

static void any_step_can_be_skipped(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t contacts = 0;
    for (int round = 0; round < test_less(12, 4); round++) {
        toc_scene *bodies = test_scene_of_soups(&random, TOC_TRIANGLE, 40, 60, 0.2);
        toc_contacts *truth = test_find_truth(bodies, 0);
        for (uint32_t i = 0; i < STEPS + 2u; i++) {
            const uint32_t all = TOC_SKIP_ALL & ~(TOC_SKIP_TRIANGLE_PLANE - 1u);
            const uint32_t skip = i < STEPS ? (uint32_t)TOC_SKIP_TRIANGLE_PLANE << i : i == STEPS ? 0 : all;
            toc_contacts *got = find_culled(bodies, TOC_METHOD_CERTIFIED, skip);
            test_assert_same_pairs(got, truth);
            assert_steps_add_up(got, skip);
            toc_contacts_destroy(got);
        }
        contacts += truth->count;
        toc_contacts_destroy(truth);
        toc_scene_destroy(bodies);
    }
    assert_true(contacts > 50);
}

// The paper's own test behind the steps: advancement, which reports all contacts and few others.
static void advancement_misses_nothing(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < test_less(12, 4); round++) {
        toc_scene *bodies = test_scene_of_soups(&random, TOC_TRIANGLE, 40, 60, 0.2);
        toc_contacts *truth = test_find_truth(bodies, 0), *got = find_culled(bodies, TOC_METHOD_OF_PRESET, 0);
        test_assert_same_pairs(got, truth);
        toc_contacts_destroy(got);
        toc_contacts_destroy(truth);
        toc_scene_destroy(bodies);
    }
}

// A vertex that reaches the other triangle exactly at the end of the step: strict signs must keep the pair.
static void contact_at_the_very_end(void **state) {
    (void)state;
    const double x0[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.25, 0.25, 1, 0.5, 0.25, 1, 0.25, 0.5, 1};
    const double x1[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.25, 0.25, 0, 0.5, 0.25, 0, 0.25, 0.5, 0};
    const uint32_t corners[] = {0, 1, 2, 3, 4, 5};
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 6, x0, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, corners, NULL));
    assert_ok(test_mesh_set_motion(mesh, x0, x1));
    toc_scene *bodies = test_scene_of(mesh, NULL);
    toc_contacts *truth = test_find_truth(bodies, 0), *got = find_culled(bodies, TOC_METHOD_CERTIFIED, 0);
    assert_true(truth->count >= 3);
    test_assert_same_pairs(got, truth);
    toc_contacts_destroy(got);
    toc_contacts_destroy(truth);
    toc_scene_destroy(bodies);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_step_can_be_skipped),
        cmocka_unit_test(advancement_misses_nothing),
        cmocka_unit_test(contact_at_the_very_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
