// SPDX-License-Identifier: Apache-2.0
// Frames of a moving mesh, one after the other.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/meshes.h"

#define FACES "3 0 1 2\n3 0 2 3\n"

static const char *const frames[] = {
    "OFF\n4 2\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n" FACES,
    "OFF\n4 2\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n" FACES,
    "OFF\n4 2\n0 0 2\n1 0 2\n1 1 2\n0 1 2.5\n" FACES,
};

typedef struct fixture {
    char *folder;
    char names[8][256];
    const char *paths[8];
} fixture;

static fixture make(void) {
    fixture f = {.folder = test_folder_make()};
    for (int i = 0; i < 3; i++) {
        snprintf(f.names[i], sizeof f.names[i], "%s/%d.off", f.folder, i);
        test_file_write(f.names[i], frames[i], strlen(frames[i]));
    }
    return f;
}

static void point_paths(fixture *f) {
    for (int i = 0; i < 8; i++) f->paths[i] = f->names[i];
}

static void frames_follow_each_other(void **state) {
    (void)state;
    fixture f = make();
    point_paths(&f);
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(toc_sequence_open(3, f.paths, NULL, &sequence));
    assert_int_equal(toc_sequence_frame_count(sequence), 3);
    assert_string_equal(toc_sequence_path(sequence, 2), f.names[2]);
    assert_null(toc_sequence_path(sequence, 3));
    assert_ok(toc_sequence_first(sequence, &mesh));
    assert_double_same(toc_mesh_x0(mesh)[11], 0);
    assert_double_same(toc_mesh_x1(mesh)[11], 0);
    assert_ok(toc_sequence_advance(sequence, 1, mesh));
    assert_double_same(toc_mesh_x0(mesh)[11], 0);
    assert_double_same(toc_mesh_x1(mesh)[11], 1);
    assert_ok(toc_sequence_advance(sequence, 2, mesh));
    assert_double_same(toc_mesh_x0(mesh)[11], 1);
    assert_double_same(toc_mesh_x1(mesh)[11], 2.5);
    assert_fails(toc_sequence_advance(sequence, 3, mesh), TOC_BAD_INPUT, "frame 3 was asked for, but there are 3");
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    test_folder_remove(f.folder);
}

// Every way in which a frame can fail to be of the same mesh; the mesh stays where it was.
static void frames_of_another_mesh_name_both_files(void **state) {
    (void)state;
    static const char *const others[][2] = {
        {"OFF\n3 2\n0 0 1\n1 0 1\n1 1 1\n3 0 1 2\n3 0 2 1\n", "has 3 vertices, but"},
        {"OFF\n4 1\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n3 0 1 2\n", "has 1 elements, but"},
        {"OFF\n4 2\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n3 0 1 2\n3 0 3 2\n", "element 1 is not the one of"},
        {"OFF\n4 2\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n3 0 1 2\n4 0 2 3 1\n", "element 1 is not the one of"},
    };
    fixture f = make();
    point_paths(&f);
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(toc_sequence_open(3, f.paths, NULL, &sequence));
    assert_ok(toc_sequence_first(sequence, &mesh));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        test_file_write(f.names[1], others[i][0], strlen(others[i][0]));
        assert_fails(toc_sequence_advance(sequence, 1, mesh), TOC_BAD_INPUT, others[i][1]);
        assert_non_null(strstr(toc_message(), f.names[0]));
        assert_non_null(strstr(toc_message(), f.names[1]));
        assert_double_same(toc_mesh_x1(mesh)[11], 0);
    }
    unlink(f.names[1]);
    assert_fails(toc_sequence_advance(sequence, 1, mesh), TOC_BAD_INPUT, "1.off: cannot be opened");
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    test_folder_remove(f.folder);
}

static void no_frames_at_all(void **state) {
    (void)state;
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_fails(toc_sequence_open(0, NULL, NULL, &sequence), TOC_BAD_INPUT, "one file at least");
    assert_fails(toc_sequence_open(1, (const char *[]){"missing.pvd"}, NULL, &sequence), TOC_BAD_INPUT, "missing.pvd:");
    assert_ok(toc_sequence_open(1, (const char *[]){"missing.obj"}, NULL, &sequence));
    assert_fails(toc_sequence_first(sequence, &mesh), TOC_BAD_INPUT, "missing.obj: cannot be opened");
    toc_sequence_close(sequence);
    toc_sequence_close(NULL);
}

// A collection names its frames relative to itself, and may stand among other files.
static void a_collection_stands_for_its_frames(void **state) {
    (void)state;
    fixture f = make();
    snprintf(f.names[3], sizeof f.names[3], "%s/all.PVD", f.folder);
    static const char text[] = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n"
                               "<DataSet timestep=\"1\" file=\"1.off\"/>\n<DataSet timestep=\"2\" file=\"2.off\"/>\n"
                               "</Collection>\n</VTKFile>\n";
    test_file_write(f.names[3], text, strlen(text));
    toc_sequence *sequence;
    assert_ok(toc_sequence_open(2, (const char *[]){f.names[0], f.names[3]}, NULL, &sequence));
    assert_int_equal(toc_sequence_frame_count(sequence), 3);
    for (size_t i = 0; i < 3; i++) assert_string_equal(toc_sequence_path(sequence, i), f.names[i]);
    toc_sequence_close(sequence);
    test_folder_remove(f.folder);
}

static toc_status play(const toc_allocator *allocator, void *user) {
    const fixture *f = user;
    toc_sequence *sequence;
    toc_mesh *mesh = NULL;
    toc_status status = toc_sequence_open(3, f->paths, allocator, &sequence);
    if (status != TOC_OK) return status;
    status = toc_sequence_first(sequence, &mesh);
    for (size_t i = 1; i < 3 && status == TOC_OK; i++) status = toc_sequence_advance(sequence, i, mesh);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    fixture f = make();
    point_paths(&f);
    test_every_allocation(play, &f);
    test_folder_remove(f.folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_follow_each_other),
        cmocka_unit_test(frames_of_another_mesh_name_both_files),
        cmocka_unit_test(no_frames_at_all),
        cmocka_unit_test(a_collection_stands_for_its_frames),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
