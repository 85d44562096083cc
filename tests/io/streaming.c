// SPDX-License-Identifier: Apache-2.0
// Long sequences are never in memory whole: going through 10,000 frames takes two of them and a few bytes for each name
// and time, and writing them into one file little more.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum { FRAMES = 10000, SIDE = 12, VERTICES = SIDE * SIDE };

static toc_mesh *make_frame(int frame) {
    toc_mesh *mesh;
    double x[3 * VERTICES];
    for (int i = 0; i < VERTICES; i++) {
        x[3 * i] = i % SIDE;
        x[3 * i + 1] = i / SIDE;
        x[3 * i + 2] = 0.125 * ((i + frame) % 16);
    }
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, VERTICES, x, NULL));
    for (uint32_t i = 0; i + SIDE + 1 < VERTICES; i++)
        assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (uint32_t[]){i, i + 1, i + SIDE}, NULL));
    return mesh;
}

// Two files, named again and again: only the bytes read count, not those on the disk.
typedef struct fixture {
    char *folder;
    char files[2][1024];
    const char **paths;
} fixture;

static fixture make(void) {
    fixture f = {.folder = test_folder_make(), .paths = malloc(FRAMES * sizeof *f.paths)};
    assert_non_null(f.paths);
    for (int i = 0; i < 2; i++) {
        snprintf(f.files[i], sizeof f.files[i], "%s/%d.ply", f.folder, i);
        toc_mesh *mesh = make_frame(i);
        assert_ok(toc_mesh_write(f.files[i], mesh, TOC_AT_START));
        toc_mesh_destroy(mesh);
    }
    return f;
}

static void name_frames(fixture *f) {
    for (int i = 0; i < FRAMES; i++) f->paths[i] = f->files[i % 2];
}

static void drop(fixture *f) {
    free(f->paths);
    test_folder_remove(f->folder);
}

static void play(toc_sequence *sequence) {
    toc_mesh *mesh;
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    for (size_t i = 1; i < toc_sequence_get_frame_count(sequence); i++)
        assert_ok(toc_sequence_advance(sequence, i, mesh));
    toc_mesh_destroy(mesh);
}

/// The most that reading one frame takes, file and all.
static size_t frame_bytes(const char *path) {
    test_allocator m;
    toc_mesh *mesh;
    test_allocator_make(&m, 0);
    assert_ok(
        toc_mesh_read(path, &(toc_read_options){.size = sizeof(toc_read_options), .allocator = &m.allocator}, &mesh));
    toc_mesh_destroy(mesh);
    return m.peak;
}

enum { BYTES_A_NAME = 192 }; // path, place in the list and time, with room to grow

static void frames_are_read_one_by_one(void **state) {
    (void)state;
    fixture f = make();
    name_frames(&f);
    const size_t one = frame_bytes(f.files[0]);
    test_allocator m;
    toc_sequence *sequence;
    test_allocator_make(&m, 0);
    assert_ok(toc_sequence_open(
        FRAMES, f.paths, &(toc_read_options){.size = sizeof(toc_read_options), .allocator = &m.allocator}, &sequence));
    const size_t names = m.alive;
    assert_true(names < FRAMES * (BYTES_A_NAME + strlen(f.files[0])));
    m.peak = m.alive;
    play(sequence);
    assert_true(m.peak - names <= 2 * one);
    toc_sequence_close(sequence);
    assert_int_equal(m.alive, 0);
    drop(&f);
}

/// The most that playing an animation takes.
static size_t peak_at_rate(const char *path, double rate, size_t *frames) {
    test_allocator m;
    toc_sequence *sequence;
    test_allocator_make(&m, 0);
    assert_ok(toc_sequence_open(
        1, &path, &(toc_read_options){.size = sizeof(toc_read_options), .allocator = &m.allocator}, &sequence));
    assert_ok(toc_sequence_sample(sequence, rate));
    *frames = toc_sequence_get_frame_count(sequence);
    play(sequence);
    toc_sequence_close(sequence);
    assert_int_equal(m.alive, 0);
    return m.peak;
}

// Into one .glb and out of it again, which takes no more memory for more frames. The first frame stays beside the two,
// since the others are told by their way from it.
static void frames_are_written_one_by_one(void **state) {
    (void)state;
    enum { SOME = 1000 };
    fixture f = make();
    name_frames(&f);
    const size_t one = frame_bytes(f.files[0]);
    const char *path = test_path(f.folder, "all.glb");
    test_allocator m;
    toc_sequence *sequence;
    test_allocator_make(&m, 0);
    assert_ok(toc_sequence_open(
        SOME, f.paths, &(toc_read_options){.size = sizeof(toc_read_options), .allocator = &m.allocator}, &sequence));
    const size_t names = m.alive;
    m.peak = m.alive;
    assert_ok(toc_sequence_write(path, sequence));
    // Beside frames and the buffer of the file: JSON and bounds of each frame.
    assert_true(m.peak - names <= 3 * one + (1 << 17) + SOME * 600);
    toc_sequence_close(sequence);
    assert_int_equal(m.alive, 0);

    size_t few, many;
    const size_t peak = peak_at_rate(path, 30, &few);
    assert_int_equal(few, SOME);
    assert_true(peak_at_rate(path, 120, &many) <= peak + 3 * SOME * sizeof(double)); // their times
    assert_int_equal(many, 4 * SOME - 3);
    drop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_read_one_by_one),
        cmocka_unit_test(frames_are_written_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
