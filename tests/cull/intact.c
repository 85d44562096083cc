// SPDX-License-Identifier: Apache-2.0
// Elements that are called intact have no contacts of their own, after any deformation.
#include "cull/volume/intact.h"

#include <string.h>

#include "support/test.h"

static const double shapes[TOC_SHAPE_COUNT][8][3] = {
    [TOC_QUAD] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
    [TOC_TET] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    [TOC_PYRAMID] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}},
    [TOC_WEDGE] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
    [TOC_HEX] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
};

// An element in any order of ids, so that quads are split any way, stretched, and shaken at both ends.
static toc_mesh *random_element(test_random *random, toc_shape shape, double shake, uint32_t corners[8]) {
    const int count = toc_shape_count_corners(shape);
    const double scale = test_random_between(random, 0.01, 10);
    double x0[24], x1[24];
    for (int i = 0; i < count; i++) corners[i] = (uint32_t)i;
    for (int i = count - 1; i > 0; i--) {
        const uint32_t j = test_random_below(random, (uint32_t)i + 1), moved = corners[i];
        corners[i] = corners[j];
        corners[j] = moved;
    }
    for (int i = 0; i < 3 * count; i++) {
        const double x = shapes[shape][i / 3][i % 3] * (i % 3 == 2 ? scale : 1);
        const size_t at = 3 * corners[i / 3] + (size_t)i % 3;
        x0[at] = x + test_random_between(random, -shake, shake) * (i % 3 == 2 ? scale : 1);
        x1[at] = x + test_random_between(random, -shake, shake) * (i % 3 == 2 ? scale : 1);
    }
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, (size_t)count, x0, NULL));
    assert_ok(test_mesh_set_motion(mesh, x0, x1));
    assert_ok(toc_mesh_add_elements(mesh, shape, 1, corners, NULL));
    return mesh;
}

static size_t count_contacts(toc_mesh *mesh, double separation) {
    toc_scene *scene;
    toc_contacts *contacts;
    toc_query query = toc_query_default();
    query.preset = "bvh";
    query.test.separation = separation;
    assert_ok(toc_scene_create(NULL, &scene));
    assert_ok(toc_scene_add_body(scene, mesh, NULL));
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    const size_t count = contacts->count;
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
    return count;
}

static void check_shape(test_random *random, toc_shape shape, double separation) {
    int intact = 0, broken = 0;
    for (int i = 0; i < 400; i++) {
        uint32_t corners[8];
        toc_mesh *mesh = random_element(random, shape, test_random_between(random, 0, 0.9), corners);
        const bool is = toc_element_is_intact(shape, corners, toc_mesh_get_x0(mesh), toc_mesh_get_x1(mesh), separation);
        const size_t contacts = count_contacts(mesh, separation);
        assert_false(is && contacts > 0);
        intact += is;
        broken += contacts > 0;
    }
    print_message("%s: %d intact, %d with contacts\n", toc_shape_get_name(shape), intact, broken);
    assert_true(intact > 20 && broken > 0);
}

static void what_is_intact_has_no_contacts(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_shape all[] = {TOC_QUAD, TOC_TET, TOC_PYRAMID, TOC_WEDGE, TOC_HEX};
    for (int i = 0; i < 5; i++) {
        check_shape(&random, all[i], 0);
        check_shape(&random, all[i], 0.05);
    }
}

// Flat, in one point, turned inside out on the way, beyond the range of squares: never intact by mistake.
static void degenerate_elements(void **state) {
    (void)state;
    const uint32_t v[] = {0, 1, 2, 3, 4, 5, 6, 7};
    double x0[24], x1[24] = {0};
    memcpy(x0, shapes[TOC_HEX], sizeof x0);
    assert_true(toc_element_is_intact(TOC_HEX, v, x0, x0, 0));
    assert_false(toc_element_is_intact(TOC_HEX, v, x1, x1, 0));
    assert_false(toc_element_is_intact(TOC_HEX, v, x0, x1, 0));
    for (int i = 0; i < 24; i++) x1[i] = i % 3 == 2 ? -x0[i] : x0[i];
    assert_false(toc_element_is_intact(TOC_HEX, v, x0, x1, 0));
    for (int i = 0; i < 24; i++) x1[i] = i % 3 == 2 ? 0 : x0[i];
    assert_false(toc_element_is_intact(TOC_HEX, v, x1, x1, 0));
    for (int i = 0; i < 24; i++) x1[i] = x0[i] * 1e300;
    toc_element_is_intact(TOC_HEX, v, x1, x1, 0); // any answer is right here: no trap
    assert_false(toc_element_is_intact(TOC_TRIANGLE, v, x0, x0, 0));
    assert_false(toc_element_is_intact(TOC_HEX, v, x0, x0, 0.9));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_intact_has_no_contacts),
        cmocka_unit_test(degenerate_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
