// SPDX-License-Identifier: Apache-2.0
// The slow truth: every feature pair whose boxes overlap and that shares no vertex goes to the elementary test.
//
// Nothing between the boxes, which do not round, and the test: what the test answers exactly, this answers exactly
// (docs/guarantees.md, G1). O(n log n + pairs with overlapping x extent).
#include "base/threads.h"
#include "cull/shared.h"
#include "index/sweep.h"
#include "scene/scene.h"
#include "search/narrow_phase.h"
#include "search/preset.h"

enum { ROUND = 256 }; // boxes a round: fixed, so that rounds are the same for any number of threads

// One direction of a sweep: boxes of one set against those of another that begin no earlier.
typedef struct pass {
    toc_kind kind;
    const toc_sweep *first, *second;
    toc_sweep_rule rule;
    bool swapped; // the second set holds what comes first in the pair
} pass;

// What a thread gathers beside its tester.
typedef struct worker {
    toc_positions found;
    TOC_ARRAY(toc_feature_pair) pairs;
    uint64_t overlapping;
    double seconds;
} worker;

typedef struct brute {
    const toc_step *step;
    const toc_allocator *allocator;
    double distance; // within which the test takes features for touching
    toc_sweep points, edges, faces;
    pass passes[3];
    toc_narrow_phase testers;
    worker *workers;
} brute;

static toc_status sort_features(const brute *b, const uint32_t *vertices, int corners, size_t count, toc_sweep *out) {
    toc_box *boxes = toc_new(b->allocator, count, sizeof *boxes);
    if (!boxes) return TOC_OUT_OF_MEMORY;
    toc_box_sweep(b->step->x0, b->step->x1, vertices, corners, count, boxes);
    if (b->step->control) toc_box_grow(b->step->control, vertices, corners, count, boxes);
    if (b->distance > 0) toc_box_thicken(b->distance / 2, count, boxes); // on either side
    const toc_status status = toc_sweep_sort(b->allocator, count, boxes, out);
    toc_free(b->allocator, boxes, count, sizeof *boxes);
    return status;
}

static bool shares_vertex(toc_kind kind, const uint32_t v[4]) {
    return kind == TOC_VF ? toc_vertex_in_face(v[0], v + 1) : toc_edges_share(v, v + 2);
}

// The features that one box meets, by their vertices.
static toc_status name_found(const brute *b, const pass *p, size_t i, worker *w) {
    w->pairs.count = 0;
    TOC_TRY(toc_array_reserve(b->allocator, &w->pairs, w->found.count));
    for (size_t j = 0; j < w->found.count; j++) {
        const uint32_t first = p->first->ids[i], second = p->second->ids[w->found.at[j]];
        const bool swap = p->swapped || (p->kind == TOC_EE && second < first);
        uint32_t *v = w->pairs.at[w->pairs.count].v;
        toc_step_vertices(b->step, p->kind, swap ? second : first, swap ? first : second, v);
        w->pairs.count += !shares_vertex(p->kind, v);
    }
    return TOC_OK;
}

static toc_status test_box(brute *b, const pass *p, size_t i, int thread) {
    worker *w = &b->workers[thread];
    const double start = toc_seconds();
    w->found.count = 0;
    TOC_TRY(toc_sweep_from(b->allocator, p->first, i, p->second, p->rule, &w->found));
    TOC_TRY(name_found(b, p, i, w));
    w->overlapping += w->found.count;
    w->seconds += toc_seconds() - start;
    return toc_narrow_worker_ask(&b->testers.at[thread], p->kind, w->pairs.at, w->pairs.count);
}

static size_t rounds_of(const pass *p) { return (p->first->count + ROUND - 1) / ROUND; }

static toc_status test_boxes(brute *b, size_t round, int thread) {
    const pass *p = b->passes;
    while (round >= rounds_of(p)) round -= rounds_of(p++);
    for (size_t i = round * ROUND; i < p->first->count && i < (round + 1) * ROUND; i++)
        TOC_TRY(test_box(b, p, i, thread));
    return TOC_OK;
}

static toc_status run_round(void *user, size_t index, int thread) {
    brute *b = user;
    if (!toc_narrow_worker_begin(&b->testers.at[thread], index)) return TOC_OK;
    TOC_TRY(test_boxes(b, index, thread));
    toc_narrow_worker_end(&b->testers.at[thread]);
    return TOC_OK;
}

static toc_status sort_all(brute *b) {
    const toc_step *step = b->step;
    TOC_TRY(sort_features(b, step->points, 1, step->point_count, &b->points));
    TOC_TRY(sort_features(b, (const uint32_t *)step->faces, 3, step->face_count, &b->faces));
    TOC_TRY(sort_features(b, (const uint32_t *)step->edges, 2, step->edge_count, &b->edges));
    b->passes[0] = (pass){TOC_VF, &b->points, &b->faces, TOC_SWEEP_EQUAL, false};
    b->passes[1] = (pass){TOC_VF, &b->faces, &b->points, TOC_SWEEP_LATER, true};
    b->passes[2] = (pass){TOC_EE, &b->edges, &b->edges, TOC_SWEEP_SELF, false};
    return TOC_OK;
}

static toc_status run_all(brute *b, const toc_query *query) {
    size_t rounds = 0;
    for (int i = 0; i < 3; i++) rounds += rounds_of(&b->passes[i]);
    return toc_loop_run(&(toc_loop){
        .count = rounds, .threads = b->testers.count, .progress = &query->progress, .round = run_round, .user = b});
}

static toc_status answer(const brute *b, double sort_seconds, toc_contacts **out) {
    const toc_step *step = b->step;
    const uint64_t edges = step->edge_count;
    toc_stage boxes = {"boxes", (uint64_t)step->point_count * step->face_count + edges * (edges - (edges > 0)) / 2, 0,
                       sort_seconds};
    toc_stage apart = {"shared", 0, 0, 0};
    for (int i = 0; i < b->testers.count; i++) {
        boxes.out += b->workers[i].overlapping;
        boxes.seconds += b->workers[i].seconds / b->testers.count;
        apart.out += b->testers.at[i].offered;
    }
    apart.in = boxes.out;
    return toc_narrow_phase_answer(&b->testers, (toc_stage[]){boxes, apart}, 2, out);
}

static void free_all(brute *b) {
    for (int i = 0; b->workers && i < b->testers.count; i++) {
        toc_array_free(b->allocator, &b->workers[i].found);
        toc_array_free(b->allocator, &b->workers[i].pairs);
    }
    toc_free(b->allocator, b->workers, (size_t)b->testers.count, sizeof *b->workers);
    toc_narrow_phase_free(&b->testers);
    toc_sweep_free(b->allocator, &b->points);
    toc_sweep_free(b->allocator, &b->faces);
    toc_sweep_free(b->allocator, &b->edges);
}

toc_status toc_brute_find(const toc_preset *preset, toc_scene *scene, const toc_query *query, toc_contacts **out) {
    const toc_allocator *allocator = &scene->allocator;
    brute b = {
        .step = &scene->step, .allocator = allocator, .distance = query->test.separation + query->test.tolerance};
    const int threads = toc_threads_resolve(query->threads);
    const toc_method method = toc_preset_method(preset, query);
    toc_status status = toc_narrow_phase_make(scene, query, method, threads, &b.testers);
    if (status == TOC_OK) status = toc_narrow_phase_pack(&b.testers);
    const double start = toc_seconds();
    if (status == TOC_OK) {
        b.workers = toc_new(allocator, (size_t)threads, sizeof *b.workers);
        status = b.workers ? sort_all(&b) : TOC_OUT_OF_MEMORY;
    }
    const double sort_seconds = toc_seconds() - start;
    if (status == TOC_OK) status = run_all(&b, query);
    if (status == TOC_OK) status = answer(&b, sort_seconds, out);
    free_all(&b);
    return status;
}
