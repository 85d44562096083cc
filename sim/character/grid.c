// SPDX-License-Identifier: Apache-2.0
// Vertices in tets by spatial hashing: vertices lie in the cell of their position, tets look into all cells of their
// box.
//
// Complete for the vertices that were added and the tets that are looked up: a vertex in a tet is in its box, so its
// cell is one of the tet's. Cells are compared by coordinates, so each pair is tested once. Stamps make the cells of
// earlier searches empty without touching them. The test is exact: floating point with an error bound, and exact
// arithmetic where it cannot tell.
// After Teschner et al. 2003, "Optimized spatial hashing for collision detection of deformable objects".
#include <assert.h>
#include <string.h>

#include "sim/character/character.h"
#include "sim/core/vector.h"
#include "toccata/convex.h"

// Coordinates of a cell have 21 bits each.
enum { CELL_BITS = 21, CELL_MOST = (1 << CELL_BITS) - 1 };

// Tets that cover more cells than this compare with all vertices.
enum { MOST_CELLS = 512 };

static bool is_grid_prime(uint32_t n) {
    for (uint32_t d = 3; d <= n / d; d += 2)
        if (n % d == 0) return false;
    return n % 2 == 1;
}

static toc_status size_grid(toc_character *c) {
    character_grid *g = &c->grid;
    SIM_TRY(sim_array_reserve(&c->memory, &g->next, c->vertex_count));
    SIM_TRY(sim_array_reserve(&c->memory, &g->keys, c->vertex_count));
    uint32_t size = (uint32_t)(2 * c->boundary.count) | 1;
    while (!is_grid_prime(size)) size += 2;
    if (size <= g->size) return TOC_OK;
    SIM_TRY(toc_sim_array_resize_(&c->memory, (void **)&g->cells, &g->capacity, size, sizeof *g->cells));
    g->size = size;
    return TOC_OK;
}

// Bits for the cells that have vertices, so that tets pass by empty cells quickly: no more words than vertices, about.
static toc_status clear_occupied(toc_character *c, const uint32_t most[3]) {
    character_grid *g = &c->grid;
    const size_t room = 4 * c->boundary.count + 1024;
    size_t words, layers;
    for (g->coarse = 0;; g->coarse++) {
        g->rows[0] = (most[0] >> g->coarse) / 64 + 1;
        g->rows[1] = (most[1] >> g->coarse) + 1;
        layers = (most[2] >> g->coarse) + 1;
        words = (size_t)g->rows[0] * g->rows[1];
        if (words <= room / layers) break;
    }
    SIM_TRY(sim_array_reserve(&c->memory, &g->occupied, words * layers));
    memset(g->occupied.items, 0, words * layers * sizeof *g->occupied.items);
    return TOC_OK;
}

static uint64_t *occupied_row(const character_grid *g, uint32_t y, uint32_t z) {
    const size_t row = (size_t)(z >> g->coarse) * g->rows[1] + (y >> g->coarse);
    return g->occupied.items + row * g->rows[0];
}

// Monotone in x, which is all that completeness needs.
static uint32_t cell_of(const character_grid *g, double x, int k) {
    const double at = (x - g->low[k]) * g->per_width;
    return at <= 0 ? 0 : at >= CELL_MOST ? CELL_MOST : (uint32_t)at;
}

toc_status toc_character_grid_begin(toc_character *c) {
    character_grid *g = &c->grid;
    SIM_TRY(size_grid(c));
    character_box box = character_box_empty();
    for (size_t i = 0; i < c->boundary.count; i++)
        character_box_add(&box, c->x.items + 3 * (size_t)c->boundary.items[i]);
    double extent = 0;
    for (int k = 0; k < 3; k++) extent = fmax(extent, box.high[k] - box.low[k]);
    // A little more than the mean edge, as published; smaller cells are no faster. Coarser where a body is far away.
    g->width = fmax(1.05 * c->mean_edge, extent / (CELL_MOST - 1));
    if (g->width == 0) g->width = 1;
    g->per_width = 1 / g->width;
    sim_copy(box.low, g->low);
    for (int k = 0; k < 3; k++) g->most[k] = cell_of(g, box.high[k], k);
    SIM_TRY(clear_occupied(c, g->most));
    if (++g->stamp == 0) {
        memset(g->cells, 0, g->size * sizeof *g->cells);
        g->stamp = 1;
    }
    c->hits.count = 0;
    c->inside_inverted = c->tested_tets = 0;
    c->last_tested = CHARACTER_NONE;
    return TOC_OK;
}

static uint64_t key_of(const uint32_t cell[3]) {
    return (uint64_t)cell[0] << 2 * CELL_BITS | (uint64_t)cell[1] << CELL_BITS | cell[2];
}

static uint32_t hash_place(const character_grid *g, const uint32_t cell[3]) {
    return (cell[0] * UINT32_C(73856093) ^ cell[1] * UINT32_C(19349663) ^ cell[2] * UINT32_C(83492791)) % g->size;
}

void toc_character_grid_add(toc_character *c, uint32_t vertex) {
    character_grid *g = &c->grid;
    const double *x = c->x.items + 3 * (size_t)vertex;
    const uint32_t cell[3] = {cell_of(g, x[0], 0), cell_of(g, x[1], 1), cell_of(g, x[2], 2)};
    character_cell *to = &g->cells[hash_place(g, cell)];
    assert(vertex < c->vertex_count);
    g->keys.items[vertex] = key_of(cell);
    g->next.items[vertex] = to->stamp == g->stamp ? to->head : CHARACTER_NONE;
    to->stamp = g->stamp;
    to->head = vertex;
    const uint32_t along = cell[0] >> g->coarse;
    occupied_row(g, cell[1], cell[2])[along / 64] |= UINT64_C(1) << along % 64;
}

// ---- the test

/// Six volumes of a tet; `error` receives a bound of its rounding.
// Shewchuk 1997: the determinant of rounded differences is off by less than (7 + 56 e) e times the permanent, e =
// 2^-53.
static double volume6(const double a[3], const double b[3], const double c[3], const double d[3], double *error) {
    double p[3], q[3], r[3];
    sim_sub(a, d, p);
    sim_sub(b, d, q);
    sim_sub(c, d, r);
    const double qr0 = q[1] * r[2], qr1 = q[2] * r[1], rp0 = r[1] * p[2], rp1 = r[2] * p[1];
    const double pq0 = p[1] * q[2], pq1 = p[2] * q[1];
    *error = 0x1.cp-51 * (fabs(p[0]) * (fabs(qr0) + fabs(qr1)) + fabs(q[0]) * (fabs(rp0) + fabs(rp1)) +
                          fabs(r[0]) * (fabs(pq0) + fabs(pq1))) +
             0x1p-1000; // products that vanish
    return p[0] * (qr0 - qr1) + q[0] * (rp0 - rp1) + r[0] * (pq0 - pq1);
}

bool toc_character_tet_is_upright(const double *x, const uint32_t v[4]) {
    double error;
    const double volume =
        -volume6(x + 3 * (size_t)v[0], x + 3 * (size_t)v[1], x + 3 * (size_t)v[2], x + 3 * (size_t)v[3], &error);
    return volume > error;
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
    double error, sum = 0;
    int above = 0, below = 0;
    for (int k = 0; k < 4; k++) {
        weights[k] = -volume6(x + 3 * (size_t)v[faces[k][0]], x + 3 * (size_t)v[faces[k][1]],
                              x + 3 * (size_t)v[faces[k][2]], p, &error);
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
    SIM_TRY(sim_array_reserve(&c->memory, &c->hits, c->hits.count + 1));
    character_hit *to = &c->hits.items[c->hits.count++];
    *to = (character_hit){.vertex = vertex, .tet = tet};
    memcpy(to->weights, weights, sizeof to->weights);
    return TOC_OK;
}

static bool is_corner(const character_tet *t, uint32_t vertex) {
    return t->v[0] == vertex || t->v[1] == vertex || t->v[2] == vertex || t->v[3] == vertex;
}

toc_status toc_character_grid_test(toc_character *c, uint32_t vertex, uint32_t tet, const character_box *box) {
    const character_tet *t = &c->tets.items[tet];
    double weights[4];
    if (!character_box_has(box, c->x.items + 3 * (size_t)vertex)) return TOC_OK;
    if (is_corner(t, vertex) || (t->body > 0 && c->part_of.items[vertex] == t->part)) return TOC_OK;
    const int inside = toc_character_test(c->x.items, vertex, t->v, weights);
    c->inside_inverted += inside < 0;
    return inside > 0 ? add_hit(c, vertex, tet, weights) : TOC_OK;
}

static toc_status look_into_cell(toc_character *c, const uint32_t cell[3], uint32_t tet, const character_box *box) {
    const character_grid *g = &c->grid;
    const character_cell *from = &g->cells[hash_place(g, cell)];
    if (from->stamp != g->stamp) return TOC_OK;
    const uint64_t key = key_of(cell);
    for (uint32_t v = from->head; v != CHARACTER_NONE; v = g->next.items[v])
        if (g->keys.items[v] == key) SIM_TRY(toc_character_grid_test(c, v, tet, box));
    return TOC_OK;
}

/// The occupied cells of a row, from a cell on: word by word, bit by bit.
static toc_status look_into_row(toc_character *c, const uint32_t from[3], uint32_t last, uint32_t tet,
                                const character_box *box) {
    const character_grid *g = &c->grid;
    const uint64_t *row = occupied_row(g, from[1], from[2]);
    const uint32_t begin = from[0] >> g->coarse, end = last >> g->coarse;
    for (uint32_t word = begin / 64; word <= end / 64; word++) {
        uint64_t bits = row[word];
        if (word == begin / 64) bits &= UINT64_MAX << begin % 64;
        if (word == end / 64) bits &= UINT64_MAX >> (63 - end % 64);
        c->tested_tets += bits != 0 && c->last_tested != tet;
        if (bits) c->last_tested = tet;
        for (; bits; bits &= bits - 1) {
            const uint32_t first = (word * 64 + (uint32_t)__builtin_ctzll(bits)) << g->coarse;
            uint32_t cell[3] = {first < from[0] ? from[0] : first, from[1], from[2]};
            for (; cell[0] <= last && cell[0] >> g->coarse == first >> g->coarse; cell[0]++)
                SIM_TRY(look_into_cell(c, cell, tet, box));
        }
    }
    return TOC_OK;
}

static toc_status look_into_cells(toc_character *c, uint32_t tet, const character_box *box) {
    const character_grid *g = &c->grid;
    uint32_t low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = cell_of(g, box->low[k], k);
        high[k] = cell_of(g, box->high[k], k);
        if (low[k] > g->most[k]) return TOC_OK; // behind all vertices
        if (high[k] > g->most[k]) high[k] = g->most[k];
    }
    const double count = (high[0] - low[0] + 1.0) * (high[1] - low[1] + 1.0) * (high[2] - low[2] + 1.0);
    if (count > MOST_CELLS) {
        for (size_t i = 0; i < c->awake.count; i++) SIM_TRY(toc_character_grid_test(c, c->awake.items[i], tet, box));
        return TOC_OK;
    }
    for (uint32_t z = low[2]; z <= high[2]; z++)
        for (uint32_t y = low[1]; y <= high[1]; y++) {
            const uint32_t from[3] = {low[0], y, z};
            SIM_TRY(look_into_row(c, from, high[0], tet, box));
        }
    return TOC_OK;
}

toc_status toc_character_grid_search(toc_character *c) {
    for (uint32_t t = 0; t < c->tets.count; t++) {
        const character_box box = character_tet_box(c->x.items, c->tets.items[t].v);
        SIM_TRY(look_into_cells(c, t, &box));
    }
    return TOC_OK;
}
