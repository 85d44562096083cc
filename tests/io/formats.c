// SPDX-License-Identifier: Apache-2.0
// Requirements of every format: round trips bit for bit, broken files refused, lack of memory survived. A format in the
// table is tested here without further work.
#include "io/core/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/grid.h"
#include "support/meshes.h"

typedef struct file {
    char *bytes;
    size_t count;
} file;

static file load(const char *path) {
    FILE *from = fopen(path, "rb");
    assert_non_null(from);
    fseek(from, 0, SEEK_END);
    file f = {NULL, (size_t)ftell(from)};
    rewind(from);
    f.bytes = malloc(f.count + 1);
    assert_non_null(f.bytes);
    assert_int_equal(fread(f.bytes, 1, f.count, from), f.count);
    fclose(from);
    return f;
}

// "a" with the format's first extension, in a folder or without one.
static const char *name_of(const toc_format *format, const char *folder) {
    static char names[2][64];
    static int next;
    char *name = names[next++ % 2];
    snprintf(name, sizeof names[0], "a%.*s", (int)strcspn(format->info.extensions, " "), format->info.extensions);
    return folder ? test_path(folder, name) : name;
}

static bool both_ways(const toc_format *format) { return format->read && format->write; }

static file write_and_load(const toc_format *format, const toc_mesh *mesh, toc_end end) {
    char *folder = test_folder_make();
    const char *path = name_of(format, folder);
    assert_ok(toc_mesh_write(path, mesh, end));
    const file f = load(path);
    test_folder_remove(folder);
    return f;
}

static toc_mesh *there_and_back(const toc_format *format, const toc_mesh *mesh, toc_end end) {
    const file f = write_and_load(format, mesh, end);
    toc_mesh *back = NULL;
    assert_ok(test_mesh_parse(name_of(format, NULL), f.bytes, f.count, NULL, &back));
    free(f.bytes);
    return back;
}

static const toc_shape surface_shapes[] = {TOC_TRIANGLE, TOC_QUAD, TOC_EDGE, TOC_POINT};

// STL has no ids, glTF no doubles: their own tests check their round trips.
static bool keeps_all(const toc_format *format) {
    return both_ways(format) && format != &toc_format_stl && format != &toc_format_gltf;
}

static void doubles_of_every_size_survive(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (size_t i = 0; toc_format_at(i); i++) {
        const toc_format *format = toc_format_at(i);
        if (!keeps_all(format)) continue;
        for (size_t shapes = 1; shapes <= 4; shapes++) {
            toc_mesh *mesh = test_mesh_random(&random, surface_shapes, shapes, 64);
            toc_mesh *back = there_and_back(format, mesh, TOC_AT_START);
            assert_same_mesh(mesh, back);
            toc_mesh_destroy(back);
            toc_mesh_destroy(mesh);
        }
    }
}

// STL has no ids: the corners of each triangle survive.
static void triangles_survive_in_stl(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_mesh *mesh = test_mesh_random(&random, surface_shapes, 1, 400);
    toc_mesh *back = there_and_back(&toc_format_stl, mesh, TOC_AT_START);
    assert_int_equal(toc_mesh_get_element_count(back), toc_mesh_get_element_count(mesh));
    for (uint32_t i = 0; i < toc_mesh_get_element_count(mesh); i++) {
        for (int c = 0; c < 3; c++) {
            const double *x = toc_mesh_get_x0(mesh) + 3 * (size_t)toc_mesh_get_element(mesh, i).corners[c];
            const double *y = toc_mesh_get_x0(back) + 3 * (size_t)toc_mesh_get_element(back, i).corners[c];
            for (int k = 0; k < 3; k++) assert_double_same(x[k], y[k]);
        }
    }
    toc_mesh_destroy(back);
    toc_mesh_destroy(mesh);
}

static void the_end_of_the_step_can_be_written(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (size_t i = 0; toc_format_at(i); i++) {
        if (!keeps_all(toc_format_at(i))) continue;
        toc_mesh *mesh = test_grid_sheet(TOC_TRIANGLE, 3, 3);
        test_shake(mesh, &random, 0.1, 0.2);
        toc_mesh *back = there_and_back(toc_format_at(i), mesh, TOC_AT_END);
        const size_t bytes = 3 * toc_mesh_get_vertex_count(mesh) * sizeof(double);
        assert_memory_equal(toc_mesh_get_x0(back), toc_mesh_get_x1(mesh), bytes);
        assert_memory_not_equal(toc_mesh_get_x0(back), toc_mesh_get_x0(mesh), bytes);
        toc_mesh_destroy(back);
        toc_mesh_destroy(mesh);
    }
}

static void assert_closed(const toc_mesh *mesh) {
    toc_features *features;
    assert_ok(toc_mesh_find_features(mesh, &features));
    const uint32_t *first = features->edge_elements.first;
    for (size_t i = 0; i < features->edge_count; i++) assert_int_equal(first[i + 1] - first[i], 2);
    toc_features_destroy(features);
}

// Surface formats keep the boundary of a volume, and all vertex ids.
static void volumes_leave_their_boundary_in_surface_formats(void **state) {
    (void)state;
    const toc_format *const formats[] = {&toc_format_obj, &toc_format_ply, &toc_format_off, &toc_format_stl};
    for (int i = 0; i < 4; i++) {
        toc_mesh *mesh = test_grid_volume(TOC_HEX, 3, 3, 3);
        toc_mesh *back = there_and_back(formats[i], mesh, TOC_AT_START);
        assert_int_equal(toc_mesh_get_element_count(back), 6 * 9 * 2);
        assert_closed(back);
        assert_int_equal(toc_mesh_get_vertex_count(back), formats[i] == &toc_format_stl ? 56 : 64);
        toc_mesh_destroy(back);
        toc_mesh_destroy(mesh);
    }
}

static void a_removed_element_is_not_written(void **state) {
    (void)state;
    for (size_t i = 0; toc_format_at(i); i++) {
        if (!both_ways(toc_format_at(i))) continue;
        toc_mesh *mesh = test_grid_sheet(TOC_TRIANGLE, 2, 2);
        assert_ok(toc_mesh_remove_element(mesh, 3));
        toc_mesh *back = there_and_back(toc_format_at(i), mesh, TOC_AT_START);
        assert_int_equal(toc_mesh_get_element_count(back), 7);
        toc_mesh_destroy(back);
        toc_mesh_destroy(mesh);
    }
}

// A file of each format, large enough that every part of it is cut somewhere.
static file sample(const toc_format *format) {
    toc_mesh *mesh = test_sphere(2);
    const file f = write_and_load(format, mesh, TOC_AT_START);
    toc_mesh_destroy(mesh);
    return f;
}

// Any bytes give a mesh, or a message that names the file.
static void read_any(const char *name, const char *bytes, size_t count) {
    test_allocator memory;
    test_allocator_make(&memory, 0);
    toc_mesh *mesh = NULL;
    const toc_status status = test_mesh_parse(name, bytes, count, &memory.allocator, &mesh);
    if (status == TOC_OK) {
        assert_true(toc_mesh_get_element_count(mesh) > 0);
        toc_mesh_destroy(mesh);
    } else {
        assert_int_equal(status, TOC_BAD_INPUT);
        assert_ptr_equal(strstr(toc_message_get(), name), toc_message_get());
    }
    assert_int_equal(memory.alive, 0);
}

static void files_cut_short_anywhere(void **state) {
    (void)state;
    for (size_t i = 0; toc_format_at(i); i++) {
        if (!both_ways(toc_format_at(i))) continue;
        const file f = sample(toc_format_at(i));
        for (size_t percent = 0; percent < 100; percent++) {
            read_any(name_of(toc_format_at(i), NULL), f.bytes, f.count * percent / 100);
        }
        for (size_t cut = 1; cut < 20; cut++) read_any(name_of(toc_format_at(i), NULL), f.bytes, f.count - cut);
        free(f.bytes);
    }
}

static void files_with_bytes_changed(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (size_t i = 0; toc_format_at(i); i++) {
        if (!both_ways(toc_format_at(i))) continue;
        const file f = sample(toc_format_at(i));
        for (int round = 0; round < 1000; round++) {
            char kept[8];
            uint32_t where[8];
            for (int k = 0; k < 8; k++) { // half of them in the first bytes, where headers are
                where[k] = test_random_below(&random, (uint32_t)(k % 2 ? f.count : f.count < 300 ? f.count : 300));
                kept[k] = f.bytes[where[k]];
                f.bytes[where[k]] = (char)test_random_bits(&random);
            }
            read_any(name_of(toc_format_at(i), NULL), f.bytes, f.count);
            for (int k = 7; k >= 0; k--) f.bytes[where[k]] = kept[k];
        }
        free(f.bytes);
    }
}

static void garbage_under_any_name(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (size_t i = 0; toc_format_at(i); i++) {
        char bytes[512];
        for (int round = 0; round < 100; round++) {
            for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = (char)test_random_bits(&random);
            read_any(name_of(toc_format_at(i), NULL), bytes, sizeof bytes);
        }
        memset(bytes, ' ', sizeof bytes);
        read_any(name_of(toc_format_at(i), NULL), bytes, sizeof bytes);
        memset(bytes, 0, sizeof bytes);
        read_any(name_of(toc_format_at(i), NULL), bytes, sizeof bytes);
        read_any(name_of(toc_format_at(i), NULL), bytes, 0);
    }
}

static void a_line_without_end(void **state) {
    (void)state;
    const size_t count = 1 << 20;
    char *line = malloc(count);
    assert_non_null(line);
    for (size_t i = 0; toc_format_at(i); i++) {
        memset(line, '7', count);
        read_any(name_of(toc_format_at(i), NULL), line, count);
        memcpy(line, "v 1 1 ", 6);
        read_any(name_of(toc_format_at(i), NULL), line, count);
    }
    free(line);
}

typedef struct job {
    const toc_format *format;
    file content;
    const toc_mesh *mesh;
    const char *path;
} job;

static toc_status read_job(const toc_allocator *allocator, void *user) {
    const job *j = user;
    toc_mesh *mesh;
    const toc_status status =
        test_mesh_parse(name_of(j->format, NULL), j->content.bytes, j->content.count, allocator, &mesh);
    if (status == TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

static void out_of_memory_while_reading(void **state) {
    (void)state;
    for (size_t i = 0; toc_format_at(i); i++) {
        if (!both_ways(toc_format_at(i))) continue;
        job j = {.format = toc_format_at(i), .content = sample(toc_format_at(i))};
        assert_true(test_every_allocation(read_job, &j) > 3);
        free(j.content.bytes);
    }
}

static toc_status write_job(const toc_allocator *allocator, void *user) {
    const job *j = user;
    toc_mesh *mesh;
    toc_status status = test_mesh_parse(name_of(j->format, NULL), j->content.bytes, j->content.count, allocator, &mesh);
    if (status != TOC_OK) return status;
    status = toc_mesh_write(j->path, mesh, TOC_AT_START);
    assert_int_equal(access(j->path, F_OK), status == TOC_OK ? 0 : -1);
    unlink(j->path);
    toc_mesh_destroy(mesh);
    return status;
}

static void out_of_memory_while_writing(void **state) {
    (void)state;
    char *folder = test_folder_make();
    for (size_t i = 0; toc_format_at(i); i++) {
        if (!both_ways(toc_format_at(i))) continue;
        job j = {.format = toc_format_at(i), .content = sample(toc_format_at(i))};
        j.path = name_of(j.format, folder);
        test_every_allocation(write_job, &j);
        free(j.content.bytes);
    }
    test_folder_remove(folder);
}

static void the_content_tells_before_the_name(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.obj", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    toc_mesh_destroy(mesh);
    mesh = test_mesh_of("UPPER.OBJ", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    toc_mesh_destroy(mesh);
}

static void names_that_tell_nothing(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.obj", "v 0 0 0\n");
    assert_refused("a.docx", "hello", "a.docx: is of no format that can be read");
    assert_refused("obj", "v 0 0 0", "obj: is of no format");
    assert_fails(toc_mesh_write("a.docx", mesh, TOC_AT_START), TOC_BAD_INPUT, "a.docx: the extension names no format");
    assert_fails(toc_mesh_write("a", mesh, TOC_AT_START), TOC_BAD_INPUT, "a: the extension names no format");
    assert_fails(toc_mesh_read("missing.obj", NULL, &mesh), TOC_BAD_INPUT, "missing.obj: cannot be opened");
    toc_mesh_destroy(mesh);
}

// A name is bytes, not text.
static void names_in_no_encoding(void **state) {
    (void)state;
    char *folder = test_folder_make();
    const char *path = test_path(folder, "\xff\xfe %s \x80.obj");
    toc_mesh *mesh = test_mesh_of("a.obj", "v 0 0 0\n"), *back = NULL;
    assert_ok(toc_mesh_write(path, mesh, TOC_AT_START));
    assert_ok(toc_mesh_read(path, NULL, &back));
    toc_mesh_destroy(back);
    test_file_write(path, "v 0 0 x\n", 8);
    assert_fails(toc_mesh_read(path, NULL, &back), TOC_BAD_INPUT, "\xff\xfe %s \x80.obj:1: a number was expected");
    toc_mesh_destroy(mesh);
    test_folder_remove(folder);
}

static void formats_are_listed(void **state) {
    (void)state;
    size_t count = 0;
    for (toc_format_info info; toc_format_get(count, &info); count++) {
        assert_true(info.reads || info.writes);
        assert_int_equal(info.extensions[0], '.');
        assert_ptr_equal(toc_format_of_path(name_of(toc_format_at(count), NULL)), toc_format_at(count));
        assert_true(strlen(info.name) > 0 && strlen(info.what) > 0);
    }
    assert_true(count >= 4);
    assert_null(toc_format_at(count));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_of_every_size_survive),
        cmocka_unit_test(triangles_survive_in_stl),
        cmocka_unit_test(the_end_of_the_step_can_be_written),
        cmocka_unit_test(volumes_leave_their_boundary_in_surface_formats),
        cmocka_unit_test(a_removed_element_is_not_written),
        cmocka_unit_test(files_cut_short_anywhere),
        cmocka_unit_test(files_with_bytes_changed),
        cmocka_unit_test(garbage_under_any_name),
        cmocka_unit_test(a_line_without_end),
        cmocka_unit_test(out_of_memory_while_reading),
        cmocka_unit_test(out_of_memory_while_writing),
        cmocka_unit_test(the_content_tells_before_the_name),
        cmocka_unit_test(names_that_tell_nothing),
        cmocka_unit_test(names_in_no_encoding),
        cmocka_unit_test(formats_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
