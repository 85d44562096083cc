// SPDX-License-Identifier: Apache-2.0
// toccata check in the words of engineers: parts, numbers of the file, further bodies, one frame, times, scripts,
// hints.
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/command.h"

// A triangle of the projectile falls through the plate at t = 1/4; a flag stands apart. Nodes and elements have numbers
// of their own.
static void write_deck(const char *name, const char *height) {
    char text[1024];
    snprintf(text, sizeof text,
             "*KEYWORD\n*PART\nPlate\n20,1,1\n*PART\nProjectile\n10,1,1\n*PART\nFlag, red\n30,1,1\n*NODE\n"
             "101,-4,-4,0\n105,5,-4,0\n109,-4,5,0\n201,0.1,0.2,%s\n202,0,1,9\n203,1,0,9\n301,50,0,0\n302,51,0,0\n"
             "303,50,1,0\n*ELEMENT_SHELL\n7001,20,101,105,109,109\n8001,10,201,202,203,203\n9001,30,301,302,303,303\n"
             "*END\n",
             height);
    test_text_write(name, text);
}

static int write_files(void **state) {
    test_folder_begin(state);
    write_deck("start.k", "1");
    write_deck("end.k", "-3");
    test_text_write("wall.obj", "v 49 -1 0.5\nv 53 -1 0.5\nv 49 3 0.5\nf 1 2 3\n");
    test_text_write("wall-end.obj", "v 49 -1 -0.5\nv 53 -1 -0.5\nv 49 3 -0.5\nf 1 2 3\n");
    test_text_write("all.pvd", "<VTKFile type=\"Collection\"><Collection>"
                               "<DataSet timestep=\"2\" file=\"start.k\"/><DataSet timestep=\"4\" file=\"end.k\"/>"
                               "</Collection></VTKFile>\n");
    return 0;
}

static const char *step(const char *more) {
    static char text[1024];
    snprintf(text, sizeof text, "%s/start.k %s/end.k %s", test_folder, test_folder, more);
    return text;
}

static cJSON *json_of(test_run run) {
    assert_string_equal(run.err, "");
    cJSON *json = cJSON_Parse(run.out);
    assert_non_null(json);
    return json;
}

static double number(const cJSON *object, const char *name) {
    return cJSON_GetNumberValue(cJSON_GetObjectItem(object, name));
}

static const char *text_of(const cJSON *object, const char *name, int i) {
    return cJSON_GetStringValue(cJSON_GetArrayItem(cJSON_GetObjectItem(object, name), i));
}

static bool file_says(const char *name, const char *words) {
    char bytes[1 << 14] = {0};
    FILE *file = fopen(test_path(test_folder, name), "rb");
    assert_non_null(file);
    assert_true(fread(bytes, 1, sizeof bytes - 1, file) > 0);
    fclose(file);
    return strstr(bytes, words) != NULL;
}

static void part_against_part_with_the_first_time(void **state) {
    (void)state;
    const test_run run = test_command("check %s", step(""));
    assert_says(run, "parts     Projectile - Plate: 1, first 0.25\n");
    assert_says(run, "node 201 of element 8001, Projectile - nodes 101 105 109 of element 7001, Plate\n");
}

// Ids of the reader are in no file of the user.
static void the_terminal_has_the_numbers_of_the_file(void **state) {
    (void)state;
    assert_says(test_command("check %s", step("")), ": vertex 201 meets face 101 105 109\n");
    assert_says(test_command("check %s/all.pvd", test_folder), "vertex 201 meets face 101 105 109 (");
    assert_says(test_command("near --distance 1.5 %s/start.k", test_folder),
                "nearest 1: vertex 201 and face 101 105 109\n");
    assert_says(test_command("overlaps %s/end.k", test_folder), ": face 101 105 109 and face 201 202 203\n");
    assert_says(test_command("check --room 0.5 %s", step("")), "of the step: vertex 201 and face 101 105 109 keep");
}

static void overlapping_elements_have_the_numbers_of_the_file(void **state) {
    (void)state;
    test_text_write("solids.k", "*KEYWORD\n*NODE\n11,0,0,0\n12,2,0,0\n13,0,2,0\n14,0,0,2\n"
                                "21,0.1,0.1,0.1\n22,2.1,0.1,0.1\n23,0.1,2.1,0.1\n24,0.1,0.1,2.1\n"
                                "*ELEMENT_SOLID\n501,1,11,12,13,14,14,14,14,14\n502,1,21,22,23,24,24,24,24,24\n*END\n");
    assert_says(test_command("overlaps %s/solids.k", test_folder), ": elements 501 and 502 along");
}

static void contacts_carry_the_numbers_of_the_file(void **state) {
    (void)state;
    char more[256];
    snprintf(more, sizeof more, "--contacts %s/hits.csv", test_folder);
    assert_int_equal(test_command("check %s", step(more)).code, 0);
    assert_true(
        file_says("hits.csv", ",verdict,time,element0,element1,eid0,eid1,nid0,nid1,nid2,nid3,pid0,pid1,part0,part1\n"));
    assert_true(file_says("hits.csv", ",1,0,8001,7001,201,101,105,109,10,20,Projectile,Plate\n"));
    snprintf(more, sizeof more, "--contacts %s/hits.json", test_folder);
    assert_int_equal(test_command("check %s", step(more)).code, 0);
    assert_true(file_says("hits.json", "\"pid0\":10,\"pid1\":20,\"part0\":\"Projectile\",\"part1\":\"Plate\"}"));
}

static void parts_are_selected_by_number_or_name(void **state) {
    (void)state;
    static const char *const found[] = {"",
                                        "--parts 10,20",
                                        "--parts Plate,projectile",
                                        "--between Plate,10",
                                        "--no-self",
                                        "--ignore Flag*",
                                        "--ignore 'Flag, red'",
                                        "--ignore Plate:30",
                                        "--between 'Flag, red,Plate' --between 10,20"};
    static const char *const none[] = {"--parts Plate",
                                       "--parts 20,30",
                                       "--between 'Flag, red,Plate'",
                                       "--ignore 10",
                                       "--ignore Plate:Projectile",
                                       "--ignore 'Pl?te'",
                                       "--between Plate,Plate"};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        assert_says(test_command("check %s", step(found[i])), "contacts  1 (1 vertex-face");
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_says(test_command("check %s", step(none[i])), "contacts  0\n");
    assert_refused(test_command("check %s", step("--parts Plat")), 1,
                   "--parts: no part \"Plat\"; did you mean \"Plate\"? The parts are 10 Projectile, 20 Plate, 30 Flag");
    assert_refused(test_command("check %s", step("--between Plate")), 1, "--between takes two parts, A,B");
}

static void json_names_file_time_kinds_and_pair(void **state) {
    (void)state;
    cJSON *json = json_of(test_command("check --json %s/all.pvd", test_folder));
    const cJSON *one = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "steps"), 0);
    const cJSON *pair = cJSON_GetObjectItem(one, "first_pair"), *bodies = cJSON_GetObjectItem(json, "bodies");
    assert_non_null(strstr(cJSON_GetStringValue(cJSON_GetObjectItem(one, "file")), "start.k"));
    assert_non_null(strstr(cJSON_GetStringValue(cJSON_GetObjectItem(one, "end_file")), "end.k"));
    assert_double_same(number(one, "time"), 2);
    assert_double_same(number(one, "end_time"), 4);
    assert_double_near(number(one, "first"), 0.25, 1e-9);
    assert_double_near(number(one, "first_time"), 2.5, 1e-9);
    assert_double_same(number(one, "vf"), 1);
    assert_double_same(number(one, "ee"), 0);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(pair, "kind")), "vf");
    assert_string_equal(text_of(pair, "parts", 1), "Plate");
    assert_int_equal(cJSON_GetArrayItem(cJSON_GetObjectItem(pair, "nids"), 0)->valueint, 201);
    const cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "part_pairs"), 0);
    assert_double_same(number(row, "contacts"), 1);
    assert_double_near(number(row, "first_time"), 2.5, 1e-9);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(cJSON_GetArrayItem(bodies, 0), "parts")), 3);
    cJSON_Delete(json);
    const test_run run = test_command("check %s/all.pvd", test_folder);
    assert_says(run, "time 2 to 4");
    assert_says(run, "parts     Projectile - Plate: 1, first 2.5 (step 0, t = 0.25");
}

static void one_frame_has_overlaps_and_near_pairs(void **state) {
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s/end.k", test_folder);
    assert_refused(test_command("check %s", path), 1,
                   "only one frame; check needs two or more; toccata overlaps and toccata near take one");
    const test_run run = test_command("overlaps %s --out %s/o.csv", path, test_folder);
    assert_says(run, "overlaps  1 at the start");
    assert_says(run, "parts     Projectile - Plate: 1, deepest ");
    assert_true(file_says("o.csv", "kind,a0,a1,a2,b0,b1,b2,depth,body0,body1,x,y,z,nx,ny,nz,time,"));
    assert_true(file_says("o.csv", ",201,202,203,101,105,109,") || file_says("o.csv", ",101,105,109,201,202,203,"));
    assert_int_equal(test_command("near %s --distance 0.5 --out %s/n.vtp", path, test_folder).code, 0);
    assert_true(file_says("n.vtp", "Name=\"distance\""));
    cJSON *json = json_of(test_command("overlaps --json %s", path));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "overlaps")), 1);
    assert_null(cJSON_GetObjectItem(json, "contacts"));
    cJSON_Delete(json);
    assert_says(test_command("overlaps %s --no-self --ignore Plate", path), "overlaps  0 at the start");
}

static void further_files_are_bodies(void **state) {
    (void)state;
    char more[512];
    snprintf(more, sizeof more, "--with %s/wall.obj %s/wall-end.obj --contacts %s/with.csv", test_folder, test_folder,
             test_folder);
    const test_run run = test_command("check %s", step(more));
    assert_says(run, "bodies    0: ");
    assert_says(run, "          1: ");
    assert_says(run, "Flag, red - wall.obj: ");
    assert_true(file_says("with.csv", "\"Flag, red\",wall.obj\n") || file_says("with.csv", "wall.obj,\"Flag, red\"\n"));
    snprintf(more, sizeof more, "--with %s/wall.obj --no-self --between wall.obj,10", test_folder);
    assert_says(test_command("check %s", step(more)), "contacts  0\n");
    snprintf(more, sizeof more, "--with %s/start.k %s/end.k --json", test_folder, test_folder);
    cJSON *json = json_of(test_command("check %s", step(more)));
    const cJSON *bodies = cJSON_GetObjectItem(json, "bodies");
    assert_int_equal(cJSON_GetArraySize(bodies), 2);
    // The same part numbers in both files: each keeps its number, and has a name of its own.
    const cJSON *part = cJSON_GetArrayItem(cJSON_GetObjectItem(cJSON_GetArrayItem(bodies, 1), "parts"), 0);
    assert_double_same(number(part, "pid"), 10);
    assert_string_not_equal(cJSON_GetStringValue(cJSON_GetObjectItem(part, "part")), "Projectile");
    cJSON_Delete(json);
    assert_refused(test_command("check --with %s/wall.obj a b", test_folder), 1, "give the frames before --with");
    snprintf(more, sizeof more, "%s/end.k --with %s/wall.obj %s/wall-end.obj", test_folder, test_folder, test_folder);
    assert_refused(test_command("check %s", step(more)), 1, "has 2 frames, but there are 3 to check");
}

static void scripts_get_exit_codes_pipes_and_tables(void **state) {
    (void)state;
    assert_int_equal(test_command("check %s", step("--fail-on-contact")).code, 4);
    assert_int_equal(test_command("check %s", step("--fail-on-contact --ignore Plate")).code, 0);
    assert_int_equal(test_command("overlaps %s/end.k --fail-on-contact", test_folder).code, 4);
    const test_run standard = test_command("check %s", step("--contacts - --between 10,20"));
    assert_int_equal(strncmp(standard.out, "kind,v0,v1,v2,v3,toc,", 21), 0);
    assert_null(strstr(standard.out, "stage"));
    const test_run lines = test_command("check %s", step("--contacts -.json"));
    assert_int_equal(strncmp(lines.out, "{\"kind\":\"vf\",", 13), 0);
    const test_run input = test_command("check - %s/end.k < %s/start.k", test_folder, test_folder);
    assert_says(input, "start     standard input\n");
    assert_says(input, "contacts  1 (");
    assert_says(test_command("check -.obj %s/wall-end.obj < %s/wall.obj", test_folder, test_folder), "contacts  0");
    assert_refused(test_command("check - - < %s/start.k", test_folder), 1, "standard input (-) can be one file only");
    assert_says(test_command("convert - -.ply < %s/start.k", test_folder), "ply\nformat binary");
    const test_run table = test_command("check %s", step("--csv"));
    assert_int_equal(strncmp(table.out, "step,stage,in,out,ms\n", 21), 0);
    assert_says(table, "\n0,total,,1,");
    assert_refused(test_command("check %s", step("--csv --json")), 1, "standard output has room for one of");
    // A pipe that nobody reads: quiet, as other commands that are stopped by it.
    const test_run closed = test_command("check %s | true", step(""));
    assert_string_equal(closed.err, "");
}

static void mistyped_words_are_guessed(void **state) {
    (void)state;
    assert_refused(test_command("chek a b"), 1, "no subcommand \"chek\"; did you mean \"check\"? See toccata help");
    assert_refused(test_command("help veiw"), 1, "did you mean \"view\"?");
    assert_refused(test_command("check a b --contatcs"), 1, "did you mean \"--contacts\"?");
    assert_refused(test_command("check a b --preset atuo"), 1, "did you mean \"auto\"? Choose one of auto, bvh");
    assert_refused(test_command("frobnicate"), 1, "no subcommand \"frobnicate\"; see toccata help");
}

static void hints_name_the_likely_mistake(void **state) {
    (void)state;
    char same[512];
    snprintf(same, sizeof same, "%s/start.k %s/start.k", test_folder, test_folder);
    assert_says(test_command("check %s", same), "hint      start and end are identical: nothing moves.");
    test_text_write("small.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    test_text_write("large.obj", "v 0 0 0\nv 1000 0 0\nv 0 1000 0\nf 1 2 3\n");
    assert_says(test_command("check %s/small.obj %s/large.obj", test_folder, test_folder),
                "hint      the end is 1000 times as large as the start");
    test_text_write("soup0.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 4 5 6\n");
    test_text_write("soup1.obj", "v 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 1 2 3\nf 4 5 6\n");
    snprintf(same, sizeof same, "%s/soup0.obj %s/soup1.obj", test_folder, test_folder);
    const test_run soup = test_command("check %s", same);
    assert_says(soup, "hint      2 vertices are at the place of another one, but not joined");
    assert_says(soup, "hint      all contacts are at t = 0");
    assert_says(test_command("check %s --weld", same), "contacts  0\n");
    snprintf(same, sizeof same, "%s/end.k %s/start.k", test_folder, test_folder);
    assert_says(test_command("check %s", same), "hint      1 pairs of faces cross at the start already");
    cJSON *json = json_of(test_command("check --json %s", same));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "hints")), 1);
    cJSON_Delete(json);
}

static void messages_say_what_to_do(void **state) {
    (void)state;
    assert_refused(test_command("check nothere.ply"), 1, "nothere.ply: cannot be opened: No such file");
    assert_refused(test_command("check /"), 1, "is a folder, not a file; give the files in it");
    assert_refused(test_command("convert %s/start.k %s/x.k", test_folder, test_folder), 1,
                   "only read; meshes are written as .ply");
    assert_refused(test_command("check %s/start.k %s/wall.obj", test_folder, test_folder), 1,
                   "3 vertices in place of 9");
    test_text_write("other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nf 2 3 4\n");
    assert_refused(test_command("check %s/wall.obj %s/other.obj", test_folder, test_folder), 1,
                   "element 0 differs; it has 4 vertices and 1 elements in place of 3 and 1");
    assert_says(test_command("check %s", step("")), "\ntotal   ");
}

static void a_later_file_of_a_family_names_the_first(void **state) {
    (void)state;
    test_need_data("crash/projectile/d3plot");
    assert_refused(test_command("check %s03", test_data("crash/projectile/d3plot")), 1,
                   "is a later file of a d3plot family; give its first file");
}

static void a_real_crash_by_parts(void **state) {
    (void)state;
    test_need_data("crash/projectile/d3plot");
    const test_run run = test_command("check --surface --no-self %s", test_data("crash/projectile/d3plot"));
    assert_says(run, "parts     Projectile - Plate: ");
    assert_says(run, "first 2.4289 (step 0, t = 0.488039)");
    test_need_data("crash/car6.k");
    assert_says(test_command("overlaps %s", test_data("crash/car6.k")), "parts     Body - Hood: 12, deepest 0\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(part_against_part_with_the_first_time),
        cmocka_unit_test(the_terminal_has_the_numbers_of_the_file),
        cmocka_unit_test(overlapping_elements_have_the_numbers_of_the_file),
        cmocka_unit_test(contacts_carry_the_numbers_of_the_file),
        cmocka_unit_test(parts_are_selected_by_number_or_name),
        cmocka_unit_test(json_names_file_time_kinds_and_pair),
        cmocka_unit_test(one_frame_has_overlaps_and_near_pairs),
        cmocka_unit_test(further_files_are_bodies),
        cmocka_unit_test(scripts_get_exit_codes_pipes_and_tables),
        cmocka_unit_test(mistyped_words_are_guessed),
        cmocka_unit_test(hints_name_the_likely_mistake),
        cmocka_unit_test(messages_say_what_to_do),
        cmocka_unit_test(a_later_file_of_a_family_names_the_first),
        cmocka_unit_test(a_real_crash_by_parts),
    };
    return cmocka_run_group_tests(tests, write_files, test_folder_end);
}
