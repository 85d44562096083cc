// SPDX-License-Identifier: Apache-2.0
// A bar bends and moves down between three soft balls: a motion plan in which few steps have contacts. After the
// bar-and-spheres benchmark of local advancement.
#include <math.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

static const double pi = 3.14159265358979323846;
enum { BALLS = 3, BALL_SPLITS = 3, BAR_LONG = 5, BAR_WIDE = 2 };

typedef struct bar_ball {
    double centre[3], radius, time;
} bar_ball;

static const bar_ball balls[BALLS] = {
    {{-0.66, 0.05, 0.75}, 0.36, 0}, {{0.72, -0.04, 0.05}, 0.38, 0}, {{-0.68, 0.02, -0.7}, 0.36, 0}};

static void bar_ball_map(const void *user, const double unit[3], double out[3]) {
    const bar_ball *b = user;
    const double beat = 0.1 * sin(2 * pi * b->time + 5 * b->centre[2]);
    const double stretch[3] = {1 + beat, 1 - 0.5 * beat, 1 - 0.5 * beat};
    for (int k = 0; k < 3; k++) out[k] = b->centre[k] + b->radius * stretch[k] * unit[k];
    out[0] += 0.06 * sin(3 * b->time + 2 * b->centre[2]);
}

// The bar's middle swings from side to side on its way down, its ends lag behind.
static void bar_map(const void *user, const double unit[3], double out[3]) {
    const double time = *(const double *)user, along = 0.45 * unit[0];
    const double tilt = 0.5 * pi - 0.75 * sin(2 * pi * time + 0.5), bend = 0.9 * sin(4 * pi * time + 0.2);
    const double angle = bend * along;
    const double middle = bend == 0 ? along : sin(angle) / bend, sag = bend == 0 ? 0 : (1 - cos(angle)) / bend;
    const double thick = 0.07 * unit[2];
    out[0] = middle - thick * sin(angle);
    out[1] = 0.09 * unit[1] + 0.011;
    out[2] = sag + thick * cos(angle);
    scene_turn(tilt, &out[0], &out[2]);
    out[0] += 0.33 * cos(2.2 * pi * time - 0.35);
    out[2] += 1.7 - 3.4 * time;
}

static void build_bar(scene_builder *builder, size_t size, double time) {
    const uint32_t n = (uint32_t)size;
    scene_group(builder, 1);
    scene_box(builder, (const uint32_t[3]){BAR_LONG * n, BAR_WIDE * n, BAR_WIDE * n}, bar_map, &time);
    for (int i = 0; i < BALLS; i++) {
        bar_ball b = balls[i];
        b.time = time;
        scene_group(builder, i + 2);
        scene_sphere(builder, BALL_SPLITS * n, bar_ball_map, &b);
    }
}

const scene scene_bar = {
    .name = "bar",
    .what = "a bar bends its way down between three soft balls",
    .size_what = "splits of each edge (1: 636 triangles)",
    .size = 1,
    .frames = 60,
    .largest = 1000,
    .build = build_bar,
};
