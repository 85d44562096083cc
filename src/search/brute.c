// SPDX-License-Identifier: Apache-2.0
// The reference: every pair of features whose boxes overlap and that share no vertex goes to the elementary test.
//
// Boxes do not round, and no other stage stands before the test: with an exact test the answer is exact
// (docs/guarantees.md, G1). O(n log n + pairs with overlapping extents along x).
#include "index/sweep.h"

#include <assert.h>

#include "cull/shared.h"
#include "scene/scene.h"
#include "search/pipeline.h"

enum { BRUTE_ROUND = 256 }; // boxes a round; fixed, so that rounds are the same for any number of threads

// One direction of a sweep: boxes of one set against those of another that begin no earlier.
typedef struct sweep_pass {
    toc_kind kind;
    const toc_sweep *first, *second;
    toc_sweep_rule rule;
    bool swapped; // the second set holds the first features of the pairs
} sweep_pass;

typedef struct sweep_index {
    toc_index index; // the first field
    toc_sweep points, edges, faces;
    sweep_pass passes[3];
} sweep_index;

// The data of one thread: worker->boxes.
typedef struct toc_brute_worker {
    toc_positions found;
    TOC_ARRAY(toc_feature_pair) pairs;
} brute_worker;

// ---- the index

static toc_status sort_boxes(const toc_pipeline *p, const uint32_t *vertices, int corners, size_t count,
                             toc_sweep *out) {
    const toc_allocator *allocator = &p->request->scene->memory;
    const toc_step *step = p->step;
    toc_box *boxes = toc_new(allocator, count, sizeof *boxes);
    if (!boxes) return TOC_OUT_OF_MEMORY;
    toc_box_sweep(step->x0, step->x1, vertices, corners, count, boxes);
    if (step->control) toc_box_grow(step->control, vertices, corners, count, boxes);
    if (p->distance > 0) toc_box_thicken(p->distance / 2, count, boxes); // on either side
    const toc_status status = toc_sweep_sort(allocator, count, boxes, out);
    toc_free(allocator, boxes, count, sizeof *boxes);
    return status;
}

static toc_status sort_all_boxes(toc_worker *w) {
    const toc_pipeline *p = w->pipeline;
    sweep_index *s = (sweep_index *)*p->index;
    const toc_step *step = p->step;
    TOC_TRY(sort_boxes(p, step->points, 1, step->point_count, &s->points));
    TOC_TRY(sort_boxes(p, (const uint32_t *)step->faces, 3, step->face_count, &s->faces));
    TOC_TRY(sort_boxes(p, (const uint32_t *)step->edges, 2, step->edge_count, &s->edges));
    s->passes[0] = (sweep_pass){TOC_VF, &s->points, &s->faces, TOC_SWEEP_EQUAL, false};
    s->passes[1] = (sweep_pass){TOC_VF, &s->faces, &s->points, TOC_SWEEP_LATER, true};
    s->passes[2] = (sweep_pass){TOC_EE, &s->edges, &s->edges, TOC_SWEEP_SELF, false};
    return TOC_OK;
}

static void free_sweep(toc_index *index) {
    sweep_index *s = (sweep_index *)index;
    const toc_allocator allocator = index->allocator;
    toc_sweep_free(&allocator, &s->points);
    toc_sweep_free(&allocator, &s->faces);
    toc_sweep_free(&allocator, &s->edges);
    toc_free(&allocator, s, 1, sizeof *s);
}

static const toc_index_type sweep_type = {.is_kept = false, .free = free_sweep};

static toc_status fit_sweep(toc_pipeline *p) {
    TOC_TRY(toc_narrow_phase_pack(&p->narrow));
    sweep_index *s = toc_new(&p->request->scene->memory, 1, sizeof *s);
    if (!s) return TOC_OUT_OF_MEMORY;
    s->index = (toc_index){&sweep_type, p->request->scene->memory};
    *p->index = &s->index;
    return toc_pipeline_search_alone(p, sort_all_boxes);
}

// ---- the search

// List the features whose boxes overlap one box.
static toc_status list_overlapping(const toc_pipeline *p, const sweep_pass *pass, size_t i, brute_worker *b) {
    b->pairs.count = 0;
    TOC_TRY(toc_array_reserve(&p->request->scene->memory, &b->pairs, b->found.count));
    for (size_t j = 0; j < b->found.count; j++) {
        const uint32_t first = pass->first->ids[i], second = pass->second->ids[b->found.at[j]];
        const bool swap = pass->swapped || (pass->kind == TOC_EE && second < first);
        uint32_t *v = b->pairs.at[b->pairs.count++].v;
        toc_step_vertices(p->step, pass->kind, swap ? second : first, swap ? first : second, v);
    }
    return TOC_OK;
}

static toc_status search_box(toc_worker *w, const sweep_pass *pass, size_t i) {
    const toc_pipeline *p = w->pipeline;
    brute_worker *b = w->boxes;
    b->found.count = 0;
    TOC_TRY(toc_sweep_from(&p->request->scene->memory, pass->first, i, pass->second, pass->rule, &b->found));
    TOC_TRY(list_overlapping(p, pass, i, b));
    w->search.out += b->found.count;
    return toc_worker_pass(w, 0, &(toc_batch){.count = b->pairs.count, .features = b->pairs.at, .kind = pass->kind});
}

static size_t pass_rounds_of(const sweep_pass *pass) { return (pass->first->count + BRUTE_ROUND - 1) / BRUTE_ROUND; }

static toc_status split_sweep(toc_pipeline *p, size_t *rounds) {
    const sweep_index *s = (const sweep_index *)*p->index;
    *rounds = 0;
    for (int i = 0; i < 3; i++) *rounds += pass_rounds_of(&s->passes[i]);
    return TOC_OK;
}

static toc_status search_sweep(toc_worker *w, size_t round) {
    const sweep_pass *pass = ((const sweep_index *)*w->pipeline->index)->passes;
    assert((*w->pipeline->index)->type == &sweep_type);
    while (round >= pass_rounds_of(pass)) round -= pass_rounds_of(pass++);
    for (size_t i = round * BRUTE_ROUND; i < pass->first->count && i < (round + 1) * BRUTE_ROUND; i++)
        TOC_TRY(search_box(w, pass, i));
    return TOC_OK;
}

// ---- the stage

static bool pair_shares_vertex(toc_kind kind, const uint32_t v[4]) {
    return kind == TOC_VF ? toc_vertex_in_face(v[0], v + 1) : toc_edges_share(v, v + 2);
}

// Drop pairs that share a vertex. The batch is that of the worker, so the rest stays in it.
static toc_status run_shared(toc_worker *w, size_t stage, const toc_batch *batch) {
    toc_feature_pair *pairs = w->boxes->pairs.at;
    assert(batch->features == pairs && batch->count <= w->boxes->pairs.count);
    size_t kept = 0;
    for (size_t i = 0; i < batch->count; i++)
        if (!pair_shares_vertex(batch->kind, pairs[i].v)) pairs[kept++] = pairs[i];
    w->stages[stage].in += batch->count;
    w->stages[stage].out += kept;
    return toc_worker_pass(w, stage + 1, &(toc_batch){.count = kept, .features = pairs, .kind = batch->kind});
}

static const toc_pipeline_stage shared_stage = {"shared", run_shared};

// ---- the way

static toc_status plan_brute(toc_pipeline *p) {
    toc_pipeline_add_stage(p, &shared_stage);
    return TOC_OK;
}

static toc_status hire_brute_worker(toc_worker *w) {
    brute_worker *b = toc_arena_new(&w->pipeline->arena, 1, sizeof *b);
    if (!b) return TOC_OUT_OF_MEMORY;
    *b = (brute_worker){0};
    w->boxes = b;
    return TOC_OK;
}

// All pairs there are went into the search.
static toc_status count_brute(toc_pipeline *p) {
    const uint64_t edges = p->step->edge_count;
    p->workers[0].search.in = (uint64_t)p->step->point_count * p->step->face_count + edges * (edges - (edges > 0)) / 2;
    return TOC_OK;
}

static void free_brute(toc_pipeline *p) {
    for (int i = 0; p->workers && i < p->threads; i++) {
        brute_worker *b = p->workers[i].boxes;
        if (!b) continue;
        toc_array_free(&p->request->scene->memory, &b->found);
        toc_array_free(&p->request->scene->memory, &b->pairs);
    }
}

static const toc_traversal sweep_traversal = {.split = split_sweep, .visit = search_sweep};

const toc_way toc_brute_way = {.name = "brute",
                               .search_name = "boxes",
                               .slot = TOC_SLOT_SWEEP,
                               .traversal = &sweep_traversal,
                               .fit = fit_sweep,
                               .input = TOC_INPUT_FEATURES,
                               .curved = true,
                               .plan = plan_brute,
                               .hire = hire_brute_worker,
                               .finish = count_brute,
                               .free = free_brute};
