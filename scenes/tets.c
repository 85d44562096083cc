// SPDX-License-Identifier: Apache-2.0
// Two soft blocks of tetrahedra are pressed into each other: they widen as they are squeezed, and the upper one's face
// bulges into the lower one, so that inner features meet too.
#include <math.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

// The position of the point (x, y, z) of a unit block, centred in x and y: z = 0 is the face that meets the other
// block, z = 1 the far one, `side` +1 for the upper block.
static void press(double time, double side, double x, double y, double z, double out[3]) {
    const double pressed = scene_ease(time, 0, 1), near_face = (1 - z) * (1 - z);
    const double wider = 1 + 0.25 * pressed * sin(3.14159265358979323846 * (1 - z) * 0.5);
    const double bulge = 0.12 * pressed * near_face * (1 - 2 * (x * x + y * y)) * (side > 0 ? -1 : 0.6);
    out[0] = x * wider;
    out[1] = y * wider;
    // Turned a little, so that the two grids do not meet vertex on vertex.
    scene_turn(side > 0 ? 0.31 + 0.2 * pressed : 0, &out[0], &out[1]);
    out[2] = side * (z * (1 - 0.15 * pressed) + 0.08 * (1 - pressed)) + bulge;
}

static void add_block(scene_builder *builder, uint32_t n, double time, double side) {
    const uint32_t first = builder->vertices, row = n + 1, layer = row * row;
    for (uint32_t v = 0; v < layer * row && builder->status == TOC_OK; v++) {
        double at[3];
        press(time, side, (double)(v % row) / n - 0.5, (double)(v / row % row) / n - 0.5, (double)(v / layer) / n, at);
        scene_vertex(builder, at[0], at[1], at[2]);
    }
    for (uint32_t e = 0; e < n * n * n && builder->status == TOC_OK; e++) {
        const uint32_t a = first + e % n + e / n % n * row + e / (n * n) * layer;
        uint32_t cell[8];
        const uint32_t across[2] = {side > 0 ? 1 : row, side > 0 ? row : 1}; // the lower block is mirrored
        for (uint32_t c = 0; c < 8; c++)
            cell[c] = a + (c & 1) * across[0] + (c >> 1 & 1) * across[1] + (c >> 2) * layer;
        scene_cell(builder, TOC_TET, cell);
    }
}

static void build_tets(scene_builder *builder, size_t size, double time) {
    scene_group(builder, 1);
    add_block(builder, (uint32_t)size, time, -1);
    scene_group(builder, 2);
    add_block(builder, (uint32_t)size, time, 1);
}

const scene scene_tets = {
    .name = "tets",
    .what = "two soft blocks of tetrahedra are pressed into each other",
    .size_what = "cells along a side of a block, six tetrahedra each",
    .size = 8,
    .frames = 20,
    .largest = 300,
    .build = build_tets,
};
