// SPDX-License-Identifier: Apache-2.0
// Contacts of volume elements, inside and outside: elements whose DOPs overlap, those that no axis keeps apart, the
// pairs of their features that belong to them, those that no axis keeps apart, the elementary test.
//
// Every pair of features belongs to one pair of elements that have it, or to an O-Set (cull/volume/assignment.h), and
// nothing is left out that could touch (cull/volume/csat.h): each pair of features that could touch reaches the test
// once (docs/guarantees.md, G1). Without assignment it may come several times, and is kept once. After Tang et al.
// 2011, "VolCCD".
#include <string.h>

#include "base/threads.h"
#include "cull/surface/triangle_features.h"
#include "cull/volume/expand.h"
#include "cull/volume/intact.h"
#include "search/element_tree.h"
#include "search/narrow_phase.h"
#include "search/preset.h"

enum {
    PIECES = 1024, // of the search: fixed, so that they are the same for any number of threads
    ROUND = 1024,  // orphans, or single cells, a round
    BUFFER = 4096  // pairs of features of one kind that are handed on together
};

typedef struct flow {
    uint64_t in, out;
    double seconds;
} flow;

typedef struct volumes {
    const toc_step *step;
    const toc_element_tree *volume;
    toc_expander expander;
    double separation;
    toc_arena arena; // of the workers
    toc_element_tree_update update;
    bool hashes;
    toc_node_pairs pieces; // where there is a tree
    size_t piece_count;
    toc_narrow_phase testers;
    struct worker *workers;
} volumes;

static bool uses_osets(uint32_t skip) { return !(skip & (TOC_SKIP_ASSIGNMENT | TOC_SKIP_DYNAMIC_ASSIGNMENT)); }

// What a thread gathers beside its tester.
typedef struct worker {
    const volumes *all;
    toc_narrow_worker *tester;
    uint64_t visited;
    double seconds;                          // the whole search
    flow elements, intact, orphans, axes[2]; // axes by kind
    double expand_seconds;
    toc_expansion expansion;
    size_t leaf_count;
    toc_leaf_pair leaves[TOC_LEAF_PAIRS];
    uint32_t young; // that meets the others
    size_t kept_count;
    toc_cell_pair kept[TOC_LEAF_PAIRS];
} worker;

// ---- pairs of features

// Leave out pairs that an axis keeps apart. @return how many remain.
static size_t cull_by_axes(const volumes *v, toc_kind kind, toc_feature_pair *pairs, size_t count) {
    const toc_step *step = v->step;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        double x0[4][3], x1[4][3];
        for (int j = 0; j < 4; j++) {
            memcpy(x0[j], step->x0 + 3 * (size_t)pairs[i].v[j], sizeof x0[j]);
            memcpy(x1[j], step->x1 + 3 * (size_t)pairs[i].v[j], sizeof x1[j]);
        }
        toc_moving moving;
        toc_moving_set(&moving, 4, (const double(*)[3])x0, (const double(*)[3])x1);
        pairs[kept] = pairs[i];
        kept += !toc_feature_cull(kind, &moving, v->separation);
    }
    return kept;
}

static toc_status hand_on(worker *w, toc_kind kind) {
    toc_feature_pair *pairs = w->expansion.pairs[kind];
    size_t count = w->expansion.pair_count[kind];
    const double start = toc_seconds();
    w->expansion.pair_count[kind] = 0;
    if (!(w->all->expander.skip & TOC_SKIP_FEATURE_AXES)) {
        w->axes[kind].in += count;
        count = cull_by_axes(w->all, kind, pairs, count);
        w->axes[kind].out += count;
        w->axes[kind].seconds += toc_seconds() - start;
    }
    return toc_narrow_worker_ask(w->tester, kind, pairs, count);
}

static toc_status hand_on_both(worker *w) {
    TOC_TRY(hand_on(w, TOC_VF));
    return hand_on(w, TOC_EE);
}

// The pairs of features of the pairs of cells that were kept.
static toc_status expand_kept(worker *w) {
    toc_expansion *x = &w->expansion;
    double start = toc_seconds();
    for (size_t i = 0; i < w->kept_count; i++) {
        toc_expand_cells(x, w->kept[i].a, w->kept[i].b);
        if (x->pair_count[TOC_VF] + TOC_CELL_PAIRS <= BUFFER && x->pair_count[TOC_EE] + TOC_CELL_PAIRS <= BUFFER)
            continue;
        w->expand_seconds += toc_seconds() - start;
        TOC_TRY(hand_on_both(w));
        start = toc_seconds();
    }
    w->kept_count = 0;
    w->expand_seconds += toc_seconds() - start;
    return hand_on_both(w);
}

// ---- pairs of elements

static TOC_INLINE bool is_kept(const volumes *v, int fours, uint32_t a, uint32_t b) {
    const toc_leaves *leaves = &v->volume->leaves;
    if (toc_ids_share(toc_leaf_ids(leaves, a), fours, toc_leaf_ids(leaves, b), fours))
        return !uses_osets(v->expander.skip);
    if (v->expander.skip & TOC_SKIP_ELEMENT_AXES) return true;
    return !toc_csat_apart(&v->volume->csat, fours, toc_leaf_vertex4s(leaves, a), toc_leaf_vertex4s(leaves, b));
}

static TOC_INLINE void keep_pairs(worker *w, int fours, const toc_leaf_pair *pairs, size_t count) {
    const toc_element_tree *volume = w->all->volume;
    for (size_t i = 0; i < count; i++) {
        if (!is_kept(w->all, fours, pairs[i].a, pairs[i].b)) continue;
        const uint32_t a = volume->leaf_cells[pairs[i].a], b = volume->leaf_cells[pairs[i].b];
        if (!volume->cells.at[a].corners || !volume->cells.at[b].corners) continue; // ghosts
        w->kept[w->kept_count++] = (toc_cell_pair){a, b};
    }
}

static toc_status take_leaf_pairs(void *user, const toc_leaf_pair *pairs, size_t count) {
    worker *w = user;
    const double start = toc_seconds();
    w->all->volume->leaves.fours == 1 ? keep_pairs(w, 1, pairs, count) : keep_pairs(w, 2, pairs, count);
    w->elements.in += count;
    w->elements.out += w->kept_count;
    w->elements.seconds += toc_seconds() - start;
    return expand_kept(w);
}

// ---- young elements, which are not in the tree

static toc_status meet(void *user, uint32_t leaf) {
    worker *w = user;
    w->leaves[w->leaf_count++] = (toc_leaf_pair){w->young, leaf};
    if (w->leaf_count < TOC_LEAF_PAIRS) return TOC_OK;
    w->leaf_count = 0;
    return take_leaf_pairs(w, w->leaves, TOC_LEAF_PAIRS);
}

static bool dops_overlap(const toc_dop_kind *kind, const float *a, const float *b) {
    return kind->lanes == 8 ? toc_dops_overlap(a, b, 8) : toc_dops_overlap(a, b, 16);
}

// Against the tree, and against younger ones.
static toc_status search_young(worker *w, uint32_t young) {
    const toc_element_tree *volume = w->all->volume;
    const size_t floats = toc_dop_floats(&volume->kind);
    const float *dop = volume->cell_dops + young * floats;
    w->young = young;
    TOC_TRY(toc_bvh_find(&volume->bvh, dop, meet, w, &w->visited));
    for (uint32_t other = young + 1; other < volume->live_count; other++)
        if (dops_overlap(&volume->kind, volume->cell_dops + other * floats, dop)) TOC_TRY(meet(w, other));
    const size_t count = w->leaf_count;
    w->leaf_count = 0;
    return take_leaf_pairs(w, w->leaves, count);
}

// ---- what the tree does not find: orphans, or the features of one cell

static size_t rounds_of(size_t count) { return (count + ROUND - 1) / ROUND; }

// Cells that keep their shape have no contacts of their own.
static toc_status ask_inner(worker *w, uint32_t cell) {
    const volumes *v = w->all;
    const toc_cell *of = &v->volume->cells.at[cell];
    toc_expansion *x = &w->expansion;
    const bool all = v->expander.skip & TOC_SKIP_FEATURE_DOPS;
    if (of->corners < 4) return TOC_OK; // a ghost, or all its features share vertices
    w->intact.in++;
    if (!all && !v->step->control &&
        toc_element_is_intact((toc_shape)of->shape, of->v, v->step->x0, v->step->x1, v->separation))
        return TOC_OK;
    w->intact.out++;
    toc_expand_inner(x, cell);
    const bool full =
        x->pair_count[TOC_VF] + TOC_CELL_PAIRS > BUFFER || x->pair_count[TOC_EE] + TOC_CELL_PAIRS > BUFFER;
    return full ? hand_on_both(w) : TOC_OK;
}

static toc_status ask_inner_round(worker *w, size_t round) {
    const toc_element_tree *volume = w->all->volume;
    const double start = toc_seconds(), others = w->axes[0].seconds + w->axes[1].seconds + w->tester->seconds;
    for (size_t i = round * ROUND; i < volume->live_count && i < (round + 1) * ROUND; i++)
        TOC_TRY(ask_inner(w, volume->leaf_cells[i]));
    TOC_TRY(hand_on_both(w));
    w->intact.seconds +=
        toc_seconds() - start - (w->axes[0].seconds + w->axes[1].seconds + w->tester->seconds - others);
    return TOC_OK;
}

static const toc_orphan_list *orphans_of(const volumes *v, uint32_t body, toc_kind kind) {
    const toc_orphan_pairs *oset = &v->volume->osets[body];
    return kind == TOC_VF ? &oset->vf : &oset->ee;
}

static toc_status ask_orphans_of(worker *w, uint32_t body, toc_kind kind, uint32_t first) {
    const toc_orphan_list *orphans = orphans_of(w->all, body, kind);
    toc_expansion *x = &w->expansion;
    size_t count;
    const uint32_t *seconds = toc_adjacency_items(&orphans->seconds, first, &count);
    for (size_t i = 0; i < count; i++) {
        w->orphans.in++;
        w->orphans.out += toc_expand_orphan(x, body, kind, (toc_orphan){first, seconds[i]});
        if (x->pair_count[kind] == x->room) TOC_TRY(hand_on(w, kind));
    }
    return TOC_OK;
}

static toc_status ask_orphans(worker *w, uint32_t body, toc_kind kind, size_t round) {
    const size_t count = orphans_of(w->all, body, kind)->seconds.runs.count;
    const double start = toc_seconds(), axes = w->axes[kind].seconds, test = w->tester->seconds;
    for (size_t i = round * ROUND; i < count && i < (round + 1) * ROUND; i++)
        TOC_TRY(ask_orphans_of(w, body, kind, (uint32_t)i));
    w->orphans.seconds += toc_seconds() - start - (w->axes[kind].seconds - axes) - (w->tester->seconds - test);
    return hand_on(w, kind);
}

static size_t orphan_rounds(const volumes *v, uint32_t body, toc_kind kind) {
    const toc_orphan_list *orphans = orphans_of(v, body, kind);
    return orphans->count ? rounds_of(orphans->seconds.runs.count) : 0;
}

static toc_status ask_orphan_round(worker *w, size_t round) {
    const size_t inner = rounds_of(w->all->volume->live_count);
    if (round < inner) return ask_inner_round(w, round);
    round -= inner;
    for (uint32_t body = 0;; body++)
        for (int kind = TOC_VF; kind <= TOC_EE; kind++) {
            const size_t rounds = orphan_rounds(w->all, body, (toc_kind)kind);
            if (round < rounds) return ask_orphans(w, body, (toc_kind)kind, round);
            round -= rounds;
        }
}

static toc_status ask_single_cells(worker *w, size_t round) {
    const toc_element_tree *volume = w->all->volume;
    for (size_t i = round * ROUND; i < volume->live_count && i < (round + 1) * ROUND; i++) {
        if (!volume->cells.at[volume->live[i]].corners) continue; // a ghost
        w->kept[w->kept_count++] = (toc_cell_pair){volume->live[i], volume->live[i]};
    }
    return expand_kept(w);
}

static size_t other_rounds(const volumes *v) {
    size_t rounds = rounds_of(v->volume->live_count);
    if (!uses_osets(v->expander.skip)) return rounds;
    for (uint32_t body = 0; body < v->volume->cells.body_count; body++)
        rounds += orphan_rounds(v, body, TOC_VF) + orphan_rounds(v, body, TOC_EE);
    return rounds;
}

// ---- all together

static toc_status search_hash(worker *w, size_t piece) {
    toc_hash_search search = {
        .hash = &w->all->volume->hash, .overlap = TOC_HASH_DOPS, .take = take_leaf_pairs, .user = w};
    TOC_TRY(toc_hash_run(&search, piece));
    w->visited += search.counts.voxel_pairs;
    return TOC_OK;
}

static toc_status search_piece(worker *w, size_t index) {
    const volumes *v = w->all;
    if (index >= v->piece_count + toc_element_tree_young(v->volume)) {
        index -= v->piece_count + toc_element_tree_young(v->volume);
        return (uses_osets(v->expander.skip) ? ask_orphan_round : ask_single_cells)(w, index);
    }
    if (index >= v->piece_count) return search_young(w, (uint32_t)(v->volume->bvh.count + index - v->piece_count));
    if (v->hashes) return search_hash(w, index);
    return toc_bvh_search(&v->volume->bvh, &(toc_bvh_scope){0}, v->pieces.at[index], take_leaf_pairs, w, &w->visited);
}

static toc_status run_round(void *user, size_t index, int thread) {
    volumes *v = user;
    worker *w = &v->workers[thread];
    const double start = toc_seconds();
    if (!toc_narrow_worker_begin(w->tester, index)) return TOC_OK;
    TOC_TRY(search_piece(w, index));
    toc_narrow_worker_end(w->tester);
    w->seconds += toc_seconds() - start;
    return TOC_OK;
}

static toc_status hire(volumes *v) {
    const int count = v->testers.count;
    v->workers = toc_arena_new(&v->arena, (size_t)count, sizeof *v->workers);
    if (!v->workers) return TOC_OUT_OF_MEMORY;
    for (int i = 0; i < count; i++) {
        worker *w = &v->workers[i];
        *w = (worker){.all = v, .tester = &v->testers.at[i]};
        TOC_TRY(toc_expansion_make(&v->arena, &v->expander, BUFFER, &w->expansion));
    }
    return TOC_OK;
}

static void add_flow(toc_stage *stage, const flow *f, int threads) {
    stage->in += f->in;
    stage->out += f->out;
    stage->seconds += f->seconds / threads;
}

static toc_status answer(const volumes *v, toc_contacts **out) {
    const toc_element_tree *volume = v->volume;
    enum {
        FOLLOW,
        BOUND,
        BUILD,
        SEARCH,
        ELEMENTS,
        INTACT,
        ORPHANS,
        FEATURES_VF,
        FEATURES_EE,
        ASSIGN_VF,
        ASSIGN_EE,
        AXES_VF,
        AXES_EE,
        STAGES
    };
    toc_stage stages[STAGES] = {{"follow", v->update.edited, v->update.work, v->update.follow_seconds},
                                {"bound", volume->live_count, volume->live_count, v->update.bound_seconds},
                                {"build", volume->live_count, v->update.rebuilt, v->update.build_seconds},
                                {.name = "search"},
                                {.name = "elements"},
                                {.name = "intact"},
                                {.name = "orphans"},
                                {.name = "features VF"},
                                {.name = "features EE"},
                                {.name = "assign VF"},
                                {.name = "assign EE"},
                                {.name = "axes VF"},
                                {.name = "axes EE"}};
    const int threads = v->testers.count;
    for (int i = 0; i < threads; i++) {
        const worker *w = &v->workers[i];
        const double rest = w->seconds - w->elements.seconds - w->intact.seconds - w->orphans.seconds -
                            w->expand_seconds - w->axes[0].seconds - w->axes[1].seconds - w->tester->seconds -
                            w->tester->filter_seconds;
        add_flow(&stages[SEARCH], &(flow){w->visited, w->elements.in, rest}, threads);
        add_flow(&stages[ELEMENTS], &w->elements, threads);
        add_flow(&stages[INTACT], &w->intact, threads);
        add_flow(&stages[ORPHANS], &w->orphans, threads);
        for (int kind = 0; kind < 2; kind++) {
            const toc_expand_counts *c = &w->expansion.counts[kind];
            // Features are compared and assigned in one go: half of the time for either kind.
            add_flow(&stages[FEATURES_VF + kind], &(flow){c->in, c->overlapping, w->expand_seconds / 2}, threads);
            add_flow(&stages[ASSIGN_VF + kind], &(flow){c->overlapping, c->out, 0}, threads);
            add_flow(&stages[AXES_VF + kind], &w->axes[kind], threads);
        }
    }
    const bool axes = !(v->expander.skip & TOC_SKIP_FEATURE_AXES);
    return toc_narrow_phase_answer(&v->testers, stages, axes ? STAGES : AXES_VF, out);
}

static toc_status find(volumes *v, const toc_query *query, toc_contacts **out) {
    if (!v->hashes) TOC_TRY(toc_bvh_split(&v->volume->bvh, PIECES, &v->pieces));
    v->piece_count = v->hashes ? toc_hash_pieces(&v->volume->hash) : v->pieces.count;
    TOC_TRY(hire(v));
    TOC_TRY(toc_loop_run(&(toc_loop){.count = v->piece_count + toc_element_tree_young(v->volume) + other_rounds(v),
                                     .threads = v->testers.count,
                                     .progress = &query->progress,
                                     .round = run_round,
                                     .user = v}));
    return answer(v, out);
}

toc_status toc_elements_find(const toc_preset *preset, toc_scene *scene, const toc_query *query, toc_contacts **out) {
    volumes v = {.step = &scene->step,
                 .arena = toc_arena_make(&scene->allocator),
                 .hashes = preset->hashes,
                 .separation = query->test.separation + query->test.tolerance};
    // Axes and shapes are proven apart and whole on straight paths.
    const uint32_t straight = scene->step.control ? TOC_SKIP_ELEMENT_AXES | TOC_SKIP_FEATURE_AXES : 0;
    const uint32_t skip = preset->skip | query->skip | straight;
    const toc_method method = toc_preset_method(preset, query);
    const int threads = toc_threads_resolve(query->threads);
    toc_element_tree_form form = {
        .separation = v.separation, .surface_only = query->surface_only, .osets = uses_osets(skip), .hashes = v.hashes};
    toc_status status = toc_dop_kind_make(preset->dop, &form.kind);
    if (status == TOC_OK) status = toc_narrow_phase_make(scene, query, method, threads, &v.testers);
    if (status == TOC_OK) status = toc_narrow_phase_pack(&v.testers);
    v.testers.repeats = skip & TOC_SKIP_ASSIGNMENT;
    if (status == TOC_OK) status = toc_element_tree_fit(scene, &form, threads, &v.update);
    if (status == TOC_OK) {
        v.volume = scene->volume;
        v.expander = (toc_expander){.cells = &scene->volume->cells,
                                    .kind = &scene->volume->kind,
                                    .vertex_dops = scene->volume->vertex_dops,
                                    .surface_only = query->surface_only,
                                    .skip = skip};
        status = find(&v, query, out);
    }
    toc_narrow_phase_free(&v.testers);
    toc_array_free(&scene->allocator, &v.pieces);
    toc_arena_free(&v.arena);
    return status;
}
