// SPDX-License-Identifier: Apache-2.0
// The report names the preset of the query and the search that ran: toc_contacts.preset and toc_contacts.chosen.
#include "support/grid.h"

// Ask once and compare both names; the names must not depend on the number of threads.
static void expect_choice(toc_scene *scene, const char *preset, int threads, const char *chosen) {
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.preset = preset;
    query.threads = threads;
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    assert_string_equal(contacts->preset, preset);
    assert_string_equal(contacts->chosen, chosen);
    toc_contacts_destroy(contacts);
}

// A scene whose bodies fall by a tenth, so that no star breaks.
static toc_scene *falling_scene(toc_mesh *mesh) {
    const size_t count = 3 * (size_t)toc_mesh_get_vertex_count(mesh);
    double end[3 * 256];
    assert_true(count <= sizeof end / sizeof *end);
    for (size_t i = 0; i < count; i++) end[i] = toc_mesh_get_x0(mesh)[i] - (i % 3 == 2) * 0.1;
    assert_ok(test_mesh_move(mesh, end));
    return test_scene_of(mesh, NULL);
}

// The first query after a change of topology uses the grid, later ones the tree.
static void auto_names_the_grid_then_the_tree(void **state) {
    (void)state;
    toc_scene *scene = falling_scene(test_grid_sheet(TOC_TRIANGLE, 4, 4));
    expect_choice(scene, "auto", 1, "surface-grid");
    expect_choice(scene, "auto", 2, "surface-tree");
    expect_choice(scene, "auto", 1, "surface-tree");
    assert_ok(toc_mesh_remove_element(toc_scene_edit_mesh(scene, 0), 3));
    expect_choice(scene, "auto", 1, "surface-grid");
    expect_choice(scene, "auto", 1, "surface-tree");
    toc_scene_destroy(scene);
}

// A steady scene has its tree from the first query after each edit on, with the contacts of the grid.
static void auto_builds_a_tree_at_once_in_a_steady_scene(void **state) {
    (void)state;
    toc_scene *scene = falling_scene(test_grid_sheet(TOC_TRIANGLE, 4, 4));
    assert_ok(toc_scene_set_steady(scene, true));
    expect_choice(scene, "auto", 1, "surface-tree");
    assert_ok(toc_mesh_remove_element(toc_scene_edit_mesh(scene, 0), 3));
    expect_choice(scene, "auto", 2, "surface-tree");
    assert_ok(toc_scene_set_steady(scene, false));
    assert_ok(toc_mesh_remove_element(toc_scene_edit_mesh(scene, 0), 2));
    expect_choice(scene, "auto", 1, "surface-grid");
    toc_scene_destroy(scene);
}

// Points that fall through one large triangle: each crosses most of the cells. The contacts are those of the grid.
static void auto_builds_a_tree_at_once_where_cells_are_crowded(void **state) {
    (void)state;
    enum { POINTS = 2400 };
    static double x[2][POINTS][3];
    static uint32_t ids[POINTS];
    const double floor[] = {-1, -1, 0.5, 3, -1, 0.5, -1, 3, 0.5};
    test_random random = test_random_make(1);
    toc_mesh *points, *triangle;
    toc_query query = toc_query_default();
    toc_contacts *contacts[2];
    for (uint32_t i = 0; i < POINTS; i++) {
        for (int k = 0; k < 3; k++) x[0][i][k] = x[1][i][k] = test_random_between(&random, 0, 0.1);
        x[0][i][2] += 1;
        x[1][i][2] -= 1;
        ids[i] = i;
    }
    assert_ok(toc_mesh_create(NULL, &points));
    assert_ok(toc_mesh_add_vertices(points, POINTS, x[0][0], NULL));
    assert_ok(toc_mesh_add_elements(points, TOC_POINT, POINTS, ids, NULL));
    assert_ok(test_mesh_move(points, x[1][0]));
    assert_ok(toc_mesh_create(NULL, &triangle));
    assert_ok(toc_mesh_add_vertices(triangle, 3, floor, NULL));
    assert_ok(toc_mesh_add_elements(triangle, TOC_TRIANGLE, 1, (const uint32_t[]){0, 1, 2}, NULL));
    toc_scene *scene = test_scene_of(points, triangle);
    query.threads = 2;
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts[0]));
    assert_string_equal(contacts[0]->chosen, "surface-tree");
    query.preset = "voxel-safe";
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts[1]));
    assert_string_equal(contacts[1]->chosen, "surface-grid");
    assert_int_equal(contacts[0]->count, POINTS);
    assert_int_equal(contacts[1]->count, POINTS);
    assert_memory_equal(contacts[0]->contacts, contacts[1]->contacts, POINTS * sizeof *contacts[0]->contacts);
    for (int i = 0; i < 2; i++) toc_contacts_destroy(contacts[i]);
    toc_scene_destroy(scene);
}

// Volumes: elements first, the interior once the elements were searched unchanged, elements again after an edit.
static void auto_names_the_elements_then_the_interior(void **state) {
    (void)state;
    toc_scene *scene = falling_scene(test_grid_volume(TOC_TET, 3, 3, 3));
    expect_choice(scene, "auto", 1, "elements");
    expect_choice(scene, "auto", 1, "elements");
    expect_choice(scene, "auto", 2, "interior");
    expect_choice(scene, "auto", 1, "interior");
    assert_ok(toc_mesh_remove_element(toc_scene_edit_mesh(scene, 0), 3));
    expect_choice(scene, "auto", 1, "elements");
    toc_scene_destroy(scene);
}

// A preset other than auto always runs its own search, also after queries of other presets.
static void fixed_presets_name_their_own_search(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"bvh", "surface-tree"},        {"local", "surface-tree"}, {"rtri", "surface-tree"},
        {"culling", "surface-tree"},    {"volccd", "elements"},    {"volccd-published", "elements"},
        {"navccd", "elements"},         {"hashccd", "elements"},   {"voxel", "surface-grid"},
        {"voxel-safe", "surface-grid"}, {"brute", "brute"},
    };
    toc_scene *scene = falling_scene(test_grid_volume(TOC_HEX, 2, 2, 2));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) expect_choice(scene, rows[i][0], 1, rows[i][1]);
    for (size_t i = sizeof rows / sizeof *rows; i-- > 0;) expect_choice(scene, rows[i][0], 2, rows[i][1]);
    toc_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_names_the_grid_then_the_tree),
        cmocka_unit_test(auto_builds_a_tree_at_once_in_a_steady_scene),
        cmocka_unit_test(auto_builds_a_tree_at_once_where_cells_are_crowded),
        cmocka_unit_test(auto_names_the_elements_then_the_interior),
        cmocka_unit_test(fixed_presets_name_their_own_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
