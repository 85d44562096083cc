// SPDX-License-Identifier: Apache-2.0
// The cut of a lattice along the surface of an envelope, and between limbs.
//
// Edges from inside to outside are cut where the field is 0. Vertices close to a cut move there, as long as no tet
// becomes flat. An edge inside of the envelope whose ends move with joints that are not kin, with the outside or skin
// that faces the other end between them, is cut on both sides of its middle: a gap. The vertices of a tet that no such
// edge separates form one piece of it; a vertex may belong to two pieces, where a gap ends. Which edges are cut does
// not depend on the tet, so pieces of neighbours fit together. After Labelle and Shewchuk 2007, "Isosurface stuffing",
// and Molino et al. 2004, "A virtual node algorithm".
#include <assert.h>

#include "sim/character/envelope.h"

#include "sim/core/vector.h"

static const double snap_share = 0.3;     // of an edge, within which a vertex moves to the cut
static const double nearest_cut = 0.12;   // of an edge, from its end to a cut: flatter tets are not made
static const double gap_share = 0.04;     // of an edge: half of the gap between limbs that touch
static const double least_volume = 0.15;  // of a tet, that is left when a vertex moves
static const double flat_share = 1e-6;    // six volumes of a tet over the cube of an edge, below which it is flat
static const double surface_slack = 5e-4; // of the height: cuts lie so close to the surface of the field
static const double facing = 0.5;         // cosine between the normal of a skin and an edge that leaves through it

typedef enum edge_kind { EDGE_INSIDE, EDGE_OUTSIDE, EDGE_SURFACE, EDGE_GAP } edge_kind;

/// An edge of the lattice.
typedef struct cut_edge {
    uint32_t v[2];      // of a surface edge, the first one is inside
    double share[2];    // of the way from each end to its cut
    uint32_t vertex[2]; // the cut at each end, of the result; CHARACTER_NONE where none is yet
    uint8_t kind;
} cut_edge;

typedef struct cut_state {
    const toc_allocator *memory;
    const character_lattice *l;
    const envelope_field *field;
    envelope_cut *out;
    TOC_ARRAY(cut_edge) edges;
    pair_map map;                          // from vertices to edges
    TOC_ARRAY(lattice_vertex) vertices;    // moved
    TOC_ARRAY(uint8_t) on;                 // by vertex: on the surface, since it was moved there
    TOC_ARRAY(uint32_t) ids;               // by vertex: of the result
    TOC_ARRAY(uint32_t) first_tet, tet_of; // by vertex: its tets
    TOC_ARRAY(uint32_t) first_edge, edge_of;
    uint32_t tet; // of the lattice, that is cut at present
} cut_state;

static bool is_inside(const cut_state *c, uint32_t v) { return !c->vertices.at[v].outside; }

// ---- edges

static lattice_vertex point_on(const cut_state *c, const cut_edge *e, double share) {
    lattice_vertex p = {0};
    const double *a = c->vertices.at[e->v[0]].x, *b = c->vertices.at[e->v[1]].x;
    for (int k = 0; k < 3; k++) p.x[k] = (1 - share) * a[k] + share * b[k];
    return p;
}

/// Measure a point of an edge, with the help of the end that is nearer.
static void measure_on(const cut_state *c, const cut_edge *e, double share, lattice_vertex *p) {
    toc_envelope_measure(c->field, &c->l->vertices.at[e->v[share > 0.5]], p);
}

/// The share of an edge at which the field is 0, between two shares: the first one inside, the second one outside.
static double find_surface(const cut_state *c, const cut_edge *e, double in, double at_in, double out, double at_out) {
    enum { STEPS = 5 };
    double at = in;
    for (int i = 0; i < STEPS; i++) {
        const double secant = at_out - at_in > 0 ? at_in / (at_in - at_out) : 0.5;
        at = in + (out - in) * fmin(0.85, fmax(0.15, secant));
        lattice_vertex p = point_on(c, e, at);
        measure_on(c, e, at, &p);
        if (fabs(p.value) < surface_slack * c->field->height) break;
        if (p.value <= 0)
            in = at, at_in = p.value;
        else
            out = at, at_out = p.value;
    }
    return at;
}

/// Whether the skins nearest to the ends of an edge lie between them, back to back.
static bool faces_between(const cut_state *c, const lattice_vertex *a, const lattice_vertex *b) {
    double along[3], first[3], second[3];
    sim_sub(b->x, a->x, along);
    sim_normalize(along);
    toc_soup_find_normal(&c->field->soup, a->place.triangle, first);
    toc_soup_find_normal(&c->field->soup, b->place.triangle, second);
    return sim_dot(first, along) > facing && sim_dot(second, along) < -facing;
}

/// The share of an edge between limbs at which the nearest skin changes from one to the other.
static double find_change(const cut_state *c, const cut_edge *e, lattice_vertex *at) {
    enum { STEPS = 12 };
    const soup_place *own = &c->vertices.at[e->v[0]].place;
    double low = 0, high = 1, middle = 0.5;
    for (int i = 0; i < STEPS; i++) {
        middle = 0.5 * (low + high);
        *at = point_on(c, e, middle);
        measure_on(c, e, middle, at);
        if (at->value > 0) break;
        if (toc_envelope_is_kin(c->field, own, &at->place))
            low = middle;
        else
            high = middle;
    }
    return middle;
}

static void classify_inner(cut_state *c, cut_edge *e) {
    const lattice_vertex *a = &c->vertices.at[e->v[0]], *b = &c->vertices.at[e->v[1]];
    double length[3];
    sim_sub(a->x, b->x, length);
    if (a->place.distance > sim_length(length) && b->place.distance > sim_length(length)) return;
    if (toc_envelope_is_kin(c->field, &a->place, &b->place)) return;
    lattice_vertex p;
    const double change = find_change(c, e, &p);
    if (toc_envelope_is_enclosed(c->field, p.x) && !faces_between(c, a, b)) return;
    e->kind = EDGE_GAP;
    e->share[0] = change - gap_share, e->share[1] = 1 - change - gap_share;
    if (p.value > 0) {
        e->share[0] = find_surface(c, e, 0, fmin(a->value, 0), change, p.value);
        const cut_edge reverse = {.v = {e->v[1], e->v[0]}};
        e->share[1] = find_surface(c, &reverse, 0, fmin(b->value, 0), 1 - change, p.value);
    }
    for (int k = 0; k < 2; k++) e->share[k] = fmin(1 - nearest_cut, fmax(nearest_cut, e->share[k]));
    const double most = 1 - 2 * gap_share, sum = e->share[0] + e->share[1];
    for (int k = 0; k < 2 && sum > most; k++) e->share[k] *= most / sum;
}

static void classify_edge(cut_state *c, cut_edge *e) {
    const bool first = is_inside(c, e->v[0]), second = is_inside(c, e->v[1]);
    e->kind = first ? EDGE_INSIDE : EDGE_OUTSIDE;
    if (first && second) classify_inner(c, e);
    if (first == second) return;
    e->kind = EDGE_SURFACE;
    if (second) {
        const uint32_t v = e->v[0];
        e->v[0] = e->v[1], e->v[1] = v;
    }
    const lattice_vertex *in = &c->vertices.at[e->v[0]], *out = &c->vertices.at[e->v[1]];
    e->share[0] = find_surface(c, e, 0, fmin(in->value, 0), 1, out->value);
}

static const uint8_t tet_edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static toc_status list_edges(cut_state *c) {
    for (size_t t = 0; t < c->l->tets.count; t++) {
        const uint32_t *v = c->l->tets.at[t].v;
        bool any = false;
        for (int k = 0; k < 4; k++) any |= is_inside(c, v[k]);
        for (int i = 0; i < 6 && any; i++) {
            const uint32_t a = v[tet_edges[i][0]], b = v[tet_edges[i][1]];
            uint32_t *edge;
            TOC_TRY(toc_pair_map_find(c->memory, &c->map, a, b, &edge));
            if (*edge != CHARACTER_NONE) continue;
            TOC_TRY(toc_array_reserve(c->memory, &c->edges, 1));
            *edge = (uint32_t)c->edges.count;
            cut_edge *e = &c->edges.at[c->edges.count++];
            *e = (cut_edge){.v = {a < b ? a : b, a < b ? b : a}, .vertex = {CHARACTER_NONE, CHARACTER_NONE}};
            classify_edge(c, e);
        }
    }
    return TOC_OK;
}

// ---- moving vertices to the cut

/// Lists by vertex: of the tets (4 corners) or edges (2 ends).
static toc_status list_tets_of_vertices(cut_state *c) {
    const size_t vertices = c->vertices.count;
    TOC_TRY(toc_array_room(c->memory, &c->first_tet, vertices + 2));
    TOC_TRY(toc_array_room(c->memory, &c->tet_of, 4 * c->l->tets.count));
    uint32_t *first = c->first_tet.at;
    for (size_t t = 0; t < c->l->tets.count; t++)
        for (int k = 0; k < 4; k++) first[c->l->tets.at[t].v[k] + 2]++;
    for (size_t v = 2; v < vertices + 2; v++) first[v] += first[v - 1];
    for (size_t t = 0; t < c->l->tets.count; t++)
        for (int k = 0; k < 4; k++) c->tet_of.at[first[c->l->tets.at[t].v[k] + 1]++] = (uint32_t)t;
    return TOC_OK;
}

static toc_status list_edges_of_vertices(cut_state *c) {
    const size_t vertices = c->vertices.count;
    TOC_TRY(toc_array_room(c->memory, &c->first_edge, vertices + 2));
    TOC_TRY(toc_array_room(c->memory, &c->edge_of, 2 * c->edges.count));
    uint32_t *first = c->first_edge.at;
    for (size_t e = 0; e < c->edges.count; e++)
        for (int k = 0; k < 2; k++) first[c->edges.at[e].v[k] + 2]++;
    for (size_t v = 2; v < vertices + 2; v++) first[v] += first[v - 1];
    for (size_t e = 0; e < c->edges.count; e++)
        for (int k = 0; k < 2; k++) c->edge_of.at[first[c->edges.at[e].v[k] + 1]++] = (uint32_t)e;
    return TOC_OK;
}

static double tet_volume(const double *a, const double *b, const double *c, const double *d) {
    double e[3][3];
    sim_sub(b, a, e[0]), sim_sub(c, a, e[1]), sim_sub(d, a, e[2]);
    return sim_determinant(e);
}

/// Whether a vertex may move: no tet around it loses too much.
static bool may_move(const cut_state *c, uint32_t v, const double to[3]) {
    for (uint32_t i = c->first_tet.at[v]; i < c->first_tet.at[v + 1]; i++) {
        const uint32_t *corners = c->l->tets.at[c->tet_of.at[i]].v;
        const double *before[4], *after[4];
        for (int k = 0; k < 4; k++) {
            before[k] = c->l->vertices.at[corners[k]].x;
            after[k] = corners[k] == v ? to : c->vertices.at[corners[k]].x;
        }
        const double old = tet_volume(before[0], before[1], before[2], before[3]);
        const double now = tet_volume(after[0], after[1], after[2], after[3]);
        if (!(now / old > least_volume)) return false;
    }
    return true;
}

/// Whether the flesh around a vertex would still belong together if it stood at a place.
static bool joins_kin(const cut_state *c, uint32_t v, const soup_place *place) {
    for (uint32_t i = c->first_edge.at[v]; i < c->first_edge.at[v + 1]; i++) {
        const cut_edge *e = &c->edges.at[c->edge_of.at[i]];
        const uint32_t other = e->v[0] == v ? e->v[1] : e->v[0];
        if (is_inside(c, other) && !toc_envelope_is_kin(c->field, place, &c->vertices.at[other].place)) return false;
    }
    return true;
}

/// The nearest cut around a vertex; NULL where it must stay.
static const cut_edge *find_move(const cut_state *c, uint32_t v) {
    const cut_edge *best = NULL;
    bool has_inner = false;
    double share = snap_share;
    for (uint32_t i = c->first_edge.at[v]; i < c->first_edge.at[v + 1]; i++) {
        const cut_edge *e = &c->edges.at[c->edge_of.at[i]];
        const uint32_t other = e->v[0] == v ? e->v[1] : e->v[0];
        if (e->kind == EDGE_GAP) return NULL;
        has_inner |= e->kind == EDGE_INSIDE && !c->on.at[other];
        if (e->kind != EDGE_SURFACE || c->on.at[other]) continue;
        const double here = e->v[0] == v ? e->share[0] : 1 - e->share[0];
        if (here < share) share = here, best = e;
    }
    return is_inside(c, v) && !has_inner ? NULL : best;
}

static void move_vertex(cut_state *c, uint32_t v) {
    const cut_edge *e = find_move(c, v);
    if (!e) return;
    lattice_vertex p = point_on(c, e, e->share[0]);
    if (!may_move(c, v, p.x)) return;
    measure_on(c, e, e->share[0], &p);
    if (!joins_kin(c, v, &p.place)) return;
    p.used = true;
    c->vertices.at[v] = p;
    c->on.at[v] = true;
    for (uint32_t i = c->first_edge.at[v]; i < c->first_edge.at[v + 1]; i++) {
        cut_edge *around = &c->edges.at[c->edge_of.at[i]];
        if (around->kind == EDGE_SURFACE) around->kind = around->v[0] == v ? EDGE_OUTSIDE : EDGE_INSIDE;
    }
}

static void move_vertices(cut_state *c) {
    for (uint32_t v = 0; v < c->vertices.count; v++)
        if (c->first_edge.at[v] < c->first_edge.at[v + 1]) move_vertex(c, v);
}

// ---- pieces

static toc_status add_cut_vertex(cut_state *c, const lattice_vertex *v, uint32_t *id) {
    assert(c->out->vertices.count < CHARACTER_NONE);
    TOC_TRY(toc_array_reserve(c->memory, &c->out->vertices, 1));
    *id = (uint32_t)c->out->vertices.count++;
    c->out->vertices.at[*id] = *v;
    return TOC_OK;
}

static toc_status take_vertex(cut_state *c, uint32_t v, uint32_t *out) {
    if (c->ids.at[v] == CHARACTER_NONE) TOC_TRY(add_cut_vertex(c, &c->vertices.at[v], &c->ids.at[v]));
    *out = c->ids.at[v];
    return TOC_OK;
}

/// The cut of the edge from a vertex of a piece to one that is not: the vertex itself if nothing is cut.
static toc_status take_cut(cut_state *c, uint32_t from, uint32_t to, uint32_t *out) {
    uint32_t inner;
    TOC_TRY(take_vertex(c, from, &inner));
    cut_edge *e = &c->edges.at[toc_pair_map_get(&c->map, from, to)];
    const int side = e->v[0] == from ? 0 : 1;
    *out = inner;
    if (e->kind != EDGE_GAP && (e->kind != EDGE_SURFACE || side == 1)) return TOC_OK;
    if (e->vertex[side] == CHARACTER_NONE) {
        const double share = fmin(1 - nearest_cut, fmax(nearest_cut, e->share[side]));
        lattice_vertex p = point_on(c, e, side == 0 ? share : 1 - share);
        const soup_place *own = &c->vertices.at[from].place;
        p.place = toc_soup_find_nearest(&c->field->soup, p.x, own->triangle);
        if (e->kind == EDGE_GAP && !toc_envelope_is_kin(c->field, &p.place, own)) p.place = *own;
        TOC_TRY(add_cut_vertex(c, &p, &e->vertex[side]));
    }
    *out = e->vertex[side];
    return TOC_OK;
}

/// The cube of the longest edge from a point to others.
static double longest_cube(const double *a, const double *b, const double *c, const double *d) {
    const double *others[3] = {b, c, d};
    double most = 0;
    for (int k = 0; k < 3; k++) {
        double edge[3];
        sim_sub(others[k], a, edge);
        most = fmax(most, sim_length(edge));
    }
    return most * most * most;
}

static toc_status add_cut_tet(cut_state *c, uint32_t a, uint32_t b, uint32_t p, uint32_t q) {
    if (a == b || a == p || a == q || b == p || b == q || p == q) return TOC_OK;
    const lattice_vertex *v = c->out->vertices.at;
    const double volume = tet_volume(v[a].x, v[b].x, v[p].x, v[q].x);
    if (!(fabs(volume) > flat_share * longest_cube(v[a].x, v[b].x, v[p].x, v[q].x))) return TOC_OK;
    TOC_TRY(toc_array_reserve(c->memory, &c->out->tets, 4));
    const uint32_t corners[4] = {a, b, volume > 0 ? p : q, volume > 0 ? q : p};
    for (int k = 0; k < 4; k++) assert(corners[k] < c->out->vertices.count);
    memcpy(c->out->tets.at + c->out->tets.count, corners, sizeof corners);
    c->out->tets.count += 4;
    TOC_TRY(toc_array_reserve(c->memory, &c->out->within, 1));
    c->out->within.at[c->out->within.count++] = c->tet;
    return TOC_OK;
}

/// Three tets of a prism with edges from a to b. Diagonals begin at the least id, so that neighbours have the same.
/// Where corners of a triangle coincide, the diagonal of the face behind the first edge has to avoid them; `loose` says
/// that no neighbour has this face.
static toc_status add_prism(cut_state *c, const uint32_t a[3], const uint32_t b[3], bool loose) {
    uint32_t low[3], high[3];
    size_t least = 0;
    bool above = false;
    for (size_t k = 0; k < 3; k++) {
        if (a[k] < (above ? b : a)[least]) least = k, above = false;
        if (b[k] < (above ? b : a)[least]) least = k, above = true;
    }
    for (size_t k = 0; k < 3; k++) {
        low[k] = (above ? b : a)[(least + k) % 3];
        high[k] = (above ? a : b)[(least + k) % 3];
    }
    const uint32_t first = low[1] < high[2] ? low[1] : high[2], second = low[2] < high[1] ? low[2] : high[1];
    bool forward = first < second;
    if (loose && least == 0 && (low[0] == low[2] || high[0] == high[1])) forward = true;
    if (loose && least == 0 && (low[0] == low[1] || high[0] == high[2])) forward = false;
    TOC_TRY(add_cut_tet(c, low[0], high[1], high[2], high[0]));
    if (forward) {
        TOC_TRY(add_cut_tet(c, low[0], low[1], low[2], high[2]));
        return add_cut_tet(c, low[0], low[1], high[2], high[1]);
    }
    TOC_TRY(add_cut_tet(c, low[0], low[1], low[2], high[1]));
    return add_cut_tet(c, low[0], high[1], low[2], high[2]);
}

/// The piece of a tet around some of its corners.
static toc_status add_tet_piece(cut_state *c, const uint32_t v[4], unsigned corners) {
    uint32_t in[4], out[4], a[3], b[3];
    size_t ins = 0, outs = 0;
    for (int k = 0; k < 4; k++) *(corners >> k & 1 ? &in[ins++] : &out[outs++]) = v[k];
    assert(ins > 0 && ins + outs == 4);
    if (ins == 4) {
        uint32_t ids[4];
        for (size_t k = 0; k < 4; k++) TOC_TRY(take_vertex(c, in[k], &ids[k]));
        return add_cut_tet(c, ids[0], ids[1], ids[2], ids[3]);
    }
    if (ins == 1) {
        uint32_t from;
        TOC_TRY(take_vertex(c, in[0], &from));
        for (size_t k = 0; k < 3; k++) TOC_TRY(take_cut(c, in[0], out[k], &a[k]));
        return add_cut_tet(c, from, a[0], a[1], a[2]);
    }
    for (size_t k = 0; k < 3 && ins == 3; k++) {
        TOC_TRY(take_vertex(c, in[k], &a[k]));
        TOC_TRY(take_cut(c, in[k], out[0], &b[k]));
    }
    for (size_t k = 0; k < 2 && ins == 2; k++) {
        uint32_t *triangle = k == 0 ? a : b;
        TOC_TRY(take_vertex(c, in[k], &triangle[0]));
        TOC_TRY(take_cut(c, in[k], out[0], &triangle[1]));
        TOC_TRY(take_cut(c, in[k], out[1], &triangle[2]));
    }
    return add_prism(c, a, b, ins == 2);
}

/// Whether corners of a tet belong to one piece: all edges between them are inside.
static bool is_piece(const cut_state *c, const uint32_t v[4], unsigned corners) {
    bool inner = false;
    for (int k = 0; k < 4; k++) {
        if (!(corners >> k & 1)) continue;
        if (!is_inside(c, v[k])) return false;
        inner |= !c->on.at[v[k]];
        for (int j = 0; j < k; j++)
            if (corners >> j & 1 && c->edges.at[toc_pair_map_get(&c->map, v[j], v[k])].kind == EDGE_GAP) return false;
    }
    return inner;
}

static toc_status cut_tet(cut_state *c, const uint32_t v[4]) {
    bool taken[16] = {false}, any = false;
    for (int k = 0; k < 4; k++) any |= !c->l->vertices.at[v[k]].outside;
    if (!any) return TOC_OK; // its edges are not listed
    for (unsigned corners = 1; corners < 16; corners++) taken[corners] = is_piece(c, v, corners);
    for (unsigned corners = 1; corners < 16; corners++) {
        bool largest = taken[corners];
        for (unsigned more = corners + 1; more < 16; more++) largest &= !((more & corners) == corners && taken[more]);
        if (largest) TOC_TRY(add_tet_piece(c, v, corners));
    }
    return TOC_OK;
}

static toc_status cut_lattice(cut_state *c) {
    const size_t vertices = c->l->vertices.count;
    TOC_TRY(toc_array_room(c->memory, &c->vertices, vertices));
    TOC_TRY(toc_array_room(c->memory, &c->on, vertices));
    TOC_TRY(toc_array_room(c->memory, &c->ids, vertices));
    memcpy(c->vertices.at, c->l->vertices.at, vertices * sizeof *c->vertices.at);
    c->vertices.count = vertices;
    for (size_t v = 0; v < vertices; v++) c->ids.at[v] = CHARACTER_NONE;
    TOC_TRY(list_edges(c));
    TOC_TRY(list_tets_of_vertices(c));
    TOC_TRY(list_edges_of_vertices(c));
    move_vertices(c);
    for (c->tet = 0; c->tet < c->l->tets.count; c->tet++) TOC_TRY(cut_tet(c, c->l->tets.at[c->tet].v));
    return TOC_OK;
}

toc_status toc_cut_make(const character_lattice *l, envelope_cut *out) {
    cut_state c = {.memory = l->memory, .l = l, .field = l->field, .out = out};
    *out = (envelope_cut){0};
    const toc_status status = cut_lattice(&c);
    toc_array_free(c.memory, &c.edges);
    toc_array_free(c.memory, &c.vertices);
    toc_array_free(c.memory, &c.on);
    toc_array_free(c.memory, &c.ids);
    toc_array_free(c.memory, &c.first_tet);
    toc_array_free(c.memory, &c.tet_of);
    toc_array_free(c.memory, &c.first_edge);
    toc_array_free(c.memory, &c.edge_of);
    toc_pair_map_free(c.memory, &c.map);
    return status;
}

void toc_cut_free(const toc_allocator *memory, envelope_cut *cut) {
    toc_array_free(memory, &cut->vertices);
    toc_array_free(memory, &cut->tets);
    toc_array_free(memory, &cut->within);
}
