// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "mesh/measure.h"
#include "support/grid.h"

static toc_mesh_report report_of(const toc_mesh *mesh) {
    toc_mesh_report report;
    memset(&report, 0x55, sizeof report);
    assert_ok(toc_mesh_inspect(mesh, &report));
    return report;
}

static void an_empty_mesh_is_reported_as_zeros(void **state) {
    (void)state;
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    const toc_mesh_report r = report_of(mesh);
    assert_int_equal(r.vertices + r.elements + r.unused_vertices + r.degenerate + r.inverted + r.duplicate, 0);
    assert_int_equal(r.boundary_edges + r.nonmanifold_edges, 0);
    assert_int_equal(r.first_degenerate, -1);
    assert_int_equal(r.first_inverted, -1);
    assert_int_equal(r.first_duplicate, -1);
    for (int k = 0; k < 3; k++) assert_true(r.low[k] == 0 && r.high[k] == 0);
    assert_double_same(r.mean_edge, 0);
    toc_mesh_destroy(mesh);
}

static void sound_boxes_have_nothing_to_report(void **state) {
    (void)state;
    for (int shape = TOC_TET; shape <= TOC_HEX; shape++) {
        toc_mesh *mesh = test_grid_volume((toc_shape)shape, 3, 2, 4);
        const toc_mesh_report r = report_of(mesh);
        assert_int_equal(r.elements, toc_mesh_get_element_count(mesh));
        assert_int_equal(r.shapes[shape], r.elements);
        assert_int_equal(r.vertices, toc_mesh_get_vertex_count(mesh));
        assert_int_equal(r.unused_vertices + r.degenerate + r.inverted + r.duplicate, 0);
        assert_int_equal(r.boundary_edges + r.nonmanifold_edges, 0);
        assert_double_same(r.low[0] + r.low[1] + r.low[2], 0);
        assert_true(r.high[0] == 3 && r.high[1] == 2 && r.high[2] == 4);
        toc_mesh_destroy(mesh);
    }
}

// Diagonals of quads are no edges of the mesh: a grid of unit cells has edges of length 1.
static void diagonals_do_not_count_for_the_mean_edge(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_HEX, 2, 2, 2);
    assert_double_same(report_of(mesh).mean_edge, 1);
    toc_mesh_destroy(mesh);
    mesh = test_grid_sheet(TOC_QUAD, 3, 3);
    assert_double_same(report_of(mesh).mean_edge, 1);
    toc_mesh_destroy(mesh);
}

static void rims_are_counted_and_closed_surfaces_have_none(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_sheet(TOC_TRIANGLE, 5, 3);
    assert_int_equal(report_of(mesh).boundary_edges, 16);
    toc_mesh_destroy(mesh);
    mesh = test_sphere(2);
    assert_int_equal(report_of(mesh).boundary_edges, 0);
    assert_ok(toc_mesh_remove_element(mesh, 17));
    assert_int_equal(report_of(mesh).boundary_edges, 3);
    toc_mesh_destroy(mesh);
}

// Three sheets along one edge, and two boxes that touch along one edge only.
static void edges_with_more_than_two_faces_are_counted(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_HEX, 1, 1, 1);
    assert_ok(toc_mesh_remove_element(mesh, 0));
    const uint32_t fins[9] = {0, 1, 2, 0, 1, 3, 0, 1, 4};
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 3, fins, NULL));
    assert_int_equal(report_of(mesh).nonmanifold_edges, 1);
    assert_int_equal(report_of(mesh).boundary_edges, 6);
    toc_mesh_destroy(mesh);
    mesh = test_grid_volume(TOC_HEX, 2, 2, 1);
    assert_ok(toc_mesh_remove_element(mesh, 1));
    assert_ok(toc_mesh_remove_element(mesh, 2));
    const toc_mesh_report r = report_of(mesh);
    assert_int_equal(r.elements, 2);
    assert_int_equal(r.nonmanifold_edges, 1);
    assert_int_equal(r.boundary_edges, 0);
    assert_int_equal(r.vertices, 18);
    assert_int_equal(r.unused_vertices, 18 - 14);
    toc_mesh_destroy(mesh);
}

static void add(toc_mesh *mesh, toc_shape shape, const uint32_t *corners) {
    assert_ok(toc_mesh_add_elements(mesh, shape, 1, corners, NULL));
}

static void elements_without_extent_are_degenerate(void **state) {
    (void)state;
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    const double positions[] = {0, 0, 0, 0.1, 0.1, 0.1, 0.3, 0.3, 0.3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1};
    assert_ok(toc_mesh_add_vertices(mesh, 8, positions, NULL));
    add(mesh, TOC_POINT, (uint32_t[]){0});          // sound
    add(mesh, TOC_EDGE, (uint32_t[]){0, 3});        // no length
    add(mesh, TOC_TRIANGLE, (uint32_t[]){0, 1, 2}); // on a line
    add(mesh, TOC_QUAD, (uint32_t[]){0, 1, 2, 3});  // on a line
    add(mesh, TOC_TET, (uint32_t[]){0, 4, 5, 6});   // flat
    add(mesh, TOC_TET, (uint32_t[]){0, 4, 5, 5});   // a corner twice
    add(mesh, TOC_EDGE, (uint32_t[]){0, 7});        // sound
    add(mesh, TOC_TET, (uint32_t[]){0, 4, 5, 7});   // sound
    add(mesh, TOC_QUAD, (uint32_t[]){0, 4, 6, 5});  // sound
    add(mesh, TOC_QUAD, (uint32_t[]){0, 4, 6, 6});  // a triangle, as some solvers write it
    const toc_mesh_report r = report_of(mesh);
    assert_int_equal(r.degenerate, 6);
    assert_int_equal(r.first_degenerate, 1);
    assert_int_equal(r.inverted, 0);
    assert_int_equal(r.shapes[TOC_QUAD], 3);
    toc_mesh_destroy(mesh);
}

static void volumes_turned_inside_out_are_found_in_every_shape(void **state) {
    (void)state;
    for (int shape = TOC_TET; shape <= TOC_HEX; shape++) {
        toc_mesh *mesh = test_grid_volume((toc_shape)shape, 2, 2, 2);
        double x[3 * 64];
        const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
        assert_true(count <= sizeof x / sizeof *x);
        for (size_t i = 0; i < count; i++) x[i] = (i % 3 == 0 ? -1 : 1) * toc_mesh_get_x0(mesh)[i];
        assert_ok(test_mesh_set_motion(mesh, x, x));
        const toc_mesh_report r = report_of(mesh);
        assert_int_equal(r.inverted, r.elements);
        assert_int_equal(r.first_inverted, 0);
        assert_int_equal(r.degenerate, 0);
        toc_mesh_destroy(mesh);
    }
}

static void duplicates_are_found_whatever_their_corner_order(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_HEX, 2, 1, 1);
    add(mesh, TOC_TRIANGLE, (uint32_t[]){0, 1, 3});
    add(mesh, TOC_TRIANGLE, (uint32_t[]){0, 1, 4});
    add(mesh, TOC_TRIANGLE, (uint32_t[]){3, 1, 0}); // twice
    add(mesh, TOC_QUAD, (uint32_t[]){0, 1, 3, 3});  // another shape
    add(mesh, TOC_QUAD, (uint32_t[]){0, 1, 1, 3});  // the same three vertices, but not the same corners
    add(mesh, TOC_TRIANGLE, (uint32_t[]){1, 3, 0}); // three times
    const toc_mesh_report r = report_of(mesh);
    assert_int_equal(r.duplicate, 2);
    assert_int_equal(r.first_duplicate, 4);
    assert_ok(toc_mesh_remove_element(mesh, 2));
    assert_int_equal(report_of(mesh).duplicate, 1);
    toc_mesh_destroy(mesh);
}

// ---- Signs, against integers.

__extension__ typedef __int128 wide_int;

static wide_int exact_volume(int64_t p[4][3]) {
    wide_int d[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) d[i][k] = p[i + 1][k] - p[0][k];
    return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) + d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
           d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

// Tets that are flat but for the last bit or two, far from the origin: rounded volumes have the wrong sign or none.
static void signs_of_volumes_are_exact(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_mesh *mesh = test_grid_volume(TOC_TET, 1, 1, 1);
    int seen[3] = {0};
    for (int i = 0; i < 20000; i++) {
        int64_t p[4][3];
        double x[24] = {0};
        const uint32_t *corners = toc_mesh_get_element(mesh, 0).corners;
        for (int k = 0; k < 3; k++) {
            const int64_t a = test_random_below(&random, 1u << 19), b = test_random_below(&random, 1u << 19);
            p[0][k] = (INT64_C(1) << 39) + test_random_below(&random, 1000);
            p[1][k] = p[0][k] + 7 * a;
            p[2][k] = p[0][k] + 7 * b;
            p[3][k] = p[0][k] + 3 * a + 2 * b + (test_random_below(&random, 8) == 0);
        }
        for (int v = 0; v < 4; v++)
            for (uint32_t k = 0; k < 3; k++) x[3 * corners[v] + k] = (double)p[v][k] * 0x1p-60;
        const wide_int volume = exact_volume(p);
        const int sign = (volume > 0) - (volume < 0);
        assert_int_equal(toc_measure_sign(mesh, 0, x), sign);
        seen[sign + 1]++;
    }
    assert_true(seen[0] > 1000 && seen[1] > 1000 && seen[2] > 1000);
    toc_mesh_destroy(mesh);
}

// The same elements with coordinates whose cubes overflow or vanish.
static void signs_survive_huge_and_tiny_coordinates(void **state) {
    (void)state;
    static const double scales[] = {0x1p1020, 0x1p600, 1, 0x1p-600, 0x1p-1060};
    for (int shape = TOC_EDGE; shape <= TOC_HEX; shape++) {
        toc_mesh *mesh =
            shape < TOC_TET ? test_grid_sheet((toc_shape)shape, 1, 1) : test_grid_volume((toc_shape)shape, 1, 1, 1);
        for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
            double x[27];
            const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
            for (size_t j = 0; j < count; j++) x[j] = toc_mesh_get_x0(mesh)[j] * scales[i];
            assert_int_equal(toc_measure_sign(mesh, 0, x), 1);
            for (size_t j = 0; j < count; j++) x[j] = x[j - j % 3];
            if (shape >= TOC_TRIANGLE) assert_int_equal(toc_measure_sign(mesh, 0, x), 0);
        }
        toc_mesh_destroy(mesh);
    }
}

static toc_status build_and_inspect(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_mesh *mesh;
    toc_mesh_report report = {.elements = 77};
    TOC_TRY(toc_mesh_create(allocator, &mesh));
    const double positions[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    toc_status status = toc_mesh_add_vertices(mesh, 8, positions, NULL);
    if (status == TOC_OK) status = toc_mesh_add_elements(mesh, TOC_HEX, 1, (uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7}, NULL);
    if (status == TOC_OK) status = toc_mesh_inspect(mesh, &report);
    assert_int_equal(report.elements, status == TOC_OK ? 1 : 77);
    toc_mesh_destroy(mesh);
    return status;
}

static void any_failed_allocation_is_survived(void **state) {
    (void)state;
    assert_true(test_every_allocation(build_and_inspect, NULL) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_mesh_is_reported_as_zeros),
        cmocka_unit_test(sound_boxes_have_nothing_to_report),
        cmocka_unit_test(diagonals_do_not_count_for_the_mean_edge),
        cmocka_unit_test(rims_are_counted_and_closed_surfaces_have_none),
        cmocka_unit_test(edges_with_more_than_two_faces_are_counted),
        cmocka_unit_test(elements_without_extent_are_degenerate),
        cmocka_unit_test(volumes_turned_inside_out_are_found_in_every_shape),
        cmocka_unit_test(duplicates_are_found_whatever_their_corner_order),
        cmocka_unit_test(signs_of_volumes_are_exact),
        cmocka_unit_test(signs_survive_huge_and_tiny_coordinates),
        cmocka_unit_test(any_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
