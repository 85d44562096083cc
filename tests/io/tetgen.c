// SPDX-License-Identifier: Apache-2.0
// TetGen's files: a file and the nodes beside it, files made by TetGen, and broken files.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/reading.h"

// An .ele or .face file beside four nodes that count from 0.
static const char *write_beside(const char *name, const char *text) {
    test_text_write("a.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n");
    return test_text_write(name, text);
}

static toc_mesh *read_beside(const char *name, const char *text) {
    toc_mesh *mesh;
    assert_ok(toc_mesh_read(write_beside(name, text), NULL, &mesh));
    return mesh;
}

static void refused(const char *name, const char *text, const char *words) {
    toc_mesh *mesh;
    assert_fails(toc_mesh_read(write_beside(name, text), NULL, &mesh), TOC_BAD_INPUT, words);
}

// Two boxes on top of each other, filled by TetGen 1.5: regions 1 and 7, faces marked 10 to 30.
static toc_mesh *read_corpus(const char *name) {
    char from[512];
    static const char *const kinds[] = {"node", "ele", "face"};
    for (int i = 0; i < 3; i++) {
        snprintf(from, sizeof from, "%s/tests/io/files/tetgen/cube.%s", TOC_SOURCE_DIR, kinds[i]);
        char to[16];
        size_t count;
        snprintf(to, sizeof to, "cube.%s", kinds[i]);
        char *bytes = test_file_read(from, &count);
        test_file_write(test_path(test_folder, to), bytes, count);
        free(bytes);
    }
    toc_mesh *mesh;
    assert_ok(toc_mesh_read(test_path(test_folder, name), NULL, &mesh));
    return mesh;
}

static void files_of_tetgen(void **state) {
    (void)state;
    toc_mesh_report report;
    toc_mesh *mesh = read_corpus("cube.ele");
    assert_ok(toc_mesh_inspect(mesh, &report));
    assert_int_equal(report.vertices, 12);
    assert_int_equal(report.shapes[TOC_TET], 12);
    assert_int_equal(report.inverted + report.degenerate + report.duplicate, 0);
    assert_int_equal(report.boundary_edges, 0);
    assert_element(mesh, 0, TOC_TET, 0, 3, 7, 2);
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, 1);
    assert_int_equal(toc_mesh_get_element(mesh, 11).group, 7);
    toc_mesh_destroy(mesh);
    mesh = read_corpus("cube.face");
    assert_int_equal(toc_mesh_get_element_count(mesh), 22);
    assert_element(mesh, 0, TOC_TRIANGLE, 2, 0, 1);
    assert_int_equal(toc_mesh_get_element(mesh, 1).group, 20);
    toc_mesh_destroy(mesh);
    mesh = read_corpus("cube.node");
    assert_int_equal(toc_mesh_get_element_count(mesh), 12);
    assert_vertex(mesh, 11, 0, 1, 2);
    assert_element(mesh, 4, TOC_POINT, 4);
    assert_int_equal(toc_mesh_get_element(mesh, 4).group, 2);
    toc_mesh_destroy(mesh);
}

static void comments_regions_and_line_ends(void **state) {
    (void)state;
    toc_mesh *mesh = read_beside("a.ele", "# made by hand\r\n\r\n4 4 1 # heads have comments, too\r\n0 0 1 2 3 -5\r\n"
                                          "# between\r\n1 1 2 3 0 2.0 # a whole number\r\n2 1 2 3 0 0.5\r\n3 1 2 3 0");
    assert_int_equal(toc_mesh_get_element_count(mesh), 4);
    assert_element(mesh, 1, TOC_TET, 1, 2, 3, 0);
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, -5);
    assert_int_equal(toc_mesh_get_element(mesh, 1).group, 2);
    assert_int_equal(toc_mesh_get_element(mesh, 2).group, 0);
    toc_mesh_destroy(mesh);
}

static void faces_with_and_without_nodes_between(void **state) {
    (void)state;
    toc_mesh *mesh = read_beside("a.face", "4 1\n1 0 1 2\n2 0 1 3 -1\n3 0 2 3 3 3 3 8\n4 0 2 3 6 44 -1\n");
    toc_mesh_report report;
    assert_ok(toc_mesh_inspect(mesh, &report));
    assert_int_equal(report.higher_order, 1);
    static const int32_t groups[] = {0, -1, 8, 6}; // the last one has its tets behind the marker
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(toc_mesh_get_element(mesh, i).group, groups[i]);
    toc_mesh_destroy(mesh);
}

static void triangles_in_the_plane(void **state) {
    (void)state;
    test_text_write("flat.node", "4 2 1 1\n5 0 0 0.5 1\n7 1 0 2 -3\n6 1 1 0 0\n100 0 1 1e3 2\n");
    toc_mesh *mesh;
    assert_ok(toc_mesh_read(test_text_write("flat.ele", "2 3 0\n1 5 7 6\n2 100 5 6\n"), NULL, &mesh));
    assert_vertex(mesh, 3, 0, 1, 0);
    assert_element(mesh, 1, TOC_TRIANGLE, 3, 0, 2);
    toc_mesh_destroy(mesh);
    assert_ok(toc_mesh_read(test_text_write("flat.ele", "1 6 0\n1 5 7 6 100 100 100\n"), NULL, &mesh));
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    toc_mesh_destroy(mesh);
    assert_ok(toc_mesh_read(test_path(test_folder, "flat.node"), NULL, &mesh));
    assert_int_equal(toc_mesh_get_element(mesh, 1).group, -3);
    toc_mesh_destroy(mesh);
}

static void refusals_name_file_and_line(void **state) {
    (void)state;
    refused("a.ele", "1 4 0\n1 0 1 2 9\n", "a.ele:2: node 9 is used, but the .node file has none of that number");
    refused("a.ele", "1 5 0\n1 0 1 2 3 0\n", "a.ele:1: elements of 5 nodes are not known");
    refused("a.ele", "100000 4 0\n1 0 1 2 3\n", "a.ele:1: 100000 elements are promised");
    refused("a.ele", "-1 4 0\n", "a.ele:1: -1 elements cannot be");
    refused("a.ele", "2 4 0\n1 0 1 2 3\n         \n", "a.ele:4: an integer is missing here; the file ends");
    refused("a.ele", "1 4 0\n1 0 1 2\n", "a.ele:2: an integer is missing here; the line ends");
    refused("a.ele", "1 10 0\n1 0 1 2 3 0 0\n", "a.ele:2: 4 nodes are missing");
    refused("a.ele", "1 4 0\n1 0 1 2 x\n", "a.ele:2: an integer was expected, not \"x\"");
    refused("a.face", "1 0\n1 0 1 -2\n", "a.face:2: node -2 is used");
    refused("a.face", "\n", "a.face");
    refused("b.node", "1 4 0 0\n0 0 0 0\n", "b.node:1: nodes of 4 dimensions");
    refused("b.node", "2 3 0 0\n0 0 0 0\n0 1 1 1\n", "b.node:4: node 0 is there twice");
    refused("b.node", "1 3 0 0\n0 0 inf 0\n", "b.node:2: a finite number was expected");
    refused("b.node", "1 3 0 0\n0 0,5 1 0\n", "b.node:2: a number was expected, not \"0,5\"");
}

static void the_nodes_beside_are_named_when_they_are_bad(void **state) {
    (void)state;
    toc_mesh *mesh;
    const char *path = test_text_write("lone.ele", "1 4 0\n1 0 1 2 3\n");
    assert_fails(toc_mesh_read(path, NULL, &mesh), TOC_BAD_INPUT, "lone.node: cannot be opened");
    test_text_write("lone.node", "2 3 0 0\n0 0 0 nan\n1 0 0 0\n");
    assert_fails(toc_mesh_read(path, NULL, &mesh), TOC_BAD_INPUT, "lone.node:2: a finite number");
    assert_fails(toc_mesh_read(path, NULL, &mesh), TOC_BAD_INPUT, "lone.ele");
}

static void files_cut_garbled_and_starved(void **state) {
    (void)state;
    toc_mesh_destroy(read_corpus("cube.ele"));
    static const char *const names[] = {"cube.node", "cube.ele", "cube.face"};
    for (int i = 0; i < 3; i++) {
        char path[512];
        size_t count;
        snprintf(path, sizeof path, "%s", test_path(test_folder, names[i]));
        char *bytes = test_file_read(path, &count);
        test_read_cut(path, bytes, count);
        test_read_garbled(path, bytes, count, 500);
        test_read_starved(path, bytes, count);
        free(bytes);
    }
}

static void tetgen_itself(void **state) {
    (void)state;
    if (system("command -v tetgen >/dev/null") != 0) {
        print_message("skipped: tetgen is not installed\n");
        skip();
    }
    toc_mesh *mesh;
    toc_mesh_report report;
    char line[1024];
    test_text_write("ball.node", "6 3 0 0\n1 1 0 0\n2 -1 0 0\n3 0 1 0\n4 0 -1 0\n5 0 0 1\n6 0 0 -1\n");
    snprintf(line, sizeof line, "cd '%s' && tetgen -Qzo2 ball.node >/dev/null", test_folder);
    assert_int_equal(system(line), 0);
    assert_ok(toc_mesh_read(test_path(test_folder, "ball.1.ele"), NULL, &mesh));
    assert_ok(toc_mesh_inspect(mesh, &report));
    assert_int_equal(report.shapes[TOC_TET], 4);
    assert_int_equal(report.higher_order, 4);
    assert_int_equal(report.inverted, 0);
    assert_int_equal(report.boundary_edges, 0);
    toc_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_tetgen),
        cmocka_unit_test(comments_regions_and_line_ends),
        cmocka_unit_test(faces_with_and_without_nodes_between),
        cmocka_unit_test(triangles_in_the_plane),
        cmocka_unit_test(refusals_name_file_and_line),
        cmocka_unit_test(the_nodes_beside_are_named_when_they_are_bad),
        cmocka_unit_test(files_cut_garbled_and_starved),
        cmocka_unit_test(tetgen_itself),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
