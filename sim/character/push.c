// SPDX-License-Identifier: Apache-2.0
// Response: colliding vertices are held in front of the face through which they leave.
//
// The face is the nearest one in the bind pose, where nothing crosses (McAdams et al. 2011, "Efficient elasticity for
// character skinning"). A push has a multiplier, so that its gap does not depend on its stiffness (augmented
// Lagrangian); it lasts while it presses. O(contacts * faces) where contacts are new.
#include <assert.h>
#include <string.h>

#include "base/threads.h"
#include "sim/character/character.h"
#include "sim/core/vector.h"
#include "toccata/convex.h"

static bool is_face_corner(const character_face *f, uint32_t vertex) {
    return f->v[0] == vertex || f->v[1] == vertex || f->v[2] == vertex;
}

/// The closest point of a face to a point in the bind pose, as weights. @return the distance.
static double face_weights(const toc_character *c, const character_face *f, const double p[3], double w[3]) {
    double pair[12];
    toc_distance found;
    sim_copy(p, pair);
    for (int k = 0; k < 3; k++) sim_copy(c->bind.at + 3 * (size_t)f->v[k], pair + 3 + 3 * k);
    if (toc_distance_find(TOC_VF, pair, &found) != TOC_OK) return INFINITY;
    memcpy(w, found.weights + 1, 3 * sizeof *w);
    return found.distance;
}

/// Whether a vertex can leave a tet through a face: one around the same piece of flesh. Others may lie anywhere in the
/// bind pose.
static bool is_way_out(const toc_character *c, const character_tet *t, const character_face *f, uint32_t vertex) {
    const uint32_t *pieces = c->flesh.pieces.at;
    return pieces[f->v[0]] == pieces[t->v[0]] && !is_face_corner(f, vertex);
}

/// The nearest face in the bind pose.
static void find_nearest_exit(const toc_character *c, const character_tet *t, const double point[3], flesh_push *push) {
    const character_body *b = &c->bodies.at[t->body];
    double best = INFINITY, weights[3], gap[3];
    for (uint32_t i = b->first_face; i < b->end_face; i++) {
        const character_face *f = &c->faces.at[i];
        if (!is_way_out(c, t, f, push->vertex)) continue;
        sim_sub(c->bind.at + 3 * (size_t)f->v[0], point, gap);
        if (sim_length(gap) - c->longest_edge > best) continue;
        const double distance = face_weights(c, f, point, weights);
        if (distance >= best) continue;
        best = distance;
        push->face = i;
        memcpy(push->weights, weights, sizeof weights);
    }
}

/// Where a segment enters a face, as a share of the segment; -1 if it does not.
static double face_entry(const toc_character *c, const character_face *f, const double from[3], const double to[3],
                         double weights[3]) {
    double corner[3][3], way[3], areas[3], sum = 0;
    sim_sub(to, from, way);
    for (int k = 0; k < 3; k++) sim_sub(c->bind.at + 3 * (size_t)f->v[k], from, corner[k]);
    for (int k = 0; k < 3; k++) {
        double n[3];
        sim_cross(corner[(k + 1) % 3], corner[(k + 2) % 3], n);
        areas[k] = -sim_dot(n, way); // above 0 where the segment goes against the normal
        if (!(areas[k] >= 0)) return -1;
        sum += areas[k];
    }
    if (!(sum > 0)) return -1;
    double share = 0;
    for (int k = 0; k < 3; k++) {
        weights[k] = areas[k] / sum;
        share += weights[k] * sim_dot(corner[k], way);
    }
    share /= sim_dot(way, way);
    return share >= 0 && share <= 1 ? share : -1;
}

/// The place in the bind pose that a point has for a tet at positions; false if the tet is flat or the place far away.
static bool place_in_bind(const toc_character *c, const double *x, const character_tet *t, const double p[3],
                          double out[3]) {
    double e[3][3], inverse[3][3], gap[3], weights[3];
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < 3; i++) e[i][k] = x[3 * (size_t)t->v[k + 1] + i] - x[3 * (size_t)t->v[0] + i];
    if (!(sim_matrix_invert(e, inverse) > 0)) return false;
    sim_sub(p, x + 3 * (size_t)t->v[0], gap);
    sim_matrix_apply(inverse, gap, weights);
    for (int k = 0; k < 3; k++)
        if (!(fabs(weights[k]) < 16)) return false;
    sim_copy(c->bind.at + 3 * (size_t)t->v[0], out);
    for (int k = 0; k < 3; k++) {
        sim_sub(c->bind.at + 3 * (size_t)t->v[k + 1], c->bind.at + 3 * (size_t)t->v[0], gap);
        sim_add(weights[k], gap, out);
    }
    return true;
}

/// The face through which the vertex came in since the last search, the last one of several. False without.
static bool find_entry(const toc_character *c, const character_hit *hit, const double to[3], flesh_push *push) {
    const character_tet *t = &c->tets.at[hit->tet];
    const character_body *b = &c->bodies.at[t->body];
    const double *prior = c->flesh.prior.at;
    double from[3], weights[3], latest = -1;
    if (!place_in_bind(c, prior, t, prior + 3 * (size_t)hit->vertex, from)) return false;
    for (uint32_t i = b->first_face; i < b->end_face; i++) {
        const character_face *f = &c->faces.at[i];
        if (!is_way_out(c, t, f, hit->vertex)) continue;
        const double share = face_entry(c, f, from, to, weights);
        if (share <= latest) continue;
        latest = share;
        push->face = i;
        memcpy(push->weights, weights, sizeof weights);
    }
    return latest >= 0;
}

static void find_exit(const toc_character *c, const character_hit *hit, flesh_push *push) {
    const character_tet *t = &c->tets.at[hit->tet];
    double point[3] = {0};
    push->face = CHARACTER_NONE;
    for (int k = 0; k < 4; k++) sim_add(hit->weights[k], c->bind.at + 3 * (size_t)t->v[k], point);
    if (!find_entry(c, hit, point, push)) find_nearest_exit(c, t, point, push);
}

/// Normals of vertices, as means of those of the faces around by area: they turn smoothly where a vertex slides.
static void find_vertex_normals(const toc_character *c) {
    double *normals = c->flesh.normals.at;
    memset(normals, 0, 3 * c->vertex_count * sizeof *normals);
    for (size_t i = 0; i < c->faces.count; i++) {
        const uint32_t *v = c->faces.at[i].v;
        double a[3], b[3], n[3];
        sim_sub(c->x.at + 3 * (size_t)v[1], c->x.at + 3 * (size_t)v[0], a);
        sim_sub(c->x.at + 3 * (size_t)v[2], c->x.at + 3 * (size_t)v[0], b);
        sim_cross(a, b, n);
        for (int k = 0; k < 3; k++) sim_add(1, n, normals + 3 * (size_t)v[k]);
    }
    for (size_t v = 0; v < c->vertex_count; v++) sim_normalize(normals + 3 * v);
}

static void blend_normal(const toc_character *c, flesh_push *push) {
    const uint32_t *v = c->faces.at[push->face].v;
    memset(push->normal, 0, sizeof push->normal);
    for (int k = 0; k < 3; k++) sim_add(push->weights[k], c->flesh.normals.at + 3 * (size_t)v[k], push->normal);
    sim_normalize(push->normal);
}

/// The gap between a vertex and its point of the face, along the normal.
static double push_gap(const toc_character *c, const flesh_push *push) {
    assert(push->face < c->faces.count && push->vertex < c->vertex_count);
    const uint32_t *v = c->faces.at[push->face].v;
    double gap[3];
    sim_copy(c->x.at + 3 * (size_t)push->vertex, gap);
    for (int k = 0; k < 3; k++) sim_add(-push->weights[k], c->x.at + 3 * (size_t)v[k], gap);
    return sim_dot(gap, push->normal);
}

/// The weights of the foot of a vertex on the plane of its face.
static bool foot_weights(const toc_character *c, const flesh_push *push, double weights[3]) {
    const uint32_t *v = c->faces.at[push->face].v;
    double corner[3][3], n[3], a[3], b[3];
    for (int k = 0; k < 3; k++) sim_sub(c->x.at + 3 * (size_t)v[k], c->x.at + 3 * (size_t)push->vertex, corner[k]);
    sim_sub(corner[1], corner[0], a);
    sim_sub(corner[2], corner[0], b);
    sim_cross(a, b, n);
    const double square = sim_dot(n, n);
    for (int k = 0; k < 3; k++) {
        sim_cross(corner[(k + 1) % 3], corner[(k + 2) % 3], a);
        weights[k] = sim_dot(a, n) / square;
    }
    return square > 0 && isfinite(weights[0] + weights[1] + weights[2]);
}

/// A vertex that slides off its face gets the next one.
static void slide_push(const toc_character *c, flesh_push *push) {
    double weights[3];
    if (!foot_weights(c, push, weights)) return;
    int out = 0;
    for (int k = 1; k < 3; k++) out = weights[k] < weights[out] ? k : out;
    if (weights[out] < 0) {
        const uint32_t next = c->faces.at[push->face].next[out];
        if (weights[out] < -0.05 && next != CHARACTER_NONE && !is_face_corner(&c->faces.at[next], push->vertex)) {
            push->face = next;
            if (!foot_weights(c, push, weights)) memset(weights, 0, sizeof weights), weights[0] = 1;
        }
        double sum = 0;
        for (int k = 0; k < 3; k++) sum += weights[k] = fmax(weights[k], 0);
        for (int k = 0; k < 3; k++) weights[k] /= sum;
    }
    memcpy(push->weights, weights, sizeof weights);
}

/// Distance that keeps a vertex from touching again.
static double push_room(const toc_character *c) { return 0.05 * c->mean_edge; }

flesh_term toc_character_push_term(const toc_character *c, const flesh_push *push, uint32_t at) {
    const double share = at == 0 ? 1 : -push->weights[at - 1];
    flesh_term term = {.value = push_gap(c, push) - push->room - push->force / push->stiffness,
                       .weight = push->stiffness};
    for (int k = 0; k < 3; k++) term.along[k] = share * push->normal[k];
    return term;
}

/// The penalty of a push, in stiffnesses of its vertices: a small one needs more sweeps until the vertex has left, a
/// large one until its tets come to rest.
static const double push_weight = 30;

/// The largest force of a push, as edges that it may move its vertices: a push that cannot succeed must not grow.
static const double most_force = 0.15;

/// How hard the vertices of a push are to move, times the weight; 0 if none moves.
static double push_stiffness(const toc_character *c, const flesh_push *push) {
    const uint32_t *v = c->faces.at[push->face].v, own = c->bodies.at[0].count;
    double softness = push->vertex < own ? 1 / c->flesh.firm.at[push->vertex] : 0;
    for (int k = 0; k < 3; k++)
        if (v[k] < own) softness += push->weights[k] * push->weights[k] / c->flesh.firm.at[v[k]];
    return softness > 0 ? push_weight / softness : 0;
}

/// Whether a vertex already has a push behind whose face it is: that one is kept.
static bool has_push(toc_character *c, uint32_t vertex) {
    character_flesh *f = &c->flesh;
    for (uint32_t i = f->push_of.at[vertex]; i != CHARACTER_NONE; i = f->pushes.at[i].sibling) {
        if (push_gap(c, &f->pushes.at[i]) >= 0) continue;
        f->pushes.at[i].hit = true;
        return true;
    }
    return false;
}

/// The room of a push at most, in edges.
static const double most_room = 0.5;

/// Whether a vertex has a push for a face. It is in front of the face by the blended normal and still in a tet: it
/// needs more room.
static bool widen_push(toc_character *c, uint32_t vertex, uint32_t face) {
    character_flesh *f = &c->flesh;
    for (uint32_t i = f->push_of.at[vertex]; i != CHARACTER_NONE; i = f->pushes.at[i].sibling) {
        flesh_push *push = &f->pushes.at[i];
        if (push->face != face) continue;
        push->room = fmin(push_gap(c, push) + push_room(c), most_room * c->mean_edge);
        push->hit = true;
        return true;
    }
    return false;
}

/// A vertex that is in front of all its faces and still in a tet gets one more: it is in a fold.
static toc_status push_hit(toc_character *c, const character_hit *hit) {
    character_flesh *f = &c->flesh;
    flesh_push push = {.vertex = hit->vertex, .hit = true, .room = push_room(c)};
    if (has_push(c, hit->vertex)) return TOC_OK;
    find_exit(c, hit, &push);
    if (push.face == CHARACTER_NONE || widen_push(c, hit->vertex, push.face)) return TOC_OK;
    blend_normal(c, &push);
    push.stiffness = push_stiffness(c, &push);
    if (push.stiffness == 0) return TOC_OK;
    TOC_TRY(toc_array_reserve(&c->memory, &f->pushes, 1));
    push.sibling = f->push_of.at[hit->vertex];
    f->push_of.at[hit->vertex] = (uint32_t)f->pushes.count;
    f->pushes.at[f->pushes.count++] = push;
    return TOC_OK;
}

/// Put a push behind those that are kept, and in the list of its vertex.
static void keep_push(character_flesh *f, flesh_push push, size_t *kept) {
    push.sibling = f->push_of.at[push.vertex];
    f->push_of.at[push.vertex] = (uint32_t)*kept;
    f->pushes.at[(*kept)++] = push;
}

/// Whether a push holds a vertex that is well behind the plane of its face and still in no tet: it slid around a
/// corner, and nothing else would end it.
static bool is_astray(const toc_character *c, const flesh_push *push) {
    const character_flesh *f = &c->flesh;
    if (push_gap(c, push) >= -push_room(c)) return false;
    for (uint32_t i = f->push_of.at[push->vertex]; i != CHARACTER_NONE; i = f->pushes.at[i].sibling)
        if (f->pushes.at[i].hit) return false;
    return true;
}

/// Drop the pushes that are marked.
static void drop_gone(character_flesh *f) {
    size_t kept = 0;
    for (size_t i = 0; i < f->pushes.count; i++) f->push_of.at[f->pushes.at[i].vertex] = CHARACTER_NONE;
    for (size_t i = 0; i < f->pushes.count; i++)
        if (!f->pushes.at[i].is_gone) keep_push(f, f->pushes.at[i], &kept);
    f->pushes.count = kept;
}

static void end_astray(toc_character *c) {
    character_flesh *f = &c->flesh;
    for (size_t i = 0; i < f->pushes.count; i++) f->pushes.at[i].is_gone = is_astray(c, &f->pushes.at[i]);
    drop_gone(f);
}

/// Of pushes that slid onto the same face, the first one stays.
static void join_pushes(toc_character *c) {
    character_flesh *f = &c->flesh;
    for (size_t i = 0; i < f->pushes.count; i++) {
        flesh_push *push = &f->pushes.at[i];
        push->is_gone = false;
        for (uint32_t k = push->sibling; k != CHARACTER_NONE; k = f->pushes.at[k].sibling)
            push->is_gone |= f->pushes.at[k].face == push->face;
    }
    drop_gone(f);
}

static toc_status list_pushes(toc_character *c) {
    character_flesh *f = &c->flesh;
    TOC_TRY(toc_array_room(&c->memory, &f->push_next, 4 * f->pushes.count));
    for (size_t v = 0; v < c->bodies.at[0].count; v++) f->push_heads.at[v] = CHARACTER_NONE;
    for (uint32_t i = 0; i < f->pushes.count; i++) {
        const flesh_push *push = &f->pushes.at[i];
        const uint32_t *v = c->faces.at[push->face].v, all[4] = {push->vertex, v[0], v[1], v[2]};
        for (uint32_t k = 0; k < 4; k++) {
            if (all[k] >= c->bodies.at[0].count) continue;
            f->push_next.at[4 * i + k] = f->push_heads.at[all[k]];
            f->push_heads.at[all[k]] = 4 * i + k;
            atomic_init(&f->awake.at[all[k]], f->mass.at[all[k]] > 0);
        }
    }
    return toc_character_sweep_prepare(c);
}

// ---- neighbours of faces

/// An edge of a face by its ends, in the order of the face.
typedef struct edge_entry {
    uint64_t ends;
    uint32_t face, at; // opposite to corner `at`
} edge_entry;

static uint64_t edge_ends(const character_face *f, uint32_t at) {
    return (uint64_t)f->v[(at + 1) % 3] << 32 | f->v[(at + 2) % 3];
}

/// The entry of an edge, or the empty one where it belongs. Half of the table is empty.
static edge_entry *find_edge(edge_entry *table, size_t size, uint64_t ends) {
    size_t at = (ends * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (size - 1);
    while (table[at].face != CHARACTER_NONE && table[at].ends != ends) at = (at + 1) & (size - 1);
    return &table[at];
}

static toc_status link_faces(toc_character *c) {
    TOC_ARRAY(edge_entry) table = {0};
    size_t size = 64;
    while (size < 6 * c->faces.count) size *= 2;
    TOC_TRY(toc_array_room(&c->memory, &table, size));
    for (size_t i = 0; i < size; i++) table.at[i].face = CHARACTER_NONE;
    for (uint32_t f = 0; f < c->faces.count; f++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint64_t ends = edge_ends(&c->faces.at[f], k);
            *find_edge(table.at, size, ends) = (edge_entry){ends, f, k};
        }
    for (uint32_t f = 0; f < c->faces.count; f++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint64_t ends = edge_ends(&c->faces.at[f], k);
            c->faces.at[f].next[k] = find_edge(table.at, size, ends << 32 | ends >> 32)->face;
        }
    toc_array_free(&c->memory, &table);
    return TOC_OK;
}

// ---- pieces of flesh: tets that share vertices

static uint32_t find_piece(uint32_t *pieces, uint32_t v) {
    while (pieces[v] != v) v = pieces[v] = pieces[pieces[v]];
    return v;
}

static toc_status find_pieces(toc_character *c) {
    TOC_TRY(toc_array_room(&c->memory, &c->flesh.pieces, c->vertex_count));
    uint32_t *pieces = c->flesh.pieces.at;
    for (uint32_t v = 0; v < c->vertex_count; v++) pieces[v] = v;
    for (size_t t = 0; t < c->tets.count; t++)
        for (int k = 1; k < 4; k++)
            pieces[find_piece(pieces, c->tets.at[t].v[k])] = find_piece(pieces, c->tets.at[t].v[0]);
    for (uint32_t v = 0; v < c->vertex_count; v++) pieces[v] = find_piece(pieces, v);
    return TOC_OK;
}

// ---- a search

/// Bodies may have been added since the last frame.
static toc_status reserve_pushes(toc_character *c) {
    character_flesh *f = &c->flesh;
    TOC_TRY(toc_array_room(&c->memory, &f->prior, 3 * c->vertex_count));
    TOC_TRY(toc_array_room(&c->memory, &f->push_of, c->vertex_count));
    TOC_TRY(toc_array_room(&c->memory, &f->normals, 3 * c->vertex_count));
    if (f->push_of.count < c->vertex_count) {
        f->is_prior = false;
        TOC_TRY(find_pieces(c));
        TOC_TRY(link_faces(c));
    }
    for (; f->push_of.count < c->vertex_count; f->push_of.count++) {
        f->push_of.at[f->push_of.count] = CHARACTER_NONE;
        sim_copy(c->x.at + 3 * f->push_of.count, f->prior.at + 3 * f->push_of.count);
    }
    return TOC_OK;
}

toc_status toc_character_push_find(toc_character *c, double *seconds) {
    character_flesh *f = &c->flesh;
    const double start = toc_seconds();
    TOC_TRY(reserve_pushes(c));
    c->keeps =
        f->is_prior && (c->settings.preset == TOC_CHARACTER_AUTO || c->settings.preset == TOC_CHARACTER_ONDEMAND_SAFE);
    TOC_TRY(toc_character_detect(c));
    *seconds += toc_seconds() - start;
    find_vertex_normals(c);
    for (size_t i = 0; i < f->pushes.count; i++) {
        f->pushes.at[i].hit = false;
        slide_push(c, &f->pushes.at[i]);
        blend_normal(c, &f->pushes.at[i]);
        f->pushes.at[i].stiffness = push_stiffness(c, &f->pushes.at[i]);
    }
    join_pushes(c);
    for (size_t i = 0; i < c->hits.count; i++) TOC_TRY(push_hit(c, &c->hits.at[i]));
    end_astray(c);
    memcpy(f->prior.at, c->x.at, 3 * c->vertex_count * sizeof(double));
    f->is_prior = true;
    return list_pushes(c);
}

void toc_character_push_forget(toc_character *c) {
    c->flesh.pushes.count = 0;
    c->flesh.push_of.count = 0;
    for (size_t v = 0; v < c->bodies.at[0].count; v++) c->flesh.push_heads.at[v] = CHARACTER_NONE;
}

/// Raise the multipliers. A push that neither presses nor was found again ends.
void toc_character_push_press(toc_character *c) {
    character_flesh *f = &c->flesh;
    size_t kept = 0;
    for (size_t i = 0; i < f->pushes.count; i++) f->push_of.at[f->pushes.at[i].vertex] = CHARACTER_NONE;
    for (size_t i = 0; i < f->pushes.count; i++) {
        flesh_push *push = &f->pushes.at[i];
        const double missing = push->room - push_gap(c, push);
        push->force = fmax(push->force + push->stiffness * missing, 0);
        push->force = fmin(push->force, most_force * c->mean_edge * push->stiffness);
        if (push->force > 0 || push->hit) keep_push(f, *push, &kept);
    }
    f->pushes.count = kept;
}
