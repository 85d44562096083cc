// SPDX-License-Identifier: Apache-2.0
// Vertices in tets by spatial hashing: vertices lie in the cell of their position, tets look into all cells of their
// box.
//
// Complete for the vertices that were added and the tets that are looked up: a vertex in a tet is in its box, so its
// cell is one of the tet's. An entry of the hash is a row of eight cells, so a tet looks up a few entries, and the
// vertices of neighbouring cells lie in one run. Stamps make the entries of earlier searches empty without touching
// them. Boxes are compared as packed positions (spot.h). The test is exact: floating point with an error bound, and
// exact arithmetic where it cannot tell. After Teschner et al. 2003, "Optimized spatial hashing for collision detection
// of deformable objects".
#include <assert.h>
#include <string.h>

#include "sim/character/character.h"
#include "sim/core/vector.h"
#include "toccata/convex.h"

// A cell is 2^8 steps of the raster wide.
enum { CELL_SHIFT = 8, CELL_MOST = SPOT_MOST >> CELL_SHIFT };

// Boxes that cover more rows of cells than this compare with all vertices.
enum { MOST_ROWS = 256 };

// ---- raster

// Monotone in x, which is all that completeness needs; a position that is no number gets 0.
static uint32_t raster_at(const character_grid *g, double x, int k) {
    const double at = (x - g->low[k]) * g->per_step;
    return !(at > 0) ? 0 : at >= SPOT_MOST ? SPOT_MOST : (uint32_t)at;
}

static character_spot spot_at(const character_grid *g, const double x[3]) {
    return spot_make(raster_at(g, x[0], 0), raster_at(g, x[1], 1), raster_at(g, x[2], 2));
}

character_spots toc_character_grid_box(const toc_character *c, const character_box *box) {
    return (character_spots){spot_at(&c->grid, box->low), spot_at(&c->grid, box->high)};
}

static toc_status size_grid(toc_character *c) {
    character_grid *g = &c->grid;
    size_t size = 64;
    while (size <= c->boundary.count + c->boundary.count / 4) size *= 2;
    TOC_TRY(toc_array_room(&c->memory, &g->spots, c->vertex_count));
    TOC_TRY(toc_array_room(&c->memory, &g->homes, c->boundary.count));
    TOC_TRY(toc_array_room(&c->memory, &g->used, c->boundary.count));
    TOC_TRY(toc_array_room(&c->memory, &g->sorted, c->boundary.count));
    TOC_TRY(toc_array_room(&c->memory, &g->found, c->boundary.count + 1)); // a filter writes one ahead
    TOC_TRY(toc_array_room(&c->memory, &g->sorted_spots, c->boundary.count));
    if (size <= g->rows.count) return TOC_OK;
    TOC_TRY(toc_array_room(&c->memory, &g->rows, size));
    g->rows.count = size;
    memset(g->rows.at, 0, size * sizeof *g->rows.at);
    g->stamp = 0;
    return TOC_OK;
}

toc_status toc_character_grid_begin(toc_character *c) {
    character_grid *g = &c->grid;
    TOC_TRY(size_grid(c));
    character_box box = character_box_empty();
    for (size_t i = 0; i < c->boundary.count; i++) character_box_add(&box, c->x.at + 3 * (size_t)c->boundary.at[i]);
    double extent = 0;
    for (int k = 0; k < 3; k++) extent = fmax(extent, box.high[k] - box.low[k]);
    // A little more than the mean edge, as published; coarser where a body is far away.
    double width = fmax(1.05 * c->mean_edge, extent / (CELL_MOST - 1));
    if (!(width > 0)) width = 1;
    g->per_step = (1 << CELL_SHIFT) / width;
    sim_copy(box.low, g->low);
    for (size_t v = 0; v < c->vertex_count; v++) g->spots.at[v] = spot_at(g, c->x.at + 3 * v);
    if (++g->stamp == 0) {
        memset(g->rows.at, 0, g->rows.count * sizeof *g->rows.at);
        g->stamp = 1;
    }
    c->inside_inverted = c->tested_tets = 0;
    return toc_character_keep(c);
}

// ---- rows of cells

/// The three primes are those of Teschner et al.
static size_t hash_place(const character_grid *g, uint32_t block, uint32_t y, uint32_t z) {
    return (block * UINT32_C(73856093) ^ y * UINT32_C(19349663) ^ z * UINT32_C(83492791)) & (g->rows.count - 1);
}

static uint64_t row_key(uint32_t block, uint32_t y, uint32_t z) {
    return (uint64_t)block << 2 * SPOT_BITS | (uint64_t)y << SPOT_BITS | z;
}

/// The row of a key, or the empty entry where it belongs. There are more entries than vertices: one is empty.
static uint32_t find_row(const character_grid *g, uint32_t block, uint32_t y, uint32_t z) {
    const uint64_t key = row_key(block, y, z);
    size_t at = hash_place(g, block, y, z);
    while (g->rows.at[at].stamp == g->stamp && g->rows.at[at].key != key) at = (at + 1) & (g->rows.count - 1);
    return (uint32_t)at;
}

static uint32_t spot_cell(character_spot s, int axis) { return spot_get(s, axis) >> CELL_SHIFT; }

/// Count a vertex in its cell. @return its row.
static uint32_t count_in_row(character_grid *g, character_spot s) {
    const uint32_t x = spot_cell(s, 0), at = find_row(g, x / ROW_CELLS, spot_cell(s, 1), spot_cell(s, 2));
    character_row *row = &g->rows.at[at];
    if (row->stamp != g->stamp) {
        row->stamp = g->stamp;
        row->key = row_key(x / ROW_CELLS, spot_cell(s, 1), spot_cell(s, 2));
        memset(row->starts, 0, sizeof row->starts);
        g->used.at[g->used.count++] = at;
    }
    row->starts[x % ROW_CELLS + 1]++;
    return at;
}

// Counts become the starts of cells; while vertices are put in place, starts[i + 1] runs to the end of cell i.
static void start_rows(character_grid *g) {
    uint32_t sum = 0;
    for (size_t i = 0; i < g->used.count; i++) {
        uint32_t *starts = g->rows.at[g->used.at[i]].starts;
        starts[0] = sum;
        for (int k = 0; k < ROW_CELLS; k++) {
            const uint32_t count = starts[k + 1];
            starts[k + 1] = sum;
            sum += count;
        }
    }
}

void toc_character_grid_fill(toc_character *c) {
    character_grid *g = &c->grid;
    assert(c->awake.count <= c->boundary.count);
    g->used.count = 0;
    for (size_t i = 0; i < c->awake.count; i++) g->homes.at[i] = count_in_row(g, g->spots.at[c->awake.at[i]]);
    start_rows(g);
    for (size_t i = 0; i < c->awake.count; i++) {
        const uint32_t v = c->awake.at[i];
        const character_spot s = g->spots.at[v];
        const uint32_t to = g->rows.at[g->homes.at[i]].starts[spot_cell(s, 0) % ROW_CELLS + 1]++;
        g->sorted.at[to] = v;
        g->sorted_spots.at[to] = s;
    }
    g->sorted.count = c->awake.count;
}

// ---- the test

/// The determinant of three rows; `error` receives a bound of its rounding if these are rounded differences.
// Shewchuk 1997: the determinant of rounded differences is off by less than (7 + 56 e) e times the permanent, e =
// 2^-53.
static inline double determinant(const double p[3], const double q[3], const double r[3], double *error) {
    const double qr0 = q[1] * r[2], qr1 = q[2] * r[1], rp0 = r[1] * p[2], rp1 = r[2] * p[1];
    const double pq0 = p[1] * q[2], pq1 = p[2] * q[1];
    *error = 0x1.cp-51 * (fabs(p[0]) * (fabs(qr0) + fabs(qr1)) + fabs(q[0]) * (fabs(rp0) + fabs(rp1)) +
                          fabs(r[0]) * (fabs(pq0) + fabs(pq1))) +
             0x1p-1000; // products that vanish
    return p[0] * (qr0 - qr1) + q[0] * (rp0 - rp1) + r[0] * (pq0 - pq1);
}

bool toc_character_tet_is_upright(const double *x, const uint32_t v[4]) {
    double d[3][3], error;
    for (int k = 0; k < 3; k++) sim_sub(x + 3 * (size_t)v[k], x + 3 * (size_t)v[3], d[k]);
    const double volume6 = -determinant(d[0], d[1], d[2], &error);
    return volume6 > error;
}

static bool test_exactly(const double *x, const double *p, const uint32_t v[4], double weights[4]) {
    double corners[12];
    toc_inside inside;
    for (int k = 0; k < 4; k++) sim_copy(x + 3 * (size_t)v[k], corners + 3 * k);
    if (toc_inside_find(TOC_TET, corners, p, &inside) != TOC_OK || inside.verdict == TOC_APART) return false;
    memcpy(weights, inside.weights, 4 * sizeof *weights);
    return true;
}

int toc_character_test(const double *x, uint32_t vertex, const uint32_t v[4], double weights[4]) {
    // Faces opposite to each corner, wound so that a point inside gives the sign of the tet.
    static const uint8_t faces[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    const double *p = x + 3 * (size_t)vertex;
    double d[4][3], error, sum = 0;
    int above = 0, below = 0;
    for (int k = 0; k < 4; k++) sim_sub(x + 3 * (size_t)v[k], p, d[k]);
    for (int k = 0; k < 4; k++) {
        weights[k] = -determinant(d[faces[k][0]], d[faces[k][1]], d[faces[k][2]], &error);
        above += weights[k] > error;
        below += weights[k] < -error;
        if (above && below) return 0;
        sum += weights[k];
    }
    if (above == 4) {
        for (int k = 0; k < 4; k++) weights[k] /= sum;
        return 1;
    }
    if (below == 4) return -1;
    if (!test_exactly(x, p, v, weights)) return 0;
    return toc_character_tet_is_upright(x, v) ? 1 : -1;
}

// ---- the search

static toc_status add_hit(toc_character *c, uint32_t vertex, uint32_t tet, const double weights[4]) {
    TOC_TRY(toc_array_reserve(&c->memory, &c->hits, 1));
    character_hit *to = &c->hits.at[c->hits.count++];
    *to = (character_hit){.vertex = vertex, .tet = tet};
    memcpy(to->weights, weights, sizeof to->weights);
    return TOC_OK;
}

static bool is_corner(const character_tet *t, uint32_t vertex) {
    return t->v[0] == vertex || t->v[1] == vertex || t->v[2] == vertex || t->v[3] == vertex;
}

toc_status toc_character_grid_test(toc_character *c, uint32_t vertex, uint32_t tet) {
    const character_tet *t = &c->tets.at[tet];
    double weights[4];
    if (is_corner(t, vertex) || (t->body > 0 && c->part_of.at[vertex] == t->part)) return TOC_OK;
    const int inside = toc_character_test(c->x.at, vertex, t->v, weights);
    c->inside_inverted += inside < 0;
    return inside > 0 ? add_hit(c, vertex, tet, weights) : TOC_OK;
}

static size_t filter_run(const character_grid *g, uint32_t first, uint32_t end, character_spots box, uint32_t *found,
                         size_t count) {
    return spots_filter(g->sorted_spots.at + first, g->sorted.at + first, end - first, box, found, count);
}

/// The runs of a row of cells.
static size_t filter_row(const character_grid *g, character_spots box, uint32_t y, uint32_t z, uint32_t *found,
                         size_t count) {
    const uint32_t from = spot_cell(box.low, 0), to = spot_cell(box.high, 0);
    for (uint32_t block = from / ROW_CELLS; block <= to / ROW_CELLS; block++) {
        const character_row *row = &g->rows.at[find_row(g, block, y, z)];
        if (row->stamp != g->stamp) continue;
        const uint32_t first = block == from / ROW_CELLS ? from % ROW_CELLS : 0;
        const uint32_t last = block == to / ROW_CELLS ? to % ROW_CELLS : ROW_CELLS - 1;
        count = filter_run(g, row->starts[first], row->starts[last + 1], box, found, count);
    }
    return count;
}

size_t toc_character_grid_find(const toc_character *c, character_spots box, uint32_t *found) {
    const character_grid *g = &c->grid;
    const uint32_t low[2] = {spot_cell(box.low, 1), spot_cell(box.low, 2)};
    const uint32_t high[2] = {spot_cell(box.high, 1), spot_cell(box.high, 2)};
    const uint32_t blocks = spot_cell(box.high, 0) / ROW_CELLS - spot_cell(box.low, 0) / ROW_CELLS + 1;
    size_t count = 0;
    if ((high[0] - low[0] + 1.0) * (high[1] - low[1] + 1.0) * blocks > MOST_ROWS)
        return filter_run(g, 0, (uint32_t)g->sorted.count, box, found, 0);
    for (uint32_t z = low[1]; z <= high[1]; z++)
        for (uint32_t y = low[0]; y <= high[0]; y++) count = filter_row(g, box, y, z, found, count);
    assert(count <= g->sorted.count);
    return count;
}

toc_status toc_character_grid_search(toc_character *c, const character_cluster *cluster) {
    for (uint32_t i = cluster->first_tet; i < cluster->end_tet; i++) {
        const uint32_t t = c->cluster_tets.at[i];
        const character_spots box = spots_of(c->grid.spots.at, c->tets.at[t].v);
        const size_t count = toc_character_grid_find(c, box, c->grid.found.at);
        c->tested_tets += count > 0;
        for (size_t k = 0; k < count; k++) TOC_TRY(toc_character_grid_test(c, c->grid.found.at[k], t));
    }
    return TOC_OK;
}
