// SPDX-License-Identifier: Apache-2.0
// Vertices that come with a motion, and accelerations.
#include <math.h>
#include <string.h>

#include "support/grid.h"
#include "support/test.h"

// p - s v, at the end of the step where the caller says.
static void new_vertices_start_where_they_came_from(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_TET, 1, 1, 1);
    const double p[] = {1, 2, 3, 4, 5, 6}, v[] = {1, 0, -2, 0, 8, 0};
    uint32_t first;
    assert_ok(toc_mesh_add_moving_vertices(mesh, 2, p, v, 0.5, &first));
    assert_int_equal(first, 8);
    const double start[] = {0.5, 2, 4, 4, 1, 6};
    assert_memory_equal(toc_mesh_get_x0(mesh) + 24, start, sizeof start);
    assert_memory_equal(toc_mesh_get_x1(mesh) + 24, p, sizeof p);
    assert_fails(toc_mesh_add_moving_vertices(mesh, 2, p, v, NAN, NULL), TOC_BAD_INPUT, "step");
    assert_fails(toc_mesh_add_moving_vertices(mesh, 2, p, v, 1e308, NULL), TOC_BAD_INPUT, "too far away");
    assert_fails(toc_mesh_add_moving_vertices(mesh, 2, p, NULL, 1, NULL), TOC_BAD_INPUT, "velocity");
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 10);
    toc_mesh_destroy(mesh);
}

static void accelerations_stay_with_their_vertices(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_TET, 1, 1, 1), *copy;
    double a[24];
    for (int i = 0; i < 24; i++) a[i] = i;
    assert_null(toc_mesh_get_acceleration(mesh));
    assert_ok(test_mesh_accelerate(mesh, a));
    uint32_t twin;
    const uint32_t element = 0, corner = toc_mesh_get_element(mesh, 0).corners[1];
    assert_ok(toc_mesh_split_vertex(mesh, corner, 1, &element, &twin));
    assert_memory_equal(toc_mesh_get_acceleration(mesh) + 3 * twin, a + 3 * corner, 3 * sizeof *a);
    assert_ok(toc_mesh_add_vertices(mesh, 1, a, NULL));
    assert_double_same(toc_mesh_get_acceleration(mesh)[27], 0);
    assert_ok(toc_mesh_copy(mesh, &copy));
    assert_memory_equal(toc_mesh_get_acceleration(copy), toc_mesh_get_acceleration(mesh), 30 * sizeof *a);
    assert_ok(test_mesh_set_motion(copy, toc_mesh_get_x0(mesh), toc_mesh_get_x1(mesh)));
    assert_null(toc_mesh_get_acceleration(copy));
    double bad[30] = {0};
    bad[4] = INFINITY;
    assert_fails(test_mesh_accelerate(mesh, bad), TOC_BAD_INPUT, "acceleration");
    assert_double_same(toc_mesh_get_acceleration(mesh)[5], 5);
    toc_mesh_destroy(mesh);
    toc_mesh_destroy(copy);
}

static toc_status accelerate(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_mesh *mesh = NULL;
    const double x[] = {0, 0, 0};
    toc_status status = toc_mesh_create(allocator, &mesh);
    if (status == TOC_OK) status = toc_mesh_add_moving_vertices(mesh, 1, x, x, 1, NULL);
    if (status == TOC_OK) status = test_mesh_accelerate(mesh, x);
    if (status == TOC_OK) status = toc_mesh_add_vertices(mesh, 1, x, NULL);
    toc_mesh_destroy(mesh);
    return status;
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    assert_true(test_every_allocation(accelerate, NULL) > 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_vertices_start_where_they_came_from),
        cmocka_unit_test(accelerations_stay_with_their_vertices),
        cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
