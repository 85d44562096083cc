// SPDX-License-Identifier: Apache-2.0
// Motion files: poses against an evaluation of its own that turns vectors one by one, names, and broken files.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/glb.h"
#include "support/reading.h"

static const double pi = 3.14159265358979323846;

// ---- a rig: Hips, Spine, and on it Tail and Hand, in a node that turns z up to y and halves all lengths

enum { HIPS, SPINE, TAIL, HAND, RIG_JOINTS };

static const double heads[RIG_JOINTS][3] = {{0, 0, 1}, {0, 0, 2}, {0, 1, 2}, {1, 0, 2}};

typedef struct rig_file {
    float vertices[3][3], binds[RIG_JOINTS][16], weights[3][4];
    uint16_t joints[3][4];
} rig_file;

static const char *write_rig(const char *hand) {
    rig_file file = {.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, .weights = {{1}, {1}, {1}}};
    char json[4096];
    size_t count;
    for (int j = 0; j < RIG_JOINTS; j++) {
        for (int k = 0; k < 4; k++) file.binds[j][5 * k] = 1;
        for (int k = 0; k < 3; k++) file.binds[j][12 + k] = (float)-heads[j][k];
    }
    const int length =
        snprintf(json, sizeof json,
                 ",\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu}],\"accessors\":["
                 "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
                 "{\"bufferView\":0,\"byteOffset\":%zu,\"componentType\":5126,\"count\":4,\"type\":\"MAT4\"},"
                 "{\"bufferView\":0,\"byteOffset\":%zu,\"componentType\":5126,\"count\":3,\"type\":\"VEC4\"},"
                 "{\"bufferView\":0,\"byteOffset\":%zu,\"componentType\":5123,\"count\":3,\"type\":\"VEC4\"}]"
                 ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":3,\"WEIGHTS_0\":2}}]}]"
                 ",\"nodes\":[{\"mesh\":0,\"skin\":0},"
                 "{\"rotation\":[-0.7071067811865476,0,0,0.7071067811865476],\"scale\":[0.5,0.5,0.5],\"children\":[2]},"
                 "{\"name\":\"man:Hips\",\"translation\":[0,0,1],\"children\":[3]},"
                 "{\"name\":\"spine\",\"translation\":[0,0,1],\"children\":[4,5]},"
                 "{\"name\":\"Tail\",\"translation\":[0,1,0]},{\"name\":\"%s\",\"translation\":[1,0,0]}]"
                 ",\"scenes\":[{\"nodes\":[0,1]}],\"skins\":[{\"joints\":[2,3,4,5],\"inverseBindMatrices\":1}]",
                 sizeof file, offsetof(rig_file, binds), offsetof(rig_file, weights), offsetof(rig_file, joints), hand);
    assert_true(length > 0 && length < (int)sizeof json);
    char *glb = test_glb_make(json, &file, sizeof file, &count);
    const char *path = test_path(test_folder, "man.glb");
    test_file_write(path, glb, count);
    free(glb);
    return path;
}

// ---- a motion of Hips, Spine and Hand

enum { FRAMES = 4, CHANNELS = 12 };

static const char hierarchy[] = "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0 0\n  CHANNELS 6 Xposition Yposition Zposition "
                                "Zrotation Xrotation Yrotation\n  JOINT Spine {\n    OFFSET 0 10 0\n    CHANNELS 3 "
                                "Yrotation Zrotation Xrotation\n    JOINT Hand\n    {\n      OFFSET 10 0 0\n      "
                                "CHANNELS 3 Zrotation Yrotation Xrotation\n      End Site\n      {\n        OFFSET 1 "
                                "0 0\n      }\n    }\n  }\n}\nMOTION\n";

static const char *write_motion(const char *text) {
    const char *path = test_path(test_folder, "walk.bvh");
    test_file_write(path, text, strlen(text));
    return path;
}

static const char *write_random_motion(test_random *random, double values[FRAMES][CHANNELS]) {
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "%sFrames: %d\nFrame Time: 0.25\n", hierarchy, FRAMES);
    for (int f = 0; f < FRAMES; f++)
        for (int c = 0; c < CHANNELS; c++) {
            values[f][c] = test_random_between(random, -170, 170);
            used += (size_t)snprintf(text + used, sizeof text - used, "%.17g%c", values[f][c],
                                     c == CHANNELS - 1 ? '\n' : ' ');
        }
    return write_motion(text);
}

// ---- the evaluation

/// Turn a vector about an axis.
static void turn_about(int axis, double degrees, double v[3]) {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const double angle = degrees * pi / 180, p = v[b], q = v[c];
    v[b] = p * cos(angle) - q * sin(angle);
    v[c] = p * sin(angle) + q * cos(angle);
}

/// Turn a vector of the pose without rotations as a joint does: by its own channels, the last one first, and then as
/// the joint above.
static void turn_as(int joint, const double *values, double v[3]) {
    static const int first[RIG_JOINTS] = {3, 6, 6, 9};
    static const int axes[RIG_JOINTS][3] = {{2, 0, 1}, {1, 2, 0}, {1, 2, 0}, {2, 1, 0}};
    for (int i = 2; i >= 0; i--) turn_about(axes[joint][i], values[first[joint] + i], v);
    if (joint > HIPS) turn_as(joint == HAND ? SPINE : HIPS, values, v);
}

/// From the bind pose to the world, without rotations.
static void place_bind(const double x[3], double out[3]) {
    out[0] = 0.5 * x[0];
    out[1] = 0.5 * x[2];
    out[2] = -0.5 * x[1];
}

static void evaluate(int joint, const double *values, const double x[3], double out[3]) {
    const int above = joint == HAND || joint == TAIL ? SPINE : HIPS;
    double at[3], head[3], place[3];
    for (int k = 0; k < 3; k++) at[k] = 0.05 * values[k]; // ten units of the motion are half a unit of the rig
    if (joint > HIPS) evaluate(above, values, heads[joint], at);
    place_bind(x, place);
    place_bind(heads[joint], head);
    for (int k = 0; k < 3; k++) out[k] = place[k] - head[k];
    turn_as(joint, values, out);
    for (int k = 0; k < 3; k++) out[k] += at[k];
}

static void poses_follow_the_channels(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_rig *rig;
    assert_ok(toc_rig_read(write_rig("HAND"), NULL, &rig));
    for (int round = 0; round < 20; round++) {
        double values[FRAMES][CHANNELS], matrices[12 * RIG_JOINTS];
        toc_capture *motion;
        size_t matched;
        assert_ok(toc_capture_read(write_random_motion(&random, values), NULL, &motion));
        assert_double_near(motion->end, 0.75, 0);
        assert_ok(toc_capture_attach(motion, rig, &matched));
        assert_int_equal(matched, 3);
        for (int f = 0; f < FRAMES; f++) {
            assert_ok(toc_capture_pose(motion, 0.25 * f, RIG_JOINTS, matrices));
            for (int i = 0; i < 4 * RIG_JOINTS; i++) {
                const double x[3] = {i % 3, i % 5, i % 7}, *m = matrices + 12 * (i % RIG_JOINTS);
                double expected[3];
                evaluate(i % RIG_JOINTS, values[f], x, expected);
                for (int k = 0; k < 3; k++)
                    assert_double_near(m[4 * k] * x[0] + m[4 * k + 1] * x[1] + m[4 * k + 2] * x[2] + m[4 * k + 3],
                                       expected[k], 1e-10);
            }
        }
        toc_capture_destroy(motion);
    }
    toc_rig_destroy(rig);
}

// Halfway between two frames a joint has turned by half of the angle, and the root has gone half of the way.
static void frames_are_blended(void **state) {
    (void)state;
    toc_rig *rig;
    toc_capture *motion;
    double matrices[12 * RIG_JOINTS];
    char text[2048];
    snprintf(text, sizeof text, "%sFrames: 2\nFrame Time: 0.5\n0 0 0 0 0 0 0 0 0 0 0 0\n20 0 0 0 0 0 80 0 0 0 0 0\n",
             hierarchy);
    assert_ok(toc_rig_read(write_rig("Hand"), NULL, &rig));
    assert_ok(toc_capture_read(write_motion(text), NULL, &motion));
    assert_fails(toc_capture_pose(motion, 0, RIG_JOINTS, matrices), TOC_BAD_INPUT, "attached to no rig");
    assert_ok(toc_capture_attach(motion, rig, NULL));
    toc_rig_destroy(rig);
    assert_ok(toc_capture_pose(motion, 0.25, RIG_JOINTS, matrices));
    const double *spine = matrices + 12 * SPINE, angle = 40 * pi / 180;
    assert_double_near(spine[0], 0.5 * cos(angle), 1e-12); // about y: x goes to -z
    assert_double_near(spine[8], -0.5 * sin(angle), 1e-12);
    assert_double_near(matrices[3], 0.5, 1e-12);
    assert_ok(toc_capture_pose(motion, 99, RIG_JOINTS, matrices)); // the last frame
    assert_double_near(matrices[3], 1, 1e-12);
    toc_capture_destroy(motion);
}

static void strangers_are_refused(void **state) {
    (void)state;
    toc_rig *rig;
    toc_capture *motion;
    assert_ok(toc_rig_read(write_rig("Hand"), NULL, &rig));
    assert_ok(toc_capture_read(write_motion("HIERARCHY\nROOT Bone 1\n{\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: "
                                            "1\nFrame Time: 1\n0\n"),
                               NULL, &motion));
    assert_string_equal(motion->joints[0], "Bone 1");
    assert_int_equal(motion->joint_count, 1);
    assert_fails(toc_capture_attach(motion, rig, NULL), TOC_BAD_INPUT,
                 "no joint of the motion (\"Bone 1\", ...) has the name of a joint of the character (\"man:Hips\"");
    toc_capture_destroy(motion);
    toc_rig_destroy(rig);
}

// ---- broken files

#define ROOT "HIERARCHY\nROOT a\n{\nCHANNELS 1 Xrotation\n}\n"

static void mistakes_name_their_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
    } all[] = {
        {"", "walk.bvh:1: \"\" where \"HIERARCHY\" is expected"},
        {"HIERARCHY\nJOINT a\n", "walk.bvh:2: a JOINT outside of a ROOT"},
        {"HIERARCHY\nROOT\n{\n", "walk.bvh:2: a joint without a name"},
        {"HIERARCHY\nROOT a\nOFFSET", "walk.bvh:3: \"OFFSET\" where \"{\" is expected"},
        {"HIERARCHY\nROOT a\n{\nOFFSET 1 2\n", "walk.bvh:4:"},
        {"HIERARCHY\nROOT a\n{\nCHANNELS 7 Xrotation\n", "walk.bvh:4: 7 channels of a joint"},
        {"HIERARCHY\nROOT a\n{\nCHANNELS 1 Wrotation\n", "walk.bvh:4: \"Wrotation\" is no channel"},
        {"HIERARCHY\nROOT a\n{\nROOT b\n{\n", "walk.bvh:4: a ROOT within a joint"},
        {"HIERARCHY\nROOT a\n{\nMOTION\n", "walk.bvh:4: MOTION within the joint \"a\"; a } is missing"},
        {"HIERARCHY\nROOT a\n{\n}\n}\n", "walk.bvh:5: \"}\" where ROOT or MOTION is expected"},
        {"HIERARCHY\nROOT a\n{\n}\nMOTION\n", "walk.bvh:5: no joint has channels"},
        {ROOT, "walk.bvh:6: the file ends before MOTION"},
        {ROOT "MOTION\nFrames: 0\n", "walk.bvh:7: 0 frames"},
        {ROOT "MOTION\nFrames: 1\nFrame Time: -1\n", "walk.bvh:8: a frame time of -1"},
        {ROOT "MOTION\nFrames: 1000000000000\nFrame Time: 1\n5\n", "walk.bvh:8:"},
        {ROOT "MOTION\nFrames: 3\nFrame Time: 1\n5\n6\n", "walk.bvh:11: 2 values; 3 frames of 1 channels need 3"},
        {ROOT "MOTION\nFrames: 1\nFrame Time: 1\n5\n6\n", "walk.bvh:10: more values than 1 frames of 1 channels need"},
        {ROOT "MOTION\nFrames: 1\nFrame Time: 1\nnan\n", "walk.bvh:9:"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        toc_capture *motion = NULL;
        assert_fails(toc_capture_read(write_motion(all[i].text), NULL, &motion), TOC_BAD_INPUT, all[i].words);
        assert_null(motion);
    }
}

static toc_status read_starved(const toc_allocator *allocator, void *user) {
    toc_read_options options = toc_read_options_default();
    toc_capture *motion;
    options.allocator = allocator;
    const toc_status status = toc_capture_read(user, &options, &motion);
    if (status == TOC_OK) toc_capture_destroy(motion);
    return status;
}

// Every beginning of a file, bytes at random, and every allocation that fails.
static void damaged_files_are_answered(void **state) {
    (void)state;
    size_t count, read = 0;
    char *bytes = test_corpus_read("bvh", "walk.bvh", &count);
    const char *path = test_path(test_folder, "walk.bvh");
    test_random random = test_random_make(0);
    for (size_t i = 0; i <= count + (size_t)test_less(1000, 100); i++) {
        char *copy = malloc(count);
        toc_capture *motion;
        memcpy(copy, bytes, count);
        if (i > count) copy[test_random_below(&random, (uint32_t)count)] = (char)test_random_below(&random, 256);
        test_file_write(path, copy, i < count ? i : count);
        const toc_status status = toc_capture_read(path, NULL, &motion);
        if (status == TOC_OK) toc_capture_destroy(motion);
        assert_true(status == TOC_OK || status == TOC_BAD_INPUT);
        read += status == TOC_OK;
        free(copy);
    }
    assert_true(read > 0);
    test_file_write(path, bytes, count);
    test_every_allocation(read_starved, (void *)(uintptr_t)path);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_follow_the_channels),  cmocka_unit_test(frames_are_blended),
        cmocka_unit_test(strangers_are_refused),      cmocka_unit_test(mistakes_name_their_line),
        cmocka_unit_test(damaged_files_are_answered),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
