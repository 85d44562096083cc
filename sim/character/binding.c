// SPDX-License-Identifier: Apache-2.0
// Points bound to tets: each is a blend of the corners of the tet that contains it, or of the nearest one.
//
// O(points * tets / cells) by a uniform grid of tet boxes; a point outside of all tets looks further out, ring by ring.
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/character/character.h"
#include "sim/core/vector.h"

typedef struct bound_point {
    uint32_t v[4];
    double weights[4];
} bound_point;

struct toc_binding {
    toc_allocator memory;
    SIM_ARRAY(bound_point) points;
    double distance;
};

typedef struct binding_grid {
    const double *x;
    double width, low[3];
    long cells[3];
    SIM_ARRAY(character_tet) tets;
    SIM_ARRAY(uint32_t) heads;
    SIM_ARRAY(uint32_t) next, items; // lists of tets: a tet is in all cells of its box
} binding_grid;

static toc_status take_tets(const toc_allocator *memory, const toc_mesh *cage, binding_grid *g) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(cage); e++) {
        const toc_element element = toc_mesh_get_element(cage, e);
        if (element.shape != TOC_TET) continue;
        SIM_TRY(sim_array_reserve(memory, &g->tets, g->tets.count + 1));
        character_tet t = {.element = e};
        memcpy(t.v, element.corners, sizeof t.v);
        const uint32_t mirrored[4] = {t.v[0], t.v[1], t.v[3], t.v[2]};
        if (toc_character_tet_is_upright(g->x, mirrored)) memcpy(t.v, mirrored, sizeof t.v);
        if (toc_character_tet_is_upright(g->x, t.v)) g->tets.items[g->tets.count++] = t;
    }
    if (g->tets.count == 0) return toc_sim_fail(TOC_BAD_INPUT, "the cage has no tets with a volume");
    return TOC_OK;
}

static long binding_cell(const binding_grid *g, double x, int k) {
    const double at = floor((x - g->low[k]) / g->width);
    return at <= 0 ? 0 : at >= (double)g->cells[k] ? g->cells[k] - 1 : (long)at;
}

static toc_status hash_tet(const toc_allocator *memory, binding_grid *g, uint32_t tet) {
    const character_box box = character_tet_box(g->x, g->tets.items[tet].v);
    long low[3], high[3];
    for (int k = 0; k < 3; k++) low[k] = binding_cell(g, box.low[k], k), high[k] = binding_cell(g, box.high[k], k);
    for (long z = low[2]; z <= high[2]; z++)
        for (long y = low[1]; y <= high[1]; y++)
            for (long x = low[0]; x <= high[0]; x++) {
                uint32_t *head = &g->heads.items[(z * g->cells[1] + y) * g->cells[0] + x];
                SIM_TRY(sim_array_reserve(memory, &g->next, g->next.count + 1));
                SIM_TRY(sim_array_reserve(memory, &g->items, g->items.count + 1));
                g->items.items[g->items.count++] = tet;
                g->next.items[g->next.count] = *head;
                *head = (uint32_t)g->next.count++;
            }
    return TOC_OK;
}

static toc_status make_binding_grid(const toc_allocator *memory, const toc_mesh *cage, binding_grid *g) {
    enum { MOST_ALONG = 64 };
    character_box box = character_box_empty();
    double extent = 0;
    SIM_TRY(take_tets(memory, cage, g));
    for (size_t t = 0; t < g->tets.count; t++)
        for (int k = 0; k < 4; k++) character_box_add(&box, g->x + 3 * (size_t)g->tets.items[t].v[k]);
    for (int k = 0; k < 3; k++) extent = fmax(extent, box.high[k] - box.low[k]);
    g->width = extent / fmin(MOST_ALONG, fmax(1, cbrt((double)g->tets.count)));
    sim_copy(box.low, g->low);
    for (int k = 0; k < 3; k++) g->cells[k] = (long)((box.high[k] - box.low[k]) / g->width) + 1;
    const size_t count = (size_t)(g->cells[0] * g->cells[1] * g->cells[2]);
    SIM_TRY(sim_array_reserve(memory, &g->heads, count));
    for (size_t i = 0; i < count; i++) g->heads.items[i] = CHARACTER_NONE;
    for (uint32_t t = 0; t < g->tets.count; t++) SIM_TRY(hash_tet(memory, g, t));
    return TOC_OK;
}

/// The nearest tet so far.
typedef struct binding_best {
    double distance;
    uint32_t tet;
} binding_best;

static void look_for_tet(const binding_grid *g, const double p[3], long cell, binding_best *best) {
    for (uint32_t i = g->heads.items[cell]; i != CHARACTER_NONE; i = g->next.items[i]) {
        const uint32_t tet = g->items.items[i];
        const double distance = toc_character_distance(p, g->x, g->tets.items[tet].v);
        if (distance < best->distance || (distance == best->distance && tet < best->tet))
            *best = (binding_best){distance, tet};
    }
}

/// Cells at a distance of `ring` cells; a tet there is at least ring - 1 widths away.
static void look_at_ring(const binding_grid *g, const double p[3], const long at[3], long ring, binding_best *best) {
    long low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = at[k] - ring > 0 ? at[k] - ring : 0;
        high[k] = at[k] + ring < g->cells[k] ? at[k] + ring : g->cells[k] - 1;
    }
    for (long z = low[2]; z <= high[2]; z++)
        for (long y = low[1]; y <= high[1]; y++)
            for (long x = low[0]; x <= high[0]; x++) {
                const bool shell = labs(z - at[2]) == ring || labs(y - at[1]) == ring || labs(x - at[0]) == ring;
                if (shell) look_for_tet(g, p, (z * g->cells[1] + y) * g->cells[0] + x, best);
            }
}

static void bind_point(const binding_grid *g, const double p[3], bound_point *out, double *farthest) {
    binding_best best = {INFINITY, CHARACTER_NONE};
    long at[3], rings = 0;
    for (int k = 0; k < 3; k++) at[k] = binding_cell(g, p[k], k), rings = rings > g->cells[k] ? rings : g->cells[k];
    for (long ring = 0; ring <= rings && best.distance > g->width * (double)(ring - 1); ring++)
        look_at_ring(g, p, at, ring, &best);
    const uint32_t *v = g->tets.items[best.tet].v;
    double e[3][3], inverse[3][3], rest[3];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            e[i][k] = g->x[3 * (size_t)v[k + 1] + (size_t)i] - g->x[3 * (size_t)v[0] + (size_t)i];
    sim_matrix_invert(e, inverse);
    sim_sub(p, g->x + 3 * (size_t)v[0], rest);
    sim_matrix_apply(inverse, rest, out->weights + 1);
    out->weights[0] = 1 - out->weights[1] - out->weights[2] - out->weights[3];
    memcpy(out->v, v, sizeof out->v);
    *farthest = fmax(*farthest, best.distance);
}

static toc_status fill_binding(toc_binding *b, const toc_mesh *cage, size_t count, const double *points) {
    binding_grid g = {.x = toc_mesh_get_x1(cage)};
    toc_status status = sim_array_reserve(&b->memory, &b->points, count);
    if (status == TOC_OK) status = make_binding_grid(&b->memory, cage, &g);
    for (size_t i = 0; i < count && status == TOC_OK; i++)
        bind_point(&g, points + 3 * i, &b->points.items[b->points.count++], &b->distance);
    sim_array_free(&b->memory, &g.tets);
    sim_array_free(&b->memory, &g.heads);
    sim_array_free(&b->memory, &g.next);
    sim_array_free(&b->memory, &g.items);
    return status;
}

toc_status toc_binding_create(const toc_mesh *cage, size_t count, const double *points, const toc_allocator *allocator,
                              toc_binding **out) {
    SIM_NEED(cage);
    SIM_NEED(points);
    SIM_NEED(out);
    for (size_t i = 0; i < 3 * count; i++)
        if (!isfinite(points[i])) return toc_sim_fail(TOC_BAD_INPUT, "point %zu is not finite", i / 3);
    const toc_allocator memory = allocator ? *allocator : toc_allocator_get_default();
    toc_binding *b = memory.resize(memory.user, NULL, 0, sizeof *b);
    if (!b) return toc_sim_fail(TOC_OUT_OF_MEMORY, "out of memory: %zu bytes", sizeof *b);
    memset(b, 0, sizeof *b);
    b->memory = memory;
    const toc_status status = fill_binding(b, cage, count, points);
    if (status == TOC_OK)
        *out = b;
    else
        toc_binding_destroy(b);
    return status;
}

void toc_binding_destroy(toc_binding *b) {
    if (!b) return;
    const toc_allocator memory = b->memory;
    sim_array_free(&memory, &b->points);
    memory.resize(memory.user, b, sizeof *b, 0);
}

void toc_binding_apply(const toc_binding *b, const double *cage, double *points) {
    if (!b || !cage || !points) return;
    for (size_t i = 0; i < b->points.count; i++) {
        const bound_point *p = &b->points.items[i];
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int j = 0; j < 4; j++) sum += p->weights[j] * cage[3 * (size_t)p->v[j] + (size_t)k];
            points[3 * i + (size_t)k] = sum;
        }
    }
}

double toc_binding_get_distance(const toc_binding *b) { return b ? b->distance : 0; }
