// SPDX-License-Identifier: Apache-2.0
// Real characters, all clips: hashing against every pair of a vertex and a tet, the safe rule against hashing. The
// flesh is a layer of tets below triangles of the skin, so that no cage has to be made.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/skeleton.h"
#include "support/characters.h"
#include "toccata/io.h"

/// Tets below triangles of a rig, and the weights of their vertices.
typedef struct skin_layer {
    toc_mesh *mesh;
    skeleton skeleton;
} skin_layer;

static void add_layer_weights(skin_layer *l, const toc_rig *rig, uint32_t vertex) {
    uint32_t joints[64];
    double weights[64];
    size_t count;
    const toc_rig_weight *w = toc_rig_get_weights(rig, vertex, &count);
    assert_true(count <= 64);
    for (size_t i = 0; i < count; i++) joints[i] = w[i].joint, weights[i] = w[i].weight;
    assert_ok(skeleton_add_vertex(&l->skeleton, count, joints, weights));
}

/// The fourth corner: below the middle, by a half of the root of the area.
static void find_below(const double *a, const double *b, const double *c, double out[3]) {
    double p[3], q[3], n[3], length = 0;
    for (int k = 0; k < 3; k++) p[k] = b[k] - a[k], q[k] = c[k] - a[k];
    for (int k = 0; k < 3; k++) n[k] = p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3];
    for (int k = 0; k < 3; k++) length += n[k] * n[k];
    const double by = length > 0 ? 0.5 * pow(length, 0.25) / sqrt(length) : 0;
    for (int k = 0; k < 3; k++) out[k] = (a[k] + b[k] + c[k]) / 3 - by * n[k];
}

static void add_layer_tet(skin_layer *l, const toc_rig *rig, const uint32_t corners[3], uint32_t *ids) {
    const double *x = toc_mesh_get_x1(rig->mesh);
    uint32_t tet[4];
    double below[3];
    for (int k = 0; k < 3; k++) {
        uint32_t *id = &ids[corners[k]];
        if (*id == UINT32_MAX) {
            assert_ok(toc_mesh_add_vertices(l->mesh, 1, x + 3 * (size_t)corners[k], id));
            add_layer_weights(l, rig, corners[k]);
        }
        tet[k] = *id;
    }
    find_below(x + 3 * (size_t)corners[0], x + 3 * (size_t)corners[1], x + 3 * (size_t)corners[2], below);
    assert_ok(toc_mesh_add_vertices(l->mesh, 1, below, &tet[3]));
    add_layer_weights(l, rig, corners[0]);
    assert_ok(toc_mesh_add_elements(l->mesh, TOC_TET, 1, tet, NULL));
}

static skin_layer make_layer(const toc_rig *rig) {
    const toc_mesh *skin = rig->mesh;
    const size_t elements = toc_mesh_get_element_count(skin), joints = rig->joint_count;
    skin_layer l = {0};
    uint32_t *ids = malloc((toc_mesh_get_vertex_count(skin) + 1) * sizeof *ids);
    memset(ids, 0xff, toc_mesh_get_vertex_count(skin) * sizeof *ids);
    assert_ok(toc_mesh_create(NULL, &l.mesh));
    assert_ok(skeleton_begin(l.mesh, joints, &l.skeleton));
    for (size_t e = 0; e < elements; e += 1 + elements / (size_t)test_less(1200, 300)) {
        const toc_element t = toc_mesh_get_element(skin, (uint32_t)e);
        if (t.shape == TOC_TRIANGLE) add_layer_tet(&l, rig, t.corners, ids);
    }
    free(ids);
    for (size_t j = 0; j < joints; j++) {
        const toc_rig_joint joint = rig->joints[j];
        l.skeleton.parents[j] = joint.parent;
        memcpy(l.skeleton.inverse_binds + 12 * j, joint.inverse_bind, sizeof joint.inverse_bind);
    }
    return l;
}

static void free_layer(skin_layer *l) {
    toc_mesh_destroy(l->mesh);
    skeleton_free(&l->skeleton);
}

/// The contacts of a clip, at a few times.
static size_t play_rig_clip(toc_rig *rig, size_t clip, toc_character *hash, toc_character *safe, double *matrices) {
    const int frames = test_less(4, 2);
    double start, end;
    size_t touched = 0;
    assert_ok(toc_rig_find_times(rig, clip, &start, &end));
    for (int i = 0; i < frames; i++) {
        toc_character_report report;
        size_t inverted;
        assert_ok(toc_rig_pose(rig, clip, start + (end - start) * i / frames, rig->joint_count, matrices));
        assert_ok(test_character_step(hash, matrices, &report));
        assert_ok(test_character_step(safe, matrices, NULL));
        assert_true(test_contacts_are_equal(hash, safe));
        assert_int_equal(report.contacts, test_count_every_pair(hash, &inverted));
        assert_int_equal(report.inside_inverted, inverted);
        touched += report.contacts;
    }
    return touched;
}

static void every_clip_is_searched_completely(void **state) {
    (void)state;
    static const char *const files[] = {"CesiumMan.glb", "Fox.glb", "Horse.gltf", "RiggedFigure.glb", "mannequiny.glb"};
    size_t touched = 0;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        const char *path = test_data("characters/%s", files[f]);
        if (!path) continue;
        toc_rig *rig;
        toc_character *hash, *safe;
        toc_character_settings settings = toc_character_settings_default();
        assert_ok(toc_rig_read(path, NULL, &rig));
        skin_layer l = make_layer(rig);
        settings.preset = TOC_CHARACTER_HASH;
        assert_ok(toc_character_create(&l.skeleton.def, &settings, NULL, &hash));
        settings.preset = TOC_CHARACTER_ONDEMAND_SAFE;
        assert_ok(toc_character_create(&l.skeleton.def, &settings, NULL, &safe));
        double *matrices = malloc(12 * l.skeleton.def.joint_count * sizeof *matrices);
        for (size_t clip = 0; clip < rig->clip_count; clip++) touched += play_rig_clip(rig, clip, hash, safe, matrices);
        free(matrices);
        toc_character_destroy(hash);
        toc_character_destroy(safe);
        free_layer(&l);
        toc_rig_destroy(rig);
    }
    assert_true(touched > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_clip_is_searched_completely)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
