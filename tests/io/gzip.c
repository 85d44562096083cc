// SPDX-License-Identifier: Apache-2.0
// Compressed files: of any format, in several members, cut, broken, and made to fill the memory.
#include "io/core/gzip.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/reading.h"

#ifndef TOC_HAVE_ZLIB

static void compressed_files_are_refused_without_zlib(void **state) {
    (void)state;
    char *folder = test_folder_make();
    toc_mesh *mesh;
    test_file_write(test_path(folder, "a.obj.gz"), "\x1f\x8b\x08\0\0\0\0\0", 8);
    assert_fails(toc_mesh_read(test_path(folder, "a.obj.gz"), NULL, &mesh), TOC_BAD_INPUT, "built without zlib");
    test_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(compressed_files_are_refused_without_zlib)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include <signal.h>
#include <sys/resource.h>
#include <zlib.h>

// Append compressed bytes to a file: "a" for another member, "w" to begin.
static const char *pack(const char *name, const char *mode, const void *bytes, size_t count) {
    const char *path = test_path(test_folder, name);
    gzFile file = gzopen(path, mode);
    assert_non_null(file);
    assert_int_equal(gzwrite(file, bytes, (unsigned)count), (int)count);
    assert_int_equal(gzclose(file), Z_OK);
    return path;
}

static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

static void assert_triangle(const char *path) {
    toc_mesh *mesh;
    assert_ok(toc_mesh_read(path, NULL, &mesh));
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    toc_mesh_destroy(mesh);
}

static void the_name_tells_the_format_with_and_without_gz(void **state) {
    (void)state;
    assert_triangle(pack("a.obj.gz", "w", triangle, strlen(triangle)));
    assert_triangle(pack("b.OBJ.GZ", "w", triangle, strlen(triangle)));
    assert_triangle(pack("c.obj", "w", triangle, strlen(triangle))); // the content tells that it is compressed
    toc_mesh *mesh;
    const char *bare = pack("d.gz", "w", triangle, strlen(triangle));
    assert_fails(toc_mesh_read(bare, NULL, &mesh), TOC_BAD_INPUT, "d.gz: is of no format");
}

static void every_text_format(void **state) {
    (void)state;
    static const char *const files[] = {"off/plain.off",  "ply/text.ply",          "stl/text.stl",
                                        "vtk/text.vtk",   "msh/gmsh-4-text.msh",   "mesh/mixed.mesh",
                                        "node/cube.node", "msh/gmsh-2-binary.msh", "obj/statements.obj"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[512], name[64];
        size_t count;
        snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", TOC_SOURCE_DIR, files[i]);
        snprintf(name, sizeof name, "%s.gz", strrchr(files[i], '/') + 1);
        char *bytes = test_file_read(path, &count);
        toc_mesh *plain, *packed;
        assert_ok(toc_mesh_read(path, NULL, &plain));
        assert_ok(toc_mesh_read(pack(name, "w", bytes, count), NULL, &packed));
        assert_same_mesh(plain, packed);
        toc_mesh_destroy(plain);
        toc_mesh_destroy(packed);
        free(bytes);
    }
}

// The content tells it, as for a mesh.
static void point_caches_under_their_own_names(void **state) {
    (void)state;
    static const char quad[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    static const char *const endings[] = {"mdd", "pc2"};
    test_file_write(test_path(test_folder, "packed.obj"), quad, strlen(quad));
    for (size_t i = 0; i < 2; i++) {
        char name[32], packed[32];
        size_t count;
        snprintf(name, sizeof name, "quad.%s", endings[i]);
        snprintf(packed, sizeof packed, "packed.%s", endings[i]);
        char *bytes = test_corpus_read(endings[i], name, &count);
        const char *path = pack(packed, "w", bytes, count);
        toc_sequence *sequence;
        toc_mesh *mesh = test_sequence_first(path, &sequence);
        assert_int_equal(toc_sequence_get_frame_count(sequence), 3);
        for (size_t f = 1; f < 3; f++) assert_ok(toc_sequence_advance(sequence, f, mesh));
        assert_double_same(toc_mesh_get_x1(mesh)[3 * 3 + 2], 0.5);
        toc_mesh_destroy(mesh);
        toc_sequence_close(sequence);
        free(bytes);
    }
}

// All frames, as in the plain file: a name with .gz used to stand for the first one alone.
static void frames_under_names_with_gz(void **state) {
    (void)state;
    static const char *const files[][2] = {
        {"mdd", "quad.mdd"}, {"pc2", "quad.pc2"}, {"frd", "text.frd"}, {"gltf", "skinned.glb"}, {"xdmf", "steps.xdmf"}};
    static const char quad[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    test_file_write(test_path(test_folder, "quad.obj"), quad, strlen(quad));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[32];
        size_t count;
        toc_sequence *plain, *packed;
        char *bytes = test_corpus_read(files[i][0], files[i][1], &count);
        test_file_write(test_path(test_folder, files[i][1]), bytes, count);
        toc_mesh *mesh = test_sequence_first(test_path(test_folder, files[i][1]), &plain);
        snprintf(name, sizeof name, "%s.gz", files[i][1]);
        toc_mesh *other = test_sequence_first(pack(name, "w", bytes, count), &packed);
        const size_t frames = toc_sequence_get_frame_count(plain);
        assert_true(frames > 1);
        assert_int_equal(toc_sequence_get_frame_count(packed), frames);
        for (size_t f = 1; f < frames; f++) {
            assert_ok(toc_sequence_advance(plain, f, mesh));
            assert_ok(toc_sequence_advance(packed, f, other));
        }
        assert_same_mesh(mesh, other);
        toc_mesh_destroy(mesh);
        toc_mesh_destroy(other);
        toc_sequence_close(plain);
        toc_sequence_close(packed);
        free(bytes);
    }
}

static void several_members_are_one_file(void **state) {
    (void)state;
    pack("a.obj.gz", "w", triangle, 10);
    const char *path = pack("a.obj.gz", "a", triangle + 10, strlen(triangle) - 10);
    assert_triangle(path);
    FILE *file = fopen(path, "ab"); // tapes fill up with zeros
    assert_non_null(file);
    assert_int_equal(fwrite("\0\0\0\0", 1, 4, file), 4);
    fclose(file);
    assert_triangle(path);
    file = fopen(path, "ab");
    assert_non_null(file);
    assert_int_equal(fwrite("rest", 1, 4, file), 4);
    fclose(file);
    toc_mesh *mesh;
    assert_fails(toc_mesh_read(path, NULL, &mesh), TOC_BAD_INPUT, "the compressed file is broken");
}

static void lines_are_those_of_the_text(void **state) {
    (void)state;
    toc_mesh *mesh;
    const char *path = pack("a.obj.gz", "w", "v 0 0 0\nv 0 0 x\n", 16);
    assert_fails(toc_mesh_read(path, NULL, &mesh), TOC_BAD_INPUT, "a.obj.gz:2: a number was expected, not \"x\"");
}

static void cut_anywhere(void **state) {
    (void)state;
    char path[512];
    size_t count;
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/gz/mixed.mesh.gz", TOC_SOURCE_DIR);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char bytes[4096];
    count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    toc_mesh *mesh;
    const char *cut = test_path(test_folder, "a.mesh.gz");
    for (size_t i = 3; i < count; i++) {
        test_file_write(cut, bytes, i);
        assert_fails(toc_mesh_read(cut, NULL, &mesh), TOC_BAD_INPUT, "a.mesh.gz: byte");
        assert_fails(toc_mesh_read(cut, NULL, &mesh), TOC_BAD_INPUT, "cut short");
    }
    bytes[count / 2] ^= 0x55;
    test_file_write(cut, bytes, count);
    assert_fails(toc_mesh_read(cut, NULL, &mesh), TOC_BAD_INPUT, "the compressed file is broken");
}

// 256 MB of zeros in 256 KB: refused once it has become too large, not when the memory is full.
static void a_bomb_is_refused(void **state) {
    (void)state;
    enum { PART = 1 << 20, PARTS = 256 };
    char *zeros = calloc(PART, 1);
    assert_non_null(zeros);
    const char *path = test_path(test_folder, "bomb.obj.gz");
    gzFile file = gzopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < PARTS; i++) assert_int_equal(gzwrite(file, zeros, PART), PART);
    assert_int_equal(gzclose(file), Z_OK);
    free(zeros);
    toc_mesh *mesh;
    test_allocator memory;
    test_allocator_make(&memory, 0);
    assert_fails(toc_mesh_read(path,
                               &(toc_read_options){.size = sizeof(toc_read_options), .allocator = &memory.allocator},
                               &mesh),
                 TOC_BAD_INPUT, "bomb.obj.gz: unpacks to more than 128 times its size");
    assert_int_equal(memory.alive, 0);
}

// 10 bytes whose last four promise a megabyte; zlib itself takes some kilobytes.
static void a_promise_that_cannot_be_kept_takes_no_memory(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/mdd/promise.mdd", TOC_SOURCE_DIR);
    test_allocator memory;
    toc_source source;
    test_allocator_make(&memory, 0);
    assert_fails(toc_source_open(path, &memory.allocator, &source), TOC_BAD_INPUT,
                 "promise.mdd: byte 10: the compressed file is cut short");
    assert_in_range(memory.peak, 1, 1 << 16);
    assert_int_equal(memory.alive, 0);
}

/// Vertices, 2 MB of them, and a triangle; so many bytes are allocated while it is open.
static void read_large(size_t least, size_t most) {
    enum { LINES = 200000 };
    static char text[12 * LINES + 64];
    char *at = text;
    for (int i = 0; i < LINES; i++) at += snprintf(at, 16, "v %d 1 0\n", i % 1000);
    at += snprintf(at, 16, "f 1 2 3\n");
    const char *path = pack("large.obj.gz", "w", text, (size_t)(at - text));
    test_allocator memory;
    toc_source source;
    test_allocator_make(&memory, 0);
    assert_ok(toc_source_open(path, &memory.allocator, &source));
    assert_in_range(memory.alive, least, most);
    assert_int_equal(source.end - source.begin, at - text);
    assert_memory_equal(source.begin, text, (size_t)(at - text) + 1); // and a 0 byte behind it
    toc_source_close(&source);
    assert_int_equal(memory.alive, 0);
}

// Large content goes into an unnamed file, and into memory if no such file can be made or the disk is full.
static void a_large_one_takes_no_memory(void **state) {
    (void)state;
    const char *before = getenv("TMPDIR");
    read_large(0, 0);
    const struct rlimit small = {.rlim_cur = 1 << 19, .rlim_max = RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    read_large(1 << 20, 1 << 22);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    setenv("TMPDIR", "/no/such/folder", true);
    read_large(1 << 20, 1 << 22);
    if (before)
        setenv("TMPDIR", before, true);
    else
        unsetenv("TMPDIR");
}

static toc_status open_and_close(const toc_allocator *allocator, void *user) {
    toc_source source;
    const toc_status status = toc_source_open(user, allocator, &source);
    if (status == TOC_OK) toc_source_close(&source);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    char text[20000];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)(i * i % 97);
    pack("a.obj.gz", "w", text, sizeof text);
    const char *path = pack("a.obj.gz", "a", text, sizeof text); // the second member must find room
    assert_true(test_every_allocation(open_and_close, (void *)path) > 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_name_tells_the_format_with_and_without_gz),
        cmocka_unit_test(every_text_format),
        cmocka_unit_test(point_caches_under_their_own_names),
        cmocka_unit_test(frames_under_names_with_gz),
        cmocka_unit_test(several_members_are_one_file),
        cmocka_unit_test(lines_are_those_of_the_text),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(a_bomb_is_refused),
        cmocka_unit_test(a_promise_that_cannot_be_kept_takes_no_memory),
        cmocka_unit_test(a_large_one_takes_no_memory),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}

#endif
