// SPDX-License-Identifier: Apache-2.0
// An airbag of shells unfolds over a steering wheel: pleats that swell press against each other, then the cushion
// lies down on rim, spokes and hub. In the manner of the airbag benchmark of VolCCD.
//
// The bag is two square sheets that share their rims, bent to disks. The pleats are a curve whose direction swings from
// side to side, so that they unfold without stretching.
#include <math.h>
#include <stdlib.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

static const double pi = 3.14159265358979323846;
static const double cloth = 0.002; // thickness
enum { PLEATS = 8 };

// A point of the pleated line, and its normal.
typedef struct pleat {
    double x, z, normal[2];
} pleat;

typedef struct bag {
    uint32_t n; // cells along a side
    uint32_t first;
    double time;
    const pleat *pleats; // n + 1 of them
} bag;

// The angle by which the direction of the cloth swings from flat.
static double swing(double time) { return 1.42 * (1 - scene_ease(time, 0.05, 0.75)); }

static void fold_airbag(uint32_t n, double time, pleat *out) {
    const double most = swing(time), tight = tanh(2.5);
    double x = 0, z = 0;
    for (uint32_t i = 0; i <= n; i++) {
        const double angle = most * tanh(2.5 * sin(PLEATS * pi * i / n)) / tight;
        out[i] = (pleat){x, z, {-sin(angle), cos(angle)}};
        x += 2.0 / n * cos(angle);
        z += 2.0 / n * sin(angle);
    }
    for (uint32_t i = 0; i <= n; i++) out[i].x -= 0.5 * x;
}

// Half the room between the sheets, above and below. It swells a little earlier than the pleats open.
static double room(double time, double u, double v, double side) {
    const double rounded = sqrt((1 - u * u) * (1 - v * v));
    const double early = 0.07 * scene_ease(time, 0, 0.3), full = scene_ease(time, 0.35, 1);
    return rounded * (0.006 + early * (1 - full) + (side > 0 ? 0.62 : 0.13) * full);
}

static void place_airbag(const bag *b, uint32_t i, uint32_t j, double side, double out[3]) {
    const double u = 2.0 * i / b->n - 1, v = 2.0 * j / b->n - 1;
    const double away = side * room(b->time, u, v, side), narrow = 1 - 0.14 * scene_ease(b->time, 0.4, 1);
    const pleat *p = &b->pleats[i];
    out[0] = narrow * (p->x + away * p->normal[0]) * sqrt(1 - 0.45 * v * v);
    out[1] = narrow * (0.6 + 0.4 * scene_ease(b->time, 0.1, 0.7)) * v * sqrt(1 - 0.45 * u * u);
    out[2] = p->z + away * p->normal[1] + 0.03 - 0.06 * scene_ease(b->time, 0.5, 1);
}

// The upper sheet is a whole grid, the lower one takes its rim from it.
static uint32_t vertex(const bag *b, uint32_t i, uint32_t j, bool lower) {
    const uint32_t n = b->n, row = n + 1;
    if (!lower || i == 0 || j == 0 || i == n || j == n) return b->first + i + row * j;
    return b->first + row * row + (i - 1) + (n - 1) * (j - 1);
}

// At the corners of the rim a quad would be split along a diagonal that both sheets share: two triangles instead.
static void add_airbag_cell(scene_builder *builder, const bag *b, uint32_t i, uint32_t j, bool lower) {
    const uint32_t a = vertex(b, i, j, lower), c = vertex(b, i + 1, j + 1, lower);
    const uint32_t right = vertex(b, i + !lower, j + lower, lower), left = vertex(b, i + lower, j + !lower, lower);
    if ((i == 0 && j + 1 == b->n) || (j == 0 && i + 1 == b->n)) {
        scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){a, right, left});
        scene_element(builder, TOC_TRIANGLE, (uint32_t[3]){right, c, left});
    } else {
        scene_element(builder, TOC_QUAD, (uint32_t[4]){a, right, c, left});
    }
}

static void add_bag(scene_builder *builder, bag *b) {
    const uint32_t n = b->n;
    b->first = builder->vertices;
    for (uint32_t lower = 0; lower < 2; lower++)
        for (uint32_t j = lower; j <= n - lower && builder->status == TOC_OK; j++)
            for (uint32_t i = lower; i <= n - lower; i++) {
                double at[3];
                place_airbag(b, i, j, lower ? -1 : 1, at);
                scene_vertex(builder, at[0], at[1], at[2]);
            }
    for (uint32_t lower = 0; lower < 2; lower++)
        for (uint32_t j = 0; j < n && builder->status == TOC_OK; j++)
            for (uint32_t i = 0; i < n; i++) add_airbag_cell(builder, b, i, j, lower);
}

// ---- the wheel

static const double rim_radius = 0.72, rim_thick = 0.07, wheel_height = -0.16;

static void rim_map(const void *user, const double unit[3], double out[3]) {
    (void)user;
    const double around = 2 * pi * unit[1] + 0.01, across = 2 * pi * unit[0];
    const double radius = rim_radius + rim_thick * cos(across);
    out[0] = radius * cos(around);
    out[1] = radius * sin(around);
    out[2] = wheel_height + rim_thick * sin(across);
}

static void spoke_map(const void *user, const double unit[3], double out[3]) {
    const double around = 2 * pi * unit[0], along = 0.24 + (rim_radius - rim_thick - 0.26) * unit[1];
    out[0] = along;
    out[1] = 0.05 * cos(around);
    out[2] = wheel_height - 0.1 * (1 - unit[1]) + 0.03 * sin(around);
    scene_turn(pi / 6 + 2 * pi / 3 * *(const int *)user, &out[0], &out[1]);
}

static void hub_map(const void *user, const double unit[3], double out[3]) {
    (void)user;
    const double x = 2 * unit[0] - 1, y = 2 * unit[1] - 1;
    out[0] = 0.22 * x * sqrt(1 - 0.45 * y * y);
    out[1] = 0.22 * y * sqrt(1 - 0.45 * x * x);
    out[2] = wheel_height - 0.02 - 0.09 * (x * x + y * y);
}

static uint32_t at_least(uint32_t least, uint32_t count) { return count < least ? least : count; }

static void add_wheel(scene_builder *builder, uint32_t n) {
    scene_group(builder, 2);
    scene_thickness(builder, 5 * cloth);
    scene_sheet(builder, (const uint32_t[2]){at_least(3, 3 * n / 16), at_least(6, 15 * n / 16)}, SCENE_TORUS, rim_map,
                NULL);
    for (int spoke = 0; spoke < 3; spoke++) {
        scene_sheet(builder, (const uint32_t[2]){at_least(3, n / 8), at_least(1, 3 * n / 32)}, SCENE_TUBE, spoke_map,
                    &spoke);
    }
    const uint32_t hub = at_least(1, n / 10);
    scene_sheet(builder, (const uint32_t[2]){hub, hub}, SCENE_FLAT, hub_map, NULL);
}

static void build_airbag(scene_builder *builder, size_t size, double time) {
    const uint32_t n = (uint32_t)(size < 2 ? 2 : size);
    pleat *pleats = malloc((n + 1) * sizeof *pleats);
    if (!pleats) {
        builder->status = TOC_OUT_OF_MEMORY;
        return;
    }
    fold_airbag(n, time, pleats);
    scene_group(builder, 1);
    scene_thickness(builder, cloth);
    add_bag(builder, &(bag){.n = n, .time = time, .pleats = pleats});
    free(pleats);
    add_wheel(builder, n);
}

const scene scene_airbag = {
    .name = "airbag",
    .what = "an airbag of shells unfolds over a steering wheel",
    .size_what = "cells along a side of the bag (64: 9.1K shells)",
    .size = 64,
    .frames = 80,
    .largest = 10000,
    .build = build_airbag,
};
