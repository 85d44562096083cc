// SPDX-License-Identifier: Apache-2.0
// The presets with a grid: skipped culling stages, resting bodies, and contacts missed by the surface normal test.
#include <string.h>

#include "support/answers.h"
#include "toccata/research.h"

static toc_contacts *find(toc_scene *bodies, const char *preset, uint32_t skip, int threads) {
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.preset = preset;
    query.research = &(toc_research){.skip = skip};
    query.threads = threads;
    if (strcmp(preset, "brute") != 0) query.test.method = TOC_METHOD_CERTIFIED;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    return contacts;
}

// A skipped stage leaves more pairs to the next one, and the same contacts, each once.
static void skipped_stages_change_no_answer(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const char *const presets[] = {"voxel", "voxel-safe"};
    for (int round = 0; round < 12; round++) {
        toc_mesh *sheet = test_grid_sheet(TOC_TRIANGLE, 9, 9);
        test_shake(sheet, &random, 0.3, round % 2 ? 0.3 : 2);
        toc_scene *bodies = test_scene_of(sheet, NULL);
        toc_contacts *truth = find(bodies, "brute", 0, 1);
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t skip = (i & 1 ? TOC_SKIP_ELEMENT_DOPS : 0) | (i & 2 ? TOC_SKIP_FEATURE_DOPS : 0);
            toc_contacts *got = find(bodies, presets[round % 2], skip | TOC_SKIP_NORMALS, 1 + round % 3);
            test_assert_same_pairs(got, truth);
            const toc_stage primitives = test_stage(got, "primitives"), elements = test_stage(got, "elements");
            assert_true(skip & TOC_SKIP_ELEMENT_DOPS ? primitives.in == primitives.out
                                                     : primitives.in > primitives.out);
            assert_true(skip & TOC_SKIP_FEATURE_DOPS ? elements.in == elements.out : elements.in > elements.out);
            toc_contacts_destroy(got);
        }
        toc_contacts_destroy(truth);
        toc_scene_destroy(bodies);
    }
}

// Cells follow the many: two triangles of a floor that is far larger do not make the grid compare all pairs.
static void a_floor_does_not_set_the_cells(void **state) {
    (void)state;
    const double x[12] = {-1e3, -1e3, -1, 1e3, -1e3, -1, 1e3, 1e3, -1, -1e3, 1e3, -1};
    toc_mesh *floor, *sheet = test_grid_sheet(TOC_TRIANGLE, 40, 40);
    test_random random = test_random_make(0);
    const double count = (double)toc_mesh_get_element_count(sheet);
    assert_ok(toc_mesh_create(NULL, &floor));
    assert_ok(toc_mesh_add_vertices(floor, 4, x, NULL));
    assert_ok(toc_mesh_add_elements(floor, TOC_TRIANGLE, 2, (const uint32_t[]){0, 1, 2, 0, 2, 3}, NULL));
    test_shake(sheet, &random, 0.1, 0.1);
    toc_scene *bodies = test_scene_of(sheet, floor);
    toc_contacts *truth = find(bodies, "brute", 0, 1), *got = find(bodies, "voxel-safe", 0, 1);
    test_assert_same_pairs(got, truth);
    assert_true((double)test_stage(got, "voxels").in < 100 * count);
    toc_contacts_destroy(truth);
    toc_contacts_destroy(got);
    toc_scene_destroy(bodies);
}

static void unknown_skip_bits_are_refused(void **state) {
    (void)state;
    toc_scene *bodies = test_scene_of(test_grid_sheet(TOC_TRIANGLE, 1, 1), NULL);
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.research = &(toc_research){.skip = TOC_SKIP_ALL + 1};
    assert_fails(toc_scene_find_contacts(bodies, &query, NULL, &contacts), TOC_BAD_INPUT, "nothing to skip");
    toc_scene_destroy(bodies);
}

// Two crossing neighbours whose normals do not oppose each other.
static void normal_test_misses_crossing_neighbours(void **state) {
    (void)state;
    const double x0[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0.8, 0.3, 0.3, -1, 0.5, 0.5};
    const uint32_t corners[] = {0, 1, 2, 0, 3, 4};
    double x1[15];
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 5, x0, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, corners, NULL));
    memcpy(x1, x0, sizeof x1);
    x1[11] = -0.3; // vertex 3 goes through the other triangle
    assert_ok(test_mesh_move(mesh, x1));
    toc_scene *bodies = test_scene_of(mesh, NULL);
    toc_contacts *safe = find(bodies, "voxel-safe", 0, 1), *without = find(bodies, "voxel", TOC_SKIP_NORMALS, 1);
    toc_contacts *voxel = find(bodies, "voxel", 0, 1), *truth = find(bodies, "brute", 0, 1);
    assert_true(truth->count > 0);
    test_assert_same_pairs(safe, truth);
    test_assert_same_pairs(without, truth);
    assert_int_equal(voxel->count, 0);
    assert_int_equal(test_stage(voxel, "normals").in, 1);
    assert_int_equal(test_stage(voxel, "normals").out, 0);
    toc_contacts_destroy(safe);
    toc_contacts_destroy(without);
    toc_contacts_destroy(voxel);
    toc_contacts_destroy(truth);
    toc_scene_destroy(bodies);
}

// Bodies rest, touch while they rest, move and rest again: the answer is right in every step, and resting bodies are
// bounded once.
static void resting_bodies_are_bounded_once_and_still_found(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const char *const presets[] = {"voxel", "voxel-safe"};
    for (int round = 0; round < 6; round++) {
        toc_mesh *moving = test_grid_sheet(TOC_TRIANGLE, 6, 6), *resting = test_grid_sheet(TOC_TRIANGLE, 9, 9);
        test_shake(resting, &random, 0.4, 0);
        toc_scene *bodies = test_scene_of(moving, resting);
        assert_ok(toc_scene_add_body(bodies, test_grid_volume(TOC_TET, 2, 2, 1), NULL)); // touches the sheets at rest
        size_t contacts = 0, least = SIZE_MAX;
        for (int step = 0; step < 16; step++) {
            test_step_body(bodies, 0, &random, step == 5 || step == 6 || step == 9 ? 4 : 0.4); // far: bounds move, too
            test_step_body(bodies, 1, &random, step == 7 || step == 11 ? 0.02 : 0);
            test_step_body(bodies, 2, &random, step > 11 ? 0.1 : 0);
            toc_contacts *truth = find(bodies, "brute", 0, 1);
            toc_contacts *got = find(bodies, presets[round % 2], TOC_SKIP_NORMALS, 1 + round % 3);
            test_assert_same_pairs(got, truth);
            contacts += truth->count;
            const toc_stage bound = test_stage(got, "bound");
            if (bound.out < least) least = bound.out;
            if (step == 3) assert_int_equal(bound.out, 72); // the sheet that moves
            toc_contacts_destroy(got);
            toc_contacts_destroy(truth);
        }
        assert_true(contacts > 500);
        assert_true(least >= 72);
        toc_scene_destroy(bodies);
    }
}

// The kept resting pairs depend on the separation.
static void resting_pairs_depend_on_the_separation(void **state) {
    (void)state;
    toc_mesh *low = test_grid_sheet(TOC_TRIANGLE, 3, 3), *high = test_grid_sheet(TOC_TRIANGLE, 3, 3);
    double x[3 * 16];
    memcpy(x, toc_mesh_get_x0(high), sizeof x);
    for (size_t v = 0; v < 16; v++) x[3 * v] += 0.3, x[3 * v + 1] += 0.3, x[3 * v + 2] += 0.5;
    assert_ok(test_mesh_set_motion(high, x, x));
    toc_scene *bodies = test_scene_of(low, high);
    const double separations[] = {0, 0, 0, 0.6, 0.6, 0.6, 0.4, 0.4, 0.4};
    for (int i = 0; i < 9; i++) {
        toc_query query = toc_query_default();
        toc_contacts *got, *wanted;
        query.test.separation = separations[i];
        query.preset = "bvh";
        assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &wanted));
        query.preset = "voxel-safe";
        assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &got));
        test_assert_same_pairs(got, wanted);
        assert_true((got->count > 0) == (separations[i] == 0.6));
        toc_contacts_destroy(got);
        toc_contacts_destroy(wanted);
    }
    toc_scene_destroy(bodies);
}

// Coordinates grow a million times from step to step: the frame of the k-DOPs must follow.
static void frame_follows_a_growing_scene(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_mesh *sheet = test_grid_sheet(TOC_TRIANGLE, 6, 6);
    test_shake(sheet, &random, 0.3, 1.5);
    double x0[3 * 49], x1[3 * 49];
    memcpy(x0, toc_mesh_get_x0(sheet), sizeof x0);
    memcpy(x1, toc_mesh_get_x1(sheet), sizeof x1);
    toc_scene *bodies = test_scene_of(sheet, NULL);
    const double scales[] = {1, 3, 1e6, 1e-6, 1e200, 1e-200, 1, 1};
    for (int i = 0; i < 8; i++) {
        double y0[3 * 49], y1[3 * 49];
        for (int j = 0; j < 3 * 49; j++) y0[j] = scales[i] * x0[j], y1[j] = scales[i] * x1[j];
        assert_ok(test_mesh_set_motion(sheet, y0, y1));
        toc_contacts *truth = find(bodies, "brute", 0, 1), *got = find(bodies, "voxel-safe", 0, 2);
        toc_contacts *voxel = find(bodies, "voxel", TOC_SKIP_NORMALS, 2);
        assert_true(truth->count > 50);
        test_assert_same_pairs(got, truth);
        test_assert_same_pairs(voxel, truth);
        toc_contacts_destroy(got);
        toc_contacts_destroy(voxel);
        toc_contacts_destroy(truth);
    }
    toc_scene_destroy(bodies);
}

static void grid_survives_failed_allocations(void **state) {
    (void)state;
    assert_true(test_every_allocation(test_ask_three_times, "voxel") > 20);
    assert_true(test_every_allocation(test_ask_three_times, "voxel-safe") > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skipped_stages_change_no_answer),
        cmocka_unit_test(a_floor_does_not_set_the_cells),
        cmocka_unit_test(unknown_skip_bits_are_refused),
        cmocka_unit_test(normal_test_misses_crossing_neighbours),
        cmocka_unit_test(resting_bodies_are_bounded_once_and_still_found),
        cmocka_unit_test(resting_pairs_depend_on_the_separation),
        cmocka_unit_test(frame_follows_a_growing_scene),
        cmocka_unit_test(grid_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
