// SPDX-License-Identifier: Apache-2.0
// Cuts of sharp bodies, along the plane that the blade sweeps.
//
// A contact is a cut if the blade moves towards the soft body there, and the element ahead bears more stress than its
// material allows. A body of tets is divided along the swept plane around that element (sim/fracture/divide.h), and the
// vertices on the plane split. In other bodies, elements around the corners of that one are on either side of the
// plane, by their middles, and corners with elements on both sides split: the cut runs along faces. So no element is
// lost, and mass stays. An element keeps the side that it got first while its middle is near the plane, or the flesh
// that the blade pushes aside would change sides. After Nienhuys and van der Stappen 2001, "A surgery simulation
// supporting cuts and finite element deformation", without moving nodes onto the plane.
#include <assert.h>
#include <math.h>

#include "sim/core/vector.h"
#include "sim/fracture/divide.h"
#include "sim/response/contact.h"

// A sharp body cuts where the way from it to the element is within 60 degrees of its motion: not along its flat sides.
static const double cutting_cosine = 0.5;
// Contacts count as touching up to this many thicknesses.
static const double touching = 1.01;
// How far ahead of the contact the element to cut is looked for, in cube roots of an element's volume.
static const double ahead = 0.05;
// An element that is not divided changes its side where its middle is this far beyond the plane, in cube roots of its
// volume.
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
    memset(cut->edge, 0, sizeof cut->edge);
    for (int k = sides->soft_from; k < sides->soft_to; k++) sim_add(fabs(c->weights[k]), sim->x[c->v[k]], cut->point);
    for (int k = sides->blade_from; k < sides->blade_to; k++) {
        sim_add(fabs(c->weights[k]), sim->x[c->v[k]], cut->edge);
        sim_add(fabs(c->weights[k]), sim->v[c->v[k]], cut->direction);
    }
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

// ---- sides of elements that are not divided

static void element_middle(const toc_sim *sim, uint32_t id, uint32_t element, double out[3]) {
    const toc_element e = toc_mesh_get_element(toc_scene_get_mesh(sim->scene, id), element);
    memset(out, 0, 3 * sizeof *out);
    for (int k = 0; k < e.corner_count; k++)
        sim_add(1.0 / e.corner_count, sim->x[sim->bodies.at[id].first + e.corners[k]], out);
}

// By its middle; all tets of the element remember it.
static sim_side side_of_element(toc_sim *sim, const sim_division *d, const sim_tet *tet) {
    double middle[3];
    element_middle(sim, d->body, tet->element, middle);
    sim_sub(middle, d->cut->edge, middle);
    const double beyond = sim_dot(middle, d->cut->normal), limit = hysteresis * cbrt(tet->volume);
    if (tet->side > 0 && (tet->side == SIM_SIDE_FRONT ? beyond : -beyond) > -limit) return (sim_side)tet->side;
    const sim_side side = beyond > 0 ? SIM_SIDE_FRONT : SIM_SIDE_BACK;
    const uint32_t element = tet->element;
    for (size_t i = 0; i < sim->tets.count; i++)
        if (sim->tets.at[i].element == element && sim->owner[sim->tets.at[i].v[0]] == d->body)
            sim->tets.at[i].side = side;
    return side;
}

// ---- parting

// Elements of the second side around a vertex, each once. @return their number; 0 if one side is empty, or an element
// is on both.
static size_t elements_behind(toc_sim *sim, sim_division *d, bool divides, uint32_t *out) {
    size_t behind = 0, others = 0;
    for (size_t i = 0; i < d->around.count; i++) {
        const sim_tet *tet = &sim->tets.at[d->around.at[i]];
        const sim_side side = divides ? toc_sim_division_keep(sim, d, tet) : side_of_element(sim, d, tet);
        if (side == SIM_SIDE_UNKNOWN) return 0;
        others += side == SIM_SIDE_FRONT;
        if (side == SIM_SIDE_BACK && !sim_has_element(out, behind, tet->element)) out[behind++] = tet->element;
    }
    return others > 0 ? behind : 0;
}

static toc_status part_vertex(toc_sim *sim, sim_division *d, bool divides, uint32_t vertex, sim_splits *splits) {
    if (sim_is_pinned(sim, sim->bodies.at[d->body].first + vertex)) return TOC_OK;
    TOC_TRY(toc_sim_division_look(sim, d, vertex));
    TOC_TRY(toc_array_room(&sim->memory, &d->elements, d->around.count));
    const size_t behind = elements_behind(sim, d, divides, d->elements.at);
    if (behind == 0) return TOC_OK;
    double direction[3];
    const uint32_t particle = sim->bodies.at[d->body].first + vertex, count = (uint32_t)d->around.count;
    const bool opens =
        divides && toc_sim_vertex_direction(sim, d->around.at, count, particle, d->elements.at, behind, direction);
    TOC_TRY(toc_sim_vertex_afford(sim, d->body));
    for (size_t i = 0; i < d->around.count; i++) {
        sim_tet *tet = &sim->tets.at[d->around.at[i]];
        tet->side = sim_has_element(d->elements.at, behind, tet->element) ? SIM_SIDE_BACK : SIM_SIDE_FRONT;
    }
    const sim_around around = {.tets = d->around.at, .tet_count = count};
    TOC_TRY(
        toc_sim_vertex_split(sim, d->body, &around, vertex, d->elements.at, behind, opens ? direction : NULL, splits));
    return toc_sim_division_follow(sim, d, &splits->at[splits->count - 1]);
}

// Bodies of tets are divided; others part along the faces around the corners of the tet ahead.
static bool is_of_tets(const toc_mesh *mesh) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        const toc_shape shape = toc_mesh_get_element(mesh, e).shape;
        if (shape != TOC_TET && shape != TOC_REMOVED) return false;
    }
    return true;
}

static toc_status make_cut(toc_sim *sim, sim_division *d, bool divides, const sim_cut *cut, sim_splits *splits) {
    if (divides) {
        TOC_TRY(toc_sim_division_run(sim, d, cut));
    } else {
        TOC_TRY(toc_sim_division_touch(sim, d, cut));
    }
    for (size_t i = 0; i < d->opened.count; i++) TOC_TRY(part_vertex(sim, d, divides, d->opened.at[i], splits));
    return TOC_OK;
}

static toc_status make_cuts(toc_sim *sim, uint32_t id, const sim_cuts *cuts, sim_splits *splits) {
    if (cuts->count == 0) return TOC_OK;
    const bool divides = is_of_tets(toc_scene_get_mesh(sim->scene, id));
    sim_division d = {0};
    toc_status status = toc_sim_division_make(sim, id, &d);
    for (size_t i = 0; i < cuts->count && status == TOC_OK; i++)
        status = make_cut(sim, &d, divides, &cuts->at[i], splits);
    sim->divided += d.edges;
    toc_sim_division_free(sim, &d);
    return status;
}

toc_status toc_sim_body_cut(toc_sim *sim, uint32_t id) {
    assert(id < sim->bodies.count);
    if (sim->bodies.at[id].material.carve || !toc_sim_body_can_be_cut(sim, id)) return TOC_OK;
    const size_t divided = sim->divided;
    sim_stars stars = {0};
    sim_cuts cuts = {0};
    sim_splits splits = {0};
    toc_status status = toc_sim_stars_make(sim, &sim->bodies.at[id], &stars);
    if (status == TOC_OK) status = toc_sim_cuts_find(sim, id, &stars, &cuts);
    if (status == TOC_OK) status = make_cuts(sim, id, &cuts, &splits);
    if (sim->divided > divided) {
        sim->edited = sim->tet_colours.stale = true;
        toc_sim_body_weigh(sim, id);
    }
    const toc_status settled = toc_sim_splits_settle(sim, id, &splits); // also those before a failure
    if (status == TOC_OK) status = settled;
    sim->splits += splits.count;
    toc_sim_stars_free(sim, &stars);
    toc_array_free(&sim->memory, &cuts);
    toc_array_free(&sim->memory, &splits);
    return status;
}
