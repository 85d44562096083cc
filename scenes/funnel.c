// SPDX-License-Identifier: Apache-2.0
// A square cloth sinks into a resting funnel and slides down into its neck. The wall takes up less and less of the
// cloth around the axis: the surplus forms folds, which lean over and press against each other and the wall.
#include <math.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

static const double pi = 3.14159265358979323846;
enum { FOLDS = 13 };
static const double neck_radius = 0.2, neck_length = 0.6, cone_length = 1.5, half_opening = 0.75; // angle in radians
static const double cloth_half = 0.78;

// The wall at a length along its meridian, 0 where the neck becomes the cone. The passage is rounded.
static void funnel_wall(double along, double *radius, double *height) {
    const double round = 0.08, up = 0.5 * (along + hypot(along, round));
    *radius = neck_radius + sin(half_opening) * up;
    *height = along - up + cos(half_opening) * up;
}

static void funnel_map(const void *user, const double unit[3], double out[3]) {
    const double angle = 2 * pi * unit[0];
    double radius;
    (void)user;
    funnel_wall(unit[1] * (neck_length + cone_length) - neck_length, &radius, &out[2]);
    out[0] = radius * cos(angle);
    out[1] = radius * sin(angle);
}

// Where a point of the cloth would be without folds, and the surplus around the axis that folds take up.
typedef struct sunk_point {
    double radius, height, spare;
    double share; // of the spanned part, up to 1 at the wall
} sunk_point;

// The cloth spans the funnel where the wall is as wide as the cloth is far out, and follows the wall from there.
static sunk_point sink_smoothly(double time, double far) {
    const double edge = 1.2 - 1.75 * scene_ease(time, 0, 1.1); // of the spanned part, along the wall
    double span, level;
    sunk_point p = {.radius = far};
    funnel_wall(edge, &span, &level);
    p.share = fmin(far / span, 1);
    p.height = level - 0.12 * span * (1 - p.share * p.share); // it sags
    if (far <= span) return p;
    funnel_wall(edge + far - span, &p.radius, &p.height);
    p.spare = sqrt(fmax(far * far - p.radius * p.radius, 0));
    return p;
}

// Folds are waves across the wall. Their widths differ; the more surplus, the more they widen at the wall and lean.
static void sink_in_folds(double time, double x, double y, double out[3]) {
    const double far = hypot(x, y), angle = atan2(y, x);
    const sunk_point p = sink_smoothly(time, far);
    const double deep = fmin(0.5 * pi / FOLDS * p.spare, 0.46 * p.radius), crowd = scene_ease(p.spare, 0.2, 0.9);
    const double phase = FOLDS * angle + 0.5 * sin(3 * angle + 0.4) + 0.4 * sin(5 * angle - 1);
    const double gap = 0.0114 + 0.0125 * sin(11 * angle + 9 * far - 14 * time); // less than 0 presses on the wall
    const double radius = p.radius - gap * p.share - deep * (1 + cos(phase));
    const double around = angle + crowd * (2.45 * sin(2 * phase) + 0.8 * cos(phase)) / FOLDS;
    out[0] = radius * cos(around);
    out[1] = radius * sin(around);
    out[2] = p.height + 0.3 * deep;
}

// Off centre, so that no vertex meets the wall by symmetry.
static void sinking_cloth_map(const void *user, const double unit[3], double out[3]) {
    sink_in_folds(*(const double *)user, cloth_half * (2 * unit[0] - 1) + 0.013, cloth_half * (2 * unit[1] - 1) - 0.007,
                  out);
}

static void build_funnel(scene_builder *builder, size_t size, double time) {
    const uint32_t n = (uint32_t)size;
    scene_group(builder, 1);
    scene_triangle_sheet(builder, (const uint32_t[2]){n, n}, SCENE_FLAT, sinking_cloth_map, &time);
    scene_group(builder, 2);
    scene_triangle_sheet(builder, (const uint32_t[2]){13 * n / 16 + 3, n / 2 + 1}, SCENE_TUBE, funnel_map, NULL);
}

const scene scene_funnel = {
    .name = "funnel",
    .what = "a cloth slides into a funnel, in folds that press against each other",
    .size_what = "cells along a side of the cloth (80: 18K triangles)",
    .size = 40,
    .frames = 50,
    .largest = 10000,
    .build = build_funnel,
};
