// SPDX-License-Identifier: Apache-2.0
// Splitting of volume elements, after Algorithm 1 of VolCCD (Tang et al. 2011) and O'Brien and Hodgins 1999.
//
// A vertex whose mean stress exceeds the material's failure stress splits: elements on either side of the plane across
// the largest principal stress get a vertex of their own. The two move apart by a small share of their elements' size,
// each into its own elements.
#include "sim/fracture/fracture.h"

#include <assert.h>

#include "sim/constraint/constraint.h"
#include "sim/core/edit.h"
#include "sim/core/vector.h"
#include "sim/response/contact.h"

// Share of the way to the middle of its elements by which each half of a split vertex moves.
static const double parting = 1e-3;

// ---- splitting

/// A vertex that splits: its elements on the far side of the plane, and the vertex they get.
typedef struct sim_split {
    uint32_t vertex, made; // in the mesh
    double at[3];          // before the two moved apart
    bool undo;             // the halves cross something
} sim_split;
typedef SIM_ARRAY(sim_split) sim_splits;

static void mean_stress(const toc_sim *sim, const uint32_t *tets, uint32_t count, double out[3][3]) {
    double volume = 0;
    memset(out, 0, 9 * sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        const sim_tet *tet = &sim->tets.items[tets[i]];
        double stress[3][3];
        toc_sim_tet_stress(sim, tet, stress);
        volume += tet->volume;
        for (int k = 0; k < 9; k++) out[k / 3][k % 3] += tet->volume * stress[k / 3][k % 3];
    }
    for (int k = 0; k < 9 && volume > 0; k++) out[k / 3][k % 3] /= volume;
}

static void tet_middle(const toc_sim *sim, const sim_tet *tet, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < 4; k++) sim_add(0.25, sim->x[tet->v[k]], out);
}

// The side of an element is that of its first tet around the vertex, so that a hex stays whole.
static bool is_beyond(const toc_sim *sim, const uint32_t *tets, uint32_t count, uint32_t element, const double at[3],
                      const double normal[3]) {
    for (uint32_t i = 0; i < count; i++) {
        const sim_tet *tet = &sim->tets.items[tets[i]];
        if (tet->element != element) continue;
        double middle[3];
        tet_middle(sim, tet, middle);
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
        const uint32_t element = sim->tets.items[tets[i]].element;
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

static bool has_element(const uint32_t *elements, size_t count, uint32_t element) {
    for (size_t i = 0; i < count; i++)
        if (elements[i] == element) return true;
    return false;
}

// Give the tets of these elements the new particle, and move both halves into their elements.
static void part_particles(toc_sim *sim, const uint32_t *tets, uint32_t count, uint32_t old, uint32_t made,
                           const uint32_t *elements, size_t element_count) {
    double middles[2][3] = {{0}}, counts[2] = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        sim_tet *tet = &sim->tets.items[tets[i]];
        const int side = has_element(elements, element_count, tet->element);
        double middle[3];
        tet_middle(sim, tet, middle);
        sim_add(1, middle, middles[side]);
        counts[side]++;
        for (int k = 0; k < 4; k++)
            if (side && tet->v[k] == old) tet->v[k] = made;
    }
    sim_copy(sim->x[old], sim->x[made]);
    sim_copy(sim->v[old], sim->v[made]);
    sim_copy(sim->rest[old], sim->rest[made]);
    sim->owner[made] = sim->owner[old];
    sim->origin[made] = sim->origin[old];
    for (int k = 0; k < 3; k++) {
        sim->x[old][k] += parting * (middles[0][k] / counts[0] - sim->x[old][k]);
        sim->x[made][k] += parting * (middles[1][k] / counts[1] - sim->x[made][k]);
    }
}

static toc_status split_vertex(toc_sim *sim, uint32_t id, const sim_stars *stars, uint32_t vertex, uint32_t *elements,
                               sim_splits *splits) {
    sim_body *body = &sim->bodies.items[id];
    const uint32_t first = stars->first.items[vertex], count = stars->first.items[vertex + 1] - first;
    const uint32_t *tets = stars->items.items + first, old = body->first + vertex;
    double stress[3][3], normal[3];
    if (count < 2 || body->count >= body->room || sim_is_pinned(sim, old)) return TOC_OK;
    mean_stress(sim, tets, count, stress);
    if (!(toc_sim_largest_eigenvalue(stress, normal) > body->material.failure)) return TOC_OK;
    const size_t beyond = elements_beyond(sim, tets, count, sim->x[old], normal, elements);
    if (beyond == 0) return TOC_OK;
    SIM_TRY(sim_array_reserve(&sim->memory, splits, splits->count + 1));
    sim_split split = {.vertex = vertex};
    sim_copy(sim->x[old], split.at);
    SIM_TRY(toc_sim_edit_split(sim, id, vertex, beyond, elements, &split.made));
    assert(split.made == body->count);
    body->count++;
    part_particles(sim, tets, count, old, body->first + split.made, elements, beyond);
    splits->items[splits->count++] = split;
    return TOC_OK;
}

// Neighbours of a vertex that split have other stresses now: they wait for the next step.
static void mark_star(const toc_sim *sim, const sim_stars *stars, const sim_body *body, uint32_t vertex, bool *busy) {
    for (uint32_t i = stars->first.items[vertex]; i < stars->first.items[vertex + 1]; i++)
        for (int k = 0; k < 4; k++) {
            const uint32_t v = sim->tets.items[stars->items.items[i]].v[k] - body->first;
            busy[v] = true;
        }
}

static toc_status split_vertices(toc_sim *sim, uint32_t id, const sim_stars *stars, sim_splits *splits) {
    const sim_body *body = &sim->bodies.items[id];
    const uint32_t count = body->count;
    SIM_ARRAY(bool) busy = {0};
    SIM_ARRAY(uint32_t) elements = {0};
    toc_status status = sim_array_reserve(&sim->memory, &busy, body->room);
    if (status == TOC_OK) status = sim_array_reserve(&sim->memory, &elements, stars->items.capacity);
    for (uint32_t v = 0; v < count && status == TOC_OK; v++) {
        if (busy.items[v]) continue;
        const size_t before = splits->count;
        status = split_vertex(sim, id, stars, v, elements.items, splits);
        if (splits->count > before) mark_star(sim, stars, body, v, busy.items);
    }
    sim_array_free(&sim->memory, &busy);
    sim_array_free(&sim->memory, &elements);
    return status;
}

// Name the splits at the corners of an element. @return whether there is one.
static bool name_splits(const toc_element *e, sim_splits *splits) {
    bool named = false;
    for (size_t s = 0; s < splits->count; s++) {
        sim_split *split = &splits->items[s];
        for (int k = 0; k < e->corner_count && !split->undo; k++)
            split->undo = e->corners[k] == split->vertex || e->corners[k] == split->made;
        named = named || split->undo;
    }
    return named;
}

// Name the splits at elements of the body that overlap others; of elements, tets only: the hulls of bent hexes overlap
// without a crossing.
static bool name_overlapping(const toc_sim *sim, uint32_t id, const toc_overlaps *overlaps, bool tets,
                             sim_splits *splits) {
    bool named = false;
    for (size_t i = 0; i < overlaps->count; i++) {
        const toc_overlap_pair *pair = &overlaps->pairs[i];
        toc_element e[2];
        for (int k = 0; k < 2; k++)
            e[k] = toc_mesh_get_element(toc_scene_get_mesh(sim->scene, pair->body[k]), pair->element[k]);
        if (tets && (e[0].shape != TOC_TET || e[1].shape != TOC_TET)) continue;
        for (int k = 0; k < 2; k++)
            if (pair->body[k] == id) named = name_splits(&e[k], splits) || named;
    }
    return named;
}

// Name the splits that make faces cross; all, if faces cross and no split is there. Faces that share a vertex are not
// compared: where the inside counts, tets that a split folds over each other are found as well.
static toc_status name_crossing(toc_sim *sim, uint32_t id, sim_splits *splits, bool *crossing) {
    SIM_TRY(toc_sim_scene_rest(sim));
    const toc_query query = toc_sim_query_make(sim);
    toc_overlaps *overlaps;
    SIM_TRY(toc_scene_find_overlaps(sim->scene, &query, TOC_AT_END, &overlaps));
    const bool named = name_overlapping(sim, id, overlaps, false, splits);
    *crossing = overlaps->count > 0;
    for (size_t s = 0; s < splits->count && *crossing && !named; s++) splits->items[s].undo = true;
    toc_overlaps_destroy(overlaps);
    if (sim->settings.surface_only || *crossing) return TOC_OK;
    SIM_TRY(toc_scene_find_element_overlaps(sim->scene, &query, TOC_AT_END, &overlaps));
    *crossing = name_overlapping(sim, id, overlaps, true, splits);
    toc_overlaps_destroy(overlaps);
    return TOC_OK;
}

// Merge the halves of the splits that are named, and forget these. Ids of vertices are not given again: the places of
// the new ones stay empty.
static toc_status undo_splits(toc_sim *sim, uint32_t id, sim_splits *splits) {
    const sim_body *body = &sim->bodies.items[id];
    size_t kept = 0;
    for (size_t s = 0; s < splits->count; s++) {
        const sim_split split = splits->items[s];
        const uint32_t old = body->first + split.vertex, made = body->first + split.made;
        if (!split.undo) splits->items[kept++] = split;
        if (!split.undo) continue;
        SIM_TRY(toc_sim_edit_merge(sim, id, split.vertex, split.made));
        for (size_t i = 0; i < sim->tets.count; i++)
            for (int k = 0; k < 4; k++)
                if (sim->tets.items[i].v[k] == made) sim->tets.items[i].v[k] = old;
        sim_copy(split.at, sim->x[old]);
    }
    splits->count = kept;
    return TOC_OK;
}

static toc_status fracture_body(toc_sim *sim, uint32_t id) {
    sim_stars stars = {0};
    sim_splits splits = {0};
    toc_status status = toc_sim_stars_make(sim, &sim->bodies.items[id], &stars);
    if (status == TOC_OK) status = split_vertices(sim, id, &stars, &splits);
    const bool any = splits.count > 0;
    for (bool crossing = any; crossing && splits.count > 0 && status == TOC_OK;) {
        status = name_crossing(sim, id, &splits, &crossing);
        if (status == TOC_OK && crossing) status = undo_splits(sim, id, &splits);
    }
    if (any) {
        sim->splits += splits.count;
        toc_sim_body_weigh(sim, id);
        sim->edited = true;
    }
    toc_sim_stars_free(sim, &stars);
    sim_array_free(&sim->memory, &splits);
    return status;
}

toc_status toc_sim_topology_update(toc_sim *sim) {
    toc_sim_springs_yield(sim);
    toc_sim_hinges_yield(sim);
    for (uint32_t b = 0; b < sim->bodies.count; b++) {
        if (sim->bodies.items[b].gone || sim->bodies.items[b].material.motion != TOC_SIM_SOFT) continue;
        SIM_TRY(toc_sim_body_erode(sim, b));
        if (sim->bodies.items[b].material.failure > 0) SIM_TRY(fracture_body(sim, b));
    }
    SIM_TRY(toc_sim_bodies_glue(sim));
    return sim->edited ? toc_sim_scene_rest(sim) : TOC_OK;
}
