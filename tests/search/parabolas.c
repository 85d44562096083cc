// SPDX-License-Identifier: Apache-2.0
// Accelerated bodies in every preset: the contacts of brute force with exact arithmetic on quadratic paths.
#include <string.h>

#include "support/answers.h"

enum { VERTICES = 20 };

// Gravity for all, and an acceleration of its own for each vertex.
static void accelerate_body(toc_scene *bodies, uint32_t body, test_random *random, double own) {
    double a[3 * VERTICES];
    toc_mesh *mesh = toc_scene_edit_mesh(bodies, body);
    assert_int_equal(toc_mesh_get_vertex_count(mesh), VERTICES);
    for (int i = 0; i < 3 * VERTICES; i++)
        a[i] = (i % 3 == 2 ? -3 : 0) + (own > 0 ? test_random_between(random, -own, own) : 0);
    assert_ok(test_mesh_accelerate(mesh, a));
}

static void every_preset_matches_brute_force(void **state) {
    (void)state;
    static const toc_shape shapes[] = {TOC_TRIANGLE, TOC_TET, TOC_REMOVED};
    size_t found = 0, presets_asked = 0;
    for (int i = 0; i < 3; i++) {
        test_random random = {(uint64_t)i + 1};
        toc_scene *bodies = test_scene_of_soups(&random, shapes[i], 5, VERTICES, 0.2);
        for (int step = 0; step < test_less(3, 1); step++) {
            for (uint32_t b = 0; b < 2; b++) {
                test_step_body(bodies, b, &random, step == 1 ? 0 : 0.2); // bodies that rest but for their acceleration
                accelerate_body(bodies, b, &random, 0.5 * step);
            }
            toc_contacts *wanted = test_find_truth(bodies, 0);
            found += wanted->count;
            for (size_t p = 0; toc_preset_get(p).name; p++) {
                const char *preset = toc_preset_get(p).name;
                if (strcmp(preset, "voxel") == 0 || strcmp(preset, "brute") == 0) continue;
                toc_contacts *got = test_find_contacts(bodies, preset, TOC_ANSWER_ALL, 0, 1);
                test_assert_same_pairs(got, wanted);
                toc_contacts_destroy(got);
                presets_asked++;
            }
            toc_contacts_destroy(wanted);
        }
        toc_scene_destroy(bodies);
    }
    assert_true(found > 50 && presets_asked > 20);
}

// A point thrown up through a face and back: it starts and ends at the same place, and the straight path is a point.
static void thrown_points_are_found_by_trees(void **state) {
    (void)state;
    static const char *const presets[] = {"auto", "bvh", "voxel-safe"};
    const double corners[] = {-1, -1, 0, 1, -1, 0, 0, 2, 0}, below[] = {0, 0, -0.75}, g[] = {0, 0, -8};
    for (int p = 0; p < 3; p++) {
        toc_mesh *face, *point;
        assert_ok(toc_mesh_create(NULL, &face));
        assert_ok(toc_mesh_add_vertices(face, 3, corners, NULL));
        assert_ok(toc_mesh_add_elements(face, TOC_TRIANGLE, 1, (const uint32_t[]){0, 1, 2}, NULL));
        assert_ok(toc_mesh_create(NULL, &point));
        assert_ok(toc_mesh_add_vertices(point, 1, below, NULL));
        assert_ok(toc_mesh_add_elements(point, TOC_POINT, 1, (const uint32_t[]){0}, NULL));
        toc_scene *bodies = test_scene_of(face, point);
        for (int step = 0; step < 6; step++) { // the point comes to rest, then it is thrown
            toc_contacts *contacts = test_find_contacts(bodies, presets[p], TOC_ANSWER_ALL, 0, 1);
            assert_int_equal(contacts->count, step > 3);
            toc_contacts_destroy(contacts);
            assert_ok(test_mesh_accelerate(point, step >= 3 ? g : NULL)); // z = -0.75 + 4 t (1 - t)
        }
        toc_query query = toc_query_default();
        double fraction;
        query.preset = presets[p];
        assert_ok(toc_scene_find_safe_step(bodies, &query, &fraction));
        assert_true(fraction < 0.25);
        assert_double_near(fraction, 0.25, 1e-6);
        toc_scene_destroy(bodies);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_matches_brute_force),
        cmocka_unit_test(thrown_points_are_found_by_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
