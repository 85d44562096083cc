// SPDX-License-Identifier: Apache-2.0
// Limbs of tetrahedra with a skeleton: a round rod along x with three joints.
#include "scenes/limbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/builder.h"

static const double pi = 3.14159265358979323846;

typedef struct limb_shape {
    const char *name;
    double length, radius; // radius at the middle joint
    uint32_t along;        // cells, for each cell across
    double degrees;
} limb_shape;

static const limb_shape shapes[LIMB_KINDS] = {[LIMB_ARM] = {"arm", 5.75, 0.25, 46, 165},
                                              [LIMB_LEG] = {"leg", 5.2, 0.32, 45, 150},
                                              [LIMB_TWIST] = {"twist", 5.75, 0.25, 46, 180}};

const char *limb_name(size_t kind) { return kind < LIMB_KINDS ? shapes[kind].name : NULL; }

// Thick at the body, thin at the wrist; a square is mapped to a disc.
static void place_rod(const limb_shape *s, double u, double v, double along, double out[3]) {
    const double radius = s->radius * (1.25 - 0.5 * along + 0.08 * cos(4 * pi * along));
    out[0] = s->length * along;
    out[1] = radius * u * sqrt(1 - v * v / 2);
    out[2] = radius * v * sqrt(1 - u * u / 2);
}

static toc_status build_rod(const limb_shape *s, uint32_t across, toc_mesh *mesh) {
    scene_builder builder = scene_builder_make(mesh);
    const uint32_t along = (s->along * across + 2) / 4, row = across + 1, layer = row * row;
    for (uint32_t v = 0; v < layer * (along + 1) && builder.status == TOC_OK; v++) {
        double at[3];
        place_rod(s, 2.0 * (v % row) / across - 1, 2.0 * (v / row % row) / across - 1, (double)(v / layer) / along, at);
        scene_vertex(&builder, at[0], at[1], at[2]);
    }
    for (uint32_t e = 0; e < across * across * along && builder.status == TOC_OK; e++) {
        const uint32_t a = e % across + e / across % across * row + e / (across * across) * layer;
        uint32_t cell[8];
        for (uint32_t c = 0; c < 8; c++) cell[c] = a + (c & 1) + (c >> 1 & 1) * row + (c >> 2) * layer;
        scene_cell(&builder, TOC_TET, cell);
    }
    return scene_builder_finish(&builder);
}

/// Weights change from one bone to the next within a diameter and a half of the joint. A twist is spread over the
/// forearm.
static void weigh(const limb *l, double x, double weights[LIMB_JOINTS]) {
    const double wide = l->kind == LIMB_TWIST ? 1.2 : 1.5 * shapes[l->kind].radius;
    const double first = scene_ease(x, l->heads[1] - wide, l->heads[1] + wide);
    const double second = scene_ease(x, l->heads[2] - wide / 2, l->heads[2] + wide / 2);
    weights[0] = 1 - first;
    weights[1] = first * (1 - second);
    weights[2] = first * second;
}

static toc_status weigh_all(limb *l) {
    static const uint32_t joints[LIMB_JOINTS] = {0, 1, 2};
    const size_t count = toc_mesh_get_vertex_count(l->cage);
    toc_status status = TOC_OK;
    for (size_t v = 0; v < count && status == TOC_OK; v++) {
        double weights[LIMB_JOINTS];
        weigh(l, toc_mesh_get_x1(l->cage)[3 * v], weights);
        status = skeleton_add_vertex(&l->skeleton, LIMB_JOINTS, joints, weights);
    }
    return status;
}

static toc_status place_joints(limb *l) {
    static const double shares[LIMB_JOINTS] = {0, 0.5, 0.88};
    const toc_status status = skeleton_begin(l->cage, LIMB_JOINTS, &l->skeleton);
    for (uint32_t j = 0; j < LIMB_JOINTS && status == TOC_OK; j++) {
        l->skeleton.parents[j] = j > 0 ? j - 1 : UINT32_MAX;
        l->heads[j] = shares[j] * shapes[l->kind].length;
        l->skeleton.inverse_binds[12 * j + 3] = -l->heads[j];
    }
    return status;
}

toc_status limb_make(limb_kind kind, uint32_t across, limb *out) {
    if (across < 1 || across > 40) return toc_message_set(TOC_BAD_INPUT, "a limb has 1 to 40 cells across");
    *out = (limb){.kind = kind};
    toc_status status = toc_mesh_create(NULL, &out->cage);
    if (status == TOC_OK) status = build_rod(&shapes[kind], across, out->cage);
    if (status == TOC_OK) status = place_joints(out);
    if (status == TOC_OK) status = weigh_all(out);
    if (status != TOC_OK) limb_free(out);
    return status;
}

void limb_free(limb *l) {
    toc_mesh_destroy(l->cage);
    skeleton_free(&l->skeleton);
    *l = (limb){0};
}

/// Turn everything behind a point of the axis: about z to bend, about x to twist.
static void turn_matrix(double head, double angle, bool twist, double m[12]) {
    const double c = cos(angle), s = sin(angle);
    const double bent[12] = {c, -s, 0, head * (1 - c), s, c, 0, -head * s, 0, 0, 1, 0};
    const double twisted[12] = {1, 0, 0, 0, 0, c, -s, 0, 0, s, c, 0};
    memcpy(m, twist ? twisted : bent, sizeof bent);
}

void limb_pose(const limb *l, double bend, double *matrices) {
    const double angle = bend * shapes[l->kind].degrees * pi / 180;
    turn_matrix(0, 0, false, matrices);
    turn_matrix(l->heads[1], angle, l->kind == LIMB_TWIST, matrices + 12);
    memcpy(matrices + 24, matrices + 12, 12 * sizeof *matrices);
}

double limb_bend_at(double time) { return time < 0.5 ? scene_ease(time, 0, 0.45) : 1 - scene_ease(time, 0.55, 1); }

toc_status limb_prop_make(toc_mesh **out) {
    enum { ALONG = 11, WIDE = 2 };
    toc_mesh *mesh;
    toc_status status = toc_mesh_create(NULL, &mesh);
    if (status != TOC_OK) return status;
    scene_builder builder = scene_builder_make(mesh);
    for (uint32_t v = 0; v < 2 * (WIDE + 1) * (ALONG + 1); v++) {
        const uint32_t x = v % (ALONG + 1), y = v / (ALONG + 1) % (WIDE + 1), z = v / ((ALONG + 1) * (WIDE + 1));
        scene_vertex(&builder, 1.3 + 0.1 * x, 1.1 + 0.15 * y, 0.4 * z - 0.17);
    }
    for (uint32_t e = 0; e < ALONG * WIDE; e++) {
        const uint32_t row = ALONG + 1, a = e % ALONG + e / ALONG * row;
        uint32_t cell[8];
        for (uint32_t c = 0; c < 8; c++) cell[c] = a + (c & 1) + (c >> 1 & 1) * row + (c >> 2) * row * (WIDE + 1);
        scene_cell(&builder, TOC_TET, cell);
    }
    status = scene_builder_finish(&builder);
    if (status == TOC_OK)
        *out = mesh;
    else
        toc_mesh_destroy(mesh);
    return status;
}
