// SPDX-License-Identifier: Apache-2.0
// Glue that breaks: a vertex that joins elements of different bodies comes apart where the traction between them
// exceeds the strength of the glue, as engineers give it: force per area.
//
// The elements of one body pull a vertex with a force, the derivative of their energy, and bound it by an area, the
// derivative of their volume: a third of the faces around the vertex. Those of the other body pull against it. Half the
// difference of the forces over half the difference of the areas is the traction; the faces that are not glued cancel
// there. Pressure does not break glue; tension and shear count together, by the root of their squares.
#include <assert.h>
#include <math.h>

#include "sim/constraint/constraint.h"
#include "sim/core/vector.h"
#include "sim/fracture/fracture.h"

// The lower strength of two bodies among those above 0; 0 if neither breaks.
static double glue_strength(const toc_sim *sim, uint32_t a, uint32_t b) {
    assert(a < sim->bodies.count && b < sim->bodies.count);
    const double p = sim->bodies.at[a].material.adhesion_strength;
    const double q = sim->bodies.at[b].material.adhesion_strength;
    return p > 0 && q > 0 ? fmin(p, q) : fmax(p, q);
}

// Of the elements of a body around a vertex against the others.
static double glue_traction(const toc_sim *sim, const uint32_t *tets, uint32_t count, uint32_t particle,
                            uint32_t origin) {
    double force[3] = {0, 0, 0}, area[3] = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        const sim_tet *tet = &sim->tets.at[tets[i]];
        const double sign = tet->origin == origin ? 0.5 : -0.5;
        double forces[4][3], areas[4][3];
        toc_sim_tet_forces(sim, tet, forces, areas);
        for (int k = 0; k < 4; k++)
            if (tet->v[k] == particle) {
                sim_add(-sign, forces[k], force);
                sim_add(sign, areas[k], area);
            }
    }
    const double size = sim_normalize(area);
    if (size == 0) return 0;
    const double tension = sim_dot(force, area);
    sim_add(-tension, area, force);
    return hypot(fmax(tension, 0), sim_length(force)) / size;
}

// Elements of a body around a vertex, each once. @return their number.
static size_t elements_from(const toc_sim *sim, const uint32_t *tets, uint32_t count, uint32_t origin, uint32_t *out) {
    size_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const sim_tet *tet = &sim->tets.at[tets[i]];
        if (tet->origin == origin && !sim_has_element(out, found, tet->element)) out[found++] = tet->element;
    }
    return found;
}

// Whether a vertex has elements of different bodies. Those of one may be all that a crack or a cut left to it.
static bool joins_bodies(const toc_sim *sim, const uint32_t *tets, uint32_t count) {
    for (uint32_t i = 1; i < count; i++)
        if (sim->tets.at[tets[i]].origin != sim->tets.at[tets[0]].origin) return true;
    return false;
}

// The body whose elements come off: not that of the vertex itself, so that a pinned one stays with its body.
static uint32_t body_that_parts(const toc_sim *sim, const uint32_t *tets, uint32_t count, uint32_t particle) {
    assert(particle < sim->particle_count);
    const uint32_t own = sim->origin[particle];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t other = sim->tets.at[tets[i]].origin;
        if (other == own) continue;
        const double strength = glue_strength(sim, own, other);
        if (strength > 0 && glue_traction(sim, tets, count, particle, other) > strength) return other;
    }
    return SIM_NONE;
}

static toc_status unglue_vertex(toc_sim *sim, uint32_t id, const sim_stars *stars, uint32_t vertex, uint32_t *elements,
                                sim_splits *splits) {
    const sim_body *body = &sim->bodies.at[id];
    const uint32_t first = stars->first.at[vertex], count = stars->first.at[vertex + 1] - first;
    const uint32_t *tets = stars->items.at + first, particle = body->first + vertex;
    if (!joins_bodies(sim, tets, count)) return TOC_OK;
    const uint32_t origin = body_that_parts(sim, tets, count, particle);
    if (origin == SIM_NONE) return TOC_OK;
    const bool full = body->count >= body->room;
    sim->unsplit += full;
    if (full) return TOC_OK;
    const size_t found = elements_from(sim, tets, count, origin, elements);
    return toc_sim_vertex_split(sim, id, tets, count, vertex, elements, found, NULL, splits);
}

// Mark the glue of both halves as spent.
static void spend_glue(toc_sim *sim, uint32_t id, const sim_splits *splits) {
    const uint32_t first = sim->bodies.at[id].first;
    for (size_t i = 0; i < splits->count; i++) {
        const uint32_t made = first + splits->at[i].made;
        sim->spent[first + splits->at[i].vertex] = sim->spent[made] = 1;
        for (size_t t = 0; t < sim->tets.count; t++)
            for (int k = 0; k < 4; k++)
                if (sim->tets.at[t].v[k] == made) sim->origin[made] = sim->tets.at[t].origin;
    }
}

static bool can_unglue(const toc_sim *sim) {
    bool gone = false, breaks = false;
    for (size_t b = 0; b < sim->bodies.count; b++) {
        gone = gone || sim->bodies.at[b].gone;
        breaks = breaks || sim->bodies.at[b].material.adhesion_strength > 0;
    }
    return gone && breaks;
}

toc_status toc_sim_body_unglue(toc_sim *sim, uint32_t id) {
    assert(id < sim->bodies.count);
    if (!can_unglue(sim)) return TOC_OK;
    const uint32_t count = sim->bodies.at[id].count;
    sim_stars stars = {0};
    sim_splits splits = {0};
    TOC_ARRAY(uint32_t) elements = {0};
    toc_status status = toc_sim_stars_make(sim, &sim->bodies.at[id], &stars);
    if (status == TOC_OK) status = toc_array_room(&sim->memory, &elements, stars.items.capacity);
    for (uint32_t v = 0; v < count && status == TOC_OK; v++)
        status = unglue_vertex(sim, id, &stars, v, elements.at, &splits);
    if (status == TOC_OK) status = toc_sim_splits_settle(sim, id, &splits);
    spend_glue(sim, id, &splits);
    sim->unglued += splits.count;
    toc_sim_stars_free(sim, &stars);
    toc_array_free(&sim->memory, &splits);
    toc_array_free(&sim->memory, &elements);
    return status;
}
