// SPDX-License-Identifier: Apache-2.0
// Placing hexes around a vertex.
//
// The first hex is put at the positive side of all axes. Any other that has two of its three edges from the middle in
// common with those placed before goes to the negative side of the axis of the third. What comes of it is taken only if
// every vertex has one place, every place one vertex, and every hex a cube of its own.
#include "cull/lattice.h"

// The corners of a hex as those of a cube.
static const int8_t corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const uint8_t numbers[2][2][2] = {{{0, 4}, {3, 7}}, {{1, 5}, {2, 6}}}; // and back, by x, y, z

// The vertices next to the middle along the axes, on the positive and the negative side; UINT32_MAX for none yet.
typedef struct cross {
    uint32_t v[3][2];
} cross;

// An edge from the middle: 0, 1, 2 for the positive axes, 3, 4, 5 for the negative ones, -1 for none.
static int direction_of(const cross *c, uint32_t v) {
    for (int i = 0; i < 6; i++)
        if (c->v[i % 3][i / 3] == v) return i;
    return -1;
}

static int corner_of(const toc_cell *hex, uint32_t v) {
    int k = 0;
    while (k < 7 && hex->v[k] != v) k++;
    return k;
}

// The vertex of a hex beside one of its corners, along an edge.
static uint32_t beside(const toc_cell *hex, int corner, int edge) {
    int at[3] = {corners[corner][0], corners[corner][1], corners[corner][2]};
    at[edge] ^= 1;
    return hex->v[numbers[at[0]][at[1]][at[2]]];
}

// Place the third edge of a hex that has two. @return whether all of them are placed, along different axes.
static bool place_edges(const toc_cell *hex, uint32_t middle, cross *c) {
    const int corner = corner_of(hex, middle);
    int axes = 0, known = 0, open = -1;
    for (int i = 0; i < 3; i++) {
        const int d = direction_of(c, beside(hex, corner, i));
        if (d < 0) open = i;
        if (d >= 0) axes |= 1 << d % 3, known++;
    }
    if (known == 2 && (axes == 3 || axes == 5 || axes == 6)) {
        const int third = axes == 3 ? 2 : axes == 5 ? 1 : 0;
        if (c->v[third][1] != UINT32_MAX) return false;
        c->v[third][1] = beside(hex, corner, open);
        return true;
    }
    return known == 3 && axes == 7;
}

static bool put(uint32_t v, const int8_t at[3], toc_lattice *out) {
    for (int i = 0; i < out->count; i++) {
        const bool same = out->at[i][0] == at[0] && out->at[i][1] == at[1] && out->at[i][2] == at[2];
        if (same != (out->v[i] == v)) return false;
        if (same) return true;
    }
    out->v[out->count] = v;
    for (int c = 0; c < 3; c++) out->at[out->count][c] = at[c];
    out->count++;
    return true;
}

static void put_edges(const cross *c, toc_lattice *out) {
    for (int d = 0; d < 6; d++) {
        int8_t at[3] = {0, 0, 0};
        at[d % 3] = d < 3 ? 1 : -1;
        if (c->v[d % 3][d / 3] != UINT32_MAX) put(c->v[d % 3][d / 3], at, out);
    }
}

// Put all corners of a hex into their places. @return the cube it fills, or -1 where they do not fit.
static int put_corners(const toc_cell *hex, uint32_t middle, const cross *c, toc_lattice *out) {
    const int corner = corner_of(hex, middle);
    int cube = 0;
    for (int k = 0; k < 8; k++) {
        int8_t at[3] = {0, 0, 0};
        for (int i = 0; i < 3; i++) {
            const int d = direction_of(c, beside(hex, corner, i));
            if (corners[k][i] != corners[corner][i]) at[d % 3] = d < 3 ? 1 : -1;
            cube |= (d >= 3) << d % 3;
        }
        if (k != corner && !put(hex->v[k], at, out)) return -1;
    }
    return cube;
}

static bool place_all_edges(const toc_cells *cells, const toc_around *around, uint32_t middle, cross *c) {
    size_t placed = 0;
    for (size_t pass = 0; pass < around->count && placed < around->count; pass++) {
        placed = 0;
        for (size_t i = 0; i < around->count; i++)
            placed += place_edges(&cells->at[around->first_cell + around->elements[i]], middle, c);
    }
    return placed == around->count;
}

bool toc_lattice_find(const toc_cells *cells, const toc_around *around, uint32_t middle, toc_lattice *out) {
    cross c;
    int filled = 0;
    out->count = 0;
    if (around->count == 0 || around->count > 8) return false;
    for (size_t i = 0; i < around->count; i++)
        if (cells->at[around->first_cell + around->elements[i]].shape != TOC_HEX) return false;
    const toc_cell *first = &cells->at[around->first_cell + around->elements[0]];
    for (int i = 0; i < 3; i++) {
        c.v[i][0] = beside(first, corner_of(first, middle), i);
        c.v[i][1] = UINT32_MAX;
    }
    if (!place_all_edges(cells, around, middle, &c)) return false;
    put_edges(&c, out);
    for (size_t i = 0; i < around->count; i++) {
        const int cube = put_corners(&cells->at[around->first_cell + around->elements[i]], middle, &c, out);
        if (cube < 0 || filled & 1 << cube) return false;
        filled |= 1 << cube;
    }
    return true;
}
