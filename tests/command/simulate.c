// SPDX-License-Identifier: Apache-2.0
// toccata simulate: frames, resuming, and descriptions with mistakes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/command.h"

static char *read_whole(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 22);
    *count = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    return bytes;
}

static void assert_same_files(const char *a, const char *b) {
    size_t counts[2];
    char *bytes[2] = {read_whole(a, &counts[0]), read_whole(b, &counts[1])};
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(bytes[0], bytes[1], counts[0]);
    free(bytes[0]);
    free(bytes[1]);
}

// A run that ended early and was resumed has the frames of one that went through, bit for bit.
static void a_resumed_run_has_the_same_frames(void **state) {
    (void)state;
    assert_says(test_command("simulate bar --size 1 --frames 9 --check --out %s/whole", test_folder), "crossings  0");
    assert_says(test_command("simulate bar --size 1 --frames 4 --out %s/parts", test_folder), "bar.pvd");
    assert_says(test_command("simulate bar --size 1 --frames 9 --resume --out %s/parts", test_folder), "frames     5");
    for (int i = 0; i < 9; i++) {
        char name[64];
        snprintf(name, sizeof name, "whole/bar-%04d.vtu", i);
        const char *whole = test_path(test_folder, name);
        snprintf(name, sizeof name, "parts/bar-%04d.vtu", i);
        assert_same_files(whole, test_path(test_folder, name));
    }
    assert_same_files(test_path(test_folder, "whole/bar.pvd"), test_path(test_folder, "parts/bar.pvd"));
    assert_refused(test_command("simulate bar --size 2 --resume --out %s/parts", test_folder), 1,
                   "another description, size or preset");
}

// The frame itself and those behind it, of a run that begins there, are those of the run that went through.
static void assert_same_rest(const char *folder, const char *name, int first, int last) {
    for (int i = first; i <= last; i++) {
        char file[96];
        snprintf(file, sizeof file, "long/%s-%04d.vtu", name, i);
        const char *whole = test_path(test_folder, file);
        snprintf(file, sizeof file, "%s/%s-%04d.vtu", folder, name, i);
        assert_same_files(whole, test_path(test_folder, file));
    }
}

// A run goes on from any frame whose state is there, in a folder of its own; that one can be resumed, too.
static void a_run_begins_at_a_frame_of_another(void **state) {
    (void)state;
    assert_says(test_command("simulate bullet --size 6 --frames 26 --states --out %s/long", test_folder), "failure");
    assert_says(test_command("simulate bullet --size 6 --frames 24 --from %s/long/bullet-0020.vtu --out %s/branch",
                             test_folder, test_folder),
                "branch/bullet.pvd");
    assert_says(test_command("simulate bullet --size 6 --frames 26 --resume --out %s/branch", test_folder),
                "frames     2");
    assert_same_rest("branch", "bullet", 20, 25);
    assert_says(test_command("check %s/branch", test_folder), "of 5 steps");
    // The last state of a run without --states, with contacts; the frame that is taken over has none.
    assert_says(test_command("simulate bullet --size 6 --frames 28 --contacts --from %s/branch/bullet-0025.vtu --out "
                             "%s/last",
                             test_folder, test_folder),
                "frames     3");
    assert_says(test_command("info %s/last/contacts/bullet-0026.vtp", test_folder), "point");
}

// Frames of every format: the state beside them tells how to go on, with all bits, also of a format that holds floats.
static void a_run_begins_at_a_frame_of_any_format(void **state) {
    (void)state;
    static const char *const formats[] = {"vtk", "ply", "obj", "glb"};
    for (int i = 0; i < test_less(4, 2); i++) {
        const char *format = formats[i];
        assert_says(test_command("simulate bullet --size 6 --frames 22 --states --format %s --out %s/any-%s", format,
                                 test_folder, format),
                    "failure");
        assert_says(test_command("simulate bullet --size 6 --frames 22 --format %s --from %s/any-%s/bullet-0018.%s "
                                 "--out %s/rest-%s",
                                 format, test_folder, format, format, test_folder, format),
                    "frames     4");
        for (int f = 18; f < 22; f++) {
            char file[96];
            snprintf(file, sizeof file, "any-%s/bullet-%04d.%s", format, f, format);
            const char *whole = test_path(test_folder, file);
            snprintf(file, sizeof file, "rest-%s/bullet-%04d.%s", format, f, format);
            assert_same_files(whole, test_path(test_folder, file));
        }
    }
    assert_says(test_command("check %s/any-ply/bullet-0021.ply --velocities --dt 1e-9", test_folder), "contacts");
    if (TEST_BRIEF) return;
    assert_says(test_command("check %s/any-glb/bullet-0021.glb --velocities --dt 1e-9", test_folder), "contacts");
}

static void frames_that_nothing_can_begin_at_are_refused(void **state) {
    (void)state;
    assert_says(test_command("simulate bar --size 1 --frames 4 --out %s/short", test_folder), "bar.pvd");
    const char *from = "simulate bar --size 1 --from %s/short/bar-%s --frames %d --out %s/%s";
    assert_refused(test_command(from, test_folder, "0001.vtu", 9, test_folder, "f"), 1, "of frame 3, the last");
    assert_refused(test_command(from, test_folder, "none.vtu", 9, test_folder, "f"), 1, "no frame of a simulation");
    assert_refused(test_command(from, test_folder, "0003.state", 9, test_folder, "f"), 1, "cannot be opened");
    assert_refused(test_command(from, test_folder, "0003.vtu", 4, test_folder, "f"), 1, "--frames must be above 4");
    assert_refused(test_command(from, test_folder, "0003.vtu", 9, test_folder, "short"), 1, "has a run already");
    assert_refused(
        test_command("simulate bar --size 2 --from %s/short/bar-0003.vtu --out %s/f", test_folder, test_folder), 1,
        "another description, size or preset");
    assert_refused(test_command("simulate bar --size 1 --resume --from %s/short/bar-0003.vtu --out %s/f", test_folder,
                                test_folder),
                   1, "give one of them");
}

// Frames have velocities: a step of the motion that one predicts.
static void frames_have_velocities(void **state) {
    (void)state;
    assert_says(test_command("simulate bar --size 1 --frames 2 --format vtk --out %s/moving", test_folder), "bar.pvd");
    assert_says(test_command("check %s/moving/bar-0001.vtk --velocities --dt 0.001", test_folder), "contacts  0");
}

static void assert_same_runs(const char *name, int frames, const char *extension) {
    for (int i = 0; i < frames; i++) {
        char file[96];
        snprintf(file, sizeof file, "whole/%s-%04d.%s", name, i, extension);
        const char *whole = test_path(test_folder, file);
        snprintf(file, sizeof file, "parts/%s-%04d.%s", name, i, extension);
        assert_same_files(whole, test_path(test_folder, file));
    }
}

// The same after elements were eroded and vertices split.
static void a_run_that_broke_is_resumed(void **state) {
    (void)state;
    assert_says(test_command("simulate bullet --size 6 --frames 30 --out %s/whole", test_folder), "failure");
    assert_says(test_command("simulate bullet --size 6 --frames 22 --out %s/parts", test_folder), "failure");
    assert_says(test_command("simulate bullet --size 6 --frames 30 --resume --out %s/parts", test_folder),
                "frames     8");
    assert_same_runs("bullet", 30, "vtu");
    // A state whose head tells another length.
    assert_int_equal(truncate(test_path(test_folder, "parts/bullet.state"), 1000), 0);
    assert_refused(test_command("simulate bullet --size 6 --frames 31 --resume --out %s/parts", test_folder), 1,
                   "another length than its head tells");
}

// Vertices split off the first body shift those of the second one in the files.
static void frames_of_a_body_that_breaks_are_a_sequence(void **state) {
    (void)state;
    assert_says(test_command("simulate explosion --size 3 --frames 12 --out %s/pieces", test_folder), "vertices split");
    assert_says(test_command("check %s/pieces", test_folder), "of 11 steps");
}

// A run killed at any time leaves a sequence that can be read, and that goes on.
static void a_killed_run_leaves_a_sequence(void **state) {
    (void)state;
    char command[4096];
    snprintf(
        command, sizeof command,
        "ulimit -c 0; ulimit -t 1; '%s/toccata' simulate bar --size 1 --frames 1000000 --contacts --out '%s/killed' "
        ">/dev/null 2>&1",
        TOC_BINARY_DIR, test_folder);
    assert_int_not_equal(system(command), 0);
    assert_says(test_command("info %s/killed", test_folder), "frames");
    size_t count;
    char *list = read_whole(test_path(test_folder, "killed/bar.pvd"), &count);
    list[count] = 0;
    size_t frames = 0;
    for (const char *at = list; (at = strstr(at, "bar-")) != NULL; at++) frames++;
    free(list);
    print_message("killed after %zu frames\n", frames);
    assert_true(frames > 0);
    assert_says(
        test_command("simulate bar --size 1 --frames %zu --resume --contacts --out %s/killed", frames + 2, test_folder),
        "frames     ");
    assert_says(test_command("info %s/killed", test_folder), "frames");
    // Those around the kill are the frames of a run that was not killed.
    assert_says(
        test_command("simulate bar --size 1 --frames %zu --contacts --out %s/unkilled", frames + 2, test_folder),
        "frames     ");
    for (size_t f = frames > 2 ? frames - 2 : 0; f < frames + 2; f++) {
        char file[96];
        snprintf(file, sizeof file, "unkilled/bar-%04zu.vtu", f);
        const char *whole = test_path(test_folder, file);
        snprintf(file, sizeof file, "killed/bar-%04zu.vtu", f);
        assert_same_files(whole, test_path(test_folder, file));
    }
}

// Frames as glTF, with contacts beside them; the folder stands for its list.
static void frames_have_contacts(void **state) {
    (void)state;
    const char *path = test_text_write(
        "rest.json", "{\"step\": 0.01, \"materials\": {\"soft\": {\"thickness\": 0.02}, \"ground\": "
                     "{\"motion\": \"guided\", \"thickness\": 0.02}}, \"bodies\": [{\"box\": {\"low\": [-3, -3, -1], "
                     "\"high\": [3, 3, 0]}, \"material\": \"ground\"}, {\"box\": {\"elements\": \"tet\"}, \"move\": "
                     "[0.1, 0.2, 0.03], \"material\": \"soft\"}]}");
    assert_says(test_command("simulate %s --frames 10 --format glb --contacts --out %s/glb", path, test_folder),
                "glb/rest.pvd");
    assert_says(test_command("info %s/glb", test_folder), "10");
    assert_says(test_command("check %s/glb", test_folder), "of 9 steps");
    size_t count;
    char *list = read_whole(test_path(test_folder, "glb/contacts/rest.pvd"), &count);
    list[count] = 0;
    assert_non_null(strstr(list, "rest-0009.vtp"));
    free(list);
    char *last = read_whole(test_path(test_folder, "glb/contacts/rest-0009.vtp"), &count);
    last[count] = 0;
    assert_non_null(strstr(last, "Name=\"distance\""));
    assert_null(strstr(last, "NumberOfPoints=\"0\""));
    free(last);
    // Two lists in a folder: which one is meant is not known.
    test_text_write("glb/other.pvd", "<VTKFile/>");
    assert_refused(test_command("info %s/glb", test_folder), 1, "a folder with one .pvd");
}

#define CLOTH                                                                                                     \
    "{\"step\": 0.01, \"materials\": {\"cloth\": {\"stretch\": 400, \"bend\": 1e-5, \"thickness\": 0.01}, "       \
    "\"body\": {\"motion\": \"guided\", \"thickness\": 0.01}}, \"bodies\": [{\"mesh\": \"%s\", \"turn\": "        \
    "[1.5707963267948966, 0, 0], \"material\": \"body\"}, {\"sheet\": {\"corner\": [-1.6, -1.5, %g], \"along\": " \
    "[3, 0, 0], \"across\": [0, 3, 0], \"cells\": [12, 12]}, \"material\": \"cloth\"}]}"

static void drape(const char *mesh, double height) {
    char text[1024];
    snprintf(text, sizeof text, CLOTH, mesh, height);
    const char *path = test_text_write("drape.json", text);
    assert_says(test_command("simulate %s --frames %d --check --out %s/drape", path, test_less(24, 4), test_folder),
                "crossings  0");
}

// A body from a file, seen from the folder of the description.
static void a_mesh_may_come_from_a_file(void **state) {
    (void)state;
    test_text_write("pyramid.obj", "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nv 0 1.3 0\n"
                                   "f 1 2 3 4\nf 2 1 5\nf 3 2 5\nf 4 3 5\nf 1 4 5\n");
    drape("pyramid.obj", 1.33);
}

static void a_cloth_falls_over_the_real_bunny(void **state) {
    (void)state;
    test_need_data("volumes/bunny.msh");
    drape(test_data("volumes/bunny.msh"), 2.77);
}

// Bodies that cross in a description are pushed apart before the first frame.
static void a_start_that_crosses_is_pushed_apart(void **state) {
    (void)state;
    const char *path = test_text_write("cross.json", "{\"materials\": {\"m\": {\"thickness\": 0.01}}, \"bodies\": ["
                                                     "{\"box\": {\"elements\": \"tet\"}, \"material\": \"m\"},"
                                                     "{\"box\": {\"elements\": \"tet\"}, \"material\": \"m\","
                                                     " \"move\": [0.81, 0.1, 0.07]}]}");
    const test_run run = test_command("simulate %s --frames 5 --check --out %s/cross", path, test_folder);
    assert_says(run, "crossed and were pushed apart");
    assert_says(run, "crossings  0");
}

static void assert_bad(const char *text, const char *words) {
    const char *path = test_text_write("bad.json", text);
    assert_refused(test_command("simulate %s --out %s/bad", path, test_folder), 1, words);
}

#define BODY "\"bodies\": [{\"sphere\": {\"cells\": 1}, \"material\": \"m\"}]"

static void bodies_that_doubles_cannot_hold(void **state) {
    (void)state;
    // A body so far out that its vertices fall on each other, and one with a mass that overflows.
    assert_bad(
        "{\"materials\": {\"m\": {}}, \"bodies\": [{\"material\": \"m\", \"sphere\": {}, \"move\": [0, 0, 1e300]}]}",
        "bodies[0], materials.m: coordinates of 1e+300 are at least 1.4");
    assert_bad(
        "{\"materials\": {\"m\": {\"motion\": \"rigid\"}}, \"bodies\": [{\"material\": \"m\", \"sphere\": {\"radius\": "
        "1e200}}]}",
        "bodies[0], materials.m: the mass of a rigid body is");
}

// Each mistake in a description names its place.
static void mistakes_name_their_place(void **state) {
    (void)state;
    assert_bad("{\n\"step\": 0.1,\n\"frames\": NaN}", "bad.json: line 3: this is not JSON");
    assert_bad("{\"steps\": 3}", "bad.json: unknown key \"steps\"");
    assert_bad("{\"step\": -1, " BODY "}", "step: it is -1");
    assert_bad("{\"step\": \"1\"}", "bad.json: step: a finite number is expected");
    assert_bad("{\"gravity\": [0, 0]}", "gravity: an array of three finite numbers");
    assert_bad("{\"gravity\": [0, 0, 1e999]}", "gravity: an array of three finite numbers");
    assert_bad("{\"frames\": 1.5}", "frames: an integer");
    assert_bad("{\"bodies\": []}", "bodies: an array of one body at least");
    assert_bad("{" BODY "}", "bodies[0]: there is no material \"m\"");
    assert_bad("{\"materials\": {\"m\": {\"density\": -1, \"motion\": \"rigid\"}}, " BODY "}",
               "materials.m: density is -1; it must be above 0");
    assert_bad("{\"materials\": {\"m\": {\"density\": 1, \"mass\": 1}}, " BODY "}",
               "materials.m: unknown key \"mass\"");
    assert_bad("{\"materials\": {\"m\": {\"motion\": \"fast\"}}, " BODY "}", "it can be soft, rigid or guided");
    assert_bad("{\"materials\": {\"m\": {}}, \"bodies\": [{\"material\": \"m\"}]}", "bodies[0]: a body needs one of");
    assert_bad("{\"materials\": {\"m\": {}}, \"bodies\": [{\"material\": \"m\", \"mesh\": \"none.ply\"}]}",
               "bodies[0].mesh: ");
    assert_bad(
        "{\"materials\": {\"m\": {}}, \"bodies\": [{\"material\": \"m\", \"mesh\": \"a.ply\", \"unit\": \"mile\"}]}",
        "bodies[0].unit: unknown unit \"mile\"");
    assert_bad("{\"materials\": {\"m\": {}}, \"bodies\": [{\"material\": \"m\", \"sphere\": {\"radius\": 0}}]}",
               "bodies[0].sphere: the radius is 0");
    assert_bad("{\"materials\": {\"m\": {\"adhesion\": -1}}, " BODY "}",
               "materials.m: adhesion is -1; it must be at least 0");
    assert_bad("{\"materials\": {\"m\": {\"adhesion\": \"near\"}}, " BODY "}", "materials.m.adhesion: a finite number");
    assert_bad("{\"materials\": {\"m\": {\"sharp\": 1}}, " BODY "}", "materials.m.sharp: true or false");
    assert_bad("{\"materials\": {\"m\": {}}, " BODY ", \"joints\": {}}", "joints: distance is 0; it must be above 0");
    assert_bad(
        "{\"materials\": {\"m\": {}}, \"bodies\": [{\"material\": \"m\", \"sphere\": {\"elements\": \"cube\"}}]}",
        "bodies[0].sphere: elements is \"cube\"");
    assert_bad(
        "{\"materials\": {\"m\": {}}, \"bodies\": [{\"material\": \"m\", \"sphere\": {}, \"blast\": {\"radius\": 0}}]}",
        "bodies[0].blast: the radius is 0");
#define SHAPED(shape) "{\"materials\": {\"m\": {}}, \"bodies\": [{\"material\": \"m\", " shape "}]}"
    assert_bad(SHAPED("\"box\": {}, \"sphere\": {}"), "bodies[0]: a body has one shape; this one has box and sphere");
    assert_bad(SHAPED("\"box\": {}, \"unit\": \"mm\""), "bodies[0]: unit is of a mesh");
    assert_bad(SHAPED("\"box\": {}, \"frame\": 3"), "bodies[0]: frame is of a scene");
    assert_bad(SHAPED("\"box\": {}, \"scale\": 0"), "bodies[0]: scale is 0");
    assert_bad(SHAPED("\"box\": {}, \"group\": 7"), "bodies[0]: the shape has no group 7");
    assert_bad(SHAPED("\"box\": {\"cells\": [10000, 10000, 10000]}"),
               "bodies[0].box: the shape has 1000000000000 cells");
    assert_bad(SHAPED("\"sheet\": {\"along\": [1, 0, 0], \"across\": [2, 0, 0]}"), "along and across have the same");
    assert_bad(SHAPED("\"box\": {}, \"pin\": {\"low\": [0, 2, 0], \"high\": [1, 1, 1]}"),
               "bodies[0].pin: low is 2 and high is 1 on axis y");
    assert_bad("{\"preset\": \"fast\"}", "bad.json: preset: there is no preset \"fast\"");
    assert_bad("{\"materials\": {\"m\": {\"erosion\": 0.5}}, " BODY "}", "materials.m: erosion is 0.5");
    assert_bad("{\"materials\": {\"m\": {\"adhesion_strength\": 5}}, " BODY "}",
               "adhesion_strength is 5 and adhesion 0");
    assert_bad("{\"materials\": {\"m\": {\"carve\": 1}}, " BODY "}", "materials.m.carve: true or false");
    assert_refused(test_command("simulate none.json --out %s/bad", test_folder), 1, "none.json: cannot be opened");
    assert_refused(test_command("simulate bar"), 1, "--out DIR");
}

static void the_list_names_every_simulation(void **state) {
    (void)state;
    assert_says(test_command("simulate --list"), "cloth-ball");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resumed_run_has_the_same_frames),
        cmocka_unit_test(a_run_begins_at_a_frame_of_another),
        cmocka_unit_test(a_run_begins_at_a_frame_of_any_format),
        cmocka_unit_test(frames_that_nothing_can_begin_at_are_refused),
        cmocka_unit_test(frames_have_velocities),
        cmocka_unit_test(a_run_that_broke_is_resumed),
        cmocka_unit_test(a_killed_run_leaves_a_sequence),
        cmocka_unit_test(frames_have_contacts),
        cmocka_unit_test(a_mesh_may_come_from_a_file),
        cmocka_unit_test(a_cloth_falls_over_the_real_bunny),
        cmocka_unit_test(a_start_that_crosses_is_pushed_apart),
        cmocka_unit_test(mistakes_name_their_place),
        cmocka_unit_test(bodies_that_doubles_cannot_hold),
        cmocka_unit_test(the_list_names_every_simulation),
        cmocka_unit_test(frames_of_a_body_that_breaks_are_a_sequence),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
