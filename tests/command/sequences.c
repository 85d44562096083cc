// SPDX-License-Identifier: Apache-2.0
// Files of sequences: one table of all steps, or a file a step; a range of steps; pairs of parts; names that are told.
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/command.h"

enum { FRAMES = 5 };

static char cloth[1024]; // the frames of a cloth on a ball
static const char head[] = "step,kind,v0,v1,v2,v3,toc,";

static int write_sequences(void **state) {
    test_folder_begin(state);
    test_fall_write(3);
    assert_says(test_command("scene cloth-ball --size 16 --frames 20 --out %s/cloth", test_folder), "-0019.ply");
    size_t length = 0;
    for (int i = 0; i < FRAMES; i++)
        length += (size_t)snprintf(cloth + length, sizeof cloth - length, " %s/cloth/cloth-ball-%04d.ply", test_folder,
                                   15 + i);
    return 0;
}

static bool exists(const char *name) { return access(test_path(test_folder, name), F_OK) == 0; }

// The text of a file. Free it.
static char *content(const char *name) {
    enum { ROOM = 1 << 22 };
    char *text = calloc(ROOM, 1);
    FILE *file = fopen(test_path(test_folder, name), "rb");
    assert_non_null(file);
    assert_true(fread(text, 1, ROOM - 1, file) < ROOM - 1);
    fclose(file);
    return text;
}

// Run a shell in the folder of the tests.
static void assert_shell(const char *line) {
    assert_int_equal(test_command("--version && cd %s && %s", test_folder, line).code, 0);
}

// The rows of a step are those of a file for the step alone, with its number before them.
static void all_steps_are_one_table(void **state) {
    (void)state;
    assert_says(test_command("check %s --contacts %s/one.csv", cloth, test_folder), "/one.csv\n");
    assert_says(test_command("check %s --contacts %s/own-%%d.csv", cloth, test_folder), "own-3.csv, 4 files\n");
    char *text = content("one.csv");
    assert_int_equal(strncmp(text, head, strlen(head)), 0);
    assert_non_null(strstr(text, "\n3,vf,"));
    free(text);
    assert_shell("{ sed 's/^/step,/;q' own-0.csv; for i in 0 1 2 3; do sed 1d own-$i.csv | sed \"s/^/$i,/\"; done; } | "
                 "cmp - one.csv");
    assert_int_equal(test_command("check %s --contacts - | cmp - %s/one.csv", cloth, test_folder).code, 0);
    assert_false(exists("one.csv.part") || exists("one.csv.rows.csv") || exists("one-0000.csv"));
}

static void a_table_of_json(void **state) {
    (void)state;
    assert_says(test_command("check %s --contacts %s/one.json", cloth, test_folder), "/one.json\n");
    assert_says(test_command("check %s --contacts %s/own-%%04d.json", cloth, test_folder), "own-0003.json, 4 files\n");
    assert_shell("for i in 0 1 2 3; do sed \"s/^{/{\\\"step\\\":$i,/\" own-000$i.json; done | cmp - one.json");
    assert_int_equal(test_command("check %s --contacts -.json | cmp - %s/one.json", cloth, test_folder).code, 0);
}

// A range has the rows of these steps, the same in every digit.
static void a_range_of_steps(void **state) {
    (void)state;
    test_command("check %s --contacts %s/one.csv", cloth, test_folder);
    assert_says(test_command("check %s --steps 1-2 --contacts %s/range.csv", cloth, test_folder), "of 2 steps\n");
    assert_shell("grep -E '^(step|1|2),' one.csv | cmp - range.csv");
    assert_says(test_command("check %s --steps 3- --contacts %s/last.csv", cloth, test_folder), "of 1 steps\n");
    assert_shell("grep -E '^(step|3),' one.csv | cmp - last.csv");
    const test_run list = test_command("check %s --steps 2 --contacts %s/list-%%02d.vtp", cloth, test_folder);
    assert_says(list, "list-02.vtp\nwritten   ");
    char *text = content("list.pvd");
    assert_non_null(strstr(text, "timestep=\"2\" part=\"0\" file=\"list-02.vtp\""));
    free(text);
    assert_refused(test_command("check %s --steps 2-4", cloth), 1, "--steps 2-4: the steps are 0 to 3");
    assert_refused(test_command("check %s --steps 2-1", cloth), 1, "--steps 2-1: the steps are 0 to 3");
    assert_refused(test_command("check %s --steps 99999999999999999999999-", cloth), 1, "the steps are 0 to 3");
    assert_refused(test_command("check %s --steps one", cloth), 1, "--steps takes A, A-B or A-");
    assert_refused(test_command("check %s --steps 1-2x", cloth), 1, "--steps takes A, A-B or A-");
    assert_refused(test_command("check %s --steps -1", cloth), 1, "--steps takes A, A-B or A-");
    assert_says(test_command("overlaps %s --steps 4", cloth), "\n     4  ");
    assert_refused(test_command("overlaps %s --steps 5", cloth), 1, "the frames are 0 to 4");
}

// Frames of one file are read without those before them.
static void a_range_of_a_result(void **state) {
    (void)state;
    test_need_data("crash/projectile/d3plot");
    const char *result = test_data("crash/projectile/d3plot");
    test_command("check %s --surface --contacts %s/whole.csv --parts-out %s/parts.csv", result, test_folder,
                 test_folder);
    assert_says(test_command("check %s --surface --steps 3-5 --contacts %s/part.csv", result, test_folder),
                "of 3 steps");
    assert_shell("grep -E '^(step|[345]),' whole.csv | cmp - part.csv");
    char folder[512], *text = content("parts.csv");
    assert_non_null(strstr(text, "part0,part1,pid0,pid1,body0,body1,contacts,first,first_time,step\n"
                                 "Projectile,Plate,1,2,0,0,"));
    assert_non_null(strstr(text, ",0.488039203397411"));
    free(text);
    snprintf(folder, sizeof folder, "%s", test_data("crash/projectile"));
    assert_says(test_command("check %s --surface --steps 0", folder), "/d3plot, time 0 to 70.0");
}

// The page takes the table; it knows the steps.
static void the_page_reads_the_table(void **state) {
    (void)state;
    const test_run page =
        test_command("view %s --contacts %s/one.csv --out %s/one.html", cloth, test_folder, test_folder);
    if (strstr(page.err, "this build has no viewer")) skip();
    const char *found = strstr(test_command("check %s", cloth).out, " contacts in ");
    while (found[-1] != '\n') found--;
    char counts[64];
    snprintf(counts, sizeof counts, "4 steps, %.*s contacts", (int)strcspn(found, " "), found);
    assert_says(page, counts);
    assert_shell("sed 's/^2,vf,[0-9]*,/2,vf,9999,/' one.csv > other.csv");
    assert_refused(test_command("view %s --contacts %s/other.csv --out %s/o.html", cloth, test_folder, test_folder), 1,
                   "other.csv: contact 0 of step 2: vertex 9999 or face");
    assert_refused(test_command("view %s/fall0.off %s/fall1.off --contacts %s/one.csv --out %s/o.html", test_folder,
                                test_folder, test_folder, test_folder),
                   1, "this is the table of a sequence");
}

// Whole steps stay, also on standard output, if a later frame is bad; the table does not get its name.
static void whole_steps_stay_after_a_failure(void **state) {
    (void)state;
    test_text_write("bad.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    const test_run run = test_command("check %s %s/bad.off --contacts %s/cut.csv", cloth, test_folder, test_folder);
    assert_int_equal(run.code, 1);
    assert_non_null(strstr(run.err, "bad.off: is no frame of the mesh"));
    assert_non_null(strstr(run.err, "; whole steps are in "));
    assert_non_null(strstr(run.out, "\n     3 "));
    assert_true(exists("cut.csv.part") && !exists("cut.csv") && !exists("cut.csv.rows.csv"));
    assert_shell("cmp cut.csv.part one.csv");
    assert_refused(test_command("check %s/fall0.off %s/bad.off %s/fall1.off --contacts %s/none.csv", test_folder,
                                test_folder, test_folder, test_folder),
                   1, "bad.off");
    assert_false(exists("none.csv") || exists("none.csv.part"));
    assert_refused(test_command("check %s --contacts %s/nowhere/c.csv", cloth, test_folder), 1,
                   "nowhere/c.csv: cannot be written");
    assert_refused(test_command("check %s --contacts %s/cloth.csv/", cloth, test_folder), 1, "unknown extension");
}

static void a_full_disk_ends_the_table(void **state) {
    (void)state;
    assert_int_equal(symlink("/dev/full", test_path(test_folder, "full.csv")), 0);
    const test_run run = test_command("check %s --contacts %s/full.csv", cloth, test_folder);
    assert_int_equal(run.code, 3);
    assert_non_null(strstr(run.err, "full.csv: cannot be written: No space left"));
}

// Rows are there before the run ends. The second frame comes through a pipe that is held open.
static void rows_come_while_the_run_goes_on(void **state) {
    (void)state;
    assert_shell("mkfifo slow.off");
    const test_run run =
        test_command("check %s/fall0.off %s/fall1.off %s/slow.off --contacts %s/live.csv >%s/live.txt & "
                     "for i in $(seq 100); do sleep 0.1; grep -q '^     0 ' %s/live.txt && grep -q '^0,vf' "
                     "%s/live.csv.part && break; done; "
                     "cat %s/fall2.off >%s/slow.off; wait $!; cat %s/live.txt",
                     test_folder, test_folder, test_folder, test_folder, test_folder, test_folder, test_folder,
                     test_folder, test_folder, test_folder);
    assert_says(run, " of 2 steps\nwritten   ");
    assert_true(exists("live.csv") && !exists("live.csv.part"));
}

static void json_names_the_files(void **state) {
    (void)state;
    const test_run run =
        test_command("check %s --json --contacts %s/j.csv --picture %s/p-%%d.png --parts-out %s/p.json", cloth,
                     test_folder, test_folder, test_folder);
    cJSON *json = cJSON_Parse(run.out);
    const cJSON *written = cJSON_GetObjectItem(json, "written");
    assert_int_equal(cJSON_GetArraySize(written), 6);
    for (int i = 0; i < 6; i++) assert_int_equal(access(cJSON_GetStringValue(cJSON_GetArrayItem(written, i)), F_OK), 0);
    // The file has the rows of the object.
    char *text = content("p.json");
    cJSON *rows = cJSON_Parse(text);
    assert_true(cJSON_IsArray(rows) && cJSON_GetArraySize(rows) > 0);
    assert_true(cJSON_Compare(rows, cJSON_GetObjectItem(json, "part_pairs"), true));
    cJSON_Delete(rows);
    cJSON_Delete(json);
    free(text);
}

// Names with commas and quotation marks; one step; frames; a table without rows.
static void pairs_of_parts(void **state) {
    (void)state;
    static const char deck[] = "*KEYWORD\n*PART\nPlate, \"thick\"\n20,1,1\n*PART\nBall\n10,1,1\n*NODE\n101,-4,-4,0\n"
                               "105,5,-4,0\n109,-4,5,0\n201,0.1,0.2,%d\n202,0,1,9\n203,1,0,9\n*ELEMENT_SHELL\n"
                               "7001,20,101,105,109,109\n8001,10,201,202,203,203\n*END\n";
    char text[1024], path[2][512];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, deck, i ? -3 : 1);
        snprintf(path[i], sizeof path[i], "%s", test_text_write(i ? "e.k" : "s.k", text));
    }
    assert_says(test_command("check %s %s --parts-out %s/q.csv", path[0], path[1], test_folder), "/q.csv\n");
    char *table = content("q.csv");
    assert_string_equal(table, "part0,part1,pid0,pid1,body0,body1,contacts,first,first_time,step\n"
                               "Ball,\"Plate, \"\"thick\"\"\",10,20,0,0,1,0.24999999988358446,0.24999999988358446,0\n");
    free(table);
    assert_says(test_command("overlaps %s %s --parts-out %s/o.csv", path[0], path[1], test_folder),
                "parts     Ball - Plate, \"thick\": 1, deepest ");
    table = content("o.csv");
    assert_non_null(strstr(table, ",overlaps,depth,time,frame\nBall,\"Plate, \"\"thick\"\"\",10,20,0,0,1,"));
    assert_string_equal(table + strlen(table) - 5, ",1,1\n");
    free(table);
    test_command("near %s --distance 1.5 --parts-out %s/n.json", path[0], test_folder);
    table = content("n.json");
    assert_non_null(strstr(table, "\"pids\":[10,20],"));
    free(table);
    test_command("check %s %s --parts-out %s/z.json", path[0], path[0], test_folder);
    table = content("z.json");
    assert_string_equal(table, "[]\n");
    free(table);
    assert_refused(test_command("check %s %s --parts-out %s/z.vtp", path[0], path[0], test_folder), 1,
                   "--parts-out writes .csv or .json");
    assert_refused(test_command("check %s %s --parts-out %s/no/z.csv", path[0], path[0], test_folder), 1,
                   "no/z.csv: cannot be written");
}

static int count_words(const char *text, const char *words) {
    int count = 0;
    for (; (text = strstr(text, words)); text += strlen(words)) count++;
    return count;
}

// One file: nothing is fetched, names are escaped, each pair of parts has a row and a picture.
static void a_report_in_one_file(void **state) {
    (void)state;
    static const char deck[] = "*KEYWORD\n*PART\n<Plate> & \"co\"\n20,1,1\n*PART\nBall\n10,1,1\n*NODE\n101,-4,-4,0\n"
                               "105,5,-4,0\n109,-4,5,0\n201,0.1,0.2,%d\n202,0,1,9\n203,1,0,9\n*ELEMENT_SHELL\n"
                               "7001,20,101,105,109,109\n8001,10,201,202,203,203\n*END\n";
    char text[1024], path[2][512];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, deck, i ? -3 : 1);
        snprintf(path[i], sizeof path[i], "%s", test_text_write(i ? "re.k" : "rs.k", text));
    }
    assert_says(
        test_command("check %s %s %s --between Ball,20 --report %s/r.html", path[0], path[1], path[0], test_folder),
        "/r.html\n");
    char *page = content("r.html");
    assert_int_equal(strncmp(page, "<!doctype html>", 15), 0);
    assert_int_equal(count_words(page, "<img "), 2); // all bodies, and the pair
    assert_int_equal(count_words(page, "src=\"data:image/png;base64,iVBOR"), 2);
    assert_null(strstr(page, "http"));
    assert_null(strstr(page, "<Plate>"));
    assert_non_null(strstr(page, "<td>Ball - &lt;Plate&gt; &amp; &quot;co&quot;</td><td class=\"n\">0.25</td>"));
    assert_non_null(strstr(page, "node, face 201 101 105 109<br>elements 8001, 7001"));
    assert_non_null(strstr(
        page,
        "2 contacts in 2 of 2 steps; pairs of parts that touch: 1. Pairs of parts that penetrate each other: 1."));
    assert_non_null(strstr(page, "--between Ball,20 --report "));
    free(page);
    assert_says(test_command("overlaps %s --report %s/o.html", path[1], test_folder), "/o.html\n");
    page = content("o.html");
    assert_int_equal(count_words(page, "<img "), 1);
    assert_non_null(strstr(page, "Pairs of parts that penetrate each other: 1."));
    assert_null(strstr(page, "First contact"));
    free(page);
    assert_refused(test_command("check %s %s --report %s/r.pdf", path[0], path[1], test_folder), 1,
                   "--report writes .html, which a browser prints as .pdf");
    assert_refused(test_command("check %s %s --report %s/no/r.html", path[0], path[1], test_folder), 1,
                   "no/r.html: cannot be written");
}

// The penetrations are those that toccata overlaps finds, and the first times those of the report on the terminal.
static void a_report_of_a_real_crash(void **state) {
    (void)state;
    test_need_data("crash/projectile/d3plot");
    const char *result = test_data("crash/projectile/d3plot");
    assert_says(test_command("check %s --steps 2-4 --report %s/r.html", result, test_folder), "/r.html\n");
    const test_run run = test_command("overlaps %s --steps 2-5", result);
    assert_says(run, "deepest 0.0539183 (frame 4)");
    char *page = content("r.html");
    assert_non_null(strstr(page, "<td>Projectile - Plate</td><td class=\"n\">0.0539183</td><td class=\"n\">19.9577</td>"
                                 "<td class=\"n\">4</td>"));
    assert_int_equal(count_words(page, "<rect "), 3);
    free(page);
}

// One .glb for all steps, with all contacts; bodies of --with stand in it, too.
static void one_animation_of_all_steps(void **state) {
    (void)state;
    assert_says(test_command("check %s --contacts %s/all.glb", cloth, test_folder), "written   ");
    assert_true(exists("all.glb") && !exists("all-0000.glb"));
    assert_says(test_command("info %s/all.glb", test_folder), "frames           13;");
    const test_run page =
        test_command("view %s --contacts %s/all.glb --out %s/all.html", cloth, test_folder, test_folder);
    if (!strstr(page.err, "this build has no viewer")) assert_says(page, "4 steps, ");
    assert_says(test_command("check %s --with %s/fall0.off --contacts %s/both.glb", cloth, test_folder, test_folder),
                "both.glb\n");
    assert_int_equal(test_command("check %s %s/fall0.off --contacts %s/cut.glb", cloth, test_folder, test_folder).code,
                     1);
    assert_false(exists("cut.glb"));
    assert_says(test_command("check %s --contacts %s/own-%%d.glb", cloth, test_folder), "own-3.glb, 4 files\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_steps_are_one_table),    cmocka_unit_test(a_table_of_json),
        cmocka_unit_test(a_range_of_steps),           cmocka_unit_test(a_range_of_a_result),
        cmocka_unit_test(the_page_reads_the_table),   cmocka_unit_test(whole_steps_stay_after_a_failure),
        cmocka_unit_test(a_full_disk_ends_the_table), cmocka_unit_test(rows_come_while_the_run_goes_on),
        cmocka_unit_test(json_names_the_files),       cmocka_unit_test(pairs_of_parts),
        cmocka_unit_test(one_animation_of_all_steps), cmocka_unit_test(a_report_in_one_file),
        cmocka_unit_test(a_report_of_a_real_crash),
    };
    return cmocka_run_group_tests(tests, write_sequences, test_folder_end);
}
