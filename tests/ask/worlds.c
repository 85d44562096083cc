// SPDX-License-Identifier: Apache-2.0
// Questions of a solver about worlds: the answers of a body with the same mesh, ids included.
#include <math.h>
#include <string.h>

#include "scene/scene.h"
#include "support/answers.h"

// A closed box of quads from 0 to 9, or a hex of the same size. Its first two elements are gone, so that ids in a patch
// differ from those of the mesh.
static toc_mesh *box_mesh(bool solid) {
    const uint32_t hex[8] = {2, 3, 4, 5, 6, 7, 8, 9};
    const uint32_t quads[6][4] = {{2, 5, 4, 3}, {6, 7, 8, 9}, {2, 3, 7, 6}, {3, 4, 8, 7}, {4, 5, 9, 8}, {5, 2, 6, 9}};
    double x[30] = {50, 50, 50, 60, 60, 60};
    toc_mesh *mesh;
    for (int i = 0; i < 8; i++) {
        x[6 + 3 * i] = i % 4 == 1 || i % 4 == 2 ? 9 : 0;
        x[7 + 3 * i] = i % 4 >= 2 ? 9 : 0;
        x[8 + 3 * i] = i >= 4 ? 9 : 0;
    }
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 10, x, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_EDGE, 2, (const uint32_t[]){0, 1, 1, 0}, NULL));
    for (int q = 0; q < (solid ? 1 : 6); q++) {
        uint32_t element;
        assert_ok(toc_mesh_add_elements(mesh, solid ? TOC_HEX : TOC_QUAD, 1, solid ? hex : quads[q], &element));
        assert_ok(toc_mesh_set_group(mesh, element, 10 + q));
    }
    for (uint32_t e = 0; e < 2; e++) assert_ok(toc_mesh_remove_element(mesh, e));
    return mesh;
}

// A small triangle in the box that passes its floor and comes to rest below.
static toc_mesh *falling_mesh(void) {
    const double x0[] = {3, 3, 2, 4, 3, 2, 3, 4, 2}, x1[] = {3, 3, -2, 4, 3, -2, 3, 4, -2};
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 3, x0, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (const uint32_t[]){0, 1, 2}, NULL));
    assert_ok(test_mesh_set_motion(mesh, x0, x1));
    return mesh;
}

typedef struct two_scenes {
    toc_scene *scenes[2]; // with the box as a body, and as a world
} two_scenes;

static two_scenes make_scenes(bool solid) {
    two_scenes both;
    toc_world *world;
    assert_ok(toc_world_create(NULL, box_mesh(solid), &world));
    for (int i = 0; i < 2; i++) {
        assert_ok(toc_scene_create(NULL, &both.scenes[i]));
        assert_ok(toc_scene_add_body(both.scenes[i], falling_mesh(), NULL));
    }
    toc_mesh *box = box_mesh(solid);
    assert_ok(toc_scene_add_body(both.scenes[0], box, NULL));
    assert_ok(toc_scene_set_self_contact(both.scenes[0], 1, false));
    assert_ok(toc_scene_add_world(both.scenes[1], world, NULL));
    toc_world_destroy(world);
    return both;
}

static void free_scenes(two_scenes both) {
    for (int i = 0; i < 2; i++) toc_scene_destroy(both.scenes[i]);
}

static void compare_probes(bool solid) {
    const two_scenes both = make_scenes(solid);
    const toc_query query = toc_query_default();
    const double at[] = {5, 5, 1, 5, 5, -3, 20, 5, 5, 5, 5, 5};
    toc_probe probe = {.count = 4, .at = at, .reach = INFINITY, .mask = UINT64_MAX};
    toc_scene_point points[2][4];
    toc_segment_hit hits[2][2];
    uint32_t bodies[2][4];
    toc_containments *found[2];
    memset(points, 0, sizeof points);
    memset(hits, 0, sizeof hits);
    for (int i = 0; i < 2; i++) {
        assert_ok(toc_scene_find_closest(both.scenes[i], &query, TOC_AT_END, &probe, points[i]));
        assert_ok(toc_scene_find_containing(both.scenes[i], &query, TOC_AT_START, &probe, bodies[i]));
        toc_probe segments = probe;
        segments.count = 2;
        assert_ok(toc_scene_find_hits(both.scenes[i], &query, TOC_AT_END, &segments, hits[i]));
        assert_ok(toc_scene_find_containments(both.scenes[i], &query, TOC_AT_START, &found[i]));
        assert_int_equal(found[i]->count, 1);
        assert_true(found[i]->pairs[0].body[0] == 0 && found[i]->pairs[0].body[1] == 1);
        toc_containments_destroy(found[i]);
    }
    assert_memory_equal(points[0], points[1], sizeof points[0]);
    assert_memory_equal(hits[0], hits[1], sizeof hits[0]);
    assert_memory_equal(bodies[0], bodies[1], sizeof bodies[0]);
    assert_true(points[1][0].body == 1 && points[1][0].v[0] >= 2 && hits[1][0].v[0] >= 2 && bodies[1][0] == 1);
    free_scenes(both);
}

// A query in the least memory takes its pairs through a sink, with the vertices of the world: the same step.
static void a_step_with_room_in_rounds(void **state) {
    (void)state;
    const two_scenes both = make_scenes(false);
    const toc_query query = toc_query_default();
    toc_room_step steps[2][2];
    memset(steps, 0, sizeof steps);
    for (int i = 0; i < 2; i++)
        for (int again = 0; again < 2; again++) {
            if (again) both.scenes[i]->thrifty_limit = SIZE_MAX;
            both.scenes[i]->thrifty_version = both.scenes[i]->step.version;
            assert_ok(toc_scene_find_room_step(both.scenes[i], &query, NULL, &steps[i][again]));
            assert_true(steps[i][again].limited);
            assert_memory_equal(&steps[0][0], &steps[i][again], sizeof steps[0][0]);
        }
    free_scenes(both);
}

// A point above a triangle, nearer than the minimum distance; another triangle far away, out of reach.
static toc_scene *scene_with_far_triangle(bool as_world) {
    const double point[2][3] = {{0.3, 0.3, 0.9995}, {0.3, 0.3, 0.5}};
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1000, 0, 0, 1001, 0, 0, 1000, 1, 0};
    toc_scene *scene;
    toc_mesh *falling, *ground;
    toc_world *world;
    assert_ok(toc_scene_create(NULL, &scene));
    assert_ok(toc_mesh_create(NULL, &falling));
    assert_ok(toc_mesh_add_vertices(falling, 1, point[0], NULL));
    assert_ok(toc_mesh_add_elements(falling, TOC_POINT, 1, (const uint32_t[]){0}, NULL));
    assert_ok(test_mesh_move(falling, point[1]));
    assert_ok(toc_scene_add_body(scene, falling, NULL));
    assert_ok(toc_mesh_create(NULL, &ground));
    assert_ok(toc_mesh_add_vertices(ground, 6, x, NULL));
    assert_ok(toc_mesh_add_elements(ground, TOC_TRIANGLE, 2, (const uint32_t[]){0, 1, 2, 3, 4, 5}, NULL));
    if (as_world) {
        assert_ok(toc_world_create(NULL, ground, &world));
        assert_ok(toc_scene_add_world(scene, world, NULL));
        toc_world_destroy(world);
    } else {
        assert_ok(toc_scene_add_body(scene, ground, NULL));
    }
    return scene;
}

// Rounding is a part of the largest coordinate, and the patch of a world lacks the parts out of reach.
static void rounding_of_parts_out_of_reach(void **state) {
    (void)state;
    toc_query query = toc_query_default();
    toc_room_step room[2];
    double safe[2];
    query.test.separation = 1;
    memset(room, 0, sizeof room);
    for (int i = 0; i < 2; i++) {
        toc_scene *scene = scene_with_far_triangle(i == 1);
        assert_ok(toc_scene_find_room_step(scene, &query, NULL, &room[i]));
        query.test.separation = 0.75;
        assert_ok(toc_scene_find_safe_step(scene, &query, &safe[i]));
        query.test.separation = 1;
        toc_scene_destroy(scene);
    }
    assert_memory_equal(&room[0], &room[1], sizeof room[0]);
    assert_double_same(safe[0], safe[1]);
    assert_true(room[0].kept < 0.9995 && safe[0] > 0 && safe[0] < 1);
}

static void probes_and_containment(void **state) {
    (void)state;
    compare_probes(false);
    compare_probes(true);
}

static void compare_touches(bool solid) {
    const two_scenes both = make_scenes(solid);
    const toc_query query = toc_query_default();
    toc_touches touches[2][64];
    size_t counts[2];
    for (int i = 0; i < 2; i++) {
        toc_contacts *contacts;
        toc_touching *groups;
        assert_ok(toc_scene_find_contacts(both.scenes[i], &query, NULL, &contacts));
        assert_true(contacts->count > 0 && contacts->count <= 64);
        counts[i] = contacts->count;
        assert_ok(toc_scene_find_touches(both.scenes[i], &query, contacts, touches[i]));
        for (size_t k = 0; k < contacts->count; k++)
            assert_double_near(touches[i][k].at[0].enter, contacts->contacts[k].toc, 1e-9);
        assert_ok(toc_scene_find_touching(both.scenes[i], contacts, TOC_LEVEL_GROUPS, &groups));
        assert_int_equal(groups->count, 1);
        assert_true(groups->pairs[0].group[0] == 0 && groups->pairs[0].group[1] == 10);
        toc_touching_destroy(groups);
        toc_contacts_destroy(contacts);
    }
    assert_int_equal(counts[0], counts[1]);
    for (size_t k = 0; k < counts[0]; k++) assert_int_equal(touches[0][k].count, touches[1][k].count);
    free_scenes(both);
}

static void touches_and_changes(void **state) {
    (void)state;
    compare_touches(false);
    compare_touches(true);
}

// A body within one of many elements of a world touches none of them.
static void a_motion_inside_of_a_solid_is_not_free(void **state) {
    (void)state;
    const toc_query query = toc_query_default();
    toc_scene *scene;
    toc_world *world;
    toc_conflict conflict;
    toc_mesh *robot = falling_mesh();
    const double x[] = {1.6, 1.4, 1.2, 1.7, 1.4, 1.2, 1.6, 1.5, 1.2};
    assert_ok(test_mesh_set_motion(robot, x, x));
    assert_ok(toc_world_create(NULL, test_grid_volume(TOC_TET, 3, 3, 3), &world));
    assert_ok(toc_scene_create(NULL, &scene));
    assert_ok(toc_scene_add_body(scene, robot, NULL));
    assert_ok(toc_scene_add_world(scene, world, NULL));
    toc_world_destroy(world);
    assert_ok(toc_scene_find_conflict(scene, &query, &conflict));
    assert_int_equal(conflict.kind, TOC_CONFLICT_CONTAINMENT);
    toc_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_and_containment),
        cmocka_unit_test(a_step_with_room_in_rounds),
        cmocka_unit_test(rounding_of_parts_out_of_reach),
        cmocka_unit_test(touches_and_changes),
        cmocka_unit_test(a_motion_inside_of_a_solid_is_not_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
