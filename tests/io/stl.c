// SPDX-License-Identifier: Apache-2.0
// STL: text told from binary, corners merged.
#include <string.h>

#include "support/meshes.h"

#define TWO_TRIANGLES                                                                                                 \
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n"                   \
    "  facet normal 0 0 1\r\n  outer loop\r\n  vertex 1 1 -0\r\n  vertex 0 1 0\r\n  vertex -0.0 0 0\r\n  endloop\r\n" \
    "endfacet\n"

static void assert_two_triangles(const toc_mesh *mesh) {
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 4);
    assert_int_equal(toc_mesh_get_element_count(mesh), 2);
    assert_vertex(mesh, 2, 1, 1, 0);
    assert_vertex(mesh, 3, 0, 1, 0);
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    assert_element(mesh, 1, TOC_TRIANGLE, 2, 3, 0);
}

static void text_with_corners_at_the_same_place_merged(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.stl", "solid a facet of vertex names\n" TWO_TRIANGLES "endsolid a\n");
    assert_two_triangles(mesh);
    toc_mesh_destroy(mesh);
    mesh = test_mesh_of("no-extension", "solid\n" TWO_TRIANGLES "endsolid");
    assert_two_triangles(mesh);
    toc_mesh_destroy(mesh);
}

// The two triangles as binary, behind any 80 bytes.
static size_t make_binary(char bytes[256], const char *header) {
    static const float corners[2][9] = {{0, 0, 0, 1, 0, 0, 1, 1, 0}, {1, 1, -0.0f, 0, 1, 0, -0.0f, 0, 0}};
    memset(bytes, 0, 256);
    memcpy(bytes, header, strlen(header));
    bytes[80] = 2;
    for (int t = 0; t < 2; t++) memcpy(bytes + 84 + 50 * t + 12, corners[t], sizeof corners[t]);
    return 184;
}

static void binary_that_begins_with_solid(void **state) {
    (void)state;
    static const char *const headers[] = {"", "binary", "solid", "solid x\nfacet normal", "solid\nendsolid\n"};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        char bytes[256];
        const size_t count = make_binary(bytes, headers[i]);
        toc_mesh *mesh = NULL;
        assert_ok(test_mesh_parse("a.stl", bytes, count, NULL, &mesh));
        assert_two_triangles(mesh);
        toc_mesh_destroy(mesh);
    }
}

// Some writers leave bytes behind the last triangle; then only the words can tell.
static void binary_with_bytes_behind_it(void **state) {
    (void)state;
    char bytes[256];
    const size_t count = make_binary(bytes, "solid made of wood");
    toc_mesh *mesh = NULL;
    assert_ok(test_mesh_parse("a.stl", bytes, count + 7, NULL, &mesh));
    assert_two_triangles(mesh);
    toc_mesh_destroy(mesh);
}

static void refusals(void **state) {
    (void)state;
    char bytes[256];
    toc_mesh *mesh;
    size_t count = make_binary(bytes, "x");
    for (size_t cut = 1; cut < count; cut++) {
        assert_fails(test_mesh_parse("a.stl", bytes, cut, NULL, &mesh), TOC_BAD_INPUT, "a.stl: byte");
    }
    bytes[83] = (char)0xff;
    assert_fails(test_mesh_parse("a.stl", bytes, count, NULL, &mesh), TOC_BAD_INPUT,
                 "byte 84: 4278190082 triangles are");
    count = make_binary(bytes, "x");
    memcpy(bytes + 84 + 12, &(float){(float)(1e300 * 1e300)}, 4);
    assert_fails(test_mesh_parse("a.stl", bytes, count, NULL, &mesh), TOC_BAD_INPUT, "byte 96: a coordinate is not");
    assert_refused("a.stl", "solid\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n", "a.stl:6: a loop of 2");
    assert_refused("a.stl", "solid\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n", "ends inside of a facet");
    assert_refused("a.stl", "solid\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n",
                   "a.stl:9: the file ends before \"endsolid\"");
    assert_refused("a.stl", "solid\nfacet\nouter loop\nvertex 0 0 nan\n", "a.stl:4: a finite number");
    assert_refused("a.stl", "solid\nfacet\nouter hoop\nvertex 0 0 0\n", "a.stl:3: \"hoop\" does not belong");
    assert_refused("a.stl", "solid a\nendsolid a\n", "holds no elements");
}

static void floats_are_written_in_binary_doubles_in_text(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "a.stl");
    for (int k = 0; k < 2; k++) {
        toc_mesh *mesh = test_mesh_of("a.off", k ? "OFF\n3 1\n0 0 0\n1 0 0\n0 0.1 1e300\n3 0 1 2\n"
                                                 : "OFF\n3 1\n0 0 0\n1 0 0\n0 0.5 1e10\n3 0 1 2\n");
        toc_mesh *back = NULL;
        assert_ok(toc_mesh_write(path, mesh, TOC_AT_END));
        assert_ok(toc_mesh_read(path, NULL, &back));
        assert_same_mesh(mesh, back);
        toc_mesh_destroy(mesh);
        toc_mesh_destroy(back);
    }
    test_folder_remove(folder);
}

static void quads_are_split_through_their_lowest_id(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "a.stl");
    toc_mesh *mesh = test_mesh_of("a.off", "OFF\n4 1\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 2 3 0 1\n"), *back = NULL;
    assert_ok(toc_mesh_write(path, mesh, TOC_AT_START));
    assert_ok(toc_mesh_read(path, NULL, &back));
    assert_int_equal(toc_mesh_get_element_count(back), 2);
    for (uint32_t i = 0; i < 2; i++) { // both begin with vertex 0, read first
        assert_int_equal(toc_mesh_get_element(back, i).corners[0], 0);
    }
    assert_vertex(back, 0, 0, 0, 0);
    toc_mesh_destroy(mesh);
    toc_mesh_destroy(back);
    test_folder_remove(folder);
}

static void loose_edges_are_not_dropped_in_silence(void **state) {
    (void)state;
    char *folder = test_folder_make();
    toc_mesh *mesh = test_mesh_of("a.off", "OFF\n3 2\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n2 0 1\n");
    assert_fails(toc_mesh_write(test_path(folder, "a.stl"), mesh, TOC_AT_START), TOC_BAD_INPUT,
                 "a.stl: STL holds triangles only");
    toc_mesh_destroy(mesh);
    test_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_with_corners_at_the_same_place_merged),
        cmocka_unit_test(binary_that_begins_with_solid),
        cmocka_unit_test(binary_with_bytes_behind_it),
        cmocka_unit_test(refusals),
        cmocka_unit_test(floats_are_written_in_binary_doubles_in_text),
        cmocka_unit_test(quads_are_split_through_their_lowest_id),
        cmocka_unit_test(loose_edges_are_not_dropped_in_silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
