// SPDX-License-Identifier: Apache-2.0
// Containment: points in tets and boxes by exact tests, bodies in bodies, cavities, open surfaces.
#include <math.h>
#include <string.h>

#include "support/answers.h"
#include "support/oracle.h"

// A box of hexes, or only its surface of quads, from `low` to `low + size` in all coordinates.
static toc_mesh *box_at(double low, double size, bool solid, bool inwards) {
    const uint32_t hex[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const uint32_t quads[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    double x[24];
    toc_mesh *mesh;
    for (int i = 0; i < 8; i++) {
        x[3 * i] = low + (i % 4 == 1 || i % 4 == 2 ? size : 0);
        x[3 * i + 1] = low + (i % 4 >= 2 ? size : 0);
        x[3 * i + 2] = low + (i >= 4 ? size : 0);
    }
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 8, x, NULL));
    if (solid) assert_ok(toc_mesh_add_elements(mesh, TOC_HEX, 1, hex, NULL));
    for (int q = 0; q < 6 && !solid; q++) {
        uint32_t turned[4];
        for (int i = 0; i < 4; i++) turned[i] = quads[q][inwards ? 3 - i : i];
        assert_ok(toc_mesh_add_elements(mesh, TOC_QUAD, 1, turned, NULL));
    }
    return mesh;
}

static uint32_t containing(toc_scene *bodies, const double point[3]) {
    const toc_query query = toc_query_default();
    const toc_probe probe = {.count = 1, .at = point, .mask = UINT64_MAX};
    uint32_t body;
    assert_ok(toc_scene_find_containing(bodies, &query, TOC_AT_START, &probe, &body));
    return body;
}

// Points on lattice planes: above and below edges, vertices, diagonals, vertical faces.
static void lattice_points_and_a_grid(void **state) {
    (void)state;
    for (int surface = 0; surface < 2; surface++) {
        toc_mesh *mesh = surface ? box_at(0, 2, false, false) : test_grid_volume(TOC_HEX, 2, 2, 2);
        toc_scene *bodies = test_scene_of(mesh, NULL);
        for (int i = 0; i < 729; i++) {
            const double p[3] = {i % 9 * 0.5 - 1, i / 9 % 9 * 0.5 - 1, i / 81 * 0.5 - 1};
            bool inside = true;
            for (int k = 0; k < 3; k++) inside = inside && p[k] >= 0 && p[k] <= 2;
            assert_int_equal(containing(bodies, p), inside ? 0 : UINT32_MAX);
        }
        toc_scene_destroy(bodies);
    }
}

// Random tets, of coordinates of few and of many digits: inside exactly if the point is in the tet. All threads agree.
static void points_in_tets(void **state) {
    (void)state;
    enum { POINTS = 64 };
    test_random random = test_random_make(0);
    int inside = 0;
    for (int round = 0; round < test_less(300, 40); round++) {
        const double step = round % 2 ? 0.25 : 0;
        double x[12], at[3 * POINTS];
        uint32_t found[POINTS], same[POINTS];
        const uint32_t corners[] = {0, 1, 2, 3};
        toc_mesh *mesh;
        for (int i = 0; i < 12; i++) x[i] = test_random_between(&random, 0, 1);
        for (int i = 0; i < 3 * POINTS; i++) at[i] = test_random_between(&random, 0, 1);
        for (int i = 0; i < 12 && step > 0; i++) x[i] = floor(x[i] / step) * step;
        for (int i = 0; i < 3 * POINTS && step > 0; i++) at[i] = floor(at[i] / step) * step;
        assert_ok(toc_mesh_create(NULL, &mesh));
        assert_ok(toc_mesh_add_vertices(mesh, 4, x, NULL));
        assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, corners, NULL));
        toc_scene *bodies = test_scene_of(mesh, NULL);
        toc_query query = toc_query_default();
        const toc_probe probe = {.count = POINTS, .at = at, .mask = UINT64_MAX};
        query.threads = 1;
        assert_ok(toc_scene_find_containing(bodies, &query, TOC_AT_END, &probe, found));
        query.threads = 2 + round % 7;
        assert_ok(toc_scene_find_containing(bodies, &query, TOC_AT_END, &probe, same));
        assert_memory_equal(found, same, sizeof found);
        for (int i = 0; i < POINTS; i++) {
            toc_inside truth;
            assert_ok(toc_inside_find(TOC_TET, x, at + 3 * i, &truth));
            assert_int_equal(found[i] == 0, truth.verdict == TOC_HIT);
            inside += truth.verdict == TOC_HIT;
        }
        toc_scene_destroy(bodies);
    }
    assert_true(inside > 100);
}

// A point 2^-52 below and above a sloping face.
static void points_beside_a_face_by_the_last_bit(void **state) {
    (void)state;
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const uint32_t corners[] = {0, 1, 2, 3};
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 4, x, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, corners, NULL));
    toc_scene *bodies = test_scene_of(mesh, NULL);
    const double on[] = {0.25, 0.25, 0.5}, above[] = {0.25, 0.25, nextafter(0.5, 1)};
    const double below[] = {0.25, 0.25, nextafter(0.5, 0)};
    assert_int_equal(containing(bodies, on), 0);
    assert_int_equal(containing(bodies, below), 0);
    assert_int_equal(containing(bodies, above), UINT32_MAX);
    toc_scene_destroy(bodies);
}

static toc_containments *containments_of(toc_scene *bodies, int threads) {
    toc_query query = toc_query_default();
    toc_containments *found;
    query.threads = threads;
    assert_ok(toc_scene_find_containments(bodies, &query, TOC_AT_START, &found));
    return found;
}

static void a_box_in_a_box(void **state) {
    (void)state;
    for (int solid = 0; solid < 2; solid++) {
        toc_scene *bodies = test_scene_of(box_at(1, 1, solid, false), box_at(0, 3, solid, false));
        toc_containments *found;
        toc_conflict conflict;
        const toc_query query = toc_query_default();
        for (int threads = 1; threads <= 8; threads++) {
            found = containments_of(bodies, threads);
            assert_int_equal(found->count, 1);
            assert_true(found->pairs[0].body[0] == 0 && found->pairs[0].body[1] == 1 && found->pairs[0].vertex == 0);
            toc_containments_destroy(found);
        }
        assert_ok(toc_scene_find_conflict(bodies, &query, &conflict));
        assert_true(conflict.kind == TOC_CONFLICT_CONTAINMENT && conflict.body[1] == 1);
        assert_ok(toc_scene_set_body_layers(bodies, 0, 2, 4));
        found = containments_of(bodies, 1);
        assert_int_equal(found->count, 0);
        toc_containments_destroy(found);
        assert_ok(toc_scene_find_conflict(bodies, &query, &conflict));
        assert_int_equal(conflict.kind, TOC_CONFLICT_NONE);
        toc_scene_destroy(bodies);
    }
}

// A box with another one, wound inwards, as its cavity.
static toc_mesh *hollow_box(double unit) {
    toc_mesh *hollow = box_at(0, 9 * unit, false, false), *cavity = box_at(unit, 7 * unit, false, true);
    uint32_t first;
    assert_ok(toc_mesh_add_vertices(hollow, 8, toc_mesh_get_x0(cavity), &first));
    for (uint32_t e = 0; e < 6; e++) {
        uint32_t corners[4];
        for (int i = 0; i < 4; i++) corners[i] = first + toc_mesh_get_element(cavity, e).corners[i];
        assert_ok(toc_mesh_add_elements(hollow, TOC_QUAD, 1, corners, NULL));
    }
    toc_mesh_destroy(cavity);
    return hollow;
}

// A hollow box in one body has a cavity, and a box in the cavity is not inside of anything. The cube of a length may
// overflow or vanish.
static void cavities_are_outside(void **state) {
    (void)state;
    static const int sizes[] = {0, 300, 345, 1000, -300, -358, -1060};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const double unit = ldexp(1, sizes[i]);
        toc_scene *bodies = test_scene_of(hollow_box(unit), box_at(3 * unit, 2 * unit, true, false));
        toc_containments *found = containments_of(bodies, 1);
        assert_int_equal(found->count, 0);
        toc_containments_destroy(found);
        const double wall = unit / 2, in_wall[] = {wall, wall, wall};
        const double in_cavity[] = {2 * unit, 2 * unit, 2 * unit}, in_box[] = {4 * unit, 4 * unit, 4 * unit};
        assert_int_equal(containing(bodies, in_wall), 0);
        assert_int_equal(containing(bodies, in_cavity), UINT32_MAX);
        assert_int_equal(containing(bodies, in_box), 1);
        toc_scene_destroy(bodies);
    }
}

// A sliver in a box, turned inside out or not: rounding has its volume of -1.7e-17 positive.
static void which_way_slivers_are_wound(void **state) {
    (void)state;
    const double sliver[] = {0x1.4p+0,
                             0x1.4p+0,
                             0x1.4p+0,
                             0x1.19a3122b1b20fp+1,
                             0x1.ab153e6ebf336p+0,
                             0x1.4496be27d7b8ep+0,
                             0x1.77f961d125947p+0,
                             0x1.8524ab163ed36p+0,
                             0x1.d703d2024a644p+0,
                             0x1.a7f90036ee001p+0,
                             0x1.72c2ad69e7640p+0,
                             0x1.52ca29d8542c4p+0};
    for (int turned = 0; turned < 2; turned++) {
        const uint32_t ways[2][4] = {{8, 10, 9, 11}, {8, 9, 10, 11}};
        toc_mesh *mesh = box_at(0, 3, true, false);
        assert_ok(toc_mesh_add_vertices(mesh, 4, sliver, NULL));
        assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, ways[turned], NULL));
        toc_scene *bodies = test_scene_of(mesh, NULL);
        toc_containments *found = containments_of(bodies, 1);
        assert_int_equal(found->count, turned ? 0 : 1);
        toc_containments_destroy(found);
        toc_scene_destroy(bodies);
    }
}

// Two components of one body; open surfaces; a shell that is only partly closed.
static void components_and_open_surfaces(void **state) {
    (void)state;
    toc_mesh *mesh = box_at(0, 3, true, false);
    const double inner[] = {1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2};
    uint32_t first;
    assert_ok(toc_mesh_add_vertices(mesh, 4, inner, &first));
    assert_ok(
        toc_mesh_add_elements(mesh, TOC_TET, 1, (const uint32_t[]){first, first + 1, first + 2, first + 3}, NULL));
    toc_mesh *open = box_at(5, 3, false, false);
    assert_ok(toc_mesh_remove_element(open, 0));
    toc_scene *bodies = test_scene_of(mesh, open);
    toc_containments *found = containments_of(bodies, 1);
    assert_int_equal(found->count, 1);
    assert_true(found->pairs[0].body[0] == 0 && found->pairs[0].body[1] == 0 && found->pairs[0].vertex == first);
    toc_containments_destroy(found);
    const double in_open[] = {6, 6, 6};
    assert_int_equal(containing(bodies, in_open), UINT32_MAX);
    assert_ok(toc_scene_set_self_contact(bodies, 0, false));
    found = containments_of(bodies, 1);
    assert_int_equal(found->count, 0);
    toc_containments_destroy(found);
    toc_scene_destroy(bodies);
}

static void conflicts_of_every_kind(void **state) {
    (void)state;
    const toc_query query = toc_query_default();
    toc_conflict conflict;
    toc_scene *bodies = test_scene_of(box_at(0, 1, true, false), box_at(2, 1, true, false));
    assert_ok(toc_scene_find_conflict(bodies, &query, &conflict));
    assert_int_equal(conflict.kind, TOC_CONFLICT_NONE);
    toc_mesh *mesh = toc_scene_edit_mesh(bodies, 0);
    double x0[24], x1[24];
    memcpy(x0, toc_mesh_get_x0(mesh), sizeof x0);
    for (int i = 0; i < 24; i++) x1[i] = x0[i] + 1.5;
    assert_ok(test_mesh_set_motion(mesh, x0, x1));
    assert_ok(toc_scene_find_conflict(bodies, &query, &conflict));
    assert_int_equal(conflict.kind, TOC_CONFLICT_CONTACT);
    assert_double_near(conflict.toc, 1 / 1.5, 1e-6);
    assert_ok(test_mesh_set_motion(mesh, x1, x1)); // faces cross, no feature touches another
    assert_ok(toc_scene_find_conflict(bodies, &query, &conflict));
    assert_true(conflict.kind == TOC_CONFLICT_OVERLAP || conflict.kind == TOC_CONFLICT_CONTAINMENT ||
                conflict.kind == TOC_CONFLICT_CONTACT);
    toc_scene_destroy(bodies);
}

static int fail_on_contacts(void *user, const toc_contact *contacts, size_t count) {
    (void)user, (void)contacts;
    fail_msg("a sink of contacts received %zu of them from another question", count);
    return 1;
}

// The sink of a query is for contacts alone: a planner that sets it must not be told that a blocked motion is free.
static void a_sink_does_not_take_the_conflict(void **state) {
    (void)state;
    toc_query query = toc_query_default();
    toc_conflict conflict;
    toc_scene *bodies = test_scene_of(box_at(0, 1, true, false), box_at(2, 1, true, false));
    toc_mesh *mesh = toc_scene_edit_mesh(bodies, 0);
    double x1[24];
    for (int i = 0; i < 24; i++) x1[i] = toc_mesh_get_x0(mesh)[i] + 1.5;
    assert_ok(test_mesh_move(mesh, x1));
    query.sink.take = fail_on_contacts;
    assert_ok(toc_scene_find_conflict(bodies, &query, &conflict));
    assert_int_equal(conflict.kind, TOC_CONFLICT_CONTACT);
    toc_scene_destroy(bodies);
}

static void bad_input_is_refused(void **state) {
    (void)state;
    toc_scene *empty;
    const toc_query query = toc_query_default();
    double at[3] = {0};
    toc_probe probe = {.count = 1, .at = at, .mask = UINT64_MAX};
    uint32_t body = 7;
    toc_containments *found;
    toc_conflict conflict;
    assert_ok(toc_scene_create(NULL, &empty));
    assert_ok(toc_scene_find_containing(empty, &query, TOC_AT_END, &probe, &body));
    assert_int_equal(body, UINT32_MAX);
    found = containments_of(empty, 1);
    assert_int_equal(found->count, 0);
    toc_containments_destroy(found);
    toc_containments_destroy(NULL);
    assert_fails(toc_scene_find_containing(NULL, &query, TOC_AT_END, &probe, &body), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_find_containing(empty, &query, TOC_AT_END, NULL, &body), TOC_BAD_INPUT, "probe is NULL");
    assert_fails(toc_scene_find_containments(empty, &query, TOC_AT_END, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_scene_find_containments(empty, NULL, TOC_AT_END, &found), TOC_BAD_INPUT, "NULL");
    assert_fails(toc_scene_find_conflict(empty, &query, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_scene_find_conflict(NULL, &query, &conflict), TOC_BAD_INPUT, "scene is NULL");
    at[1] = INFINITY;
    assert_fails(toc_scene_find_containing(empty, &query, TOC_AT_END, &probe, &body), TOC_BAD_INPUT, "y of probe 0");
    toc_scene_destroy(empty);
}

static toc_status ask_containment(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_scene *bodies;
    toc_mesh *mesh;
    const toc_query query = toc_query_default();
    const double x[] = {0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 9, 1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2};
    const uint32_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7};
    toc_containments *found = NULL;
    toc_status status = toc_scene_create(allocator, &bodies);
    if (status != TOC_OK) return status;
    status = toc_mesh_create(allocator, &mesh);
    if (status == TOC_OK) {
        status = toc_mesh_add_vertices(mesh, 8, x, NULL);
        if (status == TOC_OK) status = toc_mesh_add_elements(mesh, TOC_TET, 2, corners, NULL);
        if (status == TOC_OK) status = toc_scene_add_body(bodies, mesh, NULL);
        if (status != TOC_OK) toc_mesh_destroy(mesh);
    }
    if (status == TOC_OK) status = toc_scene_find_containments(bodies, &query, TOC_AT_START, &found);
    if (status == TOC_OK) assert_int_equal(found->count, 1);
    toc_containments_destroy(found);
    toc_scene_destroy(bodies);
    return status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    test_every_allocation(ask_containment, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattice_points_and_a_grid),
        cmocka_unit_test(points_in_tets),
        cmocka_unit_test(points_beside_a_face_by_the_last_bit),
        cmocka_unit_test(a_box_in_a_box),
        cmocka_unit_test(cavities_are_outside),
        cmocka_unit_test(which_way_slivers_are_wound),
        cmocka_unit_test(components_and_open_surfaces),
        cmocka_unit_test(conflicts_of_every_kind),
        cmocka_unit_test(a_sink_does_not_take_the_conflict),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
