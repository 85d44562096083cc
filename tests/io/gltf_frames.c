// SPDX-License-Identifier: Apache-2.0
// Animations of glTF as frames, and frames as animations of glTF.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/glb.h"
#include "support/reading.h"

// One vertex at 1 0 0, keys at the times 1, 2 and 4 of one value each, with tangents before and behind for a cubic.
typedef struct keys {
    float vertex[3], shift[3], times[3], values[9][4];
} keys;

#define VIEW(OFFSET, LENGTH) "{\"buffer\":0,\"byteOffset\":" #OFFSET ",\"byteLength\":" #LENGTH "}"

/// A file with one animation of node 0, or of its parent.
static const char *write_animated(const char *path, const char *way, const keys *k, int node) {
    static const struct {
        const char *path, *type;
        int components;
    } paths[] = {{"translation", "VEC3", 3}, {"rotation", "VEC4", 4}, {"scale", "VEC3", 3}, {"weights", "SCALAR", 1}};
    size_t i = 0, count;
    while (strcmp(paths[i].path, path) != 0) i++;
    const int keys_count = strcmp(way, "CUBICSPLINE") == 0 ? 9 : 3;
    float bytes[9 + 36];
    memcpy(bytes, k->vertex, 36);
    for (int n = 0; n < 9; n++) memcpy(bytes + 9 + paths[i].components * n, k->values[n], 16);
    char json[2048];
    snprintf(
        json, sizeof json,
        ",\"bufferViews\":[" VIEW(0, 36) "," VIEW(
            36, 144) "],\"accessors\":["
                     "{\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"},"
                     "{\"bufferView\":0,\"byteOffset\":12,\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"},"
                     "{\"bufferView\":0,\"byteOffset\":24,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"},"
                     "{\"bufferView\":1,\"componentType\":5126,\"count\":%d,\"type\":\"%s\"}],"
                     "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":1}],"
                     "\"mode\":0}]}"
                     "],\"nodes\":[{\"mesh\":0},{\"children\":[0]}],\"animations\":[{\"channels\":[],\"samplers\":[]},"
                     "{\"samplers\":[{\"input\":2,\"output\":3,\"interpolation\":\"%s\"}],\"channels\":[{\"sampler\":0,"
                     "\"target\":{\"node\":%d,\"path\":\"%s\"}}]}]",
        keys_count, paths[i].type, way, node, path);
    char *glb = test_glb_make(json, bytes, sizeof bytes, &count);
    const char *file = test_path(test_folder, "animated.glb");
    test_file_write(file, glb, count);
    free(glb);
    return file;
}

/// Where the vertex is in each frame, at `rate` frames a second.
static size_t play(const char *file, double rate, double x[][3]) {
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(toc_sequence_open(1, &file, NULL, &sequence));
    assert_ok(toc_sequence_sample(sequence, rate));
    const size_t count = toc_sequence_get_frame_count(sequence);
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    memcpy(x[0], toc_mesh_get_x1(mesh), sizeof x[0]);
    for (size_t i = 1; i < count; i++) {
        assert_ok(toc_sequence_advance(sequence, i, mesh));
        memcpy(x[i], toc_mesh_get_x1(mesh), sizeof x[i]);
    }
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
    return count;
}

#define assert_at(x, a, b, c)                \
    do {                                     \
        assert_double_near((x)[0], a, 1e-6); \
        assert_double_near((x)[1], b, 1e-6); \
        assert_double_near((x)[2], c, 1e-6); \
    } while (0)

// From the first key at 1 to the last at 4, two frames a second: 1, 1.5, 2, 2.5, 3, 3.5, 4.
static void keys_are_held_or_mixed(void **state) {
    (void)state;
    const keys k = {{1, 0, 0}, {0, 0, 0}, {1, 2, 4}, {{0, 0, 0}, {0, 2, 0}, {0, 2, 8}}};
    double x[16][3];
    assert_int_equal(play(write_animated("translation", "STEP", &k, 0), 2, x), 7);
    assert_at(x[1], 1, 0, 0);
    assert_at(x[2], 1, 2, 0);
    assert_at(x[5], 1, 2, 0);
    assert_at(x[6], 1, 2, 8);
    assert_int_equal(play(write_animated("translation", "LINEAR", &k, 1), 2, x), 7);
    assert_at(x[0], 1, 0, 0);
    assert_at(x[1], 1, 1, 0);
    assert_at(x[3], 1, 2, 2);
    assert_at(x[6], 1, 2, 8);
    // A last frame at the last key, wherever the rate would put frames.
    assert_int_equal(play(write_animated("translation", "LINEAR", &k, 0), 0.4, x), 3);
    assert_at(x[1], 1, 2, 6);
    assert_at(x[2], 1, 2, 8);
}

static void scales_and_turns(void **state) {
    (void)state;
    const float half = 0.70710678f;
    keys k = {{1, 0, 0}, {0, 0, 0}, {1, 2, 4}, {{1, 1, 1}, {3, 1, 1}, {5, 1, 1}}};
    double x[16][3];
    play(write_animated("scale", "LINEAR", &k, 0), 2, x);
    assert_at(x[1], 2, 0, 0);
    // No turn, 90 degrees around z, and the same turn written with the other sign: the shorter way is none at all.
    const float turns[3][4] = {{0, 0, 0, 1}, {0, 0, half, half}, {0, 0, -half, -half}};
    memcpy(k.values, turns, sizeof turns);
    play(write_animated("rotation", "LINEAR", &k, 1), 2, x);
    assert_at(x[1], sqrt(0.5), sqrt(0.5), 0);
    assert_at(x[2], 0, 1, 0);
    assert_at(x[4], 0, 1, 0);
    // A third of a turn is a third of the angle: constant speed, not a straight line.
    play(write_animated("rotation", "LINEAR", &k, 1), 3, x);
    assert_at(x[1], cos(M_PI / 6), sin(M_PI / 6), 0);
}

static double hermite(double t, double span, const float (*v)[4]) {
    const double a = v[1][0], out = v[2][0], in = v[3][0], b = v[4][0];
    return (2 * t * t * t - 3 * t * t + 1) * a + span * (t * t * t - 2 * t * t + t) * out +
           (3 * t * t - 2 * t * t * t) * b + span * (t * t * t - t * t) * in;
}

static void cubics_follow_their_tangents(void **state) {
    (void)state;
    const keys k = {{1, 0, 0}, {0, 1, 0}, {1, 2, 4}, {{9}, {0}, {2}, {-1}, {1}, {3}, {0.5f}, {-2}, {9}}};
    double x[16][3];
    play(write_animated("weights", "CUBICSPLINE", &k, 0), 4, x);
    assert_at(x[0], 1, 0, 0);
    assert_at(x[1], 1, hermite(0.25, 1, k.values), 0);
    assert_at(x[4], 1, 1, 0);
    assert_at(x[6], 1, hermite(0.25, 2, k.values + 3), 0);
    assert_at(x[12], 1, -2, 0);
}

static void animations_that_are_wrong(void **state) {
    (void)state;
    toc_sequence *sequence;
    keys k = {{1, 0, 0}, {0, 0, 0}, {1, 1, 4}, {{0}}};
    const char *file = write_animated("translation", "LINEAR", &k, 0);
    assert_fails(toc_sequence_open(1, &file, NULL, &sequence), TOC_BAD_INPUT, "do not ascend");
    k.times[1] = 2;
    k.values[1][2] = INFINITY;
    file = write_animated("translation", "LINEAR", &k, 0);
    assert_fails(toc_sequence_open(1, &file, NULL, &sequence), TOC_BAD_INPUT, "not a finite number");
    k.values[1][2] = 0;
    file = write_animated("translation", "BEZIER", &k, 0);
    assert_fails(toc_sequence_open(1, &file, NULL, &sequence), TOC_BAD_INPUT, "an interpolation that is not known");
    k.times[2] = 1e30f;
    file = write_animated("translation", "LINEAR", &k, 0);
    assert_fails(toc_sequence_open(1, &file, NULL, &sequence), TOC_BAD_INPUT, "too many");
    assert_non_null(strstr(toc_message_get(), "animated.glb"));
    // The mesh at rest needs none of this.
    toc_mesh *mesh;
    assert_ok(toc_mesh_read(file, NULL, &mesh));
    toc_mesh_destroy(mesh);
}

static toc_status play_and_close(const toc_allocator *allocator, void *user) {
    const char *file = user;
    toc_sequence *sequence;
    toc_mesh *mesh;
    toc_status status = toc_sequence_open(
        1, &file, &(toc_read_options){.size = sizeof(toc_read_options), .allocator = allocator}, &sequence);
    if (status != TOC_OK) return status;
    status = toc_sequence_read_first(sequence, &mesh);
    if (status == TOC_OK) {
        status = toc_sequence_advance(sequence, 1, mesh);
        toc_mesh_destroy(mesh);
    }
    toc_sequence_close(sequence);
    return status;
}

static void playing_starved_of_memory(void **state) {
    (void)state;
    const keys k = {{1, 0, 0}, {0, 0, 0}, {1, 2, 4}, {{0, 0, 0}, {0, 2, 0}, {0, 2, 8}}};
    char file[1024];
    snprintf(file, sizeof file, "%s", write_animated("translation", "LINEAR", &k, 0));
    assert_true(test_every_allocation(play_and_close, file) > 10);
}

// A .pvd is read only with an XML parser.
#ifdef TOC_HAVE_EXPAT
enum { KINDS = 2 };
#else
enum { KINDS = 1 };
#endif

// Frames of a sheet whose coordinates and motions are floats without rounding.
enum { FRAMES = 12, SIDE = 5 };

static toc_mesh *sheet(int frame) {
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double x[3] = {i % SIDE + 0.25 * frame, i / SIDE, 0.125 * ((i * 7 + frame * 3) % 16)};
        assert_ok(toc_mesh_add_vertices(mesh, 1, x, NULL));
    }
    for (uint32_t i = 0; i + SIDE + 1 < SIDE * SIDE; i++)
        assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2,
                                        (uint32_t[]){i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE}, NULL));
    return mesh;
}

static const char *write_sheets(char names[FRAMES][64], const char *paths[FRAMES]) {
    for (int i = 0; i < FRAMES; i++) {
        toc_mesh *mesh = sheet(i);
        snprintf(names[i], sizeof names[i], "%s/in-%d.ply", test_folder, i);
        paths[i] = names[i];
        assert_ok(toc_mesh_write(names[i], mesh, TOC_AT_START));
        toc_mesh_destroy(mesh);
    }
    return names[0];
}

static void assert_sheets(const char *file) {
    toc_sequence *sequence;
    toc_mesh *mesh;
    assert_ok(toc_sequence_open(1, &file, NULL, &sequence));
    assert_int_equal(toc_sequence_get_frame_count(sequence), FRAMES);
    assert_ok(toc_sequence_read_first(sequence, &mesh));
    for (int i = 0; i < FRAMES; i++) {
        toc_mesh *wanted = sheet(i);
        if (i > 0) assert_ok(toc_sequence_advance(sequence, (size_t)i, mesh));
        assert_memory_equal(toc_mesh_get_x1(mesh), toc_mesh_get_x0(wanted), SIDE * SIDE * 3 * sizeof(double));
        assert_int_equal(toc_mesh_get_element_count(mesh), toc_mesh_get_element_count(wanted));
        toc_mesh_destroy(wanted);
    }
    toc_mesh_destroy(mesh);
    toc_sequence_close(sequence);
}

static void frames_come_back_bit_for_bit(void **state) {
    (void)state;
    char names[FRAMES][64];
    const char *paths[FRAMES];
    write_sheets(names, paths);
    static const char *const ends[] = {"out.glb", "out.pvd"};
    for (int i = 0; i < KINDS; i++) {
        toc_sequence *sequence;
        const char *out = test_path(test_folder, ends[i]);
        assert_ok(toc_sequence_open(FRAMES, paths, NULL, &sequence));
        assert_ok(toc_sequence_write(out, sequence));
        toc_sequence_close(sequence);
        assert_sheets(out);
    }
    const char *glb = test_path(test_folder, "out.glb"), *pvd = test_path(test_folder, "again.pvd");
    toc_sequence *sequence;
    assert_ok(toc_sequence_open(1, &glb, NULL, &sequence));
    assert_double_near(toc_sequence_get_time(sequence, 3), 0.1, 1e-7);
    assert_ok(toc_sequence_write(pvd, sequence));
    assert_fails(toc_sequence_write(test_path(test_folder, "a.obj"), sequence), TOC_BAD_INPUT,
                 "written as .pvd or .glb");
    toc_sequence_close(sequence);
    if (KINDS > 1) assert_sheets(pvd);
}

static toc_status write_frames(const toc_allocator *allocator, void *user) {
    const char *const *paths = user;
    toc_sequence *sequence;
    toc_status status = toc_sequence_open(
        3, paths, &(toc_read_options){.size = sizeof(toc_read_options), .allocator = allocator}, &sequence);
    if (status != TOC_OK) return status;
    status = toc_sequence_write(test_path(test_folder, "starved.glb"), sequence);
    toc_sequence_close(sequence);
    return status;
}

static void writing_frames_starved_of_memory(void **state) {
    (void)state;
    char names[FRAMES][64];
    const char *paths[FRAMES];
    write_sheets(names, paths);
    assert_true(test_every_allocation(write_frames, paths) > 20);
}

// Removed and added elements are nodes that are hidden at times, which only programs that show them read.
static void elements_that_go_are_shown(void **state) {
    (void)state;
    static const char *const frames[] = {"OFF\n4 2\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n",
                                         "OFF\n4 1\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n3 0 1 2\n"};
    char names[2][64];
    const char *paths[2];
    for (int i = 0; i < 2; i++) {
        snprintf(names[i], sizeof names[i], "%s/gone-%d.off", test_folder, i);
        paths[i] = names[i];
        test_file_write(names[i], frames[i], strlen(frames[i]));
    }
    toc_sequence *sequence;
    assert_ok(toc_sequence_open(2, paths, NULL, &sequence));
    assert_ok(toc_sequence_write(test_path(test_folder, "gone.glb"), sequence));
    assert_ok(toc_sequence_write(test_path(test_folder, "gone.pvd"), sequence));
    toc_sequence_close(sequence);
#ifdef TOC_HAVE_EXPAT
    toc_mesh *mesh;
    assert_ok(toc_mesh_read(test_path(test_folder, "gone-0001.vtu"), NULL, &mesh));
    assert_int_equal(toc_mesh_get_element_count(mesh), 1);
    toc_mesh_destroy(mesh);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_held_or_mixed),           cmocka_unit_test(scales_and_turns),
        cmocka_unit_test(cubics_follow_their_tangents),     cmocka_unit_test(animations_that_are_wrong),
        cmocka_unit_test(playing_starved_of_memory),        cmocka_unit_test(frames_come_back_bit_for_bit),
        cmocka_unit_test(writing_frames_starved_of_memory), cmocka_unit_test(elements_that_go_are_shown),
    };
    return cmocka_run_group_tests(tests, test_folder_begin, test_folder_end);
}
