// SPDX-License-Identifier: Apache-2.0
// Shells made solid.
#include <math.h>
#include <string.h>

#include "support/grid.h"
#include "support/test.h"

static toc_mesh *thick_sheet(toc_shape shape, double thickness) {
    toc_mesh *sheet = test_grid_sheet(shape, 3, 2);
    for (uint32_t e = 0; e < toc_mesh_get_element_count(sheet); e++)
        assert_ok(toc_mesh_set_thickness(sheet, e, thickness));
    return sheet;
}

// Flat sheets become slabs of their thickness, with nothing inverted; ids of vertices stay for the upper side.
static void sheets_become_slabs(void **state) {
    (void)state;
    const toc_shape shells[] = {TOC_TRIANGLE, TOC_QUAD}, solids[] = {TOC_WEDGE, TOC_HEX};
    for (int i = 0; i < 2; i++) {
        toc_mesh *sheet = thick_sheet(shells[i], 0.5), *slab;
        toc_mesh_report report;
        assert_ok(toc_mesh_thicken(sheet, &slab));
        assert_ok(toc_mesh_inspect(slab, &report));
        assert_int_equal(report.shapes[solids[i]], toc_mesh_get_element_count(sheet));
        assert_int_equal(report.vertices, 2 * toc_mesh_get_vertex_count(sheet));
        assert_int_equal(report.inverted + report.degenerate + report.nonmanifold_edges + report.boundary_edges, 0);
        assert_double_same(report.low[2], -0.25);
        assert_double_same(report.high[2], 0.25);
        assert_double_same(toc_mesh_get_x0(slab)[2], 0.25);
        toc_mesh_destroy(sheet);
        toc_mesh_destroy(slab);
    }
}

// Both ends are made thick by their own normals.
static void both_ends_have_their_thickness(void **state) {
    (void)state;
    toc_mesh *sheet = thick_sheet(TOC_QUAD, 0.2), *slab;
    double x1[3 * 12];
    for (size_t v = 0; v < 12; v++) { // a quarter turn about x
        const double *x = toc_mesh_get_x0(sheet) + 3 * v;
        x1[3 * v] = x[0], x1[3 * v + 1] = -x[2], x1[3 * v + 2] = x[1];
    }
    assert_ok(test_mesh_set_motion(sheet, toc_mesh_get_x0(sheet), x1));
    assert_ok(toc_mesh_thicken(sheet, &slab));
    assert_double_near(toc_mesh_get_x0(slab)[2] - toc_mesh_get_x0(slab)[3 * 12 + 2], 0.2, 1e-15);
    assert_double_near(toc_mesh_get_x1(slab)[3 * 12 + 1] - toc_mesh_get_x1(slab)[1], 0.2, 1e-15);
    toc_mesh_destroy(sheet);
    toc_mesh_destroy(slab);
}

// Elements without thickness or area, and removed ones, stay as they are.
static void the_rest_stays(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_TET, 1, 1, 1), *same;
    uint32_t shell;
    assert_ok(toc_mesh_remove_element(mesh, 2));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (const uint32_t[]){0, 0, 1}, &shell));
    assert_ok(toc_mesh_set_thickness(mesh, shell, 1)); // without a normal: both sides in one place
    assert_ok(toc_mesh_set_group(mesh, 0, 7));
    assert_ok(toc_mesh_thicken(mesh, &same));
    assert_int_equal(toc_mesh_get_element_count(same), 6);
    assert_int_equal(toc_mesh_get_vertex_count(same), 10);
    assert_int_equal(toc_mesh_get_element(same, 0).group, 7);
    toc_mesh_destroy(mesh);
    toc_mesh_destroy(same);
}

// Two sheets that pass at less than their thickness touch as solids, and as surfaces only where thickness counts.
static void thick_sheets_touch_before_thin_ones(void **state) {
    (void)state;
    toc_mesh *a = thick_sheet(TOC_QUAD, 0.2), *b = thick_sheet(TOC_TRIANGLE, 0.2), *solids[2];
    double x[3 * 12];
    memcpy(x, toc_mesh_get_x0(b), sizeof x);
    for (int v = 0; v < 12; v++) x[3 * v + 2] += 0.15;
    assert_ok(test_mesh_set_motion(b, x, x));
    assert_ok(toc_mesh_thicken(a, &solids[0]));
    assert_ok(toc_mesh_thicken(b, &solids[1]));
    toc_scene *thin = test_scene_of(a, b), *thick = test_scene_of(solids[0], solids[1]);
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    assert_ok(toc_scene_find_contacts(thin, &query, NULL, &contacts));
    assert_true(contacts->count > 0);
    toc_contacts_destroy(contacts);
    query.thin = true;
    assert_ok(toc_scene_find_contacts(thin, &query, NULL, &contacts));
    assert_int_equal(contacts->count, 0);
    toc_contacts_destroy(contacts);
    assert_ok(toc_scene_find_contacts(thick, &query, NULL, &contacts));
    assert_true(contacts->count > 0);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(thin);
    toc_scene_destroy(thick);
}

static toc_status thicken(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_mesh *mesh = NULL, *out = NULL;
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t element;
    toc_status status = toc_mesh_create(allocator, &mesh);
    if (status == TOC_OK) status = toc_mesh_add_vertices(mesh, 3, x, NULL);
    if (status == TOC_OK) status = toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (const uint32_t[]){0, 1, 2}, &element);
    if (status == TOC_OK) status = toc_mesh_set_thickness(mesh, element, 1);
    if (status == TOC_OK) status = toc_mesh_set_group(mesh, element, 3);
    if (status == TOC_OK) status = toc_mesh_thicken(mesh, &out);
    toc_mesh_destroy(mesh);
    toc_mesh_destroy(out);
    return status;
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    assert_true(test_every_allocation(thicken, NULL) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheets_become_slabs),   cmocka_unit_test(both_ends_have_their_thickness),
        cmocka_unit_test(the_rest_stays),        cmocka_unit_test(thick_sheets_touch_before_thin_ones),
        cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
