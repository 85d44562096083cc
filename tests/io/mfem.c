// SPDX-License-Identifier: Apache-2.0
// MFEM's meshes: every geometry, positions in vertices or in nodes, and broken files.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/reading.h"

static toc_mesh *read_text(const char *text) { return test_mesh_of("a.mesh", text); }

static void refused(const char *text, const char *words) { test_read_refused("a.mesh", text, strlen(text), words); }

static toc_mesh *read_corpus(const char *name) { return test_corpus_mesh("mesh", name); }

static void volumes_and_their_boundary(void **state) {
    (void)state;
    toc_mesh *mesh = read_corpus("mixed.mesh");
    toc_mesh_report report;
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 12);
    assert_vertex(mesh, 11, 1.25, 0.25, 2);
    assert_element(mesh, 0, TOC_HEX, 0, 1, 2, 3, 4, 5, 6, 7);
    assert_element(mesh, 1, TOC_WEDGE, 1, 2, 8, 5, 6, 9); // turned
    assert_element(mesh, 2, TOC_PYRAMID, 4, 5, 6, 7, 10);
    assert_element(mesh, 3, TOC_TET, 5, 9, 6, 11);
    assert_element(mesh, 4, TOC_QUAD, 0, 3, 2, 1);
    assert_int_equal(toc_mesh_get_element(mesh, 2).group, 2);
    assert_int_equal(toc_mesh_get_element(mesh, 6).group, 5); // attribute 2 behind the 3 of the elements
    assert_string_equal(toc_mesh_get_group_name(mesh, 5), "boundary 2");
    assert_null(toc_mesh_get_group_name(mesh, 3));
    assert_ok(toc_mesh_inspect(mesh, &report));
    assert_int_equal(report.inverted, 0);
    toc_mesh_destroy(mesh);
}

// All x, then all y; the nodes between the vertices come behind them.
static void places_side_by_side(void **state) {
    (void)state;
    toc_mesh *mesh = read_corpus("curved.mesh");
    toc_mesh_report report;
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 4);
    assert_vertex(mesh, 1, 1, 0, 0);
    assert_vertex(mesh, 3, 1, 1, 0);
    assert_element(mesh, 1, TOC_TRIANGLE, 1, 3, 2);
    assert_ok(toc_mesh_inspect(mesh, &report));
    assert_int_equal(report.higher_order, 3);
    toc_mesh_destroy(mesh);
}

static void places_one_after_the_other(void **state) {
    (void)state;
    toc_mesh *mesh = read_corpus("by-place.mesh");
    assert_vertex(mesh, 2, 1, 1, 0.25);
    assert_element(mesh, 0, TOC_QUAD, 0, 1, 2, 3);
    toc_mesh_destroy(mesh);
}

#define HEAD "MFEM mesh v1.0\ndimension\n2\n"
#define TRIANGLE HEAD "elements\n1\n1 2 0 1 2\n"
#define NODES(space) TRIANGLE "vertices\n3\nnodes\nFiniteElementSpace\nFiniteElementCollection: " space "\n"

// Third order: two nodes within an edge, one within a triangle, four within a quad, eight within a hex, two within a
// wedge.
static void nodes_of_every_kind_are_counted(void **state) {
    (void)state;
    static const struct {
        const char *elements, *space;
        int vertices, dimension, nodes;
    } meshes[] = {{"2\n1 2 0 1 2\n1 3 1 3 4 2\n", "H1_2D_P3", 5, 2, 5 + 6 * 2 + 1 + 4},
                  {"1\n1 5 0 1 2 3 4 5 6 7\n", "Cubic", 8, 3, 64},
                  {"1\n1 6 0 1 2 3 4 5\n", "H1@G_3D_P3", 6, 3, 40},
                  {"1\n1 4 0 1 2 3\n", "H1Pos_3D_P4", 4, 3, 35},
                  {"1\n1 7 0 1 2 3 4\n", "H1_3D_P3", 5, 3, 30},
                  {"1\n1 1 0 1\n", "H1_1D_P10", 2, 1, 11}};
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        static char text[4000];
        int length = snprintf(text, sizeof text,
                              "MFEM mesh v1.0\ndimension\n3\nelements\n%sboundary\n0\nvertices\n%d\nnodes\n"
                              "FiniteElementSpace\nFiniteElementCollection: %s\nVDim: %d\nOrdering: 0\n",
                              meshes[i].elements, meshes[i].vertices, meshes[i].space, meshes[i].dimension);
        for (int k = 0; k < meshes[i].nodes * meshes[i].dimension; k++)
            length += snprintf(text + length, sizeof text - (size_t)length, "%d\n", k);
        toc_mesh *mesh = read_text(text);
        assert_double_same(toc_mesh_get_x0(mesh)[3], 1);
        if (meshes[i].dimension > 1) assert_double_same(toc_mesh_get_x0(mesh)[4], meshes[i].nodes + 1);
        toc_mesh_destroy(mesh);
        text[length - 1] = 0;
        strrchr(text, '\n')[1] = 0; // a number less
        refused(text, "nodes of");
    }
}

static void windows_line_ends_and_comments(void **state) {
    (void)state;
    toc_mesh *mesh =
        read_text("MFEM mesh v1.0\r\n\r\n# a comment\r\ndimension\r\n2\r\nelements\r\n1 # one\r\n1 2 0 1 2\r\n"
                  "vertices\r\n3\r\n2\r\n0 0\r\n1 0\r\n0 1\r\n");
    assert_vertex(mesh, 2, 0, 1, 0);
    toc_mesh_destroy(mesh);
}

static void refusals_name_the_line(void **state) {
    (void)state;
    refused("MFEM mesh v1.1\n", "a.mesh:1: does not begin with \"MFEM mesh v1.0\"");
    refused("MFEM NURBS mesh v1.0\n", "a.mesh:1: does not begin with");
    refused("MeshVersionFormatted 1\n", "a.mesh:1: does not begin with");
    refused(TRIANGLE, "a.mesh:7: the file ends before any vertices");
    refused(HEAD "boundary\n0\n", "a.mesh:4: a section \"boundary\" was not expected here");
    refused(TRIANGLE "vertex_parents\n0\n", "a.mesh:7: a section \"vertex_parents\" was not expected");
    refused(HEAD "elements\n1000000\n1 2 0 1 2\n", "a.mesh:5: 1000000 elements are promised");
    refused(HEAD "elements\n-1\n", "a.mesh:5: -1 elements cannot be");
    refused(HEAD "elements\n1\n1 8 0 1 2\n", "a.mesh:6: elements of geometry 8 are not known");
    refused(HEAD "elements\n1\n-1 2 0 1 2\n", "a.mesh:6: attribute -1");
    refused(TRIANGLE "boundary\n1\n2147483647 1 0 1\n", "a.mesh:9: attribute 2147483647");
    refused(TRIANGLE "vertices\n2\n2\n0 0\n1 0\n", "a.mesh:6: vertex 2 is used, but there are 2");
    refused(TRIANGLE "vertices\n3\n2\n0 0\n1 0\n", "a.mesh:12: a number is missing here; the file ends");
    refused(TRIANGLE "vertices\n3\n4\n0 0 0 0\n", "a.mesh:9: vertices of 4 dimensions");
    refused(TRIANGLE "vertices\n3\n2\n0 0\n1 nan\n0 1\n", "a.mesh:11: a finite number was expected, not \"nan\"");
    refused(TRIANGLE "vertices\n3\n2\n0 0\n1 0,5\n0 1\n", "a.mesh:11: a number was expected, not \"0,5\"");
    refused(NODES("L2_T1_2D_P1") "VDim: 2\nOrdering: 0\n0 0 0\n", "nodes of the space \"L2_T1_2D_P1\" are not read");
    refused(NODES("Linear") "VDim: 4\nOrdering: 0\n0\n", "\"VDim: 4\" is not known");
    refused(NODES("Linear") "Vdim: 2\n", "\"VDim:\" was expected");
    refused(NODES("Linear") "VDim: 2\nOrder: 1\n", "\"Ordering:\" was expected");
    refused(NODES("Linear") "VDim: 2\nOrdering: 0\n0 1 0 0 0\n", "5 numbers for 3 nodes of 2 dimensions");
    refused(TRIANGLE "vertices\n3\nnodes\nSpace\n", "a.mesh:10: \"FiniteElementSpace\" was expected");
}

static void files_cut_garbled_and_starved(void **state) {
    (void)state;
    static const char *const names[] = {"mixed.mesh", "curved.mesh", "by-place.mesh"};
    for (int i = 0; i < 3; i++) {
        size_t count;
        char *bytes = test_corpus_read("mesh", names[i], &count);
        test_read_cut(names[i], bytes, count);
        test_read_garbled(names[i], bytes, count, 500);
        test_read_starved(names[i], bytes, count);
        free(bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_and_their_boundary),     cmocka_unit_test(places_side_by_side),
        cmocka_unit_test(places_one_after_the_other),     cmocka_unit_test(nodes_of_every_kind_are_counted),
        cmocka_unit_test(windows_line_ends_and_comments), cmocka_unit_test(refusals_name_the_line),
        cmocka_unit_test(files_cut_garbled_and_starved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
