// SPDX-License-Identifier: Apache-2.0
#include "support/answers.h"
#include "toccata/research.h"

#include <stdlib.h>
#include <string.h>

toc_contacts *test_find_contacts(toc_scene *bodies, const char *preset, toc_answer answer, double separation,
                                 int threads) {
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.preset = preset;
    query.answer = answer;
    query.threads = threads;
    query.test.method = TOC_METHOD_CERTIFIED;
    query.test.separation = separation;
    query.thin = true;
    const toc_research research = {.skip = TOC_SKIP_NORMALS};
    if (strcmp(preset, "voxel") == 0) query.research = &research;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    return contacts;
}

toc_contacts *test_find_truth(toc_scene *bodies, double separation) {
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.preset = "brute";
    query.test.separation = separation;
    query.thin = true;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    return contacts;
}

toc_scene *test_scene_of_soups(test_random *random, toc_shape shape, uint32_t elements, uint32_t vertices, double end) {
    toc_mesh *meshes[2];
    for (int i = 0; i < 2; i++) {
        meshes[i] = test_soup(random, shape, elements, vertices);
        test_shake(meshes[i], random, 0.1, end);
    }
    return test_scene_of(meshes[0], meshes[1]);
}

void test_assert_same_pairs(const toc_contacts *got, const toc_contacts *wanted) {
    assert_int_equal(got->count, wanted->count);
    for (size_t i = 0; i < wanted->count; i++) {
        assert_int_equal(got->contacts[i].kind, wanted->contacts[i].kind);
        assert_memory_equal(got->contacts[i].body, wanted->contacts[i].body, sizeof wanted->contacts[i].body);
        assert_memory_equal(got->contacts[i].v, wanted->contacts[i].v, sizeof wanted->contacts[i].v);
    }
}

toc_stage test_stage(const toc_contacts *contacts, const char *name) {
    for (size_t i = 0; i < contacts->stage_count; i++)
        if (strcmp(contacts->stages[i].name, name) == 0) return contacts->stages[i];
    fail_msg("there is no stage %s", name);
    return (toc_stage){0};
}

enum { MOST_VERTICES = 5000 };

void test_step_body(toc_scene *bodies, uint32_t body, test_random *random, double by) {
    toc_mesh *mesh = toc_scene_edit_mesh(bodies, body);
    static double x1[3 * MOST_VERTICES];
    assert_true(toc_mesh_get_vertex_count(mesh) <= MOST_VERTICES);
    for (size_t i = 0; i < 3 * toc_mesh_get_vertex_count(mesh); i++)
        x1[i] = toc_mesh_get_x1(mesh)[i] + (by > 0 ? test_random_between(random, -by, by) : 0);
    assert_ok(test_mesh_move(mesh, x1));
}

toc_mesh *test_sheet_at(uint32_t cells, double x) {
    toc_mesh *sheet = test_grid_sheet(TOC_TRIANGLE, cells, cells);
    const size_t count = toc_mesh_get_vertex_count(sheet);
    double *moved = malloc(3 * count * sizeof *moved);
    assert_non_null(moved);
    for (size_t i = 0; i < 3 * count; i++) moved[i] = toc_mesh_get_x0(sheet)[i] + (i % 3 < 2 ? x : 0);
    assert_ok(test_mesh_set_motion(sheet, moved, moved));
    free(moved);
    return sheet;
}

toc_status test_ask_three_times(const toc_allocator *allocator, void *user) {
    toc_mesh *meshes[2] = {test_grid_sheet(TOC_TRIANGLE, 4, 4), test_grid_volume(TOC_TET, 2, 2, 1)};
    test_random random = {3};
    test_shake(meshes[0], &random, 0.2, 0.5);
    toc_scene *bodies = NULL;
    toc_query query = toc_query_default();
    query.preset = user;
    query.threads = 1;
    toc_status status = toc_scene_create(allocator, &bodies);
    for (int i = 0; i < 2; i++) {
        if (status == TOC_OK) status = toc_scene_add_body(bodies, meshes[i], NULL);
        if (status != TOC_OK) toc_mesh_destroy(meshes[i]);
    }
    for (int step = 0; step < 3 && status == TOC_OK; step++) {
        toc_contacts *contacts = NULL;
        status = toc_scene_find_contacts(bodies, &query, NULL, &contacts);
        toc_contacts_destroy(contacts);
    }
    toc_scene_destroy(bodies);
    return status;
}

toc_status test_scene_of_two(const toc_allocator *allocator, toc_shape shape, const double *x, toc_scene **out) {
    const uint32_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const size_t vertices = 2 * (size_t)toc_shape_count_corners(shape);
    toc_scene *bodies;
    toc_mesh *mesh;
    toc_status status = toc_scene_create(allocator, &bodies);
    if (status != TOC_OK) return status;
    status = toc_mesh_create(allocator, &mesh);
    if (status == TOC_OK) {
        status = toc_mesh_add_vertices(mesh, vertices, x, NULL);
        if (status == TOC_OK) status = toc_mesh_add_elements(mesh, shape, 2, corners, NULL);
        if (status == TOC_OK) status = toc_scene_add_body(bodies, mesh, NULL);
        if (status != TOC_OK) toc_mesh_destroy(mesh);
    }
    if (status == TOC_OK)
        *out = bodies;
    else
        toc_scene_destroy(bodies);
    return status;
}

toc_status test_scene_of_triangles(const toc_allocator *allocator, const double x[18], toc_scene **out) {
    return test_scene_of_two(allocator, TOC_TRIANGLE, x, out);
}
