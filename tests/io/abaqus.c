// SPDX-License-Identifier: Apache-2.0
// Models of Abaqus and CalculiX: types of elements, sets, instances, included files.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/reading.h"

#define CUBE "*NODE, NSET=all\n1,0,0,0\n2,1.,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"

static const struct {
    const char *type;
    toc_shape shape;
    int nodes;
} types[] = {
    {"C3D4", TOC_TET, 4},     {"c3d10m", TOC_TET, 10},   {"C3D5", TOC_PYRAMID, 5}, {"C3D6", TOC_WEDGE, 6},
    {"C3D15", TOC_WEDGE, 15}, {"C3D8R", TOC_HEX, 8},     {"C3D20", TOC_HEX, 20},   {"DC3D8", TOC_HEX, 8},
    {"SC8R", TOC_HEX, 8},     {"SC6R", TOC_WEDGE, 6},    {"COH3D8", TOC_HEX, 8},   {"S3", TOC_TRIANGLE, 3},
    {"S4R", TOC_QUAD, 4},     {"S8R5", TOC_QUAD, 8},     {"S6", TOC_TRIANGLE, 6},  {"STRI65", TOC_TRIANGLE, 6},
    {"M3D4", TOC_QUAD, 4},    {"R3D3", TOC_TRIANGLE, 3}, {"CPS4", TOC_QUAD, 4},    {"CPE3", TOC_TRIANGLE, 3},
    {"CAX8R", TOC_QUAD, 8},   {"B31", TOC_EDGE, 2},      {"B32H", TOC_EDGE, 3},    {"B33", TOC_EDGE, 2},
    {"T3D2", TOC_EDGE, 2},    {"T3D3", TOC_EDGE, 3},     {"PIPE31", TOC_EDGE, 2},  {"R2D2", TOC_EDGE, 2},
    {"SFM3D4R", TOC_QUAD, 4},
};

static void every_type_by_its_corners(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[4096];
        size_t at = (size_t)snprintf(text, sizeof text, "*Heading\n*Node\n");
        for (int n = 1; n <= 20; n++) at += (size_t)snprintf(text + at, sizeof text - at, "%d, %d.5, 0., 1e-1\n", n, n);
        at += (size_t)snprintf(text + at, sizeof text - at, "*Element, type=%s\n7", types[i].type);
        for (int n = 1; n <= types[i].nodes; n++)
            at += (size_t)snprintf(text + at, sizeof text - at, n % 10 ? ", %d" : ",\n%d", n);
        toc_mesh *mesh = test_mesh_of("a.inp", text);
        toc_mesh_report report;
        assert_ok(toc_mesh_inspect(mesh, &report));
        assert_int_equal(toc_mesh_get_element_count(mesh), 1);
        assert_int_equal(toc_mesh_get_element(mesh, 0).shape, types[i].shape);
        assert_int_equal(report.higher_order, types[i].nodes > toc_shape_count_corners(types[i].shape));
        toc_mesh_destroy(mesh);
    }
}

// Corners in VTK's order: nothing is inside out.
static void volumes_are_the_right_way_round(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.inp", CUBE "*ELEMENT, TYPE=C3D8, ELSET=E\n1,1,2,3,4,5,6,7,8\n"
                                                "*ELEMENT,TYPE=C3D6\n2,1,2,3,5,6,7\n*ELEMENT,TYPE=C3D5\n3,1,2,3,4,5\n"
                                                "*ELEMENT,TYPE=C3D4\n4,1,2,3,5\n");
    toc_mesh_report report;
    assert_ok(toc_mesh_inspect(mesh, &report));
    assert_int_equal(report.inverted, 0);
    assert_int_equal(report.elements, 4);
    assert_element(mesh, 1, TOC_WEDGE, 0, 2, 1, 4, 6, 5);
    toc_mesh_destroy(mesh);
}

static void sets_sections_and_lines_that_go_on(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of(
        "a.inp", "** a comment\n" CUBE "*ELEMENT, TYPE=S4,\n ELSET = Skin\n1,1,2,\n3,4\n2,5,6,7,8\n"
                 "*ELEMENT, TYPE=S3\n10,1,2,3\n11,1,2,4\n12,1,2,5\n13,1,2,6\n*ELEMENT, TYPE=SPRINGA\n99,1,2\n"
                 "*ELSET, ELSET=odd, GENERATE\n11,13,2\n*ELSET, ELSET=\"rest\"\nodd, 12\n10,\n"
                 "*NSET, NSET=x\n1,2\n*SHELL SECTION, ELSET=skin, MATERIAL=steel\n1.5, 5\n"
                 "*Shell  Section, elset=REST, composite\n0.25, 3, a\n0.5, 3, b\n*STEP\n*NODE PRINT, NSET=x\nU\n");
    static const int32_t groups[] = {1, 1, 3, 2, 3, 2};
    static const double thicknesses[] = {1.5, 1.5, 0.75, 0.75, 0.75, 0.75};
    assert_int_equal(toc_mesh_get_element_count(mesh), 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(toc_mesh_get_element(mesh, i).group, groups[i]);
        assert_double_same(toc_mesh_get_element(mesh, i).thickness, thicknesses[i]);
    }
    assert_string_equal(toc_mesh_get_group_name(mesh, 1), "Skin");
    assert_string_equal(toc_mesh_get_group_name(mesh, 3), "rest");
    toc_mesh_destroy(mesh);
}

// Two instances of one part: moved, and moved and turned a quarter around an axis along z.
static void instances_are_moved_and_turned(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of(
        "a.inp",
        "*HEADING\n*PART, NAME=Plate\n*NODE\n10,0,0,0\n20,2,0,0\n30,0,1,0\n*ELEMENT,TYPE=S3,ELSET=e\n5,10,20,30\n"
        "*SHELL SECTION,ELSET=e\n0.1\n*END PART\n*PART,NAME=unused\n*NODE\n1,0,0,0\n*ELEMENT,TYPE=MASS\n1,1\n"
        "*END PART\n*ASSEMBLY,NAME=A\n*INSTANCE,NAME=P-1,PART=PLATE\n*END INSTANCE\n"
        "*INSTANCE, NAME=P-2, PART=Plate\n1., 0., 5.\n1., 0., 0., 1., 0., 1., 90.\n*END INSTANCE\n"
        "*ELSET,ELSET=all,INSTANCE=P-1\n5\n*END ASSEMBLY\n");
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 6);
    assert_int_equal(toc_mesh_get_element_count(mesh), 2);
    assert_element(mesh, 1, TOC_TRIANGLE, 3, 4, 5);
    static const double turned[3][3] = {{1, 0, 5}, {1, 2, 5}, {0, 0, 5}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) assert_double_near(toc_mesh_get_x0(mesh)[9 + 3 * i + k], turned[i][k], 1e-12);
    assert_string_equal(toc_mesh_get_group_name(mesh, toc_mesh_get_element(mesh, 0).group), "P-1.e");
    assert_string_equal(toc_mesh_get_group_name(mesh, toc_mesh_get_element(mesh, 1).group), "P-2.e");
    assert_double_same(toc_mesh_get_element(mesh, 1).thickness, 0.1);
    int64_t label;
    assert_true(toc_mesh_get_vertex_label(mesh, 4, &label) && label == 20);
    assert_true(toc_mesh_get_element_label(mesh, 1, &label) && label == 5);
    toc_mesh_destroy(mesh);
}

static void included_files(void **state) {
    (void)state;
    char *folder = test_folder_make();
    char main[256];
    static const char text[] = "*NODE, INPUT=nodes.txt\n4,0,0,1\n*INCLUDE, INPUT=\"elements.inp\"\n";
    static const char nodes[] = "1,0,0,0\r\n2,1,0,0\r\n3,0,1,0\r\n", elements[] = "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n";
    snprintf(main, sizeof main, "%s", test_path(folder, "main.inp"));
    test_file_write(main, text, strlen(text));
    test_file_write(test_path(folder, "nodes.txt"), nodes, strlen(nodes));
    test_file_write(test_path(folder, "elements.inp"), elements, strlen(elements));
    toc_mesh *mesh;
    assert_ok(toc_mesh_read(main, NULL, &mesh));
    assert_element(mesh, 0, TOC_TET, 0, 1, 2, 3);
    toc_mesh_destroy(mesh);
    static const char circle[] = "*INCLUDE, INPUT=main.inp\n";
    test_file_write(test_path(folder, "elements.inp"), circle, strlen(circle));
    assert_fails(toc_mesh_read(main, NULL, &mesh), TOC_BAD_INPUT, "main.inp includes itself");
    test_folder_remove(folder);
}

static void refusals_name_the_line(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"*NODE\n1,0,nan,0\n", "a.inp:2: a finite number was expected, not \"nan\""},
        {"*NODE\n0,0,0,0\n", "a.inp:2: the number of a node or an element was expected, not \"0\""},
        {"*NODE\n1,0,0,x\n", "a.inp:2: a number was expected, not \"x\""},
        {"*NODE\n1,0,0\n1,1,0\n*ELEMENT,TYPE=B31\n1,1,1\n", "a.inp:3: node 1 is there twice"},
        {"*NODE\n1,0,0\n*ELEMENT,TYPE=B31\n1,1,1\n3,1,1\n1,1,1\n", "a.inp:6: element 1 is there twice"},
        {"*NODE, SYSTEM=C\n1,0,0\n", "a.inp:1: a rectangular system was expected"},
        {"*NODE\n1,0,0\n*ELEMENT,TYPE=XY9\n1,1\n", "a.inp:3: elements of type \"XY9\" are not read"},
        {"*NODE\n1,0,0\n*ELEMENT\n1,1\n", "a.inp:3: elements of type \"\" are not read"},
        {"*NODE\n1,0,0\n*ELEMENT,TYPE=B31\n1,1,\n*STEP\n", "element 1 has 1 nodes, but needs 2"},
        {"*NODE\n1,0,0\n*ELEMENT,TYPE=B31\n1,1,7\n", "a.inp:4: node 7 is used, but is not there"},
        {"*PART\n*NODE\n9,0,0\n2,0,1\n*ELEMENT,TYPE=B31\n1,9,2\n*END PART\n*NODE\n1,0,0\n*ELEMENT,TYPE=B31\n1,1,7\n",
         "a.inp:11: node 7 is used, but is not there"},
        {"*NODE\n1,0,0\n*NGEN\n1,7\n", "a.inp:3: *NGEN is not read"},
        {"*NODE\n1,0,0\n*INCLUDE,INPUT=b.inp\n", "the file \"b.inp\" is not there"},
        {"*INSTANCE,NAME=a,PART=b\n", "a.inp:1: there is no part \"b\""},
        {"*NODE\n1,0,0\n*SHELL SECTION,ELSET=a\n-1\n", "a.inp:4: a thickness of -1 cannot be"},
        {"*HEADING\n*STEP\n*END STEP\n", "a.inp: holds no elements"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_refused("a.inp", bad[i][0], bad[i][1]);
}

// A range that says it holds four billion elements costs no more than the part has.
static void a_range_that_lies(void **state) {
    (void)state;
    toc_mesh *mesh = test_mesh_of("a.inp", CUBE "*ELEMENT,TYPE=T3D2\n3,1,2\n8,3,4\n*ELSET,ELSET=all,GENERATE\n"
                                                "1,4294967290,1\n");
    assert_int_equal(toc_mesh_get_element(mesh, 0).group, 1);
    assert_int_equal(toc_mesh_get_element(mesh, 1).group, 1);
    toc_mesh_destroy(mesh);
}

static const char whole[] = "*PART,NAME=P\n" CUBE "*ELEMENT,TYPE=C3D8,ELSET=E\n1,1,2,3,4,5,6,7,8\n"
                            "*ELEMENT,TYPE=S4\n7,1,2,3,4\n*ELSET,ELSET=s\n7\n*SHELL SECTION,ELSET=s\n0.5\n*END PART\n"
                            "*ASSEMBLY\n*INSTANCE,NAME=I,PART=P\n0,0,1\n0,0,0,0,0,1,30\n*END INSTANCE\n*END ASSEMBLY\n";

// The last line may lack its end, but must have as many fields as the lines before it.
static void a_last_line_without_its_end(void **state) {
    (void)state;
#define EDGE "*ELEMENT,TYPE=T3D2\n3,1,2\n*NODE\n"
    toc_mesh *mesh = test_mesh_of("a.inp", EDGE "1,0,0,0\n2,1,5,7");
    assert_vertex(mesh, 1, 1, 5, 7);
    toc_mesh_destroy(mesh);
    mesh = test_mesh_of("a.inp", EDGE "1,0,0\n2,1,5"); // in the plane
    assert_vertex(mesh, 1, 1, 5, 0);
    toc_mesh_destroy(mesh);
    mesh = test_mesh_of("a.inp", EDGE "1,0,0,0\n2,1,5\n");
    assert_vertex(mesh, 1, 1, 5, 0);
    toc_mesh_destroy(mesh);
    assert_refused("a.inp", EDGE "1,0,0,0\n2,1,5,", "a.inp:5: the file ends within the coordinates of a node");
    assert_refused("a.inp", EDGE "1,0,0,0\n2", "a.inp:5: the file ends within");
    assert_refused("a.inp", CUBE "*ELEMENT,TYPE=C3D4\n1,1,2,3", "element 1 has 3 nodes, but needs 4");
}

static void broken_files_and_little_memory(void **state) {
    (void)state;
    test_read_cut("a.inp", whole, strlen(whole));
    test_read_garbled("a.inp", whole, strlen(whole), 2000);
    test_read_starved("a.inp", whole, strlen(whole));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_by_its_corners),
        cmocka_unit_test(volumes_are_the_right_way_round),
        cmocka_unit_test(sets_sections_and_lines_that_go_on),
        cmocka_unit_test(instances_are_moved_and_turned),
        cmocka_unit_test(included_files),
        cmocka_unit_test(refusals_name_the_line),
        cmocka_unit_test(a_range_that_lies),
        cmocka_unit_test(a_last_line_without_its_end),
        cmocka_unit_test(broken_files_and_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
