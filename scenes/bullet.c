// SPDX-License-Identifier: Apache-2.0
// A bullet of hexahedra goes through a plate of hexahedra: the plate dents, elements around the plug erode, and cracks
// run out from the hole, along which nodes split, so that four petals bend open. In the manner of the bullet benchmark
// of VolCCD. Lengths are in cells of the default size.
#include <math.h>
#include <stdlib.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

static const double plate_half = 24, plate_thick = 4, bullet_radius = 5, bullet_length = 28;
static const double plug = 2.6, hole = 4.8, longest_crack = 14; // radii in the plate at rest

// Cells along the plate's side and thickness, the bullet's width and length.
typedef struct bullet_grid {
    uint32_t side, layers, width, length;
    uint32_t plate_vertices, bullet_vertices;
} bullet_grid;

static bullet_grid bullet_grid_of(size_t size) {
    const uint32_t n = (uint32_t)size, layers = n < 2 ? 1 : n;
    bullet_grid g = {.side = 12 * n, .layers = layers, .width = n < 2 ? 2 : 5 * n / 2, .length = 7 * n};
    g.plate_vertices = (g.side + 1) * (g.side + 1) * (layers + 1);
    g.bullet_vertices = (g.width + 1) * (g.width + 1) * (g.length + 1);
    return g;
}

// How far the tip is below the plate's upper side; negative before it is there.
static double depth(double time) { return 25 * time - 1.5; }

// ---- building, at rest

static void add_lattice(scene_builder *builder, const uint32_t cells[3], const double low[3], const double step[3]) {
    const uint32_t first = builder->vertices, row = cells[0] + 1, layer = row * (cells[1] + 1);
    for (uint32_t v = 0; v < layer * (cells[2] + 1) && builder->status == TOC_OK; v++) {
        const uint32_t at[3] = {v % row, v / row % (cells[1] + 1), v / layer};
        scene_vertex(builder, low[0] + step[0] * at[0], low[1] + step[1] * at[1], low[2] + step[2] * at[2]);
    }
    for (uint32_t e = 0; e < cells[0] * cells[1] * cells[2] && builder->status == TOC_OK; e++) {
        const uint32_t a = first + e % cells[0] + row * (e / cells[0] % cells[1]) + layer * (e / (cells[0] * cells[1]));
        uint32_t cell[8];
        for (uint32_t c = 0; c < 8; c++) cell[c] = a + (c & 1) + (c >> 1 & 1) * row + (c >> 2) * layer;
        scene_cell(builder, TOC_HEX, cell);
    }
}

// The bullet is a unit block here: x and y from -1 to 1, z from 0 at the tip to 1.
static void build_bullet(scene_builder *builder, size_t size, double time) {
    (void)time;
    const bullet_grid g = bullet_grid_of(size);
    const double cell = 2 * plate_half / g.side;
    scene_group(builder, 1);
    add_lattice(builder, (const uint32_t[3]){g.side, g.side, g.layers},
                (const double[3]){-plate_half, -plate_half, -plate_thick},
                (const double[3]){cell, cell, plate_thick / g.layers});
    scene_group(builder, 2);
    add_lattice(builder, (const uint32_t[3]){g.width, g.width, g.length}, (const double[3]){-1, -1, 0},
                (const double[3]){2.0 / g.width, 2.0 / g.width, 1.0 / g.length});
}

// ---- damage of the plate

static void hex_middle(const toc_mesh *mesh, uint32_t element, double out[3]) {
    const toc_element e = toc_mesh_get_element(mesh, element);
    for (size_t k = 0; k < 3; k++) {
        out[k] = 0;
        for (int i = 0; i < e.corner_count; i++) out[k] += toc_mesh_get_x0(mesh)[3 * (size_t)e.corners[i] + k];
        out[k] /= e.corner_count;
    }
}

// Elements between plug and hole are removed at different depths of the tip.
static toc_status erode(toc_mesh *mesh, const bullet_grid *g, double time) {
    for (uint32_t e = 0; e < g->side * g->side * g->layers; e++) {
        double at[3];
        hex_middle(mesh, e, at);
        const double radius = hypot(at[0], at[1]);
        if (radius < plug || radius > hole || depth(time) < scene_random(40, e, 1.2, 3.0)) continue;
        const toc_status status = toc_mesh_remove_element(mesh, e);
        if (status != TOC_OK) return status;
    }
    return TOC_OK;
}

// How far from the middle the cracks have come: the petals' hinge.
static double crack_at(double time) { return hole + (longest_crack - hole) * scene_ease(depth(time), 2.5, 16); }

// The remaining elements to the left of an arm of the cross of cracks (+x, +y, -x, -y) that use a vertex of the arm.
static size_t left_of(const toc_mesh *mesh, const bullet_grid *g, const uint32_t at[3], int arm, uint32_t out[8]) {
    static const int left[4][2] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    size_t count = 0;
    for (uint32_t c = 0; c < 8; c++) {
        const uint32_t x = at[0] - (c & 1), y = at[1] - (c >> 1 & 1), z = at[2] - (c >> 2); // wraps below 0
        const uint32_t element = x + g->side * (y + g->side * z);
        if (x >= g->side || y >= g->side || z >= g->layers) continue;
        if (toc_mesh_get_element(mesh, element).shape == TOC_REMOVED) continue;
        double middle[3];
        hex_middle(mesh, element, middle);
        if (left[arm][0] * middle[0] + left[arm][1] * middle[1] > 0) out[count++] = element;
    }
    return count;
}

// Give these elements a vertex of their own, in every layer.
static toc_status split_column(toc_mesh *mesh, const bullet_grid *g, uint32_t away, int arm) {
    const uint32_t half = g->side / 2, row = g->side + 1;
    const uint32_t xy[4][2] = {{half + away, half}, {half, half + away}, {half - away, half}, {half, half - away}};
    toc_status status = TOC_OK;
    for (uint32_t z = 0; z <= g->layers && status == TOC_OK; z++) {
        const uint32_t at[3] = {xy[arm][0], xy[arm][1], z}, vertex = at[0] + row * (at[1] + row * z);
        uint32_t elements[8];
        const size_t count = left_of(mesh, g, at, arm, elements);
        if (count) status = toc_mesh_split_vertex(mesh, vertex, count, elements, NULL);
    }
    return status;
}

// From the hole outward, so that the ids of new vertices do not depend on how far the cracks come.
static toc_status crack(toc_mesh *mesh, const bullet_grid *g, double time) {
    const double cell = 2 * plate_half / g->side;
    toc_status status = TOC_OK;
    for (uint32_t away = 1; away < g->side / 2 && away * cell < crack_at(time) && status == TOC_OK; away++) {
        if (away * cell < hole || crack_at(time) <= hole) continue;
        for (int arm = 0; arm < 4 && status == TOC_OK; arm++) status = split_column(mesh, g, away, arm);
    }
    return status;
}

// ---- positions

static void place_bullet(const double unit[3], double time, double out[3]) {
    const double slow = fmin(fmax(depth(time), 0) / 24, 1), blunt = 0.25 * slow;
    const double nose = fmin(unit[2] / 0.36, 1), ogive = 1 - 0.65 * pow(1 - nose, 1.7);
    const double flare = 1 + blunt * exp(-pow((unit[2] - 0.22) / 0.12, 2));
    const double x = unit[0], y = unit[1];
    out[0] = bullet_radius * ogive * flare * x * sqrt(1 - 0.42 * y * y);
    out[1] = bullet_radius * ogive * flare * y * sqrt(1 - 0.42 * x * x);
    scene_turn(0.3, &out[0], &out[1]); // so that the grids do not meet vertex on vertex
    const double round_tip = 0.2 * (x * x + y * y) * (1 - nose);
    out[2] = -depth(time) + bullet_length * (1 - 0.08 * slow) * unit[2] + round_tip;
}

// The dent: as deep as the tip under it, less and less away from it, until the plate is pierced.
static double dent(double radius, bool in_plug, double time) {
    const double in = fmax(depth(time), 0), held = fmin(in, 2.2);
    const double beside = held * exp(-pow(fmax(radius - plug, 0) / 5, 2)) * (1 - 0.5 * scene_ease(in, 3, 12));
    return in_plug ? 0.97 * in : beside;
}

// A petal bends down about its hinge, partly around the middle of its quarter, so that its sides part from the
// neighbours'. `sign` tells which quarter.
static void bend_petal(double hinge, double time, const int sign[2], double out[3]) {
    const double radius = hypot(out[0], out[1]), from_hinge = hinge - radius, length = hinge - hole;
    const double angle = 1.15 * scene_ease(depth(time), 2.5, 16) * from_hinge / length;
    const double out_by = from_hinge * (1 - cos(angle)) - out[2] * sin(angle);
    double way[2];
    for (int k = 0; k < 2; k++) way[k] = 0.5 * out[k] / radius + 0.5 * sign[k] * sqrt(0.5);
    for (int k = 0; k < 2; k++) out[k] += out_by * way[k];
    out[2] = out[2] * cos(angle) - from_hinge * sin(angle);
}

static void place_plate(const bullet_grid *g, const double rest[3], const int sign[2], double time, double out[3]) {
    const double radius = hypot(rest[0], rest[1]), hinge = crack_at(time), cell = 2 * plate_half / g->side;
    const bool in_plug = radius < plug + 0.75 * cell; // corners of elements whose middle is in it
    for (int k = 0; k < 3; k++) out[k] = rest[k];
    if (!in_plug && radius < hinge && hinge > hole) bend_petal(hinge, time, sign, out);
    out[2] -= dent(radius, in_plug, time);
}

// The quarter of each vertex. At a crack the coordinates are ambiguous, and the elements around the vertex decide.
static void find_quarters(const toc_mesh *mesh, int (*quarters)[2]) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        double at[3];
        if (element.shape == TOC_REMOVED) continue;
        hex_middle(mesh, e, at);
        for (int i = 0; i < 2 * element.corner_count; i++)
            quarters[element.corners[i / 2]][i % 2] = at[i % 2] < 0 ? -1 : 1;
    }
}

typedef struct bullet_placing {
    const bullet_grid *grid;
    double time;
    int (*quarters)[2];
} bullet_placing;

// Vertices that split off stand behind those of the bullet.
static void place_bullet_vertex(const void *user, uint32_t vertex, double x[3]) {
    const bullet_placing *p = user;
    const double rest[3] = {x[0], x[1], x[2]};
    const uint32_t in_plate = p->grid->plate_vertices;
    if (vertex >= in_plate && vertex < in_plate + p->grid->bullet_vertices) {
        place_bullet(rest, p->time, x);
    } else {
        place_plate(p->grid, rest, p->quarters[vertex], p->time, x);
    }
}

static toc_status erode_bullet(toc_mesh *mesh, size_t size, double until, double time) {
    const bullet_grid g = bullet_grid_of(size);
    toc_status status = erode(mesh, &g, until);
    if (status == TOC_OK) status = crack(mesh, &g, until);
    if (status != TOC_OK) return status;
    int(*quarters)[2] = calloc(toc_mesh_get_vertex_count(mesh), sizeof *quarters);
    if (!quarters) return TOC_OUT_OF_MEMORY;
    find_quarters(mesh, quarters);
    status = scene_place(mesh, place_bullet_vertex, &(bullet_placing){&g, time, quarters});
    free(quarters);
    return status;
}

const scene scene_bullet = {
    .name = "bullet",
    .what = "a bullet goes through a plate of hexahedra: elements erode, nodes split along cracks",
    .size_what = "cells through the plate (4: 12K hexes, 18: 1.1M)",
    .size = 4,
    .frames = 70,
    .largest = 60,
    .build = build_bullet,
    .happen = erode_bullet,
};
