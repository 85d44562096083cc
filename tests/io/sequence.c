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
    assert_int_equal(toc_sequence_get_frame_count(sequence), 3);
    assert_string_equal(toc_sequence_get_path(sequence, 2), f.names[2]);
    assert_null(toc_sequence_get_path(sequence, 3));
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    assert_double_same(toc_mesh_get_x0(mesh)[11], 0);
    assert_double_same(toc_mesh_get_x1(mesh)[11], 0);
    assert_ok(toc_sequence_advance(sequence, 1, mesh));
    assert_double_same(toc_mesh_get_x0(mesh)[11], 0);
    assert_double_same(toc_mesh_get_x1(mesh)[11], 1);
    assert_ok(toc_sequence_advance(sequence, 2, mesh));
    assert_double_same(toc_mesh_get_x0(mesh)[11], 1);
    assert_double_same(toc_mesh_get_x1(mesh)[11], 2.5);
    assert_fails(toc_sequence_advance(sequence, 3, mesh), TOC_BAD_INPUT, "frame 3 was asked for, but there are 3");
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    test_folder_remove(f.folder);
}

// Every way in which a frame can fail to be of the same mesh; the mesh stays where it was.
static void frames_of_another_mesh_name_both_files(void **state) {
    (void)state;
    static const char *const others[][2] = {
        {"OFF\n3 2\n0 0 1\n1 0 1\n1 1 1\n3 0 1 2\n3 0 2 1\n", "3 vertices in place of 4"},
        {"OFF\n4 1\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n3 0 1 3\n", "element 0 differs"},
        {"OFF\n4 3\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n3 0 1 2\n3 1 2 3\n3 0 2 3\n", "element 1 differs"},
        {"OFF\n4 2\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n3 0 1 2\n3 0 3 2\n", "element 1 differs"},
        {"OFF\n4 2\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n3 0 1 2\n4 0 2 3 1\n", "element 1 differs"},
    };
    fixture f = make();
    point_paths(&f);
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(toc_sequence_open(3, f.paths, NULL, &sequence));
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        test_file_write(f.names[1], others[i][0], strlen(others[i][0]));
        assert_fails(toc_sequence_advance(sequence, 1, mesh), TOC_BAD_INPUT, others[i][1]);
        assert_non_null(strstr(toc_message_get(), f.names[0]));
        assert_non_null(strstr(toc_message_get(), f.names[1]));
        assert_double_same(toc_mesh_get_x1(mesh)[11], 0);
    }
    unlink(f.names[1]);
    assert_fails(toc_sequence_advance(sequence, 1, mesh), TOC_BAD_INPUT, "1.off: cannot be opened");
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    test_folder_remove(f.folder);
}

static fixture two_frames(const char *first, const char *second) {
    fixture f = make();
    test_file_write(f.names[0], first, strlen(first));
    test_file_write(f.names[1], second, strlen(second));
    return f;
}

/// The mesh of the first text, moved to the second.
static toc_mesh *follow(const char *first, const char *second) {
    fixture f = two_frames(first, second);
    point_paths(&f);
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(toc_sequence_open(2, f.paths, NULL, &sequence));
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    assert_ok(toc_sequence_advance(sequence, 1, mesh));
    toc_sequence_close(sequence);
    test_folder_remove(f.folder);
    return mesh;
}

static void refuse(const char *first, const char *second, const char *words) {
    fixture f = two_frames(first, second);
    point_paths(&f);
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(toc_sequence_open(2, f.paths, NULL, &sequence));
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    const uint64_t revision = toc_mesh_get_revision(mesh);
    assert_fails(toc_sequence_advance(sequence, 1, mesh), TOC_BAD_INPUT, words);
    assert_int_equal(toc_mesh_get_revision(mesh), revision);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    test_folder_remove(f.folder);
}

#define STRIP "0 0 0\n0 1 0\n1 0 0\n1 1 0\n2 0 0\n2 1 0\n"
#define MOVED "0 0 9\n0 1 9\n1 0 9\n1 1 9\n2 0 9\n2 1 9\n"
static const char strip[] = "OFF\n6 4\n" STRIP "3 0 2 1\n3 2 3 1\n3 2 4 3\n3 4 5 3\n";

// Ids stay the same, although the file numbers the remaining elements from 0.
static void eroded_elements_are_removed(void **state) {
    (void)state;
    toc_mesh *mesh = follow(strip, "OFF\n6 2\n" MOVED "3 2 3 1\n3 4 5 3\n");
    assert_int_equal(toc_mesh_get_element_count(mesh), 4);
    assert_int_equal(toc_mesh_get_element(mesh, 0).shape, TOC_REMOVED);
    assert_element(mesh, 1, TOC_TRIANGLE, 2, 3, 1);
    assert_int_equal(toc_mesh_get_element(mesh, 2).shape, TOC_REMOVED);
    assert_element(mesh, 3, TOC_TRIANGLE, 4, 5, 3);
    assert_double_same(toc_mesh_get_x1(mesh)[3 * 5 + 2], 9);
    toc_mesh_destroy(mesh);
}

// A vertex split off starts where the old one was, not where it is found in the frame.
static void torn_elements_start_together(void **state) {
    (void)state;
    toc_mesh *mesh = follow(strip, "OFF\n8 4\n" MOVED "1 0 7\n1 1 7\n3 0 2 1\n3 2 3 1\n3 6 4 7\n3 4 5 7\n");
    assert_element(mesh, 1, TOC_TRIANGLE, 2, 3, 1);
    assert_element(mesh, 2, TOC_TRIANGLE, 6, 4, 7);
    assert_element(mesh, 3, TOC_TRIANGLE, 4, 5, 7);
    for (int k = 0; k < 3; k++) assert_double_same(toc_mesh_get_x0(mesh)[3 * 7 + k], toc_mesh_get_x0(mesh)[3 * 3 + k]);
    assert_double_same(toc_mesh_get_x1(mesh)[3 * 7 + 2], 7);
    toc_mesh_destroy(mesh);
}

static void torn_and_eroded_at_once(void **state) {
    (void)state;
    toc_mesh *mesh = follow(strip, "OFF\n7 3\n" MOVED "1 0 7\n3 0 2 1\n3 6 4 3\n3 4 5 3\n");
    assert_int_equal(toc_mesh_get_element(mesh, 1).shape, TOC_REMOVED);
    assert_element(mesh, 2, TOC_TRIANGLE, 6, 4, 3);
    assert_double_same(toc_mesh_get_x0(mesh)[3 * 6], 1);
    toc_mesh_destroy(mesh);
}

static void elements_that_came(void **state) {
    (void)state;
    toc_mesh *mesh = follow(strip, "OFF\n7 5\n" MOVED "3 0 7\n3 0 2 1\n3 2 3 1\n3 2 4 3\n3 4 5 3\n3 4 6 5\n");
    assert_element(mesh, 4, TOC_TRIANGLE, 4, 6, 5);
    assert_double_same(toc_mesh_get_x0(mesh)[3 * 6 + 2], 7 - 9); // it has moved as its neighbours have
    assert_double_same(toc_mesh_get_x1(mesh)[3 * 6 + 2], 7);
    toc_mesh_destroy(mesh);
    // None of the vertices was there before: nobody knows how it moves.
    mesh = follow(strip, "OFF\n9 5\n" MOVED "3 0 7\n4 0 7\n3 1 7\n3 0 2 1\n3 2 3 1\n3 2 4 3\n3 4 5 3\n3 6 7 8\n");
    assert_double_same(toc_mesh_get_x0(mesh)[3 * 6 + 2], 7);
    toc_mesh_destroy(mesh);
}

// A cut: the element in its way is gone, its parts stand behind the others.
static void elements_that_went_and_others_that_came(void **state) {
    (void)state;
    toc_mesh *mesh = follow(strip, "OFF\n7 5\n" MOVED "1.5 0 9\n3 0 2 1\n3 2 3 1\n3 4 5 3\n3 2 6 3\n3 6 4 3\n");
    assert_int_equal(toc_mesh_get_element(mesh, 2).shape, TOC_REMOVED);
    assert_element(mesh, 3, TOC_TRIANGLE, 4, 5, 3);
    assert_element(mesh, 4, TOC_TRIANGLE, 2, 6, 3);
    assert_element(mesh, 5, TOC_TRIANGLE, 6, 4, 3);
    const double start[3] = {1.5, 0, 0};
    for (int k = 0; k < 3; k++) assert_double_same(toc_mesh_get_x0(mesh)[3 * 6 + k], start[k]);
    toc_mesh_destroy(mesh);
}

// Vertex 5 was welded to vertex 3; the file still lists it.
static void welded_vertices_are_merged(void **state) {
    (void)state;
    static const char apart[] = "OFF\n7 4\n" STRIP "1 1 0\n3 0 2 1\n3 2 3 1\n3 2 4 6\n3 4 5 6\n";
    toc_mesh *mesh = follow(apart, "OFF\n7 4\n" MOVED "1 1 9\n3 0 2 1\n3 2 3 1\n3 2 4 3\n3 4 5 3\n");
    assert_element(mesh, 2, TOC_TRIANGLE, 2, 4, 3);
    assert_element(mesh, 3, TOC_TRIANGLE, 4, 5, 3);
    assert_false(toc_mesh_has_vertex(mesh, 6));
    assert_true(toc_mesh_has_vertex(mesh, 3));
    toc_mesh_destroy(mesh);
}

// The edge 2-3 is gone with its two triangles; vertex 3 became vertex 2 in the last one.
static void a_collapsed_edge_takes_its_elements(void **state) {
    (void)state;
    toc_mesh *mesh = follow("OFF\n7 5\n" STRIP "3 0 0\n3 0 2 1\n3 2 3 1\n3 2 4 3\n3 4 5 3\n3 4 6 5\n",
                            "OFF\n7 3\n" MOVED "3 0 9\n3 0 2 1\n3 4 5 2\n3 4 6 5\n");
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 2, 1);
    assert_int_equal(toc_mesh_get_element(mesh, 1).shape, TOC_REMOVED);
    assert_int_equal(toc_mesh_get_element(mesh, 2).shape, TOC_REMOVED);
    assert_element(mesh, 3, TOC_TRIANGLE, 4, 5, 2);
    assert_false(toc_mesh_has_vertex(mesh, 3));
    toc_mesh_destroy(mesh);
}

// A quad whose edge was collapsed stands for a triangle from then on.
static void a_quad_with_a_collapsed_edge_stays(void **state) {
    (void)state;
    toc_mesh *mesh = follow("OFF\n6 2\n" STRIP "4 0 2 3 1\n4 2 4 5 3\n", "OFF\n6 2\n" MOVED "4 0 2 3 1\n4 2 4 4 3\n");
    assert_int_equal(toc_mesh_get_element(mesh, 1).shape, TOC_QUAD);
    assert_int_equal(toc_mesh_get_element(mesh, 1).corners[2], 4);
    assert_false(toc_mesh_has_vertex(mesh, 5));
    toc_mesh_destroy(mesh);
}

// A vertex split off the first body shifts those of the second, and nothing numbers them: the quads behind were taken
// for new elements in place of removed ones, and each vertex for another.
static void shifted_vertices_are_refused(void **state) {
    (void)state;
#define QUADS "0 0 5\n0 1 5\n1 0 5\n1 1 5\n2 0 5\n2 1 5\n3 0 5\n3 1 5\n"
    refuse("OFF\n14 7\n" STRIP QUADS "3 0 2 1\n3 2 3 1\n3 2 4 3\n3 4 5 3\n4 6 7 9 8\n4 8 9 11 10\n4 10 11 13 12\n",
           "OFF\n15 7\n" MOVED "1 1 9\n" QUADS
           "3 0 2 1\n3 2 3 1\n3 2 4 3\n3 4 5 6\n4 7 8 10 9\n4 9 10 12 11\n4 11 12 14 13\n",
           "no numbers to know vertices by");
#undef QUADS
}

// Two triangles became one of their vertices.
static void two_elements_that_became_one(void **state) {
    (void)state;
    toc_mesh *mesh = follow(strip, "OFF\n6 3\n" MOVED "3 0 2 1\n3 2 3 1\n3 2 4 5\n");
    assert_int_equal(toc_mesh_get_element(mesh, 2).shape, TOC_REMOVED);
    assert_int_equal(toc_mesh_get_element(mesh, 3).shape, TOC_REMOVED);
    assert_element(mesh, 4, TOC_TRIANGLE, 2, 4, 5);
    toc_mesh_destroy(mesh);
}

// ---- vertices by the numbers of the file

static toc_mesh *follow_named(const char *extension, size_t count, const char *const *texts, toc_status wanted) {
    char *folder = test_folder_make(), names[3][256];
    const char *paths[3];
    toc_sequence *sequence;
    toc_mesh *mesh;
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "%s/%zu.%s", folder, i, extension);
        test_file_write(names[i], texts[i], strlen(texts[i]));
        paths[i] = names[i];
    }
    assert_ok(toc_sequence_open(count, paths, NULL, &sequence));
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    toc_status status = TOC_OK;
    for (size_t i = 1; i < count && status == TOC_OK; i++) status = toc_sequence_advance(sequence, i, mesh);
    assert_int_equal(status, wanted);
    toc_sequence_close(sequence);
    test_folder_remove(folder);
    return mesh;
}

#define NODES "*NODE\n10, 0, 0, 0\n20, 0, 1, 0\n30, 1, 0, 0\n40, 1, 1, 0\n50, 2, 0, 0\n60, 2, 1, 0\n"
#define TRIANGLES "*ELEMENT, TYPE=S3\n"

// Node 70 was welded to node 40. The next file lacks it, and lists the others in another order; the last one has a new
// node 80 in a new element.
static void numbers_tell_vertices_apart(void **state) {
    (void)state;
    const char *const texts[] = {
        NODES "70, 1, 1, 0\n" TRIANGLES "1, 10, 30, 20\n2, 30, 40, 20\n3, 30, 50, 70\n4, 50, 60, 70\n",
        "*NODE\n60, 2, 1, 6\n50, 2, 0, 5\n40, 1, 1, 4\n30, 1, 0, 3\n20, 0, 1, 2\n10, 0, 0, 1\n" TRIANGLES
        "1, 10, 30, 20\n2, 30, 40, 20\n3, 30, 50, 40\n4, 50, 60, 40\n",
        "*NODE\n80, 3, 0, 8\n60, 2, 1, 6\n50, 2, 0, 5\n40, 1, 1, 4\n30, 1, 0, 3\n20, 0, 1, 2\n10, 0, 0, 1\n" TRIANGLES
        "1, 10, 30, 20\n2, 30, 40, 20\n3, 30, 50, 40\n4, 50, 60, 40\n5, 50, 80, 60\n"};
    toc_mesh *mesh = follow_named("inp", 2, texts, TOC_OK);
    assert_element(mesh, 2, TOC_TRIANGLE, 2, 4, 3);
    assert_element(mesh, 3, TOC_TRIANGLE, 4, 5, 3);
    assert_false(toc_mesh_has_vertex(mesh, 6));
    for (size_t v = 0; v < 6; v++) assert_double_same(toc_mesh_get_x1(mesh)[3 * v + 2], (double)v + 1);
    toc_mesh_destroy(mesh);
    mesh = follow_named("inp", 3, texts, TOC_OK);
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 8);
    assert_element(mesh, 4, TOC_TRIANGLE, 4, 7, 5);
    int64_t label;
    assert_true(toc_mesh_get_vertex_label(mesh, 7, &label));
    assert_int_equal(label, 80);
    assert_double_same(toc_mesh_get_x1(mesh)[3 * 7 + 2], 8);
    toc_mesh_destroy(mesh);
}

// A file that numbers its vertices anew, or has no numbers, is refused with both counts.
static void fewer_vertices_without_numbers(void **state) {
    (void)state;
    const char *const renumbered[] = {
        NODES "70, 1, 1, 0\n" TRIANGLES "1, 10, 30, 20\n2, 30, 40, 20\n3, 30, 50, 70\n4, 50, 60, 70\n",
        "*NODE\n1, 0, 0, 0\n2, 0, 1, 0\n3, 1, 0, 0\n4, 1, 1, 0\n5, 2, 0, 0\n6, 2, 1, 0\n" TRIANGLES
        "1, 1, 3, 2\n2, 3, 4, 2\n3, 3, 5, 4\n4, 5, 6, 4\n"};
    toc_mesh_destroy(follow_named("inp", 2, renumbered, TOC_BAD_INPUT));
    assert_non_null(strstr(toc_message_get(), "6 vertices in place of 7, and no numbers to know them by"));
    refuse("OFF\n7 4\n" STRIP "1 1 0\n3 0 2 1\n3 2 3 1\n3 2 4 6\n3 4 5 6\n",
           "OFF\n6 4\n" MOVED "3 0 2 1\n3 2 3 1\n3 2 4 3\n3 4 5 3\n",
           "6 vertices in place of 7, and no numbers to know them by");
}

static void welds_that_cannot_be(void **state) {
    (void)state;
    static const char apart[] = "OFF\n7 4\n" STRIP "1 1 0\n3 0 2 1\n3 2 3 1\n3 2 4 6\n3 4 5 6\n";
    refuse(apart, "OFF\n7 4\n" MOVED "1 1 9\n3 0 2 1\n3 2 3 1\n3 2 4 3\n3 4 5 1\n",
           "vertex 6 is welded to both 1 and 3");
    refuse("OFF\n6 2\n" STRIP "4 0 2 3 1\n4 2 4 5 3\n", "OFF\n6 2\n" MOVED "4 0 2 3 1\n4 2 4 2 3\n",
           "vertices 5 and 2 are opposite corners of element 1, but welded");
}

static void changes_that_cannot_be_told(void **state) {
    (void)state;
    // One of two that share their first corner only is left, with new corners for the rest: either could be it.
    refuse("OFF\n5 2\n0 0 0\n1 0 0\n0 1 0\n-1 0 0\n0 -1 0\n3 0 1 2\n3 0 3 4\n",
           "OFF\n7 1\n0 0 0\n1 0 0\n0 1 0\n-1 0 0\n0 -1 0\n5 5 5\n6 6 6\n3 0 5 6\n", "element 0 differs");
    // One went and one came, of old vertices only: it may be another mesh.
    refuse(strip, "OFF\n6 4\n" MOVED "3 0 2 1\n3 2 3 1\n3 4 5 3\n3 0 4 5\n", "element 2 differs");
    // Nothing stayed.
    refuse("OFF\n3 1\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
           "OFF\n6 2\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 1\n0 1 1\n3 3 1 0\n3 3 4 5\n", "element 0 differs");
    refuse(strip, "OFF\n7 4\n" MOVED "1 0 7\n3 6 2 1\n3 2 6 1\n3 2 4 3\n3 4 5 3\n",
           "the new vertex 6 is in the place of both 0 and 3");
    refuse("OFF\n3 1\n"
           "0 0 0\n1 0 0\n0 1 0\n4 0 0 1 2\n",
           "OFF\n4 1\n"
           "0 0 0\n1 0 0\n0 1 0\n0 0 1\n4 0 3 1 2\n",
           "element 0 differs");
}

static toc_status tear(const toc_allocator *allocator, void *user) {
    const fixture *f = user;
    toc_sequence *sequence;
    toc_mesh *mesh = NULL;
    toc_status status = toc_sequence_open(
        2, f->paths, &(toc_read_options){.size = sizeof(toc_read_options), .allocator = allocator}, &sequence);
    if (status != TOC_OK) return status;
    status = toc_sequence_read_first(sequence, &mesh);
    if (status == TOC_OK) status = toc_sequence_advance(sequence, 1, mesh);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    return status;
}

static void out_of_memory_while_topology_changes(void **state) {
    (void)state;
    const char *const torn[] = {"OFF\n7 3\n" MOVED "1 0 7\n3 0 2 1\n3 6 4 3\n3 4 5 3\n",
                                "OFF\n7 5\n" MOVED "1.5 0 9\n3 0 2 1\n3 2 3 1\n3 4 5 3\n3 2 6 3\n3 6 4 3\n",
                                "OFF\n6 2\n" MOVED "3 0 2 1\n3 4 5 2\n"};
    for (int i = 0; i < 3; i++) {
        fixture f = two_frames(strip, torn[i]);
        point_paths(&f);
        test_every_allocation(tear, &f);
        test_folder_remove(f.folder);
    }
}

// The times of a list, and numbers where nobody says.
static void times_of_frames(void **state) {
    (void)state;
    fixture f = make();
    point_paths(&f);
    toc_sequence *sequence;
    assert_ok(toc_sequence_open(3, f.paths, NULL, &sequence));
    assert_double_same(toc_sequence_get_time(sequence, 2), 2);
    assert_true(toc_sequence_get_time(sequence, 3) != toc_sequence_get_time(sequence, 3));
    assert_ok(toc_sequence_sample(sequence, 5));
    assert_int_equal(toc_sequence_get_frame_count(sequence), 3);
    assert_fails(toc_sequence_sample(sequence, 0), TOC_BAD_INPUT, "0 frames a second");
    toc_sequence_close(sequence);
    test_folder_remove(f.folder);
}

static void no_frames_at_all(void **state) {
    (void)state;
    toc_sequence *sequence;
    assert_fails(toc_sequence_open(0, NULL, NULL, &sequence), TOC_BAD_INPUT, "one file at least");
    assert_fails(toc_sequence_open(1, (const char *[]){"missing.pvd"}, NULL, &sequence), TOC_BAD_INPUT, "missing.pvd:");
    assert_fails(toc_sequence_open(1, (const char *[]){"missing.obj"}, NULL, &sequence), TOC_BAD_INPUT,
                 "missing.obj: cannot be opened");
    assert_fails(toc_sequence_open(1, (const char *[]){"/"}, NULL, &sequence), TOC_BAD_INPUT, "/: is a folder");
    toc_sequence_close(NULL);
}

// A collection names its frames relative to itself, and may stand among other files.
static void a_collection_stands_for_its_frames(void **state) {
    (void)state;
    fixture f = make();
    snprintf(f.names[3], sizeof f.names[3], "%s/all.PVD", f.folder);
    static const char text[] = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n"
                               "<DataSet timestep=\"1.5\" file=\"1.off\"/>\n<DataSet timestep=\"2\" file=\"2.off\"/>\n"
                               "</Collection>\n</VTKFile>\n";
    test_file_write(f.names[3], text, strlen(text));
    toc_sequence *sequence;
    assert_ok(toc_sequence_open(2, (const char *[]){f.names[0], f.names[3]}, NULL, &sequence));
    assert_int_equal(toc_sequence_get_frame_count(sequence), 3);
    for (size_t i = 0; i < 3; i++) assert_string_equal(toc_sequence_get_path(sequence, i), f.names[i]);
    assert_double_same(toc_sequence_get_time(sequence, 1), 1.5);
    toc_sequence_close(sequence);
    test_folder_remove(f.folder);
}

static toc_status play(const toc_allocator *allocator, void *user) {
    const fixture *f = user;
    toc_sequence *sequence;
    toc_mesh *mesh = NULL;
    toc_status status = toc_sequence_open(
        3, f->paths, &(toc_read_options){.size = sizeof(toc_read_options), .allocator = allocator}, &sequence);
    if (status != TOC_OK) return status;
    status = toc_sequence_read_first(sequence, &mesh);
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
        cmocka_unit_test(eroded_elements_are_removed),
        cmocka_unit_test(torn_elements_start_together),
        cmocka_unit_test(torn_and_eroded_at_once),
        cmocka_unit_test(elements_that_came),
        cmocka_unit_test(elements_that_went_and_others_that_came),
        cmocka_unit_test(welded_vertices_are_merged),
        cmocka_unit_test(a_collapsed_edge_takes_its_elements),
        cmocka_unit_test(a_quad_with_a_collapsed_edge_stays),
        cmocka_unit_test(shifted_vertices_are_refused),
        cmocka_unit_test(two_elements_that_became_one),
        cmocka_unit_test(numbers_tell_vertices_apart),
        cmocka_unit_test(fewer_vertices_without_numbers),
        cmocka_unit_test(welds_that_cannot_be),
        cmocka_unit_test(changes_that_cannot_be_told),
        cmocka_unit_test(out_of_memory_while_topology_changes),
        cmocka_unit_test(times_of_frames),
        cmocka_unit_test(no_frames_at_all),
        cmocka_unit_test(a_collection_stands_for_its_frames),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
