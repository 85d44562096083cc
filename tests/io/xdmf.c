// SPDX-License-Identifier: Apache-2.0
// XDMF: numbers in the document and in HDF5 files beside it, as FEniCSx and meshio write them; defects.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/reading.h"

#define ITEM(shape, text) "<DataItem Dimensions=\"" shape "\" NumberType=\"Float\">" text "</DataItem>"
#define CELLS \
    "<Topology TopologyType=\"Triangle\"><DataItem Dimensions=\"1 3\" NumberType=\"Int\">0 1 2</DataItem></Topology>"
#define POINTS "<Geometry GeometryType=\"XYZ\">" ITEM("3 3", "0 0 0 1 0 0 0 1 0") "</Geometry>"
#define STEPS "<Grid GridType=\"Collection\" CollectionType=\"Temporal\">"

static char path[256];

static int begin(void **state) {
    test_folder_begin(state);
    snprintf(path, sizeof path, "%s", test_path(test_folder, "a.xdmf"));
    return 0;
}

static void use_corpus(const char *name) {
    size_t count;
    char *bytes = test_corpus_read("xdmf", name, &count);
    test_file_write(path, bytes, count);
    free(bytes);
}

// As FEniCSx writes it: the mesh beside collections of two functions, with a document type.
static void functions_over_one_mesh(void **state) {
    (void)state;
    toc_sequence *sequence;
    use_corpus("steps.xdmf");
    toc_mesh *mesh = test_sequence_first(path, &sequence);
    assert_int_equal(toc_sequence_get_frame_count(sequence), 2);
    assert_double_same(toc_sequence_get_time(sequence, 1), 0.5);
    assert_element(mesh, 1, TOC_TET, 4, 5, 6, 7);
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, 3);
    assert_int_equal(toc_mesh_get_element(mesh, 1).group, 7);
    assert_vertex(mesh, 7, 0.1, 0.1, 2);
    assert_null(toc_sequence_get_velocities(sequence));
    assert_ok(toc_sequence_advance(sequence, 1, mesh));
    assert_double_same(toc_mesh_get_x1(mesh)[3 * 7 + 2], -0.5);
    assert_double_same(toc_sequence_get_velocities(sequence)[3 * 7 + 2], -5);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
}

static void mixed_cells_that_move_in_the_plane(void **state) {
    (void)state;
    toc_sequence *sequence;
    use_corpus("mixed.xmf");
    toc_mesh *mesh = test_sequence_first(path, &sequence);
    assert_int_equal(toc_mesh_get_element_count(mesh), 7);
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    assert_element(mesh, 1, TOC_QUAD, 0, 1, 2, 3);
    assert_element(mesh, 4, TOC_TRIANGLE, 0, 3, 4);
    assert_element(mesh, 5, TOC_EDGE, 3, 4);
    assert_element(mesh, 6, TOC_POINT, 4);
    assert_vertex(mesh, 4, -1, 0.5, 0);
    assert_ok(toc_sequence_advance(sequence, 1, mesh));
    assert_double_same(toc_mesh_get_x1(mesh)[3 * 4 + 1], 0.75);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
}

/// False where there is no meshio with h5py.
static bool ask_meshio(const char *kind) {
    char command[1024];
    snprintf(command, sizeof command,
             "cd '%s' && /usr/bin/python3 '%s/tests/io/files/xdmf.py' %s a.xdmf >/dev/null 2>&1", test_folder,
             TOC_SOURCE_DIR, kind); // the numbers of a series go into the present folder
    if (system(command) == 0) return true;
    print_message("skipped: no python3-meshio with python3-h5py (%s)\n", kind);
    return false;
}

static void written_by_meshio(void **state) {
    (void)state;
#ifdef TOC_HAVE_ZLIB
    toc_sequence *sequence;
    if (!ask_meshio("still")) return;
    toc_mesh *mesh = test_sequence_first(path, &sequence);
    assert_element(mesh, 1, TOC_QUAD, 0, 1, 3, 2);
    assert_element(mesh, 2, TOC_TET, 0, 1, 2, 4);
    for (uint32_t e = 0; e < 3; e++) assert_int_equal(toc_mesh_get_element(mesh, e).group, e + 1);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    assert_true(ask_meshio("steps"));
    assert_true(test_every_allocation(test_play, path) > 1);
    mesh = test_sequence_first(path, &sequence);
    assert_int_equal(toc_sequence_get_frame_count(sequence), 3);
    for (size_t f = 1; f < 3; f++) {
        assert_ok(toc_sequence_advance(sequence, f, mesh));
        assert_double_same(toc_sequence_get_time(sequence, f), 0.5 * (double)f);
        assert_double_same(toc_mesh_get_x1(mesh)[3 * 4 + 2], 1 - (double)f);
    }
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    assert_int_equal(unlink(test_path(test_folder, "a.h5")), 0);
    assert_fails(test_play(NULL, path), TOC_BAD_INPUT, "a.xdmf:1: the numbers cannot be read");
#endif
}

static void assert_told(const char *text, const char *words) {
    test_file_write(path, text, strlen(text));
    assert_fails(test_play(NULL, path), TOC_BAD_INPUT, words);
    assert_int_equal(strncmp(toc_message_get(), path, strlen(path)), 0);
}

static void defects_are_told(void **state) {
    (void)state;
    assert_told("<Xdmf><Domain><Grid>" CELLS "</Grid></Domain></Xdmf>", "has no points");
    assert_told("<Xdmf><Domain><Grid>" POINTS "</Grid></Domain></Xdmf>", "has no cells");
    assert_told("<Other/>\n<!-- <Xdmf -->", "a.xdmf:1: the outermost element is not Xdmf");
    assert_told("<!DOCTYPE Xdmf [<!ENTITY a \"b\">]>\n<Xdmf/>", "an entity (<!ENTITY) is not accepted");
    assert_told("<Xdmf><Domain>\n<Grid GridType=\"Tree\"/></Domain></Xdmf>", "a.xdmf:2: grids that are parts");
    assert_told("<Xdmf><Domain><Grid>\n<Topology TopologyType=\"2DSMesh\"/></Grid></Domain></Xdmf>",
                "a.xdmf:2: cells of the type \"2dsmesh\" are not read");
    assert_told("<Xdmf><Domain><Grid>\n<Geometry Type=\"ORIGIN_DXDY\"/></Grid></Domain></Xdmf>",
                "a.xdmf:2: points are");
    assert_told("<Xdmf><Domain><Grid>" CELLS
                "<Geometry>\n" ITEM("3 3", "0 0 0 1 0") "</Geometry></Grid></Domain></Xdmf>",
                "a.xdmf:2: ");
    assert_told("<Xdmf><Domain><Grid>" CELLS "<Geometry>\n" ITEM("1 3", "0 0 0 1") "</Geometry></Grid></Domain></Xdmf>",
                "a.xdmf:2: there are more than the 3 numbers");
    assert_told("<Xdmf><Domain><Grid>\n" CELLS
                "<Geometry>" ITEM("2 3", "0 0 0 1 0 0") "</Geometry></Grid></Domain></Xdmf>",
                "a.xdmf:2: cell 0: there is no point 2, only 2 points");
    assert_told("<Xdmf><Domain><Grid>" POINTS CELLS "</Grid>" STEPS
                "<Grid><Time Value=\"x\"/></Grid></Grid></Domain></Xdmf>",
                "the time of a step is no number");
    assert_told("<Xdmf><Domain>" STEPS "<Grid>" POINTS CELLS "</Grid><Grid>" POINTS
                "\n<Topology TopologyType=\"Triangle\"><DataItem Dimensions=\"1 3\" NumberType=\"Int\">0 2 1</DataItem>"
                "</Topology></Grid></Grid></Domain></Xdmf>",
                "a.xdmf:2: this step has other cells than the first");
    assert_told("<Xdmf><Domain><Grid>" CELLS "<Geometry><DataItem Format=\"Binary\">a.bin</DataItem></Geometry></Grid>"
                "</Domain></Xdmf>",
                "not from another one");
    assert_told("<Xdmf><Domain><Grid>" CELLS
                "<Geometry><DataItem Format=\"HDF\">none.h5:/x</DataItem></Geometry></Grid>"
                "</Domain></Xdmf>",
                "none.h5: cannot be opened");
}

static void cut_garbled_and_starved(void **state) {
    (void)state;
    static const char *const names[] = {"steps.xdmf", "mixed.xmf"};
    for (size_t i = 0; i < 2; i++) {
        size_t count;
        char *bytes = test_corpus_read("xdmf", names[i], &count);
        test_file_write(path, bytes, count);
        assert_true(test_every_allocation(test_play, path) > 1);
        for (size_t cut = 0; cut + 8 < count; cut += (size_t)test_less(7, 31)) {
            test_file_write(path, bytes, cut);
            assert_fails(test_play(NULL, path), TOC_BAD_INPUT, path);
        }
        test_play_garbled(path, bytes, count, test_less(1000, 100));
        free(bytes);
    }
}

int main(void) {
#ifndef TOC_HAVE_EXPAT
    print_message("skipped: no expat\n");
    return 0;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(functions_over_one_mesh, begin, test_folder_end),
        cmocka_unit_test_setup_teardown(mixed_cells_that_move_in_the_plane, begin, test_folder_end),
        cmocka_unit_test_setup_teardown(written_by_meshio, begin, test_folder_end),
        cmocka_unit_test_setup_teardown(defects_are_told, begin, test_folder_end),
        cmocka_unit_test_setup_teardown(cut_garbled_and_starved, begin, test_folder_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
