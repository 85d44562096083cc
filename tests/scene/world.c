// SPDX-License-Identifier: Apache-2.0
// Worlds: the answers are those of a body with the same mesh, to the last bit, whatever part of the world is near; one
// world serves scenes in several threads.
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "support/answers.h"
#include "toccata/research.h"

// A world of all surface shapes in the unit cube, with groups, thicknesses and holes in its ids.
static toc_mesh *make_ground(uint64_t seed) {
    test_random random = {seed};
    toc_mesh *mesh = test_soup(&random, TOC_TRIANGLE, 60, 60);
    for (uint32_t i = 0; i < 30; i++) {
        uint32_t v[4];
        for (int j = 0; j < 4; j++) v[j] = (7 * i + 3 * (uint32_t)j) % 60;
        assert_ok(toc_mesh_add_elements(mesh, (toc_shape[]){TOC_QUAD, TOC_EDGE, TOC_POINT}[i % 3], 1, v, NULL));
    }
    for (uint32_t e = 0; e < 90; e += 4) {
        assert_ok(toc_mesh_set_group(mesh, e, (int32_t)(e % 3)));
        assert_ok(toc_mesh_set_thickness(mesh, e, 0.0001 * e));
    }
    for (uint32_t e = 1; e < 90; e += 9) assert_ok(toc_mesh_remove_element(mesh, e));
    return mesh;
}

// A block of unit cells, made half as large and moved.
static toc_mesh *make_block(toc_shape shape, double x, double y) {
    toc_mesh *mesh = test_grid_volume(shape, 1, 1, 2);
    const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
    double at[64];
    assert_true(count <= 64);
    for (size_t i = 0; i < count; i++) at[i] = toc_mesh_get_x0(mesh)[i] / 2 + (i % 3 == 0 ? x : i % 3 == 1 ? y : 0);
    assert_ok(test_mesh_set_motion(mesh, at, at));
    return mesh;
}

// A world of all shapes with a volume in the unit cube, and two shells, with groups, thicknesses and holes in its ids.
static toc_mesh *make_solid_ground(void) {
    static const toc_shape shapes[] = {TOC_TET, TOC_HEX, TOC_WEDGE, TOC_PYRAMID};
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 1, (const double[]){9, 9, 9}, NULL));
    for (int i = 0; i < 4; i++) {
        toc_mesh *block = make_block(shapes[i], 0.5 * (i & 1), 0.5 * (i >> 1));
        assert_ok(toc_mesh_append(mesh, block, NULL, NULL));
        toc_mesh_destroy(block);
    }
    const uint32_t count = (uint32_t)toc_mesh_get_element_count(mesh), shells[] = {3, 8, 11, 11, 8, 20};
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, shells, NULL));
    for (uint32_t e = 0; e < count; e += 4) assert_ok(toc_mesh_set_group(mesh, e, (int32_t)(e % 3)));
    assert_ok(toc_mesh_set_thickness(mesh, count, 0.01));
    assert_ok(toc_mesh_remove_element(mesh, 2));
    return mesh;
}

// The same robots beside the same ground: as a world, or as a body that ignores itself. The ground is body 1 of 3.
// Beside solid ground one of the robots is solid, too.
static toc_scene *make_ground_scene(bool solid, bool as_world) {
    toc_scene *scene;
    toc_world *world;
    assert_ok(toc_scene_create(NULL, &scene));
    for (int i = 0; i < 3; i++) {
        test_random random = {(uint64_t)i + 5};
        toc_mesh *mesh = i != 1  ? test_soup(&random, solid && i == 2 ? TOC_TET : TOC_TRIANGLE, solid ? 5 : 12, 20)
                         : solid ? make_solid_ground()
                                 : make_ground(9);
        if (i == 1 && as_world) {
            assert_ok(toc_world_create(NULL, mesh, &world));
            assert_ok(toc_scene_add_world(scene, world, NULL));
            toc_world_destroy(world); // the scene keeps it
        } else {
            assert_ok(toc_scene_add_body(scene, mesh, NULL));
        }
    }
    assert_ok(toc_scene_set_self_contact(scene, 1, false));
    return scene;
}

static toc_scene *make_scene(bool as_world) { return make_ground_scene(false, as_world); }

// Steps into the ground, along it, out of its reach and back.
static void move_robots(toc_scene *scene, int step) {
    test_random random = {(uint64_t)step + 1};
    for (uint32_t b = 0; b < 3; b += 2) {
        toc_mesh *mesh = toc_scene_edit_mesh(scene, b);
        double x1[60];
        const double away = step == 3 ? 40 : step == 4 ? 0 : 0.3;
        assert_int_equal(toc_mesh_get_vertex_count(mesh), 20);
        for (int i = 0; i < 60; i++) x1[i] = test_random_between(&random, 0, 0.4) + away * (i % 3 == 0);
        assert_ok(test_mesh_move(mesh, x1));
    }
}

static void assert_same_bits(const toc_contacts *got, const toc_contacts *wanted) {
    assert_int_equal(got->count, wanted->count);
    if (wanted->count) assert_memory_equal(got->contacts, wanted->contacts, wanted->count * sizeof *wanted->contacts);
}

// The answers about a ground that is a body and about one that is a world.
static void assert_same_and_free(toc_scene *const scenes[2], toc_contacts *const got[2]) {
    assert_true(got[0]->count > 0);
    assert_same_bits(got[1], got[0]);
    for (int i = 0; i < 2; i++) {
        toc_contacts_destroy(got[i]);
        toc_scene_destroy(scenes[i]);
    }
}

// The truth about a scene whose ground is a body.
typedef struct truth {
    toc_contacts *all, *first;
} truth;

static truth find_both(toc_scene *scene, double separation) {
    return (truth){test_find_contacts(scene, "brute", TOC_ANSWER_ALL, separation, 1),
                   test_find_contacts(scene, "brute", TOC_ANSWER_FIRST, separation, 1)};
}

static void free_both(truth t) {
    toc_contacts_destroy(t.all);
    toc_contacts_destroy(t.first);
}

static void compare_contacts(toc_scene *scene, const char *preset, double separation, int threads, truth t) {
    for (toc_answer answer = TOC_ANSWER_ALL; answer <= TOC_ANSWER_ANY; answer++) {
        toc_contacts *got = test_find_contacts(scene, preset, answer, separation, threads);
        if (answer == TOC_ANSWER_ANY)
            assert_int_equal(got->count, t.all->count > 0);
        else
            assert_same_bits(got, answer == TOC_ANSWER_ALL ? t.all : t.first);
        toc_contacts_destroy(got);
    }
}

enum { PRESETS_MOST = 32 };

static void compare_presets(bool solid, int steps) {
    toc_scene *body = make_ground_scene(solid, false), *worlds[PRESETS_MOST];
    size_t found = 0, presets = 0;
    for (; toc_preset_get(presets).name; presets++) worlds[presets] = make_ground_scene(solid, true);
    assert_true(presets <= PRESETS_MOST);
    for (int step = 0; step < steps; step++) {
        const double separation = step == 3 ? 0.02 : 0; // far apart: exact arithmetic takes long
        move_robots(body, step);
        const truth t = find_both(body, separation);
        for (size_t i = 0; i < t.all->count; i++) found += t.all->contacts[i].body[1] == 1;
        for (size_t p = 0; p < presets; p++) {
            const char *preset = toc_preset_get(p).name;
            if (strcmp(preset, "voxel") == 0) continue; // can miss
            if (strcmp(preset, "brute") == 0 && step > 1) continue;
            move_robots(worlds[p], step);
            compare_contacts(worlds[p], preset, separation, step == 2 ? 2 : 1, t);
        }
        free_both(t);
    }
    assert_true(found > 100);
    toc_scene_destroy(body);
    for (size_t p = 0; p < presets; p++) toc_scene_destroy(worlds[p]);
}

static void contacts_are_those_of_a_body(void **state) {
    (void)state;
    compare_presets(false, test_less(6, 4));
}

static void contacts_with_volumes_are_those_of_a_body(void **state) {
    (void)state;
    compare_presets(true, test_less(5, 4));
}

// Faces at the rim of the near part have one element there and two in the world: they are not on the surface.
static void the_surface_is_that_of_the_whole_world(void **state) {
    (void)state;
    static const char *const presets[] = {"brute", "auto", "bvh", "volccd"};
    toc_scene *scenes[2] = {make_ground_scene(true, false), make_ground_scene(true, true)};
    size_t found = 0;
    for (int step = 0; step < 8; step++) {
        toc_contacts *got[2];
        for (int i = 0; i < 2; i++) {
            toc_query query = toc_query_default();
            query.preset = i == 0 ? "brute" : presets[step % 4];
            query.test.method = TOC_METHOD_CERTIFIED;
            query.surface_only = query.thin = true;
            move_robots(scenes[i], 5 + step);
            assert_ok(toc_scene_find_contacts(scenes[i], &query, NULL, &got[i]));
        }
        found += got[0]->count;
        assert_same_bits(got[1], got[0]);
        for (int i = 0; i < 2; i++) toc_contacts_destroy(got[i]);
    }
    assert_true(found > 100);
    for (int i = 0; i < 2; i++) toc_scene_destroy(scenes[i]);
}

// `auto` maps the inside of elements that were near for some steps. Then others are near.
static void another_part_of_the_world_comes_near(void **state) {
    (void)state;
    toc_scene *scenes[2];
    toc_world *world;
    size_t inside = 0, found = 0;
    assert_ok(toc_world_create(NULL, test_grid_volume(TOC_TET, 4, 3, 3), &world));
    for (int i = 0; i < 2; i++) {
        assert_ok(toc_scene_create(NULL, &scenes[i]));
        assert_ok(toc_scene_add_body(scenes[i], test_grid_volume(TOC_TET, 1, 1, 1), NULL));
    }
    assert_ok(toc_scene_add_body(scenes[0], test_grid_volume(TOC_TET, 4, 3, 3), NULL));
    assert_ok(toc_scene_set_self_contact(scenes[0], 1, false));
    assert_ok(toc_scene_add_world(scenes[1], world, NULL));
    toc_world_destroy(world);
    for (int step = 0; step < 12; step++) {
        toc_contacts *got[2];
        for (int i = 0; i < 2; i++) {
            toc_mesh *robot = toc_scene_edit_mesh(scenes[i], 0);
            double x1[24];
            for (int k = 0; k < 24; k++) {
                const int corner = k % 3 == 0 ? k / 3 % 2 : k % 3 == 1 ? k / 6 % 2 : k / 12;
                const double way = step < 6 ? 0.01 * step : step < 8 ? 1.5 : 0.4 * (step - 7);
                x1[k] = 0.3 + 0.21 * corner + way * (k % 3 + 1) / 3;
            }
            assert_ok(step == 0 ? test_mesh_set_motion(robot, x1, x1) : test_mesh_move(robot, x1));
            got[i] = test_find_contacts(scenes[i], i == 0 ? "brute" : "auto", TOC_ANSWER_ALL, 0, 1);
        }
        inside += strcmp(got[1]->chosen, "interior") == 0;
        found += got[0]->count;
        assert_same_bits(got[1], got[0]);
        for (int i = 0; i < 2; i++) toc_contacts_destroy(got[i]);
    }
    assert_true(inside > 0 && found > 100);
    for (int i = 0; i < 2; i++) toc_scene_destroy(scenes[i]);
}

// The default tolerance of these methods depends on the extent of the scene, all of the world included.
static void tolerances_are_those_of_the_whole_scene(void **state) {
    (void)state;
    toc_scene *scenes[2] = {make_scene(false), make_scene(true)};
    toc_contacts *got[2];
    for (int i = 0; i < 2; i++) {
        toc_query query = toc_query_default();
        query.preset = "brute";
        query.test.method = TOC_METHOD_ADDITIVE;
        move_robots(scenes[i], 0);
        assert_ok(toc_scene_find_contacts(scenes[i], &query, NULL, &got[i]));
    }
    assert_same_and_free(scenes, got);
}

static void compare_accelerated(bool solid) {
    toc_scene *scenes[2] = {make_ground_scene(solid, false), make_ground_scene(solid, true)};
    for (int i = 0; i < 2; i++) {
        test_random random = {77};
        double a[60];
        for (int k = 0; k < 60; k++) a[k] = test_random_between(&random, -2, 2);
        move_robots(scenes[i], 0);
        assert_ok(test_mesh_accelerate(toc_scene_edit_mesh(scenes[i], 0), a));
    }
    toc_contacts *got = test_find_contacts(scenes[1], "auto", TOC_ANSWER_ALL, 0, 1);
    toc_contacts *wanted = test_find_contacts(scenes[0], "brute", TOC_ANSWER_ALL, 0, 1);
    assert_true(wanted->count > 0);
    assert_same_bits(got, wanted);
    toc_contacts_destroy(got);
    toc_contacts_destroy(wanted);
    for (int i = 0; i < 2; i++) toc_scene_destroy(scenes[i]);
}

static void accelerated_bodies_meet_worlds(void **state) {
    (void)state;
    compare_accelerated(false);
    compare_accelerated(true);
}

// ---- the other questions

static void compare_near(toc_scene *scenes[2], double thickness) {
    const toc_query query = toc_query_default();
    toc_near *near[2][3];
    for (int i = 0; i < 2; i++) {
        assert_ok(test_find_near(scenes[i], &query, TOC_AT_START, thickness, &near[i][0]));
        assert_ok(test_find_near(scenes[i], &query, TOC_AT_END, thickness, &near[i][1]));
        assert_ok(test_find_near_in_step(scenes[i], &query, thickness, &near[i][2]));
    }
    for (int k = 0; k < 3; k++) {
        assert_int_equal(near[1][k]->count, near[0][k]->count);
        if (near[0][k]->count)
            assert_memory_equal(near[1][k]->pairs, near[0][k]->pairs, near[0][k]->count * sizeof *near[0][k]->pairs);
        for (int i = 0; i < 2; i++) toc_near_destroy(near[i][k]);
    }
}

typedef toc_status overlap_question(toc_scene *scene, const toc_query *query, toc_end end, toc_overlaps *reuse,
                                    toc_overlaps **out);

static size_t compare_overlaps(toc_scene *scenes[2], toc_end end, overlap_question *question) {
    const toc_query query = toc_query_default();
    toc_overlaps *overlaps[2];
    for (int i = 0; i < 2; i++) assert_ok(question(scenes[i], &query, end, NULL, &overlaps[i]));
    const size_t count = overlaps[0]->count;
    assert_int_equal(overlaps[1]->count, overlaps[0]->count);
    if (overlaps[0]->count)
        assert_memory_equal(overlaps[1]->pairs, overlaps[0]->pairs, overlaps[0]->count * sizeof *overlaps[0]->pairs);
    for (int i = 0; i < 2; i++) toc_overlaps_destroy(overlaps[i]);
    return count;
}

static void compare_near_vertices(toc_scene *scenes[2]) {
    const toc_query query = toc_query_default();
    toc_vertex_pairs *pairs[2];
    for (int i = 0; i < 2; i++) assert_ok(test_find_near_vertices(scenes[i], &query, TOC_AT_END, 0.1, &pairs[i]));
    assert_int_equal(pairs[1]->count, pairs[0]->count);
    assert_true(pairs[0]->count > 0);
    assert_memory_equal(pairs[1]->pairs, pairs[0]->pairs, pairs[0]->count * sizeof *pairs[0]->pairs);
    for (int i = 0; i < 2; i++) toc_vertex_pairs_destroy(pairs[i]);
}

static void compare_rooms(toc_scene *scenes[2]) {
    const toc_query query = toc_query_default();
    toc_room_step steps[2];
    memset(steps, 0, sizeof steps);
    for (int i = 0; i < 2; i++) assert_ok(toc_scene_find_room_step(scenes[i], &query, NULL, &steps[i]));
    assert_double_same(steps[1].fraction, steps[0].fraction);
    assert_int_equal(steps[1].limited, steps[0].limited);
    if (steps[0].limited) assert_memory_equal(steps[1].v, steps[0].v, sizeof steps[0].v);
}

static void compare_other_questions(bool solid) {
    toc_scene *scenes[2] = {make_ground_scene(solid, false), make_ground_scene(solid, true)};
    size_t overlaps = 0;
    for (int step = 2; step < test_less(4, 3); step++) {
        double fractions[2];
        toc_query query = toc_query_default();
        for (int i = 0; i < 2; i++) {
            move_robots(scenes[i], step);
            assert_ok(toc_scene_set_body_thickness(scenes[i], 0, 0.01));
            assert_ok(toc_scene_find_safe_step(scenes[i], &query, &fractions[i]));
        }
        assert_double_same(fractions[1], fractions[0]);
        compare_rooms(scenes);
        compare_near(scenes, 0.01);
        for (toc_end end = TOC_AT_START; end <= TOC_AT_END; end++) {
            compare_overlaps(scenes, end, toc_scene_find_overlaps);
            overlaps += compare_overlaps(scenes, end, toc_scene_find_element_overlaps);
        }
        if (solid) compare_near_vertices(scenes);
    }
    assert_true(!solid || overlaps > 0);
    for (int i = 0; i < 2; i++) toc_scene_destroy(scenes[i]);
}

static void other_questions_are_those_of_a_body(void **state) {
    (void)state;
    compare_other_questions(false);
}

static void questions_about_volumes_are_those_of_a_body(void **state) {
    (void)state;
    compare_other_questions(true);
}

// ---- filters

static bool wants_even_faces(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    (void)user;
    (void)kind;
    return (body[0] + body[1] + v[0] + v[3]) % 2 == 0;
}

static void filters_see_the_ids_of_the_world(void **state) {
    (void)state;
    toc_scene *scenes[2] = {make_scene(false), make_scene(true)};
    toc_contacts *got[2];
    for (int i = 0; i < 2; i++) {
        toc_query query = toc_query_default();
        query.filter.wants = wants_even_faces;
        move_robots(scenes[i], 0);
        assert_ok(toc_scene_set_group_contact(scenes[i], 0, 1, false));
        assert_ok(toc_scene_find_contacts(scenes[i], &query, NULL, &got[i]));
    }
    assert_same_and_free(scenes, got);
}

static void two_worlds_do_not_touch(void **state) {
    (void)state;
    toc_scene *scene;
    toc_world *world;
    toc_contacts *contacts;
    assert_ok(toc_scene_create(NULL, &scene));
    assert_ok(toc_world_create(NULL, make_ground(9), &world));
    assert_ok(toc_scene_add_world(scene, world, NULL));
    assert_ok(toc_scene_add_world(scene, world, NULL));
    toc_world_destroy(world);
    const toc_query query = toc_query_default();
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    assert_int_equal(contacts->count, 0);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
}

// ---- worlds themselves

static void a_world_is_read_only(void **state) {
    (void)state;
    toc_world *world, *none = NULL;
    toc_scene *scene;
    toc_mesh *mesh = make_ground(9), *removed = mesh;
    uint32_t body;
    assert_ok(toc_world_create(NULL, mesh, &world));
    assert_fails(toc_mesh_remove_element(mesh, 0), TOC_BUSY, "");
    assert_fails(toc_world_create(NULL, mesh, &none), TOC_BUSY, "");
    assert_ok(toc_scene_create(NULL, &scene));
    assert_fails(toc_scene_add_body(scene, mesh, NULL), TOC_BAD_INPUT, "already");
    assert_ok(toc_scene_add_world(scene, world, &body));
    assert_ptr_equal(toc_scene_get_mesh(scene, body), mesh);
    assert_null(toc_scene_edit_mesh(scene, body));
    assert_ok(toc_scene_remove_body(scene, body, &removed));
    assert_null(removed);
    assert_null(toc_scene_get_mesh(scene, body));
    toc_scene_destroy(scene);
    toc_world_destroy(world);
    assert_fails(toc_world_create(NULL, NULL, &none), TOC_BAD_INPUT, "");
    assert_fails(toc_scene_add_world(NULL, NULL, NULL), TOC_BAD_INPUT, "");
    assert_null(none);
}

static void motion_is_refused(void **state) {
    (void)state;
    toc_world *world;
    test_random random = {1};
    toc_mesh *moving = test_soup(&random, TOC_TRIANGLE, 5, 9);
    test_shake(moving, &random, 0, 0.1);
    assert_fails(toc_world_create(NULL, moving, &world), TOC_BAD_INPUT, "a world rests");
    toc_mesh_destroy(moving);
}

// Products with the scale of the world's frame overflow for such coordinates.
static void a_body_may_be_very_far_from_a_tiny_world(void **state) {
    (void)state;
    toc_scene *scene;
    toc_world *world;
    toc_mesh *ground, *robot;
    const double x[] = {0, 0, 0, 1e-300, 0, 0, 0, 1e-300, 0}, far[] = {1e-301, 1e-301, 1e300};
    const double beyond[] = {1e-301, 1e-301, -1e300};
    const uint32_t v[] = {0, 1, 2};
    assert_ok(toc_scene_create(NULL, &scene));
    assert_ok(toc_mesh_create(NULL, &ground));
    assert_ok(toc_mesh_add_vertices(ground, 3, x, NULL));
    assert_ok(toc_mesh_add_elements(ground, TOC_TRIANGLE, 1, v, NULL));
    assert_ok(toc_world_create(NULL, ground, &world));
    assert_ok(toc_scene_add_world(scene, world, NULL));
    toc_world_destroy(world);
    assert_ok(toc_mesh_create(NULL, &robot));
    assert_ok(toc_mesh_add_vertices(robot, 1, far, NULL));
    assert_ok(toc_mesh_add_elements(robot, TOC_POINT, 1, v, NULL));
    assert_ok(test_mesh_move(robot, beyond));
    assert_ok(toc_scene_add_body(scene, robot, NULL));
    toc_contacts *contacts = test_find_truth(scene, 0);
    assert_int_equal(contacts->count, 1);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
}

static toc_status ask_beside_a_world(const toc_allocator *allocator, void *user) {
    toc_mesh *ground = *(const bool *)user ? make_solid_ground() : make_ground(9),
             *robot = test_grid_sheet(TOC_TRIANGLE, 1, 1);
    toc_world *world = NULL;
    toc_scene *scene = NULL;
    toc_status status = toc_world_create(allocator, ground, &world);
    if (status != TOC_OK) toc_mesh_destroy(ground);
    if (status == TOC_OK) status = toc_scene_create(allocator, &scene);
    if (status == TOC_OK) status = toc_scene_add_world(scene, world, NULL);
    toc_world_destroy(world);
    const bool added = status == TOC_OK && (status = toc_scene_add_body(scene, robot, NULL)) == TOC_OK;
    if (!added) toc_mesh_destroy(robot);
    for (int step = 0; step < 3 && status == TOC_OK; step++) {
        toc_contacts *contacts = NULL;
        toc_query query = toc_query_default();
        query.threads = 1;
        status = toc_scene_find_contacts(scene, &query, NULL, &contacts);
        toc_contacts_destroy(contacts);
    }
    toc_scene_destroy(scene);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    for (int solid = 0; solid < 2; solid++) assert_true(test_every_allocation(ask_beside_a_world, &(bool){solid}) > 10);
}

// ---- threads

enum { THREADS = 4 };

typedef struct planner {
    toc_scene *scene;
    pthread_t thread;
    size_t found;
} planner;

static void move_robot(toc_scene *scene, test_random *random) {
    double x1[60];
    for (int i = 0; i < 60; i++) x1[i] = test_random_between(random, 0, 0.5);
    assert_ok(test_mesh_move(toc_scene_edit_mesh(scene, 1), x1));
}

static void *check_edges(void *user) {
    planner *p = user;
    toc_scene *scene = p->scene;
    test_random random = {3};
    assert_ok(toc_scene_add_body(scene, test_soup(&random, TOC_TRIANGLE, 12, 20), NULL));
    for (int edge = 0; edge < test_less(30, 10); edge++) {
        move_robot(scene, &random);
        toc_contacts *contacts = test_find_contacts(scene, "auto", TOC_ANSWER_ALL, 0, 1);
        p->found += contacts->count;
        toc_contacts_destroy(contacts);
    }
    toc_scene_destroy(scene);
    return NULL;
}

// Each thread has a scene of its own beside the shared world; the last scene frees it.
static void scenes_in_threads_share_a_world(void **state) {
    (void)state;
    planner planners[THREADS];
    toc_world *world;
    assert_ok(toc_world_create(NULL, make_ground(9), &world));
    for (int i = 0; i < THREADS; i++) {
        planners[i] = (planner){.found = 0};
        assert_ok(toc_scene_create(NULL, &planners[i].scene));
        assert_ok(toc_scene_add_world(planners[i].scene, world, NULL));
    }
    toc_world_destroy(world);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&planners[i].thread, NULL, check_edges, &planners[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(planners[i].thread, NULL), 0);
        assert_true(planners[i].found > 0 && planners[i].found == planners[0].found);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_in_threads_share_a_world),
        cmocka_unit_test(contacts_are_those_of_a_body),
        cmocka_unit_test(contacts_with_volumes_are_those_of_a_body),
        cmocka_unit_test(the_surface_is_that_of_the_whole_world),
        cmocka_unit_test(another_part_of_the_world_comes_near),
        cmocka_unit_test(tolerances_are_those_of_the_whole_scene),
        cmocka_unit_test(accelerated_bodies_meet_worlds),
        cmocka_unit_test(other_questions_are_those_of_a_body),
        cmocka_unit_test(questions_about_volumes_are_those_of_a_body),
        cmocka_unit_test(filters_see_the_ids_of_the_world),
        cmocka_unit_test(two_worlds_do_not_touch),
        cmocka_unit_test(a_world_is_read_only),
        cmocka_unit_test(motion_is_refused),
        cmocka_unit_test(a_body_may_be_very_far_from_a_tiny_world),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
