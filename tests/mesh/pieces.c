// SPDX-License-Identifier: Apache-2.0
// Meshes glued and parted.
#include <string.h>

#include "mesh/mesh.h"
#include "support/grid.h"

// A sheet of triangles with a group, a thickness, a motion, a removed element and a removed vertex.
static toc_mesh *furnished_sheet(double height) {
    toc_mesh *mesh = test_grid_sheet(TOC_TRIANGLE, 3, 2);
    const size_t count = toc_mesh_get_vertex_count(mesh);
    double x0[128], x1[128], a[128];
    assert_true(3 * count <= 128);
    for (size_t i = 0; i < 3 * count; i++) {
        x0[i] = toc_mesh_get_x0(mesh)[i] + (i % 3 == 2 ? height : 0);
        x1[i] = x0[i] + (double)i;
        a[i] = height + (double)i;
    }
    uint32_t loose;
    assert_ok(test_mesh_set_motion(mesh, x0, x1));
    assert_ok(test_mesh_accelerate(mesh, height > 0 ? a : NULL));
    assert_ok(toc_mesh_set_group(mesh, 2, 7));
    assert_ok(toc_mesh_set_group_name(mesh, 7, height > 0 ? "upper" : "lower"));
    if (height > 0) assert_ok(toc_mesh_set_group_name(mesh, 9, "only here"));
    assert_ok(toc_mesh_set_thickness(mesh, 3, 0.5 + height));
    assert_ok(toc_mesh_remove_element(mesh, 1));
    assert_ok(toc_mesh_add_vertices(mesh, 1, (const double[]){9, 9, 9}, &loose));
    assert_ok(toc_mesh_remove_vertex(mesh, loose));
    return mesh;
}

static void assert_same_element(const toc_mesh *a, uint32_t i, const toc_mesh *b, uint32_t j, uint32_t shift) {
    const toc_element e = toc_mesh_get_element(a, i), g = toc_mesh_get_element(b, j);
    assert_int_equal(e.shape, g.shape);
    if (e.shape == TOC_REMOVED) return;
    assert_int_equal(e.group, g.group);
    assert_double_same(e.thickness, g.thickness);
    for (int k = 0; k < e.corner_count; k++) assert_int_equal(e.corners[k], g.corners[k] + shift);
}

static void an_appended_mesh_keeps_all_it_has(void **state) {
    (void)state;
    toc_mesh *mesh = furnished_sheet(0), *other = furnished_sheet(2), *before;
    const uint32_t vertices = (uint32_t)toc_mesh_get_vertex_count(other),
                   elements = (uint32_t)toc_mesh_get_element_count(other);
    uint32_t first_vertex, first_element;
    assert_ok(toc_mesh_copy(mesh, &before));
    const uint64_t revision = toc_mesh_get_revision(mesh);
    assert_ok(toc_mesh_append(mesh, other, &first_vertex, &first_element));
    assert_int_equal(first_vertex, vertices);
    assert_int_equal(first_element, elements);
    for (uint32_t e = 0; e < elements; e++) {
        assert_same_element(mesh, e, before, e, 0);
        assert_same_element(mesh, first_element + e, other, e, first_vertex);
    }
    const size_t bytes = 3 * vertices * sizeof(double), at = 3 * (size_t)first_vertex;
    assert_memory_equal(toc_mesh_get_x0(mesh), toc_mesh_get_x0(before), bytes);
    assert_memory_equal(toc_mesh_get_x0(mesh) + at, toc_mesh_get_x0(other), bytes);
    assert_memory_equal(toc_mesh_get_x1(mesh) + at, toc_mesh_get_x1(other), bytes);
    assert_memory_equal(toc_mesh_get_acceleration(mesh) + at, toc_mesh_get_acceleration(other), bytes);
    for (size_t i = 0; i < at; i++) assert_double_same(toc_mesh_get_acceleration(mesh)[i], 0);
    assert_false(toc_mesh_has_vertex(mesh, first_vertex + vertices - 1));
    assert_true(toc_mesh_has_vertex(mesh, first_vertex));
    assert_string_equal(toc_mesh_get_group_name(mesh, 7), "lower");
    assert_string_equal(toc_mesh_get_group_name(mesh, 9), "only here");
    assert_int_equal(toc_mesh_get_revision(mesh), revision + 3); // vertices, one of them removed, elements
    assert_ok(toc_mesh_merge_vertices(mesh, 0, first_vertex));
    assert_fails(toc_mesh_append(mesh, mesh, NULL, NULL), TOC_BUSY, "being changed by another call");
    assert_fails(toc_mesh_append(mesh, NULL, NULL, NULL), TOC_BAD_INPUT, "NULL");
    toc_mesh_destroy(before);
    toc_mesh_destroy(other);
    toc_mesh_destroy(mesh);
}

static void extracted_elements_leave_their_mesh(void **state) {
    (void)state;
    toc_mesh *mesh = furnished_sheet(2), *before, *piece;
    const uint32_t taken[] = {3, 2};
    assert_ok(toc_mesh_copy(mesh, &before));
    assert_ok(toc_mesh_extract(mesh, 2, taken, &piece));
    assert_int_equal(toc_mesh_get_element_count(piece), 2);
    for (uint32_t i = 0; i < 2; i++) {
        const toc_element was = toc_mesh_get_element(before, taken[i]), is = toc_mesh_get_element(piece, i);
        assert_int_equal(toc_mesh_get_element(mesh, taken[i]).shape, TOC_REMOVED);
        assert_int_equal(is.group, was.group);
        assert_double_same(is.thickness, was.thickness);
        for (int k = 0; k < 3; k++) {
            const size_t from = 3 * (size_t)was.corners[k], to = 3 * (size_t)is.corners[k];
            assert_memory_equal(toc_mesh_get_x0(piece) + to, toc_mesh_get_x0(before) + from, 24);
            assert_memory_equal(toc_mesh_get_x1(piece) + to, toc_mesh_get_x1(before) + from, 24);
            assert_memory_equal(toc_mesh_get_acceleration(piece) + to, toc_mesh_get_acceleration(before) + from, 24);
        }
    }
    assert_string_equal(toc_mesh_get_group_name(piece, 7), "upper");
    // A vertex stays exactly if another element uses it, or if no element of the piece did.
    for (uint32_t v = 0; v < toc_mesh_get_vertex_count(mesh); v++) {
        bool in_piece = false, in_rest = false;
        for (uint32_t e = 0; e < toc_mesh_get_element_count(before); e++) {
            const toc_element element = toc_mesh_get_element(before, e);
            for (int k = 0; k < element.corner_count; k++)
                if (element.corners[k] == v) *(e == 2 || e == 3 ? &in_piece : &in_rest) = true;
        }
        assert_int_equal(toc_mesh_has_vertex(mesh, v), toc_mesh_has_vertex(before, v) && (in_rest || !in_piece));
    }
    toc_mesh_destroy(piece);
    toc_mesh_destroy(before);
    toc_mesh_destroy(mesh);
}

static void elements_that_cannot_be_extracted(void **state) {
    (void)state;
    toc_mesh *mesh = furnished_sheet(0), *piece = NULL;
    const uint64_t revision = toc_mesh_get_revision(mesh);
    assert_fails(toc_mesh_extract(mesh, 2, (const uint32_t[]){2, 2}, &piece), TOC_BAD_INPUT,
                 "element 2 is named twice");
    assert_fails(toc_mesh_extract(mesh, 1, (const uint32_t[]){1}, &piece), TOC_BAD_INPUT, "element 1 was removed");
    assert_fails(toc_mesh_extract(mesh, 1, (const uint32_t[]){99}, &piece), TOC_BAD_INPUT, "element 99, but there are");
    assert_fails(toc_mesh_extract(mesh, 1, NULL, &piece), TOC_BAD_INPUT, "NULL");
    assert_fails(toc_mesh_extract(mesh, 0, NULL, NULL), TOC_BAD_INPUT, "NULL");
    assert_null(piece);
    assert_int_equal(toc_mesh_get_revision(mesh), revision);
    assert_ok(toc_mesh_extract(mesh, 0, NULL, &piece));
    assert_int_equal(toc_mesh_get_vertex_count(piece), 0);
    toc_mesh_destroy(piece);
    toc_mesh_destroy(mesh);
}

static toc_status glue_and_part(const toc_allocator *allocator, void *user) {
    toc_mesh *mesh, *piece = NULL;
    TOC_TRY(toc_mesh_create(allocator, &mesh));
    toc_status status = toc_mesh_append(mesh, user, NULL, NULL);
    if (status != TOC_OK) assert_int_equal(toc_mesh_get_revision(mesh), 0);
    const uint64_t revision = toc_mesh_get_revision(mesh);
    if (status == TOC_OK) {
        status = toc_mesh_extract(mesh, 2, (const uint32_t[]){0, 4}, &piece);
        if (status != TOC_OK) assert_int_equal(toc_mesh_get_revision(mesh), revision);
    }
    toc_mesh_destroy(piece);
    toc_mesh_destroy(mesh);
    return status;
}

static void out_of_memory_changes_neither_mesh(void **state) {
    (void)state;
    toc_mesh *sheet = furnished_sheet(2);
    assert_true(test_every_allocation(glue_and_part, sheet) > 10);
    toc_mesh_destroy(sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_appended_mesh_keeps_all_it_has),
        cmocka_unit_test(extracted_elements_leave_their_mesh),
        cmocka_unit_test(elements_that_cannot_be_extracted),
        cmocka_unit_test(out_of_memory_changes_neither_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
