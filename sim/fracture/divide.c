// SPDX-License-Identifier: Apache-2.0
// Tets divided along the plane that a blade sweeps.
//
// An edge that crosses the plane gets a vertex there, and each tet around it becomes two. So neighbours stay conforming
// after every edge, and the tets at an edge are all divided or none is. A vertex near the plane, against its edges,
// counts as on it: no tet becomes flatter than that. The part of a tet has the deformation gradient of the whole, and
// shares its volume, mass and elastic energy by the place of the new vertex, so these stay to rounding; so do the
// centre of mass and the momentum, since the new vertex moves as its place on the edge does. O(tets) to begin, then
// O(tets at the edges). After the node placement of Nienhuys and van der Stappen 2001, with the division of edges of
// Bielser et al. 1999, "Interactive cuts through 3-dimensional soft tissue".
#include <assert.h>
#include <math.h>
#include <string.h>

#include "sim/core/edit.h"
#include "sim/core/vector.h"
#include "sim/fracture/divide.h"

// A vertex is on the plane if the plane cuts one of its edges within this share of it.
static const double near_end = 0.1;

enum { EDGES = 6 };
static const uint8_t edges[EDGES][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// ---- the tets around each vertex, while they are divided

void toc_sim_division_free(const toc_sim *sim, sim_division *d) {
    toc_array_free(&sim->memory, &d->heads);
    toc_array_free(&sim->memory, &d->links);
    toc_array_free(&sim->memory, &d->sides);
    toc_array_free(&sim->memory, &d->around);
    toc_array_free(&sim->memory, &d->elements);
    toc_array_free(&sim->memory, &d->opened);
}

// The array of links has room.
static void link_part(sim_division *d, uint32_t vertex, uint32_t tet) {
    assert(vertex < d->heads.count && d->links.count < d->links.capacity);
    d->links.at[d->links.count] = (sim_link){tet, d->heads.at[vertex]};
    d->heads.at[vertex] = (uint32_t)d->links.count++;
}

toc_status toc_sim_division_make(toc_sim *sim, uint32_t id, sim_division *d) {
    assert(id < sim->bodies.count);
    const sim_body *body = &sim->bodies.at[id];
    d->body = id;
    TOC_TRY(toc_array_room(&sim->memory, &d->heads, body->room));
    TOC_TRY(toc_array_room(&sim->memory, &d->sides, body->room));
    d->heads.count = body->room;
    memset(d->heads.at, 0xff, body->room * sizeof *d->heads.at); // SIM_NONE
    TOC_TRY(toc_array_reserve(&sim->memory, &d->links, 4 * sim->tets.count));
    for (size_t i = sim->tets.count; i-- > 0;)
        for (int k = 0; k < 4 && sim->owner[sim->tets.at[i].v[0]] == id; k++)
            link_part(d, sim->tets.at[i].v[k] - body->first, (uint32_t)i);
    return TOC_OK;
}

// Lists keep tets that do not have the vertex any more.
toc_status toc_sim_division_look(toc_sim *sim, sim_division *d, uint32_t vertex) {
    const uint32_t particle = sim->bodies.at[d->body].first + vertex;
    d->around.count = 0;
    for (uint32_t i = d->heads.at[vertex]; i != SIM_NONE; i = d->links.at[i].next) {
        if (!sim_has_particle(&sim->tets.at[d->links.at[i].tet], particle)) continue;
        TOC_TRY(toc_array_reserve(&sim->memory, &d->around, 1));
        d->around.at[d->around.count++] = d->links.at[i].tet;
    }
    return TOC_OK;
}

toc_status toc_sim_division_follow(toc_sim *sim, sim_division *d, const sim_split *split) {
    const uint32_t made = sim->bodies.at[d->body].first + split->made;
    d->sides.at[split->made] = d->sides.at[split->vertex];
    TOC_TRY(toc_array_reserve(&sim->memory, &d->links, d->around.count));
    for (size_t i = 0; i < d->around.count; i++)
        if (sim_has_particle(&sim->tets.at[d->around.at[i]], made)) link_part(d, split->made, d->around.at[i]);
    return TOC_OK;
}

// ---- sides of the plane

static double height_of(const toc_sim *sim, const sim_division *d, uint32_t particle) {
    double from[3];
    sim_sub(sim->x[particle], d->cut->edge, from);
    return sim_dot(from, d->cut->normal);
}

// Whether the plane cuts an edge of the vertex near to it.
static bool is_on_plane(const toc_sim *sim, const sim_division *d, uint32_t particle, double height) {
    const uint32_t first = sim->bodies.at[d->body].first;
    for (uint32_t i = d->heads.at[particle - first]; i != SIM_NONE; i = d->links.at[i].next) {
        const sim_tet *tet = &sim->tets.at[d->links.at[i].tet];
        for (int k = 0; k < 4 && sim_has_particle(tet, particle); k++) {
            const double other = height_of(sim, d, tet->v[k]);
            if (other * height < 0 && fabs(height) < near_end * (fabs(height) + fabs(other))) return true;
        }
    }
    return height == 0;
}

static sim_side vertex_side(const toc_sim *sim, sim_division *d, uint32_t particle) {
    uint8_t *side = &d->sides.at[particle - sim->bodies.at[d->body].first];
    if (*side != SIM_SIDE_UNKNOWN) return *side;
    const double height = height_of(sim, d, particle);
    return *side = is_on_plane(sim, d, particle, height) ? SIM_SIDE_ON : height > 0 ? SIM_SIDE_FRONT : SIM_SIDE_BACK;
}

static bool are_apart(const toc_sim *sim, sim_division *d, uint32_t a, uint32_t b) {
    const sim_side p = vertex_side(sim, d, a), q = vertex_side(sim, d, b);
    return p != SIM_SIDE_ON && q != SIM_SIDE_ON && p != q;
}

double toc_sim_division_height(const toc_sim *sim, const sim_division *d, const sim_tet *tet) {
    double sum = 0;
    for (int k = 0; k < 4; k++) sum += 0.25 * height_of(sim, d, tet->v[k]);
    return sum;
}

sim_side toc_sim_division_side(const toc_sim *sim, sim_division *d, const sim_tet *tet) {
    bool front = false, back = false;
    for (int k = 0; k < 4; k++) {
        const sim_side side = vertex_side(sim, d, tet->v[k]);
        front = front || side == SIM_SIDE_FRONT;
        back = back || side == SIM_SIDE_BACK;
    }
    if (front && back) return SIM_SIDE_UNKNOWN;
    if (!front && !back) return toc_sim_division_height(sim, d, tet) > 0 ? SIM_SIDE_FRONT : SIM_SIDE_BACK;
    return front ? SIM_SIDE_FRONT : SIM_SIDE_BACK;
}

// ---- an edge

// The particle at a share of the way from a to b.
static void place_particle(toc_sim *sim, uint32_t a, uint32_t b, double share, uint32_t made) {
    double(*triples[])[3] = {sim->x, sim->x0, sim->before, sim->v, sim->v0, sim->rest};
    const bool pinned = sim_is_pinned(sim, a) && sim_is_pinned(sim, b);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++)
            triples[i][made][k] = triples[i][a][k] + share * (triples[i][b][k] - triples[i][a][k]);
    sim->owner[made] = sim->owner[b];
    sim->origin[made] = sim->origin[b];
    sim->spent[made] = sim->spent[a] & sim->spent[b];
    sim->thin[made] = 0;
    sim->mass[made] = 1; // until the body is weighed
    sim->w[made] = pinned ? 0 : 1;
}

// Rows of the inverse at rest are gradients of barycentric coordinates; that of the first corner is left out.
static void move_corner(sim_tet *tet, uint32_t moved, uint32_t fixed, uint32_t made, double share) {
    double by[4][3] = {{0}};
    int to = 0, from = 0;
    for (int k = 0; k < 4; k++) {
        if (tet->v[k] == moved) to = k;
        if (tet->v[k] == fixed) from = k;
        for (int i = 0; i < 3 && k > 0; i++) {
            by[k][i] = tet->inverse_rest[k - 1][i];
            by[0][i] -= by[k][i];
        }
    }
    for (int i = 0; i < 3; i++) {
        by[from][i] -= (1 - share) / share * by[to][i];
        by[to][i] /= share;
    }
    memcpy(tet->inverse_rest, by[1], sizeof tet->inverse_rest);
    tet->v[to] = made;
}

static void scale_tet(sim_tet *tet, double volume, double mass) {
    const double share = tet->volume / volume;
    tet->shear_compliance *= share;
    tet->volume_compliance *= share;
    tet->volume = volume;
    tet->mass = mass;
}

void toc_sim_tet_divide(sim_tet *tet, uint32_t a, uint32_t b, uint32_t made, double share, sim_tet *rest) {
    assert(share > 0 && share < 1);
    const double volume = share * tet->volume, mass = share * tet->mass;
    *rest = *tet;
    scale_tet(rest, tet->volume - volume, tet->mass - mass);
    scale_tet(tet, volume, mass);
    move_corner(tet, b, a, made, share);
    move_corner(rest, a, b, made, 1 - share);
}

// The tets at an edge, and their elements.
static toc_status find_tets_at_edge(toc_sim *sim, sim_division *d, uint32_t a, uint32_t b) {
    size_t kept = 0;
    TOC_TRY(toc_sim_division_look(sim, d, a - sim->bodies.at[d->body].first));
    for (size_t i = 0; i < d->around.count; i++)
        if (sim_has_particle(&sim->tets.at[d->around.at[i]], b)) d->around.at[kept++] = d->around.at[i];
    d->around.count = kept;
    TOC_TRY(toc_array_room(&sim->memory, &d->elements, kept));
    for (size_t i = 0; i < kept; i++) d->elements.at[i] = sim->tets.at[d->around.at[i]].element;
    return TOC_OK;
}

// Give the tets their new vertex, and append the parts beyond it. The arrays have room.
static void divide_tets(toc_sim *sim, sim_division *d, uint32_t a, uint32_t b, uint32_t made, double share,
                        uint32_t first_element) {
    const uint32_t first = sim->bodies.at[d->body].first;
    for (uint32_t i = 0; i < d->around.count; i++) {
        const uint32_t old = d->around.at[i], part = (uint32_t)sim->tets.count++;
        toc_sim_tet_divide(&sim->tets.at[old], a, b, made, share, &sim->tets.at[part]);
        sim->tets.at[part].element = first_element + i;
        link_part(d, made - first, old);
        for (int k = 0; k < 4; k++) link_part(d, sim->tets.at[part].v[k] - first, part);
    }
}

// The mesh has the vertex, but no memory was left for the parts beyond it: take the vertex back, or keep it as a split.
static void undo_edge(toc_sim *sim, const sim_division *d, uint32_t b, uint32_t made) {
    const uint32_t first = sim->bodies.at[d->body].first;
    if (toc_sim_edit_merge(sim, d->body, b - first, made - first) == TOC_OK) return;
    for (size_t i = 0; i < d->around.count; i++)
        for (int k = 0; k < 4; k++) {
            uint32_t *v = &sim->tets.at[d->around.at[i]].v[k];
            if (*v == b) *v = made;
        }
}

static toc_status divide_edge(toc_sim *sim, sim_division *d, uint32_t a, uint32_t b, uint32_t *made) {
    sim_body *body = &sim->bodies.at[d->body];
    const double height = height_of(sim, d, a), share = height / (height - height_of(sim, d, b));
    uint32_t vertex, element;
    TOC_TRY(find_tets_at_edge(sim, d, a, b));
    TOC_TRY(toc_sim_vertex_afford(sim, d->body));
    TOC_TRY(toc_array_reserve(&sim->memory, &sim->tets, d->around.count));
    TOC_TRY(toc_array_reserve(&sim->memory, &d->links, 5 * d->around.count));
    TOC_TRY(toc_sim_edit_split(sim, d->body, b - body->first, d->around.count, d->elements.at, &vertex));
    assert(vertex == body->count);
    body->count++;
    d->edges++;
    *made = body->first + vertex;
    const uint32_t corners[3] = {a - body->first, vertex, b - body->first};
    const toc_status status = toc_sim_edit_extend(sim, d->body, corners, d->around.count, d->elements.at, &element);
    place_particle(sim, a, b, status == TOC_OK ? share : 1, *made);
    if (status != TOC_OK) return undo_edge(sim, d, b, *made), status;
    d->sides.at[vertex] = SIM_SIDE_ON;
    divide_tets(sim, d, a, b, *made, share, element);
    return TOC_OK;
}

// ---- a cut

// An element keeps the side that it has while its middle is this near to the plane, in cube roots of its volume.
static const double hysteresis = 0.5;

sim_side toc_sim_division_keep(const toc_sim *sim, sim_division *d, const sim_tet *tet) {
    const double height = toc_sim_division_height(sim, d, tet), limit = hysteresis * cbrt(tet->volume);
    if (tet->side && (tet->side == SIM_SIDE_FRONT ? height : -height) > -limit) return (sim_side)tet->side;
    return toc_sim_division_side(sim, d, tet);
}

// Divide one edge of the tets around a vertex that are on both sides. @return whether there was one.
static toc_status divide_around(toc_sim *sim, sim_division *d, uint32_t vertex, bool *again) {
    *again = false;
    TOC_TRY(toc_sim_division_look(sim, d, vertex));
    for (size_t i = 0; i < d->around.count; i++) {
        const sim_tet tet = sim->tets.at[d->around.at[i]];
        if (toc_sim_division_keep(sim, d, &tet) != SIM_SIDE_UNKNOWN) continue;
        for (int e = 0; e < EDGES; e++) {
            const uint32_t a = tet.v[edges[e][0]], b = tet.v[edges[e][1]];
            uint32_t made;
            if (!are_apart(sim, d, a, b)) continue;
            *again = true;
            return divide_edge(sim, d, a, b, &made);
        }
    }
    return TOC_OK;
}

static toc_status open_particle(toc_sim *sim, sim_division *d, uint32_t particle) {
    TOC_TRY(toc_array_reserve(&sim->memory, &d->opened, 1));
    d->opened.at[d->opened.count++] = particle - sim->bodies.at[d->body].first;
    return TOC_OK;
}

// The corners of the plane's part in the tet ahead: those of the tet on the plane, and new ones.
static toc_status divide_ahead(toc_sim *sim, sim_division *d, const sim_tet *tet) {
    for (int k = 0; k < 4; k++)
        if (vertex_side(sim, d, tet->v[k]) == SIM_SIDE_ON) TOC_TRY(open_particle(sim, d, tet->v[k]));
    if (toc_sim_division_keep(sim, d, tet) != SIM_SIDE_UNKNOWN) return TOC_OK;
    for (int e = 0; e < EDGES; e++) {
        const uint32_t a = tet->v[edges[e][0]], b = tet->v[edges[e][1]];
        uint32_t made;
        if (!are_apart(sim, d, a, b)) continue;
        TOC_TRY(divide_edge(sim, d, a, b, &made));
        TOC_TRY(open_particle(sim, d, made));
    }
    return TOC_OK;
}

// Vertices on the plane beside one that opens: the last ones of a body have nothing ahead of them.
static toc_status open_neighbours(toc_sim *sim, sim_division *d, uint32_t vertex) {
    const uint32_t first = sim->bodies.at[d->body].first;
    TOC_TRY(toc_sim_division_look(sim, d, vertex));
    for (size_t i = 0; i < d->around.count; i++)
        for (int k = 0; k < 4; k++) {
            const uint32_t particle = sim->tets.at[d->around.at[i]].v[k];
            const bool known = sim_has_element(d->opened.at, d->opened.count, particle - first);
            if (!known && vertex_side(sim, d, particle) == SIM_SIDE_ON) TOC_TRY(open_particle(sim, d, particle));
        }
    return TOC_OK;
}

toc_status toc_sim_division_run(toc_sim *sim, sim_division *d, const sim_cut *cut) {
    const sim_tet ahead = sim->tets.at[cut->tet];
    d->cut = cut;
    d->opened.count = 0;
    memset(d->sides.at, SIM_SIDE_UNKNOWN, sim->bodies.at[d->body].room);
    TOC_TRY(divide_ahead(sim, d, &ahead));
    const size_t ahead_count = d->opened.count;
    for (size_t i = 0; i < ahead_count; i++)
        for (bool again = true; again;) TOC_TRY(divide_around(sim, d, d->opened.at[i], &again));
    for (size_t i = 0; i < ahead_count; i++) TOC_TRY(open_neighbours(sim, d, d->opened.at[i]));
    return TOC_OK;
}

toc_status toc_sim_division_touch(toc_sim *sim, sim_division *d, const sim_cut *cut) {
    d->cut = cut;
    d->opened.count = 0;
    for (int k = 0; k < 4; k++) TOC_TRY(open_particle(sim, d, sim->tets.at[cut->tet].v[k]));
    return TOC_OK;
}

toc_status toc_sim_vertex_afford(const toc_sim *sim, uint32_t id) {
    const sim_body *body = &sim->bodies.at[id];
    if (body->count < body->room) return TOC_OK;
    return toc_fail(TOC_UNSTABLE,
                    "at time %g body %u has no vertex ids left to cut it: all %u are in use; splits that would "
                    "cross use them up, so try a shorter step or a finer mesh",
                    sim->time, id, body->room);
}
