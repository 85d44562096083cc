// SPDX-License-Identifier: Apache-2.0
// Results of OpenRadioss: families made here, file by file, in the layout that its engine writes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/reading.h"

/// A file being made, most significant byte first.
typedef struct writer {
    size_t count;
    char bytes[1 << 13];
} writer;

static void put_word(writer *w, uint32_t bits) {
    for (int i = 3; i >= 0; i--) w->bytes[w->count++] = (char)(bits >> 8 * i);
}

static void put_integers(writer *w, int count, const int32_t *from) {
    for (int i = 0; i < count; i++) put_word(w, (uint32_t)from[i]);
}

static void put_float(writer *w, double x) {
    const float small = (float)x;
    uint32_t bits;
    memcpy(&bits, &small, sizeof bits);
    put_word(w, bits);
}

static void put_floats(writer *w, int count, double x) {
    for (int i = 0; i < count; i++) put_float(w, x);
}

static void put_text(writer *w, const char *text, size_t bytes) {
    memset(w->bytes + w->count, ' ', bytes);
    memcpy(w->bytes + w->count, text, strlen(text));
    w->count += bytes;
}

enum { NODES = 10, SHELLS = 3, SOLIDS = 1, BEAMS = 1 };

static const double places[NODES][3] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {0, 0, 9},
                                        {1, 0, 9}, {1, 1, 9}, {0, 1, 9}, {2, 2, 1}, {3, 2, 5}};

/// The contents of a state besides its shells.
typedef struct model {
    bool bare; // no masses, numbers, solids, beams, tree
    bool particles;
    int32_t corner;       // of the last shell
    const int32_t *solid; // its nodes, else those of a pyramid
} model;

/// State `s` at 0.25 s: everything is `s` higher, and moves with the velocity (0, 0, s). From state 1 on the second
/// shell is gone, from state 2 on the beam.
static void put_state(writer *w, int s, model m) {
    const int32_t more = !m.bare, shells[SHELLS][4] = {{0, 1, 2, 3}, {1, 2, 8, 8}, {0, 1, 8, m.corner}};
    const int32_t flags[10] = {more, more, more, more, more, 0, 0, m.particles};
    w->count = 0;
    put_word(w, 0x542c);
    put_float(w, 0.25 * s);
    put_text(w, "TIME= 0.25", 81);
    put_text(w, "ModAnim", 81);
    put_text(w, "RadiossRun", 81);
    put_integers(w, 10, flags);
    put_integers(w, 8, (const int32_t[]){NODES, SHELLS, 2, 1, 1, 2, 1, 1}); // parts, values, vectors, tensors, skews
    put_text(w, "skew", 12);
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < 3; k++) put_float(w, places[i][k] + (k == 2 ? s : 0));
    put_integers(w, 4 * SHELLS, &shells[0][0]);
    for (int i = 0; i < SHELLS; i++) w->bytes[w->count++] = !(i == 1 && s > 0);
    put_integers(w, 2, (const int32_t[]){2, 3});
    put_text(w, "        7:floor", 50);
    put_text(w, "        9:f\xfcgel", 50);
    for (int i = 0; i < 3 * NODES; i++) put_text(w, "", 2); // normals
    put_text(w, "Mass Change", 81);
    put_text(w, "Plastic Strain", 81);
    put_floats(w, NODES + SHELLS, 3);
    put_text(w, "Acceleration", 81);
    put_text(w, "Velocity", 81);
    put_floats(w, 3 * NODES, 77);
    for (int i = 0; i < 3 * NODES; i++) put_float(w, i % 3 == 2 ? s : 0);
    put_text(w, "Strain", 81);
    put_floats(w, 3 * SHELLS, 5);
    if (m.bare) return;
    put_floats(w, SHELLS + NODES, 1); // masses
    for (int i = 0; i < NODES; i++) put_word(w, (uint32_t)(1000 - i));
    put_integers(w, SHELLS, (const int32_t[]){30, 10, 20});
    put_floats(w, 2 * 3, 0);                                // tree
    put_integers(w, 4, (const int32_t[]){SOLIDS, 1, 1, 1}); // parts, values, tensors
    put_integers(w, 8, m.solid ? m.solid : (const int32_t[]){4, 5, 6, 7, 9, 9, 9, 9});
    w->bytes[w->count++] = 1;
    put_integers(w, 1, (const int32_t[]){1});
    put_text(w, "       12:head of the pyramid", 50);
    put_text(w, "Density", 81);
    put_floats(w, SOLIDS, 8);
    put_text(w, "Stress", 81);
    put_floats(w, 6 * SOLIDS, 8);
    put_floats(w, SOLIDS, 1);
    put_integers(w, 1, (const int32_t[]){30});
    put_floats(w, 3, 0);
    put_integers(w, 5, (const int32_t[]){BEAMS, 1, 1, 1, 1}); // parts, values, tensors, skews
    put_integers(w, 2, (const int32_t[]){8, 9});
    w->bytes[w->count++] = s < 2;
    put_integers(w, 1, (const int32_t[]){1});
    put_text(w, "no number", 50);
    put_text(w, "Force", 81);
    put_floats(w, BEAMS, 8);
    put_text(w, "Forces", 81);
    put_floats(w, 9 * BEAMS, 8);
    put_floats(w, BEAMS, 0); // skews
    put_floats(w, BEAMS, 1); // masses
    put_integers(w, 1, (const int32_t[]){55});
    put_floats(w, 3, 0);
    put_text(w, "subsets and materials", 60);
}

/// A folder with the files carA001 and so on.
typedef struct family {
    char *folder;
    writer w;
    char path[256];
} family;

static const model whole = {.corner = 3};

static const char *member_path(family *f, int number) {
    char name[32];
    snprintf(name, sizeof name, "carA%03d", number);
    snprintf(f->path, sizeof f->path, "%s", test_path(f->folder, name));
    return f->path;
}

static void save_member(family *f, int number, int state, model m) {
    put_state(&f->w, state, m);
    test_file_write(member_path(f, number), f->w.bytes, f->w.count);
}

static family family_begin(int states, model m) {
    family f = {.folder = test_folder_make()};
    for (int s = 0; s < states; s++) save_member(&f, s + 1, s, m);
    return f;
}

static void check_first(const toc_mesh *mesh) {
    assert_int_equal(toc_mesh_get_vertex_count(mesh), NODES);
    assert_int_equal(toc_mesh_get_element_count(mesh), SHELLS + SOLIDS + BEAMS);
    assert_element(mesh, 0, TOC_QUAD, 0, 1, 2, 3);
    assert_element(mesh, 1, TOC_TRIANGLE, 1, 2, 8);
    assert_element(mesh, 3, TOC_PYRAMID, 4, 5, 6, 7, 9);
    assert_element(mesh, 4, TOC_EDGE, 8, 9);
    static const int32_t groups[] = {7, 7, 9, 12, 1};
    for (uint32_t i = 0; i < 5; i++) assert_int_equal(toc_mesh_get_element(mesh, i).group, groups[i]);
    assert_string_equal(toc_mesh_get_group_name(mesh, 7), "floor");
    assert_string_equal(toc_mesh_get_group_name(mesh, 9), "f?gel");
    assert_string_equal(toc_mesh_get_group_name(mesh, 12), "head of the pyramid");
    assert_string_equal(toc_mesh_get_group_name(mesh, 1), "no number");
    static const int64_t numbers[] = {30, 10, 20, 30, 55};
    int64_t label;
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(toc_mesh_get_element_label(mesh, i, &label));
        assert_int_equal(label, numbers[i]);
    }
    assert_true(toc_mesh_get_vertex_label(mesh, 9, &label));
    assert_int_equal(label, 991);
}

static void a_file_stands_for_those_behind_it(void **state) {
    (void)state;
    family f = family_begin(3, whole);
    toc_sequence *sequence;
    toc_mesh *mesh = test_sequence_first(member_path(&f, 1), &sequence);
    assert_int_equal(toc_sequence_get_frame_count(sequence), 3);
    check_first(mesh);
    for (size_t s = 1; s < 3; s++) {
        assert_ok(toc_sequence_advance(sequence, s, mesh));
        assert_double_same(toc_sequence_get_time(sequence, s), 0.25 * (double)s);
        assert_double_same(toc_mesh_get_x0(mesh)[3 * 8 + 2], (double)s);
        assert_double_same(toc_mesh_get_x1(mesh)[3 * 8 + 2], 1 + (double)s);
        const double *v = toc_sequence_get_velocities(sequence);
        assert_non_null(v);
        assert_double_same(v[3 * 4 + 2], (double)s);
        assert_int_equal(toc_mesh_get_element(mesh, 1).shape, TOC_REMOVED);
        assert_int_equal(toc_mesh_get_element(mesh, 4).shape, s < 2 ? TOC_EDGE : TOC_REMOVED);
    }
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    mesh = test_sequence_first(member_path(&f, 2), &sequence);
    assert_int_equal(toc_sequence_get_frame_count(sequence), 2);
    assert_int_equal(toc_mesh_get_element(mesh, 1).shape, TOC_REMOVED);
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    assert_ok(toc_mesh_read(member_path(&f, 3), NULL, &mesh)); // alone: without the elements that are gone
    assert_int_equal(toc_mesh_get_element_count(mesh), 3);
    assert_element(mesh, 1, TOC_QUAD, 0, 1, 8, 3);
    int64_t label;
    assert_true(toc_mesh_get_element_label(mesh, 1, &label));
    assert_int_equal(label, 20);
    toc_mesh_destroy(mesh);
    test_folder_remove(f.folder);
}

/// The files as a shell lists them: all, with the second one missing, with the last one missing, too.
static void all_files_are_the_family(void **state) {
    (void)state;
    family f = family_begin(4, whole);
    char paths[4][256];
    for (int i = 0; i < 4; i++) snprintf(paths[i], sizeof paths[i], "%s", member_path(&f, i + 1));
    for (int missing = 0; missing < 3; missing++) {
        const char *const lists[3][4] = {
            {paths[0], paths[1], paths[2], paths[3]}, {paths[0], paths[2], paths[3]}, {paths[0], paths[2]}};
        const size_t count = (size_t)(4 - missing);
        toc_sequence *sequence;
        toc_mesh *mesh;
        if (missing) assert_int_equal(remove(paths[missing == 1 ? 1 : 3]), 0);
        assert_ok(toc_sequence_open(count, lists[missing], NULL, &sequence));
        assert_int_equal(toc_sequence_get_frame_count(sequence), count);
        assert_ok(toc_sequence_read_first(sequence, &mesh));
        for (size_t s = 1; s < toc_sequence_get_frame_count(sequence); s++)
            assert_ok(toc_sequence_advance(sequence, s, mesh));
        assert_double_same(toc_mesh_get_x1(mesh)[2], missing < 2 ? 3 : 2);
        static const toc_shape left[] = {TOC_QUAD, TOC_REMOVED, TOC_QUAD, TOC_PYRAMID, TOC_REMOVED};
        for (uint32_t i = 0; i < 5; i++) assert_int_equal(toc_mesh_get_element(mesh, i).shape, left[i]);
        toc_mesh_destroy(mesh);
        toc_sequence_close(sequence);
    }
    test_folder_remove(f.folder);
}

static void shells_alone(void **state) {
    (void)state;
    family f = family_begin(1, (model){.bare = true, .corner = 8});
    toc_mesh *mesh;
    assert_ok(toc_mesh_read(member_path(&f, 1), NULL, &mesh));
    assert_int_equal(toc_mesh_get_element_count(mesh), SHELLS);
    assert_element(mesh, 2, TOC_TRIANGLE, 0, 1, 8);
    int64_t label;
    assert_false(toc_mesh_get_vertex_label(mesh, 0, &label));
    toc_mesh_destroy(mesh);
    test_folder_remove(f.folder);
}

/// As its starter repeats the nodes of a wedge and of a tet; both are the right way round.
static void wedges_and_tets(void **state) {
    (void)state;
    static const int32_t wedge[] = {0, 1, 2, 0, 4, 5, 6, 4}, tet[] = {0, 0, 2, 2, 4, 1, 1, 4};
    for (int is_tet = 0; is_tet < 2; is_tet++) {
        family f = family_begin(1, (model){.corner = 3, .solid = is_tet ? tet : wedge});
        toc_mesh *mesh;
        toc_mesh_report report;
        assert_ok(toc_mesh_read(member_path(&f, 1), NULL, &mesh));
        if (is_tet)
            assert_element(mesh, 3, TOC_TET, 0, 1, 2, 4);
        else
            assert_element(mesh, 3, TOC_WEDGE, 0, 2, 1, 4, 6, 5);
        assert_ok(toc_mesh_inspect(mesh, &report));
        assert_int_equal(report.inverted, 0);
        assert_int_equal(report.degenerate, 0);
        toc_mesh_destroy(mesh);
        test_folder_remove(f.folder);
    }
}

static void assert_told(family *f, const char *words) {
    char path[256];
    snprintf(path, sizeof path, "%s", member_path(f, 1));
    assert_fails(test_play(NULL, path), TOC_BAD_INPUT, words);
    assert_int_equal(strncmp(toc_message_get(), f->folder, strlen(f->folder)), 0);
}

static void defects_are_told(void **state) {
    (void)state;
    family f = family_begin(2, whole);
    save_member(&f, 2, 1, (model){.corner = 7});
    assert_told(&f, "carA002: byte 0: it has other elements than the first file");
    save_member(&f, 2, 1, (model){.bare = true, .corner = 3});
    assert_told(&f, "10 nodes and 3 elements in place of 10 and 5");
    save_member(&f, 1, 0, (model){.corner = NODES});
    assert_told(&f, "carA001: byte 499: node 10 is used, but there are 10, counted from 0");
    save_member(&f, 1, 0, (model){.particles = true});
    assert_told(&f, "particles (SPH) are not read");
    put_state(&f.w, 0, whole);
    memcpy(f.w.bytes + 4, "\177\300\0\0", 4);
    test_file_write(member_path(&f, 1), f.w.bytes, f.w.count);
    assert_told(&f, "carA001: byte 0: the time is no number");
    test_folder_remove(f.folder);
}

static void cut_garbled_and_starved(void **state) {
    (void)state;
    family f = family_begin(2, whole);
    char path[256];
    snprintf(path, sizeof path, "%s", member_path(&f, 1));
    assert_true(test_every_allocation(test_play, path) > 1);
    put_state(&f.w, 0, whole);
    const size_t all = f.w.count - 60; // the last 60 bytes are not read
    for (size_t cut = 0; cut < all; cut += 7) {
        test_file_write(path, f.w.bytes, cut);
        assert_told(&f, path);
    }
    test_play_garbled(path, f.w.bytes, f.w.count, test_less(1000, 100));
    test_folder_remove(f.folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_stands_for_those_behind_it),
        cmocka_unit_test(all_files_are_the_family),
        cmocka_unit_test(shells_alone),
        cmocka_unit_test(wedges_and_tets),
        cmocka_unit_test(defects_are_told),
        cmocka_unit_test(cut_garbled_and_starved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
