// SPDX-License-Identifier: Apache-2.0
// Volumes on the device: the contacts inside and outside, their order, times and places are those of the processor, bit
// for bit, in every scene of volumes, after every edit, with little memory and with none.
#include <stdlib.h>
#include <string.h>

#include "scene/scene.h"
#include "scenes/scenes.h"
#include "search/device_cells.h"
#include "support/answers.h"
#include "support/device.h"

static const char *const ELEMENTS = "device-elements";

// All contacts twice, then the first one and any. @return the number of contacts.
static size_t ask_all_answers(toc_scene *const scenes[2], const char *chosen) {
    size_t contacts = 0;
    for (int threads = 1; threads <= 3; threads += 2)
        contacts += test_ask_both(scenes, test_device_query("auto", TOC_ANSWER_ALL, threads, TOC_DEVICE_GPU), chosen);
    test_ask_both(scenes, test_device_query("auto", TOC_ANSWER_FIRST, 2, TOC_DEVICE_GPU), chosen);
    test_ask_both_for_any(scenes, test_device_query("auto", TOC_ANSWER_ANY, 2, TOC_DEVICE_GPU));
    return contacts;
}

static void destroy_both(toc_scene *const scenes[2]) {
    toc_scene_destroy(scenes[0]);
    toc_scene_destroy(scenes[1]);
}

typedef struct small {
    const scene *scene;
    size_t size;
} small;

static void scenes_of_volumes_have_the_same_bits(void **state) {
    (void)state;
    static const small all[] = {
        {&scene_octopi, 1}, {&scene_bullet, 2}, {&scene_tets, 4}, {&scene_hexes, 4}, {&scene_liver, 2}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const scene *s = all[i].scene;
        const size_t parts = test_less(5u, 2u);
        size_t contacts = 0;
        for (size_t part = 1; part <= parts; part++) {
            const size_t frame = (s->frames - 2) * part / parts;
            toc_mesh *meshes[2];
            for (int k = 0; k < 2; k++) assert_ok(scene_step(s, all[i].size, frame, &meshes[k]));
            toc_scene *const scenes[] = {test_scene_of(meshes[0], NULL), test_scene_of(meshes[1], NULL)};
            contacts += ask_all_answers(scenes, ELEMENTS);
            destroy_both(scenes);
        }
        print_message("%s: %zu contacts\n", s->name, contacts);
        assert_true(contacts > 0);
    }
}

// ---- blocks of one shape each

typedef struct block {
    toc_shape shape;
    uint32_t cells[3];
    double at[3], way[3], shake;
} block;

static toc_mesh *block_of(const block *b, test_random *random) {
    toc_mesh *mesh = test_grid_volume(b->shape, b->cells[0], b->cells[1], b->cells[2]);
    const size_t count = toc_mesh_get_vertex_count(mesh);
    double *x[2];
    for (int end = 0; end < 2; end++) {
        x[end] = malloc(3 * count * sizeof *x[end]);
        assert_non_null(x[end]);
        for (size_t i = 0; i < 3 * count; i++)
            x[end][i] = toc_mesh_get_x0(mesh)[i] + b->at[i % 3] + end * b->way[i % 3] +
                        (b->shake > 0 ? test_random_between(random, -b->shake, b->shake) : 0);
    }
    assert_ok(test_mesh_set_motion(mesh, x[0], x[1]));
    free(x[0]), free(x[1]);
    return mesh;
}

static block random_block(test_random *random, int round, uint32_t most) {
    block b = {.shape = (toc_shape)(TOC_TET + round % 4), .shake = 0.02 * (round % 12)};
    for (int c = 0; c < 3; c++) {
        b.cells[c] = 1 + test_random_below(random, most);
        b.at[c] = test_random_between(random, -1.5, 1.5);
        b.way[c] = test_random_between(random, -0.5, 0.5);
    }
    return b;
}

// Side by side, through each other, one inside the other; elements that turn inside out.
static void blocks_of_every_shape_have_the_same_bits(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t contacts = 0;
    for (int round = 0; round < test_less(32, 8); round++) {
        const block a = random_block(&random, round, 3), b = random_block(&random, round / 4, 2);
        test_random again = random;
        toc_scene *const scenes[] = {test_scene_of(block_of(&a, &random), block_of(&b, &random)),
                                     test_scene_of(block_of(&a, &again), block_of(&b, &again))};
        contacts += ask_all_answers(scenes, ELEMENTS);
        destroy_both(scenes);
    }
    assert_true(contacts > test_less(1000u, 100u));
}

// Blocks that touch wherever their sides meet: every pair there is undecided or a tie.
static void blocks_that_touch_have_the_same_bits(void **state) {
    (void)state;
    for (int shape = TOC_TET; shape <= TOC_HEX; shape++) {
        const block a = {(toc_shape)shape, {2, 2, 2}, {0, 0, 0}, {0, 0, 0}, 0};
        const block b = {(toc_shape)shape, {2, 2, 1}, {2, 0.5, 1}, {0, 0, 0}, 0};
        toc_scene *const scenes[] = {test_scene_of(block_of(&a, NULL), block_of(&b, NULL)),
                                     test_scene_of(block_of(&a, NULL), block_of(&b, NULL))};
        assert_true(ask_all_answers(scenes, ELEMENTS) > 20);
        destroy_both(scenes);
    }
}

// ---- soups: elements that share features at random, with corners used twice

static toc_scene *soups(test_random *random, toc_shape shape) {
    return test_scene_of_soups(random, shape, 30, 50, 0.4);
}

// A separation, a tolerance, a part of the step, undecided pairs, thickness, filters of the scene.
static void settings_have_the_same_bits(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t contacts = 0;
    for (int round = 0; round < test_less(24, 8); round++) {
        const toc_shape shape = (toc_shape)(TOC_TET + round % 4);
        test_random again = random;
        toc_scene *const scenes[] = {soups(&random, shape), soups(&again, shape)};
        toc_query query = test_device_query("auto", round % 3 == 1 ? TOC_ANSWER_FIRST : TOC_ANSWER_ALL, 1 + round % 4,
                                            TOC_DEVICE_GPU);
        query.test.separation = round % 4 == 1 ? 0.02 : 0;
        query.test.tolerance = round % 5 == 2 ? 1e-3 : 0;
        query.test.from = round % 6 == 3 ? 0.25 : 0;
        query.test.to = round % 6 >= 3 ? 0.75 : 1;
        for (int i = 0; i < 2; i++) {
            if (round % 8 == 5) assert_ok(toc_scene_set_body_thickness(scenes[i], 0, 0.03));
            if (round % 8 == 6) assert_ok(toc_scene_set_self_contact(scenes[i], 1, false));
            if (round % 8 == 7) assert_ok(toc_scene_set_body_layers(scenes[i], 0, 2, 1));
        }
        contacts += test_ask_both(scenes, query, ELEMENTS);
        query.test.exact = false;
        contacts += test_ask_both(scenes, query, NULL);
        destroy_both(scenes);
    }
    assert_true(contacts > 1000);
}

// Exact arithmetic on every pair, without an index.
static void no_contact_is_missed(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t contacts = 0;
    for (int round = 0; round < test_less(12, 4); round++) {
        toc_scene *bodies = test_scene_of_soups(&random, (toc_shape)(TOC_TET + round % 4), 25, 40, 0.3);
        const toc_query query = test_device_query("auto", TOC_ANSWER_ALL, 2, TOC_DEVICE_GPU);
        toc_contacts *truth = test_find_truth(bodies, 0), *got;
        assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &got));
        assert_string_equal(got->chosen, ELEMENTS);
        test_assert_same_pairs(got, truth);
        contacts += truth->count;
        toc_contacts_destroy(got);
        toc_contacts_destroy(truth);
        toc_scene_destroy(bodies);
    }
    assert_true(contacts > 500);
}

// Surfaces, edges and points beside volumes. The elements of volumes are more, or fewer, which the surface search
// takes.
static void volumes_and_surfaces_have_the_same_bits(void **state) {
    (void)state;
    static const toc_shape others[] = {TOC_POINT, TOC_EDGE, TOC_TRIANGLE, TOC_QUAD};
    test_random random = test_random_make(0);
    size_t contacts = 0;
    for (int round = 0; round < 8; round++) {
        const uint32_t cells = round < 4 ? 2 : 9;
        toc_scene *scenes[2];
        const test_random before = random;
        for (int i = 0; i < 2; i++) {
            random = before;
            const block a = {(toc_shape)(TOC_TET + round % 4), {2, 2, 2}, {0, 0, 0}, {0.2, 0.1, 0.1}, 0.1};
            toc_mesh *sheet = test_grid_sheet(others[round % 4], cells, cells);
            test_shake(sheet, &random, 0.3, 1.5);
            scenes[i] = test_scene_of(block_of(&a, &random), sheet);
        }
        contacts += ask_all_answers(scenes, round < 4 ? ELEMENTS : NULL);
        destroy_both(scenes);
    }
    assert_true(contacts > 100);
}

// ---- edits

static void edits_are_followed(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t contacts = 0, steps = 0;
    for (int shape = TOC_TET; shape <= TOC_HEX; shape++) {
        const block a = {(toc_shape)shape, {3, 2, 2}, {0, 0, 0}, {0, 0, 0}, 0.1};
        const block b = {TOC_TET, {2, 2, 1}, {0.6, 0.4, 0.5}, {0.1, 0.2, 0}, 0.1};
        test_random again = random;
        toc_scene *const scenes[] = {test_scene_of(block_of(&a, &random), block_of(&b, &random)),
                                     test_scene_of(block_of(&a, &again), block_of(&b, &again))};
        for (int step = 0; step < test_less(12, 5); step++) {
            again = random;
            for (int edit = 0; edit < 3; edit++) {
                test_random_edit(toc_scene_edit_mesh(scenes[0], 0), &random);
                test_random_edit(toc_scene_edit_mesh(scenes[1], 0), &again);
            }
            test_step_body(scenes[0], 1, &random, 0.2);
            test_step_body(scenes[1], 1, &again, 0.2);
            toc_query query =
                test_device_query("auto", step % 3 == 1 ? TOC_ANSWER_FIRST : TOC_ANSWER_ALL, 2, TOC_DEVICE_GPU);
            query.surface_only = step % 4 == 2; // other features, and elements again
            contacts += test_ask_both(scenes, query, query.surface_only ? "device" : ELEMENTS);
            steps++;
        }
        destroy_both(scenes);
    }
    print_message("%zu contacts in %zu steps\n", contacts, steps);
    assert_true(contacts > 500);
}

// Elements are erased one after the other, until none is left.
static void a_body_is_erased(void **state) {
    (void)state;
    const block a = {TOC_HEX, {2, 2, 1}, {0, 0, 0}, {0, 0, 0}, 0}, b = {TOC_TET, {1, 1, 1}, {0.5, 0.5, 0.5}, {0}, 0};
    toc_scene *const scenes[] = {test_scene_of(block_of(&a, NULL), block_of(&b, NULL)),
                                 test_scene_of(block_of(&a, NULL), block_of(&b, NULL))};
    const toc_query query = test_device_query("auto", TOC_ANSWER_ALL, 2, TOC_DEVICE_GPU);
    size_t contacts = test_ask_both(scenes, query, ELEMENTS);
    assert_true(contacts > 0);
    for (int body = 0; body < 2; body++) {
        const uint32_t count = (uint32_t)toc_mesh_get_element_count(toc_scene_edit_mesh(scenes[0], (uint32_t)body));
        for (uint32_t e = 0; e < count; e++) {
            for (int i = 0; i < 2; i++)
                assert_ok(toc_mesh_remove_element(toc_scene_edit_mesh(scenes[i], (uint32_t)body), e));
            contacts = test_ask_both(scenes, query, body && e + 1 == count ? NULL : ELEMENTS);
        }
    }
    assert_int_equal(contacts, 0);
    destroy_both(scenes);
}

// The order of the elements on the device is kept while another question is asked.
static void near_pairs_leave_the_elements(void **state) {
    (void)state;
    const block a = {TOC_TET, {2, 2, 2}, {0, 0, 0}, {0, 0, 0}, 0}, b = {TOC_TET, {1, 1, 1}, {0.5, 0.5, 0.5}, {0}, 0};
    const toc_query query = test_device_query("auto", TOC_ANSWER_ALL, 1, TOC_DEVICE_GPU);
    toc_scene *bodies = test_scene_of(block_of(&a, NULL), block_of(&b, NULL));
    assert_true(test_device_launches(bodies, TOC_DEVICE_KERNEL_key) > 0);
    for (int i = 0; i < 2; i++) {
        toc_near *near;
        assert_ok(test_find_near(bodies, &query, TOC_AT_END, 0.1, &near));
        assert_true(near->count > 0);
        toc_near_destroy(near);
        assert_int_equal(test_device_launches(bodies, TOC_DEVICE_KERNEL_key), 0);
    }
    toc_scene_destroy(bodies);
}

// ---- the list of elements

static int compare_ids(const void *a, const void *b, size_t count) {
    const uint32_t *x = a, *y = b;
    for (size_t i = 0; i < count; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}
static int compare_points(const void *a, const void *b) { return compare_ids(a, b, 1); }
static int compare_edges(const void *a, const void *b) { return compare_ids(a, b, 2); }
static int compare_faces(const void *a, const void *b) { return compare_ids(a, b, 3); }

// The features of a kind are those of the step, each once.
static void assert_same_features(const uint32_t *got, const uint32_t *wanted, size_t count, size_t corners) {
    int (*const compare[])(const void *, const void *) = {compare_points, compare_edges, compare_faces};
    const size_t bytes = corners * sizeof(uint32_t);
    uint32_t *sorted[2] = {malloc(count * bytes + 1), malloc(count * bytes + 1)};
    assert_true(sorted[0] && sorted[1]);
    memcpy(sorted[0], got, count * bytes), memcpy(sorted[1], wanted, count * bytes);
    for (int i = 0; i < 2; i++) qsort(sorted[i], count, bytes, compare[corners - 1]);
    assert_memory_equal(sorted[0], sorted[1], count * bytes);
    free(sorted[0]), free(sorted[1]);
}

// An element contains the features that it represents.
static void assert_features_are_inside(const toc_device_cells *cells, size_t at, int kind, const uint32_t *features) {
    const toc_device_cell *cell = &cells->at[at];
    const size_t corners = (size_t)kind + 1;
    for (size_t i = 0; i < cell->count[kind] * corners; i++) {
        const uint32_t v = features[cell->first[kind] * corners + i];
        bool inside = false;
        for (uint32_t k = 0; k < cells->corner_count; k++)
            inside = inside || cells->corners[at * cells->corner_count + k] == v;
        assert_true(inside);
    }
}

static void assert_cells_represent_all(const toc_scene *bodies) {
    toc_arena arena = toc_arena_make(&bodies->memory);
    const toc_step *step = &bodies->step;
    toc_device_cells cells;
    size_t counts[TOC_DEVICE_FEATURES] = {0};
    assert_ok(toc_device_cells_make(&arena, bodies, &cells));
    const uint32_t *const features[] = {cells.points, (const uint32_t *)cells.edges, (const uint32_t *)cells.faces};
    assert_same_features(features[0], step->points, step->point_count, 1);
    assert_same_features(features[1], (const uint32_t *)step->edges, step->edge_count, 2);
    assert_same_features(features[2], (const uint32_t *)step->faces, step->face_count, 3);
    for (size_t i = 0; i < cells.count; i++)
        for (int kind = 0; kind < TOC_DEVICE_FEATURES; kind++) {
            assert_int_equal(cells.at[i].first[kind], counts[kind]);
            counts[kind] += cells.at[i].count[kind];
            assert_features_are_inside(&cells, i, kind, features[kind]);
        }
    assert_int_equal(counts[TOC_DEVICE_POINTS], step->point_count);
    assert_int_equal(counts[TOC_DEVICE_EDGES], step->edge_count);
    assert_int_equal(counts[TOC_DEVICE_FACES], step->face_count);
    toc_arena_free(&arena);
}

static void each_feature_has_one_element(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_query query = test_device_query("auto", TOC_ANSWER_ALL, 1, TOC_DEVICE_GPU);
    for (int round = 0; round < test_less(20, 6); round++) {
        toc_scene *bodies = soups(&random, (toc_shape)(TOC_TET + round % 4));
        toc_contacts *contacts;
        for (uint32_t e = 0; e < 10; e++) assert_ok(toc_mesh_remove_element(toc_scene_edit_mesh(bodies, 0), 3 * e));
        assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
        assert_string_equal(contacts->chosen, ELEMENTS);
        toc_contacts_destroy(contacts);
        assert_cells_represent_all(bodies);
        toc_scene_destroy(bodies);
    }
}

// ---- memory

static toc_scene *crowd(void) {
    test_random random = {5};
    return test_scene_of_soups(&random, TOC_TET, 60, 70, 0.5);
}

// From no memory to all: in parts, in smaller rooms, by the processor's search, or a sentence.
static void every_bit_of_memory_gives_the_same_bits(void **state) {
    (void)state;
    if (test_device_is_real()) skip();
    const test_device_memory tried =
        test_device_try_memory(crowd, ELEMENTS, TOC_DEVICE_KERNEL_expand, 1 << 26, test_less(4u, 1u));
    print_message("%zu on the device, %zu on the processor, %zu refused\n", tried.on_device, tried.on_processor,
                  tried.refused);
    assert_true(tried.on_device > 3 && tried.on_processor + TEST_BRIEF > 0 && tried.refused > 3);
    assert_true(tried.ranges > 3); // parts of the leaves
}

static toc_status ask_two_tets(const toc_allocator *allocator, void *user) {
    static const double x[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.3, 0.3, 0.3, 1, 1, 1, 1, 0.5, 1, 0.5, 1, 1};
    const toc_query query = test_device_query(user, TOC_ANSWER_ALL, 2, TOC_DEVICE_GPU);
    toc_scene *bodies;
    toc_contacts *contacts = NULL;
    toc_status status = test_scene_of_two(allocator, TOC_TET, x, &bodies);
    if (status != TOC_OK) return status;
    status = toc_scene_find_contacts(bodies, &query, NULL, &contacts);
    if (status == TOC_OK) assert_string_equal(contacts->chosen, ELEMENTS);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(bodies);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    if (test_device_is_real()) skip();
    assert_true(test_every_allocation(ask_two_tets, "auto") > 10);
}

int main(int count, char **arguments) {
    if (count > 1) cmocka_set_test_filter(arguments[1]); // a pattern of names
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_of_volumes_have_the_same_bits),
        cmocka_unit_test(blocks_of_every_shape_have_the_same_bits),
        cmocka_unit_test(blocks_that_touch_have_the_same_bits),
        cmocka_unit_test(settings_have_the_same_bits),
        cmocka_unit_test(no_contact_is_missed),
        cmocka_unit_test(volumes_and_surfaces_have_the_same_bits),
        cmocka_unit_test(edits_are_followed),
        cmocka_unit_test(a_body_is_erased),
        cmocka_unit_test(near_pairs_leave_the_elements),
        cmocka_unit_test(each_feature_has_one_element),
        cmocka_unit_test(every_bit_of_memory_gives_the_same_bits),
        cmocka_unit_test(every_allocation_may_fail),
    };
    if (!test_device_begin()) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
