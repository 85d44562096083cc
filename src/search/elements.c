// SPDX-License-Identifier: Apache-2.0
// Contacts of volume elements, inside and outside: elements whose DOPs overlap and that no axis separates, then the
// pairs of features that are assigned to them.
//
// Every pair of features is assigned to one pair of elements that have it, or is an orphan pair
// (cull/volume/assignment.h), and the stages drop no pair that could touch (cull/volume/csat.h): each pair of features
// that could touch reaches the test once (docs/guarantees.md, G1). Without assignment it may come several times, and is
// kept once. After Tang et al. 2011, "VolCCD".
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "cull/surface/triangle_features.h"
#include "cull/volume/expand.h"
#include "cull/volume/intact.h"
#include "scene/scene.h"
#include "search/element_tree.h"
#include "search/pipeline.h"
#include "search/search.h"

enum {
    ELEMENT_ROUND = 1024, // orphan pairs, or single cells, a round
    ELEMENT_BUFFER = 4096 // pairs of features of one kind that are passed on together
};

// The stages. Features are compared and assigned by one function, which counts for two rows of each kind.
enum { ELEMENTS, INTACT, ORPHANS, FEATURES_VF, FEATURES_EE, ASSIGN_VF, ASSIGN_EE, AXES_VF, AXES_EE, ELEMENT_STAGES };

static const double EARLY = 0x1p-4; // the part of a step that is tried for a first contact

// A query of the elements: pipeline->elements.
typedef struct toc_element_query {
    toc_element_tree_form form;
    toc_expander expander;
    toc_feature_csat axes; // of features and elements, as published
    double *cut;           // TOC_ANSWER_FIRST: positions at the end of the part of the step that is bounded
    toc_node_pairs pieces; // of the tree, where there is one
    size_t piece_count;
    bool worlds; // whether the scene has any
    size_t done; // the first pieces, which a guess has searched
} element_query;

// The data of one thread: worker->elements.
typedef struct toc_element_worker {
    toc_expansion expansion;
    size_t round;   // of single cells, or of orphan pairs
    uint32_t body;  // of the orphan pairs,
    toc_kind kind;  // and their kind
    uint32_t young; // the young leaf that is searched
    size_t leaf_count;
    toc_leaf_pair leaves[TOC_LEAF_PAIRS]; // pairs of young leaves
    size_t kept_count;
    toc_cell_pair kept[TOC_LEAF_PAIRS];
} element_worker;

static toc_element_tree *element_tree_of(const toc_pipeline *p) {
    assert(*p->index && (*p->index)->type == &toc_element_tree_type);
    return (toc_element_tree *)*p->index;
}

// As published, features of an element are separated from the other element; ours separates whole elements.
static bool tries_feature_csat(const toc_pipeline *p) {
    return p->request->preset->published && !(p->skip & TOC_SKIP_ELEMENT_AXES);
}

static bool uses_orphans(uint32_t skip) { return !(skip & (TOC_SKIP_ASSIGNMENT | TOC_SKIP_DYNAMIC_ASSIGNMENT)); }

// ---- pairs of features

static void set_moving(const double *start, const double *end, const toc_feature_pair *pair, toc_moving *moving) {
    double x0[4][3], x1[4][3];
    for (int j = 0; j < 4; j++) {
        memcpy(x0[j], start + 3 * (size_t)pair->v[j], sizeof x0[j]);
        memcpy(x1[j], end + 3 * (size_t)pair->v[j], sizeof x1[j]);
    }
    toc_moving_set(moving, 4, (const double(*)[3])x0, (const double(*)[3])x1);
}

static bool axis_separates(const toc_pipeline *p, toc_kind kind, const toc_feature_pair *pair) {
    const toc_step *step = p->step;
    const bool published = p->request->preset->published;
    const toc_element_tree_form *form = &p->elements->form;
    toc_curved path;
    set_moving(step->x0, form->x1, pair, &path.ends);
    if (!step->control)
        return (published ? toc_feature_cull_along_normal : toc_feature_cull)(kind, &path.ends, form->separation);
    set_moving(step->control, step->control, pair, &path.control);
    return (published ? toc_feature_cull_curved_along_normal : toc_feature_cull_curved)(kind, &path, p->distance);
}

// Drop pairs with a separating axis. The batch is that of the expansion, so the rest stays in it.
static toc_status run_feature_axes(toc_worker *w, size_t stage, const toc_batch *batch) {
    toc_feature_pair *pairs = w->elements->expansion.pairs[batch->kind];
    size_t kept = 0;
    for (size_t i = 0; i < batch->count; i++)
        if (!axis_separates(w->pipeline, batch->kind, &pairs[i])) pairs[kept++] = pairs[i];
    w->stages[stage].in += batch->count;
    w->stages[stage].out += kept;
    return toc_worker_pass(w, ELEMENT_STAGES, &(toc_batch){.count = kept, .features = pairs, .kind = batch->kind});
}

// Pass on the expanded pairs of a kind; to the narrow phase where axes are left out.
static toc_status pass_expanded(toc_worker *w, toc_kind kind) {
    toc_expansion *x = &w->elements->expansion;
    const toc_batch batch = {.count = x->pair_count[kind], .features = x->pairs[kind], .kind = kind};
    x->pair_count[kind] = 0;
    return toc_worker_pass(w, AXES_VF + (size_t)kind, &batch);
}

static toc_status pass_both_kinds(toc_worker *w) {
    TOC_TRY(pass_expanded(w, TOC_VF));
    return pass_expanded(w, TOC_EE);
}

static bool expansion_is_full(const toc_expansion *x) {
    return x->pair_count[TOC_VF] + TOC_CELL_PAIRS > ELEMENT_BUFFER ||
           x->pair_count[TOC_EE] + TOC_CELL_PAIRS > ELEMENT_BUFFER;
}

static toc_status run_expansion(toc_worker *w, size_t stage, const toc_batch *batch) {
    toc_expansion *x = &w->elements->expansion;
    (void)stage;
    for (size_t i = 0; i < batch->count; i++) {
        toc_expand_cells(x, batch->cells[i].a, batch->cells[i].b);
        if (expansion_is_full(x)) TOC_TRY(pass_both_kinds(w));
    }
    return pass_both_kinds(w);
}

// ---- worlds, which touch neither themselves nor each other

static bool is_of_world(const toc_pipeline *p, uint32_t cell) {
    return p->request->scene->bodies.at[element_tree_of(p)->cells.at[cell].body].world != NULL;
}

static bool are_of_worlds(const toc_pipeline *p, toc_leaf_pair pair) {
    const uint32_t *cells = element_tree_of(p)->leaf_cells;
    return is_of_world(p, cells[pair.a]) && is_of_world(p, cells[pair.b]);
}

// ---- pairs of elements

// The facts about a query that decide about each pair of leaves, read once a batch.
typedef struct leaf_rule {
    toc_leaves leaves;
    const toc_csat *csat; // NULL to try no axes
    bool keeps_neighbours;
} leaf_rule;

static TOC_INLINE bool leaves_stay(const leaf_rule *rule, int fours, toc_leaf_pair pair) {
    const toc_leaves *leaves = &rule->leaves;
    if (toc_ids_share(toc_leaf_ids(leaves, pair.a), fours, toc_leaf_ids(leaves, pair.b), fours))
        return rule->keeps_neighbours;
    if (!rule->csat) return true;
    return !toc_csat_apart(rule->csat, fours, toc_leaf_vertex4s(leaves, pair.a), toc_leaf_vertex4s(leaves, pair.b));
}

static TOC_INLINE void keep_cell_pairs(toc_worker *w, int fours, const toc_batch *batch) {
    const toc_pipeline *p = w->pipeline;
    const toc_element_tree *tree = element_tree_of(p);
    const bool axes = !(p->skip & TOC_SKIP_ELEMENT_AXES) && !p->request->preset->published;
    const leaf_rule rule = {.leaves = {fours, tree->leaves.curved, tree->leaves.at},
                            .csat = axes ? &tree->csat : NULL,
                            .keeps_neighbours = !uses_orphans(p->skip)};
    const bool worlds = p->elements->worlds;
    element_worker *own = w->elements;
    assert(fours == tree->leaves.fours);
    for (size_t i = 0; i < batch->count; i++) {
        if (worlds && are_of_worlds(p, batch->leaves[i])) continue;
        if (!leaves_stay(&rule, fours, batch->leaves[i])) continue;
        const uint32_t a = tree->leaf_cells[batch->leaves[i].a], b = tree->leaf_cells[batch->leaves[i].b];
        if (!tree->cells.at[a].corners || !tree->cells.at[b].corners) continue; // ghosts
        assert(own->kept_count < TOC_LEAF_PAIRS);
        own->kept[own->kept_count++] = (toc_cell_pair){a, b};
    }
}

static toc_status pass_kept_cells(toc_worker *w) {
    element_worker *own = w->elements;
    const toc_batch batch = {.count = own->kept_count, .cells = own->kept};
    own->kept_count = 0;
    return toc_worker_pass(w, FEATURES_VF, &batch);
}

static toc_status run_element_axes(toc_worker *w, size_t stage, const toc_batch *batch) {
    const element_worker *own = w->elements;
    assert(batch->count <= TOC_LEAF_PAIRS && own->kept_count == 0);
    if (element_tree_of(w->pipeline)->leaves.fours == 1)
        keep_cell_pairs(w, 1, batch);
    else
        keep_cell_pairs(w, 2, batch);
    w->stages[stage].in += batch->count;
    w->stages[stage].out += own->kept_count;
    return pass_kept_cells(w);
}

// ---- young elements, which are not in the tree

static toc_status take_young_pairs(toc_worker *w) {
    element_worker *own = w->elements;
    const size_t count = own->leaf_count;
    own->leaf_count = 0;
    return toc_worker_take_leaves(w, own->leaves, count);
}

static toc_status meet_leaf(void *user, uint32_t leaf) {
    toc_worker *w = user;
    element_worker *own = w->elements;
    own->leaves[own->leaf_count++] = (toc_leaf_pair){own->young, leaf};
    return own->leaf_count < TOC_LEAF_PAIRS ? TOC_OK : take_young_pairs(w);
}

static bool cell_dops_overlap(const toc_dop_kind *kind, const float *a, const float *b) {
    return kind->lanes == 8 ? toc_dops_overlap(a, b, 8) : toc_dops_overlap(a, b, 16);
}

// Search a young element against the tree, and against younger ones.
static toc_status search_young(toc_worker *w, uint32_t young) {
    const toc_element_tree *tree = element_tree_of(w->pipeline);
    const size_t floats = toc_dop_floats(&tree->kind);
    const float *dop = tree->cell_dops + young * floats;
    w->elements->young = young;
    TOC_TRY(toc_bvh_find(&tree->bvh, dop, meet_leaf, w, &w->search.in));
    for (uint32_t other = young + 1; other < tree->live_count; other++)
        if (cell_dops_overlap(&tree->kind, tree->cell_dops + other * floats, dop)) TOC_TRY(meet_leaf(w, other));
    return take_young_pairs(w);
}

// ---- pairs that no search finds: features of one cell, and orphan pairs

static size_t element_rounds_of(size_t count) { return (count + ELEMENT_ROUND - 1) / ELEMENT_ROUND; }

static size_t element_round_end(size_t round, size_t count) {
    return (round + 1) * ELEMENT_ROUND < count ? (round + 1) * ELEMENT_ROUND : count;
}

// Cells that keep their shape have no contacts of their own. Parabolic paths are not covered by that proof.
static bool cell_stays_intact(const toc_pipeline *p, const toc_cell *cell) {
    if (p->skip & TOC_SKIP_INTACT || p->step->control) return false;
    return toc_element_is_intact((toc_shape)cell->shape, cell->v, p->step->x0, p->step->x1, p->distance);
}

// A round of cells with themselves.
static toc_status run_intact(toc_worker *w, size_t stage, const toc_batch *batch) {
    const toc_element_tree *tree = element_tree_of(w->pipeline);
    element_worker *own = w->elements;
    (void)batch;
    for (size_t i = own->round * ELEMENT_ROUND; i < element_round_end(own->round, tree->live_count); i++) {
        const uint32_t cell = tree->leaf_cells[i];
        if (tree->cells.at[cell].corners < 4) continue; // a ghost, or all its features share vertices
        if (is_of_world(w->pipeline, cell)) continue;
        w->stages[stage].in++;
        if (cell_stays_intact(w->pipeline, &tree->cells.at[cell])) continue;
        w->stages[stage].out++;
        toc_expand_inner(&own->expansion, cell);
        if (expansion_is_full(&own->expansion)) TOC_TRY(pass_both_kinds(w));
    }
    return pass_both_kinds(w);
}

static const toc_orphan_list *orphans_of(const toc_pipeline *p, uint32_t body, toc_kind kind) {
    assert(body < element_tree_of(p)->cells.body_count && element_tree_of(p)->has_orphans);
    const toc_orphan_pairs *pairs = &element_tree_of(p)->orphan_pairs[body];
    return kind == TOC_VF ? &pairs->vf : &pairs->ee;
}

static toc_status expand_orphans_of(toc_worker *w, size_t stage, uint32_t first) {
    element_worker *own = w->elements;
    toc_expansion *x = &own->expansion;
    size_t count;
    const uint32_t *seconds =
        toc_adjacency_items(&orphans_of(w->pipeline, own->body, own->kind)->seconds, first, &count);
    for (size_t i = 0; i < count; i++) {
        w->stages[stage].in++;
        w->stages[stage].out += toc_expand_orphan(x, own->body, own->kind, (toc_orphan){first, seconds[i]});
        if (x->pair_count[own->kind] == x->room) TOC_TRY(pass_expanded(w, own->kind));
    }
    return TOC_OK;
}

// A round of orphan pairs.
static toc_status run_orphans(toc_worker *w, size_t stage, const toc_batch *batch) {
    const element_worker *own = w->elements;
    const size_t count = orphans_of(w->pipeline, own->body, own->kind)->seconds.runs.count;
    (void)batch;
    for (size_t i = own->round * ELEMENT_ROUND; i < element_round_end(own->round, count); i++)
        TOC_TRY(expand_orphans_of(w, stage, (uint32_t)i));
    return pass_expanded(w, own->kind);
}

static size_t orphan_rounds_of(const toc_pipeline *p, uint32_t body, toc_kind kind) {
    const toc_orphan_list *orphans = orphans_of(p, body, kind);
    return orphans->count ? element_rounds_of(orphans->seconds.runs.count) : 0;
}

static toc_status search_orphans(toc_worker *w, size_t round) {
    element_worker *own = w->elements;
    const size_t bodies = element_tree_of(w->pipeline)->cells.body_count;
    for (own->body = 0; own->body < bodies; own->body++)
        for (int kind = TOC_VF; kind <= TOC_EE; kind++) {
            const size_t rounds = orphan_rounds_of(w->pipeline, own->body, (toc_kind)kind);
            own->kind = (toc_kind)kind;
            own->round = round;
            if (round < rounds) return toc_worker_run(w, ORPHANS, &(toc_batch){.count = 0});
            round -= rounds;
        }
    return TOC_OK;
}

// Without orphan pairs, all features of one cell are pairs.
static toc_status search_single_cells(toc_worker *w, size_t round) {
    const toc_element_tree *tree = element_tree_of(w->pipeline);
    element_worker *own = w->elements;
    for (size_t i = round * ELEMENT_ROUND; i < element_round_end(round, tree->live_count); i++)
        if (tree->cells.at[tree->live[i]].corners && !is_of_world(w->pipeline, tree->live[i])) // and no ghost
            own->kept[own->kept_count++] = (toc_cell_pair){tree->live[i], tree->live[i]};
    return pass_kept_cells(w);
}

static toc_status search_cells_and_orphans(toc_worker *w, size_t round) {
    const size_t cells = element_rounds_of(element_tree_of(w->pipeline)->live_count);
    if (!uses_orphans(w->pipeline->skip)) return search_single_cells(w, round);
    if (round >= cells) return search_orphans(w, round - cells);
    w->elements->round = round;
    return toc_worker_run(w, INTACT, &(toc_batch){.count = 0});
}

// ---- the index

static toc_status fit_elements_to_form(toc_pipeline *p, bool *changed) {
    element_query *q = p->elements;
    bool followed;
    TOC_TRY(toc_element_tree_fit(p, &q->form, &followed));
    *changed = *changed || followed;
    const toc_element_tree *tree = element_tree_of(p);
    q->expander = (toc_expander){.cells = &tree->cells,
                                 .kind = &tree->kind,
                                 .vertex_dops = tree->vertex_dops,
                                 .surface_only = p->request->query.surface_only,
                                 .skip = p->skip,
                                 .axes = tries_feature_csat(p) ? &q->axes : NULL};
    q->axes = (toc_feature_csat){p->step->x0, q->form.x1, p->step->control, q->form.separation};
    return TOC_OK;
}

// ---- TOC_ANSWER_FIRST: bounds of the part of the step that may matter

// Bound up to a time. With u = 2^-53 and coordinates of at most M, the error of a position at that time is 4 u M; two
// features come closer by twice that.
static void cut_form(toc_pipeline *p, double until) {
    element_query *q = p->elements;
    const toc_step *step = p->step;
    double most = 0;
    for (size_t i = 0; i < 3 * step->vertex_count; i++) {
        q->cut[i] = (1 - until) * step->x0[i] + until * step->x1[i];
        most = toc_larger(most, toc_larger(fabs(step->x0[i]), fabs(step->x1[i])));
    }
    q->form.x1 = q->cut;
    q->form.separation = p->distance + 0x1p-49 * most;
}

// Search pieces of the tree until one has a contact in the bounded part of the step.
static toc_status guess_first_elements(toc_worker *w) {
    toc_pipeline *p = w->pipeline;
    element_query *q = p->elements;
    const toc_bvh *bvh = &element_tree_of(p)->bvh;
    TOC_TRY(toc_bvh_split(bvh, TOC_SEARCH_PIECES, &q->pieces));
    for (q->done = 0; q->done < q->pieces.count && p->narrow.window.to > EARLY; q->done++)
        TOC_TRY(
            toc_bvh_search(bvh, &(toc_bvh_scope){0}, q->pieces.at[q->done], toc_worker_take_leaves, w, &w->search.in));
    return TOC_OK;
}

// Bound the early part of the step. If a contact is found in it, nothing later matters, and the search goes on with
// these bounds. Else bound the whole step; at once if the last search found its contact late, or none.
static toc_status fit_elements_first(toc_pipeline *p, bool *changed) {
    element_query *q = p->elements;
    const toc_window *window = &p->narrow.window;
    if (p->kept->policy.first_is_late || window->from >= EARLY || window->to <= EARLY)
        return fit_elements_to_form(p, changed);
    q->cut = toc_arena_new(&p->arena, 3 * p->step->vertex_count, sizeof *q->cut);
    if (!q->cut) return TOC_OUT_OF_MEMORY;
    cut_form(p, EARLY);
    TOC_TRY(fit_elements_to_form(p, changed));
    TOC_TRY(toc_pipeline_search_alone(p, guess_first_elements));
    if (window->to <= EARLY) return TOC_OK;
    q->done = 0;
    q->form.x1 = p->step->x1;
    q->form.separation = p->distance;
    toc_expansion_forget(&p->workers->elements->expansion); // DOPs change
    return fit_elements_to_form(p, changed);
}

static toc_status fit_elements(toc_pipeline *p) {
    element_query *q = p->elements;
    const bool first = p->request->query.answer == TOC_ANSWER_FIRST && !p->step->control && !q->form.hashes;
    bool changed = false;
    TOC_TRY(toc_narrow_phase_pack(&p->narrow));
    q->form.x1 = p->step->x1;
    TOC_TRY((first ? fit_elements_first : fit_elements_to_form)(p, &changed));
    toc_policy_note_elements(&p->kept->policy, changed);
    return TOC_OK;
}

// Rounds of the tree or the hash, then of young elements, then of single cells and orphan pairs.
static toc_status split_elements(toc_pipeline *p, size_t *rounds) {
    element_query *q = p->elements;
    const toc_element_tree *tree = element_tree_of(p);
    if (!tree->hashes && q->done == 0) TOC_TRY(toc_bvh_split(&tree->bvh, TOC_SEARCH_PIECES, &q->pieces));
    q->piece_count = tree->hashes ? toc_hash_pieces(&tree->hash) : q->pieces.count - q->done;
    *rounds = q->piece_count + toc_element_tree_young(tree) + element_rounds_of(tree->live_count);
    for (uint32_t body = 0; body < tree->cells.body_count && uses_orphans(p->skip); body++)
        *rounds += orphan_rounds_of(p, body, TOC_VF) + orphan_rounds_of(p, body, TOC_EE);
    return TOC_OK;
}

static toc_status search_element_hash(toc_worker *w, size_t piece) {
    toc_hash_search search = {.hash = &element_tree_of(w->pipeline)->hash,
                              .overlap = TOC_HASH_DOPS,
                              .take = toc_worker_take_leaves,
                              .user = w};
    const toc_status status = toc_hash_run(&search, piece);
    w->search.in += search.counts.voxel_pairs;
    return status;
}

static toc_status search_elements(toc_worker *w, size_t round) {
    const element_query *q = w->pipeline->elements;
    const toc_element_tree *tree = element_tree_of(w->pipeline);
    const size_t young = toc_element_tree_young(tree);
    if (round >= q->piece_count + young) return search_cells_and_orphans(w, round - q->piece_count - young);
    if (round >= q->piece_count) return search_young(w, (uint32_t)(tree->bvh.count + round - q->piece_count));
    if (tree->hashes) return search_element_hash(w, round);
    return toc_bvh_search(&tree->bvh, &(toc_bvh_scope){0}, q->pieces.at[q->done + round], toc_worker_take_leaves, w,
                          &w->search.in);
}

static const toc_traversal element_traversal = {.split = split_elements, .visit = search_elements};

// ---- the way

static toc_status plan_elements(toc_pipeline *p) {
    static const toc_pipeline_stage stages[ELEMENT_STAGES] = {{"elements", run_element_axes},
                                                              {"intact", run_intact},
                                                              {"orphans", run_orphans},
                                                              {"features VF", run_expansion},
                                                              {"features EE", NULL},
                                                              {"assign VF", NULL},
                                                              {"assign EE", NULL},
                                                              {"axes VF", run_feature_axes},
                                                              {"axes EE", run_feature_axes}};
    element_query *q = toc_arena_new(&p->arena, 1, sizeof *q);
    if (!q) return TOC_OUT_OF_MEMORY;
    *q = (element_query){.form = {.separation = p->distance,
                                  .surface_only = p->request->query.surface_only,
                                  .orphans = uses_orphans(p->skip),
                                  .hashes = p->request->preset->hashes},
                         .worlds = toc_scene_has_worlds(p->request->scene)};
    p->elements = q;
    p->narrow.repeats = p->skip & TOC_SKIP_ASSIGNMENT;
    const int count = p->skip & TOC_SKIP_FEATURE_AXES ? AXES_VF : ELEMENT_STAGES;
    for (int i = 0; i < count; i++) toc_pipeline_add_stage(p, &stages[i]);
    return toc_dop_kind_make(toc_request_dop(p->request), &q->form.kind);
}

static toc_status hire_element_worker(toc_worker *w) {
    element_query *q = w->pipeline->elements;
    element_worker *own = toc_arena_new(&w->pipeline->arena, 1, sizeof *own);
    if (!own) return TOC_OUT_OF_MEMORY;
    memset(own, 0, sizeof *own);
    w->elements = own;
    return toc_expansion_make(&w->pipeline->arena, &q->expander, ELEMENT_BUFFER, &own->expansion);
}

// The expansion counts for itself; half of its time goes to either kind.
static toc_status count_expansions(toc_pipeline *p) {
    for (int i = 0; i < p->threads; i++) {
        toc_worker *w = &p->workers[i];
        const toc_expansion *x = &w->elements->expansion;
        const double seconds = w->stages[FEATURES_VF].seconds / 2;
        for (int kind = 0; kind < 2; kind++) {
            const toc_expand_counts *c = &x->counts[kind];
            w->stages[FEATURES_VF + kind] = (toc_stage_count){c->in, c->overlapping, seconds};
            w->stages[ASSIGN_VF + kind] = (toc_stage_count){c->overlapping, c->out, 0};
        }
        if (tries_feature_csat(p) && uses_orphans(p->skip)) w->stages[ELEMENTS].out = x->cells_left;
    }
    if (p->request->query.answer == TOC_ANSWER_FIRST)
        toc_policy_note_first(&p->kept->policy, p->narrow.window.to <= EARLY);
    return TOC_OK;
}

static void free_elements(toc_pipeline *p) {
    element_query *q = p->elements;
    if (q) toc_array_free(&p->request->scene->memory, &q->pieces);
}

const toc_way toc_elements_way = {.name = "elements",
                                  .search_name = "search",
                                  .slot = TOC_SLOT_ELEMENT_TREE,
                                  .traversal = &element_traversal,
                                  .fit = fit_elements,
                                  .input = TOC_INPUT_ELEMENTS,
                                  .curved = true,
                                  .plan = plan_elements,
                                  .hire = hire_element_worker,
                                  .finish = count_expansions,
                                  .free = free_elements};
