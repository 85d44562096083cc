// SPDX-License-Identifier: Apache-2.0
// Meshes in pieces: joined by global ids, without ghost cells, in shares; and indices and pieces that are refused.
#include <stdio.h>
#include <string.h>

#include "support/test.h"
#include "toccata/io.h"

#define ARRAY(type, name, more, text) \
    "<DataArray type=\"" type "\" Name=\"" name "\" format=\"ascii\"" more ">" text "</DataArray>"
#define POINTS(text) "<Points>" ARRAY("Float64", "Points", " NumberOfComponents=\"3\"", text) "</Points>"
#define TRIANGLES(corners, offsets, types)                                                       \
    "<Cells>" ARRAY("Int64", "connectivity", "", corners) ARRAY("Int64", "offsets", "", offsets) \
        ARRAY("UInt8", "types", "", types) "</Cells>"
#define POINT_IDS(text) "<PointData GlobalIds=\"gid\">" ARRAY("Int64", "gid", "", text) "</PointData>"
#define CELL_DATA(text) "<CellData>" text "</CellData>"
#define VTU(points, cells, inside)                                                                                     \
    "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"" points "\" NumberOfCells=\"" cells \
    "\">" inside "</Piece></UnstructuredGrid></VTKFile>\n"
#define PVTU(inside)                                                                                             \
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\"><PUnstructuredGrid GhostLevel=\"1\">\n" inside \
    "</PUnstructuredGrid></VTKFile>\n"
#define PIECE(name) "<Piece Source=\"" name "\"/>\n"

// A square of two triangles, cut between them. The points 11 and 12 are in both pieces; the first piece also has the
// triangle of the second as a ghost.
#define LEFT                                                                                              \
    VTU("4", "2",                                                                                         \
        POINTS("1 1 0 1 0 0 0 1 0 0 0 0") TRIANGLES("3 1 2 1 0 2", "3 6", "5 5") POINT_IDS("13 11 12 10") \
            CELL_DATA(ARRAY("UInt8", "vtkGhostType", "", "0 1") ARRAY("Int32", "group", "", "4 5")))
#define RIGHT                                                                          \
    VTU("3", "1",                                                                      \
        POINTS("0 1 0 1 0 0 1 1 0") TRIANGLES("1 2 0", "3", "5") POINT_IDS("12 11 13") \
            CELL_DATA(ARRAY("UInt8", "vtkGhostType", "", "0") ARRAY("Int32", "group", "", "5")))
#define NOTHING VTU("0", "0", "")

static const char *write_square(void) {
    test_text_write("left.vtu", LEFT);
    test_text_write("right.vtu", RIGHT);
    test_text_write("nothing.vtu", NOTHING);
    return test_text_write("square.pvtu", PVTU(PIECE("left.vtu") PIECE("nothing.vtu") PIECE("right.vtu")));
}

static void points_are_joined_by_their_ids_and_ghosts_left_out(void **state) {
    (void)state;
    static const double wanted[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    toc_mesh *mesh;
    int64_t label;
    assert_ok(toc_mesh_read(write_square(), NULL, &mesh));
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 4);
    assert_int_equal(toc_mesh_get_element_count(mesh), 2);
    assert_memory_equal(toc_mesh_get_x0(mesh), wanted, sizeof wanted);
    for (uint32_t v = 0; v < 4; v++) {
        assert_true(toc_mesh_get_vertex_label(mesh, v, &label));
        assert_int_equal(label, 10 + v);
    }
    static const uint32_t corners[2][3] = {{0, 1, 2}, {1, 3, 2}};
    for (uint32_t e = 0; e < 2; e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        assert_memory_equal(element.corners, corners[e], sizeof corners[e]);
        assert_int_equal(element.group, 4 + (int)e);
    }
    toc_mesh_destroy(mesh);
}

// All shares together have every element once, and a share may be empty.
static void shares_of_the_pieces(void **state) {
    (void)state;
    const char *path = write_square();
    for (uint32_t shares = 1; shares <= 5; shares++) {
        size_t elements = 0;
        for (uint32_t share = 0; share < shares; share++) {
            toc_read_options options = toc_read_options_default();
            toc_mesh *mesh;
            options.share = share;
            options.shares = shares;
            assert_ok(toc_mesh_read(path, &options, &mesh));
            elements += toc_mesh_get_element_count(mesh);
            toc_mesh_destroy(mesh);
        }
        assert_int_equal(elements, 2);
    }
    toc_read_options options = toc_read_options_default();
    options.share = options.shares = 3;
    assert_fails(toc_mesh_read(path, &options, &(toc_mesh *){NULL}), TOC_BAD_INPUT, "share 3 of 3");
}

// Pieces that change places from frame to frame: a share does not take the vertices of another for its own.
static void a_share_with_other_pieces(void **state) {
    (void)state;
    char first[512];
    toc_read_options options = toc_read_options_default();
    toc_sequence *sequence;
    toc_mesh *mesh;
    snprintf(first, sizeof first, "%s", write_square());
    const char *second =
        test_text_write("turned.pvtu", PVTU(PIECE("right.vtu") PIECE("nothing.vtu") PIECE("left.vtu")));
    options.share = 1;
    options.shares = 2;
    assert_ok(toc_sequence_open(2, (const char *const[]){first, second}, &options, &sequence));
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    assert_fails(toc_sequence_advance(sequence, 1, mesh), TOC_BAD_INPUT, "vertex 10 that was in another share");
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
}

// Elements in the order of their ids; a copy of one is the same element.
static void cells_with_ids(void **state) {
    (void)state;
    test_text_write("a.vtu", VTU("3", "1",
                                 POINTS("0 0 0 1 0 0 0 1 0") TRIANGLES("0 1 2", "3", "5") POINT_IDS("1 2 3")
                                     CELL_DATA(ARRAY("Int64", "GlobalElementId", "", "8"))));
    test_text_write("b.vtu", VTU("4", "2",
                                 POINTS("0 0 0 1 0 0 0 1 0 1 1 0") TRIANGLES("0 1 2 1 3 2", "3 6", "5 5")
                                     POINT_IDS("1 2 3 4") CELL_DATA(ARRAY("Int64", "GlobalElementId", "", "8 7"))));
    toc_mesh *mesh;
    int64_t label;
    assert_ok(toc_mesh_read(test_text_write("ab.pvtu", PVTU(PIECE("a.vtu") PIECE("b.vtu"))), NULL, &mesh));
    assert_int_equal(toc_mesh_get_element_count(mesh), 2);
    assert_true(toc_mesh_get_element_label(mesh, 0, &label));
    assert_int_equal(label, 7);
    assert_int_equal(toc_mesh_get_element(mesh, 0).corners[1], 3);
    toc_mesh_destroy(mesh);
}

static void refused(const char *index, const char *words) {
    const char *path = test_text_write("bad.pvtu", index);
    assert_fails(toc_mesh_read(path, NULL, &(toc_mesh *){NULL}), TOC_BAD_INPUT, words);
    assert_non_null(strstr(toc_message_get(), test_folder));
}

static void bad_indices_and_pieces(void **state) {
    (void)state;
    write_square();
    refused(PVTU(PIECE("left.vtu") PIECE("gone.vtu")), "bad.pvtu:4: the file \"gone.vtu\" is not there");
    refused(PVTU(PIECE("bad.pvtu")), "bad.pvtu includes itself");
    refused(PVTU(PIECE("square.pvtu")), "square.pvtu:2: a VTKFile of this type is not read");
    refused(PVTU(""), "no piece is listed");
    refused(PVTU("<Piece/>"), "a Piece without a Source");
    refused(PVTU(PIECE("nothing.vtu")), "holds no elements");
    refused(PVTU(PIECE("left.vtu") PIECE("right.vtu") PIECE("left.vtu")), "the piece \"left.vtu\" is listed twice");
    test_text_write("cut.vtu", "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOf");
    refused(PVTU(PIECE("left.vtu") PIECE("cut.vtu")), "cut.vtu:1: ");
    test_text_write("empty.vtu", "");
    refused(PVTU(PIECE("left.vtu") PIECE("empty.vtu")), "empty.vtu");
    test_text_write("counts.vtu", VTU("4", "1", POINTS("0 1 0 1 0 0 1 1 0") TRIANGLES("1 2 0", "3", "5")));
    refused(PVTU(PIECE("counts.vtu")), "counts.vtu:1: ");
    test_text_write("ids.vtu",
                    VTU("3", "1", POINTS("0 1 0 1 0 0 1 1 0") TRIANGLES("1 2 0", "3", "5") POINT_IDS("12 11")));
    refused(PVTU(PIECE("ids.vtu")), "ids.vtu:1: ");
    test_text_write("none.vtu", VTU("3", "1", POINTS("0 1 0 1 0 0 1 1 0") TRIANGLES("1 2 0", "3", "5")));
    refused(PVTU(PIECE("left.vtu") PIECE("none.vtu")), "bad.pvtu:4: the points of this piece have no global ids");
    test_text_write("moved.vtu",
                    VTU("3", "1", POINTS("0 1 0 1 0 5 1 1 0") TRIANGLES("1 2 0", "3", "5") POINT_IDS("12 11 13")));
    refused(PVTU(PIECE("left.vtu") PIECE("moved.vtu")),
            "points with the global id 11 differ in left.vtu and moved.vtu");
}

#define MOVING(values, ids)                                            \
    VTU("3", "1",                                                      \
        "<PointData GlobalIds=\"gid\">" ARRAY("Int64", "gid", "", ids) \
            ARRAY("Float64", "Velocity", " NumberOfComponents=\"3\"",  \
                  values) "</PointData>" POINTS("0 0 0 1 0 0 0 1 0") TRIANGLES("0 1 2", "3", "5"))

static toc_status read_velocities(const char *index, toc_sequence **sequence) {
    toc_mesh *mesh = NULL;
    const char *path = test_text_write("moving.pvtu", index);
    assert_ok(toc_sequence_open(1, &path, NULL, sequence));
    assert_ok(toc_sequence_take_velocities(*sequence, true));
    const toc_status status = toc_sequence_read_first(*sequence, &mesh);
    toc_mesh_destroy(mesh);
    return status;
}

// Velocities in the order of the ids; none where a piece has none; copies must agree.
static void velocities_of_pieces(void **state) {
    (void)state;
    static const double wanted[12] = {7, 8, 9, 1, 2, 3, 4, 5, 6, 0, 0, 1};
    toc_sequence *sequence;
    test_text_write("m.vtu", MOVING("1 2 3 4 5 6 7 8 9", "20 30 10"));
    test_text_write("n.vtu", MOVING("1 2 3 4 5 6 0 0 1", "20 30 40"));
    test_text_write("other.vtu", MOVING("1 2 3 4 5 6 0 0 2", "20 30 10"));
    test_text_write("still.vtu",
                    VTU("3", "1", POINTS("0 0 0 1 0 0 0 1 0") TRIANGLES("0 1 2", "3", "5") POINT_IDS("20 30 40")));
    // The third points of the pieces are at one place, and are two points.
    assert_ok(read_velocities(PVTU(PIECE("m.vtu") PIECE("n.vtu")), &sequence));
    assert_memory_equal(toc_sequence_get_velocities(sequence), wanted, sizeof wanted);
    toc_sequence_close(sequence);
    assert_ok(read_velocities(PVTU(PIECE("m.vtu") PIECE("still.vtu")), &sequence));
    assert_null(toc_sequence_get_velocities(sequence));
    toc_sequence_close(sequence);
    assert_fails(read_velocities(PVTU(PIECE("m.vtu") PIECE("other.vtu")), &sequence), TOC_BAD_INPUT,
                 "velocities with the global id 10 differ in m.vtu and other.vtu");
    toc_sequence_close(sequence);
}

// A piece alone needs no ids.
static void one_piece_without_ids(void **state) {
    (void)state;
    toc_mesh *mesh;
    test_text_write("none.vtu", VTU("3", "1", POINTS("0 1 0 1 0 0 1 1 0") TRIANGLES("1 2 0", "3", "5")));
    assert_ok(toc_mesh_read(test_text_write("one.pvtu", PVTU(PIECE("none.vtu"))), NULL, &mesh));
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 3);
    assert_false(toc_mesh_get_vertex_label(mesh, 0, NULL));
    toc_mesh_destroy(mesh);
}

// Every allocation fails once.
static toc_status read_with(const toc_allocator *allocator, void *user) {
    toc_read_options options = toc_read_options_default();
    toc_mesh *mesh;
    options.allocator = allocator;
    const toc_status status = toc_mesh_read(user, &options, &mesh);
    if (status == TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    char path[512];
    strncpy(path, write_square(), sizeof path - 1);
    path[sizeof path - 1] = 0;
    assert_true(test_every_allocation(read_with, path) > 10);
}

int main(void) {
#ifndef TOC_HAVE_EXPAT
    print_message("skipped: built without expat\n");
    return 0;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_joined_by_their_ids_and_ghosts_left_out),
        cmocka_unit_test(shares_of_the_pieces),
        cmocka_unit_test(a_share_with_other_pieces),
        cmocka_unit_test(cells_with_ids),
        cmocka_unit_test(bad_indices_and_pieces),
        cmocka_unit_test(velocities_of_pieces),
        cmocka_unit_test(one_piece_without_ids),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
