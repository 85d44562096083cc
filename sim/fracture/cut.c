// SPDX-License-Identifier: Apache-2.0
// Cuts of sharp bodies: elements part along their faces next to the plane that the blade sweeps.
//
// A contact is a cut if the blade moves towards the soft body there, and the element ahead bears more stress than its
// material allows. Elements around the corners of that one are on either side of the swept plane, by their middles;
// corners with elements on both sides split. So the cut runs along faces, one element ahead of the blade: no element is
// lost, and mass stays. An element keeps the side that it got first while its middle is near the plane, or the flesh
// that the blade pushes aside would change sides. After Nienhuys and van der Stappen 2001, "A surgery simulation
// supporting cuts and finite element deformation", without moving nodes onto the plane.
#include <assert.h>
#include <math.h>

#include "sim/core/vector.h"
#include "sim/fracture/fracture.h"
#include "sim/response/contact.h"

// A sharp body cuts where the way from it to the element is within 60 degrees of its motion: not along its flat sides.
static const double cutting_cosine = 0.5;
// Contacts count as touching up to this many thicknesses.
static const double touching = 1.01;
// How far ahead of the contact the element to cut is looked for, in cube roots of an element's volume.
static const double ahead = 0.05;
// An element changes its side where its middle is this far beyond the plane, in cube roots of its volume.
static const double hysteresis = 0.5;

// ---- contacts that cut

static double von_mises(const toc_sim *sim, const sim_tet *tet) {
    double s[3][3], sum = 0;
    toc_sim_tet_stress(sim, tet, s);
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3;
        sum += 0.5 * (s[k][k] - s[l][l]) * (s[k][k] - s[l][l]) + 3 * s[k][l] * s[k][l];
    }
    return sqrt(sum);
}

static bool is_in_tet(const toc_sim *sim, const sim_tet *tet, const double at[3]) {
    double edges[3][3], inverse[3][3], from[3];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) edges[i][j] = sim->x[tet->v[j + 1]][i] - sim->x[tet->v[0]][i];
    if (sim_matrix_invert(edges, inverse) == 0) return false;
    sim_sub(at, sim->x[tet->v[0]], from);
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double share = sim_dot(inverse[k], from);
        if (share < 0) return false;
        sum += share;
    }
    return sum <= 1;
}

/// The two features of a contact: vertices from .. to - 1 of the blade, and likewise of the soft body.
typedef struct cut_sides {
    int blade_from, blade_to, soft_from, soft_to;
} cut_sides;

static cut_sides sides_of(const sim_contact *c, bool soft_is_second) {
    return soft_is_second ? (cut_sides){0, c->split, c->split, 4} : (cut_sides){c->split, 4, 0, c->split};
}

// The point and the direction of a contact between a sharp body and this one.
static bool is_cutting(const toc_sim *sim, const sim_contact *c, uint32_t id, sim_cut *cut, cut_sides *sides) {
    const uint32_t owners[2] = {sim->owner[c->v[0]], sim->owner[c->v[3]]};
    if (owners[0] == owners[1] || (owners[0] != id && owners[1] != id)) return false;
    const bool second = owners[1] == id;
    cut->blade = owners[!second];
    const toc_sim_material *blade = &sim->bodies.at[cut->blade].material;
    if (!blade->sharp) return false;
    *sides = sides_of(c, second);
    memset(cut->point, 0, sizeof cut->point);
    memset(cut->direction, 0, sizeof cut->direction);
    for (int k = sides->soft_from; k < sides->soft_to; k++) sim_add(fabs(c->weights[k]), sim->x[c->v[k]], cut->point);
    for (int k = sides->blade_from; k < sides->blade_to; k++)
        sim_add(fabs(c->weights[k]), sim->v[c->v[k]], cut->direction);
    const double reach = 0.5 * touching * (blade->thickness + sim->bodies.at[id].material.thickness);
    if (sim_normalize(cut->direction) == 0 || toc_sim_contact_gap(sim, c, sim->x, 0) > reach) return false;
    return (second ? -1 : 1) * sim_dot(c->normal, cut->direction) >= cutting_cosine;
}

// The tet ahead of the contact that bears too much. @return false if there is none.
static bool find_tet_ahead(const toc_sim *sim, uint32_t id, const sim_stars *stars, const sim_contact *c,
                           const cut_sides *sides, sim_cut *cut) {
    const sim_body *body = &sim->bodies.at[id];
    for (int k = sides->soft_from; k < sides->soft_to; k++) {
        const uint32_t vertex = c->v[k] - body->first;
        for (uint32_t i = stars->first.at[vertex]; i < stars->first.at[vertex + 1]; i++) {
            const sim_tet *tet = &sim->tets.at[stars->items.at[i]];
            double at[3];
            sim_copy(cut->point, at);
            sim_add(ahead * cbrt(tet->volume), cut->direction, at);
            if (!is_in_tet(sim, tet, at) || von_mises(sim, tet) < body->material.cut) continue;
            cut->tet = stars->items.at[i];
            return true;
        }
    }
    return false;
}

// ---- the plane that a blade sweeps

// Take the edge a b of a blade if it is nearer to a right angle to the motion.
static void take_edge(const toc_sim *sim, uint32_t a, uint32_t b, const double direction[3], double *cosine,
                      double edge[3]) {
    double way[3];
    sim_sub(sim->x[b], sim->x[a], way);
    if (sim_normalize(way) == 0) return;
    const double found = fabs(sim_dot(way, direction));
    if (found >= *cosine) return;
    *cosine = found;
    sim_copy(way, edge);
}

// Among all edges of the blade at a vertex.
static void take_edges_at(const toc_sim *sim, uint32_t blade, uint32_t particle, const double direction[3],
                          double *cosine, double edge[3]) {
    const toc_mesh *mesh = toc_scene_get_mesh(sim->scene, blade);
    const uint32_t first = sim->bodies.at[blade].first;
    for (uint32_t i = 0; i < toc_mesh_get_element_count(mesh); i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        bool here = false;
        for (int k = 0; k < e.corner_count; k++) here = here || first + e.corners[k] == particle;
        for (int k = 0; k < e.corner_count && here; k++)
            take_edge(sim, particle, first + e.corners[k], direction, cosine, edge);
    }
}

// The normal of the first face of a blade: the side to which the normals of its cuts point.
static void blade_normal(const toc_sim *sim, uint32_t blade, double out[3]) {
    const toc_mesh *mesh = toc_scene_get_mesh(sim->scene, blade);
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t i = 0; i < toc_mesh_get_element_count(mesh); i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        double u[3], v[3];
        if (e.corner_count < 3) continue;
        const uint32_t first = sim->bodies.at[blade].first;
        sim_sub(sim->x[first + e.corners[1]], sim->x[first + e.corners[0]], u);
        sim_sub(sim->x[first + e.corners[2]], sim->x[first + e.corners[0]], v);
        sim_cross(u, v, out);
        return;
    }
}

// The blade's edge at the contact and its motion span the plane. @return false without an edge across the motion.
static bool find_plane(const toc_sim *sim, const sim_contact *c, const cut_sides *sides, sim_cut *cut) {
    double cosine = 0.99, edge[3] = {0, 0, 0}, side[3];
    const int count = sides->blade_to - sides->blade_from;
    const uint32_t *v = c->v + sides->blade_from;
    if (count == 1) take_edges_at(sim, cut->blade, v[0], cut->direction, &cosine, edge);
    for (int k = 0; k < count && count > 1; k++)
        take_edge(sim, v[k], v[(k + 1) % count], cut->direction, &cosine, edge);
    sim_cross(cut->direction, edge, cut->normal);
    if (sim_normalize(cut->normal) == 0) return false;
    blade_normal(sim, cut->blade, side);
    for (int k = 0; k < 3 && sim_dot(cut->normal, side) < 0; k++) cut->normal[k] = -cut->normal[k];
    return true;
}

toc_status toc_sim_cuts_find(toc_sim *sim, uint32_t id, const sim_stars *stars, sim_cuts *cuts) {
    const sim_contacts *lists[2] = {&sim->contacts, &sim->impacts};
    for (int l = 0; l < 2; l++)
        for (size_t i = 0; i < lists[l]->count; i++) {
            const sim_contact *c = &lists[l]->at[i];
            sim_cut cut;
            cut_sides sides;
            if (!is_cutting(sim, c, id, &cut, &sides) || !find_tet_ahead(sim, id, stars, c, &sides, &cut)) continue;
            if (!find_plane(sim, c, &sides, &cut)) continue;
            TOC_TRY(toc_array_reserve(&sim->memory, cuts, 1));
            cuts->at[cuts->count++] = cut;
        }
    return TOC_OK;
}

bool toc_sim_body_can_be_cut(const toc_sim *sim, uint32_t id) {
    assert(id < sim->bodies.count);
    if (!(sim->bodies.at[id].material.cut > 0)) return false;
    for (size_t b = 0; b < sim->bodies.count; b++)
        if (sim->bodies.at[b].material.sharp) return true;
    return false;
}

// ---- parting

static void element_middle(const toc_sim *sim, uint32_t id, uint32_t element, double out[3]) {
    const toc_element e = toc_mesh_get_element(toc_scene_get_mesh(sim->scene, id), element);
    memset(out, 0, 3 * sizeof *out);
    for (int k = 0; k < e.corner_count; k++)
        sim_add(1.0 / e.corner_count, sim->x[sim->bodies.at[id].first + e.corners[k]], out);
}

// The side of the element of a tet, 1 or 2; all tets of the element remember it.
static uint32_t side_of_element(toc_sim *sim, uint32_t id, const sim_tet *tet, const sim_cut *cut) {
    double middle[3];
    element_middle(sim, id, tet->element, middle);
    sim_sub(middle, cut->point, middle);
    const double beyond = sim_dot(middle, cut->normal), limit = hysteresis * cbrt(tet->volume);
    if (tet->side > 0 && (tet->side == 1 ? beyond : -beyond) > -limit) return tet->side;
    const uint32_t side = beyond > 0 ? 1 : 2, element = tet->element;
    for (size_t i = 0; i < sim->tets.count; i++)
        if (sim->tets.at[i].element == element && sim->owner[sim->tets.at[i].v[0]] == id) sim->tets.at[i].side = side;
    return side;
}

// Elements of the second side around a vertex, each once. @return their number; 0 if one side is empty.
static size_t elements_behind(toc_sim *sim, uint32_t id, const uint32_t *tets, uint32_t count, const sim_cut *cut,
                              uint32_t *out) {
    size_t behind = 0, others = 0;
    for (uint32_t i = 0; i < count; i++) {
        const sim_tet *tet = &sim->tets.at[tets[i]];
        if (side_of_element(sim, id, tet, cut) == 1) {
            others++;
        } else if (!sim_has_element(out, behind, tet->element)) {
            out[behind++] = tet->element;
        }
    }
    return others > 0 ? behind : 0;
}

static toc_status part_vertex(toc_sim *sim, uint32_t id, const sim_stars *stars, uint32_t vertex, const sim_cut *cut,
                              uint32_t *elements, sim_splits *splits) {
    assert(id < sim->bodies.count);
    const sim_body *body = &sim->bodies.at[id];
    const uint32_t first = stars->first.at[vertex], count = stars->first.at[vertex + 1] - first;
    if (sim_is_pinned(sim, body->first + vertex)) return TOC_OK;
    const size_t behind = elements_behind(sim, id, stars->items.at + first, count, cut, elements);
    if (behind == 0) return TOC_OK;
    if (body->count >= body->room)
        return toc_fail(TOC_UNSTABLE,
                        "at time %g body %u has no vertex ids left to cut it: all %u are in use; splits that would "
                        "cross use them up, so try a shorter step or a finer mesh",
                        sim->time, id, body->room);
    return toc_sim_vertex_split(sim, id, stars, vertex, elements, behind, splits);
}

// The corners of each tet ahead, as they were before the splits of this step.
static toc_status part_cuts(toc_sim *sim, uint32_t id, const sim_stars *stars, const sim_cuts *cuts,
                            sim_splits *splits) {
    const sim_body *body = &sim->bodies.at[id];
    const uint32_t count = body->count;
    TOC_ARRAY(bool) done = {0};
    TOC_ARRAY(uint32_t) elements = {0};
    toc_status status = toc_array_room(&sim->memory, &done, body->room);
    if (status == TOC_OK) status = toc_array_room(&sim->memory, &elements, stars->items.capacity);
    for (size_t i = 0; i < cuts->count; i++)
        for (int k = 0; k < 4 && status == TOC_OK; k++) {
            const uint32_t vertex = sim->tets.at[cuts->at[i].tet].v[k] - body->first;
            if (vertex >= count || done.at[vertex]) continue;
            done.at[vertex] = true;
            status = part_vertex(sim, id, stars, vertex, &cuts->at[i], elements.at, splits);
        }
    toc_array_free(&sim->memory, &done);
    toc_array_free(&sim->memory, &elements);
    return status;
}

toc_status toc_sim_body_cut(toc_sim *sim, uint32_t id) {
    assert(id < sim->bodies.count);
    if (sim->bodies.at[id].material.carve || !toc_sim_body_can_be_cut(sim, id)) return TOC_OK;
    sim_stars stars = {0};
    sim_cuts cuts = {0};
    sim_splits splits = {0};
    toc_status status = toc_sim_stars_make(sim, &sim->bodies.at[id], &stars);
    if (status == TOC_OK) status = toc_sim_cuts_find(sim, id, &stars, &cuts);
    if (status == TOC_OK) status = part_cuts(sim, id, &stars, &cuts, &splits);
    const toc_status settled = toc_sim_splits_settle(sim, id, &splits); // also those before a failure
    if (status == TOC_OK) status = settled;
    sim->splits += splits.count;
    toc_sim_stars_free(sim, &stars);
    toc_array_free(&sim->memory, &cuts);
    toc_array_free(&sim->memory, &splits);
    return status;
}
