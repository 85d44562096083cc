// SPDX-License-Identifier: Apache-2.0
// Skins of glTF: skinned animations against an evaluation of its own (files/skin_reference.py) and closed forms, the
// choice of clips, and files with broken skins.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/glb.h"
#include "support/reading.h"

// Two bones along x, the joint at 1 0 0, and a triangle around it: at 0 with the first bone, at 2 with the second, and
// at 1 1 0 with half of each.
typedef struct skinned_file {
    float vertices[3][3], binds[2][16], times[2], turns[2][4];
    uint16_t joints[3][4];
    float weights[3][4];
    uint8_t small_joints[3][4], small_weights[3][4];
    uint16_t short_weights[3][4];
} skinned_file;

static const skinned_file arm = {
    .vertices = {{0, 0, 0}, {2, 0, 0}, {1, 1, 0}},
    .binds = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 1}},
    .times = {0, 1},
    .turns = {{0, 0, 0, 1}, {0, 0, 0.70710678f, 0.70710678f}},
    .joints = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}},
    .weights = {{1, 0, 0, 0}, {1, 0, 0, 0}, {0.5f, 0.5f, 0, 0}},
    .small_joints = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}},
    .small_weights = {{255, 0, 0, 0}, {255, 0, 0, 0}, {128, 128, 0, 0}},
    .short_weights = {{65535, 0, 0, 0}, {65535, 0, 0, 0}, {32768, 32768, 0, 0}},
};

#define AT(field) (int)offsetof(skinned_file, field)
#define OPEN_ARM                                                                                                \
    ",\"nodes\":[{\"mesh\":0,\"skin\":0,\"translation\":[9,9,9]},{\"children\":[2]},{\"translation\":[1,0,0]}]" \
    ",\"scenes\":[{\"nodes\":[0,1]}]"
#define TURN_ARM(name)                                                                                        \
    "{" name "\"samplers\":[{\"input\":2,\"output\":3}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":2," \
    "\"path\":\"rotation\"}}]}"

/// The kinds of numbers of joints and weights.
typedef enum skin_numbers { FLOATS, BYTES, SHORTS } skin_numbers;

/// The file; `nodes`, `skin` and `animations` may be replaced to break it.
typedef struct skin_wish {
    skin_numbers numbers;
    const char *nodes, *skin, *animations, *targets;
} skin_wish;

static const char *write_arm(const skinned_file *file, skin_wish wish) {
    const bool bytes = wish.numbers == BYTES;
    const int weights = bytes ? AT(small_weights) : wish.numbers == SHORTS ? AT(short_weights) : AT(weights);
    const int type = bytes ? 5121 : wish.numbers == SHORTS ? 5123 : 5126;
    char json[4096];
    size_t count;
    const int length = snprintf(
        json, sizeof json,
        ",\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu}],\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
        "{\"bufferView\":0,\"byteOffset\":%d,\"componentType\":5126,\"count\":2,\"type\":\"MAT4\"},"
        "{\"bufferView\":0,\"byteOffset\":%d,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},"
        "{\"bufferView\":0,\"byteOffset\":%d,\"componentType\":5126,\"count\":2,\"type\":\"VEC4\"},"
        "{\"bufferView\":0,\"byteOffset\":%d,\"componentType\":%d,\"count\":3,\"type\":\"VEC4\"},"
        "{\"bufferView\":0,\"byteOffset\":%d,\"componentType\":%d,\"normalized\":%s,\"count\":3,\"type\":\"VEC4\"}]"
        ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":4,\"WEIGHTS_0\":5}%s}]}]"
        "%s,\"skins\":[%s],\"animations\":[%s]",
        sizeof *file, AT(binds), AT(times), AT(turns), bytes ? AT(small_joints) : AT(joints), bytes ? 5121 : 5123,
        weights, type, wish.numbers == FLOATS ? "false" : "true", wish.targets ? wish.targets : "",
        wish.nodes ? wish.nodes : OPEN_ARM, wish.skin ? wish.skin : "{\"joints\":[1,2],\"inverseBindMatrices\":1}",
        wish.animations ? wish.animations : TURN_ARM("\"name\":\"Bend\","));
    assert_true(length > 0 && length < (int)sizeof json);
    char *glb = test_glb_make(json, file, sizeof *file, &count);
    const char *path = test_path(test_folder, "arm.glb");
    test_file_write(path, glb, count);
    free(glb);
    return path;
}

/// Positions at the frames of a clip, 3 numbers a vertex, all in a row; free them.
static double *play_clip(const char *path, const char *clip, double rate, size_t *frames, size_t *vertices) {
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(toc_sequence_open(1, &path, NULL, &sequence));
    if (clip) assert_ok(toc_sequence_play(sequence, clip));
    assert_ok(toc_sequence_sample(sequence, rate));
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    *frames = toc_sequence_get_frame_count(sequence);
    *vertices = toc_mesh_get_vertex_count(mesh);
    double *x = calloc(3 * *frames * *vertices, sizeof *x);
    for (size_t i = 0; i < *frames; i++) {
        if (i > 0) assert_ok(toc_sequence_advance(sequence, i, mesh));
        memcpy(x + 3 * i * *vertices, toc_mesh_get_x1(mesh), 3 * *vertices * sizeof *x);
    }
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    return x;
}

// A turn of the second bone by 90 degrees about its joint: 2 0 0 goes to 1 1 0, and 1 1 0 halfway to 0 0 0.
static void a_bent_joint_blends_its_bones(void **state) {
    (void)state;
    for (skin_numbers numbers = FLOATS; numbers <= SHORTS; numbers++) {
        size_t frames, vertices;
        double *x = play_clip(write_arm(&arm, (skin_wish){.numbers = numbers}), "Bend", 1, &frames, &vertices);
        const double end[9] = {0, 0, 0, 1, 1, 0, 0.5, 0.5, 0};
        assert_int_equal(frames, 2);
        assert_int_equal(vertices, 3);
        for (int i = 0; i < 9; i++) {
            assert_double_near(x[i], (double)((const float *)arm.vertices)[i], 1e-7);
            assert_double_near(x[9 + i], end[i], 1e-6);
        }
        free(x);
    }
}

// A mesh read alone has its bind pose, whatever the nodes say.
static void a_single_mesh_is_in_its_bind_pose(void **state) {
    (void)state;
    toc_mesh *mesh;
    toc_mesh_report report;
    const char *path = write_arm(&arm, (skin_wish){0});
    assert_ok(toc_mesh_read(path, NULL, &mesh));
    assert_double_near(toc_mesh_get_x0(mesh)[3], 2, 0);
    assert_ok(toc_mesh_inspect(mesh, &report));
    assert_int_equal(report.skinned_vertices, 3);
    toc_mesh_destroy(mesh);
}

static void clips_are_chosen_by_name_or_number(void **state) {
    (void)state;
    toc_sequence *sequence;
    const char *path = write_arm(&arm, (skin_wish){.animations = TURN_ARM("\"name\":\"Bend\",") "," TURN_ARM("")});
    assert_ok(toc_sequence_open(1, &path, NULL, &sequence));
    assert_int_equal(toc_sequence_get_clip_count(sequence), 2);
    assert_string_equal(toc_sequence_get_clip(sequence, 0), "Bend");
    assert_string_equal(toc_sequence_get_clip(sequence, 1), "1");
    assert_null(toc_sequence_get_clip(sequence, 2));
    assert_ok(toc_sequence_play(sequence, "1"));
    assert_int_equal(toc_sequence_get_frame_count(sequence), 31);
    assert_fails(toc_sequence_play(sequence, "Wave"), TOC_BAD_INPUT, "no clip \"Wave\"; the file has \"Bend\", \"1\"");
    toc_sequence_close(sequence);
}

static void files_without_clips_say_so(void **state) {
    (void)state;
    toc_sequence *sequence;
    const char *path = test_path(test_folder, "flat.off");
    test_file_write(path, "OFF 3 1 0\n0 0 0 1 0 0 0 1 0\n3 0 1 2\n", 36);
    assert_ok(toc_sequence_open(1, &path, NULL, &sequence));
    assert_int_equal(toc_sequence_get_clip_count(sequence), 0);
    assert_fails(toc_sequence_play(sequence, "Walk"), TOC_BAD_INPUT, "there are no clips");
    toc_sequence_close(sequence);
}

static void refuse_arm(const skinned_file *file, skin_wish wish, const char *words) {
    toc_sequence *sequence;
    const char *path = write_arm(file, wish);
    assert_fails(toc_sequence_open(1, &path, NULL, &sequence), TOC_BAD_INPUT, words);
    assert_non_null(strstr(toc_message_get(), "arm.glb"));
}

static void broken_skins_are_refused(void **state) {
    (void)state;
    refuse_arm(&arm, (skin_wish){.skin = "{\"joints\":[]}"}, "a skin without joints");
    refuse_arm(&arm, (skin_wish){.skin = ""}, "skin");
    refuse_arm(&arm, (skin_wish){.skin = "{\"joints\":[1,7]}"}, "the joint is node 7, but there are 3");
    refuse_arm(&arm, (skin_wish){.skin = "{\"joints\":[1]}"}, "joint 1 is used, but the skin has 1");
    refuse_arm(&arm, (skin_wish){.skin = "{\"joints\":[1,2,2],\"inverseBindMatrices\":1}"},
               "2 inverse bind matrices for 3 joints");
    refuse_arm(&arm,
               (skin_wish){.nodes = ",\"nodes\":[{\"mesh\":0,\"skin\":0},{\"children\":[2]},{}],\"scenes\":[{\"nodes\":"
                                    "[0]}]"},
               "not in the scene");
    refuse_arm(&arm,
               (skin_wish){.nodes = ",\"nodes\":[{\"mesh\":0,\"skin\":0},{\"children\":[2]},{\"children\":[1]}],"
                                    "\"scenes\":[{\"nodes\":[0,1]}]"},
               "node 1 is in the scene twice");
}

static void broken_weights_are_refused(void **state) {
    (void)state;
    skinned_file bad = arm;
    memset(bad.weights[1], 0, sizeof bad.weights[1]);
    refuse_arm(&bad, (skin_wish){0}, "the weights of vertex 1 sum to 0, not to 1");
    bad.weights[1][0] = -1;
    refuse_arm(&bad, (skin_wish){0}, "a weight is negative or no number");
    bad.weights[1][0] = NAN;
    refuse_arm(&bad, (skin_wish){0}, "a weight is negative or no number");
    bad = arm;
    bad.binds[1][5] = 0;
    refuse_arm(&bad, (skin_wish){0}, "an inverse bind matrix that is singular or not finite");
    bad.binds[1][5] = INFINITY;
    refuse_arm(&bad, (skin_wish){0}, "an inverse bind matrix that is singular or not finite");
}

// Joints without a weight may have any number: some writers leave rubbish there.
static void joints_without_weight_do_not_count(void **state) {
    (void)state;
    skinned_file odd = arm;
    size_t frames, vertices;
    odd.joints[0][3] = 999;
    free(play_clip(write_arm(&odd, (skin_wish){0}), NULL, 1, &frames, &vertices));
    assert_int_equal(frames, 2);
}

// Two vertices at one place that move with different bones are two; in another order of joints they are one.
static void welding_respects_weights(void **state) {
    (void)state;
    skinned_file seam = arm;
    toc_mesh *mesh;
    memcpy(seam.vertices[1], seam.vertices[2], sizeof seam.vertices[1]);
    assert_ok(toc_mesh_read(write_arm(&seam, (skin_wish){0}), NULL, &mesh));
    assert_int_equal(toc_mesh_get_element(mesh, 0).corners[2], 2);
    toc_mesh_destroy(mesh);
    memcpy(seam.joints[1], (uint16_t[]){1, 0, 5, 0}, sizeof seam.joints[1]);
    memcpy(seam.weights[1], (float[]){0.5f, 0.5f, 0, 0}, sizeof seam.weights[1]);
    assert_ok(toc_mesh_read(write_arm(&seam, (skin_wish){0}), NULL, &mesh));
    assert_int_equal(toc_mesh_get_element(mesh, 0).corners[2], 1);
    toc_mesh_destroy(mesh);
}

/// Blend the matrices of a rig by hand and compare with the frames of the sequence.
static void compare_rig(const char *path, size_t clip, double rate) {
    toc_rig *rig;
    double start, end;
    size_t frames, vertices;
    assert_ok(toc_rig_read(path, NULL, &rig));
    assert_ok(toc_rig_find_times(rig, clip, &start, &end));
    double *x = play_clip(path, rig->clips[clip], rate, &frames, &vertices);
    double *matrices = calloc(12 * rig->joint_count, sizeof *matrices), size = 1;
    const double *bind = toc_mesh_get_x0(rig->mesh);
    for (size_t i = 0; i < 3 * vertices; i++) size = fmax(size, fabs(bind[i]));
    for (size_t f = 0; f<frames; f += frames> 8 ? frames / 4 : 1) {
        assert_ok(toc_rig_pose(rig, clip, fmin(start + (double)f / rate, end), rig->joint_count, matrices));
        for (size_t v = 0; v < vertices; v++) {
            size_t count;
            const toc_rig_weight *w = toc_rig_get_weights(rig, v, &count);
            double p[3] = {0};
            for (size_t i = 0; i < count; i++)
                for (size_t k = 0; k < 3; k++) {
                    const double *row = matrices + 12 * w[i].joint + 4 * k, *b = bind + 3 * v;
                    p[k] += w[i].weight * (row[0] * b[0] + row[1] * b[1] + row[2] * b[2] + row[3]);
                }
            for (size_t k = 0; k < 3; k++) assert_double_near(x[3 * (f * vertices + v) + k], p[k], 1e-9 * size);
        }
    }
    free(matrices);
    free(x);
    toc_rig_destroy(rig);
}

static void rigs_pose_as_sequences_do(void **state) {
    (void)state;
    compare_rig(write_arm(&arm, (skin_wish){0}), 0, 2);
    if (test_data("characters/Fox.glb")) compare_rig(test_data("characters/Fox.glb"), 1, 10);
    if (test_data("characters/mannequiny.glb")) compare_rig(test_data("characters/mannequiny.glb"), 5, 3);
}

static void rigs_have_a_skeleton(void **state) {
    (void)state;
    toc_rig *rig;
    size_t clip, count;
    double matrices[24];
    assert_ok(toc_rig_read(write_arm(&arm, (skin_wish){0}), NULL, &rig));
    assert_int_equal(rig->joint_count, 2);
    assert_int_equal(rig->joints[0].parent, UINT32_MAX);
    assert_int_equal(rig->joints[1].parent, 0);
    assert_double_near(rig->joints[1].inverse_bind[3], -1, 0);
    assert_ok(toc_rig_find_clip(rig, "Bend", &clip));
    assert_fails(toc_rig_find_clip(rig, "Jump", &clip), TOC_BAD_INPUT, "no clip \"Jump\"; the file has \"Bend\"");
    assert_fails(toc_rig_pose(rig, 5, 0, 2, matrices), TOC_BAD_INPUT, "there is no clip 5; there are 1");
    assert_ok(toc_rig_pose(rig, SIZE_MAX, 0, 2, matrices));
    assert_fails(toc_rig_pose(rig, SIZE_MAX, 0, 3, matrices), TOC_BAD_INPUT,
                 "room for 3 matrices given, the rig has 2 joints");
    assert_double_near(matrices[12 + 3], 0, 1e-7);
    assert_null(toc_rig_get_weights(rig, 3, &count));
    toc_rig_destroy(rig);
    const char *flat = test_path(test_folder, "flat.off");
    test_file_write(flat, "OFF 3 1 0\n0 0 0 1 0 0 0 1 0\n3 0 1 2\n", 36);
    assert_fails(toc_rig_read(flat, NULL, &rig), TOC_BAD_INPUT, "not glTF");
    const char *bare = write_arm(&arm, (skin_wish){.nodes = ",\"nodes\":[{\"mesh\":0},{\"children\":[2]},{}]"});
    assert_fails(toc_rig_read(bare, NULL, &rig), TOC_BAD_INPUT, "arm.glb: has no skin");
    const char *empty = TOC_SOURCE_DIR "/tests/fuzz/corpus/rig/no-elements.glb";
    assert_fails(toc_rig_read(empty, NULL, &rig), TOC_BAD_INPUT, "no-elements.glb: holds no elements");
}

// Members of JSON have no order: long lists may come before the asset.
static void a_rig_is_glTF_however_late_its_asset_comes(void **state) {
    (void)state;
    enum { JOINTS = 5000 };
    static char text[2 * JOINTS + 200];
    static const char *const ends[] = {"0]}],\"nodes\":[{}],\"asset\":{\"version\":\"2.0\"}}", "0]}]}"};
    static const char *const messages[] = {"late.gltf: has no skin", "no \"asset\": this is not glTF"};
    const char *path = test_path(test_folder, "late.gltf");
    for (int k = 0; k < 2; k++) {
        toc_rig *rig;
        size_t length = (size_t)snprintf(text, sizeof text, "{\"skins\":[{\"joints\":[");
        for (int i = 0; i < JOINTS; i++, length += 2) memcpy(text + length, "0,", 2);
        length += (size_t)snprintf(text + length, sizeof text - length, "%s", ends[k]);
        test_file_write(path, text, length);
        assert_fails(toc_rig_read(path, NULL, &rig), TOC_BAD_INPUT, messages[k]);
    }
}

// A widely used robot has sums of up to 1.755: readers everywhere scale them.
static void weights_that_do_not_sum_to_one_are_scaled(void **state) {
    (void)state;
    skinned_file odd = arm;
    toc_rig *rig;
    size_t count;
    assert_ok(toc_rig_read(write_arm(&arm, (skin_wish){0}), NULL, &rig));
    assert_int_equal(rig->scaled_count, 0);
    toc_rig_destroy(rig);
    for (int k = 0; k < 4; k++) odd.weights[1][k] *= 1.755f;
    assert_ok(toc_rig_read(write_arm(&odd, (skin_wish){0}), NULL, &rig));
    assert_int_equal(rig->scaled_count, 1);
    double sum = 0;
    const toc_rig_weight *list = toc_rig_get_weights(rig, 1, &count);
    for (size_t i = 0; i < count; i++) sum += list[i].weight;
    assert_double_near(sum, 1, 1e-12);
    toc_rig_destroy(rig);
}

static void rigs_count_their_morph_targets(void **state) {
    (void)state;
    toc_rig *rig;
    assert_ok(toc_rig_read(write_arm(&arm, (skin_wish){0}), NULL, &rig));
    assert_int_equal(rig->morph_count, 0);
    toc_rig_destroy(rig);
    const char *path = write_arm(&arm, (skin_wish){.targets = ",\"targets\":[{\"POSITION\":0},{\"POSITION\":0}]"});
    assert_ok(toc_rig_read(path, NULL, &rig));
    assert_int_equal(rig->morph_count, 2);
    toc_rig_destroy(rig);
}

#define SMILE                                                                                                 \
    "{\"name\":\"Smile\",\"samplers\":[{\"input\":2,\"output\":2}],\"channels\":[{\"sampler\":0,\"target\":{" \
    "\"node\":0,\"path\":\"weights\"}}]}"

/// The ways of the three vertices at a time, against their places times a factor: the target is the mesh itself.
static void compare_ways(toc_rig *rig, size_t clip, double time, double factor) {
    double ways[9];
    assert_ok(toc_rig_morph(rig, clip, time, 3, ways));
    for (int i = 0; i < 9; i++) assert_double_near(ways[i], factor * (double)arm.vertices[i / 3][i % 3], 1e-7);
}

// A clip of morphs alone, with a skin and without one: a face.
static void clips_of_morphs_move_the_vertices(void **state) {
    (void)state;
    toc_rig *rig;
    size_t count;
    double matrices[12], ways[9];
    const char *targets = ",\"targets\":[{\"POSITION\":0}]";
    assert_ok(toc_rig_read(write_arm(&arm, (skin_wish){.targets = targets, .animations = SMILE}), NULL, &rig));
    compare_ways(rig, 0, 0.5, 0.5);
    compare_ways(rig, 0, 9, 1);
    compare_ways(rig, SIZE_MAX, 0, 0);
    assert_fails(toc_rig_morph(rig, 0, 0, 2, ways), TOC_BAD_INPUT, "room for 2 vertices given, the rig has 3");
    assert_fails(toc_rig_morph(rig, 1, 0, 3, ways), TOC_BAD_INPUT, "there is no clip 1");
    assert_fails(toc_rig_morph(rig, 0, NAN, 3, ways), TOC_BAD_INPUT, "not finite");
    toc_rig_destroy(rig);
    const char *nodes = ",\"nodes\":[{\"mesh\":0,\"scale\":[2,2,2],\"translation\":[5,0,0]},{\"children\":[2]},{}]";
    const skin_wish bare = {.targets = targets, .animations = SMILE, .nodes = nodes};
    assert_ok(toc_rig_read(write_arm(&arm, bare), NULL, &rig));
    assert_int_equal(rig->joint_count, 1);
    assert_int_equal(toc_rig_get_weights(rig, 2, &count)->joint, 0);
    assert_int_equal(count, 1);
    assert_double_near(toc_mesh_get_x1(rig->mesh)[3], 9, 1e-7); // 2 in its node
    assert_ok(toc_rig_pose(rig, 0, 1, 1, matrices));
    for (int i = 0; i < 12; i++) assert_double_near(matrices[i], i % 5 == 0, 1e-7);
    compare_ways(rig, 0, 0.5, 1);
    toc_rig_destroy(rig);
}

// A copy takes its memory from the source of the original, which must not be the rig.
static void copies_of_the_mesh_outlive_the_rig(void **state) {
    (void)state;
    toc_rig *rig;
    toc_mesh *copy;
    assert_ok(toc_rig_read(write_arm(&arm, (skin_wish){0}), NULL, &rig));
    assert_ok(toc_mesh_copy(rig->mesh, &copy));
    toc_rig_destroy(rig);
    assert_ok(toc_mesh_add_vertices(copy, 1, (double[]){0, 0, 0}, NULL));
    toc_mesh_destroy(copy);
}

static toc_status read_rig_starved(const toc_allocator *allocator, void *user) {
    toc_read_options options = toc_read_options_default();
    toc_rig *rig;
    double matrices[24];
    options.allocator = allocator;
    toc_status status = toc_rig_read(user, &options, &rig);
    if (status != TOC_OK) return status;
    status = toc_rig_pose(rig, 0, 0.5, 2, matrices);
    toc_rig_destroy(rig);
    return status;
}

static void lack_of_memory_leaves_nothing(void **state) {
    (void)state;
    test_every_allocation(test_play, (void *)write_arm(&arm, (skin_wish){0}));
    test_every_allocation(read_rig_starved, (void *)write_arm(&arm, (skin_wish){0}));
}

/// Compare a few frames of a clip with the reference. @return the number of vertices compared.
static size_t compare_clip(const char *path, size_t number, const char *clip) {
    enum { RATE = 3 };
    size_t frames, vertices, compared = 0;
    double *x = play_clip(path, clip, RATE, &frames, &vertices), size = 0, p[3];
    toc_sequence *sequence;
    assert_ok(toc_sequence_open(1, &path, NULL, &sequence));
    assert_ok(toc_sequence_play(sequence, clip));
    assert_ok(toc_sequence_sample(sequence, RATE));
    char command[4096];
    int length = snprintf(command, sizeof command, "python3 '%s/tests/io/files/skin_reference.py' '%s' %zu",
                          TOC_SOURCE_DIR, path, number);
    const size_t most = test_less(2, 1), taken = frames < most ? frames : most;
    for (size_t i = 0; i < taken; i++)
        length +=
            snprintf(command + length, sizeof command - (size_t)length, " %.17g", toc_sequence_get_time(sequence, i));
    toc_sequence_close(sequence);
    for (size_t i = 0; i < 3 * vertices; i++) size = fmax(size, fabs(x[i]));
    FILE *reference = popen(command, "r");
    for (; compared < taken * vertices && fscanf(reference, "%lf %lf %lf", p, p + 1, p + 2) == 3; compared++)
        for (int k = 0; k < 3; k++) assert_double_near(x[3 * compared + (size_t)k], p[k], 1e-6 * size);
    assert_int_equal(pclose(reference), 0);
    assert_int_equal(compared, taken * vertices);
    free(x);
    return compared;
}

// The first and the last clip of each; mannequiny, the largest, is left to builds without sanitizers.
static void characters_move_as_the_specification_says(void **state) {
    (void)state;
    static const char *const names[] = {"characters/Fox.glb", "characters/SimpleSkin.gltf", "characters/Horse.gltf",
                                        "characters/RiggedFigure.glb", "characters/CesiumMan.glb"};
    test_need_data(names[0]);
    if (system("python3 -c '' 2>/dev/null") != 0) {
        print_message("skipped: no python3\n");
        skip();
    }
    for (size_t i = 0; i < test_less(5, 2); i++) {
        const char *path = test_data("%s", names[i]);
        if (!path) continue;
        toc_sequence *sequence;
        assert_ok(toc_sequence_open(1, &path, NULL, &sequence));
        const size_t last = toc_sequence_get_clip_count(sequence) - 1;
        assert_true(compare_clip(path, 0, toc_sequence_get_clip(sequence, 0)) > 0);
        if (last > 0) assert_true(compare_clip(path, last, toc_sequence_get_clip(sequence, last)) > 0);
        toc_sequence_close(sequence);
    }
}

/// The mesh of a rig in the pose of the file, which a sequence of the file shows too.
static void assert_rest_is_shown(const char *path, toc_rig *rig) {
    size_t frames, vertices;
    const size_t joints = rig->joint_count;
    double *x = play_clip(path, NULL, 1, &frames, &vertices), *matrices = calloc(12 * joints, sizeof *matrices);
    const double *bind = toc_mesh_get_x1(rig->mesh);
    assert_ok(toc_rig_pose(rig, 0, 0, joints, matrices));
    assert_int_equal(vertices, toc_mesh_get_vertex_count(rig->mesh));
    for (size_t v = 0; v < vertices; v++)
        for (size_t k = 0; k < 3; k++) {
            size_t count;
            double at = 0;
            const toc_rig_weight *w = toc_rig_get_weights(rig, v, &count);
            for (size_t i = 0; i < count; i++) {
                const double *row = matrices + 12 * w[i].joint + 4 * k, *p = bind + 3 * v;
                at += w[i].weight * (row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3]);
            }
            assert_double_near(at, x[3 * v + k], 1e-6);
        }
    free(matrices);
    free(x);
}

// Two skeletons whose bind poses coincide: the second one stands where the file puts it.
static void several_skeletons_stand_apart(void **state) {
    (void)state;
    toc_rig *rig;
    const char *path = write_arm(
        &arm, (skin_wish){.nodes = ",\"nodes\":[{\"mesh\":0,\"skin\":0},{\"children\":[2]},{\"translation\":[1,0,0]},"
                                   "{\"mesh\":0,\"skin\":1},{\"translation\":[0,0,5],\"children\":[5]},"
                                   "{\"translation\":[1,0,0]}],\"scenes\":[{\"nodes\":[0,1,3,4]}]",
                          .skin = "{\"joints\":[1,2],\"inverseBindMatrices\":1},"
                                  "{\"joints\":[4,5],\"inverseBindMatrices\":1}"});
    assert_ok(toc_rig_read(path, NULL, &rig));
    assert_int_equal(rig->joint_count, 4);
    const double *x = toc_mesh_get_x1(rig->mesh);
    for (size_t v = 0; v < 6; v++) {
        assert_double_near(x[3 * v], arm.vertices[v % 3][0], 1e-9);
        assert_double_near(x[3 * v + 2], v < 3 ? 0 : 5, 1e-9);
    }
    assert_rest_is_shown(path, rig);
    toc_rig_destroy(rig);
}

// Two skins of one skeleton have its joints once.
static void skins_of_one_skeleton_share_joints(void **state) {
    (void)state;
    toc_rig *rig;
    const char *path = write_arm(
        &arm, (skin_wish){.nodes = ",\"nodes\":[{\"mesh\":0,\"skin\":0},{\"children\":[2]},{\"translation\":[1,0,0]},"
                                   "{\"mesh\":0,\"skin\":1}],\"scenes\":[{\"nodes\":[0,1,3]}]",
                          .skin = "{\"joints\":[1,2],\"inverseBindMatrices\":1},"
                                  "{\"joints\":[1,2],\"inverseBindMatrices\":1}"});
    assert_ok(toc_rig_read(path, NULL, &rig));
    assert_int_equal(rig->joint_count, 2);
    assert_rest_is_shown(path, rig);
    toc_rig_destroy(rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bent_joint_blends_its_bones),
        cmocka_unit_test(a_single_mesh_is_in_its_bind_pose),
        cmocka_unit_test(clips_are_chosen_by_name_or_number),
        cmocka_unit_test(files_without_clips_say_so),
        cmocka_unit_test(broken_skins_are_refused),
        cmocka_unit_test(broken_weights_are_refused),
        cmocka_unit_test(joints_without_weight_do_not_count),
        cmocka_unit_test(welding_respects_weights),
        cmocka_unit_test(rigs_pose_as_sequences_do),
        cmocka_unit_test(rigs_have_a_skeleton),
        cmocka_unit_test(a_rig_is_glTF_however_late_its_asset_comes),
        cmocka_unit_test(weights_that_do_not_sum_to_one_are_scaled),
        cmocka_unit_test(rigs_count_their_morph_targets),
        cmocka_unit_test(clips_of_morphs_move_the_vertices),
        cmocka_unit_test(copies_of_the_mesh_outlive_the_rig),
        cmocka_unit_test(lack_of_memory_leaves_nothing),
        cmocka_unit_test(several_skeletons_stand_apart),
        cmocka_unit_test(skins_of_one_skeleton_share_joints),
        cmocka_unit_test(characters_move_as_the_specification_says),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
