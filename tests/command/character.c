// SPDX-License-Identifier: Apache-2.0
// toccata character, as a user runs it.
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/command.h"
#include "support/glb.h"

/// The commands keep their cages in the folder of the test.
static int begin(void **state) {
    const int status = test_folder_begin(state);
    setenv("XDG_CACHE_HOME", test_folder, 1);
    return status;
}

static void limbs_are_built_in(void **state) {
    (void)state;
    test_run run = test_command("character arm --rate 5");
    assert_says(run, "clip      bend, 11 frames");
    assert_says(run, "4416");
    run = test_command("character arm-box --rate 5 --preset hash --out %s/boxed", test_folder);
    assert_says(run, "4548");
    assert_says(test_command("info %s/boxed/arm-box-0000.vtu", test_folder), "2: 132 elements, box");
    assert_says(test_command("character human --rate 3 --preset ondemand-safe --recall"), "recall 100.0 %");
    assert_says(test_command("character horse --rate 3"), "6084");
    assert_says(test_command("character twist --rate 2 --preset ondemand-safe --recall"), "recall 100.0 %");
}

static double json_number(const cJSON *object, const char *name) {
    return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static void json_has_a_row_for_each_frame(void **state) {
    (void)state;
    test_run run = test_command("character leg --rate 4 --preset ondemand --alpha 60 --recall --json");
    assert_int_equal(run.code, 0);
    cJSON *object = cJSON_Parse(run.out);
    const cJSON *frames = cJSON_GetObjectItemCaseSensitive(object, "frames");
    assert_int_equal(cJSON_GetArraySize(frames), 9);
    assert_true(json_number(object, "recall") < 1);
    assert_true(json_number(cJSON_GetArrayItem(frames, 4), "contacts") > 0 || json_number(object, "recall") == 0);
    assert_true(json_number(cJSON_GetArrayItem(frames, 4), "ms_detection") >= 0);
    cJSON_Delete(object);
}

static void frames_go_to_a_folder_or_a_glb(void **state) {
    (void)state;
    assert_int_equal(test_command("character arm --rate 1 --out %s/frames", test_folder).code, 0);
    assert_says(test_command("info %s/frames/arm.pvd", test_folder), "frames           3");
    assert_int_equal(access(test_path(test_folder, "frames/arm-0001.csv"), R_OK), 0);
    assert_int_equal(test_command("character arm --rate 1 --out %s/arm.glb", test_folder).code, 0);
    test_run run = test_command("info %s/arm.glb", test_folder);
    assert_says(run, "frames           61"); // two seconds, 30 frames each
    assert_says(run, "elements, touches");
}

static void mistakes_are_told(void **state) {
    (void)state;
    test_file_write(test_path(test_folder, "flat.off"), "OFF 3 1 0\n0 0 0 1 0 0 0 1 0\n3 0 1 2\n", 36);
    assert_refused(test_command("character %s/flat.off", test_folder), 1, "not glTF");
    assert_refused(test_command("character"), 1, "character needs one file or name, not 0");
    assert_refused(test_command("character nothing.glb"), 1, "nothing.glb");
    assert_refused(test_command("character arm --alpha 400"), 1, "400 degrees; 0 to 180");
    const char *sheet = test_data("characters/SimpleSkin.gltf");
    if (sheet) assert_refused(test_command("character %s --tets 5000", sheet), 1, "ask for more tets");
    assert_refused(test_command("character arm --preset all"), 1, "no such choice");
}

static void characters_of_files(void **state) {
    (void)state;
    test_need_data("characters/Fox.glb");
    assert_says(test_command("character %s --clip Run --rate 3 --tets 2000 --recall", test_data("characters/Fox.glb")),
                "recall 100.0 %");
    assert_refused(test_command("character %s --clip Fly", test_data("characters/Fox.glb")), 1,
                   "no clip \"Fly\"; the file has \"Survey\", \"Walk\", \"Run\"");
}

// Both legs turn: the joints of these names, of 19.
static void motion_files_move_joints_by_name(void **state) {
    (void)state;
    static const char text[] = "HIERARCHY\nROOT Hips\n{\nCHANNELS 0\nJOINT leg_joint_L_1\n{\nCHANNELS 1 "
                               "Xrotation\n}\nJOINT leg_joint_R_1\n{\nCHANNELS 1 Xrotation\n}\n}\nMOTION\nFrames: "
                               "2\nFrame Time: 1\n0 0\n60 -60\n";
    const char *path = test_path(test_folder, "legs.bvh");
    test_file_write(path, text, sizeof text - 1);
    assert_refused(test_command("character arm --motion %s", path), 1, "arm has a motion of its own");
    test_need_data("characters/CesiumMan.glb");
    test_run run = test_command("character %s --tets 1500 --rate 4 --preset ondemand-safe --recall "
                                "--motion %s",
                                test_data("characters/CesiumMan.glb"), path);
    assert_says(run, "moves 2 of 19 joints, of 3 in its file");
    assert_says(run, "5 frames, 0 to 1 s");
    assert_says(run, "recall 100.0 %");
    assert_refused(test_command("character %s --clip 0 --motion %s", test_data("characters/CesiumMan.glb"), path), 1,
                   "--clip and --motion");
    test_file_write(path, text, 60);
    assert_refused(test_command("character %s --motion %s", test_data("characters/CesiumMan.glb"), path), 1,
                   "legs.bvh:");
}

// A program named tetgen that fails or hangs: a sentence where it was asked for, and nothing changes where it was not.
static void tetgen_that_fails(void **state) {
    (void)state;
    static const char *const scripts[] = {"#!/bin/sh\nexit 3\n", "#!/bin/sh\nkill -ABRT $$\n",
                                          "#!/bin/sh\nwhile :; do :; done\n"};
    static const char *const words[] = {"tetgen failed with the code 3", "tetgen ended by signal 6",
                                        "tetgen took longer than 0.2 s"};
    test_need_data("characters/Fox.glb");
    const char *program = test_path(test_folder, "tetgen");
    char *path = strdup(getenv("PATH"));
    setenv("TMPDIR", test_folder, 1);
    for (int i = 0; i < 3; i++) {
        test_file_write(program, scripts[i], strlen(scripts[i]));
        assert_int_equal(system("chmod +x \"$XDG_CACHE_HOME/tetgen\""), 0);
        char *first;
        assert_true(asprintf(&first, "%s:%s", test_folder, path) > 0);
        setenv("PATH", first, 1);
        free(first);
        assert_refused(test_command("character %s --clip Run --cage tetgen --no-cache "
                                    "--tetgen-seconds 0.2",
                                    test_data("characters/Fox.glb")),
                       1, words[i]);
        if (i == 0)
            assert_says(test_command("character %s --clip Run --rate 1 --tets 600", test_data("characters/Fox.glb")),
                        "tets by envelope");
    }
    setenv("PATH", path, 1);
    assert_int_equal(system("ls -d \"$TMPDIR\"/toccata-* 2>/dev/null"), 512); // nothing is left behind
    unsetenv("TMPDIR");
    free(path);
}

// The cage of a file keeps its bounds; one of too few tets does not, and the command fails.
static void cages_are_checked(void **state) {
    (void)state;
    assert_refused(test_command("character arm --check"), 1, "arm has a cage of its own");
    test_need_data("characters/RiggedSimple.glb");
    const char *file = test_data("characters/RiggedSimple.glb");
    test_run run = test_command("character %s --check", file);
    assert_int_equal(run.code, 0);
    assert_says(run, "tets by envelope");
    assert_says(run, "contacts at rest");
    run = test_command("character %s --check --json", file);
    cJSON *object = cJSON_Parse(run.out);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "fits")));
    assert_true(json_number(object, "inward") <= 0.005 && json_number(object, "outward") <= 0.005);
    assert_true(json_number(object, "contacts") == 0 && json_number(object, "inverted") == 0);
    assert_true(json_number(object, "components") == 1);
    cJSON_Delete(object);
    assert_refused(test_command("character %s --check --tets 60", file), 1, "bounds; the first is");
    assert_says(test_command("character %s --rate 1 --tets 1", file), "1 tets were asked for, envelope made");
}

// A folder has the cage that the contacts name, and the skin beside it.
static void cages_are_written(void **state) {
    (void)state;
    test_need_data("characters/RiggedSimple.glb");
    test_run run =
        test_command("character %s --rate 1 --out %s/simple", test_data("characters/RiggedSimple.glb"), test_folder);
    assert_int_equal(run.code, 0);
    assert_says(test_command("info %s/simple/RiggedSimple-cage.vtu", test_folder), "tet");
    assert_int_equal(system("head -1 \"$XDG_CACHE_HOME/simple/RiggedSimple-0000.csv\" | grep -q "
                            "'w3,skin_v0,skin_v1,skin_v2,skin_w0'"),
                     0);
}

enum { BLOCK_CORNERS = 8, BLOCK_FACES = 12 };

/// Two cubes of a mesh without a skin, 1 apart; a morph target brings the second one half into the first one.
static const char *write_face(void) {
    static const uint16_t faces[BLOCK_FACES][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                                   {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    struct {
        float x[2 * BLOCK_CORNERS][3], ways[2 * BLOCK_CORNERS][3], times[2];
        uint16_t corners[2 * BLOCK_FACES][3];
    } bytes = {.times = {0, 1}};
    char json[2048];
    size_t count;
    for (int i = 0; i < 2 * BLOCK_CORNERS; i++) {
        const int cube = i / BLOCK_CORNERS;
        bytes.x[i][0] = (float)((i & 1) + 2 * cube);
        bytes.x[i][1] = (float)(i >> 1 & 1);
        bytes.x[i][2] = (float)(i >> 2 & 1);
        bytes.ways[i][0] = -1.5f * (float)cube;
    }
    for (int f = 0; f < 2 * BLOCK_FACES; f++)
        for (int k = 0; k < 3; k++)
            bytes.corners[f][k] = (uint16_t)(faces[f % BLOCK_FACES][k] + f / BLOCK_FACES * BLOCK_CORNERS);
    const int length = snprintf(
        json, sizeof json,
        ",\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu}],\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":16,\"type\":\"VEC3\"},"
        "{\"bufferView\":0,\"byteOffset\":192,\"componentType\":5126,\"count\":16,\"type\":\"VEC3\"},"
        "{\"bufferView\":0,\"byteOffset\":384,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},"
        "{\"bufferView\":0,\"byteOffset\":392,\"componentType\":5123,\"count\":72,\"type\":\"SCALAR\"}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":3,\"targets\":[{\"POSITION\":1}]}]}]"
        ","
        "\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}],\"animations\":[{\"name\":\"Smile\",\"samplers\":["
        "{\"input\":2,\"output\":2}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"weights\"}}]}]",
        sizeof bytes);
    assert_true(length > 0 && length < (int)sizeof json);
    char *glb = test_glb_make(json, &bytes, sizeof bytes, &count);
    const char *path = test_path(test_folder, "face.glb");
    test_file_write(path, glb, count);
    free(glb);
    return path;
}

static size_t contacts_of_frame(const cJSON *object, int frame) {
    const cJSON *frames = cJSON_GetObjectItemCaseSensitive(object, "frames");
    return (size_t)json_number(cJSON_GetArrayItem(frames, frame), "contacts");
}

// A clip of morph targets alone, without a skeleton: they move the cage, contacts come, and response takes them back.
static void morph_targets_move_the_cage(void **state) {
    (void)state;
    const char *path = write_face();
    assert_says(test_command("character %s --rate 4 --tets 400", path), "1 targets move the cage");
    test_run run = test_command("character %s --rate 4 --tets 400 --preset ondemand-safe --recall --json", path);
    assert_int_equal(run.code, 0);
    cJSON *object = cJSON_Parse(run.out);
    assert_true(json_number(object, "morphs") == 1 && json_number(object, "recall") == 1);
    assert_int_equal(contacts_of_frame(object, 0), 0);
    assert_int_equal(contacts_of_frame(object, 2), 0); // a quarter of the way is left
    const size_t blended = contacts_of_frame(object, 4);
    assert_true(blended > 0);
    cJSON_Delete(object);
    run = test_command("character %s --rate 16 --tets 400 --respond --json", path);
    assert_int_equal(run.code, 0);
    object = cJSON_Parse(run.out);
    assert_true(contacts_of_frame(object, 16) < blended);
    cJSON_Delete(object);
    // The skin that is written moves by the whole target: from 0 ... 3 to 0 ... 1.5.
    assert_int_equal(test_command("character %s --rate 1 --tets 400 --out %s/smile", path, test_folder).code, 0);
    assert_says(test_command("info %s/smile/face-0000.vtu", test_folder), ", 3] x");
    assert_says(test_command("info %s/smile/face-0001.vtu", test_folder), ", 1.5] x");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limbs_are_built_in),
        cmocka_unit_test(json_has_a_row_for_each_frame),
        cmocka_unit_test(frames_go_to_a_folder_or_a_glb),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(characters_of_files),
        cmocka_unit_test(motion_files_move_joints_by_name),
        cmocka_unit_test(tetgen_that_fails),
        cmocka_unit_test(cages_are_checked),
        cmocka_unit_test(cages_are_written),
        cmocka_unit_test(morph_targets_move_the_cage),
    };
    return cmocka_run_group_tests(tests, begin, test_folder_end);
}
