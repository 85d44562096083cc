// SPDX-License-Identifier: Apache-2.0
// Parameters of published methods: any k, any height of the lower nodes and any limit of normals; bad ones are refused.
#include <math.h>

#include "support/answers.h"
#include "support/test.h"
#include "toccata/research.h"

static toc_contacts *find_with(toc_scene *bodies, toc_query query) {
    toc_contacts *contacts;
    query.test.method = TOC_METHOD_CERTIFIED;
    query.threads = 2;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    return contacts;
}

static void assert_same_with(toc_scene *bodies, toc_query query, const toc_contacts *truth) {
    toc_contacts *all = find_with(bodies, query);
    test_assert_same_pairs(all, truth);
    query.answer = TOC_ANSWER_FIRST;
    toc_contacts *first = find_with(bodies, query);
    assert_memory_equal(first->contacts, toc_contacts_find_first(all), sizeof *first->contacts);
    toc_contacts_destroy(all);
    toc_contacts_destroy(first);
}

// One scene: its kept trees and grids must follow the change of k.
static void assert_parameters_agree(toc_scene *bodies) {
    const int sides[] = {6, 26, 14, 18, 16, 0};
    const char *const presets[] = {"local", "bvh", "culling", "volccd", "hashccd", "voxel-safe", "auto"};
    toc_contacts *truth = test_find_truth(bodies, 0);
    assert_true(truth->count > 5);
    for (int i = 0; i < 6; i++)
        for (int p = 0; p < 7; p++) {
            toc_query query = toc_query_default();
            query.preset = presets[p];
            query.research = &(toc_research){.dop = sides[i], .lower_height = i};
            assert_same_with(bodies, query, truth);
        }
    toc_contacts_destroy(truth);
    toc_scene_destroy(bodies);
}

static void any_k_and_height_give_the_same_contacts(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    assert_parameters_agree(test_scene_of_soups(&random, TOC_TRIANGLE, 60, 90, 0.2));
    assert_parameters_agree(test_scene_of_soups(&random, TOC_TET, 30, 60, 0.2));
    toc_mesh *block = test_grid_volume(TOC_TET, 4, 4, 4);
    test_shake(block, &random, 0.3, 0.4);
    assert_parameters_agree(test_scene_of(block, NULL));
}

static size_t count_by_limit(toc_scene *bodies, double limit, double separation) {
    toc_query query = toc_query_default();
    query.preset = "voxel";
    query.research = &(toc_research){.normal_limit = limit};
    query.test.separation = separation;
    toc_contacts *contacts = find_with(bodies, query);
    const size_t count = contacts->count;
    toc_contacts_destroy(contacts);
    return count;
}

// Two triangles with a common edge, folded by 150 degrees: their free corners are within half a length.
static void limit_of_normals_rises_with_the_thickness(void **state) {
    (void)state;
    const double x[] = {0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, 0.86, 0.5};
    const uint32_t corners[] = {0, 1, 2, 1, 0, 3};
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 4, x, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, corners, NULL));
    toc_scene *bodies = test_scene_of(mesh, NULL);
    assert_int_equal(count_by_limit(bodies, 0, 0), 0);
    assert_int_equal(count_by_limit(bodies, 0, 0.3), 0);
    toc_contacts *truth = test_find_truth(bodies, 0.6);
    assert_true(truth->count > 0);
    assert_int_equal(count_by_limit(bodies, 0, 0.6), truth->count);
    assert_int_equal(count_by_limit(bodies, 1, 0.6), truth->count);
    toc_contacts_destroy(truth);
    toc_scene_destroy(bodies);
}

static void bad_parameters_are_refused(void **state) {
    (void)state;
    toc_scene *bodies = test_scene_of(test_grid_sheet(TOC_TRIANGLE, 1, 1), NULL);
    toc_contacts *contacts;
    toc_query query = toc_query_default();
    toc_research research = {.dop = 7};
    query.research = &research;
    assert_fails(toc_scene_find_contacts(bodies, &query, NULL, &contacts), TOC_BAD_INPUT, "7");
    research = (toc_research){.lower_height = 31};
    assert_fails(toc_scene_find_contacts(bodies, &query, NULL, &contacts), TOC_BAD_INPUT, "lower");
    research = (toc_research){.lower_height = -1};
    assert_fails(toc_scene_find_contacts(bodies, &query, NULL, &contacts), TOC_BAD_INPUT, "lower");
    research = (toc_research){.normal_limit = NAN};
    assert_fails(toc_scene_find_contacts(bodies, &query, NULL, &contacts), TOC_BAD_INPUT, "cosine");
    toc_scene_destroy(bodies);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_k_and_height_give_the_same_contacts),
        cmocka_unit_test(limit_of_normals_rises_with_the_thickness),
        cmocka_unit_test(bad_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
