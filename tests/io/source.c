// SPDX-License-Identifier: Apache-2.0
// Files being read: missing files, places of failures, false counts.
#include "io/core/source.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/core/format.h"
#include "support/sources.h"
#include "support/test.h"

static toc_source source_of(const char *text) {
    toc_source source;
    assert_ok(test_source_copy("a.txt", text, strlen(text), NULL, &source));
    return source;
}

static void missing_files_and_folders(void **state) {
    (void)state;
    toc_source source;
    assert_fails(toc_source_open("no/such.ply", NULL, &source), TOC_BAD_INPUT,
                 "no/such.ply: cannot be opened: No such");
    char *folder = test_folder_make();
    assert_fails(toc_source_open(folder, NULL, &source), TOC_BAD_INPUT, "is a folder");
    test_folder_remove(folder);
}

static void a_pipe_is_read_to_its_end(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "hello\n", 6), 6);
    close(ends[1]);
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    toc_source source;
    assert_ok(toc_source_open(path, NULL, &source));
    assert_int_equal(source.end - source.begin, 6);
    assert_string_equal(source.begin, "hello\n");
    toc_source_close(&source);
    close(ends[0]);
}

enum { LARGE = 1 << 18 }; // large enough to be mapped, and whole pages

// A file of so many bytes: lines "v 0.5\n", the last one perhaps cut.
static const char *write_lines(const char *folder, size_t size) {
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++) text[i] = "v 0.5\n"[i % 6];
    const char *path = test_path(folder, "large.obj");
    test_file_write(path, text, size);
    free(text);
    return path;
}

static void a_large_file_ends_with_0_and_takes_no_memory(void **state) {
    (void)state;
    char *folder = test_folder_make();
    for (size_t size = LARGE - 1; size <= LARGE + 1; size++) {
        const char *path = write_lines(folder, size);
        toc_source source;
        assert_ok(toc_source_open(path, NULL, &source));
        assert_int_equal(source.size, 0);
        assert_int_equal(source.end - source.begin, size);
        assert_int_equal(strlen(source.begin), size);
        assert_int_equal(source.end[-1], "v 0.5\n"[(size - 1) % 6]);
        toc_source_close(&source);
    }
    test_folder_remove(folder);
}

// Pages that were read are released, and come back on a second access.
static void pages_that_were_let_go_of_come_back(void **state) {
    (void)state;
    enum { SIZE = 12 * TOC_SOURCE_KEPT };
    char *folder = test_folder_make();
    toc_source source;
    assert_ok(toc_source_open(write_lines(folder, SIZE), NULL, &source));
    size_t lines = 1;
    while (toc_source_next_line(&source)) lines++;
    assert_int_equal(lines, SIZE / 6);
    assert_true(source.passed > source.end - 2 * TOC_SOURCE_KEPT);
    assert_fails(toc_source_fail(&source, "here"), TOC_BAD_INPUT, "large.obj:2097153: here");
    source.at = source.begin;
    lines = 1;
    while (toc_source_next_line(&source)) lines++;
    assert_int_equal(lines, SIZE / 6);
    toc_source_close(&source);
    test_folder_remove(folder);
}

// Bytes that come behind the end meanwhile are not of the file as it was opened.
static void a_file_that_grows_while_it_is_read(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = write_lines(folder, LARGE + 5);
    toc_source source;
    assert_ok(toc_source_open(path, NULL, &source));
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    assert_true(fputs("77777777", file) >= 0);
    fclose(file);
    assert_int_equal(*source.end, 0);
    toc_source_close(&source);
    test_folder_remove(folder);
}

static size_t count_numbers(toc_source *source) {
    size_t count = 0;
    double x;
    while (toc_source_skip_space(source) && toc_text_is(toc_source_word(source), "v") &&
           toc_source_double(source, &x) == TOC_OK)
        count++;
    return count;
}

static void a_file_that_is_cut_while_it_is_read(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = write_lines(folder, LARGE);
    toc_source source, other;
    struct sigaction before, after;
    assert_int_equal(sigaction(SIGBUS, NULL, &before), 0);
    assert_ok(toc_source_open(path, NULL, &other));
    assert_ok(toc_source_open(path, NULL, &source));
    toc_source_close(&other);
    assert_int_equal(truncate(path, 3000), 0);
    assert_true(count_numbers(&source) >= 3000 / 6);
    assert_fails(toc_source_fail(&source, "a number"), TOC_BAD_INPUT,
                 ": was changed by another program while it was read");
    toc_source_close(&source);
    assert_int_equal(sigaction(SIGBUS, NULL, &after), 0);
    assert_true(after.sa_sigaction == before.sa_sigaction);
    test_folder_remove(folder);
}

// Where numbers of a binary file are gone, no others are read for them.
static void a_binary_file_that_is_cut_while_it_is_read(void **state) {
    (void)state;
    enum { FACETS = 5000, SIZE = 84 + 50 * FACETS };
    char *folder = test_folder_make(), *bytes = calloc(SIZE, 1);
    const char *path = test_path(folder, "large.stl");
    toc_source source;
    toc_mesh *mesh;
    assert_non_null(bytes);
    memcpy(bytes + 80, &(uint32_t){FACETS}, 4);
    test_file_write(path, bytes, SIZE);
    free(bytes);
    assert_ok(toc_source_open(path, NULL, &source));
    assert_int_equal(truncate(path, SIZE / 2), 0);
    assert_fails(toc_format_read(NULL, &source, &mesh), TOC_BAD_INPUT,
                 ": was changed by another program while it was read");
    toc_source_close(&source);
    test_folder_remove(folder);
}

// Half of one model and half of another is neither.
static void a_file_that_is_written_over_while_it_is_read(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = write_lines(folder, LARGE);
    toc_source source;
    assert_ok(toc_source_open(path, NULL, &source));
    assert_ok(toc_source_is_settled(&source));
    const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}}; // a clock may not have moved since
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_true(fputs("v 7.5\n", file) >= 0);
    fclose(file);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_fails(toc_source_is_settled(&source), TOC_BAD_INPUT,
                 "large.obj: was changed by another program while it was read");
    toc_source_close(&source);
    test_folder_remove(folder);
}

/// Memory by an allocator that has a file look as if it had just been written.
static void *touch_and_resize(void *user, void *block, size_t old_size, size_t new_size) {
    static time_t seconds;
    (void)old_size;
    const struct timespec times[2] = {{.tv_sec = seconds + 1}, {.tv_sec = seconds + 1}};
    seconds++;
    assert_int_equal(utimensat(AT_FDCWD, user, times, 0), 0);
    if (new_size > 0) return realloc(block, new_size);
    free(block);
    return NULL;
}

// The nodes are in another file than the one that is asked for.
static void a_file_that_another_names_is_written_over(void **state) {
    (void)state;
    static const char *const mains[][2] = {
        {"a.inp", "*INCLUDE, INPUT=part\n*ELEMENT, TYPE=S3\n1, 1, 2, 3\n"},
        {"a.k", "*KEYWORD\n*INCLUDE\npart\n*ELEMENT_SHELL\n1,1,1,2,3,3\n*END\n"},
        {"a.gltf",
         "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}], \"nodes\": "
         "[{\"mesh\": 0}], \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, \"mode\": 0}]}], "
         "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 5000, \"type\": "
         "\"VEC3\"}], \"bufferViews\": [{\"buffer\": 0, \"byteLength\": 60000}], \"buffers\": "
         "[{\"byteLength\": 66000, \"uri\": \"part\"}]}"}};
    char *folder = test_folder_make(), part[256];
    snprintf(part, sizeof part, "%s", test_path(folder, "part"));
    FILE *file = fopen(part, "w");
    assert_non_null(file);
    fputs("*NODE\n", file);
    for (int i = 1; i <= 6000; i++) fprintf(file, "%d, %d, 0.5\n", i, i);
    fclose(file);
    const toc_allocator allocator = {touch_and_resize, part};
    for (size_t i = 0; i < sizeof mains / sizeof *mains; i++) {
        const char *path = test_path(folder, mains[i][0]);
        toc_mesh *mesh;
        test_file_write(path, mains[i][1], strlen(mains[i][1]));
        assert_ok(toc_mesh_read(path, NULL, &mesh));
        toc_mesh_destroy(mesh);
        assert_fails(
            toc_mesh_read(path, &(toc_read_options){.size = sizeof(toc_read_options), .allocator = &allocator}, &mesh),
            TOC_BAD_INPUT, "part: was changed by another program while it was read");
    }
    test_folder_remove(folder);
}

// Arrays whose text ends within a page that cannot be written to.
static void a_large_vtu_of_text(void **state) {
    (void)state;
    enum { POINTS = 20000 };
    char *folder = test_folder_make();
    const char *path = test_path(folder, "large.vtu");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"%d\"><Points>", POINTS);
    fprintf(file, "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">");
    for (int i = 0; i < POINTS; i++) fprintf(file, "%d 0 1%s", i, i + 1 < POINTS ? "\n" : "");
    fprintf(file, "</DataArray></Points>%80000s</Piece></PolyData></VTKFile>", "");
    fclose(file);
    toc_mesh *mesh;
    assert_ok(toc_mesh_read(path, NULL, &mesh));
    assert_int_equal(toc_mesh_get_vertex_count(mesh), POINTS);
    toc_mesh_destroy(mesh);
    test_folder_remove(folder);
}

static volatile sig_atomic_t signals;

static void on_signal(int number) {
    (void)number;
    signals++;
}

static void a_signal_of_others_goes_to_their_handler(void **state) {
    (void)state;
    char *folder = test_folder_make();
    struct sigaction action = {.sa_handler = on_signal}, before, after;
    assert_int_equal(sigaction(SIGBUS, &action, &before), 0);
    toc_source source;
    assert_ok(toc_source_open(write_lines(folder, LARGE), NULL, &source));
    assert_int_equal(raise(SIGBUS), 0);
    assert_int_equal(signals, 1);
    toc_source_close(&source);
    assert_int_equal(sigaction(SIGBUS, &before, &after), 0);
    assert_true(after.sa_handler == on_signal);
    test_folder_remove(folder);
}

static void lines_and_words(void **state) {
    (void)state;
    toc_source source = source_of("one  two\r\n\r\n three\n\tfour five  \nsix");
    assert_true(toc_text_is(toc_source_word(&source), "one"));
    assert_true(toc_text_is(toc_source_word(&source), "two"));
    assert_true(toc_source_line_ends(&source));
    assert_int_equal(toc_source_word(&source).count, 0);
    assert_true(toc_source_skip_space(&source));
    assert_fails(toc_source_fail(&source, "here"), TOC_BAD_INPUT, "a.txt:3: here");
    assert_true(toc_source_next_line(&source));
    assert_true(toc_text_is(toc_source_line(&source), "four five"));
    assert_true(toc_text_is(toc_source_line(&source), "six"));
    assert_false(toc_source_skip_space(&source));
    assert_false(toc_source_next_line(&source));
    toc_source_close(&source);
}

static void numbers_of_a_line(void **state) {
    (void)state;
    toc_source source = source_of("1.5 -7\n8 9x 1e999 nan 99999999999999999999");
    double x;
    int64_t i;
    assert_ok(toc_source_double(&source, &x));
    assert_double_same(x, 1.5);
    assert_ok(toc_source_integer(&source, &i));
    assert_int_equal(i, -7);
    assert_fails(toc_source_double(&source, &x), TOC_BAD_INPUT, "a.txt:1: a number is missing");
    assert_true(toc_source_skip_space(&source));
    assert_ok(toc_source_integer(&source, &i));
    assert_fails(toc_source_integer(&source, &i), TOC_BAD_INPUT, "a.txt:2: an integer was expected, not \"9x\"");
    assert_fails(toc_source_double(&source, &x), TOC_BAD_INPUT, "not \"9x\"");
    toc_source_word(&source);
    assert_fails(toc_source_double(&source, &x), TOC_BAD_INPUT, "a finite number was expected, not \"1e999\"");
    toc_source_word(&source);
    assert_fails(toc_source_double(&source, &x), TOC_BAD_INPUT, "not \"nan\"");
    toc_source_word(&source);
    assert_fails(toc_source_integer(&source, &i), TOC_BAD_INPUT, "99999999999999999999");
    toc_source_word(&source);
    assert_fails(toc_source_integer(&source, &i), TOC_BAD_INPUT, "the file ends");
    toc_source_close(&source);
}

static void counts_that_lie(void **state) {
    (void)state;
    toc_source source = source_of("123456789");
    assert_ok(toc_source_check_count(&source, 5, 2, "vertices")); // the last line end may be missing
    assert_fails(toc_source_check_count(&source, 6, 2, "vertices"), TOC_BAD_INPUT, "6 vertices are promised");
    assert_fails(toc_source_check_count(&source, UINT64_MAX, 16, "faces"), TOC_BAD_INPUT, "only 9 bytes follow");
    toc_source_close(&source);
}

static void bytes_in_either_order(void **state) {
    (void)state;
    const unsigned char bytes[] = {0x40, 0x09, 0x21, 0xfb, 0x54, 0x44, 0x2d, 0x18};
    assert_double_same(toc_load_f64(bytes, true), 3.141592653589793);
    assert_int_equal(toc_load_u16(bytes, false), 0x0940);
    assert_int_equal(toc_load_u16(bytes, true), 0x4009);
    assert_int_equal(toc_load_u32(bytes, false), 0xfb210940u);
    assert_int_equal(toc_load_u64(bytes, true), 0x400921fb54442d18u);
    assert_double_same(toc_load_f32((const unsigned char[]){0, 0, 0x80, 0x3f}, false), 1);
}

static toc_status open_and_close(const toc_allocator *allocator, void *user) {
    toc_source source;
    const toc_status status = toc_source_open(user, allocator, &source);
    if (status == TOC_OK) toc_source_close(&source);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "a");
    test_file_write(path, "hello", 5);
    assert_int_equal(test_every_allocation(open_and_close, (void *)path), 1);
    test_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_files_and_folders),
        cmocka_unit_test(a_pipe_is_read_to_its_end),
        cmocka_unit_test(a_large_file_ends_with_0_and_takes_no_memory),
        cmocka_unit_test(pages_that_were_let_go_of_come_back),
        cmocka_unit_test(a_file_that_grows_while_it_is_read),
        cmocka_unit_test(a_file_that_is_cut_while_it_is_read),
        cmocka_unit_test(a_binary_file_that_is_cut_while_it_is_read),
        cmocka_unit_test(a_file_that_is_written_over_while_it_is_read),
        cmocka_unit_test(a_file_that_another_names_is_written_over),
        cmocka_unit_test(a_large_vtu_of_text),
        cmocka_unit_test(a_signal_of_others_goes_to_their_handler),
        cmocka_unit_test(lines_and_words),
        cmocka_unit_test(numbers_of_a_line),
        cmocka_unit_test(counts_that_lie),
        cmocka_unit_test(bytes_in_either_order),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
