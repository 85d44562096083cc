// SPDX-License-Identifier: Apache-2.0
// Contacts through the surface grid: primitives in the same cell whose DOPs overlap, then their features.
//
// As published by Jung and Choi, the surface normal test drops neighbours that may touch, every feature pair is tested
// as often as two primitives have it, and the cubic decides. Our variant has representatives, so that each pair reaches
// the certified test once, and drops pairs only by DOPs that hold all of the motion (docs/guarantees.md, G1).
#include "search/grid.h"

#include <assert.h>

#include "base/threads.h"
#include "scene/scene.h"
#include "search/policy.h"
#include "search/search.h"
#include "search/surface_grid.h"
#include "search/surface_stages.h"

// A query of the grid: pipeline->grid.
typedef struct toc_grid_query {
    toc_surface_grid_form form;
    toc_primitive_dops dops;            // for culling features
    const toc_represented_dops *listed; // for listing them instead; NULL
    toc_represented_dops represented;
} grid_query;

// The row of pairs whose DOPs overlap: filled by the search of the cells.
static const toc_pipeline_stage primitive_row = {"primitives", NULL};

static toc_surface_grid *grid_of(const toc_pipeline *p) {
    assert(*p->index && (*p->index)->type == &toc_surface_grid_type);
    return (toc_surface_grid *)*p->index;
}

// ---- planning

static toc_status begin_grid_query(toc_pipeline *p, double thickness, bool rings) {
    grid_query *q = toc_arena_new(&p->arena, 1, sizeof *q);
    if (!q) return TOC_OUT_OF_MEMORY;
    const bool published = p->request->preset->published, bare = !published && (p->skip & TOC_SKIP_FEATURE_DOPS);
    *q = (grid_query){.form = {.thickness = thickness, .published = published, .bare = bare, .rings = rings}};
    p->grid = q;
    toc_pipeline_add_stage(p, &primitive_row);
    return toc_dop_kind_make(toc_request_dop(p->request), &q->form.kind);
}

static toc_status plan_grid(toc_pipeline *p) {
    const bool published = p->request->preset->published;
    const bool axes = !(p->skip & (published ? TOC_SKIP_NORMALS : TOC_SKIP_TRIANGLE_AXES));
    TOC_TRY(begin_grid_query(p, p->distance / 2, axes && p->distance == 0)); // on either side
    p->narrow.repeats = published;
    if (axes) toc_pipeline_add_stage(p, published ? &toc_normals_stage : &toc_triangle_axes_stage);
    toc_pipeline_add_stage(p, &toc_element_level_stage);
    return TOC_OK;
}

toc_status toc_grid_plan_question(toc_pipeline *pipeline, double thickness) {
    assert(thickness >= 0 && pipeline->request->query.answer == TOC_ANSWER_ALL && pipeline->skip == 0);
    TOC_TRY(begin_grid_query(pipeline, thickness, false));
    if (!pipeline->request->preset->published) toc_pipeline_add_stage(pipeline, &toc_triangle_axes_stage);
    toc_pipeline_add_stage(pipeline, &toc_element_level_stage);
    return TOC_OK;
}

toc_status toc_grid_hire(toc_worker *worker) {
    toc_hash_search *search = toc_arena_new(&worker->pipeline->arena, 1, sizeof *search);
    if (!search) return TOC_OUT_OF_MEMORY;
    *search =
        (toc_hash_search){.room = toc_arena_new(&worker->pipeline->arena, 1, sizeof *search->room), .user = worker};
    if (!search->room) return TOC_OUT_OF_MEMORY;
    worker->cells = search;
    return TOC_OK;
}

// ---- fitting

static void cull_grid_features(toc_worker *w, const toc_leaf_pair *pairs, size_t count) {
    const grid_query *q = w->pipeline->grid;
    if (q->listed)
        toc_list_features(q->listed, pairs, count, w->features);
    else
        toc_primitive_features_cull(&q->dops, pairs, count, w->features);
}

// As published all features of two primitives, else those that they represent. Swept DOPs of features cull little where
// primitives move far; the prefilter of the test costs less.
static void choose_grid_culling(toc_pipeline *p) {
    const toc_surface_grid *grid = grid_of(p);
    grid_query *q = p->grid;
    const bool compares = !(p->skip & TOC_SKIP_FEATURE_DOPS) && !grid->moving_dops;
    q->dops = (toc_primitive_dops){.lanes = grid->kind.lanes,
                                   .features = &grid->features,
                                   .primitives = &grid->primitives,
                                   .representatives = grid->published ? NULL : &grid->representatives,
                                   .faces = compares ? grid->primitive_dops : NULL,
                                   .vertices = compares ? grid->vertex_dops : NULL};
    q->represented = (toc_represented_dops){.representatives = &grid->representatives};
    q->listed = compares || grid->published ? NULL : &q->represented;
}

static void prepare_grid_search(const toc_pipeline *p, toc_hash_search *search) {
    const toc_surface_grid *grid = grid_of(p);
    search->overlap = p->skip & TOC_SKIP_ELEMENT_DOPS ? TOC_HASH_CELLS
                      : grid->moving_dops             ? TOC_HASH_MOVING
                                                      : TOC_HASH_DOPS;
    search->axes = &grid->axes;
    search->packed = grid->motion.packed;
    search->window = &p->narrow.window;
    search->corners = (const uint32_t(*)[3])grid->corners;
    search->flat = grid->rings_known ? grid->flat : NULL;
}

toc_status toc_grid_fit(toc_pipeline *pipeline) {
    toc_pipeline *p = pipeline;
    const grid_query *q = p->grid;
    TOC_TRY(toc_surface_grid_fit(p, &q->form));
    const toc_surface_grid *grid = grid_of(p);
    p->surface = (toc_surface_view){
        .corners = (const uint32_t(*)[3])grid->corners, .motion = &grid->motion, .cull = cull_grid_features};
    p->narrow.prefilter = toc_motion_prefilter(&grid->motion);
    choose_grid_culling(p);
    for (int i = 0; i < p->threads; i++) prepare_grid_search(p, p->workers[i].cells);
    return TOC_OK;
}

// ---- accepting

enum { PAIR_COUNTS = 64 };

typedef struct pair_counting {
    const toc_hash *hash;
    double pairs[PAIR_COUNTS]; // by part of the voxels
} pair_counting;

static toc_status count_pairs_of_part(void *user, size_t part, int thread) {
    (void)thread;
    pair_counting *c = user;
    const size_t each = (c->hash->voxel_count + PAIR_COUNTS - 1) / PAIR_COUNTS, end = (part + 1) * each;
    double pairs = 0;
    for (size_t i = part * each; i < end && i < c->hash->voxel_count; i++) {
        const uint32_t *first = c->hash->first.at + 2 * i;
        const double home = first[1] - first[0], coarse = first[2] - first[1];
        pairs += home * (home - 1) / 2 + home * coarse;
    }
    c->pairs[part] = pairs;
    return TOC_OK;
}

// The pairs of primitives that the search of the cells will compare. The sum does not depend on the threads.
static double count_voxel_pairs(const toc_hash *hash, int threads) {
    pair_counting c = {.hash = hash};
    double pairs = 0;
    toc_loop_run(&(toc_loop){.count = PAIR_COUNTS, .threads = threads, .round = count_pairs_of_part, .user = &c});
    for (int i = 0; i < PAIR_COUNTS; i++) pairs += c.pairs[i];
    return pairs;
}

// The policy tries the grid on a new scene. Where cells are crowded, a tree costs less, although it must be built
// first.
static toc_status accept_grid(toc_pipeline *p, bool *suits) {
    const toc_surface_grid *grid = grid_of(p);
    *suits = count_voxel_pairs(&grid->moving, p->threads) <= TOC_CROWDED_PAIRS * (double)grid->primitives.count;
    return TOC_OK;
}

// ---- searching

static toc_status take_grid_pairs(void *user, const toc_leaf_pair *pairs, size_t count) {
    return toc_worker_pass(user, 1, &(toc_batch){.count = count, .leaves = pairs});
}

static toc_status search_cells(toc_worker *w, const toc_hash *hash, const toc_hash *other, size_t piece) {
    toc_hash_search *search = w->cells;
    search->hash = hash;
    search->other = other;
    search->take = take_grid_pairs;
    return toc_hash_run(search, piece);
}

static bool grid_primitives_rest(const toc_index *index, toc_primitive_pair primitives) {
    const toc_surface_grid *grid = (const toc_surface_grid *)index;
    return grid->stamps[primitives.a] == grid->stamp && grid->stamps[primitives.b] == grid->stamp;
}

static toc_status search_resting_cells(toc_worker *w, size_t round) {
    return search_cells(w, &grid_of(w->pipeline)->resting, NULL, round);
}

// Once for each table of resting primitives, and for each set of stages.
static toc_status settle_grid(toc_pipeline *p) {
    toc_surface_grid *grid = grid_of(p);
    if (!grid->unsettled && grid->skip == p->skip) return TOC_OK;
    grid->unsettled = true; // until all pairs are found
    grid->skip = p->skip;
    grid->resting_pairs.count = 0;
    const toc_resting_search search = {.rounds = toc_hash_pieces(&grid->resting),
                                       .search = search_resting_cells,
                                       .rests = grid_primitives_rest,
                                       .most = TOC_REST_MOST * grid->primitives.count};
    TOC_TRY(toc_resting_pairs_find(p, &search, &grid->resting_pairs, &grid->crowded));
    grid->unsettled = false;
    return TOC_OK;
}

// Rounds of the resting primitives: of their pairs, or within their table where no pairs are kept.
static size_t count_resting_rounds(const toc_surface_grid *grid) {
    return grid->crowded ? toc_hash_pieces(&grid->resting) : toc_resting_pairs_rounds(&grid->resting_pairs);
}

// Rounds within the moving primitives, then between these and resting ones, then of resting ones.
static toc_status split_grid(toc_pipeline *p, size_t *rounds) {
    const toc_surface_grid *grid = grid_of(p);
    const size_t pieces = toc_hash_pieces(&grid->moving);
    *rounds = grid->rest_count ? 2 * pieces + count_resting_rounds(grid) : pieces;
    return TOC_OK;
}

static toc_status search_grid(toc_worker *w, size_t round) {
    const toc_surface_grid *grid = grid_of(w->pipeline);
    const size_t pieces = toc_hash_pieces(&grid->moving);
    assert(round < pieces || grid->rest_count > 0);
    if (round >= 2 * pieces && grid->crowded) return search_resting_cells(w, round - 2 * pieces);
    if (round >= 2 * pieces)
        return toc_resting_pairs_test(w, &grid->resting_pairs, round - 2 * pieces, grid_primitives_rest);
    return search_cells(w, &grid->moving, round < pieces ? NULL : &grid->resting, round % pieces);
}

// Questions keep no resting pairs: rounds within the resting primitives take their place.
static toc_status split_static_grid(toc_pipeline *p, size_t *rounds) {
    const toc_surface_grid *grid = grid_of(p);
    const size_t pieces = toc_hash_pieces(&grid->moving);
    *rounds = grid->rest_count ? 2 * pieces + toc_hash_pieces(&grid->resting) : pieces;
    return TOC_OK;
}

static toc_status search_static_grid(toc_worker *w, size_t round) {
    const size_t pieces = toc_hash_pieces(&grid_of(w->pipeline)->moving);
    return round < 2 * pieces ? search_grid(w, round) : search_resting_cells(w, round - 2 * pieces);
}

// The search of the cells counts for itself.
static toc_status count_grid(toc_pipeline *p) {
    for (int i = 0; i < p->threads; i++) {
        toc_worker *w = &p->workers[i];
        const toc_hash_counts *counts = &w->cells->counts;
        w->search.in = counts->voxel_pairs;
        w->search.out = w->stages[0].in = counts->box_pairs;
        w->stages[0].out = counts->found;
    }
    return TOC_OK;
}

static const toc_traversal grid_traversal = {.settle = settle_grid, .split = split_grid, .visit = search_grid};
const toc_traversal toc_static_grid_traversal = {.split = split_static_grid, .visit = search_static_grid};

const toc_way toc_grid_way = {.name = "surface-grid",
                              .search_name = "voxels",
                              .slot = TOC_SLOT_SURFACE_GRID,
                              .traversal = &grid_traversal,
                              .fit = toc_grid_fit,
                              .input = TOC_INPUT_FEATURES,
                              .curved = true,
                              .chords = true,
                              .plan = plan_grid,
                              .hire = toc_grid_hire,
                              .accept = accept_grid,
                              .finish = count_grid};
