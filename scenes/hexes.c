// SPDX-License-Identifier: Apache-2.0
// A bar of hexahedra, pyramids and wedges in turn is twisted and bent into a ring until its ends run into each other.
#include <math.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

static const double pi = 3.14159265358979323846;
enum { LENGTH = 7 }; // of the bar, in widths

// The point (x, y) of the cross section, centred, at the fraction s of the bar's length.
static void bend(double time, double x, double y, double s, double out[3]) {
    const double curl = 2.06 * pi * scene_ease(time, 0, 1), twist = 1.3 * scene_ease(time, 0.1, 0.9);
    scene_turn(twist * (s - 0.5), &x, &y);
    const double angle = curl * (s - 0.5);
    if (curl == 0) {
        out[0] = x;
        out[2] = LENGTH * (s - 0.5);
    } else {
        const double radius = LENGTH / curl;
        out[0] = radius - (radius - x) * cos(angle);
        out[2] = (radius - x) * sin(angle);
    }
    out[1] = y + 0.35 * scene_ease(time, 0, 1) * (s - 0.5);
}

// One pyramid on each face of the cell, all with the middle for apex; bases turn inward.
static void add_pyramids(scene_builder *builder, const uint32_t cell[8], uint32_t middle) {
    static const int bases[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
    for (int b = 0; b < 6; b++) {
        const int *base = bases[b];
        scene_element(builder, TOC_PYRAMID,
                      (uint32_t[5]){cell[base[0]], cell[base[1]], cell[base[2]], cell[base[3]], middle});
    }
}

// Cut along the diagonal through the lowest vertex, where the quads of the neighbouring layers are split too.
static void add_wedges(scene_builder *builder, const uint32_t cell[8]) {
    scene_element(builder, TOC_WEDGE, (uint32_t[6]){cell[0], cell[3], cell[1], cell[4], cell[7], cell[5]});
    scene_element(builder, TOC_WEDGE, (uint32_t[6]){cell[0], cell[2], cell[3], cell[4], cell[6], cell[7]});
}

static void add_hex_vertices(scene_builder *builder, uint32_t n, double time) {
    const uint32_t row = n + 1, layer = row * row;
    for (uint32_t v = 0; v < layer * (LENGTH * n + 1) && builder->status == TOC_OK; v++) {
        double at[3];
        const double s = (double)(v / layer) / (LENGTH * n);
        bend(time, (double)(v % row) / n - 0.5, (double)(v / row % row) / n - 0.5, s, at);
        scene_vertex(builder, at[0], at[1], at[2]);
    }
}

static uint32_t add_middle(scene_builder *builder, uint32_t n, double time, const uint32_t at[3]) {
    double x[3];
    bend(time, (at[0] + 0.5) / n - 0.5, (at[1] + 0.5) / n - 0.5, (at[2] + 0.5) / (LENGTH * n), x);
    return scene_vertex(builder, x[0], x[1], x[2]);
}

static void build_hexes(scene_builder *builder, size_t size, double time) {
    const uint32_t n = (uint32_t)size, row = n + 1, layer = row * row;
    add_hex_vertices(builder, n, time);
    for (uint32_t e = 0; e < LENGTH * n * n * n && builder->status == TOC_OK; e++) {
        const uint32_t at[3] = {e % n, e / n % n, e / (n * n)};
        uint32_t cell[8];
        for (uint32_t c = 0; c < 8; c++) {
            cell[c] = at[0] + (c & 1) + (at[1] + (c >> 1 & 1)) * row + (at[2] + (c >> 2)) * layer;
        }
        scene_group(builder, (int32_t)(1 + at[2] % 3));
        if (at[2] % 3 == 0) scene_cell(builder, TOC_HEX, cell);
        if (at[2] % 3 == 1) add_pyramids(builder, cell, add_middle(builder, n, time, at));
        if (at[2] % 3 == 2) add_wedges(builder, cell);
    }
}

const scene scene_hexes = {
    .name = "hexes",
    .what = "a bar of hexahedra, pyramids and wedges is twisted and bent into a ring until its ends meet",
    .size_what = "cells along a side of the bar's cross section",
    .size = 4,
    .frames = 20,
    .largest = 150,
    .build = build_hexes,
};
