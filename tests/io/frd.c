// SPDX-License-Identifier: Apache-2.0
// Results of CalculiX, in text and binary, as version 2.20 writes them: frames, groups of the deck, defects.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/core/format.h"
#include "support/reading.h"

#define DECK                                                                                                           \
    "*NODE\n10,0,0,0\n11,1,0,0\n12,0,1,0\n13,0,0,1\n20,0,0,2\n21,1,0,2\n22,0,1,2\n23,0,0,3\n*ELEMENT,TYPE=C3D4,ELSET=" \
    "FLOOR\n1,10,11,12,13\n*ELEMENT,TYPE=C3D4,ELSET=BALL\n2,20,21,22,23\n"

static void write_text(const char *path, const char *text) { test_file_write(path, text, strlen(text)); }

/// A folder with a result, a.frd, of the corpus.
typedef struct result {
    char *folder, path[256], *bytes;
    size_t count;
} result;

static result result_begin(const char *name) {
    result r = {.folder = test_folder_make()};
    snprintf(r.path, sizeof r.path, "%s", test_path(r.folder, "a.frd"));
    r.bytes = test_corpus_read("frd", name, &r.count);
    test_file_write(r.path, r.bytes, r.count);
    return r;
}

static void result_end(result *r) {
    free(r->bytes);
    test_folder_remove(r->folder);
}

/// Write the text with a part replaced: the first one behind `behind`, a text of its own.
static void write_changed(const result *r, const char *behind, const char *from, const char *to) {
    const char *at = strstr(strstr(r->bytes, behind), from);
    assert_non_null(at);
    const size_t before = (size_t)(at - r->bytes), after = r->count - before - strlen(from);
    char *changed = malloc(r->count + strlen(to));
    assert_non_null(changed);
    memcpy(changed, r->bytes, before);
    memcpy(changed + before, to, strlen(to));
    memcpy(changed + before + strlen(to), at + strlen(from), after);
    test_file_write(r->path, changed, before + strlen(to) + after);
    free(changed);
}

static toc_sequence *open_result(const char *path) {
    toc_sequence *sequence;
    assert_ok(toc_sequence_open(1, &path, NULL, &sequence));
    return sequence;
}

static void assert_label(const toc_mesh *mesh, uint32_t vertex, int64_t wanted) {
    int64_t label;
    assert_true(toc_mesh_get_vertex_label(mesh, vertex, &label));
    assert_int_equal(label, wanted);
}

// The ball, which starts 1.7 above the floor, is pressed down by 1.5 within a unit of time.
static void frames_in_text_and_binary(void **state) {
    (void)state;
    static const char *const names[] = {"text.frd", "binary.frd"};
    for (size_t i = 0; i < 2; i++) {
        result r = result_begin(names[i]);
        toc_sequence *sequence = open_result(r.path);
        toc_mesh *mesh;
        assert_int_equal(toc_sequence_get_frame_count(sequence), 2);
        assert_double_same(toc_sequence_get_time(sequence, 0), 0);
        assert_double_same(toc_sequence_get_time(sequence, 1), 1);
        assert_ok(toc_sequence_read_first(sequence, &mesh));
        assert_int_equal(toc_mesh_get_vertex_count(mesh), 8);
        assert_element(mesh, 0, TOC_TET, 0, 1, 2, 3);
        assert_element(mesh, 1, TOC_TET, 4, 5, 6, 7);
        assert_label(mesh, 3, 13);
        assert_label(mesh, 4, 20);
        assert_vertex(mesh, 7, 0.2, 0.2, 3);
        assert_ok(toc_sequence_advance(sequence, 1, mesh));
        assert_double_same(toc_mesh_get_x0(mesh)[3 * 7 + 2], 3);
        assert_double_same(toc_mesh_get_x1(mesh)[3 * 7 + 2], 1.5);
        toc_mesh_destroy(mesh);
        toc_sequence_close(sequence);
        result_end(&r);
    }
}

static toc_mesh *read_result(const char *path) {
    toc_mesh *mesh = NULL;
    assert_ok(toc_mesh_read(path, NULL, &mesh));
    return mesh;
}

static void assert_groups(const char *path, const char *first, const char *second) {
    toc_mesh *mesh = read_result(path);
    const char *const wanted[] = {first, second};
    for (uint32_t e = 0; e < 2; e++) {
        const char *name = toc_mesh_get_group_name(mesh, toc_mesh_get_element(mesh, e).group);
        assert_non_null(name);
        assert_string_equal(name, wanted[e]);
    }
    toc_mesh_destroy(mesh);
}

// Names are in the deck alone. One that is missing, broken, or of another model leaves the materials.
static void parts_by_the_deck(void **state) {
    (void)state;
    result r = result_begin("text.frd");
    char *deck = strdup(test_path(r.folder, "a.inp"));
    assert_groups(r.path, "STEEL", "STEEL");
    write_text(deck, DECK);
    assert_groups(r.path, "FLOOR", "BALL");
    write_text(deck, "*NODE\n1,0,0,0\n*ELEMENT,TYPE=FROB,ELSET=E\n1,1\n");
    assert_groups(r.path, "STEEL", "STEEL");
    write_text(deck, "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n*ELEMENT,TYPE=S3,ELSET=SHELL\n1,1,2,3\n");
    assert_groups(r.path, "STEEL", "STEEL");
    write_text(deck, "*PART,NAME=P\n" DECK "*END PART\n*ASSEMBLY,NAME=A\n*INSTANCE,NAME=I,PART=P\n*END INSTANCE\n"
                     "*INSTANCE,NAME=J,PART=P\n0,0,9\n*END INSTANCE\n*END ASSEMBLY\n");
    assert_groups(r.path, "STEEL", "STEEL");
    free(deck);
    result_end(&r);
}

static size_t count_frames(const char *path) {
    toc_sequence *sequence = open_result(path);
    const size_t count = toc_sequence_get_frame_count(sequence);
    toc_sequence_close(sequence);
    return count;
}

static void modes_are_no_motion(void **state) {
    (void)state;
    result r = result_begin("text.frd");
    assert_int_equal(count_frames(r.path), 2);
    write_changed(&r, "  100C", " 0    1  ", " 2    1  "); // vibration
    assert_int_equal(count_frames(r.path), 1);
    write_changed(&r, "  100C", " 0    1  ", " 4    1  "); // buckling
    assert_int_equal(count_frames(r.path), 1);
    write_changed(&r, "  100C", " 0    1  ", " 1    1  "); // steps of time
    assert_int_equal(count_frames(r.path), 2);
    write_changed(&r, " -4", "DISP", "STRS"); // without displacements
    assert_int_equal(count_frames(r.path), 1);
    write_changed(&r, "  100C", "1.000000000", "0.000000000"); // the result has its own start
    assert_int_equal(count_frames(r.path), 1);
    result_end(&r);
}

// A block of velocities for the same increment.
static void velocities_of_an_increment(void **state) {
    (void)state;
    result r = result_begin("text.frd");
    const char *from = strstr(r.bytes, "    1PSTEP"), *end = strstr(from, " 9999");
    const size_t count = (size_t)(end - from);
    char *more = malloc(r.count + count + 1);
    assert_non_null(more);
    memcpy(more, r.bytes, (size_t)(end - r.bytes));
    memcpy(more + (end - r.bytes), from, count);
    memcpy(strstr(more + (end - r.bytes), "DISP"), "VELO", 4);
    memcpy(more + (end - r.bytes) + count, " 9999\n", 6);
    test_file_write(r.path, more, (size_t)(end - r.bytes) + count + 6);
    free(more);
    toc_sequence *sequence = open_result(r.path);
    toc_mesh *mesh;
    assert_int_equal(toc_sequence_get_frame_count(sequence), 2);
    assert_ok(toc_sequence_take_velocities(sequence, true));
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    assert_null(toc_sequence_get_velocities(sequence));
    assert_ok(toc_sequence_advance(sequence, 1, mesh));
    assert_non_null(toc_sequence_get_velocities(sequence));
    assert_double_same(toc_sequence_get_velocities(sequence)[3 * 7 + 2], -1.5);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    result_end(&r);
}

/// A result for the increment of the file: `count` components, the first one `first`, each node 10 more than the last.
static size_t put_result(char *to, size_t room, const char *name, int count, double first, const char *last) {
    static const char head[] = "  100CL  102 1.000000000           8                     0    1           1\n";
    static const int nodes[] = {10, 11, 12, 13, 20, 21, 22, 23};
    size_t at = (size_t)snprintf(to, room, "%s -4  %-8s%5d    1\n", head, name, count);
    for (int k = 0; k < count; k++) at += (size_t)snprintf(to + at, room - at, " -5  C%-7d    1    4    1    1\n", k);
    for (int n = 0; n < 8; n++) {
        at += (size_t)snprintf(to + at, room - at, " -1%10d", nodes[n]);
        for (int k = 0; k < count; k++)
            at += (size_t)(n == 7 && k == 0 ? snprintf(to + at, room - at, "%12s", last)
                                            : snprintf(to + at, room - at, "%12.5E", first + 10 * n + k));
        at += (size_t)snprintf(to + at, room - at, "\n");
    }
    return at + (size_t)snprintf(to + at, room - at, " -3\n");
}

static const toc_field *find_field(const toc_fields *fields, const char *name) {
    for (size_t i = 0; i < fields->count; i++)
        if (strcmp(fields->fields[i].name, name) == 0) return &fields->fields[i];
    return NULL;
}

static void write_results(const result *r) {
    char more[8192];
    size_t at = put_result(more, sizeof more, "STRESS", 6, 1, "71.0");
    at += put_result(more + at, sizeof more - at, "NDTEMP", 1, 5, "75.0");
    at += put_result(more + at, sizeof more - at, "FLUX", 3, 2, "72.0");
    at += put_result(more + at, sizeof more - at, "TOSTRAIN", 6, 2, "72.0");
    at += put_result(more + at, sizeof more - at, "PE", 1, 2, "1.0-Inf"); // no number
    snprintf(more + at, sizeof more - at, " 9999\n");
    write_changed(r, "  100C", " 9999\n", more);
}

// Of a stress the von Mises stress; other tensors, and a result that is broken, refuse nothing and are left out.
static void other_results_are_fields(void **state) {
    (void)state;
    result r = result_begin("text.frd");
    write_results(&r);
    toc_sequence *sequence;
    toc_fields *fields;
    toc_mesh *mesh = test_sequence_first(r.path, &sequence);
    assert_int_equal(toc_sequence_get_frame_count(sequence), 2);
    assert_ok(toc_sequence_read_fields(sequence, 0, mesh, &fields));
    assert_int_equal(fields->count, 0); // at rest
    toc_fields_destroy(fields);
    assert_ok(toc_sequence_advance(sequence, 1, mesh));
    assert_ok(toc_sequence_read_fields(sequence, 1, mesh, &fields));
    assert_int_equal(fields->count, 3);
    assert_double_same(find_field(fields, "NDTEMP")->values[6], 65);
    assert_int_equal(find_field(fields, "FLUX")->components, 3);
    assert_double_same(find_field(fields, "FLUX")->values[3 * 7 + 2], 74);
    for (size_t i = 0; i < 8; i++) {
        const double s = 1 + 10 * (double)i;
        const double wanted = sqrt(0.5 * (1 + 1 + 4) + 3 * ((s + 3) * (s + 3) + (s + 4) * (s + 4) + (s + 5) * (s + 5)));
        assert_double_same(find_field(fields, "von Mises stress")->values[i], wanted);
    }
    toc_fields_destroy(fields);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    result_end(&r);
}

static const struct {
    const char *behind, *from, *to, *words;
} defects[] = {
    {"    2C", "  8 ", "  9 ", "a.frd:22: a node and its values were expected"},
    {"    2C", "           8 ", "999999999999 ", "a.frd:13: 999999999999 items are promised"},
    {"    2C", "  8 ", "  7 ", "more than the 7 items"},
    {"    2C", "   1\n", "   7\n", "a.frd:13: the format 7 is unknown"},
    {"    2C", "        10 ", "        11 ", "11"}, // twice
    {"    2C", " 1.00000E+00 0.0", " nan         0.0", "a.frd:15: a number was expected"},
    {"    2C", " -1        12", " -2        12", "a.frd:16: a node and its values were expected"},
    {"    3C", "    3    0", "   13    0", "a.frd:24: elements of type 13 are not read"},
    {"    3C", "        12        13", "        12        99", "a.frd:24: an element has node 99, which has no coordi"},
    {"    3C", " -2 ", " -1 ", "a.frd:25: the nodes of an element were expected"},
    {"    3C", "    3C", "    2C", "a.frd:23: there is a second block of nodes"},
    {"  100C", "1.000000000", "1.0e        ", "a.frd:30: a time was expected"},
    {"  100C", "    1           1", "    1           9", "a.frd:30: the format 9 is unknown"},
    {" -4", "    4    1", "   99    1", "a.frd:31: a result of kind 1 with 99 fields is not read"},
    {" -5", " -5", " -6", "a.frd:32: a field of the result was expected"},
    {" -5", " -1        23", " -1        22", "a.frd:36: there are values of 8 nodes, not of all 8"},
    {" -5", " -1        23", " -1        99", "a.frd:43: there are values of node 99, which has no coordinates"},
    {" 9999", " 9999\n", "", "the file has no end"},
};

static void defects_are_told_with_their_line(void **state) {
    (void)state;
    result r = result_begin("text.frd");
    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
        write_changed(&r, defects[i].behind, defects[i].from, defects[i].to);
        assert_fails(test_play(NULL, r.path), TOC_BAD_INPUT, defects[i].words);
        assert_int_equal(strncmp(toc_message_get(), r.path, strlen(r.path)), 0);
    }
    result_end(&r);
}

static void cut_garbled_and_starved(void **state) {
    (void)state;
    static const char *const names[] = {"text.frd", "binary.frd"};
    for (size_t i = 0; i < 2; i++) {
        result r = result_begin(names[i]);
        write_text(test_path(r.folder, "a.inp"), DECK);
        assert_true(test_every_allocation(test_play, r.path) > 1);
        for (size_t cut = 0; cut < r.count - 5; cut += 7) { // the last line is 9999
            test_file_write(r.path, r.bytes, cut);
            assert_fails(test_play(NULL, r.path), TOC_BAD_INPUT, r.path);
        }
        test_random random = test_random_make(0);
        for (int round = 0; round < test_less(1000, 100); round++) {
            char *garbled = malloc(r.count);
            assert_non_null(garbled);
            memcpy(garbled, r.bytes, r.count);
            for (uint32_t changes = 1 + test_random_below(&random, 4); changes > 0; changes--)
                garbled[test_random_below(&random, (uint32_t)r.count)] = (char)test_random_bits(&random);
            test_file_write(r.path, garbled, r.count);
            if (test_play(NULL, r.path) != TOC_OK)
                assert_int_equal(strncmp(toc_message_get(), r.path, strlen(r.path)), 0);
            free(garbled);
        }
        result_end(&r);
    }
}

// Corners of every type of element, narrow columns, and lines that go on.
static void every_type_in_narrow_columns(void **state) {
    (void)state;
    static const struct {
        int type, nodes;
        toc_shape shape;
    } types[] = {{1, 8, TOC_HEX},    {2, 6, TOC_WEDGE}, {3, 4, TOC_TET},      {4, 20, TOC_HEX},
                 {5, 15, TOC_WEDGE}, {6, 10, TOC_TET},  {7, 3, TOC_TRIANGLE}, {8, 6, TOC_TRIANGLE},
                 {9, 4, TOC_QUAD},   {10, 8, TOC_QUAD}, {11, 2, TOC_EDGE},    {12, 3, TOC_EDGE}};
    char *folder = test_folder_make(), *path = strdup(test_path(folder, "a.frd"));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[4096];
        toc_mesh_report report;
        size_t at = (size_t)snprintf(text, sizeof text, "    1C\n    1UUSER\n    2C%18s%12d%37s%d\n", "", 20, "", 0);
        for (int n = 1; n <= 20; n++)
            at += (size_t)snprintf(text + at, sizeof text - at, " -1%5d%12.5E%12.5E%12.5E\n", n, (double)n, 0.5, 0.);
        at += (size_t)snprintf(text + at, sizeof text - at, " -3\n    3C%18s%12d%37s%d\n -1%5d%5d%5d%5d", "", 1, "", 0,
                               7, types[i].type, 0, 3);
        for (int n = 1; n <= types[i].nodes; n++)
            at += (size_t)snprintf(text + at, sizeof text - at, n % 15 == 1 ? "\n -2%5d" : "%5d", n);
        snprintf(text + at, sizeof text - at, "\n -3\n 9999\n");
        write_text(path, text);
        toc_mesh *mesh = read_result(path);
        assert_ok(toc_mesh_inspect(mesh, &report));
        assert_int_equal(toc_mesh_get_element(mesh, 0).shape, types[i].shape);
        assert_int_equal(toc_mesh_get_element(mesh, 0).group, 3);
        assert_int_equal(report.higher_order, types[i].nodes > toc_shape_count_corners(types[i].shape));
        toc_mesh_destroy(mesh);
    }
    free(path);
    test_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_in_text_and_binary), cmocka_unit_test(parts_by_the_deck),
        cmocka_unit_test(modes_are_no_motion),       cmocka_unit_test(velocities_of_an_increment),
        cmocka_unit_test(other_results_are_fields),  cmocka_unit_test(defects_are_told_with_their_line),
        cmocka_unit_test(cut_garbled_and_starved),   cmocka_unit_test(every_type_in_narrow_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
