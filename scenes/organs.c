// SPDX-License-Identifier: Apache-2.0
// A beating heart is taken out from between breathing lungs, past a liver and a spine: close neighbours in every step,
// contacts in a few. In the manner of the human-organs benchmark of local advancement.
#include <math.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

static const double pi = 3.14159265358979323846;

static double breath(double time) { return 0.5 - 0.5 * cos(4 * pi * time); }

// The heart: pointed below, cleft above; it swerves on its way out along -y.
static void heart_map(const void *user, const double unit[3], double out[3]) {
    const double time = *(const double *)user, beat = 1 + 0.05 * sin(20 * pi * time);
    const double cleft = 0.22 * exp(-18 * unit[0] * unit[0]) * fmax(unit[2], 0);
    const double wide = 1 + 0.3 * unit[2];
    out[0] = 0.27 * beat * wide * unit[0];
    out[1] = 0.22 / beat * wide * unit[1];
    out[2] = 0.34 * (unit[2] - cleft - 0.075 * (1 - unit[2]) * (1 - unit[2]));
    scene_turn(0.5 * scene_ease(time, 0.1, 0.7), &out[0], &out[2]);
    out[0] += 0.03 - 0.32 * sin(1.4 * pi * scene_ease(time, 0.2, 1));
    out[1] -= 1.3 * scene_ease(time, 0.35, 1);
    out[2] += 0.02 + 0.25 * scene_ease(time, 0.4, 1);
}

typedef struct lung {
    double side, time; // side -1 or 1
} lung;

// A lung: hollow at the heart, and further forward than the heart.
static void lung_map(const void *user, const double unit[3], double out[3]) {
    const lung *l = user;
    const double full = 1 + 0.07 * breath(l->time), inner = fmax(-unit[0] * l->side, 0);
    const double hollow = 0.5 * inner * exp(-4 * unit[1] * unit[1] - 3 * unit[2] * unit[2]);
    out[0] = l->side * 0.72 + 0.34 * full * unit[0] * (1 - hollow) + 0.05 * l->side * unit[2];
    out[1] = 0.42 * full * unit[1] - 0.12 + 0.05 * unit[0] * unit[2];
    out[2] = 0.78 * unit[2] * (1 + 0.03 * breath(l->time)) + 0.1;
}

// The liver: a wedge, thick on one side, that the breath pushes down.
static void liver_map(const void *user, const double unit[3], double out[3]) {
    const double time = *(const double *)user, thick = 0.2 * (1.2 + 0.6 * unit[0]);
    out[0] = 0.2 + 0.75 * unit[0];
    out[1] = -0.15 + 0.4 * unit[1];
    out[2] = -0.97 + thick * unit[2] - 0.06 * breath(time) + 0.04 * sin(5 * unit[0] + 2 * unit[1]);
}

static void spine_map(const void *user, const double unit[3], double out[3]) {
    const double time = *(const double *)user, z = 1.35 * unit[2];
    const double round = sqrt(fmax(1 - unit[2] * unit[2], 0)), around = round > 0 ? 1 / round : 0;
    const double thick = 0.13 * pow(round, 0.3) * (1 + 0.18 * sin(22 * z));
    out[0] = thick * unit[0] * around + 0.04 * sin(2 * pi * time) * z;
    out[1] = 0.46 + thick * unit[1] * around + 0.07 * cos(2 * z);
    out[2] = z;
}

static void build_organs(scene_builder *builder, size_t size, double time) {
    const uint32_t n = (uint32_t)(2 * size);
    scene_group(builder, 1);
    scene_sphere(builder, n, heart_map, &time);
    for (int i = 0; i < 2; i++) {
        const lung l = {2 * i - 1, time};
        scene_group(builder, 2 + i);
        scene_sphere(builder, n, lung_map, &l);
    }
    scene_group(builder, 4);
    scene_sphere(builder, n, liver_map, &time);
    scene_group(builder, 5);
    scene_sphere(builder, n, spine_map, &time);
}

const scene scene_organs = {
    .name = "organs",
    .what = "a beating heart is taken out from between lungs, liver and spine",
    .size_what = "half the splits of an edge; 400 triangles times its square",
    .size = 6,
    .frames = 60,
    .largest = 1000,
    .build = build_organs,
};
