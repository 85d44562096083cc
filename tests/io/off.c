// SPDX-License-Identifier: Apache-2.0
// OFF and its relatives.
#include <string.h>

#include "support/meshes.h"

static void assert_two_faces(const char *name, const char *text) {
    toc_mesh *mesh = test_mesh_of(name, text);
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 4);
    assert_int_equal(toc_mesh_get_element_count(mesh), 2);
    assert_vertex(mesh, 2, 1, 1, 0.5);
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    assert_element(mesh, 1, TOC_QUAD, 3, 2, 1, 0);
    toc_mesh_destroy(mesh);
}

static void plain_with_comments_and_blank_lines(void **state) {
    (void)state;
    assert_two_faces("a.off", "OFF\n# made by hand\n\n4 2 0 # counts\n0 0 0\n1 0 0\n\n1 1 0.5\n# the last\n0 1 0\n"
                              "3 0 1 2\n4 3 2 1 0\n");
    assert_two_faces("a.off", "OFF 4 2 0\r\n0 0 0\r\n1 0 0\r\n1 1 .5\r\n0 1 0\r\n3 0 1 2\r\n4 3 2 1 0");
    assert_two_faces("a.txt", "OFF\n4 2\n0 0 0\n1 0 0\n1 1 5e-1\n0 1 0\n3 0 1 2\n4 3 2 1 0\n");
    assert_two_faces("no-keyword.off", "4 2 0\n0 0 0\n1 0 0\n1 1 5e-1\n0 1 0\n3 0 1 2\n4 3 2 1 0\n");
}

static void colours_and_normals_are_passed_over(void **state) {
    (void)state;
    assert_two_faces("a.off", "COFF\n4 2 0\n0 0 0 255 0 0 255\n1 0 0 9 9 9 9\n1 1 0.5 1 1 1 1\n0 1 0 2 2 2 2\n"
                              "3 0 1 2 255 0 0\n4 3 2 1 0 0.1 0.2 0.3\n");
    assert_two_faces("a.off", "STCNOFF\n4 2 0\n0 0 0 1\n1 0 0 1\n1 1 0.5 1\n0 1 0 1\n3 0 1 2\n4 3 2 1 0\n");
}

static void small_and_large_faces(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.off", "OFF\n5 3 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n9 9 9\n1 4\n2 0 4\n5 0 1 2 3 4\n");
    assert_int_equal(toc_mesh_get_element_count(mesh), 5);
    assert_element(mesh, 0, TOC_POINT, 4);
    assert_element(mesh, 1, TOC_EDGE, 0, 4);
    assert_element(mesh, 4, TOC_TRIANGLE, 0, 3, 4);
    toc_mesh_destroy(mesh);
}

static void refusals_name_the_line(void **state) {
    (void)state;
    assert_refused("a.off", "OFF\n1000000000 1000000000 0\n0 0 0\n", "a.off:2: 1000000000 vertices are promised");
    assert_refused("a.off", "OFF\n1 1000000000 0\n0 0 0\n", "a.off:2: 1000000000 faces are promised");
    assert_refused("a.off", "OFF\n-1 1 0\n0 0 0\n", "a.off:2: -1 vertices");
    assert_refused("a.off", "OFF\n1 1 0\n0 0 0\n99999 0 0 0\n", "a.off:4: 99999 corners are promised");
    assert_refused("a.off", "OFF\n1 1 0\n0 0 0\n3 0 1 0\n", "a.off:4: vertex 1 is used, but there are 1");
    assert_refused("a.off", "OFF\n1 1 0\n0 0 0\n3 0 -1 0\n", "a.off:4: vertex -1 is used");
    assert_refused("a.off", "OFF\n1 1 0\n0 0 0\n0         \n", "a.off:4: a face without corners");
    assert_refused("a.off", "OFF\n2 0 0\n0 0 0\n0 inf 0\n", "a.off:4: a finite number");
    assert_refused("a.off", "OFF\n2 0 0\n0 0 0       \n", "a.off:4: a number is missing here; the file ends");
    assert_refused("a.off", "OFF BINARY\n\1\2\3", "a.off:1: an integer was expected, not \"BINARY\"");
    assert_refused("a.off", "4OFF\n1 0 0\n0 0 0 0\n", "a.off:1: an integer was expected, not \"4OFF\"");
    assert_refused("a.off", "OFF\n0 0 0\n", "a.off: holds no elements");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_with_comments_and_blank_lines),
        cmocka_unit_test(colours_and_normals_are_passed_over),
        cmocka_unit_test(small_and_large_faces),
        cmocka_unit_test(refusals_name_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
