// SPDX-License-Identifier: Apache-2.0
// PLY: every type in every encoding, skipped content, refused files.
#include <stdio.h>
#include <string.h>

#include "support/meshes.h"

#define ASCII "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define CORNERS "property list uchar int vertex_indices\n"

static void text_with_faces_edges_and_points(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.ply", ASCII "comment by hand\nelement vertex 4\n" XYZ "element face 2\n" CORNERS
                                                 "element edge 1\nproperty int vertex1\nproperty int vertex2\n"
                                                 "element point 1\nproperty uint vertex1\nend_header\n"
                                                 "0 0 0\n1 0 0\n1 1 0.1\n0 1 0\n3 0 1 2\n4 3 2 1 0\n3 1\n2\n");
    assert_int_equal(toc_mesh_get_element_count(mesh), 4);
    assert_vertex(mesh, 2, 1, 1, 0.1);
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    assert_element(mesh, 1, TOC_QUAD, 3, 2, 1, 0);
    assert_element(mesh, 2, TOC_EDGE, 3, 1);
    assert_element(mesh, 3, TOC_POINT, 2);
    toc_mesh_destroy(mesh);
}

static void further_properties_and_elements_are_passed_over(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of(
        "a.ply", ASCII "obj_info x\r\nelement material 1\nproperty list uchar uchar name\nproperty float shine\n"
                       "element vertex 3\nproperty uchar red\nproperty double z\nproperty list int float list\n"
                       "property double x\nproperty float quality\nproperty double y\nelement nothing 7\n"
                       "element face 1\nproperty list uchar float texcoord\nproperty list uint8 uint32 vertex_index\n"
                       "property int flags\nend_header\n"
                       "3 65 66 67 0.5\n255 3 2 9 9 1 nan 2\n\n255 6 0 4 inf 5\n255 9 1 8 7 nan 8\n"
                       "6 0 0 0 1 1 1 3 2 1 0 77\n");
    assert_int_equal(toc_mesh_get_element_count(mesh), 1);
    assert_vertex(mesh, 0, 1, 2, 3);
    assert_vertex(mesh, 1, 4, 5, 6);
    assert_vertex(mesh, 2, 7, 8, 9);
    assert_element(mesh, 0, TOC_TRIANGLE, 2, 1, 0);
    toc_mesh_destroy(mesh);
}

static void vertices_alone_are_points(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.ply", ASCII "element vertex 2\n" XYZ "end_header\n1 2 3\n4 5 6\n");
    assert_int_equal(toc_mesh_get_element_count(mesh), 2);
    assert_element(mesh, 1, TOC_POINT, 1);
    toc_mesh_destroy(mesh);
}

// Bytes of a file, in either order.
typedef struct bytes {
    char at[4096];
    size_t count;
    bool big;
} bytes;

static void put(bytes *b, uint64_t bits, size_t size) {
    for (size_t i = 0; i < size; i++) b->at[b->count++] = (char)(bits >> 8 * (b->big ? size - 1 - i : i));
}

static void put_number(bytes *b, const char *type, double value) {
    if (strcmp(type, "double") == 0) {
        uint64_t bits;
        memcpy(&bits, &value, 8);
        put(b, bits, 8);
    } else if (strcmp(type, "float") == 0) {
        const float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, 4);
        put(b, bits, 4);
    } else {
        const size_t size = strstr(type, "char") ? 1 : strstr(type, "short") ? 2 : 4;
        put(b, (uint64_t)(int64_t)value, size);
    }
}

static void put_text(bytes *b, const char *text) {
    memcpy(b->at + b->count, text, strlen(text));
    b->count += strlen(text);
}

static const char *const types[] = {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"};

static void read_binary_of(bool big, const char *position, const char *length, const char *corner) {
    bytes b = {.big = big};
    char header[512];
    snprintf(
        header, sizeof header,
        "ply\nformat binary_%s_endian 1.0\nelement vertex 3\nproperty %s x\nproperty %s y\nproperty uchar red\n"
        "property %s z\nelement face 1\nproperty list %s %s other\nproperty list %s %s vertex_indices\nend_header\n",
        big ? "big" : "little", position, position, position, length, position, length, corner);
    put_text(&b, header);
    for (int i = 0; i < 9; i++) {
        put_number(&b, position, 10 * i + 5);
        if (i % 3 == 1) put_number(&b, "uchar", 99);
    }
    put_number(&b, length, 2);
    for (int i = 0; i < 2; i++) put_number(&b, position, 7);
    put_number(&b, length, 3);
    for (int i = 2; i >= 0; i--) put_number(&b, corner, i);
    toc_mesh *mesh = NULL;
    assert_ok(test_mesh_parse("a.ply", b.at, b.count, NULL, &mesh));
    assert_vertex(mesh, 0, 5, 15, 25);
    assert_vertex(mesh, 2, 65, 75, 85);
    assert_element(mesh, 0, TOC_TRIANGLE, 2, 1, 0);
    toc_mesh_destroy(mesh);
    for (size_t cut = strlen(header); cut < b.count; cut++) {
        assert_fails(test_mesh_parse("a.ply", b.at, cut, NULL, &mesh), TOC_BAD_INPUT, "a.ply:");
    }
}

static void binary_of_every_type_and_order(void **state) {
    (void)state;
    for (int p = 0; p < 8; p++) {
        for (int l = 0; l < 8; l++) {
            for (int c = 0; c < 8; c++) read_binary_of((p + l + c) % 2 == 0, types[p], types[l], types[c]);
        }
    }
}

static void signs_and_extremes_of_binary_integers(void **state) {
    (void)state;
    bytes b = {.big = true};
    put_text(&b, "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty char x\nproperty ushort y\n"
                 "property int z\nend_header\n");
    put(&b, 0x80, 1);
    put(&b, 0xffff, 2);
    put(&b, 0x80000000u, 4);
    toc_mesh *mesh = NULL;
    assert_ok(test_mesh_parse("a.ply", b.at, b.count, NULL, &mesh));
    assert_vertex(mesh, 0, -128, 65535, -2147483648.0);
    toc_mesh_destroy(mesh);
}

static void not_a_number_in_binary_names_the_vertex(void **state) {
    (void)state;
    bytes b = {.big = false};
    put_text(&b, "ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
                 "property float z\nend_header\n");
    for (int i = 0; i < 5; i++) put_number(&b, "float", i);
    put(&b, 0x7fc00000u, 4);
    toc_mesh *mesh;
    assert_fails(test_mesh_parse("a.ply", b.at, b.count, NULL, &mesh), TOC_BAD_INPUT,
                 "byte 127: a coordinate of vertex 1");
}

static void headers_that_are_refused(void **state) {
    (void)state;
    assert_refused("a.ply", "plywood\n", "a.ply:1: a PLY file begins");
    assert_refused("a.ply", "ply\nformat utf8 1.0\n", "a.ply:2: the encoding \"utf8\"");
    assert_refused("a.ply", "ply\nformat\n", "a.ply:2: the encoding \"\"");
    assert_refused("a.ply", ASCII "property float x\n", "a.ply:3: a property before any element");
    assert_refused("a.ply", ASCII "element vertex\n", "a.ply:3: an integer is missing");
    assert_refused("a.ply", ASCII "element vertex -1\n", "a.ply:3: an element cannot occur -1 times");
    assert_refused("a.ply", ASCII "element vertex 1\nproperty quad x\n", "a.ply:4: \"quad\" is not one");
    assert_refused("a.ply", ASCII "elephant 1\n", "a.ply:3: \"elephant\" does not belong");
    assert_refused("a.ply", ASCII "element vertex 1\n" XYZ, "the header has no end");
    assert_refused("a.ply", ASCII "element vertex 1\nproperty float x\nend_header\n1\n", "vertices have no x, y and z");
    assert_refused("a.ply", ASCII "element face 1\nproperty float x\nend_header\n1\n", "\"face\" have no corners");
    assert_refused("a.ply", ASCII "element tristrips 1\nproperty list int int vertex_indices\nend_header\n1 1\n",
                   "strips");
}

static void contents_that_are_refused(void **state) {
    (void)state;
    assert_refused("a.ply", ASCII "element vertex 1000000000\n" XYZ "end_header\n1 2 3\n", "a.ply:8: 1000000000 items");
    assert_refused("a.ply", ASCII "element vertex 9223372036854775807\n" XYZ "end_header\n1 2 3\n", "promised");
    assert_refused("a.ply", ASCII "element vertex 1\n" XYZ "end_header\n1 2\n 3\n", "a.ply:8: a number is missing");
    assert_refused("a.ply", ASCII "element vertex 1\n" XYZ "end_header\n1 2 nan\n", "a.ply:8: a finite number");
    const char *face = ASCII "element vertex 1\n" XYZ "element face 1\n" CORNERS "end_header\n0 0 0\n";
    static const char *const bad[][2] = {{"3 0 0 1\n", "a.ply:11: vertex 1 is used, but there are 1"},
                                         {"3 0 0 -1\n", "a.ply:11: vertex -1 is used"},
                                         {"3 0 0 0.5\n", "a.ply:11: vertex -1 is used"},
                                         {"3 0 0\n", "a.ply:11: a number is missing"},
                                         {"0 \n", "a.ply:11: a face without corners"},
                                         {"999 0 0 0\n", "a.ply:11: a list of 999 items"},
                                         {"-1 0 0 0\n", "a.ply:11: a list of -1 items"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", face, bad[i][0]);
        assert_refused("a.ply", text, bad[i][1]);
    }
    assert_refused("a.ply", ASCII "end_header\n", "a.ply: holds no elements");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_with_faces_edges_and_points),
        cmocka_unit_test(further_properties_and_elements_are_passed_over),
        cmocka_unit_test(vertices_alone_are_points),
        cmocka_unit_test(binary_of_every_type_and_order),
        cmocka_unit_test(signs_and_extremes_of_binary_integers),
        cmocka_unit_test(not_a_number_in_binary_names_the_vertex),
        cmocka_unit_test(headers_that_are_refused),
        cmocka_unit_test(contents_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
