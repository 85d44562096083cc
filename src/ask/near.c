// SPDX-License-Identifier: Apache-2.0
// Near pairs: features within a thickness of each other, at one end of the step or at any time of it.
//
// Complete. At an instant, a pair is dropped only if an axis proves, with its rounding bounded, that more than the
// thickness lies between the two features. The axis is that of the closest points (src/pair/distance.c), the same
// points that toc_distance_find gives. Where it proves nothing, as between long parallel edges, exact arithmetic
// decides. Over the step, the certified test decides with the thickness as its separation: exactly on straight paths
// (docs/guarantees.md, G2), and as far as floating point can on parabolas, where a doubtful pair is reported.
// src/ask/closest_approach.c then finds the closest approach. O(n log n) and the pairs close by. Pairs come from a tree
// or, for presets with a grid, from that (Jung and Choi). The bounds of either drop pairs only that are apart by more
// than the rounding of the last test, so both give the same answer.
#include "ask/near.h"

#include <assert.h>
#include <string.h>

#include "ask/candidates.h"
#include "ask/closest_approach.h"
#include "ask/question.h"
#include "ask/types.h"
#include "base/arithmetic.h"
#include "base/backend.h"
#include "base/settings.h"
#include "convex/convex.h"
#include "pair/certified.h"
#include "pair/gap.h"
#include "pair/pair.h"
#include "scene/scene.h"
#include "scene/thickness.h"
#include "search/device_search.h"
#include "search/grid.h"
#include "search/surface_stages.h"
#include "search/tree.h"

static void near_ids(const void *item, uint32_t ids[TOC_ORDER_IDS]) {
    const toc_near_pair *pair = item;
    ids[0] = (uint32_t)pair->kind;
    memcpy(ids + 1, pair->body, sizeof pair->body);
    memcpy(ids + 3, pair->v, sizeof pair->v);
}

static toc_status check_near_kind(const void *item) { return toc_kind_check(((const toc_near_pair *)item)->kind); }

#define AT(member) offsetof(toc_near_pair, member)
static const toc_column near_columns[] = {
    {{"kind"}, "kind", TOC_COLUMN_KIND, 1, AT(kind), 5},
    {{"v0", "v1", "v2", "v3"}, "vertices", TOC_COLUMN_VERTEX, 4, AT(v), 6},
    {{"distance"}, "distance", TOC_COLUMN_LENGTH, 1, AT(distance), 2},
    {{"body0", "body1"}, "bodies", TOC_COLUMN_ID, 2, AT(body), 7},
    {{"w0", "w1", "w2", "w3"}, "weights", TOC_COLUMN_REAL, 4, AT(weights), 8},
    {{"x", "y", "z"}, "Points", TOC_COLUMN_REAL, 3, AT(points[0]), 1},
    {{"x1", "y1", "z1"}, "second", TOC_COLUMN_REAL, 3, AT(points[1]), 4},
    {{"nx", "ny", "nz"}, "normal", TOC_COLUMN_REAL, 3, AT(normal), 3},
    {{"thickness"}, NULL, TOC_COLUMN_LENGTH, 1, AT(thickness), 0},
};
#undef AT

const toc_answer_type toc_near_type = {.name = "near pairs",
                                       TOC_ANSWER_COLUMNS(near_columns),
                                       .order = {sizeof(toc_near_pair), 7, near_ids},
                                       TOC_ANSWER_LIST(toc_near, pairs),
                                       .seconds_at = offsetof(toc_near, seconds),
                                       .check = check_near_kind};

// The distance within which two features are near.
static double near_limit(const toc_pipeline *p, toc_kind kind, const uint32_t v[4]) {
    if (p->narrow.thickest == 0) return p->request->query.test.separation;
    return toc_thickness_add(p->request->query.test.separation, toc_thickness_of_pair(p->request->scene, kind, v));
}

// ---- one pair

// The closest points of a pair at a time, and their distance.
typedef struct near_moment {
    double time, distance;
    toc_closest closest;
} near_moment;

static void place_near_vertex(const toc_step *step, uint32_t vertex, double time, double x[3]) {
    const size_t at = 3 * (size_t)vertex;
    const toc_hull path = {1, step->x0 + at, step->x1 + at, step->control ? step->control + at : NULL};
    if (step->control)
        toc_vec_to(x, toc_hull_corner(&path, 0, time));
    else
        toc_positions_interpolate(time, 3, path.x0, path.x1, NULL, x);
}

static void place_near_points(const toc_step *step, const uint32_t v[4], int second, toc_near_pair *pair) {
    for (int i = 0; i < 4; i++) {
        double x[3];
        place_near_vertex(step, v[i], pair->time, x);
        for (int k = 0; k < 3; k++) pair->points[i >= second][k] += pair->weights[i] * x[k];
    }
}

static toc_status keep_near_pair(toc_worker *w, toc_kind kind, const uint32_t v[4], const near_moment *m,
                                 double limit) {
    const toc_end *end = w->pipeline->request->end;
    const toc_step *step = w->pipeline->step;
    const int second = kind == TOC_VF ? 1 : 2;
    toc_near_pair pair;
    memset(&pair, 0, sizeof pair);
    pair.kind = kind;
    pair.body[0] = toc_step_body(step, v[0]);
    pair.body[1] = toc_step_body(step, v[second]);
    for (int i = 0; i < 4; i++) pair.v[i] = v[i] - step->body_first[pair.body[i >= second]];
    toc_scene_name_vertices(w->pipeline->request->scene, kind, pair.body, pair.v);
    pair.distance = m->distance;
    pair.time = m->time;
    pair.thickness = limit;
    memcpy(pair.weights, m->closest.weights, sizeof pair.weights);
    const toc_vec away = toc_vec_unit(m->closest.gap);
    toc_vec_to(pair.normal, (toc_vec){0 - away.x, 0 - away.y, 0 - away.z});
    place_near_points(step, v, second, &pair);
    if (end) pair.time = *end;
    return toc_worker_keep(w, &pair);
}

// Whether exact arithmetic puts the features farther apart than the limit.
static toc_status instant_is_exactly_farther(toc_worker *w, toc_kind kind, const uint32_t v[4], double limit,
                                             bool *farther) {
    const double *x = w->pipeline->step->x0;
    toc_pair_test test = toc_pair_test_default();
    double at[4][3];
    toc_hit hit;
    for (int i = 0; i < 4; i++) memcpy(at[i], x + 3 * (size_t)v[i], sizeof at[i]);
    const double(*const still)[3] = (const double(*)[3])at;
    test.separation = limit;
    TOC_TRY(toc_pair_find_unchecked(kind, still, still, &test, &w->narrow->scratch, &hit));
    *farther = hit.verdict == TOC_APART;
    return TOC_OK;
}

static toc_status test_near_instant(toc_worker *w, toc_kind kind, const uint32_t v[4]) {
    const double limit = near_limit(w->pipeline, kind, v);
    toc_vec x[4];
    for (int i = 0; i < 4; i++) x[i] = toc_vec_of(w->pipeline->step->x0 + 3 * (size_t)v[i]);
    const toc_local_pair local = toc_local_pair_of(x);
    const toc_closest closest = toc_closest_local(kind, &local);
    const double distance = local.exponent ? ldexp(closest.distance, local.exponent) : closest.distance;
    if (distance > limit) {
        bool farther = toc_gap_exceeds(kind, &local, &closest, ldexp(limit, -local.exponent));
        if (!farther) TOC_TRY(instant_is_exactly_farther(w, kind, v, limit, &farther));
        if (farther) return TOC_OK;
    }
    const near_moment m = {.distance = distance, .closest = closest};
    return keep_near_pair(w, kind, v, &m, limit);
}

static toc_status poll_near_worker(void *user) { return toc_worker_poll(user); }

static toc_status test_near_path(toc_worker *w, toc_kind kind, const toc_quadratic_pair *path,
                                 const toc_pair_test *test, toc_hit *hit) {
    toc_arena *scratch = &w->narrow->scratch;
    if (w->pipeline->step->control) return toc_quadratic_find_unchecked(kind, path, test, scratch, hit);
    return toc_pair_find_unchecked(kind, path->x0, path->x1, test, scratch, hit);
}

static toc_quadratic_pair near_path_of(const toc_step *step, const uint32_t v[4]) {
    toc_quadratic_pair path;
    for (int i = 0; i < 4; i++) {
        const size_t at = 3 * (size_t)v[i];
        memcpy(path.x0[i], step->x0 + at, sizeof path.x0[i]);
        memcpy(path.x1[i], step->x1 + at, sizeof path.x1[i]);
        memcpy(path.control[i], (step->control ? step->control : step->x0) + at, sizeof path.control[i]);
    }
    return path;
}

// A pair that comes within the largest thickness of the scene: ask again for its own, then for the closest approach.
static toc_status test_near_step(toc_worker *w, toc_kind kind, const uint32_t v[4], double asked, toc_hit hit) {
    const toc_step *step = w->pipeline->step;
    const double limit = near_limit(w->pipeline, kind, v);
    const toc_quadratic_pair path = near_path_of(step, v);
    if (limit < asked) {
        toc_pair_test test = toc_pair_test_default();
        test.separation = limit;
        TOC_TRY(test_near_path(w, kind, &path, &test, &hit));
        if (hit.verdict == TOC_APART) return TOC_OK;
    }
    const toc_approach_query query = {.kind = kind,
                                      .path = &path,
                                      .curved = step->control,
                                      .limit = limit,
                                      .hit_time = hit.toc,
                                      .scratch = &w->narrow->scratch,
                                      .poll = poll_near_worker,
                                      .user = w};
    toc_approach approach;
    TOC_TRY(toc_approach_find(&query, &approach));
    const near_moment m = {approach.time, approach.distance, approach.closest};
    return keep_near_pair(w, kind, v, &m, limit);
}

// The same for a pair on parabolas that is yet to be tested.
static toc_status test_near_parabolas(toc_worker *w, toc_kind kind, const uint32_t v[4]) {
    const toc_pair_test *test = &w->pipeline->narrow.test;
    const toc_quadratic_pair path = near_path_of(w->pipeline->step, v);
    toc_hit hit;
    TOC_TRY(test_near_path(w, kind, &path, test, &hit));
    return hit.verdict == TOC_APART ? TOC_OK : test_near_step(w, kind, v, test->separation, hit);
}

// ---- many pairs

static toc_status test_near_hits(toc_worker *w, const toc_pair_batch *batch) {
    const toc_narrow_phase *narrow = &w->pipeline->narrow;
    toc_arena *scratch = &w->narrow->scratch;
    const toc_arena_mark mark = toc_arena_here(scratch);
    const toc_certified_hit *hits;
    size_t count;
    toc_status status = toc_certified_hits(batch, &narrow->prefilter, &narrow->test, scratch, &hits, &count);
    for (size_t i = 0; status == TOC_OK && i < count; i++)
        status = test_near_step(w, batch->kind, batch->vertices[hits[i].pair], narrow->test.separation, hits[i].hit);
    toc_arena_back(scratch, mark);
    return status;
}

static toc_status test_near_chunk(toc_worker *w, const toc_pair_batch *batch) {
    const toc_narrow_phase *narrow = &w->pipeline->narrow;
    assert(batch->count <= TOC_CERTIFIED_CHUNK);
    TOC_TRY(toc_worker_poll(w));
    if (w->pipeline->request->end) {
        uint32_t rest[TOC_CERTIFIED_CHUNK];
        const size_t count = toc_prefilter_at(toc_backend_here(), &narrow->prefilter, batch, &narrow->test, rest);
        for (size_t i = 0; i < count; i++) TOC_TRY(test_near_instant(w, batch->kind, batch->vertices[rest[i]]));
        return TOC_OK;
    }
    if (w->pipeline->step->control) {
        for (size_t i = 0; i < batch->count; i++) TOC_TRY(test_near_parabolas(w, batch->kind, batch->vertices[i]));
        return TOC_OK;
    }
    return test_near_hits(w, batch);
}

static toc_status test_near_pairs(toc_worker *w, toc_kind kind, const toc_feature_pair *pairs, size_t count) {
    const toc_step *step = w->pipeline->step;
    for (size_t i = 0; i < count; i += TOC_CERTIFIED_CHUNK) {
        const toc_pair_batch batch = {.kind = kind,
                                      .count = count - i < TOC_CERTIFIED_CHUNK ? count - i : TOC_CERTIFIED_CHUNK,
                                      .vertices = (const uint32_t(*)[4]) & pairs[i].v,
                                      .body0 = {step->x0, step->x0},
                                      .body1 = {step->x1, step->x1}};
        TOC_TRY(test_near_chunk(w, &batch));
    }
    return TOC_OK;
}

// The last stage: the pairs that the filter wants and that are near become items.
static toc_status run_near(toc_worker *w, size_t stage, const toc_batch *batch) {
    assert(stage + 1 == w->pipeline->stage_count);
    w->stages[stage].in += batch->count;
    if (!toc_narrow_worker_filters(w->narrow)) return test_near_pairs(w, batch->kind, batch->features, batch->count);
    toc_feature_pair *chosen = w->room->chosen;
    for (size_t i = 0, chosen_count; i < batch->count;) {
        i += toc_narrow_worker_choose(w->narrow, batch->kind, batch->features + i, batch->count - i, chosen,
                                      &chosen_count);
        TOC_TRY(test_near_pairs(w, batch->kind, chosen, chosen_count));
    }
    return TOC_OK;
}

// ---- the ways

static const toc_pipeline_stage near_stage = {"near", run_near};

static toc_status plan_near(toc_pipeline *p) {
    toc_pipeline_add_stage(p, &toc_triangle_axes_stage);
    toc_pipeline_add_stage(p, &toc_features_stage);
    toc_pipeline_add_stage(p, &near_stage);
    return toc_tree_plan_question(p, false, p->distance / 2); // on either side
}

static toc_status plan_hashed_near(toc_pipeline *p) {
    TOC_TRY(toc_grid_plan_question(p, p->distance / 2)); // on either side
    toc_pipeline_add_stage(p, &near_stage);
    return TOC_OK;
}

static toc_status plan_listed_near(toc_pipeline *p) {
    assert(p->question->pairs);
    p->pairs = p->question->pairs;
    toc_pipeline_add_stage(p, &near_stage);
    return TOC_OK;
}

// Two primitives of a published preset list all of their features, not those that they represent.
static toc_status finish_near(toc_pipeline *p) {
    TOC_TRY(toc_pipeline_answer(p));
    if (p->request->preset->published) toc_result_keep_distinct(p->answer);
    return TOC_OK;
}

static const toc_way near_way = {.name = "near",
                                 .search_name = "search",
                                 .slot = TOC_SLOT_STATIC_TREE,
                                 .traversal = &toc_tree_traversal,
                                 .fit = toc_tree_fit,
                                 .curved = true,
                                 .chords = true,
                                 .answer = &toc_near_type,
                                 .plan = plan_near,
                                 .finish = finish_near,
                                 .free = toc_tree_free};

// The device finds the pairs; those that it leaves come through the stage.
static toc_status plan_device_near(toc_pipeline *p) {
    toc_pipeline_add_stage(p, &near_stage);
    return toc_device_search_plan(p, p->request->end ? TOC_DEVICE_ASK_NEAR : TOC_DEVICE_ASK_PAIRS);
}

static toc_status finish_device_near(toc_pipeline *p) {
    size_t count;
    const toc_device_array *items = toc_device_search_items(p, &count);
    return toc_pipeline_answer_with(p, count, items->at);
}

static const toc_way device_near_way = {.name = "device near",
                                        .search_name = "outcomes",
                                        .slot = TOC_SLOT_DEVICE,
                                        .traversal = &toc_device_pairs_traversal,
                                        .fit = toc_device_search_fit,
                                        .accept = toc_device_search_accept,
                                        .on_device = true,
                                        .answer = &toc_near_type,
                                        .plan = plan_device_near,
                                        .finish = finish_device_near};

static const toc_way hashed_near_way = {.name = "hashed near",
                                        .search_name = "voxels",
                                        .slot = TOC_SLOT_STATIC_GRID,
                                        .traversal = &toc_static_grid_traversal,
                                        .fit = toc_grid_fit,
                                        .curved = true,
                                        .chords = true,
                                        .answer = &toc_near_type,
                                        .plan = plan_hashed_near,
                                        .hire = toc_grid_hire,
                                        .finish = finish_near};

static const toc_way listed_near_way = {.name = "listed near",
                                        .search_name = "listed",
                                        .slot = TOC_SLOT_LISTED,
                                        .traversal = &toc_listed_traversal,
                                        .fit = toc_listed_fit,
                                        .takes_worlds = true,
                                        .answer = &toc_near_type,
                                        .plan = plan_listed_near,
                                        .finish = finish_near};

// ---- the question

static toc_settings near_settings(const toc_near_query *defaults) {
    return (toc_settings){"toc_near_query_init", sizeof *defaults, sizeof *defaults, defaults};
}

toc_status toc_near_query_begin(void *near, size_t size) {
    const toc_near_query defaults = {.time = TOC_NEAR_AT_START};
    const toc_settings settings = near_settings(&defaults);
    return toc_settings_init(&settings, near, size);
}

toc_status toc_near_query_take(const toc_near_query *given, toc_near_query *near) {
    const toc_near_query defaults = {.size = sizeof defaults};
    const toc_settings settings = near_settings(&defaults);
    TOC_TRY(toc_settings_take(&settings, given ? given : &defaults, near));
    if ((unsigned)near->time > TOC_NEAR_IN_STEP)
        return toc_fail(TOC_BAD_INPUT, "there is no time number %d at which features are near", (int)near->time);
    return toc_thickness_check(near->distance);
}

// The pairs to look at, where the query names candidates. It asks about the whole scene from then on.
static toc_status take_listed_pairs(toc_scene *scene, const toc_preset *preset, const toc_near_query *near,
                                    toc_query *settings, const toc_pair_list **pairs) {
    *pairs = NULL;
    if (!settings->candidates) return TOC_OK;
    if (near->time == TOC_NEAR_IN_STEP)
        return toc_fail(TOC_BAD_INPUT, "near pairs among candidates are those of an end of the step");
    bool surface_only;
    TOC_TRY(toc_candidates_list(scene, settings, preset, near->distance, pairs, &surface_only));
    settings->surface_only = surface_only;
    settings->candidates = NULL;
    return TOC_OK;
}

toc_status toc_scene_find_near(toc_scene *scene, const toc_query *query, const toc_near_query *near, toc_near *reuse,
                               toc_near **out) {
    TOC_SCOPED_ARITHMETIC;
    const toc_preset *preset;
    const toc_pair_list *list;
    toc_query settings;
    toc_near_query asked;
    TOC_USE_SCENE(scene);
    TOC_NEED(out);
    TOC_TRY(toc_near_query_take(near, &asked));
    TOC_TRY(toc_query_take_listed(query, &settings, &preset));
    TOC_TRY(take_listed_pairs(scene, preset, &asked, &settings, &list));
    const toc_end end = asked.time == TOC_NEAR_AT_START ? TOC_AT_START : TOC_AT_END;
    const bool hashed = !list && preset->way == &toc_grid_way;
    const toc_way *way = list ? &listed_near_way : hashed ? &hashed_near_way : &near_way;
    const toc_question_settings own = {.preset = hashed ? preset : NULL,
                                       .end = asked.time == TOC_NEAR_IN_STEP ? NULL : &end,
                                       .distance = asked.distance};
    void *answer = reuse;
    const toc_scene_question question = {
        .way = way, .device_way = way == &near_way ? &device_near_way : NULL, .pairs = list};
    TOC_TRY(toc_question_update(scene, &settings, &own, &question, &answer));
    *out = answer;
    return TOC_OK;
}
