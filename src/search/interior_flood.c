// SPDX-License-Identifier: Apache-2.0
// Searching the inside of volumes from where surfaces may touch.
//
// Why that is complete (docs/guarantees.md, G1). Volumes are cut into tets (cull/volume/tets.h). Call a cell sound when
// the stars of all its vertices are whole: none of its tets overlaps or touches one beside it but in what they share.
// Let points a and b of tets of two sound cells meet at a time t, at p. The tets share no vertex, then. As long as a
// and b are both inside the bodies, all around them is covered by tets that fit together, so p can be moved and a and b
// with it; far out there is nothing, so one of them comes to the surface, say a. From there go back in time with a, and
// b follows, until b comes to the surface, too, or the step begins; then go along the surface with a, to the root of
// its part, and b follows until it comes to the surface or a is there. On all of this way a and b are in tets that
// touch, each beside the one before, or of the same cell. So the first two cells are found by starting at
//     - cells whose surfaces may touch during the step, which the tree of the surface finds,
//     - the root of each part of the surface, with all cells that it is in when the step begins,
//     - all cells that are not sound, with all that they come near, where the way may end early,
// and going on to the cells beside either of two that no axis keeps apart; of two that share a vertex, that keeps none
// of their tets apart that share none. Shells and what is loose are surface all over; of two such cells there is
// nothing to look for. Features that cells share, too, are found at every two of their cells that touch: the cells
// around a feature are linked. What is left are orphans, of which all cells share a vertex: those of cells that are not
// sound, and those of cells that were found to be not apart though they share a vertex. Of others none touch: their
// tets either share a vertex, and a whole star, or are of cells that were found.
#include <string.h>

#include "base/threads.h"
#include "cull/volume/expand.h"
#include "cull/volume/intact.h"
#include "search/interior.h"

enum { BUFFER = 4096, ROUND = 256 };

static bool is_volume(const toc_cell *cell) { return cell->shape >= TOC_TET || cell->shape == TOC_REMOVED; }

// ---- pairs of cells: each looked at once

typedef struct flood {
    const toc_interior_search *search;
    const toc_allocator *allocator;
    toc_arena arena;
    toc_csat csat;
    uint8_t *filled, *asks; // by cell: whether its fours are; whether its orphans are asked about
    uint8_t *bounded;       // by vertex: whether it has a DOP
    uint64_t *seen;         // a hash table of pairs, 0 for nothing
    size_t seen_count, seen_room;
    toc_cell_pairs found; // that no axis keeps apart
    toc_ids asking;       // cells whose orphans are asked about: first those that are not sound
    size_t unsound;       // how many those are
    toc_expander near;    // of features whose DOPs overlap
    toc_expander all;     // of orphans, since the test's first look takes less than comparing DOPs
    struct asker *askers; // one a thread
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

static void fill_four(const flood *f, const uint32_t v[4], toc_vertex4 *out) {
    const toc_interior_search *s = f->search;
    toc_vertex4_fill(&s->tree->motion.frame, s->step->x0, s->step->x1, v, out);
}

static const toc_vertex4 *fours_of(flood *f, uint32_t cell) {
    const toc_interior_search *s = f->search;
    const int fours = s->volume->leaves.fours;
    toc_vertex4 *at = toc_leaf_vertex4s(&s->volume->leaves, cell); // no tree over elements needs them in this step
    for (int b = 0; b < fours && !f->filled[cell]; b++) fill_four(f, s->volume->cells.at[cell].v + 4 * b, at + b);
    f->filled[cell] = 1;
    return at;
}

// Whether no tets of two cells that share a vertex touch, but for those that share one themselves.
static bool far_tets_apart(const flood *f, const toc_cell *a, const toc_cell *b) {
    toc_tet tets[2][TOC_CELL_TETS];
    const int a_count = toc_cell_tets(a, tets[0]), b_count = toc_cell_tets(b, tets[1]);
    for (int i = 0; i < a_count; i++)
        for (int j = 0; j < b_count; j++) {
            toc_vertex4 fours[2];
            if (toc_ids_share(tets[0][i].v, 1, tets[1][j].v, 1)) continue;
            fill_four(f, tets[0][i].v, &fours[0]);
            fill_four(f, tets[1][j].v, &fours[1]);
            if (!toc_csat_apart(&f->csat, 1, &fours[0], &fours[1])) return false;
        }
    return true;
}

static toc_status ask_later(flood *f, uint32_t cell) {
    if (f->asks[cell]) return TOC_OK;
    f->asks[cell] = 1;
    TOC_TRY(toc_array_reserve(f->allocator, &f->asking, 1));
    f->asking.at[f->asking.count++] = cell;
    return TOC_OK;
}

// Whether two cells may touch. The orphans of those that share a vertex are then asked about.
static toc_status compare(flood *f, uint32_t a, uint32_t b, bool adjacent, bool *apart) {
    const toc_element_tree *volume = f->search->volume;
    if (!adjacent) {
        *apart = toc_csat_apart(&f->csat, volume->leaves.fours, fours_of(f, a), fours_of(f, b));
        return TOC_OK;
    }
    *apart = far_tets_apart(f, &volume->cells.at[a], &volume->cells.at[b]);
    if (*apart) return TOC_OK;
    TOC_TRY(ask_later(f, a));
    return ask_later(f, b);
}

static toc_status visit(flood *f, uint32_t a, uint32_t b) {
    const toc_element_tree *volume = f->search->volume;
    const toc_cell *cells = volume->cells.at;
    const uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a; // not 0 for two cells
    if (a == b || (!is_volume(&cells[a]) && !is_volume(&cells[b]))) return TOC_OK;
    const bool adjacent = toc_cells_adjacent(&cells[a], &cells[b]);
    if (adjacent && (cells[a].shape <= TOC_TET || cells[b].shape <= TOC_TET)) return TOC_OK;
    if (2 * f->seen_count >= f->seen_room) TOC_TRY(make_room(f));
    uint64_t *place = place_of(f->seen, f->seen_room, key);
    if (*place) return TOC_OK;
    *place = key;
    f->seen_count++;
    bool apart;
    TOC_TRY(compare(f, a, b, adjacent, &apart));
    if (apart) return TOC_OK;
    TOC_TRY(toc_array_reserve(f->allocator, &f->found, 1));
    f->found.at[f->found.count++] = (toc_cell_pair){a < b ? a : b, a < b ? b : a};
    return TOC_OK;
}

static toc_status spread(flood *f) {
    const toc_interior *inside = f->search->volume->inside;
    const uint32_t *first = inside->link_first.at, *links = inside->links.at;
    for (size_t i = 0; i < f->found.count; i++) {
        const toc_cell_pair p = f->found.at[i];
        for (uint32_t k = first[p.a]; k < first[p.a + 1]; k++) TOC_TRY(visit(f, links[k], p.b));
        for (uint32_t k = first[p.b]; k < first[p.b + 1]; k++) TOC_TRY(visit(f, p.a, links[k]));
    }
    return TOC_OK;
}

// ---- where to start

// The cells around a vertex whose star is not whole.
static toc_status list_around(flood *f, const toc_cell_body *body, uint32_t vertex) {
    const toc_around around = toc_around_of(body, &body->incidence.vertex_elements, vertex);
    for (size_t i = 0; i < around.count; i++) TOC_TRY(ask_later(f, around.first_cell + around.elements[i]));
    return TOC_OK;
}

static toc_status list_unsound(flood *f) {
    const toc_cells *cells = &f->search->volume->cells;
    const uint8_t *whole = f->search->volume->inside->stars.whole.at;
    for (size_t b = 0; b < cells->body_count; b++) {
        const toc_cell_body *body = &cells->bodies[b];
        for (uint32_t v = 0; v < body->incidence.vertex_elements.runs.count; v++)
            if (!whole[body->first_vertex + v]) TOC_TRY(list_around(f, body, v));
    }
    f->unsound = f->asking.count;
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
    const toc_surface_tree *tree = f->search->tree;
    toc_surface_tree_bound(tree, f->search->step, v, corners, out->dops + out->count * toc_dop_floats(&tree->kind));
    out->cells[out->count++] = cell;
}

static toc_status list_lookouts(flood *f, lookout *out) {
    const toc_interior_search *s = f->search;
    const toc_interior *inside = s->volume->inside;
    const size_t most = inside->roots.count + f->unsound;
    out->cells = toc_arena_new(&f->arena, most, sizeof *out->cells);
    out->dops = toc_arena_new(&f->arena, most, toc_dop_floats(&s->tree->kind) * sizeof *out->dops);
    if (!out->cells || !out->dops) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < inside->roots.count; i++) {
        const uint32_t v = inside->roots.at[i], alone[3] = {v, UINT32_MAX, UINT32_MAX};
        add_lookout(f, toc_interior_cell(&s->volume->cells.bodies[toc_step_body(s->step, v)], alone), &v, 1, out);
    }
    for (size_t i = 0; i < f->unsound; i++) {
        const toc_cell *cell = &s->volume->cells.at[f->asking.at[i]];
        add_lookout(f, f->asking.at[i], cell->v, cell->corners, out);
    }
    toc_bvh_dops dops = {&s->tree->kind, out->dops};
    const toc_bvh_source source = toc_bvh_source_of(&dops);
    const toc_bvh_input input = {.kind = &s->tree->kind, .count = out->count, .source = &source};
    return toc_bvh_build(f->allocator, &input, 1, &out->bvh);
}

// Cells in a row that look out.
typedef struct outlook {
    flood *flood;
    const lookout *from;
    uint32_t first, last;
    bool near; // whether several of them together are near something
} outlook;

static toc_status see(void *user, uint32_t leaf) {
    outlook *o = user;
    o->near = o->last - o->first > 1;
    return o->near ? TOC_STOPPED : visit(o->flood, o->from->cells[o->from->bvh.order[leaf]], o->first);
}

static void put_cell(const toc_cell *cell, const toc_packed *packed, float low[3], float high[3]) {
    for (int i = 0; i < cell->corners; i++)
        for (int c = 0; c < 3; c++) {
            const float x0 = packed[cell->v[i]].x0[c], x1 = packed[cell->v[i]].x1[c];
            const float least = x0 < x1 ? x0 : x1, most = x0 < x1 ? x1 : x0;
            low[c] = least < low[c] ? least : low[c];
            high[c] = most > high[c] ? most : high[c];
        }
}

// The box of cells in a row, as a DOP whose other slabs hold everything. Packed positions are off by less than 2^-24.
static void bound_by_box(const outlook *o, float *dop) {
    const toc_interior_search *s = o->flood->search;
    const int lanes = s->tree->kind.lanes;
    for (int d = 0; d < lanes; d++) dop[d] = d < 3 ? 2 : -INFINITY, dop[lanes + d] = -dop[d];
    for (uint32_t i = o->first; i < o->last; i++)
        put_cell(&s->volume->cells.at[i], s->tree->motion.packed, dop, dop + lanes);
    for (int c = 0; c < 3; c++) dop[c] -= 0x1p-22f, dop[lanes + c] += 0x1p-22f;
}

// Cells in a row are mostly near each other, and all together near nothing.
static toc_status look_out(flood *f, const lookout *from, uint32_t first, uint32_t last) {
    outlook o = {f, from, first, last, false};
    float dop[TOC_DOP_FLOATS_MOST];
    uint64_t visited = 0;
    bound_by_box(&o, dop);
    const toc_status status = toc_bvh_find(&from->bvh, dop, see, &o, &visited);
    if (!o.near) return status;
    const uint32_t middle = first + (last - first) / 2;
    TOC_TRY(look_out(f, from, first, middle));
    return look_out(f, from, middle, last);
}

static toc_status look_out_of_all(flood *f) {
    enum { ROW = 8 };
    const uint32_t count = (uint32_t)f->search->volume->cells.count;
    lookout from = {0};
    toc_status status = list_lookouts(f, &from);
    for (uint32_t i = 0; i < count && status == TOC_OK; i += ROW)
        status = look_out(f, &from, i, i + ROW < count ? i + ROW : count);
    if (from.bvh.nodes) toc_bvh_free(&from.bvh);
    return status;
}

static toc_status start(flood *f) {
    const toc_interior_search *s = f->search;
    const uint32_t *cells = s->volume->inside->cells.at;
    TOC_TRY(list_unsound(f));
    TOC_TRY(look_out_of_all(f));
    for (size_t i = 0; i < s->seeds.count; i++) TOC_TRY(visit(f, cells[s->seeds.at[i].a], cells[s->seeds.at[i].b]));
    return TOC_OK;
}

// ---- features

// Who asks about features, on one thread.
typedef struct asker {
    const flood *f;
    toc_narrow_worker *tester;
    toc_expansion expansion;
} asker;

static toc_status hand_on(asker *a) {
    toc_expansion *x = &a->expansion;
    for (int kind = 0; kind < 2; kind++) {
        TOC_TRY(toc_narrow_worker_ask(a->tester, (toc_kind)kind, x->pairs[kind], x->pair_count[kind]));
        x->pair_count[kind] = 0;
    }
    return TOC_OK;
}

static toc_status hand_on_if_full(asker *a, size_t more) {
    const size_t *count = a->expansion.pair_count;
    return count[0] + more > BUFFER || count[1] + more > BUFFER ? hand_on(a) : TOC_OK;
}

// The DOPs of a cell's vertices, which the features are compared by.
static void bound_cell(flood *f, uint32_t cell) {
    const toc_element_tree *volume = f->search->volume;
    const toc_surface_tree *tree = f->search->tree;
    const toc_cell *of = &volume->cells.at[cell];
    for (int i = 0; i < of->corners; i++) {
        const uint32_t v = of->v[i];
        if (!f->bounded[v])
            toc_surface_tree_bound(tree, f->search->step, &v, 1, volume->vertex_dops + v * toc_dop_floats(&tree->kind));
        f->bounded[v] = 1;
    }
}

static toc_status ask_pair(asker *a, toc_cell_pair cells) {
    const toc_cell *at = a->f->search->volume->cells.at;
    if (toc_cells_adjacent(&at[cells.a], &at[cells.b])) return TOC_OK; // they own nothing
    TOC_TRY(hand_on_if_full(a, TOC_CELL_PAIRS));
    toc_expand_cells(&a->expansion, cells.a, cells.b);
    return TOC_OK;
}

static toc_status ask_orphans_of(asker *a, uint32_t body, toc_kind kind, uint32_t first) {
    const toc_orphan_pairs *oset = &a->f->search->volume->osets[body];
    size_t count;
    const uint32_t *seconds =
        toc_adjacency_items(kind == TOC_VF ? &oset->vf.seconds : &oset->ee.seconds, first, &count);
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(hand_on_if_full(a, 1));
        toc_expand_orphan(&a->expansion, body, kind, (toc_orphan){first, seconds[i]});
    }
    return TOC_OK;
}

// What a cell has with itself, and the orphans of features that it is the first cell of.
static toc_status ask_orphans(asker *a, uint32_t cell) {
    const toc_interior_search *s = a->f->search;
    const toc_cell *of = &s->volume->cells.at[cell];
    const toc_cell_body *body = &s->volume->cells.bodies[of->body];
    TOC_TRY(hand_on_if_full(a, TOC_CELL_PAIRS));
    if (of->corners >= 4 && !toc_element_is_intact((toc_shape)of->shape, of->v, s->step->x0, s->step->x1, 0))
        toc_expand_inner(&a->expansion, cell);
    for (int i = 0; i < of->corners; i++)
        if (of->first >> (TOC_FIRST_POINT + i) & 1)
            TOC_TRY(ask_orphans_of(a, of->body, TOC_VF, of->v[i] - body->first_vertex));
    size_t count;
    const uint32_t *edges = toc_adjacency_items(&body->incidence.element_edges, of->element, &count);
    for (size_t i = 0; i < count; i++)
        if (of->first >> (TOC_FIRST_EDGE + i) & 1) TOC_TRY(ask_orphans_of(a, of->body, TOC_EE, edges[i]));
    return TOC_OK;
}

static toc_status ask_found_round(void *user, size_t index, int thread) {
    const flood *f = user;
    asker *a = &f->askers[thread];
    a->expansion.expander = &f->near;
    for (size_t i = index * ROUND; i < f->found.count && i < (index + 1) * ROUND; i++)
        TOC_TRY(ask_pair(a, f->found.at[i]));
    return hand_on(a);
}

static toc_status ask_orphans_round(void *user, size_t index, int thread) {
    const flood *f = user;
    asker *a = &f->askers[thread];
    a->expansion.expander = &f->all;
    for (size_t i = index * ROUND; i < f->asking.count && i < (index + 1) * ROUND; i++)
        TOC_TRY(ask_orphans(a, f->asking.at[i]));
    return hand_on(a);
}

static toc_status run_rounds(flood *f, size_t count, toc_status (*round)(void *, size_t, int)) {
    return toc_loop_run(&(toc_loop){
        .count = (count + ROUND - 1) / ROUND, .threads = f->search->testers->count, .round = round, .user = f});
}

// Put pairs that have a cell in common in a row, so that its features are listed once.
static toc_status order_found(flood *f) {
    const size_t count = f->search->volume->cells.count;
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

static toc_status ask(flood *f) {
    TOC_TRY(order_found(f));
    for (size_t i = 0; i < f->found.count; i++) {
        bound_cell(f, f->found.at[i].a);
        bound_cell(f, f->found.at[i].b);
    }
    for (size_t i = 0; i < f->asking.count; i++) bound_cell(f, f->asking.at[i]);
    TOC_TRY(run_rounds(f, f->found.count, ask_found_round));
    return run_rounds(f, f->asking.count, ask_orphans_round);
}

// ---- all together

static toc_status hire(flood *f) {
    const toc_narrow_phase *testers = f->search->testers;
    f->askers = toc_arena_new(&f->arena, (size_t)testers->count, sizeof *f->askers);
    if (!f->askers) return TOC_OUT_OF_MEMORY;
    for (int i = 0; i < testers->count; i++) {
        f->askers[i].f = f;
        f->askers[i].tester = &testers->at[i];
        TOC_TRY(toc_expansion_make(&f->arena, &f->near, BUFFER, &f->askers[i].expansion));
    }
    return TOC_OK;
}

static toc_status prepare(flood *f) {
    const toc_element_tree *volume = f->search->volume;
    const size_t count = volume->cells.count;
    f->csat = toc_csat_make(&f->search->tree->motion.frame, 0);
    f->filled = toc_arena_new(&f->arena, count, 1);
    f->asks = toc_arena_new(&f->arena, count, 1);
    f->bounded = toc_arena_new(&f->arena, f->search->step->vertex_count, 1);
    if (!f->filled || !f->asks || !f->bounded) return TOC_OUT_OF_MEMORY;
    memset(f->filled, 0, count);
    memset(f->asks, 0, count);
    memset(f->bounded, 0, f->search->step->vertex_count);
    return hire(f);
}

// Contacts of the surface break stars.
static void tell_touched(const toc_interior_search *s) {
    s->volume->inside->told = true;
    for (int i = 0; i < s->testers->count; i++) {
        const toc_narrow_worker *tester = &s->testers->at[i];
        for (size_t k = 0; k < tester->contacts.count; k++) {
            const toc_contact *c = &tester->contacts.at[k];
            const int second = c->kind == TOC_VF ? 1 : 2;
            uint32_t v[4];
            for (int n = 0; n < 4; n++) v[n] = s->step->body_first[c->body[n >= second]] + c->v[n];
            if (c->body[0] == c->body[1]) toc_stars_touch(&s->volume->inside->stars, v);
        }
    }
}

static toc_status run(flood *f) {
    TOC_TRY(prepare(f));
    TOC_TRY(start(f));
    TOC_TRY(spread(f));
    return ask(f);
}

// Seconds that testers have taken, of the time that passed.
static double test_seconds(const toc_narrow_phase *testers) {
    double sum = 0;
    for (int i = 0; i < testers->count; i++) sum += testers->at[i].seconds + testers->at[i].filter_seconds;
    return sum / testers->count;
}

static void count_stages(const flood *f, double seconds, toc_interior_search *s) {
    const toc_stars *stars = &s->volume->inside->stars;
    for (size_t v = 0; v < stars->whole.count; v++) s->stages[0].out += !stars->whole.at[v];
    s->stages[1] = (toc_stage){"inside", f->seen_count, f->found.count, seconds};
    for (int i = 0; i < s->testers->count; i++)
        for (int kind = 0; kind < 2; kind++) {
            s->stages[2].in += f->askers[i].expansion.counts[kind].in;
            s->stages[2].out += f->askers[i].expansion.counts[kind].out;
        }
}

toc_status toc_interior_run(toc_interior_search *s) {
    const double start = toc_seconds(), before = test_seconds(s->testers);
    tell_touched(s);
    flood f = {.search = s,
               .allocator = &s->volume->allocator,
               .arena = toc_arena_make(&s->volume->allocator),
               .near = {.cells = &s->volume->cells,
                        .kind = &s->volume->kind,
                        .vertex_dops = s->volume->vertex_dops,
                        .inside_only = true}};
    f.all = f.near;
    f.all.skip = TOC_SKIP_FEATURE_DOPS;
    const toc_status status = run(&f);
    s->volume->inside->found = f.found.count;
    if (status == TOC_OK) count_stages(&f, toc_seconds() - start - (test_seconds(s->testers) - before), s);
    toc_free(f.allocator, f.seen, f.seen_room, sizeof *f.seen);
    toc_array_free(f.allocator, &f.found);
    toc_array_free(f.allocator, &f.asking);
    toc_arena_free(&f.arena);
    return status;
}
