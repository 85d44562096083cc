// SPDX-License-Identifier: Apache-2.0
// Gmsh's files: both versions, both encodings, files made by Gmsh, and broken files.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/grid.h"
#include "support/reading.h"

static toc_mesh *read_text(const char *text) { return test_mesh_of("a.msh", text); }

static void refused(const char *text, const char *words) { test_read_refused("a.msh", text, strlen(text), words); }

// A file of the corpus: a hex, a wedge beside it, their floor, two edges and a point, meshed by Gmsh 4.8.4.
static toc_mesh *read_corpus(const char *name) { return test_corpus_mesh("msh", name); }

static void assert_group(const toc_mesh *mesh, uint32_t element, int32_t group, const char *name) {
    assert_int_equal(toc_mesh_get_element(mesh, element).group, group);
    if (name)
        assert_string_equal(toc_mesh_get_group_name(mesh, group), name);
    else
        assert_null(toc_mesh_get_group_name(mesh, group));
}

static void assert_no_inverted(const toc_mesh *mesh) {
    toc_mesh_report report;
    assert_ok(toc_mesh_inspect(mesh, &report));
    assert_int_equal(report.inverted, 0);
    assert_int_equal(report.degenerate, 0);
    assert_int_equal(report.duplicate, 0);
}

static void assert_hex_and_wedge(const char *name, int32_t floor) {
    toc_mesh *mesh = read_corpus(name);
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 10);
    assert_int_equal(toc_mesh_get_element_count(mesh), 7);
    assert_vertex(mesh, 9, 2, 0, 1);
    assert_element(mesh, 0, TOC_POINT, 0);
    assert_element(mesh, 2, TOC_EDGE, 1, 4);
    const bool quad_first = toc_mesh_get_element(mesh, 3).shape == TOC_QUAD;
    assert_element(mesh, quad_first ? 3 : 4, TOC_QUAD, 0, 1, 2, 3);
    assert_element(mesh, quad_first ? 4 : 3, TOC_TRIANGLE, 1, 4, 2);
    assert_element(mesh, 5, TOC_HEX, 0, 1, 2, 3, 5, 6, 7, 8);
    assert_element(mesh, 6, TOC_WEDGE, 1, 2, 4, 6, 7, 9);
    assert_group(mesh, 0, 9, NULL);
    assert_group(mesh, 1, 3, "rim");
    assert_group(mesh, 3, floor, "floor"); // the tag 1 is that of the volume "block"
    assert_group(mesh, 5, 1, "block");
    assert_group(mesh, 6, 2, "ridge");
    assert_no_inverted(mesh);
    toc_mesh_destroy(mesh);
}

static void every_version_and_encoding_of_gmsh(void **state) {
    (void)state;
    assert_hex_and_wedge("gmsh-2-text.msh", 4);
    assert_hex_and_wedge("gmsh-2-binary.msh", 4);
    assert_hex_and_wedge("gmsh-2-parametric.msh", 4);
    assert_hex_and_wedge("gmsh-4-text.msh", 10);
    assert_hex_and_wedge("gmsh-4-binary.msh", 10);
}

static void curved_cells_are_taken_by_their_corners(void **state) {
    (void)state;
    static const char *const names[] = {"gmsh-2-curved.msh", "gmsh-4-curved.msh"};
    for (int i = 0; i < 2; i++) {
        toc_mesh *mesh = read_corpus(names[i]);
        toc_mesh_report report;
        assert_ok(toc_mesh_inspect(mesh, &report));
        assert_int_equal(report.higher_order, 5);
        assert_int_equal(report.shapes[TOC_TET], 1);
        assert_int_equal(report.shapes[TOC_TRIANGLE], 4);
        assert_int_equal(report.unused_vertices, 6);
        assert_int_equal(report.boundary_edges, 0);
        assert_no_inverted(mesh);
        assert_group(mesh, 4, 5, "tetra");
        toc_mesh_destroy(mesh);
    }
}

#define V2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define V4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES_2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define NODES_4 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
#define TET_4 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n"

// Tags of nodes have gaps, come in any order, and may be large.
static void sparse_tags(void **state) {
    (void)state;
    toc_mesh *mesh = read_text(V2 "$Nodes\n4\n70 0 0 0\n-5 1 0 0\n2000000000 0 1 0\n3 0 0 1\n$EndNodes\n"
                                  "$Elements\n2\n9 4 0 2000000000 3 70 -5\n1 15 1 7 3\n$EndElements\n");
    assert_element(mesh, 0, TOC_TET, 2, 3, 0, 1);
    assert_element(mesh, 1, TOC_POINT, 3);
    assert_group(mesh, 0, 0, NULL);
    assert_group(mesh, 1, 7, NULL);
    toc_mesh_destroy(mesh);
}

static void windows_line_ends_and_unknown_sections(void **state) {
    (void)state;
    toc_mesh *mesh = read_text("$Comments\r\n$Elements of nothing\r\n$EndComments\r\n$MeshFormat\r\n4.1 0 8\r\n"
                               "$EndMeshFormat\r\n$Nodes\r\n1 1 1 1\r\n0 1 0 1\r\n1\r\n0.5 0 0\r\n$EndNodes\r\n"
                               "$Elements\r\n1 1 1 1\r\n0 1 15 1\r\n1 1\r\n$EndElements\r\n"
                               "$Periodic\r\n1\r\n1 2 1\r\n0\r\n0\r\n$EndPeriodic\r\n");
    assert_vertex(mesh, 0, 0.5, 0, 0);
    assert_element(mesh, 0, TOC_POINT, 0);
    toc_mesh_destroy(mesh);
}

static void nodes_alone_are_points(void **state) {
    (void)state;
    toc_mesh *mesh = read_text(V4 NODES_4 "$Elements\n0 0 0 0\n$EndElements\n");
    assert_int_equal(toc_mesh_get_element_count(mesh), 4);
    assert_element(mesh, 3, TOC_POINT, 3);
    toc_mesh_destroy(mesh);
}

// Behind a place stand as many parameters as the entity has dimensions, where the block says so.
static void parameters_are_passed_over(void **state) {
    (void)state;
    toc_mesh *mesh = read_text(V4 "$Nodes\n3 3 1 3\n0 1 1 1\n1\n0 0 0\n1 1 1 1\n2\n1 0 0 nan\n2 1 1 1\n3\n0 1 0 7 8\n"
                                  "$EndNodes\n$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n");
    assert_vertex(mesh, 2, 0, 1, 0);
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    toc_mesh_destroy(mesh);
}

// Gmsh puts triangles between the parts of a volume: entity 18 below, whose parent is a volume.
static void seams_of_a_partition_are_left_out(void **state) {
    (void)state;
    toc_mesh *mesh = read_text(
        V4 "$PhysicalNames\n1\n3 5 \"tetra\"\n$EndPhysicalNames\n"
           "$PartitionedEntities\n2\n1\n3 1\n0 0 1 1\n"
           "18 3 1 2 1 2 0 0 0 1 1 1 1 5 2 13 -16\n2 3 1 1 1 0 0 0 1 1 1 1 -5 0\n$EndPartitionedEntities\n" NODES_4
           "$Elements\n2 2 1 2\n2 18 2 1\n1 1 2 3\n3 2 4 1\n2 1 2 3 4\n$EndElements\n");
    assert_int_equal(toc_mesh_get_element_count(mesh), 1);
    assert_element(mesh, 0, TOC_TET, 0, 1, 2, 3);
    assert_group(mesh, 0, 5, "tetra");
    toc_mesh_destroy(mesh);
}

// One tag in three dimensions: named differently, the highest keeps it; named alike, it is one group.
static void names_that_share_a_tag(void **state) {
    (void)state;
    toc_mesh *mesh =
        read_text(V2 "$PhysicalNames\n4\n1 1 \"rim\"\n2 1 \"skin\"\n3 1 \"skin\"\n2 8 \"a \"quoted\" one\"\n"
                     "$EndPhysicalNames\n" NODES_2 "$Elements\n5\n1 4 2 1 1 1 2 3 4\n2 2 2 1 1 1 2 3\n"
                     "3 1 2 1 1 1 2\n4 2 2 8 1 1 2 4\n5 2 2 -8 1 1 2 4\n$EndElements\n");
    assert_group(mesh, 0, 1, "skin");
    assert_group(mesh, 1, 1, "skin");
    assert_group(mesh, 2, 9, "rim");
    assert_group(mesh, 3, 8, "a \"quoted\" one");
    assert_group(mesh, 4, 8, "a \"quoted\" one"); // a negative one is turned
    toc_mesh_destroy(mesh);
}

static void names_that_are_not_utf_8(void **state) {
    (void)state;
    toc_mesh *mesh = read_text(V2 "$PhysicalNames\n1\n3 1 \"Fl\xfcgel\"\n$EndPhysicalNames\n" NODES_2
                                  "$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n");
    assert_group(mesh, 0, 1, "Fl?gel");
    toc_mesh_destroy(mesh);
}

// A binary file as a machine of the other kind writes it.
typedef struct writer {
    unsigned char bytes[2000];
    size_t count;
} writer;

static void put_text(writer *w, const char *text) {
    memcpy(w->bytes + w->count, text, strlen(text));
    w->count += strlen(text);
}

static void put_big(writer *w, uint64_t x, size_t size) {
    for (size_t i = 0; i < size; i++) w->bytes[w->count++] = (unsigned char)(x >> 8 * (size - 1 - i));
}

static void put_double(writer *w, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_big(w, bits, 8);
}

/// A triangle, of version 4.1 with counts of `width` bytes; `odd` is the last coordinate.
static writer big_endian_triangle(size_t width, double odd) {
    writer w = {.count = 0};
    char head[64];
    snprintf(head, sizeof head, "$MeshFormat\n4.1 1 %zu\n", width);
    put_text(&w, head);
    put_big(&w, 1, 4);
    put_text(&w, "\n$EndMeshFormat\n$Nodes\n");
    for (int i = 0; i < 4; i++) put_big(&w, (const uint64_t[]){1, 3, 1, 3}[i], width);
    for (int i = 0; i < 3; i++) put_big(&w, (const uint64_t[]){2, 1, 0}[i], 4);
    put_big(&w, 3, width);
    for (uint64_t i = 1; i <= 3; i++) put_big(&w, i, width);
    for (int i = 0; i < 9; i++) put_double(&w, i == 8 ? odd : i / 8.0);
    put_text(&w, "\n$EndNodes\n$Elements\n");
    for (int i = 0; i < 4; i++) put_big(&w, 1, width);
    for (int i = 0; i < 3; i++) put_big(&w, (const uint64_t[]){2, 1, 2}[i], 4);
    put_big(&w, 1, width);
    for (int i = 0; i < 4; i++) put_big(&w, (const uint64_t[]){1, 3, 1, 2}[i], width);
    put_text(&w, "\n$EndElements\n");
    return w;
}

static void big_endian_files_and_narrow_counts(void **state) {
    (void)state;
    for (size_t width = 4; width <= 8; width += 4) {
        const writer w = big_endian_triangle(width, 0.75);
        toc_mesh *mesh = test_read("a.msh", w.bytes, w.count);
        assert_vertex(mesh, 2, 0.75, 0.875, 0.75);
        assert_element(mesh, 0, TOC_TRIANGLE, 2, 0, 1);
        toc_mesh_destroy(mesh);
    }
    const writer odd = big_endian_triangle(8, NAN);
    test_read_refused("a.msh", odd.bytes, odd.count, "a.msh: byte 187: a coordinate is");
}

static void refusals_name_the_line(void **state) {
    (void)state;
    refused("$MeshFormat\n4 0 8\n$EndMeshFormat\n", "a.msh:2: version 4 is not read, only 2 and 4.1");
    refused("$MeshFormat\n-1E80 0 8\n", "a.msh:2: version -1e+80 is not read");
    refused("$MeshFormat\n2.2 0 4\n", "a.msh:2: files of kind 0 with numbers of 4 bytes");
    refused("$MeshFormat\n2.2 1 8\nabcd\n", "byte 24: the number 1 was expected");
    refused("$Nodes\n1\n1 0 0 0\n$EndNodes\n", "a.msh:2: $Nodes before $MeshFormat");
    refused(V2 "4 5 6\n", "a.msh:4: a section such as $Nodes was expected");
    refused(V2, "a.msh:4: the file ends before any $Nodes");
    refused(V4 NODES_4, "the file ends before any $Elements"); // cut short between two sections
    refused(V2 "$Nodes\n900000000\n1 0 0 0\n$EndNodes\n", "a.msh:5: 900000000 nodes are promised");
    refused(V2 "$Nodes\n-1\n$EndNodes\n", "a.msh:5: a count of -1");
    refused(V2 "$Nodes\n2\n1 0 0 0\n$EndNodes\n", "a.msh:7: an integer was expected, not \"$EndNodes\"");
    refused(V2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", "a.msh:7: $EndNodes was expected");
    refused(V2 "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", "a.msh:6: a finite number was expected, not \"nan\"");
    refused(V2 "$Nodes\n1\n1 0 0,5 0\n$EndNodes\n", "a.msh:6: a number was expected, not \"0,5\"");
    refused(V2 "$Nodes\n3\n1 0 0 0\n3 0 0 0\n1 1 1 1\n$EndNodes\n", "a.msh:8: node 1 is there twice");
    refused(V2 NODES_2 NODES_2, "a.msh:12: there are $Nodes already");
    refused(V2 "$Elements\n0\n$EndElements\n", "a.msh:5: $Elements before $Nodes");
    refused(V2 NODES_2 "$Elements\n1\n1 4 0 1 2 3 9\n$EndElements\n", "a.msh:13: node 9 is used, but no node has");
    refused(V2 NODES_2 "$Elements\n1\n1 34 0 1 2 3\n$EndElements\n", "a.msh:13: elements of type 34 are not known");
    refused(V2 NODES_2 "$Elements\n1\n1 -1 0 1 2 3\n$EndElements\n", "elements of type -1 are not known");
    refused(V2 NODES_2 "$Elements\n99999\n1 15 0 1\n$EndElements\n", "a.msh:12: 99999 elements are promised");
    refused(V2 NODES_2 "$Elements\n1\n1 15 -1 1 1 1 1\n$EndElements\n", "with -1 tags");
    refused(V2 NODES_2 "$Elements\n1\n1 15 1 9999999999 1\n$EndElements\n", "physical group 9999999999");
    refused(V2 NODES_2 "$Stuff\n1\n", "a.msh:12: the file ends within $Stuff");
    refused(V2 "$PhysicalNames\n1\n4 1 \"x\"\n", "a.msh:6: a physical group of dimension 4 and tag 1");
    refused(V2 NODES_2 "$Elements\n1\n1 15 0 1\n$EndElements\n$PhysicalNames\n0\n$EndPhysicalNames\n", "too late");
    refused(V4 "$Nodes\n1 1 1 1\n3 1 0 2\n1\n2\n", "a.msh:6: 2 nodes, but only 1 are left of those promised");
    refused(V4 "$Nodes\n0 1 1 1\n$EndNodes\n", "a.msh:5: 1 nodes less than were promised");
    refused(V4 "$Nodes\n1 1 1 1\n9 1 0 1\n1\n0 0 0\n", "a.msh:6: an entity of dimension 9");
    refused(V4 NODES_4 "$Elements\n1 1 1 1\n3 1 4 2\n1 1 2 3 4\n2 1 2 3 4\n$EndElements\n",
            "2 elements, but 1 are left");
    refused(V4 NODES_4 TET_4 "$Entities\n0 0 0 0\n$EndEntities\n", "$Entities are too late");
    refused(V4 "$Entities\n0 0 0 1\n9223372036854775807 0 0 0 1 1 1 1 1 0\n$EndEntities\n",
            "an entity of tag 9223372036854775807");
    refused(V4 "$Entities\n1 0 0 0\n-2147483649 0 0 0 1 1\n$EndEntities\n", "an entity of tag -2147483649");
    refused(V4 NODES_4 "$Elements\n1 1 1 1\n3 9223372036854775807 4 1\n1 1 2 3 4\n$EndElements\n",
            "an entity of tag 9223372036854775807");
    refused(V4 NODES_4 "$Elements\n1 1 1 1\n9223372036854775807 1 4 1\n1 1 2 3 4\n$EndElements\n",
            "an entity of dimension 9223372036854775807");
    refused(V4 "$Entities\n2 0 0 0\n1 0 0 0 1 1\n1 0 0 0 1 1\n$EndEntities\n" NODES_4 TET_4,
            "an entity is there twice");
}

// Counts of a binary file, which are 8 bytes wide there.
static void counts_that_lie_in_binary(void **state) {
    (void)state;
    size_t count;
    char *bytes = test_corpus_read("msh", "gmsh-4-binary.msh", &count);
    char *nodes = memmem(bytes, count, "$Nodes\n", 7);
    assert_non_null(nodes);
    memset(nodes + 7 + 8, 0x7f, 8); // the number of nodes
    test_read_refused("a.msh", bytes, count, "the file ends too soon: 9187201950435737471 times 32 bytes");
    memset(nodes + 7 + 8, 0xff, 8);
    test_read_refused("a.msh", bytes, count, "a count of -1");
    free(bytes);
}

static const char *const made_by_gmsh[] = {"gmsh-2-text.msh", "gmsh-2-binary.msh", "gmsh-2-curved.msh",
                                           "gmsh-4-text.msh", "gmsh-4-binary.msh", "gmsh-4-curved.msh"};

static void files_cut_garbled_and_starved(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof made_by_gmsh / sizeof *made_by_gmsh; i++) {
        size_t count;
        char *bytes = test_corpus_read("msh", made_by_gmsh[i], &count);
        for (size_t cut = 1; cut < 10; cut++) {
            char *end = memmem(bytes, count, "$Elements", 9);
            assert_non_null(end);
            test_read_refused("a.msh", bytes, (size_t)(end - bytes) + 9 + cut, "a.msh");
        }
        test_read_cut("a.msh", bytes, count);
        test_read_garbled("a.msh", bytes, count, 500);
        test_read_starved("a.msh", bytes, count);
        free(bytes);
    }
}

static void every_shape_survives(void **state) {
    (void)state;
    toc_mesh *mesh = test_every_shape(false);
    assert_ok(toc_mesh_set_group(mesh, 1, INT32_MAX));
    assert_ok(toc_mesh_set_group(mesh, 2, 1));
    assert_ok(toc_mesh_set_group(mesh, 6, 1));
    assert_ok(toc_mesh_set_group(mesh, 7, 2));
    test_round_trip(mesh, "a.msh");
    toc_mesh_destroy(mesh);
}

static void names_survive(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "a.msh");
    toc_mesh *mesh = test_grid_volume(TOC_WEDGE, 2, 2, 2), *again;
    for (uint32_t i = 0; i < 4; i++) assert_ok(toc_mesh_set_group(mesh, i, (int32_t)i % 2 + 3));
    assert_ok(toc_mesh_set_group_name(mesh, 3, "left wing"));
    assert_ok(toc_mesh_set_group_name(mesh, 4, "Fl\xc3\xbcgel"));
    assert_ok(toc_mesh_write(path, mesh, TOC_AT_START));
    assert_ok(toc_mesh_read(path, NULL, &again));
    assert_same_mesh(mesh, again);
    assert_group(again, 0, 3, "left wing");
    assert_group(again, 1, 4, "Fl\xc3\xbcgel");
    assert_group(again, 4, 0, NULL);
    assert_ok(toc_mesh_set_group(mesh, 0, -3));
    assert_fails(toc_mesh_write(path, mesh, TOC_AT_START), TOC_BAD_INPUT, "group -3 cannot be written");
    toc_mesh_destroy(again);
    toc_mesh_destroy(mesh);
    test_folder_remove(folder);
}

static void meshes_of_others(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t vertices, tets;
    } meshes[] = {{"volumes/Armadillo13K.msh", 13230, 54985},
                  {"volumes/bunny.msh", 4670, 19379},
                  {"volumes/mat40x40.msh", 3200, 9126},
                  {"volumes/octocat.msh", 6133, 21426},
                  {"volumes/sphere5K.msh", 7034, 27792}};
    test_need_data("volumes/sphere5K.msh");
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        toc_mesh *mesh;
        toc_mesh_report report;
        assert_ok(toc_mesh_read(test_data("%s", meshes[i].name), NULL, &mesh));
        assert_ok(toc_mesh_inspect(mesh, &report));
        assert_int_equal(report.vertices, meshes[i].vertices);
        assert_int_equal(report.shapes[TOC_TET], meshes[i].tets);
        assert_int_equal(report.elements, meshes[i].tets);
        assert_int_equal(report.boundary_edges, 0);
        assert_no_inverted(mesh);
        test_round_trip(mesh, "a.msh");
        toc_mesh_destroy(mesh);
    }
}

// Gmsh must read our files: its own check, and the same elements after it has written them again.
static void gmsh_reads_what_is_written(void **state) {
    (void)state;
    if (system("command -v gmsh >/dev/null") != 0) {
        print_message("skipped: gmsh is not installed\n");
        skip();
    }
    char *folder = test_folder_make();
    char line[2048];
    toc_mesh *mesh = test_grid_volume(TOC_WEDGE, 3, 2, 2), *again;
    assert_ok(toc_mesh_set_group(mesh, 0, 6));
    assert_ok(toc_mesh_set_group_name(mesh, 6, "first"));
    for (uint32_t i = 1; i < toc_mesh_get_element_count(mesh); i++) assert_ok(toc_mesh_set_group(mesh, i, 7));
    assert_ok(toc_mesh_write(test_path(folder, "ours.msh"), mesh, TOC_AT_START));
    snprintf(line, sizeof line, "gmsh '%s/ours.msh' -save -format msh22 -bin -o '%s/theirs.msh' -v 0", folder, folder);
    assert_int_equal(system(line), 0);
    assert_ok(toc_mesh_read(test_path(folder, "theirs.msh"), NULL, &again));
    assert_same_mesh(mesh, again);
    assert_group(again, 0, 6, "first");
    assert_group(again, 1, 7, NULL);
    toc_mesh_destroy(again);
    toc_mesh_destroy(mesh);
    test_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_and_encoding_of_gmsh),
        cmocka_unit_test(curved_cells_are_taken_by_their_corners),
        cmocka_unit_test(sparse_tags),
        cmocka_unit_test(windows_line_ends_and_unknown_sections),
        cmocka_unit_test(nodes_alone_are_points),
        cmocka_unit_test(parameters_are_passed_over),
        cmocka_unit_test(seams_of_a_partition_are_left_out),
        cmocka_unit_test(names_that_share_a_tag),
        cmocka_unit_test(names_that_are_not_utf_8),
        cmocka_unit_test(big_endian_files_and_narrow_counts),
        cmocka_unit_test(refusals_name_the_line),
        cmocka_unit_test(counts_that_lie_in_binary),
        cmocka_unit_test(files_cut_garbled_and_starved),
        cmocka_unit_test(every_shape_survives),
        cmocka_unit_test(names_survive),
        cmocka_unit_test(meshes_of_others),
        cmocka_unit_test(gmsh_reads_what_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
