// SPDX-License-Identifier: Apache-2.0
// Three octopi of tetrahedra wave their 24 tentacles, reach for each other and curl up, so that tentacles touch those
// of the neighbours and themselves. In the manner of the octopi benchmark of VolCCD.
//
// An octopus is a lattice: a base of 5w x 5w x w cells bent to a disk, a head of 3w x 3w cells on it, and eight
// tentacles, w x w cells across, that grow out of the base's sides.
#include <math.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

static const double pi = 3.14159265358979323846;
static const double base_height = 0.4, head_height = 1.3, tentacle_length = 3.1;

typedef struct octopus {
    uint32_t w;
    uint32_t base, head, tentacles; // first vertices
    int which;
    double time;
    double centre[3], turn;
} octopus;

static uint32_t head_layers(uint32_t w) { return 3 * w / 2; }
static uint32_t tentacle_rings(uint32_t w) { return 21 * w / 2; }

static void place_octopus(const octopus *o, double out[3]) {
    scene_turn(o->turn, &out[0], &out[1]);
    for (int k = 0; k < 3; k++) out[k] += o->centre[k];
}

// A lattice point of base or head, before the octopus is placed. The square becomes nearly a disk: the corners of a
// full disk would be flat.
static void shape_body(const octopus *o, uint32_t x, uint32_t y, uint32_t z, double out[3]) {
    const double u = 2.0 * x / (5 * o->w) - 1, v = 2.0 * y / (5 * o->w) - 1;
    const double up = fmax(0, ((double)z - o->w) / head_layers(o->w));
    const double breath = 1 + 0.05 * sin(4 * pi * o->time + o->which) * up,
                 bulge = (1 + 1.6 * up - 1.9 * up * up) * breath;
    const double lean = 0.35 * up * up * sin(2 * pi * o->time + 2 * o->which);
    out[0] = bulge * u * sqrt(1 - 0.4 * v * v) + lean;
    out[1] = bulge * v * sqrt(1 - 0.4 * u * u);
    out[2] = base_height * fmin((double)z / o->w, 1) + head_height * up;
}

// Vertices of the body are counted layer by layer, those of the head without the layer it shares with the base.
static uint32_t body_vertex(const octopus *o, uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t w = o->w, row = 5 * w + 1, head_row = 3 * w + 1;
    if (z <= w) return o->base + x + row * (y + row * z);
    return o->head + (x - w) + head_row * ((y - w) + head_row * (z - w - 1));
}

static void add_body_layer(scene_builder *builder, const octopus *o, uint32_t z) {
    const uint32_t low = z <= o->w ? 0 : o->w, high = 5 * o->w - low;
    for (uint32_t y = low; y <= high; y++)
        for (uint32_t x = low; x <= high; x++) {
            double at[3];
            shape_body(o, x, y, z, at);
            place_octopus(o, at);
            scene_vertex(builder, at[0], at[1], at[2]);
        }
}

static void add_body_cells(scene_builder *builder, const octopus *o, uint32_t z) {
    const uint32_t low = z < o->w ? 0 : o->w, high = 5 * o->w - low;
    for (uint32_t y = low; y < high; y++)
        for (uint32_t x = low; x < high; x++) {
            uint32_t cell[8];
            for (uint32_t c = 0; c < 8; c++) cell[c] = body_vertex(o, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
            scene_cell(builder, TOC_TET, cell);
        }
}

// ---- tentacles: two on each side of the base

// The lattice point of the base where point (across, up) of a tentacle's root is.
static void root_point(uint32_t w, int tentacle, uint32_t across, uint32_t xy[2]) {
    const uint32_t side = 5 * w, a = (tentacle % 2 ? 3 * w : w) + across;
    const uint32_t points[4][2] = {{side, a}, {side - a, side}, {0, side - a}, {a, 0}};
    xy[0] = points[tentacle / 2][0];
    xy[1] = points[tentacle / 2][1];
}

static uint32_t tentacle_vertex(const octopus *o, int tentacle, uint32_t ring, uint32_t across, uint32_t up) {
    uint32_t xy[2];
    root_point(o->w, tentacle, across, xy);
    if (ring == 0) return body_vertex(o, xy[0], xy[1], up);
    const uint32_t row = o->w + 1, before = (uint32_t)tentacle * tentacle_rings(o->w) + ring - 1;
    return o->tentacles + across + row * (up + row * before);
}

// The middle of a ring, and its axes: along the tentacle, across, up.
typedef struct ring {
    double middle[3], along[3], across[3], up[3];
} ring;

static void turn_axes(double angle, double a[3], double b[3]) {
    for (int k = 0; k < 3; k++) scene_turn(angle, &a[k], &b[k]);
}

static ring root_of(const octopus *o, int tentacle) {
    ring r = {.up = {0, 0, 1}};
    double ends[2][3];
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t xy[2];
        root_point(o->w, tentacle, i * o->w, xy);
        shape_body(o, xy[0], xy[1], 0, ends[i]);
    }
    for (int k = 0; k < 2; k++) r.middle[k] = 0.5 * (ends[0][k] + ends[1][k]);
    r.middle[2] = 0.5 * base_height;
    const double length = hypot(ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]);
    for (int k = 0; k < 2; k++) r.across[k] = (ends[1][k] - ends[0][k]) / length;
    r.along[0] = r.across[1];
    r.along[1] = -r.across[0];
    return r;
}

// Bend the tentacle between two rings and advance: it droops at first, reaches out later, curls at the tip, and waves
// all the time.
static void advance(const octopus *o, int tentacle, double s, double step, ring *r) {
    const double reach = scene_ease(o->time, 0, 0.6), curl = scene_ease(o->time, 0.25, 1);
    const double phase = 2.4 * tentacle + 1.7 * o->which;
    const double droop = 2.2 * (1 - 0.55 * reach) * exp(-3 * s) * 3 - 1.3 * (1 - s);
    const double wave = 1.6 * sin(2 * pi * (1.2 * o->time - 0.8 * s) + phase) * (0.3 + 0.7 * s);
    const double tip = (tentacle % 3 ? -1 : 1) * 24 * curl * s * s;
    turn_axes(-step * (droop + tip), r->along, r->up);
    turn_axes(step * wave, r->along, r->across);
    for (int k = 0; k < 3; k++) r->middle[k] += tentacle_length * step * r->along[k];
}

static void add_ring(scene_builder *builder, const octopus *o, const ring *r, double s) {
    const double half = 0.2 * (1 - 0.75 * s);
    for (uint32_t v = 0; v < (o->w + 1) * (o->w + 1); v++) {
        const double a = half * (2.0 * (v % (o->w + 1)) / o->w - 1), b = half * (2.0 * (v / (o->w + 1)) / o->w - 1);
        double at[3];
        for (int k = 0; k < 3; k++) at[k] = r->middle[k] + a * r->across[k] + b * r->up[k];
        place_octopus(o, at);
        scene_vertex(builder, at[0], at[1], at[2]);
    }
}

static void add_tentacle_vertices(scene_builder *builder, const octopus *o, int tentacle) {
    const uint32_t rings = tentacle_rings(o->w);
    ring r = root_of(o, tentacle);
    for (uint32_t i = 1; i <= rings; i++) {
        advance(o, tentacle, (double)i / rings, 1.0 / rings, &r);
        add_ring(builder, o, &r, (double)i / rings);
    }
}

// Where `across` runs against the axis of the base, cells are mirrored twice: across turned round, the other two axes
// swapped. So the diagonals of the root are those of the base, and volumes stay positive.
static void add_tentacle_cell(scene_builder *builder, const octopus *o, int tentacle, const uint32_t at[3]) {
    const bool mirrored = tentacle / 2 == 1 || tentacle / 2 == 2;
    uint32_t cell[8];
    for (uint32_t c = 0; c < 8; c++) {
        const uint32_t x = c & 1, y = c >> 1 & 1, z = c >> 2;
        cell[c] = tentacle_vertex(o, tentacle, at[0] + (mirrored ? z : x), at[1] + (mirrored ? 1 - y : y),
                                  at[2] + (mirrored ? x : z));
    }
    scene_cell(builder, TOC_TET, cell);
}

static void add_tentacle_cells(scene_builder *builder, const octopus *o, int tentacle) {
    for (uint32_t e = 0; e < tentacle_rings(o->w) * o->w * o->w; e++) {
        const uint32_t at[3] = {e / (o->w * o->w), e % o->w, e / o->w % o->w};
        add_tentacle_cell(builder, o, tentacle, at);
    }
}

static void add_octopus(scene_builder *builder, octopus *o) {
    const uint32_t layers = o->w + head_layers(o->w);
    o->base = builder->vertices;
    for (uint32_t z = 0; z <= layers && builder->status == TOC_OK; z++) {
        if (z == o->w + 1) o->head = builder->vertices;
        add_body_layer(builder, o, z);
    }
    o->tentacles = builder->vertices;
    for (int t = 0; t < 8 && builder->status == TOC_OK; t++) add_tentacle_vertices(builder, o, t);
    scene_group(builder, o->which + 1);
    for (uint32_t z = 0; z < layers && builder->status == TOC_OK; z++) add_body_cells(builder, o, z);
    for (int t = 0; t < 8 && builder->status == TOC_OK; t++) add_tentacle_cells(builder, o, t);
}

static void build_octopi(scene_builder *builder, size_t size, double time) {
    for (int i = 0; i < 3; i++) {
        const double angle = 2 * pi * i / 3 + 0.3, away = 2.6;
        octopus o = {.w = (uint32_t)size,
                     .which = i,
                     .time = time,
                     .centre = {away * cos(angle), away * sin(angle), 0.25 * i},
                     .turn = 0.5 * i + 0.15 * sin(2 * pi * time)};
        add_octopus(builder, &o);
    }
}

const scene scene_octopi = {
    .name = "octopi",
    .what = "three octopi of tetrahedra wave their tentacles, reach for each other and curl up",
    .size_what = "cells across a tentacle (2: 17.6K tets, 8: 1.1M)",
    .size = 2,
    .frames = 60,
    .largest = 75,
    .build = build_octopi,
};
