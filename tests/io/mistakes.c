// SPDX-License-Identifier: Apache-2.0
// Mistakes of a caller: NULL where a path, a mesh or a place for the result belongs, and ends of the step that are
// none. Each is refused with a status and a sentence, in every build.
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "support/test.h"

static toc_mesh *triangle(void) {
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 3, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (uint32_t[]){0, 1, 2}, NULL));
    return mesh;
}

static void an_end_that_is_none(void **state) {
    (void)state;
    toc_mesh *mesh = triangle();
    const char *path = test_path(test_folder, "end.off");
    assert_fails(toc_mesh_write(path, mesh, (toc_end)9), TOC_BAD_INPUT, "9 is no end of the step");
    assert_fails(toc_mesh_write(path, mesh, (toc_end)-1), TOC_BAD_INPUT, "-1 is no end of the step");
    assert_int_not_equal(access(path, F_OK), 0);
    toc_mesh_destroy(mesh);
}

static void meshes(void **state) {
    (void)state;
    toc_mesh *mesh = triangle(), *read;
    assert_fails(toc_mesh_write(NULL, mesh, TOC_AT_START), TOC_BAD_INPUT, "path is NULL");
    assert_fails(toc_mesh_write("a.off", NULL, TOC_AT_START), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_mesh_read(NULL, NULL, &read), TOC_BAD_INPUT, "path is NULL");
    assert_fails(toc_mesh_read("a.off", NULL, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_false(toc_format_get(0, NULL));
    toc_mesh_destroy(mesh);
}

static void sequences(void **state) {
    (void)state;
    const char *path = test_text_write("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"), *none = NULL;
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_fails(toc_sequence_open(1, NULL, NULL, &sequence), TOC_BAD_INPUT, "paths is NULL");
    assert_fails(toc_sequence_open(1, &none, NULL, &sequence), TOC_BAD_INPUT, "path 0 is NULL");
    assert_fails(toc_sequence_open(1, &path, NULL, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_ok(toc_sequence_open(1, &path, NULL, &sequence));
    assert_fails(toc_sequence_read_first(NULL, &mesh), TOC_BAD_INPUT, "sequence is NULL");
    assert_fails(toc_sequence_read_first(sequence, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_sequence_advance(sequence, 0, NULL), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_sequence_advance(NULL, 0, NULL), TOC_BAD_INPUT, "sequence is NULL");
    assert_fails(toc_sequence_sample(NULL, 1), TOC_BAD_INPUT, "sequence is NULL");
    assert_fails(toc_sequence_write(NULL, sequence), TOC_BAD_INPUT, "path is NULL");
    assert_fails(toc_sequence_write("a.pvd", NULL), TOC_BAD_INPUT, "sequence is NULL");
    assert_int_equal(toc_sequence_get_frame_count(NULL), 0);
    assert_null(toc_sequence_get_path(NULL, 0));
    assert_true(isnan(toc_sequence_get_time(NULL, 0)));
    toc_sequence_close(sequence);
    toc_sequence_close(NULL);
}

static void lists_and_contacts(void **state) {
    (void)state;
    const char *frame = "a.vtu";
    const toc_contacts contacts = {0};
    assert_fails(toc_sequence_write_pvd(NULL, 1, &frame, NULL), TOC_BAD_INPUT, "path is NULL");
    assert_fails(toc_sequence_write_pvd("a.pvd", 1, NULL, NULL), TOC_BAD_INPUT, "frames is NULL");
    assert_fails(toc_contacts_write(NULL, &contacts, NULL), TOC_BAD_INPUT, "path is NULL");
    assert_fails(toc_contacts_write("a.csv", NULL, NULL), TOC_BAD_INPUT, "contacts is NULL");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_end_that_is_none),
        cmocka_unit_test(meshes),
        cmocka_unit_test(sequences),
        cmocka_unit_test(lists_and_contacts),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
