// SPDX-License-Identifier: Apache-2.0
// A human and a horse that walk. Each bone is a capsule that tapers; cells of a lattice within reach of a capsule are
// the cage, and the boundary of a finer lattice, moved onto the capsules, is the skin. y points up, z forward, x to the
// left.
#include "scenes/creatures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/builder.h"

static const double degree = 0.017453292519943295;

/// A bone of the plan. One of a pair is given for the left side. Angles are degrees: a swing about x in a cycle, a bend
/// about x, and a lean about z.
typedef struct bone_plan {
    const char *name, *parent;
    bool paired;
    double head[3], tail[3], radius[2];
    double bend, swing, phase, lean, sway;
} bone_plan;

static const bone_plan human[] = {
    {"hips", NULL, false, {0, 0.95, 0}, {0, 1.05, 0}, {0.13, 0.13}, 0, 0, 0, 0, 3},
    {"spine", "hips", false, {0, 1.05, 0}, {0, 1.22, 0}, {0.125, 0.13}, 2, 2, 0, 0, -4},
    {"chest", "spine", false, {0, 1.22, 0}, {0, 1.42, 0}, {0.14, 0.12}, 2, 2, 0.25, 0, 0},
    {"neck", "chest", false, {0, 1.42, 0}, {0, 1.54, 0.01}, {0.05, 0.05}, -2, 2, 0, 0, 0},
    {"head", "neck", false, {0, 1.58, 0.02}, {0, 1.72, 0.02}, {0.09, 0.09}, -2, 3, 0.5, 0, 0},
    {"clavicle", "chest", true, {0.05, 1.42, 0}, {0.17, 1.43, 0}, {0.06, 0.06}, 0, 0, 0, -3, 3},
    {"upperarm", "clavicle", true, {0.19, 1.42, 0}, {0.39, 1.22, 0}, {0.055, 0.045}, 5, 28, 0.5, -42, 4},
    {"forearm", "upperarm", true, {0.39, 1.22, 0}, {0.57, 1.04, 0}, {0.045, 0.035}, -55, 35, 0.5, 0, 0},
    {"hand", "forearm", true, {0.57, 1.04, 0}, {0.64, 0.97, 0}, {0.04, 0.035}, 0, 10, 0.25, 0, 0},
    {"fingers", "hand", true, {0.64, 0.97, 0}, {0.7, 0.91, 0}, {0.03, 0.025}, -20, 10, 0.25, 0, 0},
    {"thumb", "hand", true, {0.6, 1, 0.03}, {0.63, 0.96, 0.07}, {0.02, 0.018}, 0, 5, 0, 0, 0},
    {"thigh", "hips", true, {0.1, 0.93, 0}, {0.11, 0.52, 0}, {0.085, 0.06}, -8, 32, 0, 0, 3},
    {"shin", "thigh", true, {0.11, 0.52, 0}, {0.115, 0.12, 0}, {0.06, 0.04}, 32, 30, 0.3, 0, 0},
    {"foot", "shin", true, {0.115, 0.1, 0}, {0.115, 0.05, 0.12}, {0.045, 0.04}, -5, 15, 0.5, 0, 0},
    {"toe", "foot", true, {0.115, 0.04, 0.12}, {0.115, 0.035, 0.19}, {0.035, 0.03}, 0, 15, 0.2, 0, 0},
};

static const bone_plan horse[] = {
    {"hips", NULL, false, {0, 1.35, -0.55}, {0, 1.35, -0.4}, {0.27, 0.27}, 0, 1, 0, 0, 2},
    {"spine1", "hips", false, {0, 1.35, -0.4}, {0, 1.33, -0.1}, {0.28, 0.29}, 0, 1, 0.1, 0, -1},
    {"spine2", "spine1", false, {0, 1.33, -0.1}, {0, 1.32, 0.2}, {0.29, 0.28}, 0, 1, 0.2, 0, -1},
    {"spine3", "spine2", false, {0, 1.32, 0.2}, {0, 1.33, 0.45}, {0.28, 0.26}, 0, 1, 0.3, 0, 0},
    {"chest", "spine3", false, {0, 1.33, 0.45}, {0, 1.35, 0.6}, {0.25, 0.22}, 0, 1, 0.4, 0, 0},
    {"neck1", "chest", false, {0, 1.42, 0.65}, {0, 1.6, 0.8}, {0.19, 0.15}, 6, 5, 0, 0, 0},
    {"neck2", "neck1", false, {0, 1.6, 0.8}, {0, 1.78, 0.95}, {0.15, 0.13}, 4, 4, 0.1, 0, 0},
    {"neck3", "neck2", false, {0, 1.78, 0.95}, {0, 1.92, 1.08}, {0.13, 0.11}, 4, 3, 0.2, 0, 0},
    {"neck4", "neck3", false, {0, 1.92, 1.08}, {0, 2, 1.15}, {0.11, 0.1}, 2, 3, 0.3, 0, 0},
    {"head", "neck4", false, {0, 2, 1.18}, {0, 1.72, 1.5}, {0.11, 0.07}, 10, 8, 0.5, 0, 0},
    {"jaw", "head", false, {0, 1.85, 1.25}, {0, 1.68, 1.42}, {0.06, 0.05}, 2, 4, 0, 0, 0},
    {"tail1", "hips", false, {0, 1.42, -0.78}, {0, 1.36, -0.88}, {0.06, 0.06}, 4, 3, 0, 0, 5},
    {"tail2", "tail1", false, {0, 1.36, -0.88}, {0, 1.26, -0.93}, {0.06, 0.06}, 0, 3, 0.1, 0, 5},
    {"tail3", "tail2", false, {0, 1.26, -0.93}, {0, 1.14, -0.95}, {0.06, 0.06}, 0, 3, 0.2, 0, 5},
    {"tail4", "tail3", false, {0, 1.14, -0.95}, {0, 1.02, -0.96}, {0.06, 0.06}, 0, 3, 0.3, 0, 5},
    {"tail5", "tail4", false, {0, 1.02, -0.96}, {0, 0.9, -0.96}, {0.06, 0.05}, 0, 3, 0.4, 0, 5},
    {"tail6", "tail5", false, {0, 0.9, -0.96}, {0, 0.78, -0.95}, {0.05, 0.04}, 0, 3, 0.5, 0, 5},
    {"ear", "head", true, {0.06, 2.08, 1.16}, {0.08, 2.2, 1.15}, {0.03, 0.025}, 0, 10, 0.3, 0, 0},
    {"scapula", "chest", true, {0.14, 1.4, 0.55}, {0.17, 1.15, 0.65}, {0.12, 0.1}, 0, 10, 0.25, 0, 0},
    {"humerus", "scapula", true, {0.17, 1.15, 0.65}, {0.17, 0.98, 0.5}, {0.1, 0.08}, 0, 12, 0.25, 0, 0},
    {"radius", "humerus", true, {0.17, 0.98, 0.5}, {0.17, 0.6, 0.55}, {0.07, 0.05}, -12, 14, 0.3, 0, 2},
    {"cannon", "radius", true, {0.17, 0.6, 0.55}, {0.17, 0.25, 0.55}, {0.045, 0.04}, 26, 25, 0.4, 0, 0},
    {"pastern", "cannon", true, {0.17, 0.25, 0.55}, {0.17, 0.1, 0.6}, {0.04, 0.04}, 12, 20, 0.5, 0, 0},
    {"hoof", "pastern", true, {0.17, 0.1, 0.6}, {0.17, 0.04, 0.63}, {0.05, 0.055}, 0, 8, 0.6, 0, 0},
    {"hip", "hips", true, {0.12, 1.38, -0.6}, {0.17, 1.2, -0.62}, {0.17, 0.15}, 0, 4, 0, 0, 0},
    {"femur", "hip", true, {0.17, 1.2, -0.62}, {0.18, 0.98, -0.45}, {0.15, 0.11}, 0, 14, 0, 0, 2},
    {"tibia", "femur", true, {0.18, 0.98, -0.45}, {0.18, 0.62, -0.65}, {0.09, 0.06}, 5, 12, 0.2, 0, 0},
    {"metatarsus", "tibia", true, {0.18, 0.62, -0.65}, {0.18, 0.25, -0.62}, {0.05, 0.04}, -12, 22, 0.3, 0, 0},
    {"hindpastern", "metatarsus", true, {0.18, 0.25, -0.62}, {0.18, 0.1, -0.57}, {0.04, 0.04}, 8, 18, 0.5, 0, 0},
    {"hindhoof", "hindpastern", true, {0.18, 0.1, -0.57}, {0.18, 0.04, -0.54}, {0.05, 0.055}, 0, 8, 0.6, 0, 0},
};

/// A creature of the plan: widths of the cells of cage and skin give the numbers of the paper.
typedef struct creature_plan {
    const char *name;
    const bone_plan *bones;
    size_t count;
    double cell, fine;
} creature_plan;

static const creature_plan plans[CREATURE_KINDS] = {
    [CREATURE_HUMAN] = {"human", human, sizeof human / sizeof *human, 0.0500, 0.0166},
    [CREATURE_HORSE] = {"horse", horse, sizeof horse / sizeof *horse, 0.0868, 0.0462},
};

const char *creature_name(size_t kind) { return kind < CREATURE_KINDS ? plans[kind].name : NULL; }

// ---- joints: those of a pair in a row, left and right

static size_t count_joints(const creature_plan *p) {
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++) count += p->bones[i].paired ? 2 : 1;
    return count;
}

/// The bone of a joint; `side` is -1 for the right one of a pair, else 1.
static const bone_plan *bone_of(const creature_plan *p, size_t joint, double *side) {
    for (size_t i = 0;; i++) {
        const size_t own = p->bones[i].paired ? 2 : 1;
        *side = joint == 1 && own == 2 ? -1 : 1;
        if (joint < own) return &p->bones[i];
        joint -= own;
    }
}

static uint32_t parent_of(const creature_plan *p, const bone_plan *bone, double side) {
    uint32_t joint = 0;
    if (!bone->parent) return UINT32_MAX;
    for (const bone_plan *b = p->bones; strcmp(b->name, bone->parent) != 0; b++) joint += b->paired ? 2 : 1;
    double other;
    return bone_of(p, joint, &other)->paired && side < 0 ? joint + 1 : joint;
}

const char *creature_joint(const creature *c, size_t joint) {
    static _Thread_local char name[32];
    double side;
    if (joint >= c->joint_count) return NULL;
    const bone_plan *bone = bone_of(&plans[c->kind], joint, &side);
    snprintf(name, sizeof name, "%s%s", bone->name, !bone->paired ? "" : side < 0 ? ".R" : ".L");
    return name;
}

static toc_status make_joints(creature *c) {
    const creature_plan *p = &plans[c->kind];
    c->joint_count = count_joints(p);
    const toc_status status = skeleton_begin(c->cage, c->joint_count, &c->skeleton);
    if (status != TOC_OK) return status;
    for (size_t j = 0; j < c->joint_count; j++) {
        double side, *m = c->skeleton.inverse_binds + 12 * j;
        const bone_plan *bone = bone_of(p, j, &side);
        c->skeleton.parents[j] = parent_of(p, bone, side);
        for (int k = 0; k < 3; k++) m[4 * k + 3] = -(k == 0 ? side : 1) * bone->head[k];
    }
    return TOC_OK;
}

// ---- the shape

/// The distance of a point from a bone's surface, negative inside.
static double bone_distance(const bone_plan *bone, double side, const double x[3]) {
    double along = 0, length = 0, sum = 0;
    for (int k = 0; k < 3; k++) {
        const double mirror = k == 0 ? side : 1, d = bone->tail[k] - bone->head[k];
        along += (mirror * x[k] - bone->head[k]) * d;
        length += d * d;
    }
    const double share = fmin(fmax(along / length, 0), 1);
    for (int k = 0; k < 3; k++) {
        const double gap = (k == 0 ? side : 1) * x[k] - bone->head[k] - share * (bone->tail[k] - bone->head[k]);
        sum += gap * gap;
    }
    return sqrt(sum) - (1 - share) * bone->radius[0] - share * bone->radius[1];
}

static double shape_distance(const creature_plan *p, const double x[3]) {
    double best = INFINITY;
    for (size_t i = 0; i < p->count; i++) {
        best = fmin(best, bone_distance(&p->bones[i], 1, x));
        if (p->bones[i].paired) best = fmin(best, bone_distance(&p->bones[i], -1, x));
    }
    return best;
}

/// Cells of a lattice around a creature.
typedef struct shape_lattice {
    double low[3], width;
    long cells[3];
    uint8_t *taken;     // by cell
    uint32_t *vertices; // by corner; UINT32_MAX where none is yet
} shape_lattice;

static long lattice_cell(const shape_lattice *l, const long at[3]) {
    return (at[2] * l->cells[1] + at[1]) * l->cells[0] + at[0];
}

static bool is_taken(const shape_lattice *l, const long at[3]) {
    for (int k = 0; k < 3; k++)
        if (at[k] < 0 || at[k] >= l->cells[k]) return false;
    return l->taken[lattice_cell(l, at)];
}

static void size_shape(const creature_plan *p, double width, shape_lattice *l) {
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    l->width = width;
    for (int k = 0; k < 3; k++) l->low[k] = INFINITY;
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++) {
            const double a = p->bones[i].head[k], b = p->bones[i].tail[k];
            const double most = fmax(p->bones[i].radius[0], p->bones[i].radius[1]);
            l->low[k] = fmin(l->low[k], fmin(a, b) - most);
            high[k] = fmax(high[k], fmax(a, b) + most);
        }
    l->low[0] = -high[0];
    for (int k = 0; k < 3; k++) {
        l->cells[k] = (long)ceil((high[k] - l->low[k]) / width) + 2;
        l->low[k] = 0.5 * (l->low[k] + high[k] - width * (double)l->cells[k]); // centred, so both sides are alike
    }
}

/// Take the cells whose centre is within a reach of the shape.
static toc_status take_cells(const creature_plan *p, double reach, shape_lattice *l) {
    const size_t corners = (size_t)((l->cells[0] + 1) * (l->cells[1] + 1) * (l->cells[2] + 1));
    l->taken = calloc((size_t)(l->cells[0] * l->cells[1] * l->cells[2]), 1);
    l->vertices = malloc(corners * sizeof *l->vertices);
    if (!l->taken || !l->vertices) return toc_message_set(TOC_OUT_OF_MEMORY, "out of memory");
    memset(l->vertices, 0xff, corners * sizeof *l->vertices);
    long at[3];
    for (at[2] = 0; at[2] < l->cells[2]; at[2]++)
        for (at[1] = 0; at[1] < l->cells[1]; at[1]++)
            for (at[0] = 0; at[0] < l->cells[0]; at[0]++) {
                double x[3];
                for (int k = 0; k < 3; k++) x[k] = l->low[k] + l->width * ((double)at[k] + 0.5);
                l->taken[lattice_cell(l, at)] = shape_distance(p, x) < reach;
            }
    return TOC_OK;
}

/// Move a point onto the shape along the gradient of its distance.
static void move_onto_shape(const creature_plan *p, double width, double x[3]) {
    for (int round = 0; round < 4; round++) {
        const double distance = shape_distance(p, x), step = 0.01 * width;
        double gradient[3], length = 0;
        for (int k = 0; k < 3; k++) {
            double aside[3] = {x[0], x[1], x[2]};
            aside[k] += step;
            gradient[k] = (shape_distance(p, aside) - distance) / step;
            length += gradient[k] * gradient[k];
        }
        for (int k = 0; k < 3 && length > 0; k++) x[k] -= 0.8 * distance * gradient[k] / sqrt(length);
    }
}

static uint32_t lattice_vertex(shape_lattice *l, scene_builder *builder, const creature_plan *onto, const long cell[3],
                               int corner) {
    long at[3];
    double x[3];
    for (int k = 0; k < 3; k++) {
        at[k] = cell[k] + (corner >> k & 1);
        x[k] = l->low[k] + l->width * (double)at[k];
    }
    uint32_t *known = &l->vertices[(at[2] * (l->cells[1] + 1) + at[1]) * (l->cells[0] + 1) + at[0]];
    if (*known != UINT32_MAX) return *known;
    if (onto) move_onto_shape(onto, l->width, x);
    *known = scene_vertex(builder, x[0], x[1], x[2]);
    return *known;
}

static void add_tets_of_cell(shape_lattice *l, scene_builder *builder, const long cell[3]) {
    uint32_t corners[8];
    for (int c = 0; c < 8; c++) corners[c] = lattice_vertex(l, builder, NULL, cell, c);
    scene_cell(builder, TOC_TET, corners);
}

/// Two triangles for each side of a cell without a neighbour.
static void add_sides_of_cell(shape_lattice *l, scene_builder *builder, const creature_plan *p, const long cell[3]) {
    for (int k = 0; k < 3; k++)
        for (int high = 0; high < 2; high++) {
            const int a = 1 << (k + 1) % 3, b = 1 << (k + 2) % 3, base = high << k;
            const int around[4] = {base, base | a, base | a | b, base | b};
            long next[3] = {cell[0], cell[1], cell[2]};
            uint32_t v[4];
            next[k] += high ? 1 : -1;
            if (is_taken(l, next)) continue;
            for (int i = 0; i < 4; i++) v[i] = lattice_vertex(l, builder, p, cell, around[high ? i : 3 - i]);
            scene_element(builder, TOC_TRIANGLE, (const uint32_t[]){v[0], v[1], v[2]});
            scene_element(builder, TOC_TRIANGLE, (const uint32_t[]){v[0], v[2], v[3]});
        }
}

/// Build the cage, or the skin of a finer lattice.
static toc_status build_shape(const creature_plan *p, double width, bool skin, toc_mesh *mesh) {
    shape_lattice l = {0};
    scene_builder builder = scene_builder_make(mesh);
    long at[3];
    size_shape(p, width, &l);
    toc_status status = take_cells(p, skin ? 0 : 0.3 * width, &l);
    for (at[2] = 0; at[2] < l.cells[2] && status == TOC_OK; at[2]++)
        for (at[1] = 0; at[1] < l.cells[1]; at[1]++)
            for (at[0] = 0; at[0] < l.cells[0]; at[0]++) {
                if (!is_taken(&l, at)) continue;
                if (skin)
                    add_sides_of_cell(&l, &builder, p, at);
                else
                    add_tets_of_cell(&l, &builder, at);
            }
    if (status == TOC_OK) status = scene_builder_finish(&builder);
    free(l.taken);
    free(l.vertices);
    return status;
}

// ---- weights

/// The bone whose surface is nearest, and those next to it in the skeleton, by their distances.
static void weigh_vertex(const creature *c, const double x[3], double *weights) {
    const creature_plan *p = &plans[c->kind];
    size_t nearest = 0;
    double sum = 0, side, best = INFINITY;
    for (size_t j = 0; j < c->joint_count; j++) {
        const bone_plan *bone = bone_of(p, j, &side);
        weights[j] = bone_distance(bone, side, x);
        if (weights[j] < best) best = weights[j], nearest = j;
    }
    const double radius = bone_of(p, nearest, &side)->radius[0];
    const uint32_t *parents = c->skeleton.parents;
    for (size_t j = 0; j < c->joint_count; j++) {
        const bool close = j == nearest || parents[j] == nearest || parents[nearest] == j;
        const double gap = (weights[j] - best) / (0.5 * radius);
        weights[j] = close && gap < 1 ? (1 - gap) * (1 - gap) : 0;
        sum += weights[j];
    }
    for (size_t j = 0; j < c->joint_count; j++) weights[j] /= sum;
}

static toc_status weigh_creature(creature *c) {
    const size_t count = toc_mesh_get_vertex_count(c->cage);
    toc_status status = TOC_OK;
    double *weights = malloc(c->joint_count * sizeof *weights);
    uint32_t *joints = malloc(c->joint_count * sizeof *joints);
    if (!weights || !joints) status = toc_message_set(TOC_OUT_OF_MEMORY, "out of memory");
    for (uint32_t j = 0; j < c->joint_count && status == TOC_OK; j++) joints[j] = j;
    for (size_t v = 0; v < count && status == TOC_OK; v++) {
        weigh_vertex(c, toc_mesh_get_x1(c->cage) + 3 * v, weights);
        status = skeleton_add_vertex(&c->skeleton, c->joint_count, joints, weights);
    }
    free(weights);
    free(joints);
    return status;
}

// ---- life

toc_status creature_make(creature_kind kind, double detail, creature *out) {
    *out = (creature){.kind = kind};
    toc_status status = toc_mesh_create(NULL, &out->cage);
    if (status == TOC_OK) status = toc_mesh_create(NULL, &out->skin);
    if (status == TOC_OK) status = build_shape(&plans[kind], plans[kind].cell, false, out->cage);
    if (status == TOC_OK) status = build_shape(&plans[kind], plans[kind].fine / detail, true, out->skin);
    if (status == TOC_OK) status = make_joints(out);
    if (status == TOC_OK) status = weigh_creature(out);
    return status;
}

void creature_free(creature *c) {
    toc_mesh_destroy(c->cage);
    toc_mesh_destroy(c->skin);
    skeleton_free(&c->skeleton);
    *c = (creature){0};
}

// ---- poses

/// The rotation of a joint: first about z, then about x.
static void joint_rotation(const bone_plan *bone, double side, double time, double r[3][3]) {
    const double wave = 2 * 3.14159265358979323846 * (time + bone->phase + (side < 0 ? 0.5 : 0));
    const double x = degree * (bone->bend + bone->swing * sin(wave));
    const double z = side * degree * (bone->lean + bone->sway * sin(wave));
    const double rows[3][3] = {
        {cos(z), -sin(z), 0}, {cos(x) * sin(z), cos(x) * cos(z), -sin(x)}, {sin(x) * sin(z), sin(x) * cos(z), cos(x)}};
    memcpy(r, rows, sizeof rows);
}

void creature_pose(const creature *c, double time, double *matrices) {
    for (size_t j = 0; j < c->joint_count; j++) {
        static const double unit[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        double side, r[3][3], *m = matrices + 12 * j;
        const bone_plan *bone = bone_of(&plans[c->kind], j, &side);
        const uint32_t parent = c->skeleton.parents[j];
        const double *above = parent == UINT32_MAX ? unit : matrices + 12 * (size_t)parent;
        const double head[3] = {side * bone->head[0], bone->head[1], bone->head[2]};
        joint_rotation(bone, side, time, r);
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++)
                m[4 * i + k] = above[4 * i] * r[0][k] + above[4 * i + 1] * r[1][k] + above[4 * i + 2] * r[2][k];
            m[4 * i + 3] = above[4 * i + 3];
            for (int k = 0; k < 3; k++) m[4 * i + 3] += (above[4 * i + k] - m[4 * i + k]) * head[k];
        }
    }
}
