// SPDX-License-Identifier: Apache-2.0
// Results of LS-DYNA: families made here in every word size and byte order, and a real one.
#include "io/dyna/d3plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/reading.h"

/// A file being made, word by word.
typedef struct writer {
    int word_size;
    bool big_endian;
    size_t count; // bytes
    char bytes[1 << 15];
} writer;

static void put_bytes(writer *w, const void *value) {
    const unsigned char *from = value; // of the machine, which is little-endian where tests run
    for (int i = 0; i < w->word_size; i++)
        w->bytes[w->count++] = (char)from[w->big_endian == TOC_BIG_ENDIAN_HOST ? i : w->word_size - 1 - i];
}

static void put_integer(writer *w, int64_t x) {
    const int32_t small = (int32_t)x;
    put_bytes(w, w->word_size == 4 ? (const void *)&small : &x);
}

static void put_integers(writer *w, int count, const int64_t *from) {
    for (int i = 0; i < count; i++) put_integer(w, from[i]);
}

static void put_real(writer *w, double x) {
    const float small = (float)x;
    put_bytes(w, w->word_size == 4 ? (const void *)&small : &x);
}

static void put_reals(writer *w, size_t count, double x) {
    for (size_t i = 0; i < count; i++) put_real(w, x);
}

static void put_title(writer *w, const char *text, size_t bytes) {
    memset(w->bytes + w->count, ' ', bytes);
    memcpy(w->bytes + w->count, text, strlen(text));
    w->count += bytes;
}

/// The parameters of the files, and their folder.
typedef struct family {
    writer w;
    char *folder;
    bool one_file, titles, renumbered, temperatures_first;
    bool results;                // the control words tell what the results of elements are
    int64_t temperatures, rigid; // IT; shells without data
    int states;
    int64_t control[64];
} family;

enum { NODES = 13, SOLIDS = 4, THICK = 1, BEAMS = 2, SHELLS = 3, GLOBALS = 8, ELEMENTS = 10 };

static const double nodes[NODES][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1},   {1, 1, 1},
                                       {0, 1, 1}, {3, 0, 0}, {4, 0, 0}, {4, 1, 0}, {3, 1, 0}, {3.5, .5, 2}};

/// Hex, tet, pyramid, wedge; a thick shell of three corners; beams with their orientation node; shells.
static const int64_t solids[SOLIDS][9] = {{1, 2, 3, 4, 5, 6, 7, 8, 1},
                                          {9, 10, 11, 13, 13, 13, 13, 13, 2},
                                          {9, 10, 11, 12, 13, 13, 13, 13, 2},
                                          {1, 2, 3, 4, 5, 5, 8, 8, 1}};
static const int64_t thick[THICK][9] = {{1, 2, 3, 3, 5, 6, 7, 7, 3}};
static const int64_t beams[BEAMS][6] = {{1, 9, 13, 0, 0, 4}, {2, 10, 13, 0, 0, 4}};
static const int64_t shells[SHELLS][5] = {{9, 10, 11, 12, 3}, {9, 10, 11, 11, 3}, {5, 6, 7, 8, 3}};

static family make(int word_size, bool big_endian) {
    family f = {.w = {.word_size = word_size, .big_endian = big_endian}, .titles = true, .states = 3};
    f.folder = test_folder_make();
    int64_t *c = f.control;
    c[11] = 1, c[15] = 4, c[16] = NODES, c[17] = 6, c[18] = GLOBALS, c[20] = c[21] = c[22] = 1;
    c[23] = SOLIDS, c[27] = 7, c[28] = BEAMS, c[30] = 6, c[31] = SHELLS, c[33] = 33, c[36] = -10003;
    c[40] = THICK, c[42] = 21, c[51] = 4;
    return f;
}

static const char *path_of(const family *f, int number) {
    char name[32];
    snprintf(name, sizeof name, number ? "d3plot%02d" : "d3plot", number);
    return test_path(f->folder, name);
}

static void save(family *f, int number) {
    test_file_write(path_of(f, number), f->w.bytes, f->w.count);
    f->w.count = 0;
}

static void put_geometry(family *f) {
    writer *w = &f->w;
    for (int i = 43; i < 47 && f->results; i++) f->control[i] = 1000;
    f->control[19] = f->temperatures;
    f->control[15] = f->rigid ? 5 : 4;
    f->control[39] = f->renumbered ? 16 + NODES + ELEMENTS + 3 * 4 : 0;
    put_title(w, "A result made by a test", 10 * (size_t)w->word_size);
    for (int i = 10; i < 64; i++) put_integer(w, f->control[i]);
    if (f->rigid) {
        put_integer(w, f->rigid);
        put_integer(w, 4);
        for (int i = 0; i < 4; i++) put_integer(w, i == 2 ? 20 : 1);
    }
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < 3; k++) put_real(w, nodes[i][k]);
    put_integers(w, SOLIDS * 9, &solids[0][0]);
    put_integers(w, THICK * 9, &thick[0][0]);
    put_integers(w, BEAMS * 6, &beams[0][0]);
    for (int i = 0; i < SHELLS; i++) {
        put_integers(w, 4, shells[i]);
        put_integer(w, f->results && i == 0 ? 4 : shells[i][4]);
    }
}

/// Word k of element e is 100 e + k.
static void put_results(writer *w, int elements, int words) {
    for (int e = 0; e < elements; e++)
        for (int k = 0; k < words; k++) put_real(w, 100 * e + k);
}

static void put_all_results(family *f) {
    put_results(&f->w, SOLIDS, 7);
    put_results(&f->w, THICK, 21);
    put_results(&f->w, BEAMS, 6);
    put_results(&f->w, SHELLS - (int)f->rigid, 33);
}

static void put_user_numbers(family *f) {
    static const int64_t sorted[] = {5, 70, 100, 900}, given[] = {100, 5, 900, 70}, order[] = {2, 4, 1, 3};
    put_integer(&f->w, -1);
    for (int i = 1; i < 16; i++) put_integer(&f->w, 0);
    for (int i = 0; i < NODES + ELEMENTS; i++) put_integer(&f->w, 1000 + i);
    put_integers(&f->w, 4, sorted);
    put_integers(&f->w, 4, given);
    put_integers(&f->w, 4, order);
}

static void put_titles(family *f) {
    writer *w = &f->w;
    put_real(w, TOC_D3_MARKER);
    put_integer(w, 90001);
    put_integer(w, 2);
    put_integer(w, f->renumbered ? 100 : 1);
    put_title(w, "bumper", 72);
    put_integer(w, f->renumbered ? 5 : 2);
    put_title(w, "l\xe4ngstr\xe4ger", 72);
    put_integer(w, 90000);
    put_title(w, "A result made by a test", 72);
    put_real(w, TOC_D3_MARKER);
}

/// State `s`: everything is `s` higher; from state 1 on the tet is gone, from state 2 on the first shell and both
/// beams.
static void put_state(family *f, int s) {
    writer *w = &f->w;
    const size_t extras = f->temperatures == 12 ? 5 : f->temperatures ? 1 : 0;
    put_real(w, 0.5 * s);
    put_reals(w, GLOBALS, 7);
    if (f->temperatures_first) put_reals(w, extras * NODES, 293);
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < 3; k++) put_real(w, nodes[i][k] + (k == 2 ? s : 0));
    if (!f->temperatures_first) put_reals(w, extras * NODES, 293);
    for (int i = 0; i < 3 * NODES; i++) put_real(w, i + 0.25 * s); // velocities
    put_reals(w, 3 * NODES, 0.25);                                 // accelerations
    put_all_results(f);
    for (int i = 0; i < SOLIDS; i++) put_real(w, i == 1 && s > 0 ? 0 : 1);
    put_real(w, 3);
    for (int i = 0; i < SHELLS; i++) put_real(w, i == 0 && s > 1 ? 0 : 3);
    put_reals(w, BEAMS, s > 1 ? 0 : 4);
}

static void write_family(family *f) {
    put_geometry(f);
    if (f->renumbered) put_user_numbers(f);
    if (f->titles && !f->one_file) put_titles(f);
    if (!f->one_file) save(f, 0);
    for (int s = 0; s < f->states; s++) {
        put_state(f, s);
        if (f->one_file) continue;
        put_real(&f->w, TOC_D3_MARKER);
        put_reals(&f->w, 20, 0); // up to the next block
        save(f, s + 1);
    }
    if (!f->one_file) return;
    put_real(&f->w, TOC_D3_MARKER);
    save(f, 0);
}

static void check_shapes(const toc_mesh *mesh) {
    assert_int_equal(toc_mesh_get_vertex_count(mesh), NODES);
    assert_int_equal(toc_mesh_get_element_count(mesh), ELEMENTS);
    assert_element(mesh, 0, TOC_HEX, 0, 1, 2, 3, 4, 5, 6, 7);
    assert_element(mesh, 1, TOC_TET, 8, 9, 10, 12);
    assert_element(mesh, 2, TOC_PYRAMID, 8, 9, 10, 11, 12);
    assert_element(mesh, 3, TOC_WEDGE, 0, 1, 4, 3, 2, 7);
    assert_element(mesh, 4, TOC_WEDGE, 0, 2, 1, 4, 6, 5);
    assert_element(mesh, 5, TOC_EDGE, 0, 8);
    assert_element(mesh, 7, TOC_QUAD, 8, 9, 10, 11);
    assert_element(mesh, 8, TOC_TRIANGLE, 8, 9, 10);
    toc_mesh_report report;
    assert_ok(toc_mesh_inspect(mesh, &report));
    assert_int_equal(report.inverted, 0);
}

/// From state to state: times, positions, and deleted elements.
static void play(const family *f) {
    const char *path = path_of(f, 0);
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(toc_sequence_open(1, &path, NULL, &sequence));
    assert_int_equal(toc_sequence_get_frame_count(sequence), 3);
    assert_double_same(toc_sequence_get_time(sequence, 2), 1);
    assert_ok(toc_sequence_take_velocities(sequence, true));
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    assert_double_same(toc_sequence_get_velocities(sequence)[3 * 12 + 2], 38);
    check_shapes(mesh);
    assert_double_same(toc_mesh_get_x1(mesh)[3 * 12], 3.5);
    for (int s = 1; s < 3; s++) {
        assert_ok(toc_sequence_advance(sequence, (size_t)s, mesh));
        assert_double_same(toc_mesh_get_x0(mesh)[3 * 12 + 2], 1 + s);
        assert_double_same(toc_mesh_get_x1(mesh)[3 * 12 + 2], 2 + s);
        assert_double_same(toc_sequence_get_velocities(sequence)[3 * 12], 36 + 0.25 * s);
        for (uint32_t e = 0; e < ELEMENTS; e++) {
            const bool gone = e == 1 || (s == 2 && (e == 5 || e == 6 || e == 7));
            assert_int_equal(toc_mesh_get_element(mesh, e).shape == TOC_REMOVED, gone);
        }
    }
    assert_fails(toc_sequence_advance(sequence, 1, mesh), TOC_BAD_INPUT, "d3plot: element 5 is there again");
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
}

static void every_word_size_and_byte_order(void **state) {
    (void)state;
    for (int way = 0; way < 8; way++) {
        family f = make(way & 1 ? 8 : 4, way & 2);
        f.one_file = way & 4;
        write_family(&f);
        play(&f);
        test_folder_remove(f.folder);
    }
}

static void shells_of_rigid_parts_have_no_data(void **state) {
    (void)state;
    family f = make(4, false);
    f.rigid = 2;
    write_family(&f);
    play(&f);
    test_folder_remove(f.folder);
}

// Where they stand is not the same in all versions.
static void temperatures_before_or_behind_the_coordinates(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        family f = make(8, false);
        f.temperatures = way & 1 ? 12 : 1;
        f.temperatures_first = way & 2;
        write_family(&f);
        play(&f);
        test_folder_remove(f.folder);
    }
}

static void parts_as_the_user_numbered_and_named_them(void **state) {
    (void)state;
    static const int32_t counted[] = {1, 2, 3, 4}, given[] = {100, 5, 900, 70};
    for (int renumbered = 0; renumbered < 2; renumbered++) {
        family f = make(renumbered ? 4 : 8, false);
        f.renumbered = renumbered;
        write_family(&f);
        const int32_t *numbers = renumbered ? given : counted;
        toc_mesh *mesh;
        assert_ok(toc_mesh_read(path_of(&f, 0), NULL, &mesh));
        assert_int_equal(toc_mesh_get_element(mesh, 0).group, numbers[0]);
        assert_int_equal(toc_mesh_get_element(mesh, 1).group, numbers[1]);
        assert_int_equal(toc_mesh_get_element(mesh, 8).group, numbers[2]);
        assert_int_equal(toc_mesh_get_element(mesh, 5).group, numbers[3]);
        assert_string_equal(toc_mesh_get_group_name(mesh, numbers[0]), "bumper");
        assert_string_equal(toc_mesh_get_group_name(mesh, numbers[1]), "l?ngstr?ger");
        int64_t label;
        assert_true(toc_mesh_get_vertex_label(mesh, 3, &label));
        assert_int_equal(label, renumbered ? 1003 : 4);
        assert_true(toc_mesh_get_element_label(mesh, SOLIDS, &label) == renumbered); // a thick shell
        assert_int_equal(label, renumbered ? 1000 + NODES + SOLIDS + BEAMS + SHELLS : SOLIDS);
        toc_mesh_destroy(mesh);
        test_folder_remove(f.folder);
    }
}

// `check d3plot*` names the members, too: the first file speaks for them.
static void members_given_beside_the_first_file(void **state) {
    (void)state;
    family f = make(4, false);
    write_family(&f);
    char names[4][256];
    const char *paths[4];
    for (int i = 0; i < 4; i++) {
        snprintf(names[i], sizeof names[i], "%s", path_of(&f, i));
        paths[i] = names[i];
    }
    toc_sequence *sequence;
    assert_ok(toc_sequence_open(4, paths, NULL, &sequence));
    assert_int_equal(toc_sequence_get_frame_count(sequence), 3);
    toc_sequence_close(sequence);
    test_folder_remove(f.folder);
}

static void geometry_alone_is_one_frame(void **state) {
    (void)state;
    family f = make(4, true);
    f.states = 0;
    write_family(&f);
    const char *path = path_of(&f, 0);
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(toc_sequence_open(1, &path, NULL, &sequence));
    assert_int_equal(toc_sequence_get_frame_count(sequence), 1);
    assert_double_same(toc_sequence_get_time(sequence, 0), 0);
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    check_shapes(mesh);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    test_folder_remove(f.folder);
}

static void refused(family *f, const char *words) {
    const char *path = path_of(f, 0);
    toc_mesh *mesh;
    assert_fails(toc_mesh_read(path, NULL, &mesh), TOC_BAD_INPUT, words);
    assert_int_equal(strncmp(toc_message_get(), path, strlen(path)), 0);
    test_folder_remove(f->folder);
}

static void control_words_that_cannot_be(void **state) {
    (void)state;
    static const struct {
        int place;
        int64_t value;
        const char *words;
    } bad[] = {
        {15, 3, "NDIM is 3: flat meshes"},
        {15, 7, "NDIM is 7: rigid roads"},
        {16, 1000000, "the file ends; nodes"},
        {18, -5, "ask for -5 times 1 words"},
        {20, 0, "have no coordinates"},
        {36, -3, "deleted nodes instead of elements"},
        {37, 5, "SPH particles"},
        {54, 5, "airbag particles"},
        {48, 67108864, "other solvers"},
        {19, -1, "contradict each other"},
        {27, 1 << 30, "times 1073741824 words"},
        {57, 1 << 20, "the file ends; nodes"},
        {31, 100000, "the file ends; nodes"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        family f = make(4, false);
        f.control[bad[i].place] = bad[i].value;
        f.temperatures = f.control[19];
        writer *w = &f.w;
        const int64_t dimensions = f.control[15];
        put_geometry(&f);
        f.control[15] = dimensions;
        w->count = 10 * 4;
        for (int k = 10; k < 64; k++) put_integer(w, f.control[k]);
        w->count = 4 * (64 + 3 * NODES + 9 * 5 + 12 + 15);
        save(&f, 0);
        refused(&f, bad[i].words);
    }
}

static void nodes_and_states_that_are_not_there(void **state) {
    (void)state;
    family f = make(4, false);
    put_geometry(&f);
    f.w.count = 4 * (64 + 3 * NODES) + 4 * 9 + 8;
    put_integer(&f.w, NODES + 1);
    f.w.count = 4 * (64 + 3 * NODES + 9 * 5 + 12 + 15);
    save(&f, 0);
    refused(&f, "byte 456: node 14 is used, but there are 13");

    f = make(8, false);
    write_family(&f);
    assert_int_equal(unlink(path_of(&f, 2)), 0);
    refused(&f, "d3plot02: is missing, though the one behind it is there");

    f = make(8, false);
    write_family(&f);
    test_file_write(path_of(&f, 2), "", 0);
    refused(&f, "d3plot02: is empty");

    f = make(8, false);
    f.control[33] += 8; // more words for each shell
    write_family(&f);
    refused(&f, "d3plot01: byte 0: state 0 is cut");

    f = make(8, false);
    f.one_file = true;
    f.control[33]--;
    write_family(&f);
    refused(&f, "is not where the control words put it");
}

static void a_position_that_is_no_number(void **state) {
    (void)state;
    family f = make(8, false);
    write_family(&f);
    put_state(&f, 1);
    f.w.count = 8 * (1 + GLOBALS + 5);
    put_real(&f.w, 0.0 / 0.0);
    f.w.count = 8 * 500;
    save(&f, 2);
    const char *path = path_of(&f, 0);
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(toc_sequence_open(1, &path, NULL, &sequence));
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    assert_fails(toc_sequence_advance(sequence, 1, mesh), TOC_BAD_INPUT, "vertex 1: coordinate z is");
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    test_folder_remove(f.folder);
}

// Of every length a file may be cut to, only those that end with whole states and the marker's padding are read.
static void cut_anywhere(void **state) {
    (void)state;
    for (int number = 0; number < 2; number++) {
        family f = make(4, false);
        f.states = 1;
        write_family(&f);
        size_t count;
        char *bytes = test_file_read(path_of(&f, number), &count);
        for (size_t cut = 0; cut < count; cut++) {
            test_file_write(path_of(&f, number), bytes, cut);
            if (test_play(NULL, (char *)path_of(&f, 0)) == TOC_OK) continue;
            assert_non_null(strstr(toc_message_get(), path_of(&f, 0)));
        }
        free(bytes);
        test_folder_remove(f.folder);
    }
}

// ---- fields

static const toc_field *find_field(const toc_fields *fields, const char *name) {
    for (size_t i = 0; i < fields->count; i++)
        if (strcmp(fields->fields[i].name, name) == 0) return &fields->fields[i];
    return NULL;
}

static double value_of(const toc_fields *fields, const char *name, size_t id) {
    const toc_field *field = find_field(fields, name);
    assert_non_null(field);
    assert_true(id < field->count);
    return field->values[field->components * id];
}

static toc_sequence *open_at(const family *f, size_t frame, toc_mesh **mesh) {
    const char *path = path_of(f, 0);
    toc_sequence *sequence;
    assert_ok(toc_sequence_open(1, &path, NULL, &sequence));
    assert_ok(toc_sequence_read_first(sequence, mesh));
    for (size_t i = 1; i <= frame; i++) assert_ok(toc_sequence_advance(sequence, i, *mesh));
    return sequence;
}

static toc_fields *fields_at(const family *f, size_t frame) {
    toc_mesh *mesh;
    toc_fields *fields;
    toc_sequence *sequence = open_at(f, frame, &mesh);
    assert_ok(toc_sequence_read_fields(sequence, frame, mesh, &fields));
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    return fields;
}

/// Of a point whose words begin with `first` and go up by 1.
static double stress_from(double first) {
    const double xy = first + 3, yz = first + 4, zx = first + 5;
    return sqrt(0.5 * (1 + 1 + 4) + 3 * (xy * xy + yz * yz + zx * zx));
}

static void assert_solids(const toc_fields *fields, bool tet_is_gone) {
    for (size_t e = 0; e < SOLIDS; e++) {
        const bool gone = e == 1 && tet_is_gone;
        const double first = 100 * (double)e;
        if (gone) assert_true(isnan(value_of(fields, "von Mises stress", e)));
        if (gone) continue;
        assert_double_same(value_of(fields, "von Mises stress", e), stress_from(first));
        assert_double_same(value_of(fields, "pressure", e), -(first + 1));
        assert_double_same(value_of(fields, "plastic strain", e), first + 6);
        assert_true(isnan(value_of(fields, "thickness", e)));
    }
}

/// A shell has the largest value of its three layers: the last one's, and of the pressure the first one's.
static void assert_shell(const toc_fields *fields, size_t e, double first) {
    assert_double_same(value_of(fields, "von Mises stress", e), stress_from(first + 14));
    assert_double_same(value_of(fields, "pressure", e), -(first + 1));
    assert_double_same(value_of(fields, "plastic strain", e), first + 20);
}

static void results_of_elements_and_nodes(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        family f = make(way & 1 ? 8 : 4, way & 2);
        f.results = true;
        f.temperatures = way == 0;
        write_family(&f);
        for (size_t s = 0; s < 2; s++) {
            toc_fields *fields = fields_at(&f, s);
            assert_solids(fields, s > 0);
            assert_shell(fields, SOLIDS, 0); // the thick one
            for (size_t e = 0; e < BEAMS; e++)
                assert_true(isnan(value_of(fields, "plastic strain", SOLIDS + THICK + e)));
            for (size_t e = 0; e < SHELLS; e++) {
                const size_t id = SOLIDS + THICK + BEAMS + e;
                assert_shell(fields, id, 100 * (double)e);
                assert_double_same(value_of(fields, "thickness", id), 100 * (double)e + 29);
            }
            assert_int_equal(find_field(fields, "acceleration")->components, 3);
            assert_double_same(value_of(fields, "acceleration", 5), 0.25);
            assert_true(f.temperatures == (find_field(fields, "temperature") != NULL));
            if (f.temperatures) assert_double_same(value_of(fields, "temperature", NODES - 1), 293);
            toc_fields_destroy(fields);
        }
        test_folder_remove(f.folder);
    }
}

// The results of the other shells follow each other: the places of those without are known by their parts.
static void rigid_shells_are_passed_over(void **state) {
    (void)state;
    enum { FIRST = SOLIDS + THICK + BEAMS };
    for (int64_t rigid = 1; rigid < 3; rigid++) {
        family f = make(4, false);
        f.results = true;
        f.rigid = rigid; // 2 shells are of the rigid part: a file that counts another number is not believed
        write_family(&f);
        toc_fields *fields = fields_at(&f, 0);
        if (rigid == 2)
            assert_shell(fields, FIRST, 0);
        else
            assert_true(isnan(value_of(fields, "plastic strain", FIRST)));
        assert_true(isnan(value_of(fields, "plastic strain", FIRST + 1)));
        assert_true(isnan(value_of(fields, "plastic strain", FIRST + 2)));
        assert_solids(fields, false);
        toc_fields_destroy(fields);
        test_folder_remove(f.folder);
    }
}

// Words that the control words do not explain could be anything.
static void results_of_unknown_layout_are_left_out(void **state) {
    (void)state;
    static const struct {
        int place;
        int64_t value;
        bool solids, shells;
    } odd[] = {{34, 2, false, true},  {35, 1, true, false},      {45, 999, true, false}, {43, 999, true, false},
               {43, 0, false, false}, {36, -10004, true, false}, {34, -1, false, true}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        family f = make(8, false);
        f.results = true;
        put_geometry(&f);
        f.w.count = 0;
        f.results = false; // the words stay as they are
        f.control[odd[i].place] = odd[i].value;
        write_family(&f);
        toc_fields *fields = fields_at(&f, 0);
        const toc_field *strain = find_field(fields, "plastic strain");
        assert_true((odd[i].solids || odd[i].shells) == (strain != NULL));
        if (strain) assert_true(isnan(strain->values[0]) != odd[i].solids);
        if (strain) assert_true(isnan(strain->values[ELEMENTS - 1]) != odd[i].shells);
        toc_fields_destroy(fields);
        test_folder_remove(f.folder);
    }
}

static void fields_of_a_wrong_frame_or_mesh(void **state) {
    (void)state;
    family f = make(4, false);
    toc_mesh *mesh, *other;
    toc_fields *fields = NULL;
    f.results = true;
    write_family(&f);
    toc_sequence *sequence = open_at(&f, 0, &mesh);
    assert_fails(toc_sequence_read_fields(NULL, 0, mesh, &fields), TOC_BAD_INPUT, "sequence is NULL");
    assert_fails(toc_sequence_read_fields(sequence, 0, NULL, &fields), TOC_BAD_INPUT, "mesh is NULL");
    assert_fails(toc_sequence_read_fields(sequence, 0, mesh, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_sequence_read_fields(sequence, 3, mesh, &fields), TOC_BAD_INPUT, "frame 3 was asked for");
    assert_null(fields);
    assert_ok(toc_mesh_create(NULL, &other));
    assert_ok(toc_sequence_read_fields(sequence, 0, other, &fields));
    assert_int_equal(fields->count, 0);
    assert_int_equal(fields->left_out, 5);
    toc_fields_destroy(fields);
    assert_int_equal(unlink(path_of(&f, 2)), 0);
    fields = NULL;
    assert_fails(toc_sequence_read_fields(sequence, 1, mesh, &fields), TOC_BAD_INPUT, "d3plot02: cannot be opened");
    assert_null(fields);
    toc_mesh_destroy(other);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    test_folder_remove(f.folder);
}

static toc_status read_all_fields(const toc_allocator *allocator, void *user) {
    toc_read_options options = toc_read_options_default();
    const char *path = path_of(user, 0);
    toc_sequence *sequence;
    toc_mesh *mesh;
    toc_fields *fields;
    options.allocator = allocator;
    toc_status status = toc_sequence_open(1, &path, &options, &sequence);
    if (status != TOC_OK) return status;
    status = toc_sequence_read_first(sequence, &mesh);
    if (status == TOC_OK) {
        status = toc_sequence_read_fields(sequence, 0, mesh, &fields);
        if (status == TOC_OK) toc_fields_destroy(fields);
        toc_mesh_destroy(mesh);
    }
    toc_sequence_close(sequence);
    return status;
}

static void fields_without_memory(void **state) {
    (void)state;
    family f = make(8, false);
    f.results = true;
    f.rigid = 2;
    f.temperatures = 1;
    f.states = 1;
    write_family(&f);
    test_every_allocation(read_all_fields, &f);
    test_folder_remove(f.folder);
}

// Control words, parts and results changed at random: everything is read, or refused with the name of the file.
static void garbled_results(void **state) {
    (void)state;
    for (int64_t rigid = 0; rigid < 3; rigid += 2) {
        family f = make(rigid ? 8 : 4, false);
        size_t count;
        f.results = f.one_file = true;
        f.rigid = rigid;
        f.temperatures = 1;
        write_family(&f);
        char path[256];
        snprintf(path, sizeof path, "%s", path_of(&f, 0));
        char *bytes = test_file_read(path, &count);
        test_play_garbled(path, bytes, count, test_less(2000, 200));
        test_play_garbled(path, bytes, 64 * (size_t)f.w.word_size, 1); // its head alone
        free(bytes);
        test_folder_remove(f.folder);
    }
}

static toc_status read_family(const toc_allocator *allocator, void *user) {
    return test_play(allocator, (char *)path_of(user, 0));
}

static void out_of_memory(void **state) {
    (void)state;
    family f = make(8, false);
    f.renumbered = true;
    f.temperatures = 1;
    write_family(&f);
    test_every_allocation(read_family, &f);
    test_folder_remove(f.folder);
}

// 16 states of a projectile that goes through a plate. Counts and coordinates were taken from the bytes by hand.
static void a_real_penetration(void **state) {
    (void)state;
    test_need_data("crash/projectile/d3plot");
    char path[1024];
    snprintf(path, sizeof path, "%s", test_data("crash/projectile/d3plot"));
    const char *paths[] = {path};
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(toc_sequence_open(1, paths, NULL, &sequence));
    assert_int_equal(toc_sequence_get_frame_count(sequence), 16);
    assert_double_same(toc_sequence_get_time(sequence, 15), 70.02789652944806);
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 7668);
    assert_int_equal(toc_mesh_get_element_count(mesh), 5664);
    assert_string_equal(toc_mesh_get_group_name(mesh, 2), "Plate");
    assert_element(mesh, 0, TOC_HEX, 0, 1, 4, 3, 9, 10, 13, 12);
    for (size_t i = 1; i < 16; i++) {
        assert_ok(toc_sequence_advance(sequence, i, mesh));
        size_t gone = 0;
        for (uint32_t e = 0; e < 5664; e++) gone += toc_mesh_get_element(mesh, e).shape == TOC_REMOVED;
        if (i == 1) assert_int_equal(gone, 0);
        if (i == 8) assert_int_equal(gone, 353);
        if (i == 15) assert_int_equal(gone, 614);
    }
    assert_double_same(toc_mesh_get_x1(mesh)[0], 19.46452873159653);
    toc_fields *fields;
    assert_ok(toc_sequence_read_fields(sequence, 15, mesh, &fields));
    size_t strained = 0;
    for (uint32_t e = 0; e < 5664; e++) {
        const double strain = value_of(fields, "plastic strain", e), stress = value_of(fields, "von Mises stress", e);
        const bool gone = toc_mesh_get_element(mesh, e).shape == TOC_REMOVED;
        assert_true(gone ? isnan(strain) && isnan(stress) : strain >= 0 && stress >= 0);
        strained += strain > 0;
    }
    assert_true(strained > 1000);
    toc_fields_destroy(fields);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_size_and_byte_order),
        cmocka_unit_test(shells_of_rigid_parts_have_no_data),
        cmocka_unit_test(temperatures_before_or_behind_the_coordinates),
        cmocka_unit_test(parts_as_the_user_numbered_and_named_them),
        cmocka_unit_test(members_given_beside_the_first_file),
        cmocka_unit_test(geometry_alone_is_one_frame),
        cmocka_unit_test(control_words_that_cannot_be),
        cmocka_unit_test(nodes_and_states_that_are_not_there),
        cmocka_unit_test(a_position_that_is_no_number),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(results_of_elements_and_nodes),
        cmocka_unit_test(rigid_shells_are_passed_over),
        cmocka_unit_test(results_of_unknown_layout_are_left_out),
        cmocka_unit_test(fields_of_a_wrong_frame_or_mesh),
        cmocka_unit_test(fields_without_memory),
        cmocka_unit_test(garbled_results),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(a_real_penetration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
