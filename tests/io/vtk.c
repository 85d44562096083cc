// SPDX-License-Identifier: Apache-2.0
// Legacy VTK files: every version, both encodings, every cell, and broken files.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/reading.h"

static toc_mesh *read_text(const char *text) { return test_mesh_of("a.vtk", text); }

static void refused(const char *text, const char *words) { test_read_refused("a.vtk", text, strlen(text), words); }

#define HEAD(version) "# vtk DataFile Version " version "\na title\nASCII\n"
#define GRID HEAD("3.0") "DATASET UNSTRUCTURED_GRID\n"
#define POINTS_8 "POINTS 8 float\n0 0 0 1 0 0 1 1 0 0 1 0\n0 0 1 1 0 1 1 1 1 0 1 1.5\n"
#define TET GRID "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"

static void tetrahedron_in_text(void **state) {
    (void)state;
    toc_mesh *mesh = read_text(TET);
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 4);
    assert_int_equal(toc_mesh_get_element_count(mesh), 1);
    assert_element(mesh, 0, TOC_TET, 0, 1, 2, 3);
    assert_double_same(toc_mesh_get_x0(mesh)[11], 1);
    toc_mesh_destroy(mesh);
}

// Version 1.0 files have a blank line before DATASET, Windows adds carriage returns, and keywords come in any case.
static void blank_lines_case_and_line_ends(void **state) {
    (void)state;
    toc_mesh *mesh = read_text("# vtk DataFile Version 1.0\r\nold\r\nascii\r\n\r\ndataset Unstructured_Grid\r\n\r\n"
                               "points 3 FLOAT\r\n0 0 0\r\n1 0 0\r\n\r\n0 1 0\r\ncells 1 4\r\n3 2 1 0\r\n"
                               "cell_types 1\r\n5\r\n\r\n");
    assert_element(mesh, 0, TOC_TRIANGLE, 2, 1, 0);
    toc_mesh_destroy(mesh);
}

static void every_linear_cell(void **state) {
    (void)state;
    toc_mesh *mesh = read_text(GRID POINTS_8 "CELLS 15 75\n1 3\n3 0 1 2\n2 4 5\n3 0 1 2\n3 0 1 2\n4 0 1 2 3\n"
                                             "5 0 1 2 3 4\n4 0 1 2 3\n4 0 1 2 3\n4 0 1 2 4\n8 0 1 2 3 4 5 6 7\n"
                                             "8 0 1 2 3 4 5 6 7\n6 0 1 2 3 4 5\n5 0 1 2 3 4\n0\n"
                                             "CELL_TYPES 15\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 0\n");
    assert_int_equal(toc_mesh_get_element_count(mesh), 20);
    assert_element(mesh, 0, TOC_POINT, 3);
    for (uint32_t i = 0; i < 3; i++) assert_element(mesh, 1 + i, TOC_POINT, i);
    assert_element(mesh, 4, TOC_EDGE, 4, 5);
    assert_element(mesh, 5, TOC_EDGE, 0, 1);
    assert_element(mesh, 6, TOC_EDGE, 1, 2);
    assert_element(mesh, 7, TOC_TRIANGLE, 0, 1, 2);
    assert_element(mesh, 8, TOC_TRIANGLE, 0, 1, 2); // strip
    assert_element(mesh, 9, TOC_TRIANGLE, 2, 1, 3);
    assert_element(mesh, 10, TOC_TRIANGLE, 0, 1, 2); // pentagon
    assert_element(mesh, 11, TOC_TRIANGLE, 0, 2, 3);
    assert_element(mesh, 12, TOC_TRIANGLE, 0, 3, 4);
    assert_element(mesh, 13, TOC_QUAD, 0, 1, 3, 2); // pixel
    assert_element(mesh, 14, TOC_QUAD, 0, 1, 2, 3);
    assert_element(mesh, 15, TOC_TET, 0, 1, 2, 4);
    assert_element(mesh, 16, TOC_HEX, 0, 1, 3, 2, 4, 5, 7, 6); // voxel
    assert_element(mesh, 17, TOC_HEX, 0, 1, 2, 3, 4, 5, 6, 7);
    assert_element(mesh, 18, TOC_WEDGE, 0, 1, 2, 3, 4, 5);
    assert_element(mesh, 19, TOC_PYRAMID, 0, 1, 2, 3, 4);
    toc_mesh_destroy(mesh);
}

// Cells of second order count by their corners; the points between stay vertices.
static void second_order_cells_by_their_corners(void **state) {
    (void)state;
    static const struct {
        int type, points;
        toc_shape shape;
    } cells[] = {{21, 3, TOC_EDGE}, {22, 6, TOC_TRIANGLE},  {23, 8, TOC_QUAD},     {24, 10, TOC_TET},
                 {25, 20, TOC_HEX}, {26, 15, TOC_WEDGE},    {27, 13, TOC_PYRAMID}, {28, 9, TOC_QUAD},
                 {29, 27, TOC_HEX}, {30, 6, TOC_QUAD},      {31, 12, TOC_WEDGE},   {32, 18, TOC_WEDGE},
                 {33, 24, TOC_HEX}, {34, 7, TOC_TRIANGLE},  {35, 4, TOC_EDGE},     {37, 19, TOC_PYRAMID},
                 {68, 5, TOC_EDGE}, {69, 10, TOC_TRIANGLE}, {70, 16, TOC_QUAD},    {71, 20, TOC_TET},
                 {72, 27, TOC_HEX}, {73, 18, TOC_WEDGE},    {74, 14, TOC_PYRAMID}, {78, 10, TOC_TET}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        char text[1024];
        int n = snprintf(text, sizeof text, GRID "POINTS %d int\n", cells[i].points);
        for (int p = 0; p < cells[i].points; p++) n += snprintf(text + n, sizeof text - (size_t)n, "%d 0 0\n", p);
        n += snprintf(text + n, sizeof text - (size_t)n, "CELLS 1 %d\n%d", cells[i].points + 1, cells[i].points);
        for (int p = 0; p < cells[i].points; p++) n += snprintf(text + n, sizeof text - (size_t)n, " %d", p);
        snprintf(text + n, sizeof text - (size_t)n, "\nCELL_TYPES 1\n%d\n", cells[i].type);
        toc_mesh *mesh = read_text(text);
        assert_int_equal(toc_mesh_get_vertex_count(mesh), cells[i].points);
        assert_int_equal(toc_mesh_get_element_count(mesh), 1);
        assert_element_(mesh, 0, cells[i].shape, (size_t)toc_shape_count_corners(cells[i].shape),
                        (uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7}, __FILE__, __LINE__);
        toc_mesh_destroy(mesh);
    }
}

#define POLY HEAD("2.0") "DATASET POLYDATA\n" POINTS_8

static void sections_of_polydata(void **state) {
    (void)state;
    toc_mesh *mesh = read_text(POLY "VERTICES 2 5\n2 6 7\n1 0\nLINES 1 4\n3 0 1 2\n"
                                    "POLYGONS 3 13\n3 0 1 2\n4 4 5 6 7\n3 1 2 3\nTRIANGLE_STRIPS 1 5\n4 0 1 2 3\n"
                                    "CELL_DATA 7\nSCALARS group int 1\nLOOKUP_TABLE default\n1 2 3 4 5 6 7\n");
    assert_int_equal(toc_mesh_get_element_count(mesh), 10);
    static const int32_t groups[] = {1, 1, 2, 3, 3, 4, 5, 6, 7, 7};
    static const toc_shape shapes[] = {TOC_POINT,    TOC_POINT, TOC_POINT,    TOC_EDGE,     TOC_EDGE,
                                       TOC_TRIANGLE, TOC_QUAD,  TOC_TRIANGLE, TOC_TRIANGLE, TOC_TRIANGLE};
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(toc_mesh_get_element(mesh, i).group, groups[i]);
        assert_int_equal(toc_mesh_get_element(mesh, i).shape, shapes[i]);
    }
    toc_mesh_destroy(mesh);
}

static void offsets_and_connectivity_of_version_5(void **state) {
    (void)state;
    toc_mesh *mesh = read_text(HEAD("5.1") "DATASET UNSTRUCTURED_GRID\n" POINTS_8
                                           "METADATA\nINFORMATION 1\nNAME L2_NORM_RANGE LOCATION vtkDataArray\n"
                                           "DATA 2 0 1\n\nCELLS 3 7\nOFFSETS vtktypeint64\n0 4 7\n"
                                           "CONNECTIVITY vtktypeint64\n0 1 2 4 5 6 7\nCELL_TYPES 2\n10\n5\n");
    assert_int_equal(toc_mesh_get_element_count(mesh), 2);
    assert_element(mesh, 0, TOC_TET, 0, 1, 2, 4);
    assert_element(mesh, 1, TOC_TRIANGLE, 5, 6, 7);
    toc_mesh_destroy(mesh);
    mesh = read_text(HEAD("5.1") "DATASET POLYDATA\n" POINTS_8 "POLYGONS 2 3\nOFFSETS vtktypeint64\n0 3\n"
                                 "CONNECTIVITY vtktypeint64\n5 6 7\nLINES 2 2\nOFFSETS vtktypeint64\n0 2\n"
                                 "CONNECTIVITY vtktypeint64\n5 6\nVERTICES 0 0\n");
    assert_int_equal(toc_mesh_get_element_count(mesh), 2);
    assert_element(mesh, 0, TOC_TRIANGLE, 5, 6, 7);
    assert_element(mesh, 1, TOC_EDGE, 5, 6);
    toc_mesh_destroy(mesh);
}

static void points_alone_are_a_cloud(void **state) {
    (void)state;
    toc_mesh *mesh = read_text(HEAD("3.0") "DATASET POLYDATA\n" POINTS_8);
    assert_int_equal(toc_mesh_get_element_count(mesh), 8);
    assert_element(mesh, 7, TOC_POINT, 7);
    toc_mesh_destroy(mesh);
}

// Unused data are skipped, with any content.
static void other_data_is_passed_over(void **state) {
    (void)state;
    toc_mesh *mesh = read_text(
        TET "POINT_DATA 4\nSCALARS pressure float\nLOOKUP_TABLE mine\nnan inf 1e999 0\nLOOKUP_TABLE mine 1\n0 .5 1 1\n"
            "VECTORS v double\n0 0 0 0 0 0 0 0 0 0 0 0\nNORMALS n float\n0 0 1 0 0 1 0 0 1 0 0 1\n"
            "TENSORS t float\n1 0 0 0 1 0 0 0 1\n1 0 0 0 1 0 0 0 1\n1 0 0 0 1 0 0 0 1\n1 0 0 0 1 0 0 0 1\n"
            "TEXTURE_COORDINATES uv 2 float\n0 0 0 1 1 0 1 1\nSCALARS rgb unsigned_char 3\n"
            "1 2 3 4 5 6 7 8 9 10 11 12\nCOLOR_SCALARS c 2\n0 0 0 0 1 1 1 1\nGLOBAL_IDS id vtkIdType\n0 1 2 3\n"
            "METADATA\nCOMPONENT_NAMES\nX\n\nSCALARS group int\nLOOKUP_TABLE default\n9 9 9 9\n"
            "CELL_DATA 1\nFIELD FieldData 4\nnames 1 2 string\nhere%20it\nis\nMETADATA\nINFORMATION 0\n\n"
            "flags 1 1 bit\n1\nempty 1 0 int\n\ntime 1 1 double\nnan\n");
    assert_int_equal(toc_mesh_get_element_count(mesh), 1);
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, 0);
    toc_mesh_destroy(mesh);
}

#define TWO                                                                                          \
    GRID "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 2 8\n3 0 1 2\n3 1 2 3\nCELL_TYPES 2\n5 5\n" \
         "CELL_DATA 2\n"

static void has_groups(const char *text, int32_t first, int32_t second) {
    toc_mesh *mesh = read_text(text);
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, first);
    assert_int_equal(toc_mesh_get_element(mesh, 1).group, second);
    toc_mesh_destroy(mesh);
}

static void groups_by_name(void **state) {
    (void)state;
    has_groups(TWO "SCALARS group int 1\nLOOKUP_TABLE default\n7 -8\n", 7, -8);
    has_groups(TWO "SCALARS MaterialIds short\nLOOKUP_TABLE default\n3 4\n", 3, 4);
    has_groups(TWO "SCALARS material long\n3 4\n", 3, 4); // without LOOKUP_TABLE
    has_groups(TWO "FIELD FieldData 1\ngmsh%3Aphysical 1 2 vtktypeint64\n5 6\n", 5, 6);
    has_groups(TWO "FIELD FieldData 2\nmaterial 1 2 int\n5 6\ngroup 1 2 int\n7 8\n", 7, 8);
    has_groups(TWO "FIELD FieldData 2\ngroup 1 2 int\n7 8\nmaterial 1 2 int\n5 6\n", 7, 8);
    has_groups(TWO "FIELD FieldData 2\nmaterial 1 2 int\n5 6\nMaterialIds 1 2 int\n7 8\n", 5, 6);
    has_groups(TWO "FIELD FieldData 2\nmaterial 1 2 float\n5 6\ngroup 2 2 int\n7 8 9 9\n", 0, 0);
}

static void thickness_by_name(void **state) {
    (void)state;
    toc_mesh *mesh = read_text(TWO "SCALARS Thickness double\nLOOKUP_TABLE default\n0 0.1\n");
    assert_double_same(toc_mesh_get_element(mesh, 0).thickness, 0);
    assert_double_same(toc_mesh_get_element(mesh, 1).thickness, 0.1);
    toc_mesh_destroy(mesh);
    refused(TWO "SCALARS thickness double\nLOOKUP_TABLE default\n0 -1\n", "cell 1: element 1: thickness -1");
}

/// A binary file being put together, big-endian as the format wants it.
typedef struct binary_file {
    char bytes[4096];
    size_t count;
} binary_file;

static void put(binary_file *file, const char *text) {
    memcpy(file->bytes + file->count, text, strlen(text));
    file->count += strlen(text);
}

static void put_number(binary_file *file, uint64_t bits, int size) {
    for (int i = size - 1; i >= 0; i--) file->bytes[file->count++] = (char)(bits >> 8 * i);
}

static void put_integers(binary_file *file, int size, int count, const int *values) {
    for (int i = 0; i < count; i++) put_number(file, (uint64_t)(int64_t)values[i], size);
    put(file, "\n");
}
#define put_integers(file, size, ...) \
    put_integers(file, size, (int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)), (int[]){__VA_ARGS__})

static void put_floats(binary_file *file, int count) {
    for (int i = 0; i < count; i++) {
        const float x = (float)i / 7;
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        put_number(file, bits, 4);
    }
    put(file, "\n");
}

#define BINARY_HEAD(version) "# vtk DataFile Version " version "\na title\nBINARY\nDATASET "

static binary_file make_binary_4(void) {
    binary_file file = {.count = 0};
    put(&file, BINARY_HEAD("4.2") "UNSTRUCTURED_GRID\nPOINTS 5 float\n");
    put_floats(&file, 15);
    put(&file, "CELLS 2 9\n");
    put_integers(&file, 4, 4, 0, 1, 2, 3, 3, 2, 3, 4);
    put(&file, "CELL_TYPES 2\n");
    put_integers(&file, 4, 10, 5);
    put(&file, "POINT_DATA 5\nFIELD FieldData 3\nflags 1 10 bit\n");
    put_number(&file, 0xffff, 2);
    put(&file, "\nnames 1 2 string\n");
    put(&file, "\xc3"
               "abc"
               "\x80\x02"
               "\n\n"
               "\nid 1 5 long\n");
    put_integers(&file, 8, 10, 10, 10, 10, 10);
    put(&file, "CELL_DATA 2\nSCALARS group unsigned_char 1\nLOOKUP_TABLE default\n");
    put_integers(&file, 1, 200, 3);
    return file;
}

static binary_file make_binary_5(void) {
    binary_file file = {.count = 0};
    put(&file, BINARY_HEAD("5.1") "UNSTRUCTURED_GRID\nPOINTS 5 float\n");
    put_floats(&file, 15);
    put(&file, "CELLS 3 7\nOFFSETS vtktypeint64\n");
    put_integers(&file, 8, 0, 4, 7);
    put(&file, "CONNECTIVITY vtktypeint64\n");
    put_integers(&file, 8, 0, 1, 2, 3, 2, 3, 4);
    put(&file, "CELL_TYPES 2\n");
    put_integers(&file, 4, 10, 5);
    put(&file, "CELL_DATA 2\nFIELD FieldData 1\ngroup 1 2 int\n");
    put_integers(&file, 4, 200, 3);
    put(&file, "METADATA\nINFORMATION 0\n\n");
    return file;
}

static void is_binary_mesh(const binary_file *file) {
    toc_mesh *mesh = test_read("b.vtk", file->bytes, file->count);
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 5);
    for (int i = 0; i < 15; i++) assert_double_same(toc_mesh_get_x0(mesh)[i], (double)((float)i / 7));
    assert_int_equal(toc_mesh_get_element_count(mesh), 2);
    assert_element(mesh, 0, TOC_TET, 0, 1, 2, 3);
    assert_element(mesh, 1, TOC_TRIANGLE, 2, 3, 4);
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, 200);
    assert_int_equal(toc_mesh_get_element(mesh, 1).group, 3);
    toc_mesh_destroy(mesh);
}

static void binary_of_versions_4_and_5(void **state) {
    (void)state;
    const binary_file four = make_binary_4(), five = make_binary_5();
    is_binary_mesh(&four);
    is_binary_mesh(&five);
}

static void cut_anywhere(void **state) {
    (void)state;
    const binary_file four = make_binary_4(), five = make_binary_5();
    test_read_cut("b.vtk", four.bytes, four.count);
    test_read_cut("b.vtk", five.bytes, five.count);
    test_read_cut("a.vtk", TET, strlen(TET));
    // Nothing can be missing but the end of the last line.
    assert_int_equal(test_read_cut("a.vtk", TWO, strlen(TWO) - strlen("CELL_DATA 2\n")), 1);
}

static void garbled_anywhere(void **state) {
    (void)state;
    const binary_file four = make_binary_4(), five = make_binary_5();
    test_read_garbled("b.vtk", four.bytes, four.count, 2000);
    test_read_garbled("b.vtk", five.bytes, five.count, 2000);
    test_read_garbled("a.vtk", TWO, strlen(TWO), 2000);
}

static void out_of_memory_anywhere(void **state) {
    (void)state;
    const binary_file four = make_binary_4(), five = make_binary_5();
    test_read_starved("b.vtk", four.bytes, four.count);
    test_read_starved("b.vtk", five.bytes, five.count);
    test_read_starved("a.vtk", TWO "SCALARS thickness double\n1 2\n", sizeof TWO "SCALARS thickness double\n1 2\n" - 1);
}

static void counts_that_lie(void **state) {
    (void)state;
    refused(GRID "POINTS 4000000000 float\n0 0 0\n", "a.vtk:6: 12000000000 numbers are promised");
    refused(GRID "POINTS 9223372036854775807 float\n0 0 0\n", "9223372036854775807 points are too many");
    refused(GRID "POINTS -1 float\n0 0 0\n", "a count of -1");
    refused(GRID "POINTS 2 float\n0 0 0 10000000\n", "a number is missing here; the file ends");
    refused(GRID POINTS_8, "a.vtk:8: the file ends before any CELLS");
    refused(GRID POINTS_8 "CELLS 1000000000 1000000001\n3 0 1 2\n", "1000000001 numbers are promised");
    refused(GRID POINTS_8 "CELLS 10 4\n3 0 1 2\nCELL_TYPES 1\n5\n", "10 cells do not fit into 4 numbers");
    refused(GRID POINTS_8 "CELLS 2 4\n3 0 1 2\nCELL_TYPES 2\n5 5\n", "a.vtk:8: cell 0: 3 corners, but 2 are left");
    refused(GRID POINTS_8 "CELLS 1 5\n3 0 1 2 4\nCELL_TYPES 1\n5\n", "1 numbers are left behind");
    refused(GRID POINTS_8 "CELLS 1 4\n-3 0 1 2\nCELL_TYPES 1\n5\n", "cell 0: -3 corners");
    refused(GRID POINTS_8 "CELLS 1 4\n3 0 1 2\nCELL_TYPES 2\n5 5\n", "2 types for 1 cells");
    refused(GRID POINTS_8 "CELLS 1 4\n3 0 1 2\n", "1 cells have no types");
    refused(TWO "SCALARS group int\nLOOKUP_TABLE default\n1000\n", "an integer is missing here");
    refused(TWO "FIELD f 1\ngroup 1 1 int\n7\n", "1 groups for 2 cells");
    refused(TWO "FIELD f 1000\ngroup 1 2 int\n7 7\n", "1 of 1000 arrays");
    refused(TWO "FIELD f 1\nx 9223372036854775807 9223372036854775807 int\n7\n", "too many");
    refused(TWO "FIELD f 1\ngroup 1 2 int\n7 7\nCELLS 1 4\n3 0 1 2\nCELL_TYPES 3\n5 5 5\n",
            "cells behind the cell data");
    refused(GRID POINTS_8 "CELL_DATA 3\n", "CELL_DATA for 3 cells, but there are 0");
    refused(HEAD("5.1") "DATASET POLYDATA\n" POINTS_8 "POLYGONS 2 3\nOFFSETS vtktypeint64\n0 4\n"
                        "CONNECTIVITY vtktypeint64\n5 6 7\n",
            "cell 0: its corners end at 4, which is not between 0 and 3");
    refused(HEAD("5.1") "DATASET POLYDATA\n" POINTS_8 "POLYGONS 3 3\nOFFSETS vtktypeint64\n0 3 2\n"
                        "CONNECTIVITY vtktypeint64\n5 6 7\n",
            "cell 1: its corners end at 2");
    refused(HEAD("5.1") "DATASET POLYDATA\n" POINTS_8 "POLYGONS 2 3\nOFFSETS vtktypeint64\n1 3\n"
                        "CONNECTIVITY vtktypeint64\n5 6 7\n",
            "the first offset is not 0");
    refused(HEAD("5.1") "DATASET POLYDATA\n" POINTS_8 "POLYGONS 2 3\nOFFSETS vtktypeint64\n0 2\n"
                        "CONNECTIVITY vtktypeint64\n5 6 7\n",
            "1 numbers are left behind the last of 1 cells");
    refused(BINARY_HEAD("3.0") "POLYDATA\nPOINTS 6148914691236517206 double\n", "b");
    refused(BINARY_HEAD("3.0") "POLYDATA\nPOINTS 1 double\n0123", "3 numbers of 64 bits are promised");
}

static void cells_that_cannot_be(void **state) {
    (void)state;
    refused(GRID POINTS_8 "CELLS 1 4\n3 0 1 8\nCELL_TYPES 1\n5\n", "cell 0, corner 2: there is no point 8");
    refused(GRID POINTS_8 "CELLS 1 4\n3 0 1 -1\nCELL_TYPES 1\n5\n", "a.vtk:8: cell 0, corner 2: there is no point -1");
    refused(GRID POINTS_8 "CELLS 1 4\n3 0 1 99999999999\nCELL_TYPES 1\n5\n", "no point 99999999999");
    refused(GRID POINTS_8 "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", "cell 0 of type 10: 3 corners, but it takes 4");
    refused(GRID POINTS_8 "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n42\n", "cell 0: unknown type 42");
    refused(GRID POINTS_8 "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n250\n", "cell 0: unknown type 250");
    refused(GRID POINTS_8 "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n-5\n", "cell 0: unknown type -5");
    refused(GRID POINTS_8 "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n72\n", "it takes at least 8");
    refused(POLY "LINES 1 2\n1 0\n", "cell 0 of type 4: 1 corners, but it takes at least 2");
    refused(POLY "POLYGONS 1 1\n0\n", "cell 0 of type 7: 0 corners");
    refused(TWO "FIELD f 1\ngroup 1 2 long\n7 9999999999\n", "cell 1: group 9999999999 does not fit");
}

static void files_of_another_kind(void **state) {
    (void)state;
    refused("hello\n", "a.vtk:1: does not begin with");
    refused("# vtk DataFile Version 9.0\nt\nASCII\n", "versions 1 to 5 are known");
    refused("# vtk DataFile Version x\nt\nASCII\n", "versions 1 to 5 are known");
    refused("# vtk DataFile Version 3.0\nt\nEBCDIC\n", "a.vtk:3: ASCII or BINARY was expected, not \"EBCDIC\"");
    refused(HEAD("3.0") "CELLS\n", "DATASET was expected");
    refused(HEAD("3.0") "DATASET STRUCTURED_GRID\n", "a DATASET of kind \"STRUCTURED_GRID\" is not read");
    refused(HEAD("3.0") "DATASET RECTILINEAR_GRID\n", "only POLYDATA and UNSTRUCTURED_GRID");
    refused(GRID "FOO 1\n", "a.vtk:5: unknown section \"FOO\"");
    refused(GRID "POINTS 1 quaternion\n", "unknown type of numbers \"quaternion\"");
    refused(GRID "POINTS 1 string\n", "type string cannot be used here");
    refused(GRID "POINTS 1 float\n0 0 nan\n", "a.vtk:6: a finite number was expected, not \"nan\"");
    refused(GRID POINTS_8 POINTS_8, "there are POINTS already");
    refused(GRID POINTS_8 "POLYGONS 1 4\n3 0 1 2\n", "UNSTRUCTURED_GRID has no such section");
    refused(POLY "CELLS 1 4\n3 0 1 2\n", "POLYDATA has no such section");
    refused(HEAD("5.1") "DATASET POLYDATA\n" POINTS_8 "POLYGONS 2 3\n3 0 1 2\n", "OFFSETS was expected");
}

static void round_trip_bit_for_bit(void **state) {
    (void)state;
    for (int data = 0; data < 2; data++) {
        toc_mesh *mesh = test_every_shape(data);
        test_round_trip(mesh, "all.vtk");
        toc_mesh_destroy(mesh);
    }
}

static void real_file(const char *name, size_t vertices, size_t elements, toc_shape shape, size_t of_shape) {
    test_need_data(name);
    toc_mesh *mesh;
    assert_ok(toc_mesh_read(test_data("%s", name), NULL, &mesh));
    assert_int_equal(toc_mesh_get_vertex_count(mesh), vertices);
    assert_int_equal(toc_mesh_get_element_count(mesh), elements);
    size_t found = 0;
    for (uint32_t i = 0; i < elements; i++) found += toc_mesh_get_element(mesh, i).shape == shape;
    assert_int_equal(found, of_shape);
    test_round_trip(mesh, "again.vtk");
    toc_mesh_destroy(mesh);
    size_t count;
    char *bytes = test_file_read(test_data("%s", name), &count);
    test_read_cut(name, bytes, count);
    free(bytes);
}

static void real_hexa_of_version_1(void **state) {
    (void)state;
    real_file("volumes/hexa.vtk", 12167, 10648, TOC_HEX, 10648);
}

static void real_liver_in_binary(void **state) {
    (void)state;
    real_file("volumes/liver.vtk", 5008, 10000, TOC_TRIANGLE, 10000);
}

static void real_torus_of_gmsh(void **state) {
    (void)state;
    real_file("volumes/torus.vtk", 1036, 4436, TOC_TET, 4436);
}

static void real_fichera_of_second_order(void **state) {
    (void)state;
    real_file("volumes/fichera-mixed-p2.vtk", 116, 14, TOC_WEDGE, 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tetrahedron_in_text),
        cmocka_unit_test(blank_lines_case_and_line_ends),
        cmocka_unit_test(every_linear_cell),
        cmocka_unit_test(second_order_cells_by_their_corners),
        cmocka_unit_test(sections_of_polydata),
        cmocka_unit_test(offsets_and_connectivity_of_version_5),
        cmocka_unit_test(points_alone_are_a_cloud),
        cmocka_unit_test(other_data_is_passed_over),
        cmocka_unit_test(groups_by_name),
        cmocka_unit_test(thickness_by_name),
        cmocka_unit_test(binary_of_versions_4_and_5),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(garbled_anywhere),
        cmocka_unit_test(out_of_memory_anywhere),
        cmocka_unit_test(counts_that_lie),
        cmocka_unit_test(cells_that_cannot_be),
        cmocka_unit_test(files_of_another_kind),
        cmocka_unit_test(round_trip_bit_for_bit),
        cmocka_unit_test(real_hexa_of_version_1),
        cmocka_unit_test(real_liver_in_binary),
        cmocka_unit_test(real_torus_of_gmsh),
        cmocka_unit_test(real_fichera_of_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
