// SPDX-License-Identifier: Apache-2.0
// NULL where a pointer is needed: a status with a sentence, never a crash.
#include <math.h>

#include "support/test.h"

static void scenes(void **state) {
    (void)state;
    const toc_query query = toc_query_default();
    toc_scene *scene;
    toc_contacts *contacts;
    toc_overlaps *overlaps;
    toc_near *near;
    double fraction;
    assert_fails(toc_scene_create(NULL, NULL), TOC_BAD_INPUT, "NULL");
    assert_ok(toc_scene_create(NULL, &scene));
    assert_fails(toc_scene_add_body(NULL, NULL, NULL), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_add_body(scene, NULL, NULL), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_scene_remove_body(NULL, 0, NULL), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_share_positions(NULL, 0, 0, NULL, NULL), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_set_body_layers(NULL, 0, 1, 1), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_set_self_contact(NULL, 0, true), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_empty_body(NULL, 0), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_set_region(NULL, NULL, NULL), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_set_steady(NULL, true), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_set_group_contact(NULL, 0, 0, true), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_set_body_thickness(NULL, 0, 0), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_find_contacts(NULL, &query, NULL, &contacts), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_find_contacts(scene, &query, NULL, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_scene_find_contacts(scene, NULL, NULL, &contacts), TOC_BAD_INPUT, "NULL");
    assert_fails(toc_scene_find_safe_step(NULL, &query, &fraction), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_find_safe_step(scene, &query, NULL), TOC_BAD_INPUT, "fraction is NULL");
    assert_fails(toc_scene_find_overlaps(NULL, &query, TOC_AT_END, NULL, &overlaps), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_find_element_overlaps(scene, &query, TOC_AT_END, NULL, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(test_find_near(NULL, &query, TOC_AT_END, 1, &near), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(test_find_near_in_step(scene, &query, 1, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_int_equal(toc_scene_get_body_count(NULL), 0);
    assert_false(toc_scene_has_body(NULL, 0));
    assert_null(toc_scene_get_mesh(NULL, 0));
    assert_null(toc_scene_edit_mesh(NULL, 0));
    toc_scene_destroy(scene);
    toc_scene_destroy(NULL);
}

static void results(void **state) {
    (void)state;
    double time = 0;
    assert_null(toc_contacts_find_first(NULL));
    toc_contacts_find_times(NULL, 0, NULL, 1, &time);
    assert_true(isinf(time));
    assert_int_equal(toc_contacts_find_body_pairs(NULL, NULL), 0);
    toc_contacts_destroy(NULL);
    toc_overlaps_destroy(NULL);
    toc_near_destroy(NULL);
}

static void changes_of_meshes(void **state) {
    (void)state;
    const double x[3] = {0, 0, 0};
    const uint32_t v = 0;
    assert_fails(toc_mesh_create(NULL, NULL), TOC_BAD_INPUT, "NULL");
    assert_fails(toc_mesh_add_vertices(NULL, 1, x, NULL), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_add_moving_vertices(NULL, 1, x, x, 1, NULL), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_add_elements(NULL, TOC_POINT, 1, &v, NULL), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_set_group(NULL, 0, 1), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_set_thickness(NULL, 0, 1), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_set_group_name(NULL, 0, "a"), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_move(NULL, 1, x), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_set_motion(NULL, 1, x, x), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_set_acceleration(NULL, 1, NULL), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_remove_element(NULL, 0), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_remove_vertex(NULL, 0), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_split_vertex(NULL, 0, 0, NULL, NULL), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_merge_vertices(NULL, 0, 1), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_forget_events(NULL, 1), TOC_BAD_INPUT, "mesh is NULL");
}

static void looks_at_meshes(void **state) {
    (void)state;
    toc_mesh *mesh, *copy;
    toc_mesh_report report;
    toc_features *features;
    const toc_event *events;
    size_t count;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_fails(toc_mesh_copy(NULL, &copy), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_copy(mesh, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_mesh_thicken(NULL, &copy), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_inspect(NULL, &report), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_inspect(mesh, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_mesh_find_features(NULL, &features), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_find_features(mesh, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_mesh_get_events(NULL, 0, &events, &count), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_get_events(mesh, 0, NULL, &count), TOC_BAD_INPUT, "events is NULL");
    assert_int_equal(toc_mesh_get_vertex_count(NULL), 0);
    assert_int_equal(toc_mesh_get_element_count(NULL), 0);
    assert_int_equal(toc_mesh_get_element(NULL, 0).shape, TOC_REMOVED);
    assert_false(toc_mesh_has_vertex(NULL, 0));
    assert_null(toc_mesh_get_x0(NULL));
    assert_null(toc_mesh_get_x1(NULL));
    assert_null(toc_mesh_get_acceleration(NULL));
    assert_null(toc_mesh_get_group_name(NULL, 0));
    assert_int_equal(toc_mesh_get_revision(NULL), 0);
    toc_mesh_destroy(mesh);
    toc_mesh_destroy(NULL);
    toc_features_destroy(NULL);
}

static void elementary_questions(void **state) {
    (void)state;
    const toc_pair_test test = toc_pair_test_default();
    const toc_pair pair = {{{0}}, {{0}}};
    const toc_quadratic_pair curved = {{{0}}, {{0}}, {{0}}};
    const double x[12] = {0};
    const toc_hull hull = {.count = 1, .x0 = x, .x1 = x};
    toc_hit hit;
    toc_distance distance;
    assert_fails(toc_pair_find(TOC_VF, NULL, &test, &hit), TOC_BAD_INPUT, "pair is NULL");
    assert_fails(toc_pair_find(TOC_VF, &pair, NULL, &hit), TOC_BAD_INPUT, "NULL");
    assert_fails(toc_pair_find(TOC_VF, &pair, &test, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_pair_find_batch(NULL, &test, NULL, NULL), TOC_BAD_INPUT, "batch is NULL");
    assert_fails(toc_quadratic_find(TOC_VF, NULL, &test, &hit), TOC_BAD_INPUT, "pair is NULL");
    assert_fails(toc_quadratic_find(TOC_VF, &curved, &test, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_convex_find(&hull, &hull, &test, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_overlap_find(1, x, 1, x, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_inside_find(TOC_TET, x, x, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_distance_find(TOC_VF, NULL, &distance), TOC_BAD_INPUT, "x is NULL");
    assert_fails(toc_distance_find(TOC_VF, x, NULL), TOC_BAD_INPUT, "out is NULL");
}

static void files(void **state) {
    (void)state;
    toc_mesh *mesh;
    toc_sequence *sequence;
    assert_fails(toc_mesh_read(NULL, NULL, &mesh), TOC_BAD_INPUT, "path is NULL");
    assert_fails(toc_mesh_read("a.ply", NULL, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_mesh_write(NULL, NULL, TOC_AT_START), TOC_BAD_INPUT, "path is NULL");
    assert_fails(toc_mesh_write("a.ply", NULL, TOC_AT_START), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_sequence_open(1, NULL, NULL, &sequence), TOC_BAD_INPUT, "paths is NULL");
    assert_fails(toc_sequence_open(1, &(const char *){NULL}, NULL, &sequence), TOC_BAD_INPUT, "path 0 is NULL");
    assert_fails(toc_sequence_open(1, &(const char *){"a.ply"}, NULL, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_sequence_sample(NULL, 1), TOC_BAD_INPUT, "sequence is NULL");
    assert_fails(toc_sequence_read_first(NULL, &mesh), TOC_BAD_INPUT, "sequence is NULL");
    assert_fails(toc_sequence_advance(NULL, 0, NULL), TOC_BAD_INPUT, "sequence is NULL");
    assert_fails(toc_sequence_write("a.pvd", NULL), TOC_BAD_INPUT, "sequence is NULL");
    assert_fails(toc_sequence_write_pvd("a.pvd", 1, NULL, NULL), TOC_BAD_INPUT, "frames is NULL");
    assert_fails(toc_contacts_write("a.csv", NULL, NULL), TOC_BAD_INPUT, "contacts is NULL");
    assert_int_equal(toc_sequence_get_frame_count(NULL), 0);
    assert_null(toc_sequence_get_path(NULL, 0));
    assert_true(isnan(toc_sequence_get_time(NULL, 0)));
    assert_false(toc_format_get(0, NULL));
    toc_sequence_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes),
        cmocka_unit_test(results),
        cmocka_unit_test(changes_of_meshes),
        cmocka_unit_test(looks_at_meshes),
        cmocka_unit_test(elementary_questions),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
