// SPDX-License-Identifier: Apache-2.0
// Small files that stand for huge meshes: refused before they expand, with both numbers, and read where the limit is
// high enough (docs/guarantees.md, G8).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/test.h"

enum { MEGABYTE = 1000000 };

static toc_read_options limited(uint64_t memory, const toc_allocator *allocator) {
    toc_read_options options = toc_read_options_default();
    options.memory = memory;
    options.allocator = allocator;
    return options;
}

static FILE *create(const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

/// A triangle, carried by so many nodes.
static const char *write_gltf(int nodes) {
    static const char buffer[] = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"; // 0 0 0, 1 0 0, 0 1 0
    const char *path = test_path(test_folder, "nodes.gltf");
    FILE *file = create(path);
    fprintf(file, "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"data:;base64,%s\"}],\n",
            buffer);
    fputs(
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\n\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
        "\"count\":3,\"type\":\"VEC3\"}],\n",
        file);
    fputs("\"meshes\":[{\"primitives\":[", file);
    for (int i = 0; i < 100; i++) fprintf(file, "%s{\"attributes\":{\"POSITION\":0}}", i ? "," : "");
    fputs("]}],\n\"nodes\":[", file);
    for (int i = 0; i < nodes; i++) fprintf(file, "%s{\"mesh\":0}", i ? "," : "");
    fputs("]}\n", file);
    assert_int_equal(fclose(file), 0);
    return path;
}

/// A part of 1000 triangles, placed so many times.
static const char *write_instances(int instances) {
    const char *path = test_path(test_folder, "instances.inp");
    FILE *file = create(path);
    fputs("*Part, name=P\n*Node\n", file);
    for (int i = 1; i <= 1002; i++) fprintf(file, "%d, %d, %d, 0\n", i, i, i % 3);
    fputs("*Element, type=S3\n", file);
    for (int i = 1; i <= 1000; i++) fprintf(file, "%d, %d, %d, %d\n", i, i, i + 1, i + 2);
    fputs("*End Part\n*Assembly, name=A\n", file);
    for (int i = 0; i < instances; i++) fprintf(file, "*Instance, name=I%d, part=P\n*End Instance\n", i);
    fputs("*End Assembly\n", file);
    assert_int_equal(fclose(file), 0);
    return path;
}

/// Refused with both numbers, and before much of it is in memory.
static void refused(const char *path, uint64_t memory, const char *needed, const char *limit) {
    test_allocator m;
    toc_mesh *mesh = NULL;
    test_allocator_make(&m, 0);
    const toc_read_options options = limited(memory, &m.allocator);
    assert_fails(toc_mesh_read(path, &options, &mesh), TOC_OUT_OF_MEMORY, needed);
    assert_non_null(strstr(toc_message_get(), limit));
    assert_non_null(strstr(toc_message_get(), "--memory"));
    assert_int_equal(strncmp(toc_message_get(), path, strlen(path)), 0);
    assert_null(mesh);
    assert_int_equal(m.alive, 0);
    assert_true(m.peak <= memory);
}

static void is_read(const char *path, uint64_t memory, size_t vertices, size_t elements) {
    test_allocator m;
    toc_mesh *mesh;
    test_allocator_make(&m, 0);
    const toc_read_options options = limited(memory, &m.allocator);
    assert_ok(toc_mesh_read(path, &options, &mesh));
    assert_int_equal(toc_mesh_get_vertex_count(mesh), vertices);
    assert_int_equal(toc_mesh_get_element_count(mesh), elements);
    assert_true(m.peak <= memory);
    toc_mesh_destroy(mesh);
    assert_int_equal(m.alive, 0);
}

static void nodes_that_share_a_mesh(void **state) {
    (void)state;
    const char *path = write_gltf(1000); // each primitive of the mesh has the same vertices
    refused(path, 2 * MEGABYTE, "of memory, but the limit is", "2.0 MB");
    is_read(path, 40 * MEGABYTE, 3000, 100000);
}

static void instances_of_a_part(void **state) {
    (void)state;
    const char *path = write_instances(500);
    refused(path, 10 * MEGABYTE, "reading takes 46.", "the limit is 10.0 MB");
    is_read(path, 48 * MEGABYTE, 501000, 500000);
}

// Each set names the one before twice: copies of labels would double sixty times.
static void sets_of_sets(void **state) {
    (void)state;
    const char *path = test_path(test_folder, "sets.inp");
    const toc_read_options options = limited(MEGABYTE, NULL);
    toc_mesh *mesh;
    FILE *file = create(path);
    fputs("*Node\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n*Element, type=S3\n1, 1, 2, 3\n2, 1, 3, 2\n", file);
    fputs("*Elset, elset=S60\nS59,\n*Elset, elset=S0\n2, S60\n", file); // around, and before the others are known
    for (int i = 1; i < 60; i++) fprintf(file, "*Elset, elset=S%d\nS%d, S%d\n", i, i - 1, i - 1);
    fputs("*Shell Section, elset=S59\n0.5\n", file);
    assert_int_equal(fclose(file), 0);
    assert_ok(toc_mesh_read(path, &options, &mesh));
    assert_double_same(toc_mesh_get_element(mesh, 0).thickness, 0);
    assert_double_same(toc_mesh_get_element(mesh, 1).thickness, 0.5);
    assert_string_equal(toc_mesh_get_group_name(mesh, toc_mesh_get_element(mesh, 1).group), "S60");
    toc_mesh_destroy(mesh);
}

// Half a million instances of a large part would take more vertices than there are ids.
static void more_vertices_than_ids(void **state) {
    (void)state;
    const toc_read_options options = limited(1u << 30, NULL);
    toc_mesh *mesh;
    const char *path = test_path(test_folder, "ids.inp");
    FILE *file = create(path);
    fputs("*Part, name=P\n*Node\n", file);
    for (int i = 1; i <= 50000; i++) fprintf(file, "%d\n", i);
    fputs("*Element, type=S3\n1, 1, 2, 3\n*End Part\n*Assembly, name=A\n", file);
    for (int i = 0; i < 100000; i++) fputs("*Instance, part=P\n*End Instance\n", file);
    assert_int_equal(fclose(file), 0);
    assert_fails(toc_mesh_read(path, &options, &mesh), TOC_BAD_INPUT, "vertices");
}

static void write_include(const char *name, const char *begin, const char *line, const char *end) {
    FILE *file = create(test_path(test_folder, name));
    fputs(begin, file);
    for (int i = 0; i < 5000; i++) fputs(line, file);
    fputs(end, file);
    assert_int_equal(fclose(file), 0);
}

static void write_nodes(const char *name, const char *format) {
    FILE *file = create(test_path(test_folder, name));
    fputs("*NODE\n", file);
    for (int i = 1; i <= 5000; i++) {
        fprintf(file, format, i);
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
}

static size_t peak_of_refusal(const char *name, const char *words) {
    test_allocator m;
    toc_mesh *mesh;
    test_allocator_make(&m, 0);
    const toc_read_options options = limited(0, &m.allocator);
    assert_fails(toc_mesh_read(test_path(test_folder, name), &options, &mesh), TOC_BAD_INPUT, words);
    assert_int_equal(m.alive, 0);
    return m.peak;
}

// One file included again and again has the same nodes each time: refused the second time, not the last.
static void files_included_again(void **state) {
    (void)state;
    write_nodes("sub.k", "%8d               0               0               0");
    write_include("many.k", "*KEYWORD\n", "*INCLUDE\nsub.k\n",
                  "*ELEMENT_SHELL\n       1       1       1       2       3\n");
    assert_true(peak_of_refusal("many.k", "sub.k:2: node 1 is there twice") < MEGABYTE);
    write_nodes("sub.inp", "%d, 0, 0, 0");
    write_include("many.inp", "", "*INCLUDE, INPUT=sub.inp\n", "*ELEMENT, TYPE=S3\n1, 1, 2, 3\n");
    assert_true(peak_of_refusal("many.inp", "sub.inp:2: node 1 is there twice") < MEGABYTE);
}

// Each part may include the same file: its labels are its own.
static void one_file_for_two_parts(void **state) {
    (void)state;
    write_nodes("part.inp", "%d, 0, 0, 0");
    const char *path =
        test_text_write("parts.inp", "*PART, NAME=A\n*INCLUDE, INPUT=part.inp\n*ELEMENT, TYPE=S3\n1,1,2,3\n"
                                     "*END PART\n*PART, NAME=B\n*INCLUDE, INPUT=part.inp\n"
                                     "*ELEMENT, TYPE=S3\n1,1,2,3\n*END PART\n");
    is_read(path, 10 * MEGABYTE, 10000, 2);
}

// A pipe that never ends.
static void a_pipe_without_end(void **state) {
    (void)state;
    char command[1100];
    const char *path = test_path(test_folder, "endless.obj");
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(command, sizeof command, "yes 'v 0 0 0' >'%s' 2>/dev/null", path);
    FILE *writer = popen(command, "w");
    assert_non_null(writer);
    refused(path, 3 * MEGABYTE, "at least", "the limit is 3.0 MB");
    pclose(writer);
}

static void devices_are_refused(void **state) {
    (void)state;
    toc_mesh *mesh;
    assert_fails(toc_mesh_read("/dev/zero", NULL, &mesh), TOC_BAD_INPUT, "/dev/zero: is a device");
}

static void sequences_have_the_limit_too(void **state) {
    (void)state;
    const char *paths[2];
    paths[0] = paths[1] = write_instances(500);
    toc_read_options options = limited(10 * MEGABYTE, NULL);
    toc_sequence *sequence;
    toc_mesh *mesh = NULL;
    assert_ok(toc_sequence_open(2, paths, &options, &sequence));
    assert_fails(toc_sequence_read_first(sequence, &mesh), TOC_OUT_OF_MEMORY, "the limit is 10.0 MB");
    assert_null(mesh);
    toc_sequence_close(sequence);
    options.memory = 53 * MEGABYTE; // enough for each call, not for all of them together
    assert_ok(toc_sequence_open(2, paths, &options, &sequence));
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    for (int i = 0; i < 3; i++) assert_ok(toc_sequence_advance(sequence, 1, mesh));
    toc_sequence_close(sequence);
    toc_mesh_destroy(mesh);
}

// The limit is for reading: the mesh may grow afterwards.
static void meshes_may_grow_later(void **state) {
    (void)state;
    enum { MANY = 100000 };
    double *x = calloc(3 * MANY, sizeof *x);
    toc_mesh *mesh;
    const toc_read_options options = limited(MEGABYTE, NULL);
    assert_non_null(x);
    assert_ok(toc_mesh_read(test_text_write("one.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"), &options, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, MANY, x, NULL));
    toc_mesh_destroy(mesh);
    free(x);
}

static void options_must_be_initialised(void **state) {
    (void)state;
    toc_mesh *mesh;
    toc_read_options options = {0};
    assert_fails(toc_mesh_read("a.off", &options, &mesh), TOC_BAD_INPUT, "toc_read_options_init");
    assert_fails(toc_read_options_init(NULL, sizeof options), TOC_BAD_INPUT, "NULL");
    assert_ok(toc_read_options_init(&options, sizeof options));
    assert_int_equal(options.memory, 0);
    assert_null(options.allocator);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_that_share_a_mesh),
        cmocka_unit_test(instances_of_a_part),
        cmocka_unit_test(sets_of_sets),
        cmocka_unit_test(more_vertices_than_ids),
        cmocka_unit_test(files_included_again),
        cmocka_unit_test(one_file_for_two_parts),
        cmocka_unit_test(a_pipe_without_end),
        cmocka_unit_test(devices_are_refused),
        cmocka_unit_test(sequences_have_the_limit_too),
        cmocka_unit_test(meshes_may_grow_later),
        cmocka_unit_test(options_must_be_initialised),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
