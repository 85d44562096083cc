// SPDX-License-Identifier: Apache-2.0
// Searching the inside of volumes from where surfaces may touch.
//
// Why that is complete (docs/guarantees.md, G1). Call a cell sound when the stars of all its vertices are whole: it
// neither overlaps nor touches a cell beside it but in what they share. Let points a and b of two sound cells meet at
// a time t, at p. They share no vertex, then. As long as a and b are both inside the bodies, all around them is
// covered by cells that fit together, so p can be moved and a and b with it; far out there is nothing, so one of them
// comes to the surface, say a. From there go back in time with a, and b follows, until b comes to the surface, too, or
// the step begins; then go along the surface with a, to the root of its part, and b follows until it comes to the
// surface or a is there. On all of this way a and b are in cells that touch, each beside the one before. So the first
// two cells are found by starting at
//     - cells whose surfaces may touch during the step, which the tree of the surface finds,
//     - the root of each part of the surface, with all cells that it is in when the step begins,
//     - all cells that are not sound, with all that they come near, where the way may end early,
// and going on to the cells beside either of two that no axis keeps apart. Shells and what is loose are surface all
// over; of two such cells there is nothing to look for.
// Features that cells share, too, are found at every two of their cells that touch: the cells around a feature are
// linked. What is left are orphans of cells that are not sound: in the stars of a sound one nothing touches.
#include "query/inside.h"

#include <string.h>

#include "base/threads.h"
#include "cull/expand.h"
#include "cull/intact.h"

enum { ROUND = 512, BUFFER = 4096 };

static bool is_volume(const toc_cell *cell) { return cell->shape >= TOC_TET || cell->shape == TOC_REMOVED; }

// ---- what is kept: links

void toc_inside_free(toc_inside *inside) {
    if (!inside) return;
    const toc_allocator allocator = inside->allocator;
    toc_stars_free(&allocator, &inside->stars);
    toc_array_free(&allocator, &inside->link_first);
    toc_array_free(&allocator, &inside->links);
    toc_array_free(&allocator, &inside->cells);
    toc_array_free(&allocator, &inside->roots);
    toc_free(&allocator, inside, 1, sizeof *inside);
}

// Whether a cell can be reached from the first one around a feature over those that share a face.
typedef struct linker {
    const toc_allocator *allocator;
    const toc_cell_body *body;
    toc_node_pairs pairs;
    toc_ids queue;
} linker;

static bool is_listed(const toc_ids *ids, uint32_t id) {
    for (size_t i = 0; i < ids->count; i++)
        if (ids->at[i] == id) return true;
    return false;
}

static bool is_around(const toc_around *around, uint32_t element) {
    for (size_t i = 0; i < around->count; i++)
        if (around->elements[i] == element) return true;
    return false;
}

static toc_status reach_over_faces(linker *l, const toc_around *around) {
    const toc_incidence *in = &l->body->incidence;
    TOC_TRY(toc_array_reserve(l->allocator, &l->queue, around->count));
    l->queue.at[l->queue.count++] = around->elements[0];
    for (size_t i = 0; i < l->queue.count; i++) {
        size_t faces, others;
        const uint32_t *face = toc_bag_items(&in->element_faces, l->queue.at[i], &faces);
        for (size_t f = 0; f < faces; f++) {
            const uint32_t *elements = toc_bag_items(&in->face_elements, face[f], &others);
            for (size_t k = 0; k < others; k++)
                if (is_around(around, elements[k]) && !is_listed(&l->queue, elements[k]))
                    l->queue.at[l->queue.count++] = elements[k];
        }
    }
    return TOC_OK;
}

static toc_status link_pair(linker *l, uint32_t a, uint32_t b) {
    TOC_TRY(toc_array_reserve(l->allocator, &l->pairs, 1));
    l->pairs.at[l->pairs.count++] = (toc_node_pair){l->body->first_cell + a, l->body->first_cell + b};
    return TOC_OK;
}

static toc_status link_in_a_row(linker *l, const toc_around *around) {
    for (size_t i = 1; i < around->count; i++) TOC_TRY(link_pair(l, around->elements[i - 1], around->elements[i]));
    return TOC_OK;
}

// Cells around a vertex or an edge that faces do not connect are linked one by one.
static toc_status link_around(linker *l, const toc_bag *bag) {
    for (uint32_t i = 0; i < bag->runs.count; i++) {
        const toc_around around = toc_around_of(l->body, bag, i);
        if (around.count < 2) continue;
        l->queue.count = 0;
        TOC_TRY(reach_over_faces(l, &around));
        if (l->queue.count < around.count) TOC_TRY(link_in_a_row(l, &around));
    }
    return TOC_OK;
}

static toc_status link_body(linker *l) {
    const toc_bag *faces = &l->body->incidence.face_elements;
    for (uint32_t i = 0; i < faces->runs.count; i++) {
        const toc_around around = toc_around_of(l->body, faces, i);
        TOC_TRY(link_in_a_row(l, &around));
    }
    TOC_TRY(link_around(l, &l->body->incidence.edge_elements));
    return link_around(l, &l->body->incidence.vertex_elements);
}

// From pairs to lists: both cells of a pair list the other one.
static toc_status list_links(const toc_node_pairs *pairs, size_t cell_count, toc_inside *out) {
    TOC_TRY(toc_array_reserve(&out->allocator, &out->link_first, cell_count + 2));
    TOC_TRY(toc_array_reserve(&out->allocator, &out->links, 2 * pairs->count));
    uint32_t *first = out->link_first.at;
    memset(first, 0, (cell_count + 2) * sizeof *first);
    for (size_t i = 0; i < pairs->count; i++) first[pairs->at[i].a + 2]++, first[pairs->at[i].b + 2]++;
    for (size_t i = 2; i < cell_count + 2; i++) first[i] += first[i - 1];
    for (size_t i = 0; i < pairs->count; i++) {
        out->links.at[first[pairs->at[i].a + 1]++] = pairs->at[i].b;
        out->links.at[first[pairs->at[i].b + 1]++] = pairs->at[i].a;
    }
    out->link_first.count = cell_count + 1;
    out->links.count = 2 * pairs->count;
    return TOC_OK;
}

static toc_status make_links(const toc_cells *cells, toc_inside *out) {
    linker l = {.allocator = &out->allocator};
    toc_status status = TOC_OK;
    for (size_t b = 0; b < cells->body_count && status == TOC_OK; b++) {
        l.body = &cells->bodies[b];
        status = link_body(&l);
    }
    if (status == TOC_OK) status = list_links(&l.pairs, cells->count, out);
    toc_array_free(l.allocator, &l.pairs);
    toc_array_free(l.allocator, &l.queue);
    return status;
}

// ---- what is kept: the surface

// Whether a feature, numbered in its body, has all of the vertices of a primitive, numbered through.
static bool has_all(const toc_cell_body *body, const uint32_t *feature, int corners, const uint32_t *v) {
    for (int i = 0; i < corners; i++) {
        bool found = false;
        for (int k = 0; k < corners; k++) found = found || body->first_vertex + feature[k] == v[i];
        if (!found) return false;
    }
    return true;
}

// A cell that has a primitive: a face, an edge, a point. There is one.
static uint32_t cell_with(const toc_cell_body *body, const uint32_t v[3]) {
    const toc_incidence *in = &body->incidence;
    const toc_around around = toc_around_of(body, &in->vertex_elements, v[0] - body->first_vertex);
    const int corners = v[1] == UINT32_MAX ? 1 : v[2] == UINT32_MAX ? 2 : 3;
    for (size_t i = 0; i < around.count && corners > 1; i++) {
        size_t count;
        const uint32_t *ids =
            toc_bag_items(corners == 3 ? &in->element_faces : &in->element_edges, around.elements[i], &count);
        for (size_t k = 0; k < count; k++)
            if (has_all(body, corners == 3 ? in->faces.at[ids[k]] : in->edges.at[ids[k]], corners, v))
                return around.first_cell + around.elements[i];
    }
    return around.first_cell + around.elements[0];
}

static uint32_t root_of(uint32_t *parents, uint32_t v) {
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
}

// The vertices of primitives that share some are of one part.
static void join_surface(const toc_primitives *primitives, size_t vertex_count, uint32_t *parents) {
    for (size_t v = 0; v < vertex_count; v++) parents[v] = UINT32_MAX;
    for (size_t i = 0; i < primitives->count; i++)
        for (int k = 0; k < 3 && primitives->at[i].vertices[k] != UINT32_MAX; k++)
            parents[primitives->at[i].vertices[k]] = primitives->at[i].vertices[k];
    for (size_t i = 0; i < primitives->count; i++)
        for (int k = 1; k < 3 && primitives->at[i].vertices[k] != UINT32_MAX; k++)
            parents[root_of(parents, primitives->at[i].vertices[k])] = root_of(parents, primitives->at[i].vertices[0]);
}

static toc_status find_roots(const toc_step *step, const toc_primitives *primitives, toc_inside *out) {
    uint32_t *parents = toc_new(&out->allocator, step->vertex_count, sizeof *parents);
    if (!parents) return TOC_OUT_OF_MEMORY;
    join_surface(primitives, step->vertex_count, parents);
    toc_status status = TOC_OK;
    for (uint32_t v = 0; v < step->vertex_count && status == TOC_OK; v++) {
        if (parents[v] != v) continue;
        status = toc_array_reserve(&out->allocator, &out->roots, 1);
        if (status == TOC_OK) out->roots.at[out->roots.count++] = v;
    }
    toc_free(&out->allocator, parents, step->vertex_count, sizeof *parents);
    return status;
}

static toc_status place_surface(const toc_cells *cells, const toc_step *step, const toc_primitives *primitives,
                                toc_inside *out) {
    TOC_TRY(toc_array_reserve(&out->allocator, &out->cells, primitives->count));
    for (size_t i = 0; i < primitives->count; i++) {
        const uint32_t *v = primitives->at[i].vertices;
        out->cells.at[out->cells.count++] = cell_with(&cells->bodies[toc_step_body(step, v[0])], v);
    }
    return find_roots(step, primitives, out);
}

static toc_status make(const toc_volume *volume, const toc_step *step, const toc_tree *tree, toc_inside *out) {
    TOC_TRY(toc_stars_find(&out->allocator, &volume->cells, &out->stars));
    TOC_TRY(make_links(&volume->cells, out));
    return place_surface(&volume->cells, step, &tree->primitives, out);
}

static toc_status make_or_keep(toc_inside_search *s) {
    toc_volume *volume = s->volume;
    if (volume->inside && volume->inside->version == s->step->version) return TOC_OK;
    toc_inside_free(volume->inside);
    volume->inside = toc_new(&volume->allocator, 1, sizeof *volume->inside);
    if (!volume->inside) return TOC_OUT_OF_MEMORY;
    *volume->inside = (toc_inside){.allocator = volume->allocator, .version = s->step->version, .told = UINT64_MAX};
    const toc_status status = make(volume, s->step, s->tree, volume->inside);
    if (status == TOC_OK) return TOC_OK;
    toc_inside_free(volume->inside);
    volume->inside = NULL;
    return status;
}

// ---- stars

static toc_status tell_round(void *user, size_t index, int thread) {
    (void)thread;
    toc_inside_search *s = user;
    const toc_motion *motion = &s->tree->motion;
    toc_stars *stars = &s->volume->inside->stars;
    const bool next = motion->steps == s->volume->inside->told + 1;
    const size_t first = index * ROUND, last = first + ROUND;
    toc_stars_tell(stars, first, last < stars->stars.count ? last : stars->stars.count, motion->packed,
                   next ? motion->rests : NULL);
    return TOC_OK;
}

static bool is_sound(const toc_stars *stars, const toc_cell *cell) {
    for (int i = 0; i < cell->corners; i++)
        if (!stars->whole.at[cell->v[i]]) return false;
    return true;
}

toc_status toc_inside_look(toc_inside_search *s, bool *worth) {
    const double start = toc_seconds();
    *worth = false;
    if (!s->tree->motion.fits) return TOC_OK;
    TOC_TRY(make_or_keep(s));
    const toc_stars *stars = &s->volume->inside->stars;
    const size_t rounds = (stars->stars.count + ROUND - 1) / ROUND;
    TOC_TRY(toc_loop_run(&(toc_loop){.count = rounds, .threads = s->testers->count, .round = tell_round, .user = s}));
    s->volume->inside->told = s->tree->motion.steps;
    size_t whole = 0;
    for (size_t v = 0; v < stars->whole.count; v++) whole += stars->whole.at[v];
    *worth = 4 * (stars->whole.count - whole) <= stars->whole.count && s->volume->inside->roots.count <= ROUND;
    s->stages[1].name = "inside";
    s->stages[2].name = "inner features";
    s->stages[0] = (toc_stage){"stars", stars->whole.count, stars->whole.count - whole, toc_seconds() - start};
    return TOC_OK;
}

// ---- pairs of cells: each looked at once

typedef struct flood {
    const toc_inside_search *search;
    const toc_allocator *allocator;
    toc_arena arena;
    toc_csat csat;
    toc_block *blocks; // by cell, as far as they are needed
    uint8_t *filled;
    uint64_t *seen; // a hash table of pairs, 0 for nothing
    size_t seen_count, seen_room;
    toc_node_pairs found; // that no axis keeps apart
    toc_ids unsound;
    toc_expansion expansion;
} flood;

static uint64_t *place_of(uint64_t *table, size_t room, uint64_t key) {
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
    while (table[at] && table[at] != key) at = (at + 1) & (room - 1);
    return &table[at];
}

static toc_status make_room(flood *f) {
    const size_t room = f->seen_room ? 2 * f->seen_room : 4096;
    uint64_t *table = toc_new(f->allocator, room, sizeof *table);
    if (!table) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < f->seen_room; i++)
        if (f->seen[i]) *place_of(table, room, f->seen[i]) = f->seen[i];
    toc_free(f->allocator, f->seen, f->seen_room, sizeof *f->seen);
    f->seen = table;
    f->seen_room = room;
    return TOC_OK;
}

static const toc_block *blocks_of(flood *f, uint32_t cell) {
    const toc_inside_search *s = f->search;
    const int blocks = s->volume->leaves.blocks;
    toc_block *at = f->blocks + (size_t)cell * (size_t)blocks;
    for (int b = 0; b < blocks && !f->filled[cell]; b++)
        toc_block_fill(&s->tree->motion.frame, s->step->x0, s->step->x1, s->volume->cells.at[cell].v + 4 * b, at + b);
    f->filled[cell] = 1;
    return at;
}

static toc_status visit(flood *f, uint32_t a, uint32_t b) {
    const toc_volume *volume = f->search->volume;
    const toc_cell *cells = volume->cells.at;
    const uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a; // not 0 for two cells
    if (a == b || (!is_volume(&cells[a]) && !is_volume(&cells[b]))) return TOC_OK;
    if (2 * f->seen_count >= f->seen_room) TOC_TRY(make_room(f));
    uint64_t *place = place_of(f->seen, f->seen_room, key);
    if (*place) return TOC_OK;
    *place = key;
    f->seen_count++;
    if (toc_cells_adjacent(&cells[a], &cells[b])) return TOC_OK;
    if (toc_csat_apart(&f->csat, volume->leaves.blocks, blocks_of(f, a), blocks_of(f, b))) return TOC_OK;
    TOC_TRY(toc_array_reserve(f->allocator, &f->found, 1));
    f->found.at[f->found.count++] = (toc_node_pair){a, b};
    return TOC_OK;
}

static toc_status spread(flood *f) {
    const toc_inside *inside = f->search->volume->inside;
    const uint32_t *first = inside->link_first.at, *links = inside->links.at;
    for (size_t i = 0; i < f->found.count; i++) {
        const toc_node_pair p = f->found.at[i];
        for (uint32_t k = first[p.a]; k < first[p.a + 1]; k++) TOC_TRY(visit(f, links[k], p.b));
        for (uint32_t k = first[p.b]; k < first[p.b + 1]; k++) TOC_TRY(visit(f, p.a, links[k]));
    }
    return TOC_OK;
}

// ---- where to start

static toc_status list_unsound(flood *f) {
    const toc_cells *cells = &f->search->volume->cells;
    for (uint32_t i = 0; i < cells->count; i++) {
        if (is_sound(&f->search->volume->inside->stars, &cells->at[i])) continue;
        TOC_TRY(toc_array_reserve(f->allocator, &f->unsound, 1));
        f->unsound.at[f->unsound.count++] = i;
    }
    return TOC_OK;
}

// Cells that all others are tried with: those at the roots of the surface, as far as these go, and those not sound.
typedef struct lookout {
    size_t count;
    uint32_t *cells;
    float *dops;
    toc_bvh bvh;
} lookout;

static void add_lookout(const flood *f, uint32_t cell, const uint32_t *v, int corners, lookout *out) {
    const toc_volume *volume = f->search->volume;
    toc_dop_of_features(&volume->kind, volume->vertex_dops, v, corners, 1,
                        out->dops + out->count * toc_dop_floats(&volume->kind));
    out->cells[out->count++] = cell;
}

static toc_status list_lookouts(flood *f, lookout *out) {
    const toc_inside_search *s = f->search;
    const toc_inside *inside = s->volume->inside;
    const size_t most = inside->roots.count + f->unsound.count;
    out->cells = toc_arena_new(&f->arena, most, sizeof *out->cells);
    out->dops = toc_arena_new(&f->arena, most, toc_dop_floats(&s->volume->kind) * sizeof *out->dops);
    if (!out->cells || !out->dops) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < inside->roots.count; i++) {
        const uint32_t v = inside->roots.at[i], alone[3] = {v, UINT32_MAX, UINT32_MAX};
        add_lookout(f, cell_with(&s->volume->cells.bodies[toc_step_body(s->step, v)], alone), &v, 1, out);
    }
    for (size_t i = 0; i < f->unsound.count; i++) {
        const toc_cell *cell = &s->volume->cells.at[f->unsound.at[i]];
        add_lookout(f, f->unsound.at[i], cell->v, cell->corners, out);
    }
    const toc_bvh_input input = {.kind = &s->volume->kind, .count = out->count, .dops = out->dops};
    return toc_bvh_build(f->allocator, &input, 1, &out->bvh);
}

// Nodes stand in preorder, so what is below one that is not near is skipped in one go.
static toc_status look_out(flood *f, const lookout *from, uint32_t cell) {
    const toc_volume *volume = f->search->volume;
    const toc_bvh *bvh = &from->bvh;
    const toc_cell *of = &volume->cells.at[cell];
    const size_t floats = toc_dop_floats(&volume->kind);
    float dop[TOC_DOP_FLOATS_MOST];
    toc_dop_of_features(&volume->kind, volume->vertex_dops, of->v, of->corners, 1, dop);
    for (size_t i = 0; i < toc_bvh_node_count(bvh);) {
        const toc_bvh_node *node = &bvh->nodes[i];
        const float *other = bvh->dops + i * floats;
        const bool near = volume->kind.lanes == 8 ? toc_dops_overlap(other, dop, 8) : toc_dops_overlap(other, dop, 16);
        if (near && node->leaves == 1) TOC_TRY(visit(f, from->cells[bvh->order[node->link]], cell));
        i += near ? 1 : 2 * (size_t)node->leaves - 1;
    }
    return TOC_OK;
}

static toc_status look_out_of_all(flood *f) {
    const toc_cells *cells = &f->search->volume->cells;
    lookout from = {0};
    toc_status status = list_lookouts(f, &from);
    for (uint32_t i = 0; i < cells->count && status == TOC_OK; i++)
        if (cells->at[i].corners > 0) status = look_out(f, &from, i);
    if (from.bvh.nodes) toc_bvh_free(&from.bvh);
    return status;
}

static toc_status start(flood *f) {
    const toc_inside_search *s = f->search;
    const uint32_t *cells = s->volume->inside->cells.at;
    TOC_TRY(list_unsound(f));
    TOC_TRY(look_out_of_all(f));
    for (size_t i = 0; i < s->seeds.count; i++) TOC_TRY(visit(f, cells[s->seeds.at[i].a], cells[s->seeds.at[i].b]));
    return TOC_OK;
}

// ---- features

static toc_status hand_on(flood *f) {
    toc_expansion *x = &f->expansion;
    for (int kind = 0; kind < 2; kind++) {
        TOC_TRY(toc_tester_ask(f->search->testers->at, (toc_kind)kind, x->pairs[kind], x->pair_count[kind]));
        x->pair_count[kind] = 0;
    }
    return TOC_OK;
}

static toc_status hand_on_if_full(flood *f, size_t more) {
    const size_t *count = f->expansion.pair_count;
    return count[0] + more > BUFFER || count[1] + more > BUFFER ? hand_on(f) : TOC_OK;
}

static toc_status ask_found(flood *f) {
    for (size_t i = 0; i < f->found.count; i++) {
        TOC_TRY(hand_on_if_full(f, TOC_CELL_PAIRS));
        toc_expand_cells(&f->expansion, f->found.at[i].a, f->found.at[i].b);
    }
    return hand_on(f);
}

static bool has_whole_star(const toc_stars *stars, const toc_cell *cell) {
    for (int i = 0; i < cell->corners; i++)
        if (stars->whole.at[cell->v[i]]) return true;
    return false;
}

static toc_status ask_orphans_of(flood *f, uint32_t body, toc_kind kind, uint32_t first) {
    const toc_oset *oset = &f->search->volume->osets[body];
    size_t count;
    const uint32_t *seconds = toc_bag_items(kind == TOC_VF ? &oset->vf.seconds : &oset->ee.seconds, first, &count);
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(hand_on_if_full(f, 1));
        toc_expand_orphan(&f->expansion, body, kind, (toc_orphan){first, seconds[i]});
    }
    return TOC_OK;
}

// What a cell that is not sound has with itself, and the orphans of features that it is the first cell of.
static toc_status ask_unsound(flood *f, uint32_t cell) {
    const toc_inside_search *s = f->search;
    const toc_cell *of = &s->volume->cells.at[cell];
    const toc_cell_body *body = &s->volume->cells.bodies[of->body];
    TOC_TRY(hand_on_if_full(f, TOC_CELL_PAIRS));
    if (of->corners >= 4 && !has_whole_star(&s->volume->inside->stars, of) &&
        !toc_element_is_intact((toc_shape)of->shape, of->v, s->step->x0, s->step->x1, 0))
        toc_expand_inner(&f->expansion, cell);
    for (int i = 0; i < of->corners; i++)
        if (of->first >> (TOC_FIRST_POINT + i) & 1)
            TOC_TRY(ask_orphans_of(f, of->body, TOC_VF, of->v[i] - body->first_vertex));
    size_t count;
    const uint32_t *edges = toc_bag_items(&body->incidence.element_edges, of->element, &count);
    for (size_t i = 0; i < count; i++)
        if (of->first >> (TOC_FIRST_EDGE + i) & 1) TOC_TRY(ask_orphans_of(f, of->body, TOC_EE, edges[i]));
    return TOC_OK;
}

static toc_status ask(flood *f) {
    TOC_TRY(ask_found(f));
    for (size_t i = 0; i < f->unsound.count; i++) TOC_TRY(ask_unsound(f, f->unsound.at[i]));
    return hand_on(f);
}

// ---- all together

static toc_status prepare(flood *f, const toc_expander *expander) {
    const toc_volume *volume = f->search->volume;
    const size_t blocks = (size_t)volume->leaves.blocks, count = volume->cells.count;
    f->csat = toc_csat_make(&f->search->tree->motion.frame, 0);
    f->blocks = toc_arena_new(&f->arena, count * blocks, sizeof *f->blocks);
    f->filled = toc_arena_new(&f->arena, count, 1);
    if (!f->blocks || !f->filled) return TOC_OUT_OF_MEMORY;
    memset(f->filled, 0, count);
    return toc_expansion_make(&f->arena, expander, BUFFER, &f->expansion);
}

static toc_status run(flood *f, const toc_expander *expander) {
    TOC_TRY(prepare(f, expander));
    TOC_TRY(start(f));
    TOC_TRY(spread(f));
    return ask(f);
}

static void count_stages(const flood *f, double seconds, double test_seconds, toc_inside_search *s) {
    const toc_expand_counts *c = f->expansion.counts;
    s->stages[1] = (toc_stage){"inside", f->seen_count, f->found.count, seconds - test_seconds};
    s->stages[2] = (toc_stage){"inner features", c[0].in + c[1].in, c[0].out + c[1].out, 0};
}

toc_status toc_inside_run(toc_inside_search *s, size_t round) {
    toc_tester *tester = s->testers->at;
    const double start = toc_seconds(), before = tester->seconds + tester->filter_seconds;
    if (!toc_tester_begin(tester, round)) return TOC_OK;
    toc_volume_bound_vertices(s->volume, s->step, &s->tree->motion.frame, 0);
    const toc_expander expander = {.cells = &s->volume->cells,
                                   .kind = &s->volume->kind,
                                   .vertex_dops = s->volume->vertex_dops,
                                   .inside_only = true};
    flood f = {.search = s, .allocator = &s->volume->allocator, .arena = toc_arena_make(&s->volume->allocator)};
    const toc_status status = run(&f, &expander);
    count_stages(&f, toc_seconds() - start, tester->seconds + tester->filter_seconds - before, s);
    toc_tester_end(tester);
    toc_free(f.allocator, f.seen, f.seen_room, sizeof *f.seen);
    toc_array_free(f.allocator, &f.found);
    toc_array_free(f.allocator, &f.unsound);
    toc_arena_free(&f.arena);
    return status;
}
