// SPDX-License-Identifier: Apache-2.0
// MED: a file in the layout of version 3 and 1.8 of HDF5 (of the corpus), and one of meshio; groups, steps, defects.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/reading.h"

static char *folder, path[256], *bytes;
static size_t count;

static int begin(void **state) {
    (void)state;
    folder = test_folder_make();
    snprintf(path, sizeof path, "%s", test_path(folder, "a.med"));
    bytes = test_corpus_read("med", "fall.med", &count);
    test_file_write(path, bytes, count);
    return 0;
}

static int end(void **state) {
    (void)state;
    free(bytes);
    test_folder_remove(folder);
    return 0;
}

static void groups_and_steps(void **state) {
    (void)state;
    toc_sequence *sequence;
    toc_mesh *mesh;
    toc_mesh_report report;
    assert_ok(toc_sequence_open(1, (const char *[]){path}, NULL, &sequence));
    assert_int_equal(toc_sequence_get_frame_count(sequence), 3);
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    assert_element(mesh, 1, TOC_TET, 3, 4, 5, 6);
    assert_ok(toc_mesh_inspect(mesh, &report));
    assert_int_equal(report.inverted, 0);
    assert_string_equal(toc_mesh_get_group_name(mesh, toc_mesh_get_element(mesh, 0).group), "FLOOR+SKIN");
    assert_string_equal(toc_mesh_get_group_name(mesh, toc_mesh_get_element(mesh, 1).group), "BALL");
    for (size_t f = 0; f < 3; f++) {
        assert_double_same(toc_sequence_get_time(sequence, f), 0.5 * (double)f);
        if (f > 0) assert_ok(toc_sequence_advance(sequence, f, mesh));
        assert_double_same(toc_mesh_get_x1(mesh)[3 * 6 + 2], 2 - (double)f);
    }
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
}

// meshio writes corners in its own order, which is that of VTK: a tet is inverted then, so only a triangle is asked.
static void written_by_meshio(void **state) {
    (void)state;
    char command[1024];
    toc_mesh *mesh;
    snprintf(command, sizeof command,
             "/usr/bin/python3 -c 'import meshio, sys; meshio.Mesh([[0.0, 0, 0], [1, 0, 0], [0, 1, 0.5]], "
             "[(\"triangle\", [[0, 2, 1]]), (\"line\", [[1, 2]])]).write(sys.argv[1])' '%s' >/dev/null 2>&1",
             path);
    if (system(command) != 0) {
        print_message("skipped: no python3-meshio with python3-h5py\n");
        return;
    }
    assert_ok(toc_mesh_read(path, NULL, &mesh));
    assert_int_equal(toc_mesh_get_element_count(mesh), 2);
    assert_element(mesh, 0, TOC_EDGE, 1, 2);
    assert_element(mesh, 1, TOC_TRIANGLE, 0, 2, 1);
    assert_vertex(mesh, 2, 0, 1, 0.5);
    toc_mesh_destroy(mesh);
}

/// Write the file with a name in it replaced.
static void write_renamed(const char *from, const char *to) {
    char *changed = malloc(count), *at = NULL;
    assert_non_null(changed);
    memcpy(changed, bytes, count);
    for (size_t i = 0; i + strlen(from) < count; i++) {
        if (memcmp(changed + i, from, strlen(from)) != 0) continue;
        at = changed + i;
        memcpy(at, to, strlen(to));
    }
    assert_non_null(at);
    test_file_write(path, changed, count);
    free(changed);
}

static void defects_are_told(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *words;
    } defects[] = {
        {"ENS_MAA", "ENS_MAB", "ENS_MAA of a MED file is missing"},
        {"COO", "COX", "COO of a MED file is missing"},
        {"NBR", "NBX", "the number NBR of a MED file is missing"},
        {"TE4", "XX4", "elements of the type XX4 are not read"},
        {"ESP", "ESX", "the number ESP of a MED file is missing"},
        {"NOD", "NOX", "NOD of a MED file is missing"},
    };
    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
        write_renamed(defects[i].from, defects[i].to);
        assert_fails(test_play(NULL, path), TOC_BAD_INPUT, defects[i].words);
        assert_int_equal(strncmp(toc_message_get(), path, strlen(path)), 0);
    }
}

// A time of many numbers was written past the end of the stack.
static void times_of_more_than_one_number(void **state) {
    (void)state;
    char command[1024];
    snprintf(command, sizeof command, "/usr/bin/python3 '%s/tests/io/files/med.py' '%s' wide >/dev/null 2>&1",
             TOC_SOURCE_DIR, path);
    if (system(command) != 0) {
        print_message("skipped: no python3-h5py\n");
        return;
    }
    assert_fails(test_play(NULL, path), TOC_BAD_INPUT, "have 4096 numbers, not 1");
}

static void cut_garbled_and_starved(void **state) {
    (void)state;
    assert_true(test_every_allocation(test_play, path) > 1);
    for (size_t cut = 0; cut < count; cut += (size_t)test_less(61, 601)) {
        test_file_write(path, bytes, cut);
        if (test_play(NULL, path) == TOC_OK) continue; // the end may hold nothing
        assert_int_equal(strncmp(toc_message_get(), path, strlen(path)), 0);
    }
    test_play_garbled(path, bytes, count, test_less(2000, 200));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(groups_and_steps, begin, end),
        cmocka_unit_test_setup_teardown(written_by_meshio, begin, end),
        cmocka_unit_test_setup_teardown(defects_are_told, begin, end),
        cmocka_unit_test_setup_teardown(times_of_more_than_one_number, begin, end),
        cmocka_unit_test_setup_teardown(cut_garbled_and_starved, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
