// SPDX-License-Identifier: Apache-2.0
// Splitting of volume elements, after Algorithm 1 of VolCCD (Tang et al. 2011) and O'Brien and Hodgins 1999.
//
// A vertex whose mean stress exceeds the material's failure stress splits: elements on either side of the plane across
// the largest principal stress get a vertex of their own.
#include "sim/fracture/fracture.h"

#include <assert.h>

#include "sim/constraint/constraint.h"
#include "sim/core/vector.h"
#include "sim/response/contact.h"

static void mean_stress(const toc_sim *sim, const uint32_t *tets, uint32_t count, double out[3][3]) {
    double volume = 0;
    memset(out, 0, 9 * sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        const sim_tet *tet = &sim->tets.at[tets[i]];
        double stress[3][3];
        toc_sim_tet_stress(sim, tet, stress);
        volume += tet->volume;
        for (int k = 0; k < 9; k++) out[k / 3][k % 3] += tet->volume * stress[k / 3][k % 3];
    }
    for (int k = 0; k < 9 && volume > 0; k++) out[k / 3][k % 3] /= volume;
}

// The side of an element is that of its first tet around the vertex, so that a hex stays whole.
static bool is_beyond(const toc_sim *sim, const uint32_t *tets, uint32_t count, uint32_t element, const double at[3],
                      const double normal[3]) {
    for (uint32_t i = 0; i < count; i++) {
        const sim_tet *tet = &sim->tets.at[tets[i]];
        if (tet->element != element) continue;
        double middle[3];
        toc_sim_tet_middle(sim, tet, middle);
        sim_sub(middle, at, middle);
        return sim_dot(middle, normal) > 0;
    }
    return false;
}

// Elements beyond the plane, each once. @return their number; 0 if one side would be empty.
static size_t elements_beyond(const toc_sim *sim, const uint32_t *tets, uint32_t count, const double at[3],
                              const double normal[3], uint32_t *out) {
    size_t beyond = 0, others = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t element = sim->tets.at[tets[i]].element;
        bool known = false;
        for (size_t k = 0; k < beyond && !known; k++) known = out[k] == element;
        if (known) continue;
        if (is_beyond(sim, tets, count, element, at, normal)) {
            out[beyond++] = element;
        } else {
            others++;
        }
    }
    return others > 0 ? beyond : 0;
}

static toc_status split_vertex(toc_sim *sim, uint32_t id, const sim_stars *stars, uint32_t vertex, uint32_t *elements,
                               sim_splits *splits) {
    const sim_body *body = &sim->bodies.at[id];
    const uint32_t first = stars->first.at[vertex], count = stars->first.at[vertex + 1] - first;
    const uint32_t *tets = stars->items.at + first, old = body->first + vertex;
    double stress[3][3], normal[3];
    if (count < 2 || sim_is_pinned(sim, old)) return TOC_OK;
    mean_stress(sim, tets, count, stress);
    if (!(toc_sim_largest_eigenvalue(stress, normal) > body->material.failure)) return TOC_OK;
    const size_t beyond = elements_beyond(sim, tets, count, sim->x[old], normal, elements);
    if (beyond == 0) return TOC_OK;
    const bool full = body->count >= body->room;
    sim->unsplit += full;
    if (full) return TOC_OK;
    const sim_around around = {.tets = tets, .tet_count = count};
    return toc_sim_vertex_split(sim, id, &around, vertex, elements, beyond, NULL, splits);
}

// Neighbours of a vertex that split have other stresses now: they wait for the next step.
static void mark_star(const toc_sim *sim, const sim_stars *stars, const sim_body *body, uint32_t vertex, bool *busy) {
    for (uint32_t i = stars->first.at[vertex]; i < stars->first.at[vertex + 1]; i++)
        for (int k = 0; k < 4; k++) {
            const uint32_t v = sim->tets.at[stars->items.at[i]].v[k] - body->first;
            busy[v] = true;
        }
}

static toc_status split_vertices(toc_sim *sim, uint32_t id, const sim_stars *stars, sim_splits *splits) {
    assert(id < sim->bodies.count);
    const sim_body *body = &sim->bodies.at[id];
    const uint32_t count = body->count;
    TOC_ARRAY(bool) busy = {0};
    TOC_ARRAY(uint32_t) elements = {0};
    toc_status status = toc_array_room(&sim->memory, &busy, body->room);
    if (status == TOC_OK) status = toc_array_room(&sim->memory, &elements, stars->items.capacity);
    for (uint32_t v = 0; v < count && status == TOC_OK; v++) {
        if (busy.at[v]) continue;
        const size_t before = splits->count;
        status = split_vertex(sim, id, stars, v, elements.at, splits);
        if (splits->count > before) mark_star(sim, stars, body, v, busy.at);
    }
    toc_array_free(&sim->memory, &busy);
    toc_array_free(&sim->memory, &elements);
    return status;
}

static toc_status fracture_body(toc_sim *sim, uint32_t id) {
    assert(id < sim->bodies.count);
    sim_stars stars = {0};
    sim_splits splits = {0};
    toc_status status = toc_sim_stars_make(sim, &sim->bodies.at[id], &stars);
    if (status == TOC_OK) status = split_vertices(sim, id, &stars, &splits);
    if (status == TOC_OK) status = toc_sim_splits_settle(sim, id, &splits);
    sim->splits += splits.count;
    toc_sim_stars_free(sim, &stars);
    toc_array_free(&sim->memory, &splits);
    return status;
}

static toc_status fail_bodies(toc_sim *sim) {
    for (uint32_t b = 0; b < sim->bodies.count; b++) {
        if (sim->bodies.at[b].gone || sim->bodies.at[b].material.motion != TOC_SIM_SOFT) continue;
        TOC_TRY(toc_sim_body_erode(sim, b));
        TOC_TRY(toc_sim_body_cut(sim, b));
        TOC_TRY(toc_sim_body_unglue(sim, b));
        if (sim->bodies.at[b].material.failure > 0) TOC_TRY(fracture_body(sim, b));
    }
    return toc_sim_bodies_glue(sim);
}

toc_status toc_sim_topology_update(toc_sim *sim) {
    toc_sim_constraints_yield(sim);
    const toc_status status = fail_bodies(sim);
    // New vertices are not at their places yet, also where an edit failed.
    const toc_status rested = sim->edited ? toc_sim_scene_rest(sim) : TOC_OK;
    return status == TOC_OK ? rested : status;
}
