// SPDX-License-Identifier: Apache-2.0
// A square cloth falls onto a turning ball, drapes over it in folds, and is pulled into the ball in the end: contacts
// of cloth and ball, and of the cloth with itself. In the manner of the UNC cloth-ball benchmark, with a prescribed
// motion instead of a simulation.
#include <math.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

static const double pi = 3.14159265358979323846;
static const double ball_radius = 0.5;
enum { FOLDS = 9 };

static double ball_turn(double time) { return 1.1 * scene_ease(time, 0.25, 1.0); }

static void cloth_ball_map(const void *user, const double unit[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = ball_radius * unit[k];
    scene_turn(ball_turn(*(const double *)user), &out[0], &out[1]);
}

// The distance of the resting cloth from the ball: the cloth comes down, then waves push it in.
static double gap(double time, double x, double y) {
    const double wave = sin(7 * x - 9 * time) * cos(6 * y + 4 * time);
    return 0.3 * (1 - scene_ease(time, 0, 0.4)) + 0.007 + 0.009 * wave;
}

// The cloth lies on a ball up to the angle `held`, and hangs straight down its tangent from there. The surplus of the
// hanging part around the ball forms folds.
static void drape(double time, double x, double y, double out[3]) {
    const double radius = ball_radius + gap(time, x, y);
    const double held = 0.52 * pi * scene_ease(time, 0.15, 0.85);
    const double along = hypot(x, y), on_ball = fmin(along, radius * held), hanging = along - on_ball;
    const double angle = on_ball / radius;
    double out_from_axis = radius * sin(angle) + hanging * cos(angle);
    const double loose = scene_ease(hanging, 0, 0.5), spare = fmax(along - out_from_axis, 0);
    const double deep = 2.4 * sqrt(out_from_axis * spare) / FOLDS * loose;
    double around = atan2(y, x) + ball_turn(time) * exp(-along * along / 0.7);
    out_from_axis += deep * (1.1 + cos(FOLDS * around));
    around += 0.6 * sin(2 * FOLDS * around + 0.4) / FOLDS * loose * scene_ease(time, 0.5, 1.0);
    out[0] = out_from_axis * cos(around);
    out[1] = out_from_axis * sin(around);
    out[2] = radius * cos(angle) - hanging * sin(angle);
}

// Off centre, so that no vertex meets the ball by symmetry.
static void falling_cloth_map(const void *user, const double unit[3], double out[3]) {
    drape(*(const double *)user, 2 * unit[0] - 1 + 0.013, 2 * unit[1] - 1 - 0.007, out);
}

static void build_cloth_ball(scene_builder *builder, size_t size, double time) {
    scene_group(builder, 1);
    scene_triangle_sheet(builder, (const uint32_t[2]){(uint32_t)size, (uint32_t)size}, SCENE_FLAT, falling_cloth_map,
                         &time);
    scene_group(builder, 2);
    scene_sphere(builder, (uint32_t)(size / 4 + 2), cloth_ball_map, &time);
}

const scene scene_cloth_ball = {
    .name = "cloth-ball",
    .what = "a cloth falls onto a turning ball and drapes over it in folds",
    .size_what = "cells along a side of the cloth",
    .size = 60,
    .frames = 25,
    .largest = 10000,
    .build = build_cloth_ball,
};
