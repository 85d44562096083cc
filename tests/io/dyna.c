// SPDX-License-Identifier: Apache-2.0
// Decks of LS-DYNA: columns of every width, commas, parts and sections, included files, and real ones.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/reading.h"

#define CUBE "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"

static void columns_commas_and_long_fields(void **state) {
    (void)state;
    static const char *const decks[] = {
        "*KEYWORD\n$ x\n*NODE\n"
        "       1             0.0             0.0             0.0       0       0\n"
        "      20             1.0             0.0          1.5E-3\n"
        "$ a comment\n"
        "     300 1.0000000000000-2.0000000000000            .25\n"
        "*ELEMENT_SHELL\n       1       4       1      20     300     300       0       0       0       0\n*END\n",
        "*keyword\n*node\n1,0,0,0\n20 , 1 , , 1.5d-3 ,,\n300,1,-2,.25\n*element_shell\n1,4,1,20,300,300\n",
        "*KEYWORD LONG=Y\n*NODE\n"
        "                   1                 0.0                 0.0                 0.0\n"
        "                  20                 1.0                 0.0              1.5E-3\n"
        "                 300                 1.0                -2.0                0.25\n"
        "*ELEMENT_SHELL-\n       1       4       1      20     300\n",
        "*KEYWORD\n*NODE+\n"
        "                   1                 0.0                 0.0                 0.0\n"
        "                  20                 1.0                 0.0              1.5E-3\n"
        "                 300                 1.0                -2.0                0.25\n"
        "*ELEMENT_SHELL %\n         1         4         1        20       300       300\n",
        "*KEYWORD I10=Y\r\n*NODE\r\n         1             0.0             0.0             0.0\r\n"
        "        20             1.0             0.0          1.5E-3\r\n"
        "       300             1.0            -2.0            0.25\r\n"
        "*ELEMENT_SHELL\r\n         1         4         1        20       300       300\r\n\r\n*END\r\nrubbish",
    };
    for (size_t i = 0; i < sizeof decks / sizeof *decks; i++) {
        toc_mesh *mesh = test_mesh_of(i == 0 ? "a.txt" : "a.k", decks[i]);
        assert_int_equal(toc_mesh_get_vertex_count(mesh), 3);
        assert_vertex(mesh, 1, 1, 0, 1.5e-3);
        int64_t label;
        assert_true(toc_mesh_get_vertex_label(mesh, 2, &label) && label == 300);
        assert_true(toc_mesh_get_element_label(mesh, 0, &label) && label == 1);
        assert_vertex(mesh, 2, 1, -2, 0.25);
        assert_int_equal(toc_mesh_get_element_count(mesh), 1);
        assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
        assert_int_equal(toc_mesh_get_element(mesh, 0).group, 4);
        toc_mesh_destroy(mesh);
    }
}

// A file that others include has no *KEYWORD, and begins as a model of Abaqus may.
static void a_part_of_a_deck_alone(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.k", "*NODE\n       1             0.5             0.0             0.0\n"
                                         "*ELEMENT_BEAM\n       1       1       1       1\n");
    assert_vertex(mesh, 0, 0.5, 0, 0);
    toc_mesh_destroy(mesh);
}

// A wedge, a pyramid and a tet are hexes with nodes repeated; the mesh must get the smaller shapes, right way round.
static void solids_with_repeated_nodes(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.k", "*KEYWORD\n" CUBE "*ELEMENT_SOLID\n1,1,1,2,3,4,5,6,7,8\n2,1,1,2,3,5,5,5,5,5\n"
                                         "3,1,1,2,3,4,5,5,5,5\n4,1,1,2,3,4,5,5,8,8\n"
                                         "*ELEMENT_SOLID\n5,2\n1,2,3,4,5,6,7,8\n6,2\n1,2,3,5,4,6,7,8,4,6\n"
                                         "*ELEMENT_TSHELL\n7,3,1,2,3,3,5,6,7,7\n"
                                         "*ELEMENT_SOLID_ORTHO\n8,1,1,2,3,4,5,6,7,8\n1,0,0\n0,1,0\n"
                                         "*ELEMENT_BEAM_ORIENTATION\n9,5,1,7,2\n0,0,1\n");
    assert_element(mesh, 0, TOC_HEX, 0, 1, 2, 3, 4, 5, 6, 7);
    assert_element(mesh, 1, TOC_TET, 0, 1, 2, 4);
    assert_element(mesh, 2, TOC_PYRAMID, 0, 1, 2, 3, 4);
    assert_element(mesh, 3, TOC_WEDGE, 0, 1, 4, 3, 2, 7);
    assert_element(mesh, 4, TOC_HEX, 0, 1, 2, 3, 4, 5, 6, 7);
    assert_element(mesh, 5, TOC_TET, 0, 1, 2, 4);
    assert_element(mesh, 6, TOC_WEDGE, 0, 2, 1, 4, 6, 5);
    assert_element(mesh, 7, TOC_HEX, 0, 1, 2, 3, 4, 5, 6, 7);
    assert_element(mesh, 8, TOC_EDGE, 0, 6);
    toc_mesh_report report;
    assert_ok(toc_mesh_inspect(mesh, &report));
    assert_int_equal(report.inverted, 0);
    assert_int_equal(report.higher_order, 1);
    toc_mesh_destroy(mesh);
}

static void thickness_of_the_element_else_of_its_section(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of(
        "a.k", "*KEYWORD\n*PARAMETER\nR thin           0.5I n                3\n" CUBE
               "*PART_INERTIA\nbody\n1,7\n0,0,0,0,1\n0\n0\n0\nbumper\n2,8\n0\n0\n0\n"
               "*PART\nglass\n3,9\n*SECTION_SHELL_TITLE\nskin\n7,2\n2.0\n\n9,2,0,9,0,0,1\n1,1,2,2\n0,0,0,0,0,0,0,0\n0\n"
               "*SECTION_SHELL\n8,2\n&thin,&thin,&Thin,&thin\n"
               "*ELEMENT_SHELL_THICKNESS\n1,1,1,2,3,4\n0.25,0.25,0.75,0.75\n2,1,1,2,3\n0,0,0\n"
               "*ELEMENT_SHELL_BETA\n3,2,1,2,3,4\n0,0,0,0,45.\n*ELEMENT_SHELL_OFFSET\n4,3,5,6,7,8,1,2,3,4\n0.1\n"
               "*ELEMENT_SHELL\n5,44,5,6,7,8\n");
    static const double thicknesses[] = {0.5, 2, 0.5, 1.5, 0};
    for (uint32_t i = 0; i < 5; i++) assert_double_same(toc_mesh_get_element(mesh, i).thickness, thicknesses[i]);
    assert_int_equal(toc_mesh_get_element(mesh, 4).group, 44);
    assert_string_equal(toc_mesh_get_group_name(mesh, 1), "body");
    assert_string_equal(toc_mesh_get_group_name(mesh, 2), "bumper");
    assert_string_equal(toc_mesh_get_group_name(mesh, 3), "glass");
    assert_null(toc_mesh_get_group_name(mesh, 44));
    toc_mesh_destroy(mesh);
}

static const char *folder_file(const char *folder, const char *name, const char *text) {
    const char *path = test_path(folder, name);
    test_file_write(path, text, strlen(text));
    return path;
}

static void included_files(void **state) {
    (void)state;
    char *folder = test_folder_make();
    char main[256];
    snprintf(main, sizeof main, "%s",
             folder_file(folder, "main.k", "*KEYWORD\n*INCLUDE\nno +\ndes.k\nshells.key\n*END\n"));
    folder_file(folder, "nodes.k", "*KEYWORD\n*NODE\n1,0,0,0\n2,1,0,0\n*INCLUDE\nmore.inc\n*END\n");
    folder_file(folder, "more.inc", "*NODE\n3,1,1,0");
    folder_file(folder, "shells.key", "*ELEMENT_SHELL\n1,1,1,2,3\n");
    toc_mesh *mesh;
    assert_ok(toc_mesh_read(main, NULL, &mesh));
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 3);
    assert_element(mesh, 0, TOC_TRIANGLE, 0, 1, 2);
    toc_mesh_destroy(mesh);

    folder_file(folder, "shells.key", "*ELEMENT_SHELL\n1,1,1,2,3\n1,1,1,2,9\n");
    assert_fails(toc_mesh_read(main, NULL, &mesh), TOC_BAD_INPUT, "shells.key:3: node 9 is used, but is not there");
    folder_file(folder, "more.inc", "*INCLUDE\nmain.k");
    assert_fails(toc_mesh_read(main, NULL, &mesh), TOC_BAD_INPUT, "main.k includes itself");
    folder_file(folder, "more.inc", "*INCLUDE\nother.k");
    assert_fails(toc_mesh_read(main, NULL, &mesh), TOC_BAD_INPUT, "more.inc:2: the file \"other.k\" is not there");
    for (int i = 0; i < 20; i++) {
        char name[32], text[64];
        snprintf(name, sizeof name, "deep%d.k", i);
        snprintf(text, sizeof text, "*INCLUDE\ndeep%d.k\n", i + 1);
        folder_file(folder, name, text);
    }
    snprintf(main, sizeof main, "%s", test_path(folder, "deep0.k"));
    assert_fails(toc_mesh_read(main, NULL, &mesh), TOC_BAD_INPUT, "include each other more than 16 deep");
    test_folder_remove(folder);
}

static void refusals_name_the_line(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"*NODE\n1,0,0,nan\n", "a.k:3: a finite number was expected, not \"nan\""},
        {"*NODE\n1,0,0,1e999\n", "a.k:3: a finite number"},
        {"*NODE\n1,0,x,0\n", "a.k:3: a number was expected, not \"x\""},
        {"*NODE\n1,0,0\n1.5,0,0\n", "a.k:4: an integer was expected, not \"1.5\""},
        {"*NODE\n1,0,0,&height\n", "a.k:3: a parameter that is defined was expected, not \"&height\""},
        {"*NODE\n1,0,0\n1,0,1\n", "a.k:4: node 1 is there twice"},
        {"*NODE\n1,0,0\n2,0,1\n*ELEMENT_SHELL\n\n1,1,1,2,3,3\n", "a.k:7: node 3 is used, but is not there"},
        {"*NODE\n1,0,0\n*ELEMENT_SHELL\n1,1,1,2,-3,3\n", "a.k:5: node -3 is used, but is not there"},
        {"*NODE\n1,0,0\n*ELEMENT_SHELL\n1,1\n", "a.k:5: an element without nodes"},
        {"*NODE\n1,0,0\n*ELEMENT_SHELL\n1,9999999999,1,1,1\n", "a.k:5: part 9999999999 does not fit"},
        {"*NODE\n1,0,0\n*ELEMENT_SHELL_THICKNESS\n1,1,1,1,1\n", "a.k:6: a card of *ELEMENT_SHELL_THICKNESS is missing"},
        {"*NODE\n1,0,0\n*ELEMENT_SHELL_THICKNESS\n1,1,1,1,1\n-1,-1,-1\n", "a.k:6: a thickness below 0"},
        {"*SECTION_SHELL\n1,2\n-1.0\n", "a.k:4: a thickness of -1 cannot be"},
        {"*ELEMENT_SOLID\n1,1\n", "a.k:4: a card of *ELEMENT_SOLID is missing"},
        {"*ELEMENT_SOLID_H20\n1,1\n", "a.k:3: *ELEMENT_SOLID_H20 is not read"},
        {"*ELEMENT_SHELL_COMPOSITE\n1,1\n", "a.k:3: *ELEMENT_SHELL_COMPOSITE is not read"},
        {"*INCLUDE_TRANSFORM\nb.k\n", "a.k:2: *INCLUDE_TRANSFORM is not read: it would change nodes"},
        {"*INCLUDE\nnowhere/b.k\n", "a.k:3: the file \"nowhere/b.k\" is not there"},
        {"*PARAMETER\nRabcdefghijklmnopqr,5\n", "a.k:3: the name of a parameter was expected"},
        {"*MAT_ELASTIC\n1,7.8\n", "a.k: holds no elements"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        snprintf(text, sizeof text, "*KEYWORD\n%s", bad[i][0]);
        assert_refused("a.k", text, bad[i][1]);
    }
}

static const char whole[] =
    "*KEYWORD\n*PARAMETER\nR thin           0.5\n" CUBE "*PART\nhood\n3,9\n*SECTION_SHELL\n9,2\n1.5\n"
    "*ELEMENT_SHELL_THICKNESS\n1,3,1,2,3,4\n0.25,0.25,0.75,0.75\n"
    "*ELEMENT_SOLID\n2,1\n1,2,3,4,5,6,7,8\n*ELEMENT_BEAM\n9,5,1,7,2\n*END\n";

static void broken_files_and_little_memory(void **state) {
    (void)state;
    test_read_cut("a.k", whole, strlen(whole));
    test_read_garbled("a.k", whole, strlen(whole), 2000);
    test_read_starved("a.k", whole, strlen(whole));
}

static void a_locale_with_a_decimal_comma(void **state) {
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) print_message("no locale with a comma: read in the one there is\n");
    toc_mesh *mesh = test_mesh_of("a.k", "*KEYWORD\n*NODE\n       1             0.5\n*ELEMENT_BEAM\n1,1,1,1\n");
    setlocale(LC_NUMERIC, "C");
    assert_vertex(mesh, 0, 0.5, 0, 0);
    toc_mesh_destroy(mesh);
}

// Counts taken from the decks with grep.
static void real_decks(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t vertices, triangles, quads;
    } decks[] = {{"crash/car6.k", 2378, 36, 2388}, {"crash/airbag.k", 7160, 368, 6784}, {"crash/can.k", 3437, 0, 3320}};
    test_need_data("crash/can.k");
    for (size_t i = 0; i < 3; i++) {
        toc_mesh *mesh;
        toc_mesh_report report;
        assert_ok(toc_mesh_read(test_data("%s", decks[i].name), NULL, &mesh));
        assert_ok(toc_mesh_inspect(mesh, &report));
        assert_int_equal(report.vertices, decks[i].vertices);
        assert_int_equal(report.shapes[TOC_TRIANGLE], decks[i].triangles);
        assert_int_equal(report.shapes[TOC_QUAD], decks[i].quads);
        if (i == 0) assert_string_equal(toc_mesh_get_group_name(mesh, 6), "Longeron (rear)");
        if (i == 0) assert_double_same(toc_mesh_get_element(mesh, 0).thickness, 0); // a parameter that is not there
        if (i == 1) assert_double_same(toc_mesh_get_element(mesh, 0).thickness, 1);
        toc_mesh_destroy(mesh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_commas_and_long_fields),
        cmocka_unit_test(a_part_of_a_deck_alone),
        cmocka_unit_test(solids_with_repeated_nodes),
        cmocka_unit_test(thickness_of_the_element_else_of_its_section),
        cmocka_unit_test(included_files),
        cmocka_unit_test(refusals_name_the_line),
        cmocka_unit_test(broken_files_and_little_memory),
        cmocka_unit_test(a_locale_with_a_decimal_comma),
        cmocka_unit_test(real_decks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
