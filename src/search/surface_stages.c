// SPDX-License-Identifier: Apache-2.0
// Culling pairs of surface primitives, batch by batch. No allocation.
#include "search/surface_stages.h"

#include <assert.h>

#include "cull/surface/normals.h"
#include "cull/surface/triangle_axes.h"
#include "cull/surface/triangle_culling.h"
#include "search/tree.h"

static toc_status pass_kept(toc_worker *w, size_t stage, const toc_batch *batch, const toc_leaf_pair *kept,
                            size_t count) {
    w->stages[stage].in += batch->count;
    w->stages[stage].out += count;
    return toc_worker_pass(w, stage + 1, &(toc_batch){.count = count, .leaves = kept});
}

// Positions outside of the frame of the packed vertices cannot be compared: all pairs stay.
static toc_status run_triangle_axes(toc_worker *w, size_t stage, const toc_batch *batch) {
    const toc_pipeline *p = w->pipeline;
    const toc_motion *motion = p->surface.motion;
    toc_leaf_pair *kept = w->room->kept;
    assert(batch->count <= TOC_LEAF_PAIRS);
    if (!motion->fits) return pass_kept(w, stage, batch, batch->leaves, batch->count);
    const toc_triangle_axes axes = {.corners = p->surface.corners,
                                    .packed = motion->packed,
                                    .distance = (float)(p->distance * motion->frame.scale) * (1 + 0x1p-20f),
                                    .window = &p->narrow.window};
    const size_t count = toc_triangle_axes_separate(&axes, batch->leaves, batch->count, kept);
    return pass_kept(w, stage, batch, kept, count);
}

const toc_pipeline_stage toc_triangle_axes_stage = {"triangle axes", run_triangle_axes};

static bool stage_is_face(const uint32_t v[3]) { return v[0] != v[1] && v[1] != v[2] && v[2] != v[0]; }

static toc_status run_normals(toc_worker *w, size_t stage, const toc_batch *batch) {
    const toc_pipeline *p = w->pipeline;
    const double cosine = p->request->research.normal_limit;
    const toc_normal_limit limit = {cosine != 0 ? cosine : -0.9, p->narrow.test.separation};
    toc_leaf_pair *kept = w->room->kept;
    size_t count = 0;
    assert(batch->count <= TOC_LEAF_PAIRS);
    for (size_t i = 0; i < batch->count; i++) {
        const uint32_t *a = p->surface.corners[batch->leaves[i].a], *b = p->surface.corners[batch->leaves[i].b];
        kept[count] = batch->leaves[i];
        count += !stage_is_face(a) || !stage_is_face(b) || !toc_normals_cull(&limit, a, b, p->step->x0, p->step->x1);
    }
    return pass_kept(w, stage, batch, kept, count);
}

const toc_pipeline_stage toc_normals_stage = {"normals", run_normals};

// The next pairs of leaves of a batch, as many as there is room for their features.
static size_t some_leaves(const toc_worker *w, const toc_batch *batch, size_t first) {
    const size_t left = batch->count - first;
    return left < w->features->leaf_pairs ? left : w->features->leaf_pairs;
}

static toc_status run_features(toc_worker *w, size_t stage, const toc_batch *batch) {
    for (size_t i = 0, some; i < batch->count; i += some) {
        some = some_leaves(w, batch, i);
        w->pipeline->surface.cull(w, batch->leaves + i, some);
        w->stages[stage].in = w->features->asked;
        w->stages[stage].out += w->features->vf_count + w->features->ee_count;
        TOC_TRY(toc_worker_pass_features(w, stage + 1));
    }
    return TOC_OK;
}

// The rows of the steps stand behind the stage that runs them.
static void count_steps(toc_stage_count *row, uint64_t pairs, const uint32_t removed[TOC_TRIANGLE_STEP_COUNT]) {
    for (int step = 0; step < TOC_TRIANGLE_STEP_COUNT; step++, row++) {
        row->in += pairs;
        pairs -= removed[step];
        row->out += pairs;
    }
}

static toc_status run_triangle_culling(toc_worker *w, size_t stage, const toc_batch *batch) {
    const toc_pipeline *p = w->pipeline;
    const toc_triangle_culling culling = {.representatives = &toc_tree_of(p)->representatives,
                                          .x0 = p->step->x0,
                                          .x1 = p->step->x1,
                                          .distance = p->distance,
                                          .steps = TOC_TRIANGLE_STEP_ALL & ~(p->skip / TOC_SKIP_TRIANGLE_PLANE)};
    w->stages[stage].in += batch->count;
    for (size_t i = 0, some; i < batch->count; i += some) {
        const uint64_t before = w->features->asked;
        uint32_t removed[TOC_TRIANGLE_STEP_COUNT] = {0};
        some = some_leaves(w, batch, i);
        toc_triangle_culling_run(&culling, batch->leaves + i, some, removed, w->features);
        w->stages[stage].out += w->features->asked - before;
        count_steps(&w->stages[stage + 1], w->features->asked - before, removed);
        TOC_TRY(toc_worker_pass_features(w, p->stage_count));
    }
    return TOC_OK;
}

void toc_triangle_culling_add(toc_pipeline *pipeline) {
    static const toc_pipeline_stage stages[] = {
        {"triangle pairs", run_triangle_culling},
        {"plane (4.3)", NULL},
        {"three (6.2)", NULL},
        {"two (6.1)", NULL},
        {"lines (5.1)", NULL},
        {"third (6.3)", NULL},
        {"circle (4.4)", NULL},
        {"circles (5.2)", NULL},
    };
    _Static_assert(sizeof stages / sizeof *stages == 1 + TOC_TRIANGLE_STEP_COUNT, "a row for each step");
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) toc_pipeline_add_stage(pipeline, &stages[i]);
}

const toc_pipeline_stage toc_features_stage = {"features", run_features};
const toc_pipeline_stage toc_element_level_stage = {"elements", run_features};
