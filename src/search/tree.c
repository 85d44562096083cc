// SPDX-License-Identifier: Apache-2.0
// Contacts through the surface tree: primitives whose DOPs overlap, then the features they represent.
//
// Every DOP holds all of its feature's motion, and every feature has one representative, so each pair of features that
// could touch reaches the test once (docs/guarantees.md, G1). Memory is linear in the mesh.
#include "search/tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "scene/scene.h"
#include "search/search.h"
#include "search/surface_stages.h"

// ---- planning

// The leaves of the largest lower node. For the first contact, the lower layer of a preset that has one spans the
// whole tree.
static uint32_t lower_leaves_of(const toc_pipeline *p) {
    if (p->request->research.lower_height > 0) return UINT32_C(1) << p->request->research.lower_height;
    return p->request->query.answer == TOC_ANSWER_FIRST && p->request->preset->lower ? UINT32_MAX
                                                                                     : p->request->preset->lower;
}

static toc_surface_tree_form tree_form_of(const toc_pipeline *p, bool axes) {
    const toc_preset *preset = p->request->preset;
    // The prefilter of the certified test costs less than comparing DOPs of features.
    const bool bare = preset->culls_triangles || p->skip & TOC_SKIP_FEATURE_DOPS ||
                      (axes && toc_method_row_of(p->narrow.test.method)->in_lanes);
    return (toc_surface_tree_form){.thickness = p->distance / 2, // on either side
                                   .bare = bare,
                                   .settles = !preset->culls_triangles && !p->request->thrifty,
                                   .rings = axes && p->distance == 0,
                                   .lower_from = preset->lower_from,
                                   .lower = lower_leaves_of(p),
                                   .window = &p->narrow.window,
                                   .until = 1,
                                   .has_region = p->request->scene->has_region,
                                   .region = p->request->scene->region};
}

toc_status toc_tree_plan(toc_pipeline *pipeline) {
    toc_pipeline *p = pipeline;
    const bool axes = !(p->skip & TOC_SKIP_TRIANGLE_AXES);
    toc_tree_query *q = toc_arena_new(&p->arena, 1, sizeof *q);
    if (!q) return TOC_OUT_OF_MEMORY;
    *q = (toc_tree_query){.form = tree_form_of(p, axes)};
    p->tree = q;
    if (axes) toc_pipeline_add_stage(p, &toc_triangle_axes_stage);
    if (p->request->preset->culls_triangles)
        toc_triangle_culling_add(p);
    else
        toc_pipeline_add_stage(p, &toc_features_stage);
    return toc_dop_kind_make(toc_request_dop(p->request), &q->form.kind);
}

toc_status toc_tree_plan_question(toc_pipeline *pipeline, bool bare, double thickness) {
    toc_pipeline *p = pipeline;
    assert(thickness >= 0 && p->request->query.answer == TOC_ANSWER_ALL);
    toc_tree_query *q = toc_arena_new(&p->arena, 1, sizeof *q);
    if (!q) return TOC_OUT_OF_MEMORY;
    *q = (toc_tree_query){.form = {.thickness = thickness, .bare = bare, .window = &p->narrow.window, .until = 1}};
    p->tree = q;
    return toc_dop_kind_make(toc_request_dop(p->request), &q->form.kind);
}

toc_status toc_tree_part_neighbours(toc_pipeline *pipeline) {
    toc_tree_query *q = pipeline->tree;
    const size_t count = pipeline->step->vertex_count;
    assert(q && !q->form.rings);
    uint8_t *ties = toc_arena_new(&pipeline->arena, count, sizeof *ties);
    if (!ties) return TOC_OUT_OF_MEMORY;
    memset(ties, 1, count);
    q->ties = ties;
    return TOC_OK;
}

void toc_tree_free(toc_pipeline *pipeline) {
    toc_tree_query *q = pipeline->tree;
    if (q) toc_array_free(&pipeline->request->scene->memory, &q->pieces);
}

// ---- fitting

static void cull_tree_features(toc_worker *w, const toc_leaf_pair *pairs, size_t count) {
    const toc_surface_tree *tree = toc_tree_of(w->pipeline);
    (tree->form.bare ? toc_list_features : toc_cull_features)(&tree->represented, pairs, count, w->features);
}

static toc_status fit_tree_to(toc_pipeline *p, const toc_surface_tree_form *form) {
    TOC_TRY(toc_surface_tree_fit(p, form));
    const toc_surface_tree *tree = toc_tree_of(p);
    p->surface = (toc_surface_view){.corners = (const uint32_t(*)[3])tree->corners,
                                    .primitives = tree->bvh.order,
                                    .motion = &tree->motion,
                                    .cull = cull_tree_features};
    p->narrow.prefilter = toc_motion_prefilter(&tree->motion);
    return TOC_OK;
}

// Leave out pairs of triangles around a vertex whose ring is flat, or around any vertex.
static toc_bvh_scope tree_scope_of(const toc_pipeline *p) {
    const toc_surface_tree *tree = toc_tree_of(p);
    const toc_tree_query *q = p->tree;
    return (toc_bvh_scope){.window = &p->narrow.window,
                           .corners = (const uint32_t(*)[3])tree->corners,
                           .ties = tree->form.rings ? tree->flat : q->ties};
}

static toc_status search_tree_piece(toc_worker *w, toc_node_pair piece, toc_leaf_pairs_take *take) {
    const toc_bvh_scope scope = tree_scope_of(w->pipeline);
    assert(piece.a < toc_tree_of(w->pipeline)->bvh.node_count && piece.b < toc_tree_of(w->pipeline)->bvh.node_count);
    return toc_bvh_search(&toc_tree_of(w->pipeline)->bvh, &scope, piece, take, w, &w->search.in);
}

// ---- TOC_ANSWER_FIRST: bounds of the part of the step that may matter

enum { GUESS = 16 };                // the first guess searches one piece of this many
static const double EARLY = 0x1p-4; // swept bounds up to a contact before this cull better than moving ones

// Forget the counts of pairs that will be tested again.
static void clear_counts(toc_worker *w) {
    w->narrow->offered = w->narrow->asked = w->narrow->found = 0;
    w->search.in = w->search.out = 0;
    for (size_t i = 0; i < w->pipeline->stage_count; i++) w->stages[i].in = w->stages[i].out = 0;
    w->features->asked = 0;
}

// Search a few pieces for a contact in the bounded part of the step. A contact ends the window.
static toc_status guess_first(toc_worker *w) {
    toc_pipeline *p = w->pipeline;
    toc_tree_query *q = p->tree;
    const double until = toc_tree_of(p)->form.until;
    TOC_TRY(toc_bvh_split(&toc_tree_of(p)->bvh, TOC_SEARCH_PIECES, &q->pieces));
    for (size_t i = 0; i < q->pieces.count && p->narrow.window.to > until; i += GUESS)
        TOC_TRY(search_tree_piece(w, q->pieces.at[i], toc_worker_take_leaves));
    clear_counts(w);
    return TOC_OK;
}

// Skip the short-horizon bounds if the last step had no early contact, and for a new tree: bounds of the whole step
// overlap more than short ones, so nodes built over short ones would seem worn in later steps.
static toc_status fit_tree_first(toc_pipeline *p) {
    toc_surface_tree_form form = p->tree->form;
    const toc_window *window = form.window;
    if (*p->index && !p->kept->policy.first_is_late && window->from < TOC_SOON && window->to > TOC_SOON) {
        form.until = TOC_SOON;
        TOC_TRY(fit_tree_to(p, &form));
        TOC_TRY(toc_pipeline_search_alone(p, guess_first));
        if (window->to <= TOC_SOON) return TOC_OK;
        form.until = window->to < EARLY ? window->to : 1;
    }
    return fit_tree_to(p, &form);
}

toc_status toc_tree_fit(toc_pipeline *pipeline) {
    const toc_tree_query *q = pipeline->tree;
    const bool first = pipeline->request->query.answer == TOC_ANSWER_FIRST && !q->interior;
    return first ? fit_tree_first(pipeline) : fit_tree_to(pipeline, &q->form);
}

// ---- resting pairs

static bool tree_primitives_rest(const toc_index *index, toc_primitive_pair primitives) {
    const uint8_t *still = ((const toc_surface_tree *)index)->still;
    return still[primitives.a] != TOC_MOVES && still[primitives.b] != TOC_MOVES;
}

static bool tree_primitives_settled(const toc_index *index, toc_primitive_pair primitives) {
    const uint8_t *still = ((const toc_surface_tree *)index)->still;
    return still[primitives.a] == TOC_SETTLED && still[primitives.b] == TOC_SETTLED;
}

static toc_status search_resting_piece(toc_worker *w, size_t index) {
    const toc_tree_query *q = w->pipeline->tree;
    return search_tree_piece(w, q->pieces.at[index], toc_worker_take_leaves);
}

static toc_status settle_tree(toc_pipeline *p) {
    toc_tree_query *q = p->tree;
    toc_surface_tree *tree = toc_tree_of(p);
    if (!tree->settling) return TOC_OK;
    assert(tree->form.settles && p->stage_count > 0);
    TOC_TRY(toc_bvh_split(&tree->bvh, TOC_SEARCH_PIECES, &q->pieces));
    const toc_resting_search search = {.rounds = q->pieces.count,
                                       .search = search_resting_piece,
                                       .rests = tree_primitives_rest,
                                       .most = TOC_REST_MOST * tree->primitives.count};
    bool crowded;
    TOC_TRY(toc_resting_pairs_find(p, &search, &tree->resting_pairs, &crowded));
    toc_surface_tree_settle(tree, crowded, p->threads);
    return TOC_OK;
}

// ---- rounds

// A lower bound of x below two nodes: the first slab of the leftmost, whose error is below 2^-20 in its frame.
static double left_end_of(const toc_surface_tree *tree, toc_node_pair nodes) {
    const size_t floats = toc_dop_floats(&tree->kind);
    const float a = tree->bvh.dops[nodes.a * floats], b = tree->bvh.dops[nodes.b * floats];
    const toc_frame *frame = &tree->motion.frame;
    return frame->centre[0] + ((double)(a < b ? a : b) - 0x1p-20) / frame->scale;
}

typedef struct placed_piece {
    double left;
    toc_node_pair piece;
} placed_piece;

static int compare_left_ends(const void *a, const void *b) {
    const double x = ((const placed_piece *)a)->left, y = ((const placed_piece *)b)->left;
    return (x > y) - (x < y);
}

// TOC_ANSWER_FIRST: begin with the least x. Behind a contact at the very start only pieces left of it matter.
static toc_status order_pieces(toc_pipeline *p, toc_node_pairs *pieces) {
    placed_piece *placed = toc_arena_new(&p->arena, pieces->count, sizeof *placed);
    if (!placed) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < pieces->count; i++)
        placed[i] = (placed_piece){left_end_of(toc_tree_of(p), pieces->at[i]), pieces->at[i]};
    if (pieces->count) qsort(placed, pieces->count, sizeof *placed, compare_left_ends);
    for (size_t i = 0; i < pieces->count; i++) pieces->at[i] = placed[i].piece;
    return TOC_OK;
}

// Whether the first contact is looked for from the left. Where the last step had no contact at its start, none is
// expected now, and any order will do.
static bool searches_in_order(const toc_pipeline *p) {
    return p->request->query.answer == TOC_ANSWER_FIRST && !p->kept->policy.first_is_late;
}

// Small trees are split into fewer pieces: each costs some dozen comparisons, and a look at the clock. Any contact is
// one of the earliest round that has some, so this answer keeps its rounds.
static size_t pieces_wanted(const toc_pipeline *p) {
    const size_t leaves = searches_in_order(p) ? TOC_BLOCK : (size_t)TOC_BLOCK * TOC_BLOCK;
    const size_t wanted = toc_tree_of(p)->primitives.count / leaves + 1;
    const bool any = p->request->query.answer == TOC_ANSWER_ANY;
    return any || wanted > TOC_SEARCH_PIECES ? TOC_SEARCH_PIECES : wanted;
}

static toc_status split_tree(toc_pipeline *p, size_t *rounds) {
    toc_tree_query *q = p->tree;
    const toc_surface_tree *tree = toc_tree_of(p);
    TOC_TRY(toc_bvh_split(&tree->bvh, pieces_wanted(p), &q->pieces));
    if (searches_in_order(p)) TOC_TRY(order_pieces(p, &q->pieces));
    *rounds = q->pieces.count + toc_resting_pairs_rounds(&tree->resting_pairs);
    return TOC_OK;
}

// Rounds of the tree, then of resting pairs.
static toc_status search_tree(toc_worker *w, size_t round) {
    const toc_pipeline *p = w->pipeline;
    const toc_tree_query *q = p->tree;
    const toc_surface_tree *tree = toc_tree_of(p);
    if (round >= q->pieces.count)
        return toc_resting_pairs_test(w, &tree->resting_pairs, round - q->pieces.count, tree_primitives_settled);
    if (!toc_narrow_phase_wants(&p->narrow, left_end_of(tree, q->pieces.at[round]))) return TOC_OK;
    const bool any = p->request->query.answer == TOC_ANSWER_ANY;
    return search_tree_piece(w, q->pieces.at[round], any ? toc_worker_take_leaves : toc_worker_hold_leaves);
}

static toc_status finish_tree(toc_pipeline *p) {
    if (p->request->query.answer == TOC_ANSWER_FIRST)
        toc_policy_note_first(&p->kept->policy, p->narrow.window.to <= TOC_SOON);
    return TOC_OK;
}

const toc_traversal toc_tree_traversal = {.settle = settle_tree, .split = split_tree, .visit = search_tree};

const toc_way toc_tree_way = {.name = "surface-tree",
                              .search_name = "search",
                              .slot = TOC_SLOT_SURFACE_TREE,
                              .traversal = &toc_tree_traversal,
                              .fit = toc_tree_fit,
                              .input = TOC_INPUT_FEATURES,
                              .curved = true,
                              .chords = true,
                              .plan = toc_tree_plan,
                              .finish = finish_tree,
                              .free = toc_tree_free};
