// SPDX-License-Identifier: Apache-2.0
// A liver of tetrahedra is cut by a moving blade: elements in its way are split, the vertices on the cut doubled, and
// the cut gapes behind the blade. In the manner of the liver benchmark of VolCCD.
//
// The liver is a lattice of cells of six tets each, and the cut goes through the middle of a layer of them, row by row.
// Every edge that crosses it gets a vertex in its middle; elements are bisected edge after edge, lower middles first:
// so neighbours split their common face alike, whichever of them is cut first.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/builder.h"
#include "scenes/scenes.h"

// Cells along x, y and z; an odd number along x, for the cut is in the middle. Rows of them that will be cut.
typedef struct liver_grid {
    uint32_t cells[3], rows;
    uint32_t liver_vertices, blade_vertices;
    uint32_t blade_cells[2];
} liver_grid;

static liver_grid liver_grid_of(size_t size) {
    const uint32_t n = (uint32_t)size, x = (13 * n / 5) | 1;
    liver_grid g = {.cells = {x, 2 * n, n}, .rows = (4 * n + 4) / 5, .blade_cells = {2 * n, n}};
    g.liver_vertices = (x + 1) * (2 * n + 1) * (n + 1);
    g.blade_vertices = (2 * n + 1) * (n + 1);
    return g;
}

static double cut_x(const liver_grid *g) { return 0.5 * g->cells[0]; }

// The time at which the blade reaches a row, and the width of the cut, which follows the blade by a row.
static const double first_cut = 0.2, last_cut = 0.85;

static double row_time(const liver_grid *g, uint32_t row) { return first_cut + (last_cut - first_cut) * row / g->rows; }

static uint32_t rows_cut(const liver_grid *g, double time) {
    uint32_t rows = 0;
    while (rows < g->rows && row_time(g, rows) <= time) rows++;
    return rows;
}

static double gape_at(const liver_grid *g, double time) {
    const double rows = g->rows * (time - first_cut) / (last_cut - first_cut);
    return fmin(fmax(rows, 0), g->rows);
}

// ---- building, at rest: positions in cells

static void blade_map(const void *user, const double unit[3], double out[3]) {
    (void)user;
    memcpy(out, unit, 3 * sizeof *out);
}

static void build_liver(scene_builder *builder, size_t size, double time) {
    (void)time;
    const liver_grid g = liver_grid_of(size);
    const uint32_t row = g.cells[0] + 1, layer = row * (g.cells[1] + 1);
    for (uint32_t v = 0; v < g.liver_vertices && builder->status == TOC_OK; v++) {
        scene_vertex(builder, v % row, v / row % (g.cells[1] + 1), v / layer);
    }
    scene_group(builder, 1);
    for (uint32_t e = 0; e < g.cells[0] * g.cells[1] * g.cells[2] && builder->status == TOC_OK; e++) {
        const uint32_t x = e % g.cells[0], y = e / g.cells[0] % g.cells[1], z = e / (g.cells[0] * g.cells[1]);
        uint32_t cell[8];
        for (uint32_t c = 0; c < 8; c++) cell[c] = x + (c & 1) + row * (y + (c >> 1 & 1)) + layer * (z + (c >> 2));
        scene_cell(builder, TOC_TET, cell);
    }
    scene_group(builder, 2);
    scene_thickness(builder, 0.004);
    scene_sheet(builder, g.blade_cells, SCENE_FLAT, blade_map, NULL);
}

// ---- cutting

// The cut so far. The middles of edges lie on a grid of half cells in the plane of the cut.
typedef struct cutter {
    toc_mesh *mesh;
    const liver_grid *grid;
    uint32_t *middles, *twins; // by half cell, y first; UINT32_MAX where there is none yet
    double front;              // y
    toc_status status;
} cutter;

static const double *rest_of(const toc_mesh *mesh, uint32_t vertex) {
    return toc_mesh_get_x0(mesh) + 3 * (size_t)vertex;
}

// The table entry of the middle of an edge that is cut now; false for any other edge.
static bool find_middle(const cutter *c, uint32_t a, uint32_t b, size_t *place) {
    const double *p = rest_of(c->mesh, a), *q = rest_of(c->mesh, b), x = cut_x(c->grid);
    const double y = 0.5 * (p[1] + q[1]), z = 0.5 * (p[2] + q[2]);
    *place = (size_t)(2 * y) + (2 * c->grid->cells[1] + 1) * (size_t)(2 * z);
    return (p[0] - x) * (q[0] - x) < 0 && y <= c->front;
}

// The vertex at a position in the plane of the cut, from one of the tables.
static uint32_t liver_vertex(cutter *c, uint32_t *table, size_t place) {
    const uint32_t row = 2 * c->grid->cells[1] + 1;
    const double at[3] = {cut_x(c->grid), 0.5 * (double)(place % row), 0.5 * (double)(place / row)};
    if (table[place] == UINT32_MAX) c->status = toc_mesh_add_vertices(c->mesh, 1, at, &table[place]);
    return table[place];
}

static void add_tet(cutter *c, const uint32_t tet[4]) {
    uint32_t id;
    if (c->status == TOC_OK) c->status = toc_mesh_add_elements(c->mesh, TOC_TET, 1, tet, &id);
    if (c->status == TOC_OK) c->status = toc_mesh_set_group(c->mesh, id, 1);
}

// The two corners between which a tet is cut next; false for a tet that is not cut.
static bool next_edge(const cutter *c, const uint32_t tet[4], int ends[2], size_t *place) {
    *place = SIZE_MAX;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) {
            size_t at;
            if (!find_middle(c, tet[i], tet[j], &at) || at >= *place) continue;
            ends[0] = i;
            ends[1] = j;
            *place = at;
        }
    return *place != SIZE_MAX;
}

// Bisect a tet and its parts until no edge crosses the cut, and add them. At most four edges do.
static void add_parts(cutter *c, const uint32_t tet[4]) {
    int ends[2];
    size_t place;
    if (c->status != TOC_OK) return;
    if (!next_edge(c, tet, ends, &place)) {
        add_tet(c, tet);
        return;
    }
    const uint32_t middle = liver_vertex(c, c->middles, place);
    for (int side = 0; side < 2; side++) {
        uint32_t part[4];
        memcpy(part, tet, sizeof part);
        part[ends[side]] = middle;
        add_parts(c, part);
    }
}

static void cut_elements(cutter *c) {
    const size_t count = toc_mesh_get_element_count(c->mesh);
    for (uint32_t e = 0; e < count && c->status == TOC_OK; e++) {
        const toc_element element = toc_mesh_get_element(c->mesh, e);
        int ends[2];
        size_t place;
        if (element.shape != TOC_TET || !next_edge(c, element.corners, ends, &place)) continue;
        uint32_t tet[4];
        memcpy(tet, element.corners, sizeof tet);
        c->status = toc_mesh_remove_element(c->mesh, e);
        add_parts(c, tet);
    }
}

// Which side of the cut an element is on: -1, 1, or 0 where it crosses it.
static int side_of(const toc_mesh *mesh, const liver_grid *g, toc_element element) {
    bool low = false, high = false;
    for (int i = 0; i < element.corner_count; i++) {
        const double x = rest_of(mesh, element.corners[i])[0];
        low = low || x < cut_x(g);
        high = high || x > cut_x(g);
    }
    return (int)high - (int)low;
}

// The table entry of a vertex on the cut, behind its front, that both sides still use.
static bool is_joined(const cutter *c, uint32_t vertex, size_t *place) {
    const double *x = rest_of(c->mesh, vertex), from_cut = fabs(x[0] - cut_x(c->grid));
    *place = (size_t)(2 * x[1]) + (2 * c->grid->cells[1] + 1) * (size_t)(2 * x[2]);
    return from_cut < 0.25 && x[1] < c->front && c->middles[*place] == vertex;
}

// Elements on the far side of the cut get vertices of their own. They are created again behind the others, so that a
// file of the frame shows which elements did not change.
static void part_sides(cutter *c) {
    const size_t count = toc_mesh_get_element_count(c->mesh);
    for (uint32_t e = 0; e < count && c->status == TOC_OK; e++) {
        const toc_element element = toc_mesh_get_element(c->mesh, e);
        bool parts = false;
        uint32_t tet[4];
        if (element.shape != TOC_TET || side_of(c->mesh, c->grid, element) <= 0) continue;
        memcpy(tet, element.corners, sizeof tet);
        for (int i = 0; i < 4; i++) {
            size_t place;
            if (!is_joined(c, tet[i], &place)) continue;
            tet[i] = liver_vertex(c, c->twins, place);
            parts = true;
        }
        if (parts && c->status == TOC_OK) c->status = toc_mesh_remove_element(c->mesh, e);
        if (parts) add_tet(c, tet);
    }
}

static toc_status cut(toc_mesh *mesh, const liver_grid *g, double until) {
    const size_t count = (2 * (size_t)g->cells[1] + 1) * (2 * (size_t)g->cells[2] + 1);
    uint32_t *tables = malloc(2 * count * sizeof *tables);
    if (!tables) return TOC_OUT_OF_MEMORY;
    memset(tables, 0xff, 2 * count * sizeof *tables);
    cutter c = {.mesh = mesh, .grid = g, .middles = tables, .twins = tables + count};
    for (uint32_t row = 0; row < rows_cut(g, until) && c.status == TOC_OK; row++) {
        c.front = row + 1;
        cut_elements(&c);
        part_sides(&c);
    }
    free(tables);
    return c.status;
}

// ---- positions

typedef struct liver_placing {
    const liver_grid *grid;
    double time;
    const int *sides; // by vertex
} liver_placing;

// The cut gapes widest where it began. Flesh ahead of the blade is pushed a little.
static void part_flesh(const liver_placing *p, double side, double u[3]) {
    const liver_grid *g = p->grid;
    const double gape = gape_at(g, p->time), behind = fmax(gape - u[1], 0), far = fabs(u[0] - cut_x(g)) / cut_x(g);
    u[0] += side * 0.22 * behind / (1 + 0.05 * behind) * (1 - far) * (1 - far);
    const double ahead = (u[1] - gape) / (0.2 * g->cells[1]);
    if (ahead > 0) u[1] += 0.3 * scene_ease(p->time, 0.1, first_cut) * ahead * exp(-ahead * ahead - 4 * far);
}

// A block becomes a liver: thick and round on the right, thin to the left, with a hollow below.
static void shape_flesh(const liver_placing *p, const double at[3], double out[3]) {
    double u[3];
    for (int k = 0; k < 3; k++) u[k] = 2 * at[k] / p->grid->cells[k] - 1;
    const double x = u[0], y = u[1], z = u[2];
    const double breath = 1 + 0.03 * sin(6.2831853071795865 * p->time), thick = (0.78 - 0.35 * x) * breath;
    out[0] = 1.3 * x * sqrt(1 - 0.22 * y * y - 0.18 * z * z);
    out[1] = 0.85 * (1 - 0.18 * x) * y * sqrt(1 - 0.17 * x * x - 0.17 * z * z);
    out[2] = 0.62 * thick * z * sqrt(1 - 0.24 * x * x - 0.24 * y * y) - 0.16 * x * x + 0.10 * (1 - x * x) * (1 - y * y);
}

// The blade comes down the row it is cutting, tilted, and is drawn back at the end.
static void place_blade(const liver_placing *p, double x[3]) {
    const double gape = gape_at(p->grid, p->time), back = scene_ease(p->time, last_cut + 0.03, 1);
    const double edge = 2 * (gape + 0.15 - 0.25 * p->grid->cells[1] * back) / p->grid->cells[1] - 1;
    const double along = 1 - x[0], up = 1.7 * x[1] - 0.72;
    x[0] = 0.012 * along + 0.006 * up;
    x[1] = 0.85 * edge - 0.9 * along - 0.12 * up - 0.5 * (1 - scene_ease(p->time, 0, first_cut));
    x[2] = up;
}

static void place_liver(const void *user, uint32_t vertex, double x[3]) {
    const liver_placing *p = user;
    if (vertex >= p->grid->liver_vertices && vertex < p->grid->liver_vertices + p->grid->blade_vertices) {
        place_blade(p, x);
        return;
    }
    double at[3] = {x[0], x[1], x[2]};
    part_flesh(p, p->sides[vertex], at);
    shape_flesh(p, at, x);
}

static void find_sides(const toc_mesh *mesh, const liver_grid *g, int *sides) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        const toc_element element = toc_mesh_get_element(mesh, e);
        const int side = side_of(mesh, g, element);
        for (int i = 0; i < element.corner_count && side; i++) sides[element.corners[i]] = side;
    }
}

static toc_status cut_liver(toc_mesh *mesh, size_t size, double until, double time) {
    const liver_grid g = liver_grid_of(size);
    toc_status status = cut(mesh, &g, until);
    if (status != TOC_OK) return status;
    int *sides = calloc(toc_mesh_get_vertex_count(mesh), sizeof *sides);
    if (!sides) return TOC_OUT_OF_MEMORY;
    find_sides(mesh, &g, sides);
    status = scene_place(mesh, place_liver, &(liver_placing){&g, time, sides});
    free(sides);
    return status;
}

const scene scene_liver = {
    .name = "liver",
    .what = "a liver of tetrahedra is cut by a blade: elements are split, and the cut gapes",
    .size_what = "cells through the liver (5: 3.9K tets, 4.3K when cut; 33: 1.1M)",
    .size = 5,
    .frames = 60,
    .largest = 120,
    .build = build_liver,
    .happen = cut_liver,
};
