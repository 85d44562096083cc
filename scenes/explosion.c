// SPDX-License-Identifier: Apache-2.0
// A lumpy body drops onto another one, which shatters: closed pieces fly apart, tumble, and run into each other and
// into the falling body. After the UNC exploding-dragon benchmark: no coherence, deep overlaps.
#include <math.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

static const double pi = 3.14159265358979323846;
static const double blow_time = 0.3;
static const double blow_at[3] = {0.08, -0.05, 0.7};
enum { PIECE_CELLS = 3 }; // along a side of a piece

// How far the surface of a lumpy body is from its middle, in a direction.
static double lumps(const double unit[3], double phase) {
    const double x = unit[0], y = unit[1], z = unit[2];
    return 1 + 0.13 * sin(4 * x + 2 * y + phase) * cos(3 * z - y) + 0.07 * cos(7 * z - 5 * x + 2 * phase);
}

// A point of the cube [-1, 1]^3 to the body: its shells become shells of the lumpy ball.
static void shape(const double cube[3], double out[3]) {
    const double length = sqrt(cube[0] * cube[0] + cube[1] * cube[1] + cube[2] * cube[2]);
    const double shell = fmax(fabs(cube[0]), fmax(fabs(cube[1]), fabs(cube[2])));
    if (length == 0) {
        for (int k = 0; k < 3; k++) out[k] = 0;
        return;
    }
    const double unit[3] = {cube[0] / length, cube[1] / length, cube[2] / length};
    const double radius = shell * lumps(unit, 0.4);
    out[0] = 0.9 * radius * unit[0];
    out[1] = 0.6 * radius * unit[1];
    out[2] = 0.6 * radius * unit[2];
}

typedef struct piece {
    double middle[3], half; // in the cube
    double centre[3];       // in the body
    double moved[3], spin[2];
} piece;

static piece piece_at(uint64_t i, uint64_t side, double time) {
    piece p = {.half = 0.985 / (double)side}; // a crack's width apart
    const uint64_t cell[3] = {i % side, i / side % side, i / side / side};
    for (int k = 0; k < 3; k++) p.middle[k] = (2.0 * (double)cell[k] + 1) / (double)side - 1;
    shape(p.middle, p.centre);
    double away[3], distance = 0.15;
    for (int k = 0; k < 3; k++) away[k] = p.centre[k] - blow_at[k];
    distance += sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]);
    const double since = fmax(time - blow_time, 0), speed = scene_random(20, i, 0.6, 1.6) / distance;
    for (int k = 0; k < 3; k++) {
        const double stray = scene_random(21 + (uint64_t)k, i, -0.9, 0.9);
        p.moved[k] = since * (1.4 * speed * away[k] + stray);
    }
    p.moved[2] += since * (0.8 - 1.1 * since);
    for (int k = 0; k < 2; k++) p.spin[k] = since * scene_random(24 + (uint64_t)k, i, -2, 2) * pi;
    return p;
}

static void piece_map(const void *user, const double unit[3], double out[3]) {
    const piece *p = user;
    double cube[3];
    for (int k = 0; k < 3; k++) cube[k] = p->middle[k] + p->half * unit[k];
    shape(cube, out);
    for (int k = 0; k < 3; k++) out[k] -= p->centre[k];
    scene_turn(p->spin[0], &out[0], &out[1]);
    scene_turn(p->spin[1], &out[1], &out[2]);
    for (int k = 0; k < 3; k++) out[k] += p->centre[k] + p->moved[k];
}

// The body that falls: it is through the surface when the blow comes, and slower from there.
static void fallen_map(const void *user, const double unit[3], double out[3]) {
    const double time = *(const double *)user, radius = 0.42 * lumps(unit, 2.3);
    const double squash = 1 - 0.15 * scene_ease(time, blow_time, blow_time + 0.15);
    const double fall = time < blow_time ? 1.8 - 2.5 * time : 1.05 - 1.1 * (time - blow_time);
    out[0] = blow_at[0] + radius / squash * unit[0];
    out[1] = blow_at[1] + radius * unit[1];
    out[2] = fall + radius * squash * unit[2];
}

static void build_explosion(scene_builder *builder, size_t size, double time) {
    const uint64_t side = size;
    for (uint64_t i = 0; i < side * side * side && builder->status == TOC_OK; i++) {
        const piece p = piece_at(i, side, time);
        scene_group(builder, (int32_t)(i + 2));
        scene_box(builder, (const uint32_t[3]){PIECE_CELLS, PIECE_CELLS, PIECE_CELLS}, piece_map, &p);
    }
    scene_group(builder, 1);
    scene_sphere(builder, (uint32_t)(PIECE_CELLS * size), fallen_map, &time);
}

const scene scene_explosion = {
    .name = "explosion",
    .what = "a body drops onto another, which shatters and flies apart",
    .size_what = "pieces along a side of the body (13: 267K triangles)",
    .size = 7,
    .frames = 30,
    .largest = 400,
    .build = build_explosion,
};
