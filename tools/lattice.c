// SPDX-License-Identifier: Apache-2.0
// A lattice around a surface. A cell is taken if a triangle meets it, decided exactly, or if no way leads from it to
// the outside. The six tets of a cell share the diagonal from its lowest to its highest corner, so cells fit together.
#include "tools/lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output.h"

enum { UNKNOWN = 0, SURFACE, OUTSIDE };

typedef struct lattice {
    const toc_mesh *surface;
    double low[3], width;
    long cells[3];
    uint8_t *kind;
    uint32_t *vertices; // of the corners, UINT32_MAX where none is yet
    long *stack;
} lattice;

static long cell_at(const lattice *l, long x, long y, long z) { return (z * l->cells[1] + y) * l->cells[0] + x; }

static void cell_corners(const lattice *l, const long cell[3], double out[24]) {
    for (int c = 0; c < 8; c++)
        for (int k = 0; k < 3; k++) out[3 * c + k] = l->low[k] + l->width * (double)(cell[k] + (c >> k & 1));
}

static toc_status mark_triangle(lattice *l, const double triangle[9]) {
    long low[3], high[3], cell[3];
    for (int k = 0; k < 3; k++) {
        const double least = fmin(triangle[k], fmin(triangle[3 + k], triangle[6 + k]));
        const double most = fmax(triangle[k], fmax(triangle[3 + k], triangle[6 + k]));
        low[k] = (long)floor((least - l->low[k]) / l->width), high[k] = (long)floor((most - l->low[k]) / l->width);
    }
    for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
        for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
            for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++) {
                uint8_t *kind = &l->kind[cell_at(l, cell[0], cell[1], cell[2])];
                double corners[24];
                toc_overlap overlap;
                if (*kind == SURFACE) continue;
                cell_corners(l, cell, corners);
                const toc_status status = toc_overlap_find(3, triangle, 8, corners, &overlap);
                if (status != TOC_OK) return status;
                if (overlap.verdict == TOC_HIT) *kind = SURFACE;
            }
    return TOC_OK;
}

static toc_status mark_surface(lattice *l) {
    const double *x = toc_mesh_get_x1(l->surface);
    toc_status status = TOC_OK;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(l->surface) && status == TOC_OK; e++) {
        const toc_element t = toc_mesh_get_element(l->surface, e);
        double triangle[9];
        if (t.shape != TOC_TRIANGLE) continue;
        for (int k = 0; k < 3; k++) memcpy(triangle + 3 * k, x + 3 * (size_t)t.corners[k], 3 * sizeof *x);
        status = mark_triangle(l, triangle);
    }
    return status;
}

/// The outer layer of cells is empty: the outside is connected there.
static void flood_outside(lattice *l) {
    long count = 0;
    l->kind[0] = OUTSIDE;
    l->stack[count++] = 0;
    while (count > 0) {
        const long at = l->stack[--count];
        const long here[3] = {at % l->cells[0], at / l->cells[0] % l->cells[1], at / (l->cells[0] * l->cells[1])};
        const long step[3] = {1, l->cells[0], l->cells[0] * l->cells[1]};
        for (int k = 0; k < 3; k++)
            for (int side = -1; side <= 1; side += 2) {
                const long there = at + side * step[k];
                if (here[k] + side < 0 || here[k] + side >= l->cells[k] || l->kind[there] != UNKNOWN) continue;
                l->kind[there] = OUTSIDE;
                l->stack[count++] = there;
            }
    }
}

static toc_status corner_vertex(lattice *l, toc_mesh *mesh, const long cell[3], int corner, uint32_t *out) {
    long at[3];
    double x[3];
    for (int k = 0; k < 3; k++) {
        at[k] = cell[k] + (corner >> k & 1);
        x[k] = l->low[k] + l->width * (double)at[k];
    }
    uint32_t *known = &l->vertices[(at[2] * (l->cells[1] + 1) + at[1]) * (l->cells[0] + 1) + at[0]];
    if (*known == UINT32_MAX) {
        const toc_status status = toc_mesh_add_vertices(mesh, 1, x, known);
        if (status != TOC_OK) return status;
    }
    *out = *known;
    return TOC_OK;
}

static toc_status add_cell(lattice *l, toc_mesh *mesh, const long cell[3]) {
    static const uint8_t paths[6][4] = {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7},
                                        {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}};
    uint32_t v[8], corners[24];
    toc_status status = TOC_OK;
    for (int c = 0; c < 8 && status == TOC_OK; c++) status = corner_vertex(l, mesh, cell, c, &v[c]);
    for (int i = 0; i < 24; i++) corners[i] = v[paths[i / 4][i % 4]];
    return status == TOC_OK ? toc_mesh_add_elements(mesh, TOC_TET, 6, corners, NULL) : status;
}

static toc_status add_cells(lattice *l, toc_mesh *mesh) {
    long cell[3];
    toc_status status = TOC_OK;
    for (cell[2] = 0; cell[2] < l->cells[2]; cell[2]++)
        for (cell[1] = 0; cell[1] < l->cells[1]; cell[1]++)
            for (cell[0] = 0; cell[0] < l->cells[0] && status == TOC_OK; cell[0]++)
                if (l->kind[cell_at(l, cell[0], cell[1], cell[2])] != OUTSIDE) status = add_cell(l, mesh, cell);
    return status;
}

/// Mark the cells of a width. @return their number; 0 with a status on failure.
static toc_status mark_cells(lattice *l, size_t *count) {
    const size_t cells = (size_t)(l->cells[0] * l->cells[1] * l->cells[2]);
    free(l->kind);
    free(l->stack);
    l->kind = calloc(cells, 1);
    l->stack = malloc(cells * sizeof *l->stack);
    if (!l->kind || !l->stack) return tool_fail_memory();
    const toc_status status = mark_surface(l);
    if (status != TOC_OK) return status;
    flood_outside(l);
    *count = 0;
    for (size_t i = 0; i < cells; i++) *count += l->kind[i] != OUTSIDE;
    return TOC_OK;
}

static void size_lattice(lattice *l, const toc_mesh_report *report, double width) {
    l->width = width;
    for (int k = 0; k < 3; k++) {
        l->low[k] = report->low[k] - 1.37 * width; // off the grid of symmetric models
        l->cells[k] = (long)ceil((report->high[k] - l->low[k]) / width) + 2;
    }
}

/// The widest cells that give the wanted number: a few trials, as the number grows with the square to the cube.
static toc_status choose_width(lattice *l, const toc_mesh_report *report, size_t wanted) {
    double extent = 0;
    size_t count = 0;
    for (int k = 0; k < 3; k++) extent = fmax(extent, report->high[k] - report->low[k]);
    if (!(extent > 0)) return tool_fail(TOC_BAD_INPUT, "the surface has no extent");
    double width = extent / 16;
    for (int trial = 0; trial < 6; trial++) {
        size_lattice(l, report, width);
        const toc_status status = mark_cells(l, &count);
        if (status != TOC_OK) return status;
        const double ratio = (double)count / (double)wanted;
        if (ratio > 0.9 && ratio < 1.1) return TOC_OK;
        width *= fmin(fmax(pow(ratio, 0.4), 0.5), 2);
        if (width < extent / 400) width = extent / 400;
    }
    return TOC_OK;
}

static toc_status build_lattice(lattice *l, size_t tets, toc_mesh *mesh) {
    toc_mesh_report report;
    toc_status status = toc_mesh_inspect(l->surface, &report);
    if (status == TOC_OK) status = choose_width(l, &report, tets / 6 + 1);
    if (status != TOC_OK) return status;
    const size_t corners = (size_t)((l->cells[0] + 1) * (l->cells[1] + 1) * (l->cells[2] + 1));
    l->vertices = malloc(corners * sizeof *l->vertices);
    if (!l->vertices) return tool_fail_memory();
    memset(l->vertices, 0xff, corners * sizeof *l->vertices);
    return add_cells(l, mesh);
}

toc_status tool_lattice_make(const toc_mesh *surface, size_t tets, toc_mesh **out) {
    lattice l = {.surface = surface};
    toc_mesh *mesh;
    toc_status status = toc_mesh_create(NULL, &mesh);
    if (status != TOC_OK) return status;
    status = build_lattice(&l, tets, mesh);
    free(l.kind);
    free(l.stack);
    free(l.vertices);
    if (status == TOC_OK)
        *out = mesh;
    else
        toc_mesh_destroy(mesh);
    return status;
}
