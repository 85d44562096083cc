// SPDX-License-Identifier: Apache-2.0
// Point caches, MDD and PC2: frames of a mesh in another file, and defects.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/reading.h"

static const char quad[] = "v 0 0 7\nv 1 0 7\nv 1 1 7\nv 0 1 7\ng 7\nf 1 2 3 4\n";

/// A folder with a cache of the corpus and its mesh.
typedef struct cached {
    char *folder, path[256], mesh[256], *bytes;
    size_t count;
} cached;

static cached cached_begin(const char *ending) {
    cached c = {.folder = test_folder_make()};
    char name[32];
    snprintf(name, sizeof name, "quad.%s", ending);
    snprintf(c.path, sizeof c.path, "%s", test_path(c.folder, name));
    snprintf(c.mesh, sizeof c.mesh, "%s", test_path(c.folder, "quad.obj"));
    c.bytes = test_corpus_read(ending, name, &c.count);
    test_file_write(c.path, c.bytes, c.count);
    test_file_write(c.mesh, quad, strlen(quad));
    return c;
}

static void cached_end(cached *c) {
    free(c->bytes);
    test_folder_remove(c->folder);
}

static void frames_move_the_mesh_beside(void **state) {
    (void)state;
    static const char *const endings[] = {"mdd", "pc2"};
    static const double first[] = {0, 1};
    for (size_t i = 0; i < 2; i++) {
        cached c = cached_begin(endings[i]);
        toc_sequence *sequence;
        toc_mesh *mesh;
        assert_ok(toc_sequence_open(1, (const char *[]){c.path}, NULL, &sequence));
        assert_int_equal(toc_sequence_get_frame_count(sequence), 3);
        for (size_t f = 0; f < 3; f++)
            assert_double_same(toc_sequence_get_time(sequence, f), first[i] + 0.5 * (double)f);
        assert_ok(toc_sequence_read_first(sequence, &mesh));
        assert_element(mesh, 0, TOC_QUAD, 0, 1, 2, 3);
        assert_vertex(mesh, 2, 1, 1, 0);
        assert_int_equal(toc_mesh_get_element(mesh, 0).group, 7);
        assert_double_same(toc_mesh_get_x1(mesh)[3 * 2 + 2], 0);
        for (size_t f = 1; f < 3; f++) assert_ok(toc_sequence_advance(sequence, f, mesh));
        assert_double_same(toc_mesh_get_x0(mesh)[3 * 3 + 2], 1);
        assert_double_same(toc_mesh_get_x1(mesh)[3 * 3 + 2], 0.5);
        toc_mesh_destroy(mesh);
        toc_sequence_close(sequence);
        cached_end(&c);
    }
}

static void assert_told(const cached *c, const char *words) {
    assert_fails(test_play(NULL, (void *)(uintptr_t)c->path), TOC_BAD_INPUT, words);
    assert_int_equal(strncmp(toc_message_get(), c->folder, strlen(c->folder)), 0);
}

static void write_changed(const cached *c, size_t at, const char *bytes, size_t count) {
    char *changed = malloc(c->count);
    assert_non_null(changed);
    memcpy(changed, c->bytes, c->count);
    memcpy(changed + at, bytes, count);
    test_file_write(c->path, changed, c->count);
    free(changed);
}

static void defects_are_told(void **state) {
    (void)state;
    cached c = cached_begin("mdd");
    write_changed(&c, 0, "\0\0\0\0", 4);
    assert_told(&c, "quad.mdd: byte 0: 0 frames of 4 vertices cannot be");
    write_changed(&c, 4, "\177\0\0\0", 4);
    assert_told(&c, "quad.mdd: byte 20: ");
    write_changed(&c, 8, "\177\300\0\0", 4);
    assert_told(&c, "quad.mdd: byte 8: the time of frame 0 is no number");
    write_changed(&c, 8 + 12 + 48 + 12, "\177\200\0\0", 4);
    assert_told(&c, "quad.mdd: byte 80: frame 1: vertex 1 is no place");
    test_file_write(c.path, c.bytes, c.count);
    test_file_write(c.mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 31);
    assert_told(&c, "it has 4 vertices, the mesh 3");
    test_file_write(c.mesh, "f", 1);
    assert_told(&c, "quad.obj");
    assert_true(remove(c.mesh) == 0);
    assert_told(&c, "holds no mesh, only positions: put its mesh beside it");
    cached_end(&c);
    c = cached_begin("pc2");
    write_changed(&c, 12, "\2", 1);
    assert_told(&c, "the version is 2, not 1");
    write_changed(&c, 24, "\0\0\0\0", 4);
    assert_told(&c, "samples from frame 1 on, each 0 frames, cannot be");
    cached_end(&c);
}

static void cut_garbled_and_starved(void **state) {
    (void)state;
    static const char *const endings[] = {"mdd", "pc2"};
    for (size_t i = 0; i < 2; i++) {
        cached c = cached_begin(endings[i]);
        assert_true(test_every_allocation(test_play, c.path) > 1);
        for (size_t cut = 0; cut < c.count; cut++) {
            test_file_write(c.path, c.bytes, cut);
            assert_told(&c, c.path);
        }
        test_play_garbled(c.path, c.bytes, c.count, test_less(1000, 100));
        cached_end(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_move_the_mesh_beside),
        cmocka_unit_test(defects_are_told),
        cmocka_unit_test(cut_garbled_and_starved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
