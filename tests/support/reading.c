// SPDX-License-Identifier: Apache-2.0
// Files given as bytes: read, cut, garbled, starved of memory.
#include "support/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/core/source.h"

typedef struct file_bytes {
    const char *name;
    const void *bytes;
    size_t count;
} file_bytes;

static toc_status read_and_destroy(const toc_allocator *allocator, void *user) {
    const file_bytes *file = user;
    toc_mesh *mesh = NULL;
    const toc_status status = test_mesh_parse(file->name, file->bytes, file->count, allocator, &mesh);
    toc_mesh_destroy(mesh);
    return status;
}

toc_mesh *test_read(const char *name, const void *bytes, size_t count) {
    toc_mesh *mesh = NULL;
    assert_ok(test_mesh_parse(name, bytes, count, NULL, &mesh));
    return mesh;
}

void test_read_refused(const char *name, const void *bytes, size_t count, const char *words) {
    file_bytes file = {name, bytes, count};
    test_allocator memory;
    test_allocator_make(&memory, 0);
    assert_fails(read_and_destroy(&memory.allocator, &file), TOC_BAD_INPUT, words);
    assert_int_equal(strncmp(toc_message_get(), name, strlen(name)), 0);
    assert_int_equal(memory.alive, 0);
}

/// The bytes are read or refused, and nothing stays allocated.
static bool is_read(const char *name, const void *bytes, size_t count) {
    file_bytes file = {name, bytes, count};
    test_allocator memory;
    test_allocator_make(&memory, 0);
    const toc_status status = read_and_destroy(&memory.allocator, &file);
    assert_int_equal(memory.alive, 0);
    if (status == TOC_OK) return true;
    assert_int_equal(status, TOC_BAD_INPUT);
    assert_int_equal(strncmp(toc_message_get(), name, strlen(name)), 0);
    return false;
}

size_t test_read_cut(const char *name, const void *bytes, size_t count) {
    size_t read = 0;
    const size_t step = count / 200 + 1;
    for (size_t cut = 0; cut < count; cut += step) read += is_read(name, bytes, cut);
    return read;
}

void test_read_garbled(const char *name, const void *bytes, size_t count, int rounds) {
    test_random random = test_random_make(0);
    char *garbled = malloc(count + 1);
    assert_non_null(garbled);
    for (int round = 0; round < rounds; round++) {
        memcpy(garbled, bytes, count);
        for (uint32_t changes = 1 + test_random_below(&random, 4); changes > 0; changes--)
            garbled[test_random_below(&random, (uint32_t)count)] = (char)test_random_bits(&random);
        is_read(name, garbled, count);
    }
    free(garbled);
}

void test_read_starved(const char *name, const void *bytes, size_t count) {
    file_bytes file = {name, bytes, count};
    assert_true(test_every_allocation(read_and_destroy, &file) > 1);
}

char *test_file_read(const char *path, size_t *count) {
    toc_source source;
    assert_ok(toc_source_open(path, NULL, &source));
    *count = (size_t)(source.end - source.begin);
    char *bytes = malloc(*count + 1);
    assert_non_null(bytes);
    memcpy(bytes, source.begin, *count + 1);
    toc_source_close(&source);
    return bytes;
}

static void same_data(const toc_mesh *a, const toc_mesh *b) {
    for (uint32_t i = 0; i < toc_mesh_get_element_count(a); i++) {
        const toc_element p = toc_mesh_get_element(a, i), q = toc_mesh_get_element(b, i);
        assert_int_equal(p.group, q.group);
        assert_memory_equal(&p.thickness, &q.thickness, sizeof p.thickness);
    }
}

void test_round_trip(const toc_mesh *mesh, const char *name) {
    char *folder = test_folder_make();
    const char *path = test_path(folder, name);
    toc_mesh *again;
    assert_ok(toc_mesh_write(path, mesh, TOC_AT_START));
    assert_ok(toc_mesh_read(path, NULL, &again));
    assert_same_mesh(mesh, again);
    same_data(mesh, again);
    toc_mesh_destroy(again);
    test_folder_remove(folder);
}

toc_mesh *test_every_shape(bool data) {
    test_random random = test_random_make(0);
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    double x[60];
    for (int i = 0; i < 60; i++) x[i] = test_random_between(&random, -1, 1);
    x[0] = -0.0;
    x[1] = 5e-324;
    x[2] = 1.7976931348623157e308;
    assert_ok(toc_mesh_add_vertices(mesh, 20, x, NULL));
    for (int round = 0; round < 3; round++)
        for (int shape = TOC_POINT; shape < TOC_SHAPE_COUNT; shape++) {
            uint32_t corners[8], element;
            for (uint32_t i = 0, first = test_random_below(&random, 20); i < 8; i++) corners[i] = (first + i) % 20;
            assert_ok(toc_mesh_add_elements(mesh, (toc_shape)shape, 1, corners, &element));
            if (data && round > 0) assert_ok(toc_mesh_set_group(mesh, element, INT32_MIN + (int32_t)element));
            if (data && round > 1) assert_ok(toc_mesh_set_thickness(mesh, element, 0.1 * shape));
        }
    return mesh;
}

char *test_corpus_read(const char *format, const char *name, size_t *count) {
    char path[512];
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s/%s", TOC_SOURCE_DIR, format, name);
    return test_file_read(path, count);
}

toc_mesh *test_corpus_mesh(const char *format, const char *name) {
    size_t count;
    char *bytes = test_corpus_read(format, name, &count);
    toc_mesh *mesh = test_read(name, bytes, count);
    free(bytes);
    return mesh;
}

toc_mesh *test_sequence_first(const char *path, toc_sequence **sequence) {
    toc_mesh *mesh;
    assert_ok(toc_sequence_open(1, &path, NULL, sequence));
    assert_ok(toc_sequence_take_velocities(*sequence, true));
    assert_ok(toc_sequence_read_first(*sequence, &mesh));
    return mesh;
}

static toc_status play_fields(toc_sequence *sequence, size_t frame, const toc_mesh *mesh) {
    toc_fields *fields;
    const toc_status status = toc_sequence_read_fields(sequence, frame, mesh, &fields);
    if (status != TOC_OK) return status;
    for (size_t i = 0; i < fields->count; i++)
        assert_int_equal(fields->fields[i].count, fields->fields[i].of_elements ? toc_mesh_get_element_count(mesh)
                                                                                : toc_mesh_get_vertex_count(mesh));
    toc_fields_destroy(fields);
    return TOC_OK;
}

toc_status test_play(const toc_allocator *allocator, void *user) {
    const char *path = user;
    toc_sequence *sequence;
    toc_mesh *mesh = NULL;
    toc_status status = toc_sequence_open(
        1, &path, &(toc_read_options){.size = sizeof(toc_read_options), .allocator = allocator}, &sequence);
    if (status != TOC_OK) return status;
    status = toc_sequence_read_first(sequence, &mesh);
    if (status == TOC_OK) status = play_fields(sequence, 0, mesh);
    for (size_t i = 1; i < toc_sequence_get_frame_count(sequence) && status == TOC_OK; i++) {
        status = toc_sequence_advance(sequence, i, mesh);
        if (status == TOC_OK) status = play_fields(sequence, i, mesh);
    }
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    return status;
}

void test_play_garbled(const char *path, const void *bytes, size_t count, int rounds) {
    test_random random = test_random_make(0);
    const size_t folder = (size_t)(strrchr(path, '/') - path);
    char *garbled = malloc(count);
    assert_non_null(garbled);
    for (int round = 0; round < rounds; round++) {
        memcpy(garbled, bytes, count);
        for (uint32_t changes = 1 + test_random_below(&random, 4); changes > 0; changes--)
            garbled[test_random_below(&random, (uint32_t)count)] = (char)test_random_bits(&random);
        test_file_write(path, garbled, count);
        if (test_play(NULL, (void *)(uintptr_t)path) == TOC_OK) continue;
        if (strncmp(toc_message_get(), path, folder) != 0) fail_msg("%s", toc_message_get());
    }
    free(garbled);
}

const char *test_nested_xml(const char *begin) {
    static char text[2000];
    snprintf(text, sizeof text, "%s", begin);
    for (size_t i = strlen(text); i + 3 < sizeof text; i += 3) memcpy(text + i, "<a>", 4);
    return text;
}
