// SPDX-License-Identifier: Apache-2.0
// OBJ: the meaning of each statement, and refused files with their lines.
#include <string.h>

#include "support/meshes.h"

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static void faces_edges_and_points_in_the_order_of_the_file(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.obj", "# a comment\n" SQUARE "f 1 2 3\nf 1 2 3 4\nl 1 2 3\np 4 1\nf 3 4 1\n");
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 4);
    assert_int_equal(toc_mesh_get_element_count(mesh), 7);
    assert_vertex(mesh, 2, 1, 1, 0);
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    assert_element(mesh, 1, TOC_QUAD, 0, 1, 2, 3);
    assert_element(mesh, 2, TOC_EDGE, 0, 1);
    assert_element(mesh, 3, TOC_EDGE, 1, 2);
    assert_element(mesh, 4, TOC_POINT, 3);
    assert_element(mesh, 5, TOC_POINT, 0);
    assert_element(mesh, 6, TOC_TRIANGLE, 2, 3, 0);
    toc_mesh_destroy(mesh);
}

static void slashes_and_negative_indices(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.obj", "vt 0 0\nvn 0 0 1\n" SQUARE "f 1/1 2/1 3/1\nf 1//1 2//1 4//1\n"
                                           "f 2/1/1 3/1/1 4/1/1\nf -4 -3/1 -1//1\nl -1/1 -2/1\n");
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    assert_element(mesh, 1, TOC_TRIANGLE, 0, 1, 3);
    assert_element(mesh, 2, TOC_TRIANGLE, 1, 2, 3);
    assert_element(mesh, 3, TOC_TRIANGLE, 0, 1, 3);
    assert_element(mesh, 4, TOC_EDGE, 3, 2);
    toc_mesh_destroy(mesh);
}

static void large_polygons_become_fans(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.obj", SQUARE "v 5 5 5\nv 6 6 6\nf 6 5 4 3 2 1\nf 1 2 3 4 5\n");
    assert_int_equal(toc_mesh_get_element_count(mesh), 7);
    assert_element(mesh, 0, TOC_TRIANGLE, 5, 4, 3);
    assert_element(mesh, 1, TOC_TRIANGLE, 5, 3, 2);
    assert_element(mesh, 2, TOC_TRIANGLE, 5, 2, 1);
    assert_element(mesh, 3, TOC_TRIANGLE, 5, 1, 0);
    assert_element(mesh, 6, TOC_TRIANGLE, 0, 3, 4);
    toc_mesh_destroy(mesh);
}

static void continued_lines_windows_line_ends_and_colours(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.obj", "v 0 0 0 1\r\nv 1 \\\r\n 0 \\\n 0\r\n  v 1 1 0 0.5 0.5 0.5\r\n"
                                           "\tf 1 \\\r\n2 3 # and a comment\r\ns off\r\nvp 1 2\nmtllib x y\n");
    assert_int_equal(toc_mesh_get_element_count(mesh), 1);
    assert_vertex(mesh, 1, 1, 0, 0);
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    toc_mesh_destroy(mesh);
}

static void faces_may_stand_before_their_vertices(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.obj", "f 1 2 3\n" SQUARE);
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    toc_mesh_destroy(mesh);
}

static void vertices_alone_are_points(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.obj", SQUARE);
    assert_int_equal(toc_mesh_get_element_count(mesh), 4);
    assert_element(mesh, 3, TOC_POINT, 3);
    toc_mesh_destroy(mesh);
}

static void groups_by_name_and_by_number(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.obj", SQUARE "o first\ng same\nf 1 2 3\ng second\nf 1 2 4\ng -7\nf 2 3 4\n");
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, 0);
    assert_int_equal(toc_mesh_get_element(mesh, 1).group, 1);
    assert_int_equal(toc_mesh_get_element(mesh, 2).group, -7);
    toc_mesh_destroy(mesh);
}

static void written_groups_come_back(void **state) {
    (void)state;
    char *folder = test_folder_make();
    toc_mesh *mesh = test_mesh_of("a.obj", SQUARE "g 5\nf 1 2 3\ng 0\nf 1 2 4\ng 3\nf 2 3 4\nl 1 2\n"), *back;
    assert_ok(toc_mesh_write(test_path(folder, "a.obj"), mesh, TOC_AT_START));
    assert_ok(toc_mesh_read(test_path(folder, "a.obj"), NULL, &back));
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(toc_mesh_get_element(back, i).group, toc_mesh_get_element(mesh, i).group);
    toc_mesh_destroy(mesh);
    toc_mesh_destroy(back);
    test_folder_remove(folder);
}

static void refusals_name_the_line(void **state) {
    (void)state;
    assert_refused("a.obj", SQUARE "f 1 2 9\n", "a.obj:5: vertex 9 is used, but there are 4");
    assert_refused("a.obj", SQUARE "f 1 2 0\n", "a.obj:5: vertex 0 is used");
    assert_refused("a.obj", SQUARE "f 1 2 -5\n", "a.obj:5: vertex -5 is used after 4");
    assert_refused("a.obj", SQUARE "f 1 2 x\n", "a.obj:5: the index of a vertex was expected");
    assert_refused("a.obj", SQUARE "f 1 2 3x\n", "a.obj:5: a corner such as");
    assert_refused("a.obj", SQUARE "f 1 2 99999999999999999999\n", "a.obj:5:");
    assert_refused("a.obj", SQUARE "f 1 2 4294967297\n", "a.obj:5:");
    assert_refused("a.obj", SQUARE "\nf \n", "a.obj:6: a face without corners");
    assert_refused("a.obj", SQUARE "l 1\n", "a.obj:5: a line needs two");
    assert_refused("a.obj", SQUARE "p \n", "a.obj:5: a vertex is missing");
    assert_refused("a.obj", "v 0 0\nv 1 1 1\n", "a.obj:1: a number is missing here");
    assert_refused("a.obj", "v 0 0 1,5\n", "a.obj:1: a number was expected, not \"1,5\"");
    assert_refused("a.obj", "v 0 0 0\nv 0 nan 0\n", "a.obj:2: a finite number was expected");
    assert_refused("a.obj", "v 0 0 1e999\n", "a.obj:1: a finite number was expected");
}

static void nothing_in_it(void **state) {
    (void)state;
    assert_refused("a.obj", "", "a.obj: is empty");
    assert_refused("a.obj", "# only a comment\n", "a.obj: holds no elements");
    assert_refused("a.obj", "hello world\n", "a.obj: holds no elements");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_edges_and_points_in_the_order_of_the_file),
        cmocka_unit_test(slashes_and_negative_indices),
        cmocka_unit_test(large_polygons_become_fans),
        cmocka_unit_test(continued_lines_windows_line_ends_and_colours),
        cmocka_unit_test(faces_may_stand_before_their_vertices),
        cmocka_unit_test(vertices_alone_are_points),
        cmocka_unit_test(groups_by_name_and_by_number),
        cmocka_unit_test(written_groups_come_back),
        cmocka_unit_test(refusals_name_the_line),
        cmocka_unit_test(nothing_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
