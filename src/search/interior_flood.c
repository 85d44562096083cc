// SPDX-License-Identifier: Apache-2.0
// Searching the inside of volumes from where surfaces may touch.
//
// Why the search is complete (docs/guarantees.md, G1). Volumes are cut into tets (cull/volume/tets.h). A cell is sound
// when the stars of all its vertices are whole: none of its tets overlaps or touches a neighbour but in shared
// features.
//
// Let points a and b of tets of two sound cells meet at a time t, at a point p. Then the tets share no vertex. As long
// as a and b are both inside the bodies, tets that fit together cover their surroundings, so p can be moved, and a and
// b with it. Far out there is nothing, so one of them, say a, comes to the surface. From there go back in time with a;
// b follows, until b comes to the surface too, or the step begins. Then go along the surface with a to the root of its
// component; b follows until it comes to the surface, or a is at the root. All along this way a and b are in tets that
// touch, each a neighbour of the one before, or of the same cell. So the two cells are found by starting at
//     - cells whose surfaces may touch during the step, which the surface tree finds,
//     - the root of each component of the surface, with all cells around it when the step begins,
//     - all cells that are not sound, with all cells they come near, where the way may end early,
// and by going on to the neighbours of either of two cells that no axis separates. For two cells that share a vertex,
// no axis may separate those of their tets that share none. Shells and loose elements are surface all over; two of them
// need no search. Features shared by cells are found at every two of their cells that touch: the cells around a feature
// are linked. Orphan pairs remain, whose cells all share a vertex: those of cells that are not sound, and those of
// cells that share a vertex and that no axis separates. Other orphan pairs cannot touch: their tets share a vertex and
// a whole star, or belong to cells that were found.
#include <assert.h>
#include <string.h>

#include "base/threads.h"
#include "cull/volume/expand.h"
#include "cull/volume/intact.h"
#include "scene/scene.h"
#include "search/interior.h"

enum { FLOOD_ROUND = 256 }; // pairs of cells a round

static bool is_volume_cell(const toc_cell *cell) { return cell->shape >= TOC_TET || cell->shape == TOC_REMOVED; }

// ---- pairs of cells: each compared once

typedef struct flood {
    const toc_interior_search *search;
    const toc_allocator *allocator;
    toc_arena arena;
    toc_csat csat;
    uint8_t *filled, *asks; // by cell: whether its vertex4s are; whether its orphan pairs are tested
    uint8_t *bounded;       // by vertex: whether it has a DOP
    uint64_t *seen;         // a hash table of pairs, 0 for nothing
    size_t seen_count, seen_room;
    toc_cell_pairs found; // that no axis separates
    toc_ids asking;       // cells whose orphan pairs are tested: first those that are not sound
    size_t unsound;       // how many those are
} flood;

static uint64_t *seen_place_of(uint64_t *table, size_t room, uint64_t key) {
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
    while (table[at] && table[at] != key) at = (at + 1) & (room - 1);
    return &table[at];
}

static toc_status grow_seen(flood *f) {
    const size_t room = f->seen_room ? 2 * f->seen_room : 4096;
    uint64_t *table = toc_new(f->allocator, room, sizeof *table);
    if (!table) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < f->seen_room; i++)
        if (f->seen[i]) *seen_place_of(table, room, f->seen[i]) = f->seen[i];
    toc_free(f->allocator, f->seen, f->seen_room, sizeof *f->seen);
    f->seen = table;
    f->seen_room = room;
    return TOC_OK;
}

static void fill_vertex4(const flood *f, const uint32_t v[4], toc_vertex4 *out) {
    const toc_interior_search *s = f->search;
    toc_vertex4_fill(&s->surface->motion.frame, s->pipeline->step->x0, s->pipeline->step->x1, v, out);
}

static const toc_vertex4 *vertex4s_of(flood *f, uint32_t cell) {
    const toc_interior_search *s = f->search;
    const int fours = s->elements->leaves.fours;
    assert(cell < s->elements->cells.count && !s->elements->leaves.curved);
    toc_vertex4 *at = toc_leaf_vertex4s(&s->elements->leaves, cell); // no tree over elements needs them in this step
    for (int b = 0; b < fours && !f->filled[cell]; b++) fill_vertex4(f, s->elements->cells.at[cell].v + 4 * b, at + b);
    f->filled[cell] = 1;
    return at;
}

// Whether an axis separates every two tets of two cells that share a vertex, except tets that share one.
static bool far_tets_apart(const flood *f, const toc_cell *a, const toc_cell *b) {
    toc_tet tets[2][TOC_CELL_TETS];
    const int a_count = toc_cell_tets(a, tets[0]), b_count = toc_cell_tets(b, tets[1]);
    for (int i = 0; i < a_count; i++)
        for (int j = 0; j < b_count; j++) {
            toc_vertex4 fours[2];
            if (toc_ids_share(tets[0][i].v, 1, tets[1][j].v, 1)) continue;
            fill_vertex4(f, tets[0][i].v, &fours[0]);
            fill_vertex4(f, tets[1][j].v, &fours[1]);
            if (!toc_csat_apart(&f->csat, 1, &fours[0], &fours[1])) return false;
        }
    return true;
}

static toc_status ask_later(flood *f, uint32_t cell) {
    assert(cell < f->search->elements->cells.count);
    if (f->asks[cell]) return TOC_OK;
    f->asks[cell] = 1;
    TOC_TRY(toc_array_reserve(f->allocator, &f->asking, 1));
    f->asking.at[f->asking.count++] = cell;
    return TOC_OK;
}

// Whether two cells may touch. If they share a vertex, their orphan pairs are then tested.
static toc_status compare_cells(flood *f, uint32_t a, uint32_t b, bool adjacent, bool *apart) {
    const toc_element_tree *elements = f->search->elements;
    if (!adjacent) {
        *apart = toc_csat_apart(&f->csat, elements->leaves.fours, vertex4s_of(f, a), vertex4s_of(f, b));
        return TOC_OK;
    }
    *apart = far_tets_apart(f, &elements->cells.at[a], &elements->cells.at[b]);
    if (*apart) return TOC_OK;
    TOC_TRY(ask_later(f, a));
    return ask_later(f, b);
}

static toc_status visit_pair(flood *f, uint32_t a, uint32_t b) {
    const toc_element_tree *elements = f->search->elements;
    const toc_cell *cells = elements->cells.at;
    assert(a < elements->cells.count && b < elements->cells.count);
    const uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a; // not 0 for two cells
    if (a == b || (!is_volume_cell(&cells[a]) && !is_volume_cell(&cells[b]))) return TOC_OK;
    const bool adjacent = toc_cells_adjacent(&cells[a], &cells[b]);
    if (adjacent && (cells[a].shape <= TOC_TET || cells[b].shape <= TOC_TET)) return TOC_OK;
    if (2 * f->seen_count >= f->seen_room) TOC_TRY(grow_seen(f));
    uint64_t *place = seen_place_of(f->seen, f->seen_room, key);
    if (*place) return TOC_OK;
    *place = key;
    f->seen_count++;
    bool apart;
    TOC_TRY(compare_cells(f, a, b, adjacent, &apart));
    if (apart) return TOC_OK;
    TOC_TRY(toc_array_reserve(f->allocator, &f->found, 1));
    f->found.at[f->found.count++] = (toc_cell_pair){a < b ? a : b, a < b ? b : a};
    return TOC_OK;
}

static toc_status spread_flood(flood *f) {
    const toc_interior *interior = f->search->elements->interior;
    const uint32_t *first = interior->link_first.at, *links = interior->links.at;
    for (size_t i = 0; i < f->found.count; i++) {
        const toc_cell_pair p = f->found.at[i];
        for (uint32_t k = first[p.a]; k < first[p.a + 1]; k++) TOC_TRY(visit_pair(f, links[k], p.b));
        for (uint32_t k = first[p.b]; k < first[p.b + 1]; k++) TOC_TRY(visit_pair(f, p.a, links[k]));
    }
    return TOC_OK;
}

// ---- where the search starts

// List the cells around a vertex whose star is not whole.
static toc_status flood_list_around(flood *f, const toc_cell_body *body, uint32_t vertex) {
    const toc_around around = toc_around_of(body, &body->incidence.vertex_elements, vertex);
    for (size_t i = 0; i < around.count; i++) TOC_TRY(ask_later(f, around.first_cell + around.elements[i]));
    return TOC_OK;
}

static toc_status list_unsound(flood *f) {
    const toc_cells *cells = &f->search->elements->cells;
    const uint8_t *whole = f->search->elements->interior->stars.whole.at;
    for (size_t b = 0; b < cells->body_count; b++) {
        const toc_cell_body *body = &cells->bodies[b];
        for (uint32_t v = 0; v < body->incidence.vertex_elements.runs.count; v++)
            if (!whole[body->first_vertex + v]) TOC_TRY(flood_list_around(f, body, v));
    }
    f->unsound = f->asking.count;
    return TOC_OK;
}

// Cells that are searched against all others: those at the roots of the surface, and those that are not sound.
typedef struct anchor_set {
    size_t count;
    uint32_t *cells;
    float *dops;
    toc_bvh bvh;
} anchor_set;

static void add_anchor(const flood *f, uint32_t cell, const uint32_t *v, int corners, anchor_set *out) {
    const toc_surface_tree *tree = f->search->surface;
    toc_surface_tree_bound(tree, f->search->pipeline->step, v, corners,
                           out->dops + out->count * toc_dop_floats(&tree->kind));
    out->cells[out->count++] = cell;
}

static toc_status list_anchors(flood *f, anchor_set *out) {
    const toc_interior_search *s = f->search;
    const toc_interior *interior = s->elements->interior;
    const size_t most = interior->roots.count + f->unsound;
    out->cells = toc_arena_new(&f->arena, most, sizeof *out->cells);
    out->dops = toc_arena_new(&f->arena, most, toc_dop_floats(&s->surface->kind) * sizeof *out->dops);
    if (!out->cells || !out->dops) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < interior->roots.count; i++) {
        const uint32_t v = interior->roots.at[i], alone[3] = {v, UINT32_MAX, UINT32_MAX};
        add_anchor(f, toc_interior_cell(&s->elements->cells.bodies[toc_step_body(s->pipeline->step, v)], alone), &v, 1,
                   out);
    }
    for (size_t i = 0; i < f->unsound; i++) {
        const toc_cell *cell = &s->elements->cells.at[f->asking.at[i]];
        add_anchor(f, f->asking.at[i], cell->v, cell->corners, out);
    }
    toc_bvh_dops dops = {&s->surface->kind, out->dops};
    const toc_bvh_source source = toc_bvh_source_of(&dops);
    const toc_bvh_input input = {.kind = &s->surface->kind, .count = out->count, .source = &source};
    return toc_bvh_build(f->allocator, &input, 1, &out->bvh);
}

// A row of cells that is compared with the anchors.
typedef struct cell_row {
    flood *flood;
    const anchor_set *from;
    uint32_t first, last;
    bool near; // whether several of them together are near an anchor
} cell_row;

static toc_status meet_anchor(void *user, uint32_t leaf) {
    cell_row *o = user;
    o->near = o->last - o->first > 1;
    return o->near ? TOC_STOPPED : visit_pair(o->flood, o->from->cells[o->from->bvh.order[leaf]], o->first);
}

static void grow_by_cell(const toc_cell *cell, const toc_packed *packed, float low[3], float high[3]) {
    for (int i = 0; i < cell->corners; i++)
        for (int c = 0; c < 3; c++) {
            const float x0 = packed[cell->v[i]].x0[c], x1 = packed[cell->v[i]].x1[c];
            const float least = x0 < x1 ? x0 : x1, most = x0 < x1 ? x1 : x0;
            low[c] = least < low[c] ? least : low[c];
            high[c] = most > high[c] ? most : high[c];
        }
}

// The box of a row of cells, as a DOP whose other slabs are infinite. The error of packed positions is below 2^-24.
static void bound_by_box(const cell_row *o, float *dop) {
    const toc_interior_search *s = o->flood->search;
    const int lanes = s->surface->kind.lanes;
    for (int d = 0; d < lanes; d++) dop[d] = d < 3 ? 2 : -INFINITY, dop[lanes + d] = -dop[d];
    for (uint32_t i = o->first; i < o->last; i++)
        grow_by_cell(&s->elements->cells.at[i], s->surface->motion.packed, dop, dop + lanes);
    for (int c = 0; c < 3; c++) dop[c] -= 0x1p-22f, dop[lanes + c] += 0x1p-22f;
}

// Cells in a row are mostly near each other, and mostly no anchor is near any of them.
static toc_status compare_with_anchors(flood *f, const anchor_set *from, uint32_t first, uint32_t last) {
    cell_row o = {f, from, first, last, false};
    float dop[TOC_DOP_FLOATS_MOST];
    uint64_t visited = 0;
    bound_by_box(&o, dop);
    const toc_status status = toc_bvh_find(&from->bvh, dop, meet_anchor, &o, &visited);
    if (!o.near) return status;
    const uint32_t middle = first + (last - first) / 2;
    TOC_TRY(compare_with_anchors(f, from, first, middle));
    return compare_with_anchors(f, from, middle, last);
}

static toc_status compare_all_with_anchors(flood *f) {
    enum { ROW = 8 };
    const uint32_t count = (uint32_t)f->search->elements->cells.count;
    anchor_set from = {0};
    toc_status status = list_anchors(f, &from);
    for (uint32_t i = 0; i < count && status == TOC_OK; i += ROW)
        status = compare_with_anchors(f, &from, i, i + ROW < count ? i + ROW : count);
    if (from.bvh.nodes) toc_bvh_free(&from.bvh);
    return status;
}

static toc_status start_flood(flood *f) {
    const toc_interior_search *s = f->search;
    const uint32_t *cells = s->elements->interior->cells.at;
    TOC_TRY(list_unsound(f));
    TOC_TRY(compare_all_with_anchors(f));
    for (size_t i = 0; i < s->seeds.count; i++)
        TOC_TRY(visit_pair(f, cells[s->seeds.at[i].a], cells[s->seeds.at[i].b]));
    return TOC_OK;
}

// ---- features

static toc_expansion *expansion_of(const toc_worker *w) { return &w->interior->expansion; }

static toc_status pass_interior_features(toc_worker *w) {
    toc_expansion *x = expansion_of(w);
    for (int kind = 0; kind < 2; kind++) {
        const toc_batch batch = {.count = x->pair_count[kind], .features = x->pairs[kind], .kind = (toc_kind)kind};
        x->pair_count[kind] = 0;
        TOC_TRY(toc_worker_pass(w, w->pipeline->stage_count, &batch));
    }
    return TOC_OK;
}

static toc_status pass_if_full(toc_worker *w, size_t more) {
    const size_t *count = expansion_of(w)->pair_count;
    const bool full = count[0] + more > TOC_INTERIOR_BUFFER || count[1] + more > TOC_INTERIOR_BUFFER;
    return full ? pass_interior_features(w) : TOC_OK;
}

// Bound the vertices of a cell, for comparing its features.
static void bound_cell(flood *f, uint32_t cell) {
    const toc_element_tree *elements = f->search->elements;
    const toc_surface_tree *surface = f->search->surface;
    const toc_cell *of = &elements->cells.at[cell];
    for (int i = 0; i < of->corners; i++) {
        const uint32_t v = of->v[i];
        if (!f->bounded[v])
            toc_surface_tree_bound(surface, f->search->pipeline->step, &v, 1,
                                   elements->vertex_dops + v * toc_dop_floats(&surface->kind));
        f->bounded[v] = 1;
    }
}

static toc_status expand_found_pair(const flood *f, toc_worker *w, toc_cell_pair cells) {
    const toc_cell *at = f->search->elements->cells.at;
    if (toc_cells_adjacent(&at[cells.a], &at[cells.b])) return TOC_OK; // no pair is assigned to them
    TOC_TRY(pass_if_full(w, TOC_CELL_PAIRS));
    toc_expand_cells(expansion_of(w), cells.a, cells.b);
    return TOC_OK;
}

static toc_status expand_orphans_from(const flood *f, toc_worker *w, uint32_t body, toc_kind kind, uint32_t first) {
    const toc_orphan_pairs *orphans = &f->search->elements->orphan_pairs[body];
    const toc_orphan_list *list = kind == TOC_VF ? &orphans->vf : &orphans->ee;
    size_t count;
    if (list->count == 0) return TOC_OK;
    const uint32_t *seconds = toc_adjacency_items(&list->seconds, first, &count);
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(pass_if_full(w, 1));
        toc_expand_orphan(expansion_of(w), body, kind, (toc_orphan){first, seconds[i]});
    }
    return TOC_OK;
}

static bool is_first_of(const toc_cell *cell, size_t bit) { return cell->first >> bit & 1; }

// Expand the pairs of a cell with itself, and the orphan pairs of features that it is the first cell of.
static toc_status expand_orphans_at(const flood *f, toc_worker *w, uint32_t cell) {
    const toc_interior_search *s = f->search;
    const toc_step *step = s->pipeline->step;
    const toc_cell *of = &s->elements->cells.at[cell];
    const toc_cell_body *body = &s->elements->cells.bodies[of->body];
    TOC_TRY(pass_if_full(w, TOC_CELL_PAIRS));
    if (of->corners >= 4 && !toc_element_is_intact((toc_shape)of->shape, of->v, step->x0, step->x1, 0))
        toc_expand_inner(expansion_of(w), cell);
    for (int i = 0; i < of->corners; i++)
        if (is_first_of(of, TOC_FIRST_POINT + (size_t)i))
            TOC_TRY(expand_orphans_from(f, w, of->body, TOC_VF, of->v[i] - body->first_vertex));
    size_t count;
    const uint32_t *edges = toc_adjacency_items(&body->incidence.element_edges, of->element, &count);
    for (size_t i = 0; i < count; i++)
        if (is_first_of(of, TOC_FIRST_EDGE + i)) TOC_TRY(expand_orphans_from(f, w, of->body, TOC_EE, edges[i]));
    return TOC_OK;
}

static toc_status test_found_round(void *user, size_t index, int thread) {
    const flood *f = user;
    toc_worker *w = &f->search->pipeline->workers[thread];
    expansion_of(w)->expander = &f->search->near;
    for (size_t i = index * FLOOD_ROUND; i < f->found.count && i < (index + 1) * FLOOD_ROUND; i++)
        TOC_TRY(expand_found_pair(f, w, f->found.at[i]));
    return pass_interior_features(w);
}

static toc_status test_orphans_round(void *user, size_t index, int thread) {
    const flood *f = user;
    toc_worker *w = &f->search->pipeline->workers[thread];
    expansion_of(w)->expander = &f->search->all;
    for (size_t i = index * FLOOD_ROUND; i < f->asking.count && i < (index + 1) * FLOOD_ROUND; i++)
        TOC_TRY(expand_orphans_at(f, w, f->asking.at[i]));
    return pass_interior_features(w);
}

static toc_status run_flood_rounds(flood *f, size_t count, toc_status (*round)(void *, size_t, int)) {
    return toc_loop_run(&(toc_loop){.count = (count + FLOOD_ROUND - 1) / FLOOD_ROUND,
                                    .threads = f->search->pipeline->threads,
                                    .round = round,
                                    .user = f});
}

// Put pairs with the same first cell in a row, so that its features are listed once.
static toc_status order_found(flood *f) {
    const size_t count = f->search->elements->cells.count;
    uint32_t *first = toc_arena_new(&f->arena, count + 1, sizeof *first);
    toc_cell_pair *ordered = toc_arena_new(&f->arena, f->found.count, sizeof *ordered);
    if (!first || !ordered) return TOC_OUT_OF_MEMORY;
    memset(first, 0, (count + 1) * sizeof *first);
    for (size_t i = 0; i < f->found.count; i++) first[f->found.at[i].a + 1]++;
    for (size_t i = 1; i < count; i++) first[i] += first[i - 1];
    for (size_t i = 0; i < f->found.count; i++) ordered[first[f->found.at[i].a]++] = f->found.at[i];
    if (f->found.count > 0) memcpy(f->found.at, ordered, f->found.count * sizeof *ordered);
    return TOC_OK;
}

static toc_status test_found(flood *f) {
    TOC_TRY(order_found(f));
    for (size_t i = 0; i < f->found.count; i++) {
        bound_cell(f, f->found.at[i].a);
        bound_cell(f, f->found.at[i].b);
    }
    for (size_t i = 0; i < f->asking.count; i++) bound_cell(f, f->asking.at[i]);
    TOC_TRY(run_flood_rounds(f, f->found.count, test_found_round));
    return run_flood_rounds(f, f->asking.count, test_orphans_round);
}

// ---- the whole search

static toc_status prepare_flood(flood *f) {
    const toc_interior_search *s = f->search;
    const size_t count = s->elements->cells.count, vertices = s->pipeline->step->vertex_count;
    f->csat = toc_csat_make(&s->surface->motion.frame, 0);
    f->filled = toc_arena_new(&f->arena, count, 1);
    f->asks = toc_arena_new(&f->arena, count, 1);
    f->bounded = toc_arena_new(&f->arena, vertices, 1);
    if (!f->filled || !f->asks || !f->bounded) return TOC_OUT_OF_MEMORY;
    memset(f->filled, 0, count);
    memset(f->asks, 0, count);
    memset(f->bounded, 0, vertices);
    return TOC_OK;
}

static void break_touched_star(const toc_step *step, const toc_contact *c, toc_stars *stars) {
    const int second = c->kind == TOC_VF ? 1 : 2;
    uint32_t v[4];
    for (int n = 0; n < 4; n++) v[n] = step->body_first[c->body[n >= second]] + c->v[n];
    if (c->body[0] == c->body[1]) toc_stars_touch(stars, v);
}

// Contacts of the surface with itself break stars.
static void break_touched_stars(const toc_interior_search *s) {
    const toc_narrow_phase *narrow = &s->pipeline->narrow;
    toc_interior *interior = s->elements->interior;
    interior->stars_know_contacts = true;
    for (int i = 0; i < narrow->count; i++)
        for (const toc_contact_block *b = narrow->at[i].contacts.newest; b; b = b->older)
            for (size_t k = 0; k < b->count; k++) break_touched_star(s->pipeline->step, &b->at[k], &interior->stars);
}

static toc_status run_flood(flood *f) {
    TOC_TRY(prepare_flood(f));
    TOC_TRY(start_flood(f));
    TOC_TRY(spread_flood(f));
    return test_found(f);
}

static void note_flood(const flood *f, toc_stage *row) {
    toc_pipeline *p = f->search->pipeline;
    uint64_t in = 0, out = 0;
    for (int i = 0; i < p->threads; i++)
        for (int kind = 0; kind < 2; kind++) {
            in += expansion_of(&p->workers[i])->counts[kind].in;
            out += expansion_of(&p->workers[i])->counts[kind].out;
        }
    f->search->stars->out = toc_interior_count_broken(f->search->elements->interior);
    row->in = f->seen_count;
    row->out = f->found.count;
    toc_pipeline_count(p, "inner features", in, out);
}

static void choose_expanders(toc_interior_search *s) {
    s->near = (toc_expander){.cells = &s->elements->cells,
                             .kind = &s->elements->kind,
                             .vertex_dops = s->elements->vertex_dops,
                             .inside_only = true};
    s->all = s->near;
    s->all.skip = TOC_SKIP_FEATURE_DOPS;
}

toc_status toc_interior_run(toc_interior_search *search, toc_stage *row) {
    const toc_allocator *allocator = &search->pipeline->request->scene->memory;
    break_touched_stars(search);
    choose_expanders(search);
    flood f = {.search = search, .allocator = allocator, .arena = toc_arena_make(allocator)};
    const toc_status status = run_flood(&f);
    search->elements->interior->found = f.found.count;
    if (status == TOC_OK) note_flood(&f, row);
    toc_free(f.allocator, f.seen, f.seen_room, sizeof *f.seen);
    toc_array_free(f.allocator, &f.found);
    toc_array_free(f.allocator, &f.asking);
    toc_arena_free(&f.arena);
    return status;
}
