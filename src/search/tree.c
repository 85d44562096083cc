// SPDX-License-Identifier: Apache-2.0
// Contacts through a tree of k-DOPs: primitives whose DOPs overlap, their own features whose DOPs overlap, the
// elementary test.
//
// Every DOP holds all of its feature's motion and every feature has one owner, so each pair of features that could
// touch reaches the test once (docs/guarantees.md, G1). Pairs are passed on in batches: memory is linear in the mesh.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "cull/surface/triangle_axes.h"
#include "scene/scene.h"
#include "search/interior.h"
#include "search/preset.h"

enum { PIECES = 1024 }; // of the search: fixed, so that they are the same for any number of threads

// What a thread gathers beside its tester.
typedef struct worker {
    struct hierarchy *all;
    toc_narrow_worker *tester;
    toc_feature_pairs *pairs;
    toc_resting_pairs resting;
    toc_primitive_pairs seeds; // primitives that may touch, where the inside is searched too
    uint64_t visited, leaves, parted, features;
    double part_seconds, cull_seconds, seconds; // parting triangles; culling features; the search
} worker;

typedef struct hierarchy {
    const toc_step *step;
    toc_arena arena; // of the workers
    toc_surface_tree *tree;
    bool parts;      // whether triangles are parted before their features are compared,
    double distance; // those that stay farther from each other than this
    bool bare;       // whether features go to the test without a look at their DOPs
    toc_surface_tree_update update;
    toc_node_pairs pieces;
    toc_narrow_phase testers;
    worker *workers;
    toc_interior_search *inside; // NULL for the surface alone
} hierarchy;

// Pairs of triangles that are not parted.
static size_t part(worker *w, const toc_leaf_pair *pairs, size_t count, toc_leaf_pair *kept) {
    const hierarchy *h = w->all;
    const toc_triangle_axes how = {.corners = (const uint32_t(*)[3])h->tree->corners,
                                   .packed = h->tree->motion.packed,
                                   .distance = (float)(h->distance * h->tree->motion.frame.scale) * (1 + 0x1p-20f),
                                   .window = &h->testers.window};
    const double start = toc_seconds();
    count = toc_triangle_axes_separate(&how, pairs, count, kept);
    w->parted += count;
    w->part_seconds += toc_seconds() - start;
    return count;
}

static toc_status keep_seeds(worker *w, const toc_leaf_pair *pairs, size_t count) {
    const toc_bvh *bvh = &w->all->tree->bvh;
    TOC_TRY(toc_array_reserve(&bvh->allocator, &w->seeds, count));
    for (size_t i = 0; i < count; i++)
        w->seeds.at[w->seeds.count++] = (toc_primitive_pair){bvh->order[pairs[i].a], bvh->order[pairs[i].b]};
    return TOC_OK;
}

// The pairs of leaves that are left where the preset parts them.
static size_t cull_leaves(worker *w, const toc_leaf_pair *pairs, size_t count, toc_leaf_pair *kept) {
    w->leaves += count;
    if (w->all->parts && w->all->tree->motion.fits) return part(w, pairs, count, kept);
    memcpy(kept, pairs, count * sizeof *kept);
    return count;
}

// The pairs of features that are left of pairs of leaves.
static void cull_features(worker *w, const toc_leaf_pair *pairs, size_t count) {
    const double start = toc_seconds();
    (w->all->bare ? toc_list_features : toc_cull_features)(&w->all->tree->owned, pairs, count, w->pairs);
    w->features += w->pairs->vf_count + w->pairs->ee_count;
    w->cull_seconds += toc_seconds() - start;
}

static toc_status ask_features(worker *w) {
    TOC_TRY(toc_narrow_worker_ask(w->tester, TOC_VF, w->pairs->vf, w->pairs->vf_count));
    return toc_narrow_worker_ask(w->tester, TOC_EE, w->pairs->ee, w->pairs->ee_count);
}

static toc_status take_leaf_pairs(void *user, const toc_leaf_pair *pairs, size_t count) {
    worker *w = user;
    toc_leaf_pair kept[TOC_LEAF_PAIRS + 1];
    count = cull_leaves(w, pairs, count, kept);
    if (w->all->inside) TOC_TRY(keep_seeds(w, kept, count));
    cull_features(w, kept, count);
    return ask_features(w);
}

// Triangles around a vertex whose fan is flat are left out.
static toc_bvh_scope scope_of(const hierarchy *h) {
    return (toc_bvh_scope){.window = &h->testers.window,
                           .corners = (const uint32_t(*)[3])h->tree->corners,
                           .ties = h->tree->form.fans ? h->tree->flat : NULL};
}

// How far along x what is found below two nodes is at least: by the first slab of the leftmost, which is off by less
// than 2^-20 in its frame.
static double left_of(const toc_surface_tree *tree, toc_node_pair nodes) {
    const size_t floats = toc_dop_floats(&tree->kind);
    const float a = tree->bvh.dops[nodes.a * floats], b = tree->bvh.dops[nodes.b * floats];
    const toc_frame *frame = &tree->motion.frame;
    return frame->centre[0] + ((double)(a < b ? a : b) - 0x1p-20) / frame->scale;
}

// Pieces of the search, then rounds of what rests.
static toc_status search_round(worker *w, size_t index) {
    const hierarchy *h = w->all;
    const toc_surface_tree *tree = h->tree;
    const toc_bvh_scope scope = scope_of(h);
    if (index < h->pieces.count) {
        const toc_node_pair piece = h->pieces.at[index];
        if (!toc_narrow_phase_wants(&h->testers, left_of(tree, piece))) return TOC_OK;
        return toc_bvh_search(&tree->bvh, &scope, piece, take_leaf_pairs, w, &w->visited);
    }
    return toc_rest_ask(&tree->resting_pairs, index - h->pieces.count, toc_surface_tree_has_settled, tree, w->pairs,
                        w->tester);
}

static toc_status run_round(void *user, size_t index, int thread) {
    worker *w = &((hierarchy *)user)->workers[thread];
    const double start = toc_seconds();
    if (!toc_narrow_worker_begin(w->tester, index)) return TOC_OK;
    TOC_TRY(search_round(w, index));
    toc_narrow_worker_end(w->tester);
    w->seconds += toc_seconds() - start;
    return TOC_OK;
}

// ---- TOC_ANSWER_FIRST: bounds of no more than may matter

enum { GUESS = 16 };                // of all pieces, one in so many is looked at, at the most
static const double SOON = 0x1p-8;  // the part of the step that is bounded where a contact in it is to be expected
static const double EARLY = 0x1p-4; // before this, swept bounds that end with a contact say more than moving ones

// Look at a few pieces of the search for a contact in what is bounded. Whatever is found to touch ends the window.
static toc_status guess(hierarchy *h, double until) {
    worker *w = &h->workers[0];
    toc_narrow_worker *tester = w->tester;
    const toc_window *window = &h->testers.window;
    const toc_bvh_scope scope = scope_of(h);
    const double start = toc_seconds();
    TOC_TRY(toc_bvh_split(&h->tree->bvh, PIECES, &h->pieces));
    for (size_t i = 0; i < h->pieces.count && window->to > until; i += GUESS)
        TOC_TRY(toc_bvh_search(&h->tree->bvh, &scope, h->pieces.at[i], take_leaf_pairs, w, &w->visited));
    tester->offered = tester->asked = tester->found = 0; // all of it is asked about again
    w->visited = w->leaves = w->parted = w->features = w->pairs->asked = 0;
    w->seconds += toc_seconds() - start;
    return TOC_OK;
}

static toc_status fit(hierarchy *h, toc_scene *scene, const toc_surface_tree_form *form) {
    TOC_TRY(toc_surface_tree_fit(&scene->allocator, h->step, form, h->testers.count, &scene->tree, &h->update));
    h->tree = scene->tree;
    h->testers.glance = toc_motion_prefilter(&h->tree->motion);
    return TOC_OK;
}

// Of what comes after a contact no bounds are needed: those that end soon are tried first, unless there was nothing
// soon the last time.
static toc_status fit_first(hierarchy *h, toc_scene *scene, toc_surface_tree_form form) {
    const toc_window *window = form.window;
    const bool late = scene->tree && scene->tree->late;
    if (!late && window->from < SOON && window->to > SOON) {
        form.until = SOON;
        TOC_TRY(fit(h, scene, &form));
        TOC_TRY(guess(h, SOON));
        if (window->to <= SOON) return TOC_OK;
        form.until = window->to < EARLY ? window->to : 1;
    }
    return fit(h, scene, &form);
}

typedef struct placed {
    double left;
    toc_node_pair piece;
} placed;

static int by_left(const void *a, const void *b) {
    const double x = ((const placed *)a)->left, y = ((const placed *)b)->left;
    return (x > y) - (x < y);
}

// Once something is found to touch at the very start, only what is before it in space matters: begin there.
static toc_status order_pieces(hierarchy *h) {
    const size_t count = h->pieces.count;
    placed *pieces = toc_arena_new(&h->arena, count, sizeof *pieces);
    if (!pieces) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) pieces[i] = (placed){left_of(h->tree, h->pieces.at[i]), h->pieces.at[i]};
    qsort(pieces, count, sizeof *pieces, by_left);
    for (size_t i = 0; i < count; i++) h->pieces.at[i] = pieces[i].piece;
    return TOC_OK;
}

// ---- what rests

// One pair of leaves that is left after the other, so that each feature pair is kept with its own.
static toc_status take_resting(void *user, const toc_leaf_pair *pairs, size_t count) {
    worker *w = user;
    const toc_surface_tree *tree = w->all->tree;
    toc_leaf_pair kept[TOC_LEAF_PAIRS + 1];
    count = cull_leaves(w, pairs, count, kept);
    for (size_t i = 0; i < count; i++) {
        const toc_primitive_pair primitives = {tree->bvh.order[kept[i].a], tree->bvh.order[kept[i].b]};
        if (tree->still[primitives.a] == TOC_MOVES || tree->still[primitives.b] == TOC_MOVES) continue;
        cull_features(w, &kept[i], 1);
        TOC_TRY(toc_rest_keep(&w->all->testers, w->pairs, primitives, &w->resting));
    }
    return TOC_OK;
}

static toc_status search_resting(void *user, size_t index, int thread) {
    const hierarchy *h = user;
    worker *w = &h->workers[thread];
    const toc_bvh_scope scope = scope_of(h);
    return toc_bvh_search(&h->tree->bvh, &scope, h->pieces.at[index], take_resting, w, &w->visited);
}

// Find what rests close together, once.
static toc_status find_resting(hierarchy *h) {
    const int threads = h->testers.count;
    TOC_TRY(toc_bvh_split(&h->tree->bvh, PIECES, &h->pieces));
    TOC_TRY(
        toc_loop_run(&(toc_loop){.count = h->pieces.count, .threads = threads, .round = search_resting, .user = h}));
    for (int i = 0; i < threads; i++)
        TOC_TRY(toc_rest_join(&h->tree->allocator, &h->workers[i].resting, &h->tree->resting_pairs));
    toc_surface_tree_settle(h->tree, threads);
    return TOC_OK;
}

// ---- all of it

static toc_status hire(hierarchy *h) {
    const int count = h->testers.count;
    h->workers = toc_arena_new(&h->arena, (size_t)count, sizeof *h->workers);
    if (!h->workers) return TOC_OUT_OF_MEMORY;
    memset(h->workers, 0, (size_t)count * sizeof *h->workers);
    for (int i = 0; i < count; i++) {
        toc_feature_pairs *pairs = toc_arena_new(&h->arena, 1, sizeof *pairs);
        if (!pairs) return TOC_OUT_OF_MEMORY;
        pairs->asked = 0;
        h->workers[i] = (worker){.all = h, .tester = &h->testers.at[i], .pairs = pairs};
    }
    return TOC_OK;
}

static toc_status answer(const hierarchy *h, toc_contacts **out) {
    const toc_surface_tree_update *update = &h->update;
    toc_stage bounds = {"bound", h->tree->primitives.count, update->bounded, update->bound_seconds};
    toc_stage tree = {"build", update->fitted, update->rebuilt, update->build_seconds};
    toc_stage search = {"search", 0, 0, 0}, parts = {"part", 0, 0, 0}, features = {"features", 0, 0, 0};
    const int threads = h->testers.count;
    for (int i = 0; i < threads; i++) {
        const worker *w = &h->workers[i];
        search.in += w->visited;
        search.out += w->leaves;
        search.seconds += w->seconds / threads;
        parts.out += w->parted;
        parts.seconds += w->part_seconds / threads;
        features.in += w->pairs->asked;
        features.out += w->features;
        features.seconds += w->cull_seconds / threads;
    }
    parts.in = search.out;
    toc_stage stages[5 + TOC_INSIDE_STAGES] = {bounds, tree, search, parts, features};
    if (!h->parts) stages[3] = features;
    size_t count = h->parts ? 5 : 4;
    for (int i = 0; i < TOC_INSIDE_STAGES && h->inside; i++) stages[count++] = h->inside->stages[i];
    return toc_narrow_phase_answer(&h->testers, stages, count, out);
}

// What is inside comes last: it is found from what the surface may touch.
static toc_status search_inside(hierarchy *h) {
    for (int i = 0; i < h->testers.count; i++) {
        const worker *w = &h->workers[i];
        TOC_TRY(toc_array_reserve(&h->tree->allocator, &h->inside->seeds, w->seeds.count));
        if (w->seeds.count > 0)
            memcpy(h->inside->seeds.at + h->inside->seeds.count, w->seeds.at, w->seeds.count * sizeof *w->seeds.at);
        h->inside->seeds.count += w->seeds.count;
    }
    TOC_TRY(toc_interior_run(h->inside));
    toc_narrow_phase_filter(&h->testers);
    return TOC_OK;
}

// Of the search only what is left without the stages in it; what follows is none of it.
static void settle_times(hierarchy *h) {
    for (int i = 0; i < h->testers.count; i++) {
        worker *w = &h->workers[i];
        w->seconds -= w->part_seconds + w->cull_seconds + w->tester->filter_seconds + w->tester->seconds;
    }
}

static toc_status find(hierarchy *h, const toc_query *query, toc_contacts **out) {
    if (h->tree->settling) TOC_TRY(find_resting(h));
    TOC_TRY(toc_bvh_split(&h->tree->bvh, PIECES, &h->pieces));
    if (query->answer == TOC_ANSWER_FIRST && h->pieces.count > 0) TOC_TRY(order_pieces(h));
    TOC_TRY(toc_loop_run(&(toc_loop){.count = h->pieces.count + toc_rest_rounds(&h->tree->resting_pairs),
                                     .threads = h->testers.count,
                                     .progress = &query->progress,
                                     .round = run_round,
                                     .user = h}));
    settle_times(h);
    if (query->answer == TOC_ANSWER_FIRST) h->tree->late = h->testers.window.to > SOON;
    if (h->inside) TOC_TRY(search_inside(h));
    h->testers.answer = query->answer;
    return answer(h, out);
}

// Look before the search whether the inside can be searched from the surface.
static toc_status find_or_decline(hierarchy *h, toc_element_tree *volume, const toc_query *query, toc_contacts **out) {
    toc_interior_search inside = {.volume = volume, .step = h->step, .tree = h->tree, .testers = &h->testers};
    bool worth = true;
    if (volume) {
        TOC_TRY(toc_interior_look(&inside, &worth));
        h->inside = &inside;
    }
    if (!worth) return TOC_OK;
    const toc_status status = find(h, query, out);
    toc_array_free(&h->tree->allocator, &inside.seeds);
    h->inside = NULL;
    return status;
}

toc_status toc_tree_find_interior(const toc_preset *preset, toc_scene *scene, toc_element_tree *volume,
                                  const toc_query *query, toc_contacts **out) {
    hierarchy h = {.step = &scene->step,
                   .arena = toc_arena_make(&scene->allocator),
                   .parts = !((preset->skip | query->skip) & TOC_SKIP_TRIANGLE_AXES),
                   .distance = query->test.separation + query->test.tolerance};
    const toc_method method = toc_preset_method(preset, query);
    const int threads = toc_threads_resolve(query->threads);
    // The certified test's own first look takes less than comparing DOPs.
    h.bare = ((preset->skip | query->skip) & TOC_SKIP_FEATURE_DOPS) || (h.parts && method == TOC_METHOD_CERTIFIED);
    toc_surface_tree_form form = {.thickness = h.distance / 2, // on either side
                                  .bare = h.bare,
                                  .settles = !volume, // surfaces that rest are where the inside may touch
                                  .fans = h.parts && h.distance == 0,
                                  .lower_from = preset->lower_from,
                                  .lower =
                                      query->answer == TOC_ANSWER_FIRST && preset->lower ? UINT32_MAX : preset->lower,
                                  .window = &h.testers.window,
                                  .until = 1};
    toc_status status = toc_dop_kind_make(preset->dop, &form.kind);
    if (status == TOC_OK) status = toc_narrow_phase_make(scene, query, method, threads, &h.testers);
    if (volume)
        h.testers.answer = TOC_ANSWER_ALL, h.testers.late = true; // all contacts of the surface say where to look
    if (status == TOC_OK) status = hire(&h);
    const bool first = query->answer == TOC_ANSWER_FIRST && !volume;
    if (status == TOC_OK) status = first ? fit_first(&h, scene, form) : fit(&h, scene, &form);
    if (status == TOC_OK) status = find_or_decline(&h, volume, query, out);
    for (int i = 0; h.workers && i < h.testers.count; i++) {
        toc_array_free(&scene->allocator, &h.workers[i].resting);
        toc_array_free(&scene->allocator, &h.workers[i].seeds);
    }
    toc_narrow_phase_free(&h.testers);
    toc_array_free(&scene->allocator, &h.pieces);
    toc_arena_free(&h.arena);
    return status;
}

toc_status toc_tree_find(const toc_preset *preset, toc_scene *scene, const toc_query *query, toc_contacts **out) {
    return toc_tree_find_interior(preset, scene, NULL, query, out);
}
