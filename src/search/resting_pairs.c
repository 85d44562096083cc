// SPDX-License-Identifier: Apache-2.0
// Finding, keeping and testing resting pairs.
#include "search/resting_pairs.h"

#include <assert.h>
#include <string.h>

#include "cull/surface/triangle_features.h"
#include "scene/scene.h"
#include "search/pipeline.h"

// ---- finding

static bool features_are_near(const toc_pipeline *p, toc_kind kind, const uint32_t v[4]) {
    double x[4][3];
    toc_moving moving;
    for (int i = 0; i < 4; i++) memcpy(x[i], p->step->x0 + 3 * (size_t)v[i], sizeof x[i]);
    toc_moving_set(&moving, 4, (const double(*)[3])x, (const double(*)[3])x);
    return !toc_feature_cull(kind, &moving, p->distance);
}

static toc_status keep_near_features(toc_worker *w, toc_kind kind, const toc_feature_pair *pairs, size_t count,
                                     toc_primitive_pair primitives) {
    for (size_t i = 0; i < count; i++) {
        if (!features_are_near(w->pipeline, kind, pairs[i].v)) continue;
        TOC_TRY(toc_array_reserve(&w->pipeline->request->scene->memory, &w->resting, 1));
        w->resting.at[w->resting.count++] = (toc_resting_pair){kind, pairs[i], primitives};
    }
    return TOC_OK;
}

// Count the pairs of a batch for all threads; too many stop the loop. The sum tells, so threads do not matter.
static toc_status end_if_crowded(toc_worker *w, size_t before) {
    toc_pipeline *p = w->pipeline;
    const size_t more = w->resting.count - before;
    if (more == 0) return TOC_OK;
    return atomic_fetch_add(&p->resting_found, more) + more > p->resting_most ? TOC_STOPPED : TOC_OK;
}

// One pair of leaves after the other, so that each feature pair is kept with its primitives.
static toc_status keep_resting_features(toc_worker *w, size_t stage, const toc_batch *batch) {
    const toc_pipeline *p = w->pipeline;
    const size_t before = w->resting.count;
    for (size_t i = 0; i < batch->count; i++) {
        const toc_primitive_pair primitives = toc_surface_primitives(&p->surface, batch->leaves[i]);
        if (!p->surface.rests(*p->index, primitives)) continue;
        p->surface.cull(w, &batch->leaves[i], 1);
        w->stages[stage].out += w->features->vf_count + w->features->ee_count;
        TOC_TRY(keep_near_features(w, TOC_VF, w->features->vf, w->features->vf_count, primitives));
        TOC_TRY(keep_near_features(w, TOC_EE, w->features->ee, w->features->ee_count, primitives));
    }
    return end_if_crowded(w, before);
}

static toc_status append_resting(const toc_allocator *allocator, const toc_resting_pairs *more,
                                 toc_resting_pairs *all) {
    TOC_TRY(toc_array_reserve(allocator, all, more->count));
    if (more->count) memcpy(all->at + all->count, more->at, more->count * sizeof *more->at);
    all->count += more->count;
    return TOC_OK;
}

static toc_status search_for_resting(toc_pipeline *p, const toc_resting_search *search) {
    static const toc_pipeline_stage keeping = {NULL, keep_resting_features};
    assert(p->stage_count > 0);
    const toc_pipeline_stage **last = &p->stages[p->stage_count - 1], *features = *last;
    *last = &keeping;
    p->surface.rests = search->rests;
    p->resting_most = search->most;
    p->resting_found = 0;
    const toc_status status = toc_pipeline_loop(p, search->rounds, search->search, NULL);
    *last = features;
    return status;
}

toc_status toc_resting_pairs_find(toc_pipeline *pipeline, const toc_resting_search *search, toc_resting_pairs *all,
                                  bool *crowded) {
    const toc_allocator *memory = &pipeline->request->scene->memory;
    assert(all->count == 0);
    const toc_status status = search_for_resting(pipeline, search);
    *crowded = status == TOC_STOPPED;
    if (*crowded) {
        for (int i = 0; i < pipeline->threads; i++) toc_array_free(memory, &pipeline->workers[i].resting);
        toc_array_free(memory, all);
        return TOC_OK;
    }
    TOC_TRY(status);
    for (int i = 0; i < pipeline->threads; i++) TOC_TRY(append_resting(memory, &pipeline->workers[i].resting, all));
    return TOC_OK;
}

// ---- testing

toc_status toc_resting_pairs_test(toc_worker *worker, const toc_resting_pairs *pairs, size_t round, toc_rests *rests) {
    const toc_pipeline *p = worker->pipeline;
    toc_feature_pairs *out = worker->features;
    const size_t first = round * TOC_REST_ROUND;
    const size_t vf_room = toc_feature_pairs_vf(out->leaf_pairs), ee_room = toc_feature_pairs_ee(out->leaf_pairs);
    assert(first < pairs->count);
    const size_t left = pairs->count - first, end = first + (left < TOC_REST_ROUND ? left : TOC_REST_ROUND);
    out->vf_count = out->ee_count = 0;
    for (size_t i = first; i < end; i++) {
        const toc_resting_pair *pair = &pairs->at[i];
        if (!rests(*p->index, pair->primitives)) continue;
        if (out->vf_count == vf_room || out->ee_count == ee_room) {
            TOC_TRY(toc_worker_pass_features(worker, p->stage_count));
            out->vf_count = out->ee_count = 0;
        }
        if (pair->kind == TOC_VF)
            out->vf[out->vf_count++] = pair->features;
        else
            out->ee[out->ee_count++] = pair->features;
    }
    return toc_worker_pass_features(worker, p->stage_count);
}
