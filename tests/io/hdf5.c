// SPDX-License-Identifier: Apache-2.0
// The reader of HDF5: files of HDF5's own library (python3-h5py), in its old and new layouts, number by number.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/hdf5.h"
#include "support/reading.h"

typedef struct opened {
    char *folder;
    toc_source source;
    toc_hdf5 file;
} opened;

/// False where there is no h5py.
static bool opened_begin(const char *way, opened *o) {
    char command[1024];
    o->folder = test_folder_make();
    static char path[256];
    snprintf(path, sizeof path, "%s", test_path(o->folder, "a.h5"));
    snprintf(command, sizeof command, "/usr/bin/python3 '%s/tests/io/files/hdf5.py' %s '%s' >/dev/null 2>&1",
             TOC_SOURCE_DIR, way, path);
    if (system(command) != 0) {
        print_message("skipped: no python3-h5py that writes a file (%s)\n", way);
        test_folder_remove(o->folder);
        return false;
    }
    assert_ok(toc_source_open_as_is(path, NULL, &o->source));
    assert_ok(toc_hdf5_open(&o->source, &o->file));
    return true;
}

static void opened_end(opened *o) {
    toc_source_close(&o->source);
    test_folder_remove(o->folder);
}

static uint64_t find(const opened *o, const char *path) {
    uint64_t object;
    assert_ok(toc_hdf5_find(&o->file, o->file.root, path, &object));
    return object;
}

static toc_hdf5_array describe(const opened *o, const char *path) {
    toc_hdf5_array array;
    const uint64_t object = find(o, path);
    if (object == TOC_HDF5_NONE) fail_msg("%s is missing", path);
    assert_ok(toc_hdf5_describe(&o->file, object, &array));
    return array;
}

/// The numbers 0, 1, 2, ... in 7 x 5 x 3 places; each range of rows by itself.
static void assert_grid(const opened *o, const char *path) {
    const toc_hdf5_array array = describe(o, path);
    assert_int_equal(array.rank, 3);
    assert_int_equal(toc_hdf5_row_items(&array), 15);
    for (uint64_t first = 0; first < 7; first++)
        for (uint64_t count = 0; first + count <= 7; count++) {
            double x[7 * 15];
            assert_ok(toc_hdf5_doubles(&o->file, &array, first, count, 15, x));
            for (uint64_t i = 0; i < 15 * count; i++) assert_double_same(x[i], (double)(15 * first + i));
        }
    assert_fails(toc_hdf5_doubles(&o->file, &array, 3, 5, 15, (double[1]){0}), TOC_BAD_INPUT, "fewer rows");
    assert_fails(toc_hdf5_doubles(&o->file, &array, 0, 1, 3, (double[3]){0}), TOC_BAD_INPUT, "have 15 numbers, not 3");
}

static void assert_integers(const opened *o, const char *path, uint64_t count, int64_t first) {
    const toc_hdf5_array array = describe(o, path);
    int64_t *x = calloc(count + 1, sizeof *x);
    assert_non_null(x);
    const uint64_t row = toc_hdf5_row_items(&array);
    assert_ok(toc_hdf5_integers(&o->file, &array, 0, count, row, x));
    assert_fails(toc_hdf5_integers(&o->file, &array, 0, count, row + 1, x), TOC_BAD_INPUT, "the rows of an array have");
    for (uint64_t i = 0; i < count; i++) assert_int_equal(x[i], first + (int64_t)i);
    free(x);
}

static void assert_attributes(const opened *o) {
    toc_hdf5_array array;
    bool found;
    int64_t count;
    double x;
    char name[32], text[13] = {0};
    const uint64_t few = find(o, "/few");
    assert_ok(toc_hdf5_attribute(&o->file, few, "count", &array, &found));
    assert_true(found);
    assert_ok(toc_hdf5_integers(&o->file, &array, 0, 1, 1, &count));
    assert_int_equal(count, 7);
    assert_ok(toc_hdf5_attribute(&o->file, few, "text", &array, &found));
    assert_true(found && array.is_text && array.item == 12);
    assert_ok(toc_hdf5_row_bytes(&o->file, &array, 0, text));
    assert_string_equal(text, "twelve bytes");
    assert_ok(toc_hdf5_attribute(&o->file, few, "none", &array, &found));
    assert_false(found);
    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof name, "attribute%d", i);
        assert_ok(toc_hdf5_attribute(&o->file, find(o, "full"), name, &array, &found));
        assert_true(found);
        assert_ok(toc_hdf5_doubles(&o->file, &array, 0, 1, 1, &x));
        assert_double_same(x, 1.5 * i);
    }
}

static void assert_file(const char *way) {
    opened o;
    if (!opened_begin(way, &o)) return;
    assert_grid(&o, "piece");
    assert_grid(&o, "chunks");
    assert_grid(&o, "single");
#ifdef TOC_HAVE_ZLIB
    assert_grid(&o, "packed");
#endif
    if (strcmp(way, "new") != 0) assert_grid(&o, "growing");
#ifdef TOC_HAVE_ZLIB
    if (strcmp(way, "new") != 0) assert_integers(&o, "long", 3000, 0); // pages
#endif
    assert_integers(&o, "swapped", 10, -5);
    assert_integers(&o, "bytes", 10, 241);
    assert_integers(&o, "compact", 4, 0);
    assert_integers(&o, "empty", 0, 0);
    assert_integers(&o, "one", 1, 42);
    double x[12];
    toc_hdf5_array array = describe(&o, "floats");
    assert_ok(toc_hdf5_doubles(&o.file, &array, 0, 10, 1, x));
    for (int i = 0; i < 10; i++) assert_double_same(x[i], i / 4.0);
    array = describe(&o, "never written");
    assert_ok(toc_hdf5_doubles(&o.file, &array, 0, 4, 3, x));
    for (int i = 0; i < 12; i++) assert_double_same(x[i], 0);
    for (int i = 0; i < 300; i++) {
        char path[32];
        snprintf(path, sizeof path, "many/link%d", i);
        assert_integers(&o, path, 1, i);
    }
    assert_true(find(&o, "many/link300") == TOC_HDF5_NONE);
    assert_fails(toc_hdf5_describe(&o.file, find(&o, "many"), &array), TOC_BAD_INPUT, "in the place of a group");
    assert_attributes(&o);
    opened_end(&o);
}

static void old_layouts(void **state) {
    (void)state;
    assert_file("old");
}

static void layouts_of_1_8(void **state) {
    (void)state;
    assert_file("v18");
}

static void new_layouts(void **state) {
    (void)state;
    assert_file("new");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_layouts),
        cmocka_unit_test(layouts_of_1_8),
        cmocka_unit_test(new_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
