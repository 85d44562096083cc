// SPDX-License-Identifier: Apache-2.0
// Vertices that split: some of their elements get a vertex of their own. The two move apart by a small share of their
// elements' size, each into its own elements. Splits whose halves would cross something are taken back, so that no
// split makes faces cross. Elements and their masses stay.
#include <assert.h>

#include "sim/core/edit.h"
#include "sim/core/vector.h"
#include "sim/fracture/fracture.h"
#include "sim/response/contact.h"

// Share of the way to the middle of its elements by which each half of a split vertex moves.
static const double parting = 1e-3;

void toc_sim_tet_middle(const toc_sim *sim, const sim_tet *tet, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < 4; k++) sim_add(0.25, sim->x[tet->v[k]], out);
}

// Move a half by a share of the way to the middle of its elements: in that direction, or in a given one.
static void move_half(double x[3], const double middle[3], const double *direction, double sign) {
    double way[3];
    sim_sub(middle, x, way);
    if (direction) {
        sim_add(sign * parting * sim_length(way), direction, x);
    } else {
        sim_add(parting, way, x);
    }
}

static void shell_middle(const toc_sim *sim, const sim_shell *shell, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < shell->corners; k++) sim_add(1.0 / shell->corners, sim->x[shell->v[k]], out);
}

// Give the tets of these elements the new particle, and move both halves apart.
static void part_particles(toc_sim *sim, const sim_around *around, uint32_t old, uint32_t made,
                           const uint32_t *elements, size_t element_count, const double *direction) {
    double middles[2][3] = {{0}}, counts[2] = {0, 0};
    for (uint32_t i = 0; i < around->shell_count; i++) {
        const sim_shell *shell = &around->list[around->shells[i]];
        const int side = sim_has_element(elements, element_count, shell->element);
        double middle[3];
        shell_middle(sim, shell, middle);
        sim_add(1, middle, middles[side]);
        counts[side]++;
    }
    for (uint32_t i = 0; i < around->tet_count; i++) {
        sim_tet *tet = &sim->tets.at[around->tets[i]];
        const int side = sim_has_element(elements, element_count, tet->element);
        double middle[3];
        toc_sim_tet_middle(sim, tet, middle);
        sim_add(1, middle, middles[side]);
        counts[side]++;
        for (int k = 0; k < 4; k++)
            if (side && tet->v[k] == old) tet->v[k] = made;
    }
    assert(counts[0] > 0 && counts[1] > 0); // both vertices keep elements
    sim_copy(sim->x[old], sim->x[made]);
    sim_copy(sim->v[old], sim->v[made]);
    sim_copy(sim->v0[old], sim->v0[made]);
    sim_copy(sim->rest[old], sim->rest[made]);
    sim->owner[made] = sim->owner[old];
    sim->origin[made] = sim->origin[old];
    sim->spent[made] = sim->spent[old];
    for (int k = 0; k < 6; k++) middles[k / 3][k % 3] /= counts[k / 3];
    move_half(sim->x[old], middles[0], direction, 1);
    move_half(sim->x[made], middles[1], direction, -1);
}

// ---- faces between the halves

// Whether a tet of the other half has this face of a tet at the vertex: the one against corner k.
static bool is_face_between(const toc_sim *sim, const uint32_t *tets, uint32_t count, const uint32_t *elements,
                            size_t element_count, const sim_tet *tet, int k) {
    for (uint32_t i = 0; i < count; i++) {
        const sim_tet *other = &sim->tets.at[tets[i]];
        bool all = !sim_has_element(elements, element_count, other->element);
        for (int j = 1; j < 4 && all; j++) all = sim_has_particle(other, tet->v[(k + j) % 4]);
        if (all) return true;
    }
    return false;
}

// The unit normal of the face against corner k, away from it.
static void outward_normal(const toc_sim *sim, const sim_tet *tet, int k, double out[3]) {
    const double *p = sim->x[tet->v[(k + 1) % 4]], *q = sim->x[tet->v[(k + 2) % 4]], *r = sim->x[tet->v[(k + 3) % 4]];
    double u[3], v[3], from[3];
    sim_sub(q, p, u);
    sim_sub(r, p, v);
    sim_cross(u, v, out);
    sim_sub(sim->x[tet->v[k]], p, from);
    if (sim_dot(from, out) > 0)
        for (int i = 0; i < 3; i++) out[i] = -out[i];
    sim_normalize(out);
}

bool toc_sim_vertex_direction(const toc_sim *sim, const uint32_t *tets, uint32_t count, uint32_t particle,
                              const uint32_t *elements, size_t element_count, double out[3]) {
    double sum[3] = {0, 0, 0};
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < count; i++) {
            const sim_tet *tet = &sim->tets.at[tets[i]];
            if (!sim_has_element(elements, element_count, tet->element)) continue;
            for (int k = 0; k < 4; k++) {
                double normal[3];
                if (tet->v[k] == particle || !is_face_between(sim, tets, count, elements, element_count, tet, k))
                    continue;
                outward_normal(sim, tet, k, normal);
                if (pass == 0) sim_add(1, normal, sum);
                if (pass == 1 && !(sim_dot(normal, sum) > 0)) return false;
            }
        }
    sim_copy(sum, out);
    return sim_normalize(out) > 0;
}

toc_status toc_sim_vertex_split(toc_sim *sim, uint32_t id, const sim_around *around, uint32_t vertex,
                                const uint32_t *elements, size_t element_count, const double *direction,
                                sim_splits *splits) {
    assert(id < sim->bodies.count && element_count > 0);
    sim_body *body = &sim->bodies.at[id];
    const uint32_t old = body->first + vertex;
    assert(body->count < body->room);
    TOC_TRY(toc_array_reserve(&sim->memory, splits, 1));
    sim_split split = {.vertex = vertex};
    sim_copy(sim->x[old], split.at);
    TOC_TRY(toc_sim_edit_split(sim, id, vertex, element_count, elements, &split.made));
    assert(split.made == body->count);
    body->count++;
    part_particles(sim, around, old, body->first + split.made, elements, element_count, direction);
    splits->at[splits->count++] = split;
    return TOC_OK;
}

// ---- splits that cross

// Name the splits at the corners of an element. @return whether there is one.
static bool name_splits(const toc_element *e, sim_splits *splits) {
    bool named = false;
    for (size_t s = 0; s < splits->count; s++) {
        sim_split *split = &splits->at[s];
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
    assert(id < sim->bodies.count);
    TOC_TRY(toc_sim_scene_rest(sim));
    const toc_query query = toc_sim_query_make(sim);
    toc_overlaps *overlaps;
    TOC_TRY(toc_scene_find_overlaps(sim->scene, &query, TOC_AT_END, NULL, &overlaps));
    const bool named = name_overlapping(sim, id, overlaps, false, splits);
    *crossing = overlaps->count > 0;
    for (size_t s = 0; s < splits->count && *crossing && !named; s++) splits->at[s].undo = true;
    toc_overlaps_destroy(overlaps);
    if (sim->settings.surface_only || *crossing) return TOC_OK;
    TOC_TRY(toc_scene_find_element_overlaps(sim->scene, &query, TOC_AT_END, NULL, &overlaps));
    *crossing = name_overlapping(sim, id, overlaps, true, splits);
    toc_overlaps_destroy(overlaps);
    return TOC_OK;
}

// Give all constraints of a half that is merged again its particle of before, and its mass.
static void reunite_particle(toc_sim *sim, uint32_t old, uint32_t made) {
    assert(old != made);
    for (size_t i = 0; i < sim->tets.count; i++)
        for (int k = 0; k < 4; k++)
            if (sim->tets.at[i].v[k] == made) sim->tets.at[i].v[k] = old;
    for (size_t i = 0; i < sim->springs.count; i++)
        for (int k = 0; k < 2; k++)
            if (sim->springs.at[i].v[k] == made) sim->springs.at[i].v[k] = old;
    for (size_t i = 0; i < sim->hinges.count; i++)
        for (int k = 0; k < 4; k++)
            if (sim->hinges.at[i].v[k] == made) sim->hinges.at[i].v[k] = old;
    for (size_t i = 0; i < sim->bag_faces.count; i++)
        if (sim->bag_faces.at[i] == made) sim->bag_faces.at[i] = old;
    sim->thin[old] += sim->thin[made];
    sim->thin[made] = 0;
}

// Merge the halves of the splits that are named, and forget these. Ids of vertices are not given again: the places of
// the new ones stay empty.
static toc_status undo_splits(toc_sim *sim, uint32_t id, sim_splits *splits) {
    assert(id < sim->bodies.count);
    const sim_body *body = &sim->bodies.at[id];
    size_t kept = 0;
    for (size_t s = 0; s < splits->count; s++) {
        const sim_split split = splits->at[s];
        const uint32_t old = body->first + split.vertex, made = body->first + split.made;
        if (!split.undo) splits->at[kept++] = split;
        if (!split.undo) continue;
        TOC_TRY(toc_sim_edit_merge(sim, id, split.vertex, split.made));
        reunite_particle(sim, old, made);
        sim_copy(split.at, sim->x[old]);
    }
    splits->count = kept;
    return TOC_OK;
}

toc_status toc_sim_splits_settle(toc_sim *sim, uint32_t id, sim_splits *splits) {
    toc_status status = TOC_OK;
    if (splits->count == 0) return TOC_OK;
    for (bool crossing = true; crossing && splits->count > 0 && status == TOC_OK;) {
        const double began = toc_seconds();
        status = name_crossing(sim, id, splits, &crossing);
        sim->detection_seconds += toc_seconds() - began;
        if (status == TOC_OK && crossing) status = undo_splits(sim, id, splits);
    }
    toc_sim_body_weigh(sim, id);
    sim->edited = true;
    return status;
}
