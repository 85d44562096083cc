// SPDX-License-Identifier: Apache-2.0
// Lists of frames: order, folders, names that need escapes, and refused lists.
#include <stdio.h>
#include <string.h>

#include "io/core/format.h"
#include "support/reading.h"
#include "support/sources.h"

typedef struct found_paths {
    char text[512]; // one path a line
    int stop_after;
} found_paths;

static toc_status note_path(void *user, const char *path, double time) {
    (void)time;
    found_paths *found = user;
    const size_t used = strlen(found->text), room = sizeof found->text - used;
    assert_true((size_t)snprintf(found->text + used, room, "%s\n", path) < room);
    return --found->stop_after == 0 ? toc_fail(TOC_STOPPED, "enough") : TOC_OK;
}

static toc_status list(const char *path, const char *text, const toc_allocator *allocator, found_paths *found) {
    toc_source source;
    TOC_TRY(test_source_copy(path, text, strlen(text), allocator, &source));
    const toc_status status = toc_pvd_list(&source, note_path, found);
    toc_source_close(&source);
    return status;
}

static void lists(const char *path, const char *text, const char *paths) {
    found_paths found = {.stop_after = 0};
    assert_ok(list(path, text, NULL, &found));
    assert_string_equal(found.text, paths);
}

static void refused(const char *text, const char *words) {
    found_paths found = {.stop_after = 0};
    assert_fails(list("dir/a.pvd", text, NULL, &found), TOC_BAD_INPUT, words);
    assert_int_equal(strncmp(toc_message_get(), "dir/a.pvd:", 10), 0);
    assert_string_equal(found.text, "");
}

#define PVD(inside) \
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\"><Collection>" inside "</Collection></VTKFile>\n"
#define THREE                                                           \
    PVD("<DataSet timestep=\"0.5\" part=\"0\" file=\"b &amp; c.vtu\"/>" \
        "<DataSet timestep=\"-1\" file=\"a.vtu\"/><DataSet timestep=\" 1e1 \" file=\"/far/d.vtu\"/>")

static void order_of_time_not_of_the_file(void **state) {
    (void)state;
    lists("run.pvd", THREE, "a.vtu\nb & c.vtu\n/far/d.vtu\n");
}

static void names_are_in_the_folder_of_the_list(void **state) {
    (void)state;
    lists("../out/run.pvd", THREE, "../out/a.vtu\n../out/b & c.vtu\n/far/d.vtu\n");
    lists("/run.pvd", THREE, "/a.vtu\n/b & c.vtu\n/far/d.vtu\n");
}

static void without_times_the_order_of_the_file(void **state) {
    (void)state;
    lists("a.pvd", PVD("<DataSet file=\"z.vtu\"/><DataSet file=\"a.vtu\"></DataSet>"), "z.vtu\na.vtu\n");
}

static void lists_that_cannot_be(void **state) {
    (void)state;
    refused(PVD(""), "no file is listed");
    refused(PVD("<DataSet timestep=\"0\"/>"), "dir/a.pvd:2: a DataSet without a file");
    refused(PVD("<DataSet timestep=\"soon\" file=\"a\"/>"), "timestep is not a number");
    refused(PVD("<DataSet timestep=\"1x\" file=\"a\"/>"), "timestep is not a number");
    refused(PVD("<DataSet timestep=\"nan\" file=\"a\"/>"), "timestep is not a number");
    refused(PVD("<DataSet timestep=\"1\" part=\"0\" file=\"a\"/>\n<DataSet timestep=\"1\" part=\"1\" file=\"b\"/>"),
            "dir/a.pvd:3: a second file for the time 1");
    refused("<VTKFile type=\"UnstructuredGrid\"/>", "begins with <VTKFile type=\"Collection\">");
    refused("<html/>", "begins with <VTKFile");
    refused("<VTKFile type=\"Collection\"><Collection></VTKFile>", "mismatched tag");
    refused("no XML", "dir/a.pvd:1: ");
    refused("<!DOCTYPE a [<!ENTITY b \"c\">]><VTKFile type=\"Collection\"/>", "a document type (<!DOCTYPE)");
}

static void nested_without_end(void **state) {
    (void)state;
    refused(test_nested_xml("<VTKFile type=\"Collection\">"), "nested too deeply");
}

static void stops_when_told(void **state) {
    (void)state;
    found_paths found = {.stop_after = 2};
    assert_fails(list("a.pvd", THREE, NULL, &found), TOC_STOPPED, "enough");
    assert_string_equal(found.text, "a.vtu\nb & c.vtu\n");
}

static toc_status list_three(const toc_allocator *allocator, void *user) {
    (void)user;
    found_paths found = {.stop_after = 0};
    return list("dir/a.pvd", THREE, allocator, &found);
}

static void out_of_memory_anywhere(void **state) {
    (void)state;
    assert_true(test_every_allocation(list_three, NULL) > 3);
}

static void cut_anywhere(void **state) {
    (void)state;
    char text[] = THREE;
    for (size_t cut = strlen(text) - 1; cut-- > 0;) {
        text[cut] = 0;
        refused(text, "dir/a.pvd:");
    }
}

static void written_and_listed_again(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "run.pvd");
    const char *frames[] = {"a <\"1\"> & b.vtu", "/far/away.vtk", "c.vtu"};
    const double times[] = {-0.1, 1.0 / 3, 1e300};
    assert_ok(toc_sequence_write_pvd(path, 3, frames, times));
    toc_source source;
    assert_ok(toc_source_open(path, NULL, &source));
    assert_non_null(strstr(source.begin, "timestep=\"0.3333333333333333\""));
    found_paths found = {.stop_after = 0};
    assert_ok(toc_pvd_list(&source, note_path, &found));
    toc_source_close(&source);
    const size_t prefix = strlen(folder) + 1;
    assert_int_equal(strncmp(found.text, folder, prefix - 1), 0);
    assert_int_equal(strncmp(found.text + prefix, "a <\"1\"> & b.vtu\n/far/away.vtk\n", 29), 0);
    test_folder_remove(folder);
}

// The whole way: frames and their list written, then read as a sequence.
static void frames_of_a_list_move_a_mesh(void **state) {
    (void)state;
    char *folder = test_folder_make();
    toc_mesh *mesh, *moved;
    toc_sequence *sequence;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 3, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (uint32_t[]){0, 1, 2}, NULL));
    assert_ok(test_mesh_move(mesh, (double[]){0, 0, 2, 1, 0, 2, 0, 1, 2}));
    assert_ok(toc_mesh_write(test_path(folder, "z.vtu"), mesh, TOC_AT_START));
    assert_ok(toc_mesh_write(test_path(folder, "a.vtk"), mesh, TOC_AT_END));
    assert_ok(toc_sequence_write_pvd(test_path(folder, "run.pvd"), 2, (const char *[]){"z.vtu", "a.vtk"}, NULL));
    assert_ok(toc_sequence_open(1, (const char *[]){test_path(folder, "run.pvd")}, NULL, &sequence));
    assert_int_equal(toc_sequence_get_frame_count(sequence), 2);
    assert_ok(toc_sequence_read_first(sequence, &moved));
    assert_ok(toc_sequence_advance(sequence, 1, moved));
    assert_memory_equal(toc_mesh_get_x0(moved), toc_mesh_get_x0(mesh), 9 * sizeof(double));
    assert_memory_equal(toc_mesh_get_x1(moved), toc_mesh_get_x1(mesh), 9 * sizeof(double));
    toc_sequence_close(sequence);
    toc_mesh_destroy(moved);
    toc_mesh_destroy(mesh);
    test_folder_remove(folder);
}

static void lists_that_are_not_written(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "run.pvd"), *frames[] = {"a", "b"}, *bad[] = {"a\nb"};
    assert_fails(toc_sequence_write_pvd(path, 0, frames, NULL), TOC_BAD_INPUT, "no frames");
    assert_fails(toc_sequence_write_pvd(path, 1, bad, NULL), TOC_BAD_INPUT, "control character");
    assert_fails(toc_sequence_write_pvd(path, 1, (const char *[]){""}, NULL), TOC_BAD_INPUT, "frame 0 has no name");
    assert_fails(toc_sequence_write_pvd(path, 2, frames, (double[]){1, 1}), TOC_BAD_INPUT,
                 "frame 1 is 1, which is not");
    assert_fails(toc_sequence_write_pvd(path, 2, frames, (double[]){1, 1.0 / 0.0}), TOC_BAD_INPUT, "frame 1 is inf");
    assert_fails(toc_sequence_write_pvd("/nowhere/run.pvd", 2, frames, NULL), TOC_BAD_INPUT, "/nowhere/run.pvd: ");
    toc_source source;
    assert_fails(toc_source_open(path, NULL, &source), TOC_BAD_INPUT, "cannot be opened");
    test_folder_remove(folder);
}

int main(void) {
#ifndef TOC_HAVE_EXPAT
    print_message("skipped: no expat\n");
    return 0;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_time_not_of_the_file),
        cmocka_unit_test(names_are_in_the_folder_of_the_list),
        cmocka_unit_test(without_times_the_order_of_the_file),
        cmocka_unit_test(lists_that_cannot_be),
        cmocka_unit_test(nested_without_end),
        cmocka_unit_test(stops_when_told),
        cmocka_unit_test(out_of_memory_anywhere),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(written_and_listed_again),
        cmocka_unit_test(frames_of_a_list_move_a_mesh),
        cmocka_unit_test(lists_that_are_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
