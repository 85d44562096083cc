// SPDX-License-Identifier: Apache-2.0
// Bodies that cross before the first step are pushed apart along the depth of their overlap, while time stands still.
//
// Each round asks for the faces that cross. Vertices of one body inside of another become constraints that lead them
// out. In the first half of the rounds free bodies move as a whole, so that they keep their shape and store no energy.
// Of the directions to the nearest points of the surfaces, two bodies take the one in which the shortest shift leads
// all such vertices out. Then vertices move, each by the nearest point, and the material holds them together. Two
// bodies without such vertices, and a body that crosses itself, take the shortest shifts of their face pairs.
#include <assert.h>
#include <stdio.h>

#include "base/arithmetic.h"
#include "sim/body/rigid.h"
#include "sim/constraint/constraint.h"
#include "sim/core/vector.h"
#include "sim/response/contact.h"
#include "sim/step/start.h"
#include "toccata/convex.h"
#include "toccata/solver.h"

// Directions that are tried for two bodies at most; two with such a cosine are one.
enum { PUSH_SWEEPS = 8, SHAPE_SWEEPS = 4, MOST_WAYS = 8 };
static const double same_way = 0.95;

/// How a body takes part: its inverse mass as a whole, 0 for one that does not move so, and its shift in this round.
typedef struct sim_mover {
    double inverse_mass, shift[3];
} sim_mover;

/// Vertices of a body on the wrong side of another one, which is alone in a scene: probes cannot name a body.
typedef struct sim_intruders {
    toc_scene *alone;
    uint32_t body, other;
    bool draw_in; // they must get into the other body, not out of it
    TOC_ARRAY(uint32_t) inside;
    TOC_ARRAY(uint32_t) vertices;
    TOC_ARRAY(toc_scene_point) closest; // of each vertex of the body
    TOC_ARRAY(double) segments;
    TOC_ARRAY(toc_segment_hit) hits;
} sim_intruders;

/// Memory of all rounds.
typedef struct sim_apart {
    TOC_ARRAY(sim_mover) movers;
    sim_intruders sides[2];
} sim_apart;

static void free_apart(const toc_sim *sim, sim_apart *apart) {
    toc_array_free(&sim->memory, &apart->movers);
    for (int side = 0; side < 2; side++) {
        sim_intruders *s = &apart->sides[side];
        toc_scene_destroy(s->alone);
        toc_array_free(&sim->memory, &s->inside);
        toc_array_free(&sim->memory, &s->vertices);
        toc_array_free(&sim->memory, &s->closest);
        toc_array_free(&sim->memory, &s->segments);
        toc_array_free(&sim->memory, &s->hits);
    }
}

// ---- bodies as wholes

// A soft body with a pinned vertex does not move as a whole.
static double whole_inverse_mass(const toc_sim *sim, const sim_body *body) {
    double mass = 0;
    if (body->rigid != SIM_NONE) return sim->rigids.at[body->rigid].inverse_mass;
    if (body->material.motion == TOC_SIM_GUIDED) return 0;
    for (uint32_t i = body->first; i < body->first + body->count; i++) {
        if (sim->w[i] == 0 && sim->mass[i] > 0) return 0;
        mass += sim->mass[i];
    }
    return mass > 0 ? 1 / mass : 0;
}

static toc_status begin_movers(toc_sim *sim, sim_apart *apart) {
    TOC_TRY(toc_array_room(&sim->memory, &apart->movers, sim->bodies.count));
    for (size_t b = 0; b < sim->bodies.count; b++)
        apart->movers.at[b].inverse_mass = whole_inverse_mass(sim, &sim->bodies.at[b]);
    return TOC_OK;
}

// @return whether one of the two bodies can move as a whole.
static bool push_wholes(const toc_sim *sim, sim_apart *apart, const sim_contact *c) {
    sim_mover *a = &apart->movers.at[sim->owner[c->v[0]]], *b = &apart->movers.at[sim->owner[c->v[3]]];
    const double inverse_mass = a->inverse_mass + b->inverse_mass;
    if (a == b || !(inverse_mass > 0)) return false;
    double shift[3];
    sim_sub(a->shift, b->shift, shift);
    const double depth = c->target - toc_sim_contact_gap(sim, c, sim->x, 0) - sim_dot(shift, c->normal);
    if (!(depth > 0)) return true;
    sim_add(depth * a->inverse_mass / inverse_mass, c->normal, a->shift);
    sim_add(-depth * b->inverse_mass / inverse_mass, c->normal, b->shift);
    return true;
}

static void shift_wholes(toc_sim *sim, sim_apart *apart) {
    for (size_t b = 0; b < sim->bodies.count; b++) {
        const sim_body *body = &sim->bodies.at[b];
        sim_mover *mover = &apart->movers.at[b];
        if (body->rigid != SIM_NONE) sim_add(1, mover->shift, sim->rigids.at[body->rigid].now.centre);
        for (uint32_t i = body->first; i < body->first + body->count && mover->inverse_mass > 0; i++)
            sim_add(1, mover->shift, sim->x[i]);
        memset(mover->shift, 0, sizeof mover->shift);
    }
}

// ---- constraints from vertices inside of bodies

static toc_status add_push(toc_sim *sim, const toc_contact *contact, const double normal[3]) {
    TOC_TRY(toc_array_reserve(&sim->memory, &sim->impacts, 1));
    sim_contact c = toc_sim_contact_make(sim, contact, normal);
    c.friction = 0;
    sim->impacts.at[sim->impacts.count++] = c;
    return TOC_OK;
}

// A vertex passes a point of a face of the other body, in a direction.
static toc_status add_passage(toc_sim *sim, const sim_intruders *s, uint32_t vertex, const uint32_t face[3],
                              const double weights[3], const double direction[3]) {
    toc_contact contact = {.kind = TOC_VF, .body = {s->body, s->other}, .v = {vertex}, .weights = {1}};
    memcpy(contact.v + 1, face, 3 * sizeof *face);
    memcpy(contact.weights + 1, weights, 3 * sizeof *weights);
    return add_push(sim, &contact, direction);
}

// A surface that others may be inside of by intention, as in a room.
static bool is_hollow(const toc_sim *sim, uint32_t body) {
    const toc_mesh *mesh = toc_scene_get_mesh(sim->scene, body);
    if (sim->bodies.at[body].rigid != SIM_NONE) return false;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
        if (toc_mesh_get_element(mesh, e).shape >= TOC_TET) return false;
    return true;
}

static toc_status isolate_body(const toc_sim *sim, uint32_t body, toc_scene **alone) {
    toc_mesh *copy;
    toc_scene_destroy(*alone);
    *alone = NULL;
    TOC_TRY(toc_scene_create(&sim->memory, alone));
    TOC_TRY(toc_mesh_copy(toc_scene_get_mesh(sim->scene, body), &copy));
    const toc_status status = toc_scene_add_body(*alone, copy, NULL);
    if (status != TOC_OK) toc_mesh_destroy(copy);
    return status;
}

static toc_status find_intruders(toc_sim *sim, uint32_t body, uint32_t other, sim_intruders *s) {
    const sim_body *b = &sim->bodies.at[body];
    const toc_query query = toc_sim_query_make(sim);
    const toc_probe probe = {.count = b->count, .at = sim->x[b->first], .reach = INFINITY, .mask = UINT64_MAX};
    assert(body != other);
    s->body = body, s->other = other;
    s->vertices.count = 0;
    TOC_TRY(isolate_body(sim, other, &s->alone));
    TOC_TRY(toc_array_room(&sim->memory, &s->inside, b->count));
    TOC_TRY(toc_array_room(&sim->memory, &s->vertices, b->count));
    TOC_TRY(toc_array_room(&sim->memory, &s->closest, b->count));
    TOC_TRY(toc_scene_find_containing(s->alone, &query, TOC_AT_END, &probe, s->inside.at));
    size_t inside = 0;
    for (uint32_t v = 0; v < b->count; v++) inside += s->inside.at[v] == 0;
    if (inside == 0) return TOC_OK;
    s->draw_in = 2 * inside > b->count && is_hollow(sim, other);
    for (uint32_t v = 0; v < b->count; v++)
        if ((s->inside.at[v] == 0) != s->draw_in) s->vertices.at[s->vertices.count++] = v;
    return toc_scene_find_closest(s->alone, &query, TOC_AT_END, &probe, s->closest.at);
}

// The way of an intruder to the surface; false for one that is on it.
static bool nearest_way(const toc_sim *sim, const sim_intruders *s, size_t i, double direction[3]) {
    const uint32_t v = s->vertices.at[i];
    const toc_scene_point *to = &s->closest.at[v];
    if (to->body == UINT32_MAX || to->v[2] == UINT32_MAX) return false;
    sim_sub(to->point, sim->x[sim->bodies.at[s->body].first + v], direction);
    return sim_normalize(direction) > 0;
}

// Each vertex by the nearest point of the surface.
static toc_status add_nearest_ways(toc_sim *sim, const sim_intruders *s) {
    for (size_t i = 0; i < s->vertices.count; i++) {
        const toc_scene_point *to = &s->closest.at[s->vertices.at[i]];
        double direction[3];
        if (nearest_way(sim, s, i, direction))
            TOC_TRY(add_passage(sim, s, s->vertices.at[i], to->v, to->weights, direction));
    }
    return TOC_OK;
}

// ---- one direction for two bodies: that of the shortest shift which leads all intruders out

/// Directions in which the first body could leave the second.
typedef struct sim_ways {
    double at[MOST_WAYS][3];
    int count;
} sim_ways;

static void collect_ways(const toc_sim *sim, const sim_intruders *s, double sign, sim_ways *ways) {
    for (size_t i = 0; i < s->vertices.count && ways->count < MOST_WAYS; i++) {
        double *way = ways->at[ways->count];
        if (!nearest_way(sim, s, i, way)) continue;
        bool known = false;
        for (int k = 0; k < 3; k++) way[k] *= sign;
        for (int k = 0; k < ways->count && !known; k++) known = sim_dot(ways->at[k], way) > same_way;
        if (!known) ways->count++;
    }
}

// Where the intruders leave the other body in a direction. @param depth grows to the longest way.
static toc_status trace_intruders(toc_sim *sim, sim_intruders *s, const double direction[3], double sign,
                                  double *depth) {
    const toc_query query = toc_sim_query_make(sim);
    const size_t count = s->vertices.count;
    const double reach = 2 * sim->extent;
    if (count == 0) return TOC_OK;
    assert(s->alone && (sign == 1 || sign == -1));
    TOC_TRY(toc_array_room(&sim->memory, &s->segments, 6 * count));
    TOC_TRY(toc_array_room(&sim->memory, &s->hits, count));
    for (size_t i = 0; i < count; i++) {
        double *from = s->segments.at + 6 * i, *to = from + 3;
        sim_copy(sim->x[sim->bodies.at[s->body].first + s->vertices.at[i]], from);
        sim_copy(from, to);
        sim_add(sign * reach, direction, to);
    }
    const toc_probe probe = {.count = count, .at = s->segments.at, .mask = UINT64_MAX};
    TOC_TRY(toc_scene_find_hits(s->alone, &query, TOC_AT_END, &probe, s->hits.at));
    for (size_t i = 0; i < count; i++) *depth = fmax(*depth, reach * fmin(s->hits.at[i].time, 1));
    return TOC_OK;
}

static toc_status trace_way(toc_sim *sim, sim_apart *apart, const double way[3], double *depth) {
    *depth = 0;
    TOC_TRY(trace_intruders(sim, &apart->sides[0], way, 1, depth));
    return trace_intruders(sim, &apart->sides[1], way, -1, depth);
}

static toc_status add_traced(toc_sim *sim, const sim_intruders *s, const double way[3], double sign) {
    const double direction[3] = {sign * way[0], sign * way[1], sign * way[2]};
    for (size_t i = 0; i < s->vertices.count; i++) {
        const toc_segment_hit *hit = &s->hits.at[i];
        if (hit->body == UINT32_MAX || hit->v[2] == UINT32_MAX) continue;
        TOC_TRY(add_passage(sim, s, s->vertices.at[i], hit->v, hit->weights, direction));
    }
    return TOC_OK;
}

static toc_status add_common_way(toc_sim *sim, sim_apart *apart) {
    sim_ways ways = {.count = 0};
    double least = INFINITY, depth;
    int best = -1;
    collect_ways(sim, &apart->sides[0], 1, &ways);
    collect_ways(sim, &apart->sides[1], -1, &ways);
    for (int k = 0; k < ways.count; k++) {
        TOC_TRY(trace_way(sim, apart, ways.at[k], &depth));
        if (depth < least) least = depth, best = k;
    }
    if (best < 0) return TOC_OK;
    TOC_TRY(trace_way(sim, apart, ways.at[best], &depth));
    TOC_TRY(add_traced(sim, &apart->sides[0], ways.at[best], 1));
    return add_traced(sim, &apart->sides[1], ways.at[best], -1);
}

static toc_status add_depths(toc_sim *sim, sim_apart *apart, const uint32_t body[2], bool wholes) {
    TOC_TRY(find_intruders(sim, body[0], body[1], &apart->sides[0]));
    TOC_TRY(find_intruders(sim, body[1], body[0], &apart->sides[1]));
    bool draw_in = false;
    for (int side = 0; side < 2; side++)
        draw_in = draw_in || (apart->sides[side].draw_in && apart->sides[side].vertices.count > 0);
    if (wholes && !draw_in) return add_common_way(sim, apart);
    TOC_TRY(add_nearest_ways(sim, &apart->sides[0]));
    return add_nearest_ways(sim, &apart->sides[1]);
}

// ---- constraints from pairs of faces

/// The vertices of a face in the order of a direction.
typedef struct sim_face_order {
    uint32_t v[3];
    double x[3][3], alignment; // alignment: of its normal with the direction, 0 to 1
} sim_face_order;

static sim_face_order order_face(const toc_sim *sim, uint32_t body, const uint32_t v[3], const double direction[3],
                                 double sign) {
    sim_face_order f;
    double edges[2][3], normal[3];
    memcpy(f.v, v, sizeof f.v);
    for (int i = 0; i < 3; i++) // insertion sort
        for (int k = i; k > 0; k--) {
            const double *p = sim->x[sim->bodies.at[body].first + f.v[k - 1]];
            const double *q = sim->x[sim->bodies.at[body].first + f.v[k]];
            if (!(sign * sim_dot(q, direction) < sign * sim_dot(p, direction))) break;
            const uint32_t swap = f.v[k];
            f.v[k] = f.v[k - 1], f.v[k - 1] = swap;
        }
    for (int k = 0; k < 3; k++) sim_copy(sim->x[sim->bodies.at[body].first + f.v[k]], f.x[k]);
    for (int k = 0; k < 2; k++) sim_sub(f.x[k + 1], f.x[0], edges[k]);
    sim_cross(edges[0], edges[1], normal);
    sim_normalize(normal);
    f.alignment = fabs(sim_dot(normal, direction));
    return f;
}

// The features that touch last when the first face leaves along the normal: a vertex and a face, or two edges.
static toc_status add_face_push(toc_sim *sim, const toc_overlap_pair *pair) {
    static const double aligned = 0.999;
    toc_contact contact = {.kind = TOC_EE, .body = {pair->body[0], pair->body[1]}};
    double normal[3], x[4][3];
    sim_copy(pair->normal, normal);
    sim_face_order f[2] = {order_face(sim, pair->body[0], pair->v[0], normal, 1),
                           order_face(sim, pair->body[1], pair->v[1], normal, -1)};
    int split = 2;
    if (f[0].alignment > aligned && f[1].alignment <= aligned) {
        const sim_face_order swap = f[0];
        f[0] = f[1], f[1] = swap;
        contact.body[0] = pair->body[1], contact.body[1] = pair->body[0];
        for (int k = 0; k < 3; k++) normal[k] = -normal[k];
    }
    if (f[1].alignment > aligned) contact.kind = TOC_VF, split = 1;
    for (int k = 0; k < 4; k++) {
        const int side = k >= split, at = side ? k - split : k;
        contact.v[k] = f[side].v[at];
        sim_copy(f[side].x[at], x[k]);
    }
    toc_distance closest;
    TOC_TRY(toc_distance_find(contact.kind, x[0], &closest));
    memcpy(contact.weights, closest.weights, sizeof contact.weights);
    return add_push(sim, &contact, normal);
}

// ---- rounds

// All constraints of two bodies, or of one with itself, from their face pairs.
static toc_status add_body_pair(toc_sim *sim, sim_apart *apart, const toc_overlap_pair *first, size_t count,
                                bool wholes) {
    const uint32_t *body = first->body;
    assert(count > 0);
    const size_t known = sim->impacts.count;
    if (body[0] != body[1]) TOC_TRY(add_depths(sim, apart, body, wholes));
    const bool has_depth = sim->impacts.count > known;
    for (size_t i = 0; i < count && !has_depth; i++) TOC_TRY(add_face_push(sim, &first[i]));
    return TOC_OK;
}

static toc_status collect_pushes(toc_sim *sim, sim_apart *apart, const toc_overlaps *overlaps, bool wholes) {
    sim->impacts.count = 0;
    for (size_t i = 0, next; i < overlaps->count; i = next) {
        const toc_overlap_pair *pairs = overlaps->pairs;
        for (next = i + 1; next < overlaps->count; next++)
            if (memcmp(pairs[next].body, pairs[i].body, sizeof pairs[i].body) != 0) break;
        TOC_TRY(add_body_pair(sim, apart, pairs + i, next - i, wholes));
    }
    return TOC_OK;
}

// The forces of the material, as constraints, without time.
static void restore_shapes(toc_sim *sim) {
    const double h = sim->settings.step / sim->settings.substeps;
    for (int i = 0; i < SHAPE_SWEEPS; i++) toc_sim_constraints_solve(sim, h);
}

static void solve_pushes(toc_sim *sim, sim_apart *apart, bool wholes) {
    bool moved = false;
    for (int sweep = 0; sweep < PUSH_SWEEPS; sweep++)
        for (size_t i = 0; i < sim->impacts.count; i++) {
            const sim_contact *c = &sim->impacts.at[i];
            if (wholes && push_wholes(sim, apart, c)) continue;
            moved = toc_sim_contact_solve(sim, c, c->target, sim->x, 1) || moved;
        }
    if (wholes) shift_wholes(sim, apart);
    if (moved) restore_shapes(sim);
    toc_sim_rigids_place(sim, sim->x);
}

static toc_status find_crossings(toc_sim *sim, toc_overlaps **overlaps) {
    const toc_query query = toc_sim_query_make(sim);
    TOC_TRY(toc_sim_scene_rest(sim));
    return toc_scene_find_overlaps(sim->scene, &query, TOC_AT_END, *overlaps, overlaps);
}

static toc_status fail_crossing(const toc_sim *sim, const toc_overlaps *overlaps, size_t at_first) {
    const toc_overlap_pair *pair = &overlaps->pairs[0];
    char pushed[80] = "";
    if (sim->settings.pushes > 0)
        snprintf(pushed, sizeof pushed, "; %u rounds of pushing left %zu", sim->settings.pushes, overlaps->count);
    return toc_fail(TOC_BAD_INPUT,
                    "the bodies cross at the start: %zu pairs of faces%s, the first of body %u and body %u, at "
                    "element %u and element %u",
                    at_first, pushed, pair->body[0], pair->body[1], pair->element[0], pair->element[1]);
}

static toc_status push_in_rounds(toc_sim *sim, sim_apart *apart, toc_overlaps **overlaps, size_t *crossing) {
    const uint32_t rounds = sim->settings.pushes;
    TOC_TRY(find_crossings(sim, overlaps));
    *crossing = (*overlaps)->count;
    if (*crossing == 0) return TOC_OK;
    TOC_TRY(begin_movers(sim, apart));
    TOC_TRY(toc_sim_colours_update(sim));
    for (uint32_t round = 0; round < rounds && (*overlaps)->count > 0; round++) {
        const bool wholes = round < (rounds + 1) / 2;
        TOC_TRY(collect_pushes(sim, apart, *overlaps, wholes));
        solve_pushes(sim, apart, wholes);
        TOC_TRY(find_crossings(sim, overlaps));
    }
    return (*overlaps)->count > 0 ? fail_crossing(sim, *overlaps, *crossing) : TOC_OK;
}

static toc_status push_in_team(toc_sim *sim, sim_apart *apart, toc_overlaps **overlaps, size_t *crossing) {
    toc_team team;
    toc_team_begin(&team, NULL);
    const toc_status status = push_in_rounds(sim, apart, overlaps, crossing);
    toc_team_end(&team);
    return status;
}

toc_status toc_sim_push_apart(toc_sim *sim, size_t *crossing) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(sim);
    sim_apart apart = {0};
    toc_overlaps *overlaps = NULL;
    size_t count = 0;
    toc_sim_start_save(sim);
    const toc_status status = push_in_team(sim, &apart, &overlaps, &count);
    if (status != TOC_OK) {
        toc_sim_start_restore(sim);
        (void)toc_sim_scene_rest(sim); // positions that the meshes had before
    } else {
        sim->checked = true;
        sim->pushed += count;
    }
    if (crossing) *crossing = count;
    sim->impacts.count = 0;
    toc_overlaps_destroy(overlaps);
    free_apart(sim, &apart);
    return status;
}
