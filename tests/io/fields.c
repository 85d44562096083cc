// SPDX-License-Identifier: Apache-2.0
// Fields of files: by the ids of the mesh, left out where they do not fit, never a reason to refuse the file.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/reading.h"

// Two triangles side by side; point data, cell data, types of the cells, corners of the second one.
static const char vtu[] =
    "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"2\">"
    "<PointData>%s</PointData><CellData>%s</CellData>"
    "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">0 0 %d 1 0 0 0 1 0 1 1 0</DataArray></Points>"
    "<Cells><DataArray type=\"Int32\" Name=\"connectivity\">0 1 2 1 3 2</DataArray>"
    "<DataArray type=\"Int32\" Name=\"offsets\">3 6</DataArray><DataArray type=\"UInt8\" Name=\"types\">5 5</DataArray>"
    "</Cells></Piece></UnstructuredGrid></VTKFile>";

#define ARRAY(components, name, values) \
    "<DataArray type=\"Float64\" Name=\"" name "\" NumberOfComponents=\"" components "\">" values "</DataArray>"

static const char legacy[] = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 3 double\n"
                             "0 0 0 1 0 0 0 1 0\nPOLYGONS 1 4\n3 0 1 2\n"
                             "POINT_DATA 3\nSCALARS heat double 1\nLOOKUP_TABLE default\n1 2 3\n"
                             "VECTORS flow float\n1 2 3 4 5 6 7 8 9\nTENSORS t float\n0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
                             "0 0 0 0 0 0 0 0 0 0 0 0 0\nSCALARS broken double 1\nLOOKUP_TABLE default\n1 nan 3\n"
                             "CELL_DATA 1\nFIELD f 1\nstress 1 1 float\n7\n";

static const char *write_text(const char *name, const char *text) {
    const char *path = test_path(test_folder, name);
    test_file_write(path, text, strlen(text));
    return path;
}

static const char *write_vtu(const char *name, const char *points, const char *cells, int height) {
    char text[4096];
    snprintf(text, sizeof text, vtu, points, cells, height);
    return write_text(name, text);
}

static const toc_field *find_field(const toc_fields *fields, const char *name) {
    for (size_t i = 0; i < fields->count; i++)
        if (strcmp(fields->fields[i].name, name) == 0) return &fields->fields[i];
    return NULL;
}

static void assert_field(const toc_fields *fields, const char *name, bool of_elements, uint32_t components,
                         size_t count, const double *values) {
    const toc_field *field = find_field(fields, name);
    assert_non_null(field);
    assert_int_equal(field->of_elements, of_elements);
    assert_int_equal(field->components, components);
    assert_int_equal(field->count, count);
    for (size_t i = 0; i < count * components; i++) assert_double_same(field->values[i], values[i]);
}

static toc_fields *read_own(const char *path) {
    toc_mesh *mesh;
    toc_fields *fields;
    assert_ok(toc_mesh_read(path, NULL, &mesh));
    assert_ok(toc_fields_read(path, NULL, mesh, &fields));
    toc_mesh_destroy(mesh);
    return fields;
}

static void points_and_cells_of_both_formats(void **state) {
    (void)state;
    toc_fields *fields =
        read_own(write_vtu("a.vtu",
                           ARRAY("1", "heat", "1 2 3 4") ARRAY("3", "flow", "1 2 3 4 5 6 7 8 9 10 11 12")
                               ARRAY("2", "pair", "1 2 3 4 5 6 7 8"),
                           ARRAY("1", "stress", "5 6") ARRAY("1", "thickness", "1 1"), 0));
    assert_int_equal(fields->count, 3);
    assert_int_equal(fields->left_out, 0);
    assert_field(fields, "heat", false, 1, 4, (const double[]){1, 2, 3, 4});
    assert_field(fields, "flow", false, 3, 4, (const double[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    assert_field(fields, "stress", true, 1, 2, (const double[]){5, 6});
    toc_fields_destroy(fields);
    fields = read_own(write_text("a.vtk", legacy));
    assert_int_equal(fields->count, 3);
    assert_field(fields, "heat", false, 1, 3, (const double[]){1, 2, 3});
    assert_field(fields, "flow", false, 3, 3, (const double[]){1, 2, 3, 4, 5, 6, 7, 8, 9});
    assert_field(fields, "stress", true, 1, 1, (const double[]){7});
    toc_fields_destroy(fields);
}

static void broken_arrays_are_no_fields_and_refuse_nothing(void **state) {
    (void)state;
    toc_fields *fields = read_own(write_vtu(
        "b.vtu", ARRAY("1", "short", "1 2") ARRAY("1", "word", "1 2 x 4") ARRAY("1", "good", "1 2 3 4"), "", 0));
    assert_int_equal(fields->count, 1);
    assert_non_null(find_field(fields, "good"));
    toc_fields_destroy(fields);
    fields = read_own(write_text("b.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"));
    assert_int_equal(fields->count, 0);
    toc_fields_destroy(fields);
}

static void fields_of_another_frame_are_left_out(void **state) {
    (void)state;
    const char *arrays = ARRAY("1", "heat", "1 2 3 4"), *cells = ARRAY("1", "stress", "5 6");
    toc_mesh *mesh;
    toc_fields *fields;
    assert_ok(toc_mesh_read(write_vtu("c.vtu", arrays, cells, 0), NULL, &mesh));
    assert_ok(toc_fields_read(write_vtu("d.vtu", arrays, cells, 2), NULL, mesh, &fields));
    assert_null(find_field(fields, "heat")); // its points are elsewhere
    assert_non_null(find_field(fields, "stress"));
    assert_int_equal(fields->left_out, 1);
    toc_fields_destroy(fields);
    toc_mesh_destroy(mesh);
}

// Elements that are gone keep their ids: the cells of the file are those that are left.
static void removed_elements_have_no_value(void **state) {
    (void)state;
    toc_mesh *mesh;
    toc_fields *fields;
    const char *path = write_vtu("e.vtu", "", ARRAY("1", "stress", "5 6"), 0);
    assert_ok(toc_mesh_read(path, NULL, &mesh));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (const uint32_t[]){0, 3, 1}, NULL));
    assert_ok(toc_mesh_remove_element(mesh, 2));
    assert_ok(toc_fields_read(path, NULL, mesh, &fields));
    assert_int_equal(fields->count, 1);
    assert_int_equal(fields->fields[0].count, 3);
    assert_true(fields->fields[0].values[0] == 5 && fields->fields[0].values[1] == 6);
    assert_true(isnan(fields->fields[0].values[2]));
    toc_fields_destroy(fields);
    toc_mesh_destroy(mesh);
}

static void mistakes(void **state) {
    (void)state;
    toc_mesh *mesh;
    toc_fields *fields = NULL;
    const char *path = write_vtu("f.vtu", "", "", 0);
    assert_ok(toc_mesh_read(path, NULL, &mesh));
    assert_fails(toc_fields_read(NULL, NULL, mesh, &fields), TOC_BAD_INPUT, "path is NULL");
    assert_fails(toc_fields_read(path, NULL, NULL, &fields), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_fields_read(path, NULL, mesh, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_fields_read(test_path(test_folder, "none.vtu"), NULL, mesh, &fields), TOC_BAD_INPUT, "none.vtu");
    assert_null(fields);
    toc_fields_destroy(NULL);
    toc_mesh_destroy(mesh);
}

// Bytes changed at random: fields are read, left out or refused with the file, as its mesh is.
static void garbled_files(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    char text[4096];
    snprintf(text, sizeof text, vtu, ARRAY("1", "heat", "1 2 3 4") ARRAY("3", "flow", "1 2 3 4 5 6 7 8 9 10 11 12"),
             ARRAY("1", "stress", "5 6"), 0);
    const char *const texts[] = {text, legacy}, *const names[] = {"h.vtu", "h.vtk"};
    for (int round = 0; round < test_less(2000, 200); round++) {
        char garbled[4096];
        const size_t count = strlen(texts[round % 2]);
        memcpy(garbled, texts[round % 2], count);
        for (uint32_t changes = 1 + test_random_below(&random, 3); changes > 0; changes--)
            garbled[test_random_below(&random, (uint32_t)count)] = (char)test_random_bits(&random);
        const char *path = test_path(test_folder, names[round % 2]);
        test_file_write(path, garbled, count);
        toc_mesh *mesh;
        toc_fields *fields;
        if (toc_mesh_read(path, NULL, &mesh) != TOC_OK) continue;
        assert_ok(toc_fields_read(path, NULL, mesh, &fields));
        for (size_t i = 0; i < fields->count; i++)
            assert_int_equal(fields->fields[i].count, fields->fields[i].of_elements ? toc_mesh_get_element_count(mesh)
                                                                                    : toc_mesh_get_vertex_count(mesh));
        toc_fields_destroy(fields);
        toc_mesh_destroy(mesh);
    }
}

static toc_status read_all(const toc_allocator *allocator, void *user) {
    toc_read_options options = toc_read_options_default();
    options.allocator = allocator;
    toc_fields *fields;
    const char *path = test_path(test_folder, "g.vtu");
    const toc_status status = toc_fields_read(path, &options, user, &fields);
    if (status == TOC_OK) toc_fields_destroy(fields);
    return status;
}

static void lack_of_memory(void **state) {
    (void)state;
    toc_mesh *mesh;
    assert_ok(
        toc_mesh_read(write_vtu("g.vtu", ARRAY("1", "heat", "1 2 3 4"), ARRAY("1", "stress", "5 6"), 0), NULL, &mesh));
    test_every_allocation(read_all, mesh);
    toc_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_and_cells_of_both_formats),
        cmocka_unit_test(broken_arrays_are_no_fields_and_refuse_nothing),
        cmocka_unit_test(fields_of_another_frame_are_left_out),
        cmocka_unit_test(removed_elements_have_no_value),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(garbled_files),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
