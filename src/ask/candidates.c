// SPDX-License-Identifier: Apache-2.0
// Candidates: the pairs of features that can come near in any step close to the one they were found for.
//
// The points within a slack of a straight path are a convex set. A vertex whose positions at both ends of a later step
// are in the set of its path stays in it, on a straight line or on a parabola with its control point in the set, too.
// Bounds that are grown by the slack hold all these sets, so that features without overlapping bounds never meet
// (docs/guarantees.md, G17). Each question looks at all vertices first: O(n), and the candidates.
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/near.h"
#include "ask/question.h"
#include "ask/room.h"
#include "base/vec.h"
#include "mesh/mesh.h"
#include "scene/thickness.h"
#include "search/result.h"
#include "search/search.h"
#include "search/surface_stages.h"
#include "search/tree.h"

// Positions may be off by this part of the largest coordinate: shorter steps are rounded (safe_step.c).
#define ROUNDING_SHARE 0x1p-46

// The state of a body when the candidates were found.
typedef struct known_body {
    const toc_mesh *mesh;
    uint64_t revision;
} known_body;

struct toc_candidates {
    toc_allocator allocator;
    const toc_scene *scene;
    size_t body_count, vertex_count, pair_count;
    known_body *bodies;
    double *x0, *x1; // the paths
    bool surface_only;
    double slack, rounding; // how far from its path a vertex may be
    double distance;        // that the candidates cover, with the thickness of the features
    toc_pair_list list;
    toc_feature_pair *pairs;
};

// ---- finding

// A pair of features, by its vertices as the step numbers them.
typedef struct found_pair {
    toc_kind kind;
    uint32_t v[4];
} found_pair;

static void found_ids(const void *item, uint32_t ids[TOC_ORDER_IDS]) {
    const found_pair *pair = item;
    ids[0] = (uint32_t)pair->kind;
    memcpy(ids + 1, pair->v, sizeof pair->v);
}

static const toc_order found_order = {.item_size = sizeof(found_pair), .id_count = 5, .ids = found_ids};

// The question: pipeline->question.
typedef struct candidate_question {
    double slack, rounding;
    toc_candidates *candidates; // the answer
} candidate_question;

// The last stage: all pairs that the filter wants.
static toc_status run_candidates(toc_worker *w, size_t stage, const toc_batch *batch) {
    const toc_filter *filter = &w->pipeline->narrow.filter;
    const bool filtered = toc_filter_is_active(filter);
    w->stages[stage].in += batch->count;
    TOC_TRY(toc_worker_poll(w));
    for (size_t i = 0; i < batch->count; i++) {
        if (filtered && !toc_filter_wants(filter, batch->kind, batch->features[i].v)) continue;
        found_pair pair = {.kind = batch->kind};
        memcpy(pair.v, batch->features[i].v, sizeof pair.v);
        TOC_TRY(toc_worker_keep(w, &pair));
    }
    return TOC_OK;
}

static double largest_coordinate_at(const toc_step *step) {
    double most = 0;
    for (size_t i = 0; i < 3 * step->vertex_count; i++)
        most = toc_larger(most, toc_larger(fabs(step->x0[i]), fabs(step->x1[i])));
    return most;
}

static toc_status allocate_candidates(const toc_pipeline *p, size_t pair_count, toc_candidates **out) {
    const toc_allocator allocator = p->scene->allocator;
    toc_candidates *c = toc_new(&allocator, 1, sizeof *c);
    if (!c) return TOC_OUT_OF_MEMORY;
    *c = (toc_candidates){.allocator = allocator,
                          .scene = p->scene,
                          .body_count = p->scene->bodies.count,
                          .vertex_count = p->step->vertex_count,
                          .pair_count = pair_count,
                          .surface_only = p->query->surface_only};
    c->bodies = toc_new(&allocator, c->body_count, sizeof *c->bodies);
    c->x0 = toc_new(&allocator, c->vertex_count, 3 * sizeof *c->x0);
    c->x1 = toc_new(&allocator, c->vertex_count, 3 * sizeof *c->x1);
    c->pairs = toc_new(&allocator, pair_count, sizeof *c->pairs);
    if (c->bodies && c->x0 && c->x1 && c->pairs) {
        *out = c;
        return TOC_OK;
    }
    toc_candidates_destroy(c);
    return TOC_OUT_OF_MEMORY;
}

static void fill_candidates(const toc_pipeline *p, const found_pair *found, toc_candidates *c) {
    for (size_t b = 0; b < c->body_count; b++) {
        const toc_mesh *mesh = p->scene->bodies.at[b].mesh;
        c->bodies[b] = (known_body){mesh, toc_mesh_get_revision(mesh)};
    }
    memcpy(c->x0, p->step->x0, 3 * c->vertex_count * sizeof *c->x0);
    memcpy(c->x1, p->step->x1, 3 * c->vertex_count * sizeof *c->x1);
    c->list = (toc_pair_list){.count = c->pair_count, .at = c->pairs};
    for (size_t i = 0; i < c->pair_count; i++) {
        memcpy(c->pairs[i].v, found[i].v, sizeof c->pairs[i].v);
        c->list.vf_count += found[i].kind == TOC_VF;
    }
}

// The bounds are grown by twice the rounding: the look at a position is rounded, too.
static toc_status plan_candidates(toc_pipeline *p) {
    static const toc_pipeline_stage candidates = {"candidates", run_candidates};
    candidate_question *question = p->question;
    const double slack = question->slack;
    // Positions, and the distances from their paths, are off by some subnormal steps at least.
    question->rounding = ROUNDING_SHARE * toc_smaller(largest_coordinate_at(p->step) + slack, DBL_MAX) + 0x1p-1070;
    const double grown = toc_thickness_add(p->distance / 2, slack);
    toc_pipeline_add_stage(p, &toc_features_stage);
    toc_pipeline_add_stage(p, &candidates);
    return toc_tree_plan_question(p, false, toc_thickness_add(grown, 2 * question->rounding) * (1 + 0x1p-40));
}

static toc_status finish_candidates(toc_pipeline *p) {
    candidate_question *question = p->question;
    toc_candidates *c;
    toc_items found = {0};
    // A query with the least memory has moved the pairs to the caller's.
    const toc_allocator *memory = p->scene->thrifty ? &p->scene->allocator : &p->scene->memory;
    toc_status status = toc_pipeline_collect(p, &found_order, memory, &found);
    if (status == TOC_OK) status = allocate_candidates(p, found.count / sizeof(found_pair), &c);
    if (status == TOC_OK) {
        fill_candidates(p, (const found_pair *)found.at, c);
        c->slack = question->slack, c->rounding = question->rounding, c->distance = p->distance;
        question->candidates = c;
    }
    toc_array_free(memory, &found);
    return status;
}

static const toc_way finding_way = {.name = "find candidates",
                                    .search_name = "search",
                                    .index = &toc_static_tree_index,
                                    .plan = plan_candidates,
                                    .finish = finish_candidates,
                                    .free = toc_tree_free};

static toc_status check_candidate_length(double length, const char *what) {
    if (length >= 0 && isfinite(length)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the %s is %g; it must be a number that is not negative", what, length);
}

toc_status toc_scene_find_candidates(toc_scene *scene, const toc_query *query, double slack, double distance,
                                     toc_candidates **out) {
    const toc_preset *preset;
    toc_query settings;
    TOC_USE_SCENE(scene);
    TOC_NEED(out);
    TOC_TRY(toc_query_take(query, &settings, &preset));
    TOC_TRY(check_candidate_length(slack, "slack"));
    TOC_TRY(check_candidate_length(distance, "distance"));
    TOC_TRY(toc_scene_need_straight(scene));
    candidate_question question = {.slack = slack};
    TOC_TRY(toc_question_ask(
        scene, &settings,
        &(toc_scene_question){
            .way = &finding_way, .distance = distance, .item_size = sizeof(found_pair), .own = &question}));
    *out = question.candidates;
    return TOC_OK;
}

size_t toc_candidates_get_count(const toc_candidates *candidates) { return candidates ? candidates->pair_count : 0; }

void toc_candidates_destroy(toc_candidates *candidates) {
    if (!candidates) return;
    toc_candidates *c = candidates;
    const toc_allocator allocator = c->allocator;
    toc_free(&allocator, c->bodies, c->body_count, sizeof *c->bodies);
    toc_free(&allocator, c->x0, c->vertex_count, 3 * sizeof *c->x0);
    toc_free(&allocator, c->x1, c->vertex_count, 3 * sizeof *c->x1);
    toc_free(&allocator, c->pairs, c->pair_count, sizeof *c->pairs);
    toc_free(&allocator, c, 1, sizeof *c);
}

// ---- the promise of the caller

static toc_status check_same_bodies(const toc_candidates *c, const toc_scene *scene) {
    if (c->scene != scene) return toc_fail(TOC_BAD_INPUT, "the candidates are those of another scene");
    if (c->body_count != scene->bodies.count)
        return toc_fail(TOC_STALE,
                        "the scene had %zu bodies when the candidates were found, and has %zu; find them again",
                        c->body_count, scene->bodies.count);
    for (size_t b = 0; b < c->body_count; b++) {
        const toc_mesh *mesh = scene->bodies.at[b].mesh;
        if (c->bodies[b].mesh != mesh || c->bodies[b].revision != toc_mesh_get_revision(mesh))
            return toc_fail(TOC_STALE, "body %zu was edited since the candidates were found; find them again", b);
    }
    return TOC_OK;
}

static toc_vec times_exponent(toc_vec a, int exponent) {
    return (toc_vec){ldexp(a.x, exponent), ldexp(a.y, exponent), ldexp(a.z, exponent)};
}

// Squares of large and of small sizes leave the range of doubles: such vectors are scaled first.
static double distance_from_path(const double *x, const double *a, const double *b) {
    const toc_vec from = toc_vec_of(a);
    toc_vec off = toc_vec_sub(toc_vec_of(x), from), way = toc_vec_sub(toc_vec_of(b), from);
    const double size = toc_larger(toc_vec_max(off), toc_vec_max(way));
    if (!(size > 0) || !isfinite(size)) return size;
    const int exponent = toc_square_is_safe(size * size) ? 0 : ilogb(size);
    if (exponent != 0) off = times_exponent(off, -exponent), way = times_exponent(way, -exponent);
    const double square = toc_vec_dot(way, way), along = toc_vec_dot(off, way);
    const double at = square > 0 ? toc_smaller(toc_larger(along / square, 0), 1) : 0;
    const double away = toc_vec_length(toc_vec_sub(off, toc_vec_scale(way, at)));
    return exponent != 0 ? ldexp(away, exponent) : away;
}

// Differences that overflow are not finite, and not within any slack.
static toc_status check_vertices_stay(const toc_candidates *c, const toc_step *step, const double *x) {
    assert(step->vertex_count == c->vertex_count);
    for (size_t v = 0; v < c->vertex_count && x; v++) {
        const double away = distance_from_path(x + 3 * v, c->x0 + 3 * v, c->x1 + 3 * v);
        if (away <= c->slack + c->rounding) continue;
        const uint32_t body = toc_step_body(step, (uint32_t)v);
        return toc_fail(TOC_STALE,
                        "vertex %u of body %u is %g away from its path, and the candidates allow %g; find "
                        "them again",
                        toc_scene_vertex_id(c->scene, body, (uint32_t)v - step->body_first[body]), body, away,
                        c->slack);
    }
    return TOC_OK;
}

static toc_status check_reach(const toc_candidates *c, const toc_scene *scene, const toc_query *query,
                              double distance) {
    const double wanted = toc_thickness_add(distance, toc_thickness_most(scene, query));
    if (wanted <= c->distance) return TOC_OK;
    return toc_fail(TOC_STALE,
                    "the question reaches %g far with the thickness of the features, and the candidates %g; "
                    "find them again",
                    wanted, c->distance);
}

// Bring the step up to date, and see whether the candidates cover it.
static toc_status check_promise(const toc_candidates *c, toc_scene *scene, const toc_query *query, double distance) {
    TOC_TRY(check_same_bodies(c, scene));
    TOC_TRY(check_reach(c, scene, query, distance));
    TOC_TRY(toc_search_need(scene));
    const int threads = toc_scene_threads(scene, query->threads);
    TOC_TRY(toc_step_update(scene, c->surface_only, threads));
    if (toc_filter_needs_elements(scene, query)) TOC_TRY(toc_step_list_elements(scene, threads));
    TOC_TRY(check_vertices_stay(c, &scene->step, scene->step.x0));
    TOC_TRY(check_vertices_stay(c, &scene->step, scene->step.x1));
    return check_vertices_stay(c, &scene->step, scene->step.control);
}

// ---- contacts

// The reach of the method is known to the narrow phase only.
static toc_status plan_listed(toc_pipeline *p) {
    const toc_candidates *c = p->question;
    p->own = (void *)(uintptr_t)&c->list;
    if (p->narrow.reach <= c->distance) return TOC_OK;
    return toc_fail(TOC_STALE, "the method reports pairs up to %g apart, and the candidates reach %g; find them again",
                    p->narrow.reach, c->distance);
}

static const toc_way candidates_way = {
    .name = "candidates", .search_name = "candidates", .index = &toc_listed_index, .curved = true, .plan = plan_listed};

static toc_status contacts_of_candidates(const toc_candidates *c, toc_scene *scene, const toc_query *query,
                                         const toc_preset *preset, toc_contacts *result) {
    const double start = toc_seconds();
    bool declined;
    toc_pipeline pipeline = {.scene = scene,
                             .kept = scene->search,
                             .step = &scene->step,
                             .query = query,
                             .preset = preset,
                             .way = &candidates_way,
                             .index = &scene->search->indexes[TOC_SLOT_LISTED],
                             .question = (void *)(uintptr_t)c};
    TOC_TRY(toc_pipeline_run(&pipeline, result, &declined));
    result->preset = preset->name;
    result->chosen = candidates_way.name;
    result->seconds = toc_seconds() - start;
    return TOC_OK;
}

typedef struct listed_contacts {
    const toc_candidates *candidates;
    toc_contacts *result;
} listed_contacts;

static toc_status check_and_find_contacts(const toc_asked *asked, void *user) {
    const listed_contacts *q = user;
    TOC_TRY(check_promise(q->candidates, asked->scene, asked->query, asked->query->test.separation));
    return contacts_of_candidates(q->candidates, asked->scene, asked->query, asked->preset, q->result);
}

toc_status toc_candidates_find_contacts(const toc_candidates *candidates, toc_scene *scene, const toc_query *query,
                                        toc_contacts **out) {
    listed_contacts q = {.candidates = candidates};
    const toc_preset *preset;
    toc_query settings;
    toc_query_sink sink;
    TOC_NEED(candidates);
    TOC_USE_SCENE(scene);
    TOC_NEED(out);
    TOC_TRY(toc_query_take(query, &settings, &preset));
    TOC_TRY(toc_result_make(&scene->allocator, &q.result));
    toc_query_watch_sink(&settings, &sink);
    const toc_status status = toc_query_run(&(toc_asked){scene, &settings, preset},
                                            &(toc_query_work){check_and_find_contacts, &q, &sink.is_used});
    if (status != TOC_OK) {
        toc_result_free(q.result);
        return status;
    }
    toc_result_name_vertices(scene, q.result);
    *out = q.result;
    return status;
}

// ---- near pairs

typedef struct promise_check {
    const toc_candidates *candidates;
    double distance;
} promise_check;

static toc_status run_promise_check(const toc_asked *asked, void *user) {
    const promise_check *c = user;
    return check_promise(c->candidates, asked->scene, asked->query, c->distance);
}

toc_status toc_candidates_find_near(const toc_candidates *candidates, toc_scene *scene, const toc_query *query,
                                    toc_end end, double thickness, toc_near **out) {
    const toc_preset *preset;
    toc_query settings;
    TOC_NEED(candidates);
    TOC_USE_SCENE(scene);
    TOC_NEED(out);
    TOC_TRY(toc_query_take(query, &settings, &preset));
    TOC_TRY(toc_thickness_check(thickness));
    promise_check check = {candidates, thickness};
    TOC_TRY(toc_query_run(&(toc_asked){scene, &settings, preset}, &(toc_query_work){run_promise_check, &check, NULL}));
    settings.surface_only = candidates->surface_only;
    toc_near *near = NULL;
    TOC_TRY(toc_near_update_listed(scene, &settings, &end, thickness, &candidates->list, &near));
    *out = near;
    return TOC_OK;
}

// ---- the step that leaves room

typedef struct listed_room {
    const toc_candidates *candidates;
    const toc_asked *asked; // with the minimum distance as the separation of its query
    const toc_room *room;
    toc_room_step step; // the answer
} listed_room;

static toc_status search_listed_for_room(void *user, const toc_query *query, toc_contacts *result) {
    const listed_room *q = user;
    return contacts_of_candidates(q->candidates, q->asked->scene, query, q->asked->preset, result);
}

static toc_status run_listed_room(const toc_asked *asked, void *user) {
    listed_room *q = user;
    toc_scene *scene = asked->scene;
    toc_query query = *asked->query;
    const double minimum = query.test.separation;
    q->asked = asked;
    TOC_TRY(check_promise(q->candidates, scene, &query, minimum));
    const toc_room_limits limits = toc_room_limits_of(scene, &query, q->room);
    query.test.separation = toc_thickness_add(minimum, limits.most);
    TOC_TRY(check_reach(q->candidates, scene, &query, query.test.separation));
    return toc_room_find(scene, &limits, &query, &(toc_room_source){search_listed_for_room, q}, &q->step);
}

toc_status toc_candidates_find_room_step(const toc_candidates *candidates, toc_scene *scene, const toc_query *query,
                                         const toc_room *room, toc_room_step *out) {
    const toc_preset *preset;
    toc_query settings;
    toc_room wanted;
    TOC_NEED(candidates);
    TOC_USE_SCENE(scene);
    TOC_NEED(out);
    listed_room q = {.candidates = candidates, .room = &wanted};
    TOC_TRY(toc_room_take(query, room, &settings, &preset, &wanted));
    TOC_TRY(toc_query_run(&(toc_asked){scene, &settings, preset}, &(toc_query_work){run_listed_room, &q, NULL}));
    if (q.step.limited) toc_scene_name_vertices(scene, q.step.kind, q.step.body, q.step.v);
    *out = q.step;
    return TOC_OK;
}
