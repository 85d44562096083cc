// SPDX-License-Identifier: Apache-2.0
// A car of shells runs into a wall: rails, tubes and panels fold up like concertinas; engine and wheels stay stiff and
// are driven into the folding parts. After the car crash benchmark of VolCCD.
//
// The front folds from the bumper on. A folded line is an elastica: its direction swings from side to side as a cosine
// of the length, by an angle that grows to more than a right angle, so folds overhang and touch; the length of the line
// stays. The parts behind the front keep their shape.
#include <math.h>
#include <stdlib.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

static const double pi = 3.14159265358979323846;
static const double car_length = 4.3;

// ---- folding

enum { SAMPLES = 2048 };

// Where a line along the car is after a length from the front: how far back, and how far to the side.
typedef struct folded {
    double wave; // length of a fold
    double back[SAMPLES + 1], aside[SAMPLES + 1];
} folded;

// Folds of four lengths, for parts that fold on their own, and where the front of the car is.
enum { NARROW, SQUARE, WIDE, STRAIGHT, FOLDS };
typedef struct crash {
    double cells; // a metre
    double front; // x of the bumper
    folded *folds;
} crash;

// The fold front goes back from the bumper once that is at the wall.
static double swing(double time, double along) {
    const double front = 0.8 * scene_ease(time, 0.04, 1.05);
    return 2.3 * scene_ease(front - along, 0, 0.3);
}

static void fold_car(folded *f, double wave, double time) {
    const double step = car_length / SAMPLES;
    double back = 0, aside = 0;
    f->wave = wave;
    for (int i = 0; i <= SAMPLES; i++) {
        const double along = i * step, most = swing(time, along);
        // A straight line gets as much shorter as a folded one does on average.
        const double angle = wave > 0 ? most * cos(2 * pi * along / wave) : 0;
        f->back[i] = back;
        f->aside[i] = aside * fmin(most, 1); // none where there is no fold
        back += step * (wave > 0 ? cos(angle) : j0(most));
        aside += step * sin(angle);
    }
}

static double sample(const double *table, double along) {
    const double at = fmin(fmax(along / car_length, 0), 1) * SAMPLES;
    const int i = at < SAMPLES ? (int)at : SAMPLES - 1;
    return table[i] + (at - i) * (table[i + 1] - table[i]);
}

// A point `along` behind the bumper, its part folding along the normal.
static void crush(const crash *c, int fold_kind, double along, const double normal[3], double out[3]) {
    const folded *f = &c->folds[fold_kind];
    const double aside = sample(f->aside, along);
    out[0] = c->front + sample(f->back, along);
    for (int k = 1; k < 3; k++) out[k] += aside * normal[k];
}

// The distance of a stiff part's front from the bumper: the parts behind push it forward, and the wall holds it.
static double push(const crash *c, double front, double rear) {
    return fmax(sample(c->folds[STRAIGHT].back, rear) - (rear - front), 0.004);
}

// ---- parts

// A box-like tube along the car with rounded edges, or a sheet: all measures in metres, x behind the bumper.
typedef struct car_part {
    const crash *crash;
    double from[3], to[3]; // opposite corners
    int fold;
} car_part;

// A point of a square with rounded corners, 0 to 1 around, and its normal.
static void around_square(double u, double out[2], double normal[2]) {
    const double angle = 2 * pi * u, c = cos(angle), s = sin(angle);
    const double length = pow(pow(fabs(c), 8) + pow(fabs(s), 8), 1.0 / 8);
    out[0] = c / length;
    out[1] = s / length;
    normal[0] = pow(fabs(out[0]), 7) * (c < 0 ? -1 : 1);
    normal[1] = pow(fabs(out[1]), 7) * (s < 0 ? -1 : 1);
    const double size = hypot(normal[0], normal[1]);
    for (int k = 0; k < 2; k++) normal[k] /= size;
}

static double between(double a, double b, double t) { return a + (b - a) * t; }

static void tube_map(const void *user, const double unit[3], double out[3]) {
    const car_part *p = user;
    double square[2], normal[3] = {0, 0, 0};
    around_square(unit[0], square, normal + 1);
    for (int k = 1; k < 3; k++) out[k] = between(p->from[k], p->to[k], 0.5 + 0.5 * square[k - 1]);
    crush(p->crash, p->fold, between(p->from[0], p->to[0], unit[1]), normal, out);
}

// Height of the car's upper side: hood, windscreen, roof, rear window, boot.
static double roof(double along) {
    return 0.86 + 0.08 * scene_ease(along, 0, 1.2) + 0.5 * scene_ease(along, 1.25, 2.0) -
           0.42 * scene_ease(along, 3.1, 3.9);
}

// Sides lean inward above the waist.
static void car_body_map(const void *user, const double unit[3], double out[3]) {
    const car_part *p = user;
    double square[2], normal[3] = {0, 0, 0};
    around_square(unit[0], square, normal + 1);
    const double along = between(p->from[0], p->to[0], unit[1]), top = roof(along) + p->to[2];
    out[2] = between(p->from[2], top, 0.5 + 0.5 * square[1]);
    const double lean = 1 - 0.3 * scene_ease(out[2], 0.85, 1.6), nose = 1 - 0.12 * scene_ease(0.5 - along, 0, 0.5);
    out[1] = p->to[1] * square[0] * lean * nose;
    crush(p->crash, p->fold, along, normal, out);
}

// Sheets that lie along the car fold upward or sideways, those across it keep their shape.
static void floor_map(const void *user, const double unit[3], double out[3]) {
    const car_part *p = user;
    out[1] = between(p->from[1], p->to[1], unit[0]);
    out[2] = p->from[2] + (p->to[2] > 1 ? roof(between(p->from[0], p->to[0], unit[1])) - 0.08 : 0);
    crush(p->crash, p->fold, between(p->from[0], p->to[0], unit[1]), (const double[3]){0, 0, 1}, out);
}

static void side_map(const void *user, const double unit[3], double out[3]) {
    const car_part *p = user;
    out[1] = p->from[1];
    out[2] = between(p->from[2], p->to[2], unit[0]);
    crush(p->crash, p->fold, between(p->from[0], p->to[0], unit[1]), (const double[3]){0, 1, 0}, out);
}

static void across_map(const void *user, const double unit[3], double out[3]) {
    const car_part *p = user;
    out[1] = between(p->from[1], p->to[1], unit[0]);
    out[2] = between(p->from[2], p->to[2], unit[1]);
    const double dish = 0.05 * (1 - pow(2 * unit[0] - 1, 2)) * (1 - pow(2 * unit[1] - 1, 2));
    crush(p->crash, STRAIGHT, p->from[0] - dish, (const double[3]){0, 0, 0}, out);
}

// A beam from side to side.
static void beam_map(const void *user, const double unit[3], double out[3]) {
    const car_part *p = user;
    double square[2], normal[2];
    around_square(unit[0], square, normal);
    out[1] = between(p->from[1], p->to[1], unit[1]);
    out[2] = between(p->from[2], p->to[2], 0.5 + 0.5 * square[1]);
    crush(p->crash, STRAIGHT, p->from[0], (const double[3]){0, 0, 0}, out);
    out[0] += (p->to[0] - p->from[0]) * (0.5 + 0.5 * square[0]);
}

static void engine_map(const void *user, const double unit[3], double out[3]) {
    const car_part *p = user;
    for (int k = 1; k < 3; k++) out[k] = between(p->from[k], p->to[k], 0.5 + 0.5 * unit[k]);
    out[0] = p->crash->front + push(p->crash, p->from[0], p->to[0]) + (p->to[0] - p->from[0]) * (0.5 + 0.5 * unit[0]);
}

static void wheel_map(const void *user, const double unit[3], double out[3]) {
    const car_part *p = user;
    const double across = 2 * pi * unit[0], around = 2 * pi * unit[1] + 3 * p->crash->front;
    const double radius = p->to[2] * (0.72 + 0.28 * cos(across));
    out[1] = p->from[1] + p->to[1] * sin(across);
    out[0] = p->crash->front + push(p->crash, p->from[0] - p->to[2], p->from[0]) + p->to[2] + radius * cos(around);
    out[2] = p->from[2] + radius * sin(around);
}

static void wall_map(const void *user, const double unit[3], double out[3]) {
    const car_part *p = user;
    out[0] = p->from[0];
    out[1] = between(p->from[1], p->to[1], unit[0]);
    out[2] = between(p->from[2], p->to[2], unit[1]);
}

static uint32_t cells_for(const crash *c, double length) {
    const double cells = ceil(c->cells * length);
    return cells < 3 ? 3 : (uint32_t)cells;
}

// The number of cells follows from the two lengths of the sheet.
static void add_car_part(scene_builder *builder, car_part p, const crash *c, double wide, double lengthwise,
                         scene_joined joined, scene_map *map) {
    p.crash = c;
    const uint32_t cells[2] = {cells_for(c, wide), cells_for(c, lengthwise)};
    scene_sheet(builder, cells, joined, map, &p);
}

static void add_panels(scene_builder *builder, const crash *c) {
    scene_group(builder, 1);
    scene_thickness(builder, 0.0008);
    const car_part skin = {.from = {0.02, 0, 0.30}, .to = {car_length, 0.84, 0}, .fold = WIDE};
    add_car_part(builder, skin, c, 4.6, car_length, SCENE_TUBE, car_body_map);
    scene_group(builder, 2);
    const car_part hood = {.from = {0.10, -0.6, 0}, .to = {1.15, 0.6, 2}, .fold = SQUARE};
    add_car_part(builder, hood, c, 1.2, 1.05, SCENE_FLAT, floor_map);
    const car_part floor = {.from = {1.32, -0.7, 0.40}, .to = {4.0, 0.7, 0}, .fold = WIDE};
    add_car_part(builder, floor, c, 1.4, 2.7, SCENE_FLAT, floor_map);
    for (int side = -1; side <= 1; side += 2) {
        const car_part door = {.from = {1.40, side * 0.74, 0.46}, .to = {3.2, 0, 0.9}, .fold = WIDE};
        add_car_part(builder, door, c, 0.44, 1.8, SCENE_FLAT, side_map);
        const car_part wing = {.from = {0.12, side * 0.68, 0.46}, .to = {1.24, 0, 0.74}, .fold = SQUARE};
        add_car_part(builder, wing, c, 0.28, 1.12, SCENE_FLAT, side_map);
    }
    const car_part ends[] = {{.from = {0.06, -0.55, 0.42}, .to = {0, 0.55, 0.74}},
                             {.from = {1.28, -0.66, 0.42}, .to = {0, 0.66, 0.86}},
                             {.from = {4.26, -0.6, 0.40}, .to = {0, 0.6, 0.9}}};
    for (int i = 0; i < 3; i++) {
        add_car_part(builder, ends[i], c, ends[i].to[1] - ends[i].from[1], ends[i].to[2] - ends[i].from[2], SCENE_FLAT,
                     across_map);
    }
}

static void add_frame(scene_builder *builder, const crash *c) {
    scene_group(builder, 3);
    scene_thickness(builder, 0.002);
    for (int side = -1; side <= 1; side += 2) {
        const car_part rail = {
            .from = {0.24, side * 0.45 - 0.05, 0.50}, .to = {1.2, side * 0.45 + 0.05, 0.62}, .fold = NARROW};
        add_car_part(builder, rail, c, 0.44, 0.96, SCENE_TUBE, tube_map);
        const car_part sill = {
            .from = {1.36, side * 0.6 - 0.05, 0.44}, .to = {3.9, side * 0.6 + 0.05, 0.54}, .fold = WIDE};
        add_car_part(builder, sill, c, 0.4, 2.5, SCENE_TUBE, tube_map);
        const car_part upper = {
            .from = {0.24, side * 0.58 - 0.03, 0.64}, .to = {1.2, side * 0.58 + 0.03, 0.70}, .fold = NARROW};
        add_car_part(builder, upper, c, 0.24, 0.96, SCENE_TUBE, tube_map);
    }
    const car_part beams[] = {{.from = {0.12, -0.6, 0.50}, .to = {0.20, 0.6, 0.62}},
                              {.from = {1.9, -0.5, 1.26}, .to = {1.97, 0.5, 1.31}},
                              {.from = {2.6, -0.5, 1.30}, .to = {2.67, 0.5, 1.35}},
                              {.from = {2.4, -0.5, 0.46}, .to = {2.5, 0.5, 0.56}}};
    for (int i = 0; i < 4; i++) add_car_part(builder, beams[i], c, 0.36, 1.1, SCENE_TUBE, beam_map);
}

static void add_stiff_parts(scene_builder *builder, const crash *c) {
    scene_group(builder, 4);
    const car_part engine = {.crash = c, .from = {0.58, -0.3, 0.44}, .to = {0.86, 0.3, 0.72}};
    const uint32_t cells[3] = {cells_for(c, 0.28), cells_for(c, 0.6), cells_for(c, 0.28)};
    scene_box(builder, cells, engine_map, &engine);
    for (int i = 0; i < 4; i++) {
        const car_part wheel = {.from = {i / 2 ? 3.45 : 0.8, i % 2 ? -0.98 : 0.98, 0.30}, .to = {0, 0.09, 0.31}};
        add_car_part(builder, wheel, c, 0.55, 1.6, SCENE_TORUS, wheel_map);
    }
    scene_group(builder, 5);
    const car_part wall = {.from = {0, -1.3, -0.1}, .to = {0, 1.3, 1.7}};
    add_car_part(builder, wall, c, 2.6, 1.8, SCENE_FLAT, wall_map);
}

// Folds of a few cells at least: coarse shells cannot follow shorter ones.
static void build_car(scene_builder *builder, size_t size, double time) {
    crash c = {.cells = (double)size, .folds = malloc(FOLDS * sizeof *c.folds)};
    if (!c.folds) {
        builder->status = TOC_OUT_OF_MEMORY;
        return;
    }
    const double waves[FOLDS] = {[NARROW] = 0.12, [SQUARE] = 0.2, [WIDE] = 0.33}, least = 7 / c.cells;
    for (int i = 0; i < FOLDS; i++) fold_car(&c.folds[i], i == STRAIGHT ? 0 : fmax(waves[i], least), time);
    c.front = 0.012 + 0.22 * (1 - fmin(time / 0.12, 1));
    add_panels(builder, &c);
    add_frame(builder, &c);
    add_stiff_parts(builder, &c);
    free(c.folds);
}

const scene scene_car = {
    .name = "car",
    .what = "a car of shells runs into a wall: rails, tubes and panels fold up",
    .size_what = "shells a metre (16: 11.6K shells, 165: 1.2M)",
    .size = 16,
    .frames = 80,
    .largest = 4000,
    .build = build_car,
};
