// SPDX-License-Identifier: Apache-2.0
// Contacts of volume elements, inside and outside: elements whose DOPs overlap, those that no axis keeps apart, the
// pairs of their features that belong to them, those that no axis keeps apart, the elementary test.
//
// Every pair of features belongs to one pair of elements that have it, or to an O-Set (cull/assignment.h), and nothing
// is left out that could touch (cull/csat.h): each pair of features that could touch reaches the test once
// (docs/guarantees.md, G1). Without assignment it may come several times, and is kept once. After Tang et al. 2011,
// "VolCCD".
#include "base/threads.h"
#include "cull/assignment.h"
#include "cull/shared.h"
#include "cull/triangle.h"
#include "query/preset.h"
#include "query/tester.h"
#include "query/volume.h"

enum {
    PIECES = 1024, // of the search: fixed, so that they are the same for any number of threads
    ROUND = 1024,  // orphans, or single cells, a round
    BUFFER = 4096, // pairs of features that are handed on together
    MOST = 18 * 18 // of one pair of elements and one kind: the edges and diagonals of two hexes
};

typedef struct flow {
    uint64_t in, out;
    double seconds;
} flow;

// What a thread gathers beside its tester.
typedef struct worker {
    struct volumes *all;
    toc_tester *tester;
    uint64_t visited, leaves;
    double seconds; // the whole search
    flow elements, assign[2], axes[2];
    uint64_t orphans;
    size_t kept_count;
    uint32_t kept[TOC_LEAF_PAIRS][2]; // cells
    size_t count;
    toc_quad pairs[BUFFER];
} worker;

typedef struct volumes {
    const toc_step *step;
    const toc_volume *volume;
    const toc_cells *cells;
    uint32_t skip;
    double separation;
    toc_arena arena; // of the workers
    toc_volume_update update;
    toc_node_pairs pieces;
    toc_testers testers;
    worker *workers;
} volumes;

static bool uses_osets(uint32_t skip) { return !(skip & (TOC_SKIP_ASSIGNMENT | TOC_STATIC_ASSIGNMENT)); }

// ---- pairs of features

static void cull_by_axes(worker *w, toc_kind kind) {
    const toc_step *step = w->all->step;
    size_t kept = 0;
    for (size_t i = 0; i < w->count; i++) {
        double x0[4][3], x1[4][3];
        for (int j = 0; j < 4; j++)
            for (int c = 0; c < 3; c++) {
                x0[j][c] = step->x0[3 * (size_t)w->pairs[i].v[j] + (size_t)c];
                x1[j][c] = step->x1[3 * (size_t)w->pairs[i].v[j] + (size_t)c];
            }
        toc_moving moving;
        toc_moving_set(&moving, 4, (const double(*)[3])x0, (const double(*)[3])x1);
        w->pairs[kept] = w->pairs[i];
        kept += !toc_feature_cull(kind, &moving, w->all->separation);
    }
    w->count = kept;
}

static toc_status hand_on(worker *w, toc_kind kind) {
    flow *axes = &w->axes[kind];
    const double start = toc_seconds();
    if (!(w->all->skip & TOC_SKIP_FEATURE_AXES)) {
        axes->in += w->count;
        cull_by_axes(w, kind);
        axes->out += w->count;
    }
    axes->seconds += toc_seconds() - start;
    TOC_TRY(toc_tester_ask(w->tester, kind, w->pairs, w->count));
    w->count = 0;
    return TOC_OK;
}

// Features of the wrong kind for what was asked.
static bool is_wanted(const volumes *v, uint8_t flags) {
    if (v->step->surface_only && !(flags & TOC_ON_BOUNDARY)) return false;
    return !(v->skip & TOC_SKIP_DIAGONALS && flags & TOC_DIAGONAL);
}

static bool belongs(const volumes *v, const toc_around *a, const toc_around *b, uint32_t cell_a, uint32_t cell_b) {
    if (v->skip & TOC_SKIP_ASSIGNMENT) return true;
    if (v->skip & TOC_STATIC_ASSIGNMENT) return toc_assigned_statically(a, b, cell_a, cell_b);
    return toc_assigned(v->cells, a, b, cell_a, cell_b);
}

// The vertices of one cell against the faces of another.
static void take_points(worker *w, uint32_t with_points, uint32_t with_faces) {
    const volumes *all = w->all;
    const toc_cell *a = &all->cells->at[with_points], *b = &all->cells->at[with_faces];
    const toc_cell_body *body_a = &all->cells->bodies[a->body], *body_b = &all->cells->bodies[b->body];
    size_t face_count;
    const uint32_t *faces = toc_bag_items(&body_b->incidence.element_faces, b->element, &face_count);
    for (size_t f = 0; f < face_count; f++) {
        if (!is_wanted(all, body_b->incidence.face_flags.at[faces[f]])) continue;
        const uint32_t *local = body_b->incidence.faces.at[faces[f]], first = body_b->first_vertex;
        const toc_quad pair = {{0, first + local[0], first + local[1], first + local[2]}};
        const toc_around around_b = toc_around_of(body_b, &body_b->incidence.face_elements, faces[f]);
        for (int i = 0; i < a->corners; i++) {
            const uint32_t v = a->v[i] - body_a->first_vertex;
            if (!is_wanted(all, body_a->incidence.vertex_flags.at[v]) || toc_vertex_in_face(a->v[i], pair.v + 1))
                continue;
            const toc_around around_a = toc_around_of(body_a, &body_a->incidence.vertex_elements, v);
            w->assign[TOC_VF].in++;
            w->pairs[w->count] = pair;
            w->pairs[w->count].v[0] = a->v[i];
            w->count += belongs(all, &around_a, &around_b, with_points, with_faces);
        }
    }
}

static uint64_t key_of(const uint32_t edge[2]) { return (uint64_t)edge[0] << 32 | edge[1]; }

// An edge of a cell, with the vertices numbered through.
typedef struct edge {
    uint32_t v[2], cell;
    toc_around around;
} edge;

static size_t list_edges(const volumes *all, uint32_t cell, edge *edges) {
    const toc_cell *of = &all->cells->at[cell];
    const toc_cell_body *body = &all->cells->bodies[of->body];
    size_t count, listed = 0;
    const uint32_t *ids = toc_bag_items(&body->incidence.element_edges, of->element, &count);
    for (size_t i = 0; i < count; i++) {
        if (!is_wanted(all, body->incidence.edge_flags.at[ids[i]])) continue;
        const uint32_t *local = body->incidence.edges.at[ids[i]];
        edges[listed++] = (edge){{body->first_vertex + local[0], body->first_vertex + local[1]},
                                 cell,
                                 toc_around_of(body, &body->incidence.edge_elements, ids[i])};
    }
    return listed;
}

static void take_edge_pair(worker *w, const edge *a, const edge *b) {
    if (toc_edges_share(a->v, b->v)) return;
    const edge *low = key_of(a->v) < key_of(b->v) ? a : b, *high = low == a ? b : a;
    w->assign[TOC_EE].in++;
    w->pairs[w->count] = (toc_quad){{low->v[0], low->v[1], high->v[0], high->v[1]}};
    w->count += belongs(w->all, &low->around, &high->around, low->cell, high->cell);
}

static void take_edges(worker *w, uint32_t cell_a, uint32_t cell_b) {
    edge a[18], b[18];
    const size_t a_count = list_edges(w->all, cell_a, a), b_count = list_edges(w->all, cell_b, b);
    for (size_t i = 0; i < a_count; i++)
        for (size_t j = cell_a == cell_b ? i + 1 : 0; j < b_count; j++) take_edge_pair(w, &a[i], &b[j]);
}

// The pairs of features of one kind of the pairs of cells that were kept.
static toc_status expand(worker *w, toc_kind kind) {
    flow *assign = &w->assign[kind];
    double start = toc_seconds();
    for (size_t i = 0; i < w->kept_count; i++) {
        const uint32_t a = w->kept[i][0], b = w->kept[i][1];
        const size_t before = w->count;
        if (kind == TOC_EE) take_edges(w, a, b);
        if (kind == TOC_VF) take_points(w, a, b);
        if (kind == TOC_VF && a != b) take_points(w, b, a);
        assign->out += w->count - before;
        if (w->count + MOST <= BUFFER) continue;
        assign->seconds += toc_seconds() - start;
        TOC_TRY(hand_on(w, kind));
        start = toc_seconds();
    }
    assign->seconds += toc_seconds() - start;
    return hand_on(w, kind);
}

static toc_status expand_kept(worker *w) {
    TOC_TRY(expand(w, TOC_VF));
    TOC_TRY(expand(w, TOC_EE));
    w->kept_count = 0;
    return TOC_OK;
}

// ---- pairs of elements

static bool is_kept(const volumes *v, const toc_cell *a, const toc_cell *b) {
    const bool adjacent = toc_cells_adjacent(a, b);
    if (adjacent) return !uses_osets(v->skip);
    if (v->skip & TOC_SKIP_ELEMENT_AXES) return true;
    const toc_block *blocks = v->volume->blocks;
    return !toc_csat_apart(&v->volume->csat, blocks + a->block, a->blocks, blocks + b->block, b->blocks);
}

static toc_status take_leaf_pairs(void *user, const toc_node_pair *pairs, size_t count) {
    worker *w = user;
    const volumes *v = w->all;
    const toc_bvh *bvh = &v->volume->bvh;
    const double start = toc_seconds();
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = v->volume->live[bvh->order[bvh->nodes[pairs[i].a].link]];
        const uint32_t b = v->volume->live[bvh->order[bvh->nodes[pairs[i].b].link]];
        w->kept[w->kept_count][0] = a;
        w->kept[w->kept_count][1] = b;
        w->kept_count += is_kept(v, &v->cells->at[a], &v->cells->at[b]);
    }
    w->leaves += count;
    w->elements.in += count;
    w->elements.out += w->kept_count;
    w->elements.seconds += toc_seconds() - start;
    return expand_kept(w);
}

// ---- what the tree does not find: orphans, or the features of one cell

static size_t rounds_of(size_t count) { return (count + ROUND - 1) / ROUND; }

static toc_status ask_orphans(worker *w, uint32_t body, toc_kind kind, size_t round) {
    const volumes *v = w->all;
    const toc_cell_body *of = &v->cells->bodies[body];
    const toc_incidence *incidence = &of->incidence;
    const toc_orphans *orphans = kind == TOC_VF ? &v->volume->osets[body].vf : &v->volume->osets[body].ee;
    const uint32_t first = of->first_vertex;
    for (size_t i = round * ROUND; i < orphans->count && i < (round + 1) * ROUND; i++) {
        const toc_orphan o = orphans->at[i];
        const uint32_t *face = incidence->faces.at[o.b], *low = incidence->edges.at[o.a],
                       *high = incidence->edges.at[o.b];
        const uint8_t *flags = kind == TOC_VF ? incidence->vertex_flags.at : incidence->edge_flags.at;
        const uint8_t *second = kind == TOC_VF ? incidence->face_flags.at : incidence->edge_flags.at;
        w->orphans++;
        if (!is_wanted(v, flags[o.a]) || !is_wanted(v, second[o.b])) continue;
        w->pairs[w->count++] = kind == TOC_VF
                                   ? (toc_quad){{first + o.a, first + face[0], first + face[1], first + face[2]}}
                                   : (toc_quad){{first + low[0], first + low[1], first + high[0], first + high[1]}};
    }
    return hand_on(w, kind);
}

static size_t orphan_rounds(const volumes *v, uint32_t body, toc_kind kind) {
    const toc_oset *oset = &v->volume->osets[body];
    return rounds_of(kind == TOC_VF ? oset->vf.count : oset->ee.count);
}

static toc_status ask_orphan_round(worker *w, size_t round) {
    for (uint32_t body = 0;; body++)
        for (int kind = TOC_VF; kind <= TOC_EE; kind++) {
            const size_t rounds = orphan_rounds(w->all, body, (toc_kind)kind);
            if (round < rounds) return ask_orphans(w, body, (toc_kind)kind, round);
            round -= rounds;
        }
}

static toc_status ask_single_cells(worker *w, size_t round) {
    const toc_volume *volume = w->all->volume;
    for (size_t i = round * ROUND; i < volume->live_count && i < (round + 1) * ROUND; i++) {
        w->kept[w->kept_count][0] = w->kept[w->kept_count][1] = volume->live[i];
        w->kept_count++;
    }
    return expand_kept(w);
}

static size_t other_rounds(const volumes *v) {
    if (!uses_osets(v->skip)) return rounds_of(v->volume->live_count);
    size_t rounds = 0;
    for (uint32_t body = 0; body < v->cells->body_count; body++)
        rounds += orphan_rounds(v, body, TOC_VF) + orphan_rounds(v, body, TOC_EE);
    return rounds;
}

// ---- all together

static toc_status search_piece(worker *w, size_t index) {
    const volumes *v = w->all;
    if (index < v->pieces.count)
        return toc_bvh_search(&v->volume->bvh, NULL, v->pieces.at[index], take_leaf_pairs, w, &w->visited);
    index -= v->pieces.count;
    return uses_osets(v->skip) ? ask_orphan_round(w, index) : ask_single_cells(w, index);
}

static toc_status run_round(void *user, size_t index, int thread) {
    volumes *v = user;
    worker *w = &v->workers[thread];
    const double start = toc_seconds();
    if (!toc_tester_begin(w->tester, index)) return TOC_OK;
    TOC_TRY(search_piece(w, index));
    toc_tester_end(w->tester);
    w->seconds += toc_seconds() - start;
    return TOC_OK;
}

static toc_status hire(volumes *v) {
    const int count = v->testers.count;
    v->workers = toc_arena_new(&v->arena, (size_t)count, sizeof *v->workers);
    if (!v->workers) return TOC_OUT_OF_MEMORY;
    for (int i = 0; i < count; i++) {
        worker *w = &v->workers[i];
        w->all = v;
        w->tester = &v->testers.at[i];
        w->visited = w->leaves = w->orphans = 0;
        w->seconds = 0;
        w->elements = w->assign[0] = w->assign[1] = w->axes[0] = w->axes[1] = (flow){0};
        w->count = w->kept_count = 0;
    }
    return TOC_OK;
}

static void add_flow(toc_stage *stage, const flow *f, int threads) {
    stage->in += f->in;
    stage->out += f->out;
    stage->seconds += f->seconds / threads;
}

static toc_status answer(const volumes *v, toc_contacts **out) {
    const toc_volume *volume = v->volume;
    enum { BOUND, BUILD, SEARCH, ELEMENTS, ORPHANS, ASSIGN_VF, ASSIGN_EE, AXES_VF, AXES_EE, STAGES };
    toc_stage stages[STAGES] = {{"bound", v->cells->count, volume->live_count, v->update.bound_seconds},
                                {"build", volume->live_count, v->update.rebuilt, v->update.build_seconds},
                                {.name = "search"},
                                {.name = "elements"},
                                {.name = "orphans"},
                                {.name = "assign VF"},
                                {.name = "assign EE"},
                                {.name = "axes VF"},
                                {.name = "axes EE"}};
    const int threads = v->testers.count;
    for (int i = 0; i < threads; i++) {
        const worker *w = &v->workers[i];
        double rest = w->seconds - w->elements.seconds - w->tester->seconds - w->tester->filter_seconds;
        for (int kind = 0; kind < 2; kind++) {
            add_flow(&stages[ASSIGN_VF + kind], &w->assign[kind], threads);
            add_flow(&stages[AXES_VF + kind], &w->axes[kind], threads);
            rest -= w->assign[kind].seconds + w->axes[kind].seconds;
        }
        add_flow(&stages[SEARCH], &(flow){w->visited, w->leaves, rest}, threads);
        add_flow(&stages[ELEMENTS], &w->elements, threads);
        add_flow(&stages[ORPHANS], &(flow){w->orphans, w->orphans, 0}, threads);
    }
    const bool axes = !(v->skip & TOC_SKIP_FEATURE_AXES);
    return toc_testers_answer(&v->testers, stages, axes ? STAGES : AXES_VF, out);
}

static toc_status find(volumes *v, const toc_query *query, toc_contacts **out) {
    TOC_TRY(toc_bvh_split(&v->volume->bvh, PIECES, &v->pieces));
    TOC_TRY(hire(v));
    TOC_TRY(toc_loop_run(&(toc_loop){.count = v->pieces.count + other_rounds(v),
                                     .threads = v->testers.count,
                                     .progress = &query->progress,
                                     .round = run_round,
                                     .user = v}));
    return answer(v, out);
}

toc_status toc_volumes_find(const toc_preset *preset, toc_scene *scene, const toc_query *query, toc_contacts **out) {
    volumes v = {.step = &scene->step,
                 .arena = toc_arena_make(&scene->allocator),
                 .skip = preset->skip | query->skip,
                 .separation = query->test.separation + query->test.tolerance};
    const toc_method method = toc_preset_method(preset, query);
    const int threads = toc_threads_resolve(query->threads);
    toc_volume_form form = {
        .separation = v.separation, .osets = uses_osets(v.skip), .blocks = !(v.skip & TOC_SKIP_ELEMENT_AXES)};
    toc_status status = toc_dop_kind_make(preset->dop, &form.kind);
    if (status == TOC_OK) status = toc_testers_make(scene, query, method, threads, &v.testers);
    v.testers.repeats = v.skip & TOC_SKIP_ASSIGNMENT;
    if (status == TOC_OK) status = toc_volume_fit(scene, &form, threads, &v.update);
    if (status == TOC_OK) {
        v.volume = scene->volume;
        v.cells = &scene->volume->cells;
        status = find(&v, query, out);
    }
    toc_testers_free(&v.testers);
    toc_array_free(&scene->allocator, &v.pieces);
    toc_arena_free(&v.arena);
    return status;
}
