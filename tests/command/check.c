// SPDX-License-Identifier: Apache-2.0
// toccata check: two frames and sequences, every kind of output, every refusal.
#include <cjson/cJSON.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/command.h"

// A vertex of a small triangle falls through a large one at t = 1/4; the last frame lies still below.
static int write_frames(void **state) {
    test_folder_begin(state);
    test_fall_write(3);
    return 0;
}

static bool exists(const char *name) { return access(test_path(test_folder, name), F_OK) == 0; }

static double number(const cJSON *object, const char *name) {
    return cJSON_GetNumberValue(cJSON_GetObjectItem(object, name));
}

static cJSON *json_of(test_run run) {
    assert_string_equal(run.err, "");
    assert_int_equal(run.code, 0);
    cJSON *json = cJSON_Parse(run.out);
    assert_non_null(json);
    return json;
}

static cJSON *check_json(const char *arguments) {
    return json_of(test_command("check --preset brute --json %s", arguments));
}

static const char *frames(const char *more) {
    static char text[1024];
    snprintf(text, sizeof text, "%s/fall0.off %s/fall1.off %s", test_folder, test_folder, more);
    return text;
}

static void one_contact_is_found_and_printed(void **state) {
    (void)state;
    const test_run run = test_command("check --preset brute %s", frames(""));
    assert_says(run, "contacts  1 (1 vertex-face, 0 edge-edge)");
    assert_says(run, ": vertex 3 meets face 0 1 2");
    assert_says(run, "6 vertices, 2 triangle elements");
}

// Three frames of a parabola: z = 1 - 8 t (1 - t) is 0 at t = (1 - sqrt(1/2)) / 2, and the vertex ends where it began.
static void three_frames_are_a_parabola(void **state) {
    (void)state;
    test_text_write("middle.off", "OFF\n6 2 0\n-4 -4 0\n5 -4 0\n-4 5 0\n0.1 0.2 -1\n0 1 9\n1 0 9\n3 0 1 2\n3 3 4 5\n");
    char arguments[1024];
    snprintf(arguments, sizeof arguments, "%s/fall0.off %s/middle.off %s/fall0.off --parabolas", test_folder,
             test_folder, test_folder);
    cJSON *json = check_json(arguments);
    assert_int_equal(number(json, "contacts"), 1);
    assert_double_near(number(json, "first"), 0.14644660940672624, 1e-9);
    cJSON_Delete(json);
    const test_run run = test_command("check %s", frames("--parabolas"));
    assert_int_equal(run.code, 1);
    assert_non_null(strstr(run.err, "odd number of frames"));
}

// A vertex that dips to 0.5 above a face in the middle of the step, and is 1 above it at both ends.
static void near_in_the_step_on_parabolas(void **state) {
    (void)state;
    test_text_write("dip.off", "OFF\n6 2 0\n-4 -4 0\n5 -4 0\n-4 5 0\n0.1 0.2 0.5\n0 1 9\n1 0 9\n3 0 1 2\n3 3 4 5\n");
    for (int i = 0; i < 3; i++) {
        static const char *const presets[] = {"auto", "voxel", "voxel-safe"};
        const test_run run =
            test_command("near %s/fall0.off %s/dip.off %s/fall0.off --parabolas --distance 0.7 --in-step --preset %s",
                         test_folder, test_folder, test_folder, presets[i]);
        assert_says(run, "near      1 within 0.7 in the step; nearest 0.5: vertex 3 and face 0 1 2");
        assert_says(test_command("near %s/fall0.off --distance 1.1 --preset %s", test_folder, presets[i]),
                    "near      1 within 1.1 at the start; nearest 1: vertex 3 and face 0 1 2");
    }
    const test_run run = test_command("check %s", frames("--in-step"));
    assert_int_equal(run.code, 1);
    assert_non_null(strstr(run.err, "--in-step needs a distance: --near D"));
}

// A skipped stage is gone from the report; the contacts stay.
static void stages_can_be_skipped_by_name(void **state) {
    (void)state;
    assert_says(test_command("check --preset volccd %s", frames("")), "axes VF");
    const test_run run =
        test_command("check --preset volccd %s", frames("--skip feature-axes,intact --skip assignment"));
    assert_says(run, "contacts  1 (1 vertex-face, 0 edge-edge)");
    assert_null(strstr(run.out, "axes VF"));
}

static void json_has_the_agreed_shape(void **state) {
    (void)state;
    cJSON *json = check_json(frames(""));
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "preset")), "brute");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "answer")), "all");
    assert_double_same(number(json, "contacts"), 1);
    assert_double_near(number(json, "first"), 0.25, 1e-12);
    assert_true(number(json, "ms") >= 0);
    const cJSON *stages = cJSON_GetObjectItem(json, "stages");
    assert_true(cJSON_GetArraySize(stages) > 0);
    const cJSON *last = cJSON_GetArrayItem(stages, cJSON_GetArraySize(stages) - 1);
    assert_true(cJSON_IsString(cJSON_GetObjectItem(last, "name")));
    assert_double_same(number(last, "out"), 1);
    assert_true(cJSON_IsNumber(cJSON_GetObjectItem(last, "in")) && cJSON_IsNumber(cJSON_GetObjectItem(last, "ms")));
    cJSON_Delete(json);
}

// ParaView opens one .pvd, not a pile of .vtp files.
static void a_sequence_of_vtp_gets_a_pvd(void **state) {
    (void)state;
    const test_run run = test_command("check %s/fall0.off %s/fall1.off %s/fall2.off --contacts %s/list.vtp",
                                      test_folder, test_folder, test_folder, test_folder);
    assert_int_equal(run.code, 0);
    assert_true(exists("list-0000.vtp") && exists("list-0001.vtp") && exists("list.pvd"));
    char text[2048] = {0};
    FILE *file = fopen(test_path(test_folder, "list.pvd"), "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_non_null(strstr(text, "file=\"list-0000.vtp\""));
    assert_non_null(strstr(text, "file=\"list-0001.vtp\""));
    test_command("check %s --contacts %s/single.vtp", frames(""), test_folder);
    assert_false(exists("single.pvd"));
}

// The head of a PNG names its size.
static void a_picture_has_the_size_asked_for(void **state) {
    (void)state;
    const char *looks[] = {"--width 320 --height 200", "--width 320 --height 200 --azimuth 90 --elevation 10 --zoom 2",
                           "--width 320 --height 200 --colour time --fit-contacts"};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        const test_run run =
            test_command("view %s --plain --png %s/look%zu.png %s", frames(""), test_folder, i, looks[i]);
        assert_int_equal(run.code, 0);
        char name[32];
        snprintf(name, sizeof name, "look%zu.png", i);
        FILE *file = fopen(test_path(test_folder, name), "rb");
        assert_non_null(file);
        unsigned char head[24];
        assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
        fclose(file);
        assert_int_equal(head[18] << 8 | head[19], 320);
        assert_int_equal(head[22] << 8 | head[23], 200);
    }
}

// A patch close below a floor of two triangles, which are large on the picture and far from parallel to it.
static void nothing_shows_through_large_faces(void **state) {
    (void)state;
    static const char rest[] = "10 3 0\n9 -9 0\n9 9 0\n-9 9 0\n-9 -9 0\n1 1 -0.3\n-7 1 -0.3\n1 -7 -0.3\n8 8 -0.3\n"
                               "8.1 8 -0.3\n8 8.1 -0.3\n3 0 1 2\n3 0 2 3\n3 ";
    static char pictures[2][1 << 18];
    size_t counts[2];
    for (int i = 0; i < 2; i++) { // the same vertices, with the patch or another one that is small
        char text[512], path[512];
        snprintf(text, sizeof text, "OFF\n%s%s\n", rest, i ? "4 5 6" : "7 8 9");
        snprintf(path, sizeof path, "%s", test_text_write("floor.off", text));
        const test_run run = test_command("check %s %s --picture %s/floor.png", path, path, test_folder);
        assert_int_equal(run.code, 0);
        FILE *file = fopen(test_path(test_folder, "floor.png"), "rb");
        assert_non_null(file);
        counts[i] = fread(pictures[i], 1, sizeof pictures[i], file);
        fclose(file);
    }
    assert_in_range(counts[0], 1000, sizeof pictures[0] - 1);
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(pictures[0], pictures[1], counts[0]);
}

static void impossible_pictures_are_refused(void **state) {
    (void)state;
    char more[512];
    snprintf(more, sizeof more, "--plain --png %s/no.png --width 3", test_folder);
    assert_refused(test_command("view %s", frames(more)), 1, "a picture has 16 to 8192 pixels a side, not 3 x 720");
    snprintf(more, sizeof more, "--png %s/no.png --zoom 0", test_folder);
    assert_refused(test_command("view %s", frames(more)), 1, "--zoom takes a number above 0");
    assert_refused(test_command("view %s", frames("--serve --azimuth 20")), 1, "give --png OUT");
    snprintf(more, sizeof more, "--png %s/no.png --azimuth 20 --link 0", test_folder);
    assert_refused(test_command("view %s", frames(more)), 1, "leave out --link");
    assert_false(exists("no.png"));
}

static void no_contact_is_null(void **state) {
    (void)state;
    char still[256];
    snprintf(still, sizeof still, "%s/fall0.off %s/fall0.off", test_folder, test_folder);
    cJSON *json = check_json(still);
    assert_double_same(number(json, "contacts"), 0);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "first")));
    cJSON_Delete(json);
    assert_says(test_command("check --preset brute %s", still), "contacts  0\n");
}

static void sequence_is_reported_step_by_step(void **state) {
    (void)state;
    char more[128];
    snprintf(more, sizeof more, "%s/fall2.off --contacts %s/step.csv", test_folder, test_folder);
    cJSON *json = check_json(frames(more));
    const cJSON *steps = cJSON_GetObjectItem(json, "steps");
    assert_int_equal(cJSON_GetArraySize(steps), 2);
    for (int i = 0; i < 2; i++) {
        const cJSON *step = cJSON_GetArrayItem(steps, i);
        assert_double_same(number(step, "step"), i);
        assert_true(number(step, "contacts") == 1 - i || i == 1);
    }
    cJSON_Delete(json);
    assert_true(exists("step.csv") && !exists("step-0000.csv"));
    assert_says(test_command("check --preset brute %s", frames(more)), "of 2 steps");
}

// 16 states of an eroding plate: the check reaches every state in spite of removed elements.
static void d3plot_is_checked_state_by_state(void **state) {
    (void)state;
    test_need_data("crash/projectile/d3plot");
    const test_run run = test_command("check --surface %s", test_data("crash/projectile/d3plot"));
    assert_says(run, "frames    16: ");
    assert_says(run, "time 0 to 70.02789652944806");
    assert_says(run, "\n2823 contacts in 13 of 15 steps\n");
}

static int count_lines(const char *name) {
    int lines = 0;
    FILE *file = fopen(test_path(test_folder, name), "r");
    assert_non_null(file);
    for (int c; (c = fgetc(file)) != EOF;) lines += c == '\n';
    fclose(file);
    return lines;
}

// The tip of one tet is half a unit into the other, from below.
static void overlapping_volume_elements_are_printed(void **state) {
    (void)state;
    static const char tets[] = "# vtk DataFile Version 3.0\ntets\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n"
                               "0 0 0\n4 0 0\n0 4 0\n1 1 4\n0 0 -4\n4 0 -4\n0 4 -4\n1 1 0.5\n"
                               "CELLS 2 10\n4 0 1 2 3\n4 4 5 6 7\nCELL_TYPES 2\n10\n10\n";
    const char *path = test_path(test_folder, "tets.vtk");
    test_file_write(path, tets, sizeof tets - 1);
    const test_run run = test_command("overlaps %s", path);
    assert_says(run, "elements  1 pairs overlap at the start; deepest 0.5: elements 0 and 1 along ");
    assert_says(test_command("overlaps %s %s %s", path, path, path), "  elements 1\n");
    assert_says(test_command("overlaps %s/fall0.off --with %s", test_folder, path),
                "elements  1 pairs overlap at the start");
    cJSON *json = json_of(test_command("overlaps --json %s", path));
    const cJSON *pair = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "element_overlaps"), 0);
    assert_true(number(pair, "depth") == 0.5);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(pair, "normal")), 3);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(pair, "point")), 3);
    cJSON_Delete(json);
}

static void overlaps_near_pairs_and_the_safe_step(void **state) {
    (void)state;
    cJSON *json = check_json(frames("--safe-step"));
    assert_int_equal(number(json, "contacts"), 1);
    assert_true(number(json, "safe_step") < 0.25 && number(json, "safe_step") > 0.249999);
    cJSON_Delete(json);
    json = check_json(frames(""));
    assert_null(cJSON_GetObjectItem(json, "overlaps"));
    assert_null(cJSON_GetObjectItem(json, "near"));
    assert_null(cJSON_GetObjectItem(json, "safe_step"));
    cJSON_Delete(json);
    const test_run run = test_command("overlaps %s/fall1.off", test_folder);
    assert_says(run, "overlaps  1 at the start; deepest ");
    assert_says(run, ": face 0 1 2 and face 3 4 5\n");
    assert_says(test_command("near %s/fall1.off --distance 0.1", test_folder), "near      0 within 0.1 at the start\n");
    const test_run warned = test_command("check %s/fall1.off %s/fall2.off --safe-step", test_folder, test_folder);
    assert_says(warned, "safe      1 of the step\n");
    assert_says(warned, "warning   overlaps at the start: 1; the safe step does not count them\n");
    assert_null(strstr(warned.out, "overlaps  "));
    const test_run rows = test_command("check %s/fall%d.off %s/fall%d.off %s/fall%d.off --safe-step", test_folder, 0,
                                       test_folder, 1, test_folder, 2);
    assert_says(rows, "  safe 1 (warning: overlaps at the start: 1)\n");
    assert_refused(test_command("near %s", frames("--distance -1")), 1, "distance");
}

// Each frame for itself: the vertex is above the face, then below it.
static void overlaps_and_near_pairs_of_every_frame(void **state) {
    (void)state;
    const char *three = "%s %s/fall0.off %s/fall1.off %s/fall0.off --json %s";
    cJSON *json = json_of(test_command(three, "overlaps", test_folder, test_folder, test_folder, ""));
    const cJSON *list = cJSON_GetObjectItem(json, "frames");
    assert_int_equal(cJSON_GetArraySize(list), 3);
    for (int i = 0; i < 3; i++) {
        const cJSON *frame = cJSON_GetArrayItem(list, i);
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(frame, "overlaps")), i == 1);
        assert_double_same(number(frame, "frame"), i);
        assert_double_same(number(frame, "time"), i);
        assert_null(cJSON_GetObjectItem(frame, "contacts"));
    }
    cJSON_Delete(json);
    json = json_of(test_command(three, "near", test_folder, test_folder, test_folder, "--distance 1.1"));
    list = cJSON_GetObjectItem(json, "frames");
    for (int i = 0; i < 3; i++)
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(cJSON_GetArrayItem(list, i), "near")), i == 1 ? 2 : 1);
    cJSON_Delete(json);
    json = json_of(test_command(three, "near", test_folder, test_folder, test_folder, "--distance 0.5 --in-step"));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "steps")), 2);
    cJSON_Delete(json);
    assert_int_equal(test_command("near %s --distance 1.1 --out %s/gap.csv", frames(""), test_folder).code, 0);
    assert_true(exists("gap.csv") && !exists("gap-0000.csv"));
    assert_int_equal(test_command("near %s --distance 1.1 --fail-on-contact", frames("")).code, 4);
    assert_int_equal(test_command("near %s/fall1.off --distance 0.1 --fail-on-contact", test_folder).code, 0);
    assert_refused(test_command("near %s", frames("")), 1, "near needs a distance: --distance D");
    assert_refused(test_command("overlaps"), 1, "overlaps needs one frame or more");
    assert_refused(test_command("near %s/fall0.off --distance 1 --in-step", test_folder), 1, "leave out --in-step");
}

// Options that have moved to other commands answer as before, and say where they are.
static void former_spellings_work_and_say_the_new_ones(void **state) {
    (void)state;
    char more[512];
    assert_former(test_command("check %s", frames("--overlaps")), "overlaps  0 at the start", "toccata overlaps FRAME");
    assert_former(test_command("check %s/fall1.off --overlaps", test_folder), "overlaps  1 at the start; deepest ",
                  "toccata overlaps FRAME");
    assert_former(test_command("check %s", frames("--near 1.1")), "near      1 within 1.1 at the start; nearest 1",
                  "toccata near FRAME --distance D");
    snprintf(more, sizeof more, "--overlaps-out %s/o.csv", test_folder);
    assert_former(test_command("check %s", frames(more)), "overlaps  0 at the start",
                  "toccata overlaps FRAME --out OUT");
    assert_true(exists("o.csv"));
    const test_run both = test_command("check %s", frames("--overlaps --near 1.1 --in-step"));
    assert_non_null(strstr(both.out, " within 1.1 in the step"));
    assert_non_null(strstr(both.err, "toccata near START END --distance D --in-step"));
    snprintf(more, sizeof more, "--picture %s/former.png --width 320", test_folder);
    assert_former(test_command("check %s", frames(more)), "contacts  1", "toccata view START END --png OUT --width N");
    assert_refused(test_command("check %s", frames("--near -1")), 1, "near");
}

// The forms on which other programs rely.
static void agreed_forms_are_quiet(void **state) {
    (void)state;
    static const char *const forms[] = {"--preset volccd-published",
                                        "--answer all",
                                        "--answer first",
                                        "--answer any",
                                        "--threads 2",
                                        "--json",
                                        "--skip feature-dops,normals --preset voxel",
                                        "--method exact",
                                        "--fail-on-contact --preset auto"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const test_run run = test_command("check %s", frames(forms[i]));
        assert_true(run.code == 0 || run.code == 4);
        assert_string_equal(run.err, "");
    }
    assert_says(test_command("research check %s", frames("--preset rtri --dop 18")), "preset rtri");
    assert_refused(test_command("research view"), 1, "no subcommand \"view\" of research");
}

// A vertex passes a face with which its own face shares a corner: the normal test of voxel drops the two.
static void comparison_counts_missed_and_invented_contacts(void **state) {
    (void)state;
    test_text_write("fold0.off", "OFF\n5 2 0\n0 0 0\n2 0 0\n0 2 0\n0.5 0.5 1\n0.2 0.1 1.5\n3 0 1 2\n3 0 3 4\n");
    test_text_write("fold1.off", "OFF\n5 2 0\n0 0 0\n2 0 0\n0 2 0\n0.5 0.5 -1\n0.2 0.1 1.5\n3 0 1 2\n3 0 3 4\n");
    test_text_write("fold2.off", "OFF\n5 2 0\n0 0 0\n2 0 0\n0 2 0\n0.5 0.5 0.01\n0.2 0.1 1.5\n3 0 1 2\n3 0 3 4\n");
    char fold[1024], three[2048];
    snprintf(fold, sizeof fold, "%s/fold0.off %s/fold1.off", test_folder, test_folder);
    assert_says(test_command("check %s --preset voxel --against auto", fold),
                "against   auto: 1 contacts; 1 missed, 0 invented\n");
    assert_says(test_command("check %s --preset voxel --fold 1 --against brute", fold),
                "against   brute: 1 contacts; 0 missed, 0 invented\n");
    // A distance that the method takes for touching, in the first step.
    snprintf(three, sizeof three, "%s/fold0.off %s/fold2.off %s/fold1.off", test_folder, test_folder, test_folder);
    const char *loose = "check %s --preset voxel --fold %d --method additive --tolerance 0.1 --no-exact --against auto";
    assert_says(test_command(loose, three, 1), "against   auto: 1 contacts; 0 missed, 1 invented");
    assert_says(test_command(loose, three, 180), "against   auto: 1 contacts; 1 missed, 0 invented\n");
    cJSON *json = json_of(test_command("check %s --preset voxel --json --against auto", fold));
    assert_int_equal(number(cJSON_GetObjectItem(json, "against"), "missed"), 1);
    cJSON_Delete(json);
    assert_refused(test_command("check %s --answer first --against auto", fold), 1, "--answer first");
    assert_refused(test_command("check %s --against voxel", fold), 1, "--against");
}

// Two shells 0.1 apart and 0.3 thick: they touch unless they are taken as thin; made solid they overlap.
static void thickness_of_shells_counts(void **state) {
    (void)state;
    const char *path = test_text_write(
        "shells.vtk",
        "# vtk DataFile Version 3.0\nshells\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n0 0 0 1 0 0 0 1 0\n"
        "0.1 0.1 0.1 0.9 0 0.1 0 0.9 0.1\nCELLS 2 8\n3 0 1 2\n3 3 4 5\nCELL_TYPES 2\n5\n5\nCELL_DATA 2\n"
        "SCALARS thickness double 1\nLOOKUP_TABLE default\n0.3\n0.3\n");
    assert_says(test_command("check %s %s", path, path), "vertex-face");
    assert_says(test_command("check --thin %s %s", path, path), "contacts  0\n");
    assert_says(test_command("check --thin --separation 0.05 %s %s", path, path), "contacts  0\n");
    assert_says(test_command("check --thin --separation 0.11 %s %s", path, path), "vertex-face");
    const char *standing = test_text_write(
        "standing.vtk",
        "# vtk DataFile Version 3.0\nshells\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n0 0 0 1 0 0 0 1 0\n"
        "0.1 0.1 0 0.5 0.1 1 0.1 0.5 1\nCELLS 2 8\n3 0 1 2\n3 3 4 5\nCELL_TYPES 2\n5\n5\nCELL_DATA 2\n"
        "SCALARS thickness double 1\nLOOKUP_TABLE default\n0.3\n0.3\n");
    assert_says(test_command("overlaps %s", standing),
                "hint      all depths are 0, because shells are faces here. --th");
    assert_null(strstr(test_command("overlaps --thicken %s", standing).out, "hint"));
    assert_says(test_command("overlaps --thicken %s", path), "2 wedge elements");
    assert_says(test_command("overlaps --thicken %s", path), "elements  1 pairs overlap");
}

// A vertex that falls from 1 to -3 keeps a thousandth of the diagonal of the scene, or a tenth of its distance.
static void a_step_that_leaves_room(void **state) {
    (void)state;
    cJSON *json = check_json(frames("--room 0.1"));
    assert_true(number(json, "room_step") > 0.24 && number(json, "room_step") < 0.25);
    cJSON_Delete(json);
    assert_says(test_command("check --room 0.1 %s", frames("")), "of the step: vertex 3 and face 0 1 2 keep 0.0");
}

// A vertex falls through a face in the first step and lies still in the second.
static void touches_and_changes_are_counted(void **state) {
    (void)state;
    char three[2048];
    snprintf(three, sizeof three, "%s %s/fall2.off --touches --changes features", frames(""), test_folder);
    cJSON *json = check_json(three);
    const cJSON *steps = cJSON_GetObjectItem(json, "steps");
    const cJSON *first = cJSON_GetArrayItem(steps, 0), *second = cJSON_GetArrayItem(steps, 1);
    assert_double_same(number(first, "began"), 1);
    assert_double_same(number(first, "touches"), 1);
    assert_double_same(number(second, "ended"), 1);
    assert_double_same(number(second, "persist"), 0);
    cJSON_Delete(json);
    assert_says(test_command("check --changes groups %s", frames("")), "changes   groups: 1 began, 0 persist, 0 ended");
    assert_says(test_command("check --touches %s", frames("")), "touches   1; pairs that touch more than once: 0");
}

// A small tet within a large one, at rest.
static void a_body_within_a_body_is_warned_of(void **state) {
    (void)state;
    const char *path = test_text_write(
        "nested.off", "OFF\n8 8 0\n0 0 0\n9 0 0\n0 9 0\n0 0 9\n1 1 1\n2 1 1\n1 2 1\n1 1 2\n3 0 2 1\n3 0 1 3\n"
                      "3 1 2 3\n3 2 0 3\n3 4 6 5\n3 4 5 7\n3 5 6 7\n3 6 4 7\n");
    const test_run run = test_command("check --safe-step %s %s", path, path);
    assert_says(run, "safe      1 of the step");
    assert_says(run, "warning   inside of a body at the start: 1");
    assert_says(test_command("overlaps %s", path), "inside    1 component at the start wholly inside of a body; first");
    assert_says(test_command("overlaps %s --json", path), "\"inside\"");
    assert_int_equal(test_command("overlaps %s --fail-on-contact", path).code, 4);
}

static void contacts_and_picture_are_written(void **state) {
    (void)state;
    static const char *const extensions[] = {"csv", "vtp", "json"};
    for (int i = 0; i < 3; i++) {
        char more[128];
        snprintf(more, sizeof more, "--contacts %s/hits.%s --picture %s/hits.png", test_folder, extensions[i],
                 test_folder);
        assert_int_equal(test_command("check --preset brute %s", frames(more)).code, 0);
    }
    assert_int_equal(count_lines("hits.csv"), 2); // the names of the columns and one contact
    assert_int_equal(count_lines("hits.json"), 1);
    assert_true(exists("hits.vtp") && exists("hits.png"));
}

// A sheet whose vertices fly apart: many contacts for its size.
static void write_wild_sheet(void) {
    enum { CELLS = 14, SIDE = CELLS + 1 };
    test_random random = {11};
    for (int end = 0; end < 2; end++) {
        FILE *file = fopen(test_path(test_folder, end ? "wild1.off" : "wild0.off"), "w");
        assert_non_null(file);
        fprintf(file, "OFF\n%d %d 0\n", SIDE * SIDE, 2 * CELLS * CELLS);
        for (int v = 0; v < SIDE * SIDE; v++) {
            const double x[3] = {v % SIDE, v / SIDE, 0}; // NOLINT(bugprone-integer-division)
            for (int k = 0; k < 3; k++)
                fprintf(file, "%.17g ", x[k] + (end ? test_random_between(&random, -10, 10) : 0));
            fputc('\n', file);
        }
        for (int c = 0; c < CELLS * CELLS; c++) {
            const int a = c / CELLS * SIDE + c % CELLS;
            fprintf(file, "3 %d %d %d\n3 %d %d %d\n", a, a + 1, a + SIDE + 1, a, a + SIDE + 1, a + SIDE);
        }
        fclose(file);
    }
}

// Contacts beyond an eighth of the memory go through temporary files: the bytes are those of a list in memory.
static void contacts_beyond_the_memory(void **state) {
    (void)state;
    static const char *const extensions[] = {"csv", "vtp", "json"};
    const char *run = "check %s/wild0.off %s/wild1.off %s --contacts %s/%s.%s";
    write_wild_sheet();
    for (int i = 0; i < 3; i++) {
        const char *limit = "--memory 2M --threads 2";
        const test_run list = test_command(run, test_folder, test_folder, "", test_folder, "list", extensions[i]);
        const test_run store = test_command(run, test_folder, test_folder, limit, test_folder, "store", extensions[i]);
        assert_true(list.code == 0 && store.code == 0);
        const char *found = strstr(list.out, "\ncontacts "), *written = strstr(found, "written ");
        assert_int_equal(strncmp(found, strstr(store.out, "\ncontacts "), (size_t)(written - found)), 0);
        assert_int_equal(test_command("--version && cmp %s/list.%s %s/store.%s", test_folder, extensions[i],
                                      test_folder, extensions[i])
                             .code,
                         0);
    }
    assert_true(count_lines("list.csv") > 2 * 2184); // several runs
    test_run piped = test_command("check %s/wild0.off %s/wild1.off --memory 2M --contacts - | cmp - %s/list.csv",
                                  test_folder, test_folder, test_folder);
    assert_int_equal(piped.code, 0);
}

static void no_place_for_contacts_beyond_the_memory(void **state) {
    (void)state;
    const char *before = getenv("TMPDIR");
    char *kept = before ? strdup(before) : NULL;
    setenv("TMPDIR", "/nowhere", 1);
    const test_run run = test_command("check %s/wild0.off %s/wild1.off --memory 2M --contacts %s/lost.csv", test_folder,
                                      test_folder, test_folder);
    if (kept)
        setenv("TMPDIR", kept, 1);
    else
        unsetenv("TMPDIR");
    free(kept);
    assert_refused(run, 1, "/nowhere: no file can be made");
    assert_false(exists("lost.csv"));
}

static void threads_do_not_change_the_answer(void **state) {
    (void)state;
    assert_says(test_command("scene cloth-ball --size 16 --out %s/cloth", test_folder), "-0024.ply");
    const char *run = "check --preset brute --threads %d %s/cloth/cloth-ball-0017.ply %s/cloth/cloth-ball-0018.ply "
                      "--contacts %s/t%d.csv";
    for (int threads = 1; threads <= 3; threads++) {
        assert_says(test_command(run, threads, test_folder, test_folder, test_folder, threads), "contacts");
    }
    assert_true(count_lines("t1.csv") > 20);
    assert_int_equal(test_command("--version && cmp %s/t1.csv %s/t2.csv && cmp %s/t1.csv %s/t3.csv", test_folder,
                                  test_folder, test_folder, test_folder)
                         .code,
                     0);
}

static void first_and_any_agree_with_all(void **state) {
    (void)state;
    cJSON *all = check_json(frames("--answer all")), *first = check_json(frames("--answer first"));
    cJSON *any = check_json(frames("--answer any"));
    assert_double_same(number(first, "contacts"), 1);
    assert_double_same(number(first, "first"), number(all, "first"));
    assert_double_same(number(any, "contacts"), 1);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(any, "answer")), "any");
    cJSON_Delete(all);
    cJSON_Delete(first);
    cJSON_Delete(any);
}

static void bad_frames_are_refused(void **state) {
    (void)state;
    const char *other = test_text_write("other.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    assert_refused(test_command("check %s/fall0.off", test_folder), 1, "frame");
    assert_refused(test_command("check %s/fall0.off %s/none.off", test_folder, test_folder), 1, "none.off");
    assert_refused(test_command("check %s/none.off %s/fall0.off", test_folder, test_folder), 1, "none.off");
    assert_refused(test_command("check %s/fall0.off %s", test_folder, other), 1, "fall0.off");
    assert_refused(test_command("check %s/fall0.off %s", test_folder, other), 1, "other.off");
    // A later frame that is wrong: the rows of the steps before it stay; JSON is whole or not there.
    const test_run run = test_command("check --preset brute %s", frames(other));
    assert_int_equal(run.code, 1);
    assert_non_null(strstr(run.err, "other.off"));
    assert_non_null(strstr(run.out, "\n     0          1 "));
    assert_null(strstr(run.out, " steps\n"));
    assert_refused(test_command("check --preset brute %s --json", frames(other)), 1, "other.off");
}

static void unwritable_output_is_refused(void **state) {
    (void)state;
    char more[256];
    snprintf(more, sizeof more, "--contacts %s/none/hits.csv", test_folder);
    assert_refused(test_command("check --preset brute %s", frames(more)), 1, "none/hits.csv");
    snprintf(more, sizeof more, "--picture %s/none/hits.png", test_folder);
    assert_refused(test_command("check --preset brute %s", frames(more)), 1, "none/hits.png");
}

static void full_disk_exits_with_3(void **state) {
    (void)state;
    char more[256];
    assert_int_equal(symlink("/dev/full", test_path(test_folder, "full.csv")), 0);
    assert_int_equal(symlink("/dev/full", test_path(test_folder, "full.png")), 0);
    snprintf(more, sizeof more, "--contacts %s/full.csv", test_folder);
    assert_refused(test_command("check --preset brute %s", frames(more)), 3, "full.csv");
    snprintf(more, sizeof more, "--picture %s/full.png", test_folder);
    assert_refused(test_command("check --preset brute %s", frames(more)), 3, "full.png");
    assert_refused(test_command("check --preset brute %s", frames("--json >/dev/full")), 3, "standard output");
}

// After all tests above, no temporary file remains beside the results.
static void no_temporary_file_remains(void **state) {
    (void)state;
    glob_t found;
    char pattern[256];
    snprintf(pattern, sizeof pattern, "%s/{*,.*}~", test_folder);
    assert_int_equal(glob(pattern, GLOB_BRACE, NULL, &found), GLOB_NOMATCH);
    globfree(&found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_frames_are_a_parabola),
        cmocka_unit_test(near_in_the_step_on_parabolas),
        cmocka_unit_test(one_contact_is_found_and_printed),
        cmocka_unit_test(stages_can_be_skipped_by_name),
        cmocka_unit_test(json_has_the_agreed_shape),
        cmocka_unit_test(a_sequence_of_vtp_gets_a_pvd),
        cmocka_unit_test(a_picture_has_the_size_asked_for),
        cmocka_unit_test(nothing_shows_through_large_faces),
        cmocka_unit_test(impossible_pictures_are_refused),
        cmocka_unit_test(no_contact_is_null),
        cmocka_unit_test(sequence_is_reported_step_by_step),
        cmocka_unit_test(d3plot_is_checked_state_by_state),
        cmocka_unit_test(overlapping_volume_elements_are_printed),
        cmocka_unit_test(overlaps_near_pairs_and_the_safe_step),
        cmocka_unit_test(overlaps_and_near_pairs_of_every_frame),
        cmocka_unit_test(former_spellings_work_and_say_the_new_ones),
        cmocka_unit_test(agreed_forms_are_quiet),
        cmocka_unit_test(comparison_counts_missed_and_invented_contacts),
        cmocka_unit_test(thickness_of_shells_counts),
        cmocka_unit_test(a_step_that_leaves_room),
        cmocka_unit_test(touches_and_changes_are_counted),
        cmocka_unit_test(a_body_within_a_body_is_warned_of),
        cmocka_unit_test(contacts_and_picture_are_written),
        cmocka_unit_test(contacts_beyond_the_memory),
        cmocka_unit_test(no_place_for_contacts_beyond_the_memory),
        cmocka_unit_test(threads_do_not_change_the_answer),
        cmocka_unit_test(first_and_any_agree_with_all),
        cmocka_unit_test(bad_frames_are_refused),
        cmocka_unit_test(unwritable_output_is_refused),
        cmocka_unit_test(full_disk_exits_with_3),
        cmocka_unit_test(no_temporary_file_remains),
    };
    return cmocka_run_group_tests(tests, write_frames, test_folder_end);
}
