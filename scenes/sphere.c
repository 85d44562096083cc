// SPDX-License-Identifier: Apache-2.0
// A sphere from an icosahedron. Vertices are numbered by formula - corners, then the inside of edges, then the inside
// of faces - so that neighbouring faces share them without a table.
#include <math.h>

#include "scenes/builder.h"

static const uint32_t edges[30][2] = {
    {0, 1},  {0, 4}, {0, 6},  {0, 8}, {0, 9}, {1, 4},  {1, 6},  {1, 10}, {1, 11}, {2, 3},
    {2, 5},  {2, 7}, {2, 8},  {2, 9}, {3, 5}, {3, 7},  {3, 10}, {3, 11}, {4, 5},  {4, 8},
    {4, 10}, {5, 8}, {5, 10}, {6, 7}, {6, 9}, {6, 11}, {7, 9},  {7, 11}, {8, 9},  {10, 11},
};

static const uint32_t faces[20][3] = {
    {0, 1, 4},   {0, 6, 1},   {0, 4, 8}, {0, 9, 6},  {0, 8, 9}, {1, 10, 4}, {1, 6, 11},
    {1, 11, 10}, {2, 5, 3},   {2, 3, 7}, {2, 8, 5},  {2, 7, 9}, {2, 9, 8},  {3, 5, 10},
    {3, 11, 7},  {3, 10, 11}, {4, 5, 8}, {4, 10, 5}, {6, 9, 7}, {6, 7, 11},
};

// Corner c of the icosahedron: the cyclic turns of (0, +-1, +-golden ratio).
static void corner(uint32_t c, double out[3]) {
    const double golden = 1.6180339887498949;
    const uint32_t axis = c / 4;
    out[axis] = 0;
    out[(axis + 1) % 3] = c & 1 ? -1 : 1;
    out[(axis + 2) % 3] = c & 2 ? -golden : golden;
}

typedef struct sphere {
    scene_builder *builder;
    uint32_t n, first;
    scene_map *map;
    const void *user;
} sphere;

// The point with these weights (of sum n) between three corners.
static void add_sphere_point(const sphere *s, const uint32_t corners[3], const uint32_t weights[3]) {
    double unit[3] = {0, 0, 0}, out[3];
    for (int c = 0; c < 3; c++) {
        double at[3];
        corner(corners[c], at);
        for (int k = 0; k < 3; k++) unit[k] += weights[c] * at[k];
    }
    const double length = sqrt(unit[0] * unit[0] + unit[1] * unit[1] + unit[2] * unit[2]);
    for (int k = 0; k < 3; k++) unit[k] /= length;
    s->map(s->user, unit, out);
    scene_vertex(s->builder, out[0], out[1], out[2]);
}

static void add_sphere_points(const sphere *s) {
    const uint32_t n = s->n;
    for (uint32_t c = 0; c < 12; c++) add_sphere_point(s, (uint32_t[3]){c, 0, 0}, (uint32_t[3]){n, 0, 0});
    for (int e = 0; e < 30; e++) {
        for (uint32_t i = 1; i < n; i++) {
            add_sphere_point(s, (uint32_t[3]){edges[e][0], edges[e][1], 0}, (uint32_t[3]){n - i, i, 0});
        }
    }
    for (int f = 0; f < 20; f++) {
        for (uint32_t j = 1; j < n; j++) {
            for (uint32_t i = 1; i + j < n; i++) add_sphere_point(s, faces[f], (uint32_t[3]){n - i - j, i, j});
        }
    }
}

// The vertex `step` steps from corner a towards corner b, 0 < step < n.
static uint32_t edge_point(const sphere *s, uint32_t a, uint32_t b, uint32_t step) {
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    uint32_t e = 0;
    while (edges[e][0] != low || edges[e][1] != high) e++;
    return s->first + 12 + e * (s->n - 1) + (a < b ? step : s->n - step) - 1;
}

// The vertex i steps along the first side of a face and j along the last.
static uint32_t face_point(const sphere *s, uint32_t f, uint32_t i, uint32_t j) {
    const uint32_t n = s->n, *c = faces[f], back = n - i - j;
    if (i == n || j == n || back == n) return s->first + (i == n ? c[1] : j == n ? c[2] : c[0]);
    if (j == 0) return edge_point(s, c[0], c[1], i);
    if (i == 0) return edge_point(s, c[0], c[2], j);
    if (back == 0) return edge_point(s, c[1], c[2], j);
    const uint32_t inside = (n - 1) * (n - 2) / 2, rows_before = (j - 1) * (n - 1) - (j - 1) * j / 2;
    return s->first + 12 + 30 * (n - 1) + f * inside + rows_before + i - 1;
}

static void add_triangles(const sphere *s, uint32_t f) {
    for (uint32_t j = 0; j < s->n; j++) {
        for (uint32_t i = 0; i + j < s->n; i++) {
            const uint32_t a = face_point(s, f, i, j), b = face_point(s, f, i + 1, j), c = face_point(s, f, i, j + 1);
            scene_element(s->builder, TOC_TRIANGLE, (uint32_t[3]){a, b, c});
            if (i + j + 1 == s->n) continue;
            scene_element(s->builder, TOC_TRIANGLE, (uint32_t[3]){b, face_point(s, f, i + 1, j + 1), c});
        }
    }
}

void scene_sphere(scene_builder *builder, uint32_t n, scene_map *map, const void *user) {
    const sphere s = {.builder = builder, .n = n, .first = builder->vertices, .map = map, .user = user};
    add_sphere_points(&s);
    for (uint32_t f = 0; f < 20; f++) add_triangles(&s, f);
}
