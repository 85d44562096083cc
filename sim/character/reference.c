// SPDX-License-Identifier: Apache-2.0
// The reference pose of the safe rule: that of the first frame. It lists the pairs of a vertex and a tet that are close
// there, and the cells that each part reaches. O(n) with a grid, once.
#include <string.h>

#include "sim/character/character.h"
#include "sim/core/vector.h"

/// The boundary vertices in each cell of a grid.
typedef struct near_grid {
    double width, low[3];
    size_t cells[3];
    SIM_ARRAY(uint32_t) heads;
    SIM_ARRAY(uint32_t) next; // by vertex
} near_grid;

static size_t near_cell(const near_grid *g, double x, int k) {
    const double at = floor((x - g->low[k]) / g->width);
    return at <= 0 ? 0 : at >= (double)g->cells[k] ? g->cells[k] - 1 : (size_t)at;
}

static size_t near_place(const near_grid *g, const size_t cell[3]) {
    return (cell[2] * g->cells[1] + cell[1]) * g->cells[0] + cell[0];
}

static toc_status make_near_grid(toc_character *c, near_grid *g) {
    enum { MOST_ALONG = 128 };
    character_box box = character_box_empty();
    for (size_t v = 0; v < c->bodies.items[0].count; v++) character_box_add(&box, c->reference.items + 3 * v);
    double extent = 0;
    for (int k = 0; k < 3; k++) extent = fmax(extent, box.high[k] - box.low[k]);
    g->width = fmax(c->mean_edge, extent / MOST_ALONG);
    sim_copy(box.low, g->low);
    for (int k = 0; k < 3; k++) g->cells[k] = (size_t)((box.high[k] - box.low[k]) / g->width) + 1;
    const size_t count = g->cells[0] * g->cells[1] * g->cells[2];
    SIM_TRY(sim_array_reserve(&c->memory, &g->heads, count));
    SIM_TRY(sim_array_reserve(&c->memory, &g->next, c->vertex_count));
    for (size_t i = 0; i < count; i++) g->heads.items[i] = CHARACTER_NONE;
    for (size_t i = 0; i < c->boundary.count; i++) {
        const uint32_t v = c->boundary.items[i];
        size_t cell[3];
        if (v >= c->bodies.items[0].count) continue;
        for (int k = 0; k < 3; k++) cell[k] = near_cell(g, c->reference.items[3 * (size_t)v + (size_t)k], k);
        g->next.items[v] = g->heads.items[near_place(g, cell)];
        g->heads.items[near_place(g, cell)] = v;
    }
    return TOC_OK;
}

/// Add the vertices of a cell that are near a tet. Distances are off by roundings only, far below a millionth of an
/// edge.
static toc_status add_near_of_cell(toc_character *c, const near_grid *g, size_t place, const character_tet *t) {
    const double reach = c->near_distance + 0x1p-20 * c->mean_edge;
    for (uint32_t v = g->heads.items[place]; v != CHARACTER_NONE; v = g->next.items[v]) {
        if (t->v[0] == v || t->v[1] == v || t->v[2] == v || t->v[3] == v) continue;
        const double gap = toc_character_distance(c->reference.items + 3 * (size_t)v, c->reference.items, t->v);
        if (!(gap <= reach)) continue;
        SIM_TRY(sim_array_reserve(&c->memory, &c->near, c->near.count + 1));
        SIM_TRY(sim_array_reserve(&c->memory, &c->near_gaps, c->near.count + 1));
        c->near_gaps.items[c->near.count] = (float)((1 - 0x1p-20) * gap - 0x1p-20 * c->mean_edge);
        c->near.items[c->near.count++] = v;
    }
    return TOC_OK;
}

static toc_status add_near_of_tet(toc_character *c, const near_grid *g, const character_tet *t) {
    const character_box box = character_tet_box(c->reference.items, t->v);
    size_t low[3], high[3], cell[3];
    for (int k = 0; k < 3; k++) {
        low[k] = near_cell(g, box.low[k] - c->mean_edge, k);
        high[k] = near_cell(g, box.high[k] + c->mean_edge, k);
    }
    for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
        for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
            for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++)
                SIM_TRY(add_near_of_cell(c, g, near_place(g, cell), t));
    return TOC_OK;
}

/// A pose that is crumpled, such as all vertices at one point, is no reference: everything is near everything.
static bool near_is_full(const toc_character *c) {
    enum { MOST_OF_TET = 100 };
    return c->near.count > MOST_OF_TET * (size_t)c->bodies.items[0].tet_count;
}

static toc_status list_near_pairs(toc_character *c) {
    near_grid g = {0};
    c->near.count = c->near_ends.count = 0;
    c->near_distance = 0.45 * c->mean_edge;
    c->quiet_shift = 0.2 * c->mean_edge;
    SIM_TRY(sim_array_reserve(&c->memory, &c->near_ends, c->bodies.items[0].tet_count));
    SIM_TRY(sim_array_reserve(&c->memory, &c->tet_shift, c->tets.count));
    toc_status status = make_near_grid(c, &g);
    for (size_t t = 0; t < c->bodies.items[0].tet_count && status == TOC_OK && !near_is_full(c); t++) {
        status = add_near_of_tet(c, &g, &c->tets.items[t]);
        c->near_ends.items[c->near_ends.count++] = c->near.count;
    }
    sim_array_free(&c->memory, &g.heads);
    sim_array_free(&c->memory, &g.next);
    return status;
}

// ---- homes: the cells of the reference pose that the tets of each part reach

static toc_status make_homes(toc_character *c) {
    enum { MOST_ALONG = 64 };
    character_mask *m = &c->homes;
    const double slack = c->quiet_shift + 0x1p-20 * c->mean_edge;
    character_box all = character_box_empty();
    double extent = 0;
    for (size_t v = 0; v < c->bodies.items[0].count; v++) character_box_add(&all, c->reference.items + 3 * v);
    for (int k = 0; k < 3; k++) extent = fmax(extent, all.high[k] - all.low[k]);
    const double width = fmax(0.5 * c->mean_edge, extent / MOST_ALONG);
    m->per_width = 1 / width;
    size_t count = 1;
    for (int k = 0; k < 3; k++) {
        m->low[k] = all.low[k] - slack - width;
        m->cells[k] = (uint32_t)((all.high[k] + slack - m->low[k]) / width) + 2;
        count *= m->cells[k];
    }
    SIM_TRY(sim_array_reserve(&c->memory, &m->bits, count));
    memset(m->bits.items, 0, count * sizeof *m->bits.items);
    for (size_t t = 0; t < c->bodies.items[0].tet_count; t++) {
        character_box box = character_tet_box(c->reference.items, c->tets.items[t].v);
        for (int k = 0; k < 3; k++) box.low[k] -= slack, box.high[k] += slack;
        toc_character_mask_add(m, &box, UINT64_C(1) << c->tets.items[t].part % 64);
    }
    return TOC_OK;
}

toc_status toc_character_take_reference(toc_character *c) {
    const size_t numbers = 3 * (size_t)c->bodies.items[0].count;
    SIM_TRY(sim_array_reserve(&c->memory, &c->reference, numbers));
    SIM_TRY(sim_array_reserve(&c->memory, &c->reference_matrices, 12 * c->joint_count));
    memcpy(c->reference.items, c->x.items, numbers * sizeof(double));
    memcpy(c->reference_matrices.items, c->matrices.items, 12 * c->joint_count * sizeof(double));
    SIM_TRY(list_near_pairs(c));
    if (near_is_full(c)) {
        c->near.count = c->near_ends.count = 0;
        return TOC_OK;
    }
    SIM_TRY(make_homes(c));
    c->has_reference = true;
    return TOC_OK;
}
