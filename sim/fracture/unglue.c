// SPDX-License-Identifier: Apache-2.0
// Glue that breaks: a vertex that joins elements of different bodies comes apart where the traction between them
// exceeds the strength of the glue, as engineers give it: force per area.
//
// The elements of one body pull a vertex with a force, the derivative of their energy; those of the other body pull
// against it. Half the difference of the two forces is what the glue bears, all of one where the other body is pinned
// there. Its area: between volume elements, half the difference of the derivatives of their volumes, a third of the
// faces around the vertex, where faces that are not glued cancel. Of shells, a third of each face all of whose corners
// are glued, and of other glued edges half their length times the thickness of the shells. So the area is that of a
// lap, or of the cross section of a seam. Glue that broke counts as glued there: an area does not shrink beside a
// crack. Pressure across the glue does not break it; tension and shear count together, by the root of their squares. In
// a lap of shells all force counts, since nothing presses in their plane.
#include <assert.h>
#include <math.h>

#include "sim/constraint/constraint.h"
#include "sim/core/vector.h"
#include "sim/fracture/fracture.h"

/// A body whose glue may break, and the elements, springs and hinges of each vertex.
typedef struct sim_seams {
    uint32_t id;
    sim_shells list;
    sim_stars tets, shells, springs, hinges;
    TOC_ARRAY(bool) glued;        // by vertex: it joins bodies now, or its glue broke
    TOC_ARRAY(uint32_t) elements; // scratch: those around a vertex
    sim_splits splits;
} sim_seams;

/// Two bodies at a glued vertex: that of the vertex, and one whose elements may come off.
typedef struct sim_seam {
    uint32_t particle, vertex, own, other;
    sim_around around;
} sim_seam;

static void free_seams(const toc_sim *sim, sim_seams *s) {
    toc_sim_stars_free(sim, &s->tets);
    toc_sim_stars_free(sim, &s->shells);
    toc_sim_stars_free(sim, &s->springs);
    toc_sim_stars_free(sim, &s->hinges);
    toc_array_free(&sim->memory, &s->list);
    toc_array_free(&sim->memory, &s->glued);
    toc_array_free(&sim->memory, &s->elements);
    toc_array_free(&sim->memory, &s->splits);
}

static sim_around around_vertex(const sim_seams *s, uint32_t vertex) {
    const uint32_t *tets = s->tets.first.at + vertex, *shells = s->shells.first.at + vertex;
    return (sim_around){.tets = s->tets.items.at + tets[0],
                        .shells = s->shells.items.at + shells[0],
                        .tet_count = tets[1] - tets[0],
                        .shell_count = shells[1] - shells[0],
                        .list = s->list.at};
}

// ---- bodies at a vertex

// The body of the i-th element around a vertex, tets first.
static uint32_t origin_at(const toc_sim *sim, const sim_around *around, uint32_t i) {
    assert(i < around->tet_count + around->shell_count);
    return i < around->tet_count ? sim->tets.at[around->tets[i]].origin
                                 : around->list[around->shells[i - around->tet_count]].origin;
}

// Whether a vertex has elements of different bodies. Those of one may be all that a crack or a cut left to it.
static bool joins_bodies(const toc_sim *sim, const sim_around *around) {
    for (uint32_t i = 1; i < around->tet_count + around->shell_count; i++)
        if (origin_at(sim, around, i) != origin_at(sim, around, 0)) return true;
    return false;
}

static bool has_tets(const toc_sim *sim, const sim_around *around, uint32_t origin) {
    for (uint32_t i = 0; i < around->tet_count; i++)
        if (sim->tets.at[around->tets[i]].origin == origin) return true;
    return false;
}

// Elements of a body around a vertex, each once. @return their number.
static size_t elements_from(const toc_sim *sim, const sim_around *around, uint32_t origin, uint32_t *out) {
    size_t found = 0;
    for (uint32_t i = 0; i < around->tet_count + around->shell_count; i++) {
        const uint32_t element = i < around->tet_count ? sim->tets.at[around->tets[i]].element
                                                       : around->list[around->shells[i - around->tet_count]].element;
        if (origin_at(sim, around, i) == origin && !sim_has_element(out, found, element)) out[found++] = element;
    }
    return found;
}

// ---- force

// Add what a body's constraint pulls at a vertex: the own body with a share, the others against it.
static void add_pull(const toc_sim *sim, const sim_seam *seam, uint32_t origin, const double pull[3], double out[3]) {
    const bool pinned = sim_is_pinned(sim, seam->particle), other = origin == seam->other;
    const double share = pinned ? (other ? 1 : 0) : 0.5;
    sim_add(other ? -share : share, pull, out);
}

static void pull_spring(const toc_sim *sim, const sim_seam *seam, const sim_spring *spring, double out[3]) {
    const uint32_t end = spring->v[0] == seam->particle ? spring->v[1] : spring->v[0];
    double pull[3];
    sim_sub(sim->x[end], sim->x[seam->particle], pull);
    const double length = sim_normalize(pull), force = (length - spring->rest) / spring->compliance;
    for (int k = 0; k < 3; k++) pull[k] *= force;
    add_pull(sim, seam, spring->origin, pull, out);
}

static void pull_hinge(const toc_sim *sim, const sim_seam *seam, const sim_hinge *hinge, double out[3]) {
    double x[4][3], gradient[4][3], angle;
    for (int k = 0; k < 4; k++) sim_copy(sim->x[hinge->v[k]], x[k]);
    if (!toc_sim_hinge_angle(x, &angle, gradient)) return;
    const double moment = toc_sim_hinge_excess(hinge, angle) / hinge->compliance;
    for (int k = 0; k < 4; k++) {
        if (hinge->v[k] != seam->particle) continue;
        for (int i = 0; i < 3; i++) gradient[k][i] *= -moment;
        add_pull(sim, seam, hinge->origin, gradient[k], out);
    }
}

// The force that the glue bears, and half the difference of the derivatives of the volumes beside it.
static void glue_force(const toc_sim *sim, const sim_seams *s, const sim_seam *seam, double force[3], double area[3]) {
    memset(force, 0, 3 * sizeof *force);
    memset(area, 0, 3 * sizeof *area);
    for (uint32_t i = 0; i < seam->around.tet_count; i++) {
        const sim_tet *tet = &sim->tets.at[seam->around.tets[i]];
        double forces[4][3], areas[4][3];
        toc_sim_tet_forces(sim, tet, forces, areas);
        for (int k = 0; k < 4; k++)
            if (tet->v[k] == seam->particle) {
                add_pull(sim, seam, tet->origin, forces[k], force);
                sim_add(tet->origin == seam->other ? 0.5 : -0.5, areas[k], area);
            }
    }
    for (uint32_t i = s->springs.first.at[seam->vertex]; i < s->springs.first.at[seam->vertex + 1]; i++)
        pull_spring(sim, seam, &sim->springs.at[s->springs.items.at[i]], force);
    for (uint32_t i = s->hinges.first.at[seam->vertex]; i < s->hinges.first.at[seam->vertex + 1]; i++)
        pull_hinge(sim, seam, &sim->hinges.at[s->hinges.items.at[i]], force);
}

// ---- area of shells

static int shell_corner(const sim_shell *shell, uint32_t particle) {
    int k = 0;
    while (k < shell->corners && shell->v[k] != particle) k++;
    assert(k < shell->corners);
    return k;
}

static bool is_glued(const toc_sim *sim, const sim_seams *s, uint32_t particle) {
    return s->glued.at[particle - sim->bodies.at[s->id].first];
}

// Whether all corners of a face are glued.
static bool is_glued_face(const toc_sim *sim, const sim_seams *s, const sim_shell *shell) {
    if (shell->corners < 3) return false;
    for (int k = 0; k < shell->corners; k++)
        if (!is_glued(sim, s, shell->v[k])) return false;
    return true;
}

static bool shell_has(const sim_shell *shell, uint32_t particle) {
    for (int k = 0; k < shell->corners; k++)
        if (shell->v[k] == particle) return true;
    return false;
}

// Whether an edge at a vertex is counted with a glued face or with an earlier shell of the body.
static bool is_counted(const toc_sim *sim, const sim_seams *s, const sim_seam *seam, uint32_t origin, uint32_t end,
                       uint32_t before) {
    for (uint32_t i = 0; i < seam->around.shell_count; i++) {
        const sim_shell *shell = &seam->around.list[seam->around.shells[i]];
        if (shell->origin != origin || !shell_has(shell, end)) continue;
        if (i < before || is_glued_face(sim, s, shell)) return true;
    }
    return false;
}

// Of a body's shells around a vertex: the area of glued faces, and the length of other glued edges.
static void measure_shells(const toc_sim *sim, const sim_seams *s, const sim_seam *seam, uint32_t origin, double *area,
                           double *length) {
    for (uint32_t i = 0; i < seam->around.shell_count; i++) {
        const sim_shell *shell = &seam->around.list[seam->around.shells[i]];
        if (shell->origin != origin) continue;
        if (is_glued_face(sim, s, shell)) *area += toc_sim_shell_area(sim, shell) / shell->corners;
        const int at = shell_corner(shell, seam->particle);
        for (int k = 1; k<shell->corners; k += shell->corners> 3 ? 2 : 1) { // neighbours along edges
            const uint32_t end = shell->v[(at + k) % shell->corners];
            double edge[3];
            if (!is_glued(sim, s, end) || is_counted(sim, s, seam, origin, end, i)) continue;
            sim_sub(sim->x[end], sim->x[seam->particle], edge);
            *length += sim_length(edge) / 2;
        }
    }
}

// The larger one of both bodies: their meshes may differ there.
// @param lap whether faces are glued, not edges alone.
static double shells_area(const toc_sim *sim, const sim_seams *s, const sim_seam *seam, bool *lap) {
    const uint32_t bodies[2] = {seam->own, seam->other};
    double thickness = 0, area[2] = {0, 0}, length[2] = {0, 0}, largest = 0;
    for (int k = 0; k < 2; k++) thickness += 0.5 * sim->bodies.at[bodies[k]].material.thickness;
    for (int k = 0; k < 2; k++) {
        measure_shells(sim, s, seam, bodies[k], &area[k], &length[k]);
        largest = fmax(largest, area[k] + length[k] * thickness);
    }
    *lap = area[0] > 0 || area[1] > 0;
    return largest > 0 ? largest : thickness * thickness; // a vertex alone
}

// Across a seam in the plane of its faces, away from the other body; 0 where there is no such direction.
static void seam_direction(const toc_sim *sim, const sim_seam *seam, double out[3]) {
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t i = 0; i < seam->around.shell_count; i++) {
        const sim_shell *shell = &seam->around.list[seam->around.shells[i]];
        double outward[3];
        if (shell->corners < 3) continue;
        toc_sim_shell_outward(sim, shell, shell_corner(shell, seam->particle), outward);
        sim_add(shell->origin == seam->other ? 1 : -1, outward, out);
    }
    sim_normalize(out);
}

// ---- traction

// @param lap whether the glue is between faces of shells.
static double glue_traction(const toc_sim *sim, const sim_seams *s, const sim_seam *seam, bool *lap) {
    double force[3], across[3];
    glue_force(sim, s, seam, force, across);
    double size = sim_normalize(across);
    *lap = false;
    if (!has_tets(sim, &seam->around, seam->own) || !has_tets(sim, &seam->around, seam->other)) {
        size = shells_area(sim, s, seam, lap);
        if (seam->around.tet_count == 0) seam_direction(sim, seam, across);
    }
    if (size == 0) return 0;
    const double tension = sim_dot(force, across);
    if (*lap || tension > 0) return sim_length(force) / size;
    sim_add(-tension, across, force);
    return sim_length(force) / size;
}

// The lower strength of two bodies among those above 0; 0 if neither breaks.
static double glue_strength(const toc_sim *sim, uint32_t a, uint32_t b) {
    assert(a < sim->bodies.count && b < sim->bodies.count);
    const double p = sim->bodies.at[a].material.adhesion_strength;
    const double q = sim->bodies.at[b].material.adhesion_strength;
    return p > 0 && q > 0 ? fmin(p, q) : fmax(p, q);
}

// Find the body whose elements come off: not that of the vertex itself, so that a pinned one stays with its body.
static bool bears_too_much(const toc_sim *sim, const sim_seams *s, sim_seam *seam, bool *lap) {
    const uint32_t count = seam->around.tet_count + seam->around.shell_count;
    for (uint32_t i = 0; i < count; i++) {
        seam->other = origin_at(sim, &seam->around, i);
        if (seam->other == seam->own) continue;
        const double strength = glue_strength(sim, seam->own, seam->other);
        if (strength > 0 && glue_traction(sim, s, seam, lap) > strength) return true;
    }
    return false;
}

// ---- parting

// In a lap the middles of both halves may coincide: they part across the faces, each to the side from which it came.
static bool lap_direction(const toc_sim *sim, const sim_seam *seam, double out[3]) {
    const uint32_t side = sim->side[seam->particle];
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t i = 0; i < seam->around.shell_count; i++) {
        const sim_shell *shell = &seam->around.list[seam->around.shells[i]];
        double normal[3];
        if (shell->origin != seam->own || shell->corners < 3) continue;
        toc_sim_shell_normal(sim, shell, shell_corner(shell, seam->particle), normal);
        sim_add(side == SIM_GLUE_FRONT ? -1 : 1, normal, out);
    }
    return side != SIM_GLUE_NONE && sim_normalize(out) > 0;
}

// Give the springs, hinges, bags and shells of a body at a vertex the new particle, with their share of the mass.
static void part_shells(toc_sim *sim, const sim_seams *s, const sim_seam *seam, uint32_t made) {
    double own = 0, other = 0;
    for (uint32_t i = 0; i < seam->around.shell_count; i++) {
        sim_shell *shell = &s->list.at[seam->around.shells[i]];
        const int k = shell_corner(shell, seam->particle);
        *(shell->origin == seam->other ? &other : &own) += toc_sim_shell_mass(sim, shell, k);
        if (shell->origin == seam->other) shell->v[k] = made;
    }
    sim->thin[made] = other > 0 ? sim->thin[seam->particle] * (other / (own + other)) : 0;
    sim->thin[seam->particle] -= sim->thin[made];
    for (uint32_t i = s->springs.first.at[seam->vertex]; i < s->springs.first.at[seam->vertex + 1]; i++) {
        sim_spring *spring = &sim->springs.at[s->springs.items.at[i]];
        for (int k = 0; k < 2 && spring->origin == seam->other; k++)
            if (spring->v[k] == seam->particle) spring->v[k] = made;
    }
    for (uint32_t i = s->hinges.first.at[seam->vertex]; i < s->hinges.first.at[seam->vertex + 1]; i++) {
        sim_hinge *hinge = &sim->hinges.at[s->hinges.items.at[i]];
        for (int k = 0; k < 4 && hinge->origin == seam->other; k++)
            if (hinge->v[k] == seam->particle) hinge->v[k] = made;
    }
    for (size_t b = 0; b < sim->bags.count; b++)
        for (uint32_t i = 0; i < sim->bags.at[b].count && sim->bags.at[b].origin == seam->other; i++) {
            uint32_t *v = &sim->bag_faces.at[sim->bags.at[b].first + i];
            if (*v == seam->particle) *v = made;
        }
}

static toc_status unglue_vertex(toc_sim *sim, sim_seams *s, uint32_t vertex) {
    const sim_body *body = &sim->bodies.at[s->id];
    const uint32_t particle = body->first + vertex;
    sim_seam seam = {
        .particle = particle, .vertex = vertex, .own = sim->origin[particle], .around = around_vertex(s, vertex)};
    double direction[3];
    bool lap;
    if (!joins_bodies(sim, &seam.around) || !bears_too_much(sim, s, &seam, &lap)) return TOC_OK;
    const bool full = body->count >= body->room;
    sim->unsplit += full;
    if (full) return TOC_OK;
    const uint32_t made = body->first + body->count;
    const bool across = lap && lap_direction(sim, &seam, direction);
    const size_t found = elements_from(sim, &seam.around, seam.other, s->elements.at);
    TOC_TRY(toc_sim_vertex_split(sim, s->id, &seam.around, vertex, s->elements.at, found, across ? direction : NULL,
                                 &s->splits));
    part_shells(sim, s, &seam, made);
    sim->origin[made] = seam.other;
    return TOC_OK;
}

// Mark the glue of both halves as spent.
static void spend_glue(toc_sim *sim, const sim_seams *s) {
    const uint32_t first = sim->bodies.at[s->id].first;
    for (size_t i = 0; i < s->splits.count; i++)
        sim->spent[first + s->splits.at[i].vertex] = sim->spent[first + s->splits.at[i].made] = 1;
}

// ---- bodies

static bool can_unglue(const toc_sim *sim) {
    bool gone = false, breaks = false;
    for (size_t b = 0; b < sim->bodies.count; b++) {
        gone = gone || sim->bodies.at[b].gone;
        breaks = breaks || sim->bodies.at[b].material.adhesion_strength > 0;
    }
    return gone && breaks;
}

static toc_status find_seams(const toc_sim *sim, sim_seams *s) {
    const sim_body *body = &sim->bodies.at[s->id];
    const uint32_t count = body->count;
    TOC_TRY(toc_sim_shells_find(sim, s->id, &s->list));
    const sim_items shells = {s->list.at, s->list.count, sizeof *s->list.at, 4};
    const sim_items springs = {sim->springs.at, sim->springs.count, sizeof *sim->springs.at, 2};
    const sim_items hinges = {sim->hinges.at, sim->hinges.count, sizeof *sim->hinges.at, 4};
    TOC_TRY(toc_sim_stars_make(sim, body, &s->tets));
    TOC_TRY(toc_sim_stars_find(sim, body, &shells, &s->shells));
    TOC_TRY(toc_sim_stars_find(sim, body, &springs, &s->springs));
    TOC_TRY(toc_sim_stars_find(sim, body, &hinges, &s->hinges));
    TOC_TRY(toc_array_room(&sim->memory, &s->elements, s->tets.items.capacity + s->shells.items.capacity));
    TOC_TRY(toc_array_room(&sim->memory, &s->glued, body->room));
    for (uint32_t v = 0; v < count; v++) {
        const sim_around around = around_vertex(s, v);
        s->glued.at[v] = sim->spent[body->first + v] || joins_bodies(sim, &around);
    }
    for (uint32_t v = count; v < body->room; v++) s->glued.at[v] = true; // made by splits of this step
    return TOC_OK;
}

toc_status toc_sim_body_unglue(toc_sim *sim, uint32_t id) {
    assert(id < sim->bodies.count);
    if (!can_unglue(sim)) return TOC_OK;
    const uint32_t count = sim->bodies.at[id].count;
    sim_seams s = {.id = id};
    toc_status status = find_seams(sim, &s);
    for (uint32_t v = 0; v < count && status == TOC_OK; v++) status = unglue_vertex(sim, &s, v);
    if (status == TOC_OK) status = toc_sim_splits_settle(sim, id, &s.splits);
    spend_glue(sim, &s);
    sim->unglued += s.splits.count;
    free_seams(sim, &s);
    return status;
}
