// SPDX-License-Identifier: Apache-2.0
// VTKHDF: static, in steps and in parts. Files are made by HDF5's own library (python3-h5py) after VTK's description; a
// few of them are in the corpus.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/reading.h"

static char path[256];

/// False where there is no h5py.
static bool make(const char *kind) {
    char command[1024];
    snprintf(command, sizeof command, "/usr/bin/python3 '%s/tests/io/files/vtkhdf.py' %s '%s' >/dev/null 2>&1",
             TOC_SOURCE_DIR, kind, path);
    if (system(command) == 0) return true;
    print_message("skipped: no python3-h5py that writes a file (%s)\n", kind);
    return false;
}

static int begin(void **state) {
    test_folder_begin(state);
    snprintf(path, sizeof path, "%s", test_path(test_folder, "a.vtkhdf"));
    return 0;
}

static void assert_falls(const char *kind, bool has_quad) {
    toc_sequence *sequence;
    if (!make(kind)) return;
    toc_mesh *mesh = test_sequence_first(path, &sequence);
    const uint32_t tet = has_quad ? 1 : 2;
    assert_int_equal(toc_sequence_get_frame_count(sequence), 3);
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 8);
    assert_int_equal(toc_mesh_get_element_count(mesh), tet + 1);
    if (has_quad) {
        assert_element(mesh, 0, TOC_QUAD, 0, 1, 2, 3);
    } else {
        assert_element(mesh, 1, TOC_TRIANGLE, 0, 2, 3);
    }
    assert_element(mesh, tet, TOC_TET, 4, 5, 6, 7);
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, 1);
    assert_int_equal(toc_mesh_get_element(mesh, tet).group, 2);
    assert_vertex(mesh, 5, 0.6, 0.2, 1.5);
    for (size_t f = 1; f < 3; f++) {
        assert_ok(toc_sequence_advance(sequence, f, mesh));
        assert_double_same(toc_sequence_get_time(sequence, f), 0.25 * (double)f);
        assert_double_same(toc_mesh_get_x1(mesh)[3 * 7 + 2], 2 - (double)f);
        assert_double_same(toc_mesh_get_x1(mesh)[3 * 3 + 2], 0);
        assert_non_null(toc_sequence_get_velocities(sequence));
        assert_double_same(toc_sequence_get_velocities(sequence)[3 * 7 + 2], -4);
    }
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
}

static void steps_in_every_layout(void **state) {
    (void)state;
    assert_falls("steps", true);
    assert_falls("new", true);
#ifdef TOC_HAVE_ZLIB
    assert_falls("packed", true);
#endif
}

// Without ids the points stay apart, as those of a .vtu in pieces do.
static void parts_are_joined_by_ids(void **state) {
    (void)state;
    assert_falls("parts", false);
    toc_sequence *sequence;
    if (!make("loose")) return;
    toc_mesh *mesh = test_sequence_first(path, &sequence);
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 10);
    assert_element(mesh, 1, TOC_TRIANGLE, 3, 4, 5);
    assert_int_equal(toc_mesh_get_element(mesh, 2).group, 2);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
}

/// The fields of a frame; the caller destroys them.
static toc_fields *fields_at(size_t frame) {
    toc_sequence *sequence;
    toc_fields *fields;
    toc_mesh *mesh = test_sequence_first(path, &sequence);
    for (size_t f = 1; f <= frame; f++) assert_ok(toc_sequence_advance(sequence, f, mesh));
    assert_ok(toc_sequence_read_fields(sequence, frame, mesh, &fields));
    assert_int_equal(fields->left_out, 0);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    return fields;
}

// Data of the mesh itself, such as parts and velocities, are no fields. Of points that stand in two parts the last one
// has the value; the cells of joined parts are in another order, so that their data are left out.
static void fields_of_points_and_cells(void **state) {
    (void)state;
    for (size_t f = 0; f < 3 && make("steps"); f++) {
        toc_fields *fields = fields_at(f);
        assert_int_equal(fields->count, 2);
        assert_string_equal(fields->fields[0].name, "heat");
        for (size_t i = 0; i < 8; i++) assert_double_same(fields->fields[0].values[i], (double)(8 * f + i));
        assert_string_equal(fields->fields[1].name, "stress");
        assert_true(fields->fields[1].of_elements && fields->fields[1].count == 2);
        assert_double_same(fields->fields[1].values[1], 1.5);
        toc_fields_destroy(fields);
    }
    for (size_t f = 0; f < 3 && make("parts"); f++) {
        static const int rows[] = {3, 1, 4, 5, 6, 7, 8, 9};
        toc_fields *fields = fields_at(f);
        assert_int_equal(fields->count, 1);
        for (size_t i = 0; i < 8; i++) assert_double_same(fields->fields[0].values[i], (double)(10 * f) + rows[i]);
        toc_fields_destroy(fields);
    }
    if (!make("still")) return;
    toc_fields *fields = fields_at(0);
    assert_int_equal(fields->count, 2);
    toc_fields_destroy(fields);
}

static void polygons_and_lines(void **state) {
    (void)state;
    toc_sequence *sequence;
    if (!make("polygons")) return;
    toc_mesh *mesh = test_sequence_first(path, &sequence);
    assert_int_equal(toc_mesh_get_element_count(mesh), 3);
    assert_element(mesh, 0, TOC_EDGE, 5, 6);
    assert_element(mesh, 1, TOC_QUAD, 0, 1, 2, 3);
    assert_element(mesh, 2, TOC_TRIANGLE, 4, 5, 6);
    assert_ok(toc_sequence_advance(sequence, 1, mesh));
    assert_double_same(toc_mesh_get_x1(mesh)[3 * 4 + 2], -0.5);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
}

static void others_are_refused(void **state) {
    (void)state;
    if (make("other"))
        assert_fails(test_play(NULL, path), TOC_BAD_INPUT, "step 1 has other points or cells than step 0");
    if (make("image")) assert_fails(test_play(NULL, path), TOC_BAD_INPUT, "of the type \"ImageData\" is not read");
    test_file_write(path, "\211HDF\r\n\032\n", 8);
    assert_fails(test_play(NULL, path), TOC_BAD_INPUT, "the file ends within the head of an HDF5 file");
    test_file_write(path, "VTKHDF", 6);
    assert_fails(test_play(NULL, path), TOC_BAD_INPUT, "this begins like no HDF5 file");
}

// A row of more numbers than the one that is asked for was written past the end of the stack.
static void rows_of_more_numbers_than_asked_for(void **state) {
    (void)state;
    toc_sequence *sequence;
    toc_mesh *mesh;
    if (!make("wide")) return;
    assert_ok(toc_sequence_open(1, (const char *[]){path}, NULL, &sequence));
    assert_ok(toc_sequence_take_velocities(sequence, true));
    assert_fails(toc_sequence_read_first(sequence, &mesh), TOC_BAD_INPUT, "have 4096 numbers, not 1");
    toc_sequence_close(sequence);
}

// The filter behind an unknown one has been undone by then: the message named a byte of its memory, not of the file.
static void an_unknown_filter_is_told_where_its_chunk_is(void **state) {
    (void)state;
    enum { FILTER = 12008 }; // the number of the first of two
    size_t count;
    char *bytes = test_corpus_read("vtkhdf", "packed.vtkhdf", &count);
    assert_int_equal(bytes[FILTER], 1);
    bytes[FILTER] = 9;
    test_file_write(path, bytes, count);
    assert_fails(test_play(NULL, path), TOC_BAD_INPUT, "a filter is not read");
    const char *at = strstr(toc_message_get(), ": byte ");
    assert_non_null(at);
    assert_true(strtoul(at + 7, NULL, 10) <= count);
    free(bytes);
}

static void cut_garbled_and_starved(void **state) {
    (void)state;
    static const char *const names[] = {"still.vtkhdf", "parts.vtkhdf"};
    for (size_t i = 0; i < 2; i++) {
        size_t count;
        char *bytes = test_corpus_read("vtkhdf", names[i], &count);
        test_file_write(path, bytes, count);
        assert_ok(test_play(NULL, path));
        assert_true(test_every_allocation(test_play, path) > 1);
        for (size_t cut = 0; cut < count; cut += (size_t)test_less(61, 601)) {
            test_file_write(path, bytes, cut);
            if (test_play(NULL, path) == TOC_OK) continue; // the end may hold nothing
            assert_int_equal(strncmp(toc_message_get(), path, strlen(path)), 0);
        }
        test_play_garbled(path, bytes, count, test_less(2000, 200));
        free(bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(steps_in_every_layout, begin, test_folder_end),
        cmocka_unit_test_setup_teardown(parts_are_joined_by_ids, begin, test_folder_end),
        cmocka_unit_test_setup_teardown(fields_of_points_and_cells, begin, test_folder_end),
        cmocka_unit_test_setup_teardown(polygons_and_lines, begin, test_folder_end),
        cmocka_unit_test_setup_teardown(others_are_refused, begin, test_folder_end),
        cmocka_unit_test_setup_teardown(rows_of_more_numbers_than_asked_for, begin, test_folder_end),
        cmocka_unit_test_setup_teardown(an_unknown_filter_is_told_where_its_chunk_is, begin, test_folder_end),
        cmocka_unit_test_setup_teardown(cut_garbled_and_starved, begin, test_folder_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
