// SPDX-License-Identifier: Apache-2.0
// Candidates: the pairs of features that can come near in any step close to the one they were found for.
//
// The points within a slack of a straight path are a convex set. A vertex whose positions at both ends of a later step
// are in the set of its path stays in it, on a straight line or on a parabola with its control point in the set, too.
// Bounds that are grown by the slack hold all these sets, so that features without overlapping bounds never meet
// (docs/guarantees.md, G17). Each question looks at all vertices first: O(n), and the candidates.
#include "ask/candidates.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/question.h"
#include "base/arithmetic.h"
#include "base/vec.h"
#include "mesh/mesh.h"
#include "scene/thickness.h"
#include "search/contacts.h"
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
    double *x0, *x1; // the paths; none of candidates that the caller named
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

static const toc_answer_type found_type = {.order = {sizeof(found_pair), 5, found_ids}};

// The question: pipeline->question->found.
typedef struct candidate_search {
    double slack, rounding;
    toc_candidates *candidates; // the answer
} candidate_search;

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

// With the bodies as they are now.
static toc_status allocate_candidates(const toc_request *request, size_t vertex_count, size_t pair_count,
                                      toc_candidates **out) {
    const toc_allocator allocator = request->scene->allocator;
    toc_candidates *c = toc_new(&allocator, 1, sizeof *c);
    if (!c) return TOC_OUT_OF_MEMORY;
    *c = (toc_candidates){.allocator = allocator,
                          .scene = request->scene,
                          .body_count = request->scene->bodies.count,
                          .vertex_count = vertex_count,
                          .pair_count = pair_count,
                          .surface_only = request->query.surface_only};
    c->bodies = toc_new(&allocator, c->body_count, sizeof *c->bodies);
    c->x0 = toc_new(&allocator, c->vertex_count, 3 * sizeof *c->x0);
    c->x1 = toc_new(&allocator, c->vertex_count, 3 * sizeof *c->x1);
    c->pairs = toc_new(&allocator, pair_count, sizeof *c->pairs);
    if (!c->bodies || !c->x0 || !c->x1 || !c->pairs) {
        toc_candidates_destroy(c);
        return TOC_OUT_OF_MEMORY;
    }
    for (size_t b = 0; b < c->body_count; b++) {
        const toc_mesh *mesh = request->scene->bodies.at[b].mesh;
        c->bodies[b] = (known_body){mesh, toc_mesh_get_revision(mesh)};
    }
    *out = c;
    return TOC_OK;
}

static void fill_candidates(const toc_pipeline *p, const found_pair *found, toc_candidates *c) {
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
    candidate_search *question = p->question->found;
    const double slack = question->slack, most = toc_scene_largest_coordinate(p->request->scene);
    // Positions, and the distances from their paths, are off by some subnormal steps at least.
    question->rounding = ROUNDING_SHARE * toc_smaller(most + slack, DBL_MAX) + 0x1p-1070;
    const double grown = toc_thickness_add(p->distance / 2, slack);
    toc_pipeline_add_stage(p, &toc_features_stage);
    toc_pipeline_add_stage(p, &candidates);
    return toc_tree_plan_question(p, false, toc_thickness_add(grown, 2 * question->rounding) * (1 + 0x1p-40));
}

static toc_status finish_candidates(toc_pipeline *p) {
    candidate_search *question = p->question->found;
    toc_candidates *c;
    toc_items found = {0};
    // A query with the least memory has moved the pairs to the caller's.
    const toc_allocator *memory = p->request->thrifty ? &p->request->scene->allocator : &p->request->scene->memory;
    toc_status status = toc_pipeline_collect(p, memory, &found);
    if (status == TOC_OK)
        status = allocate_candidates(p->request, p->step->vertex_count, found.count / sizeof(found_pair), &c);
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
                                    .slot = TOC_SLOT_STATIC_TREE,
                                    .traversal = &toc_tree_traversal,
                                    .fit = toc_tree_fit,
                                    .takes_worlds = true,
                                    .answer = &found_type,
                                    .plan = plan_candidates,
                                    .finish = finish_candidates,
                                    .free = toc_tree_free};

static toc_status check_candidate_length(double length, const char *what) {
    if (length >= 0 && isfinite(length)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the %s is %g; it must be a number that is not negative", what, length);
}

toc_status toc_scene_find_candidates(toc_scene *scene, const toc_query *query, double slack, double distance,
                                     toc_candidates **out) {
    TOC_SCOPED_ARITHMETIC;
    const toc_preset *preset;
    toc_query settings;
    TOC_USE_SCENE(scene);
    TOC_NEED(out);
    TOC_TRY(toc_query_take(query, &settings, &preset));
    TOC_TRY(check_candidate_length(slack, "slack"));
    TOC_TRY(check_candidate_length(distance, "distance"));
    TOC_TRY(toc_scene_need_straight(scene));
    candidate_search question = {.slack = slack};
    TOC_TRY(toc_question_ask(scene, &settings, &(toc_question_settings){.distance = distance},
                             &(toc_scene_question){.way = &finding_way, .found = &question}));
    *out = question.candidates;
    return TOC_OK;
}

// ---- making them of the caller's pairs

// The pairs of the caller: question->named.
typedef struct named_pairs {
    size_t count;
    const toc_contact *at;
    toc_candidates *candidates; // the answer
} named_pairs;

// The vertex that a step sees, over all bodies.
static toc_status number_vertex(const toc_scene *scene, uint32_t body, uint32_t id, uint32_t *out) {
    uint32_t vertex;
    if (body >= scene->bodies.count || !scene->bodies.at[body].mesh || !toc_scene_find_vertex(scene, body, id, &vertex))
        return toc_fail(TOC_BAD_INPUT, "there is no vertex %u of body %u", id, body);
    *out = scene->step.body_first[body] + vertex;
    return TOC_OK;
}

static toc_status adopt_pair(const toc_scene *scene, const toc_contact *pair, toc_feature_pair *out) {
    if (pair->kind != TOC_VF && pair->kind != TOC_EE)
        return toc_fail(TOC_BAD_INPUT, "the kind of a pair is %d", (int)pair->kind);
    const int second = pair->kind == TOC_VF ? 1 : 2;
    for (int k = 0; k < 4; k++) TOC_TRY(number_vertex(scene, pair->body[k >= second], pair->v[k], &out->v[k]));
    return TOC_OK;
}

static toc_status adopt_pairs(const toc_scene *scene, const named_pairs *named, toc_candidates *c) {
    for (size_t i = 0; i < named->count; i++) {
        if (i > 0 && toc_contact_compare(&named->at[i - 1], &named->at[i]) >= 0)
            return toc_fail(TOC_BAD_INPUT, "pair %zu is not behind the one before it, in the order of a result", i);
        TOC_TRY(adopt_pair(scene, &named->at[i], &c->pairs[i]));
        c->list.vf_count += named->at[i].kind == TOC_VF;
    }
    c->list.count = named->count;
    c->list.at = c->pairs;
    return TOC_OK;
}

static toc_status run_naming(const toc_request *request, toc_scene_question *question) {
    named_pairs *named = question->named;
    toc_candidates *c;
    if (toc_scene_has_worlds(request->scene))
        return toc_fail(TOC_BAD_INPUT, "candidates cannot be made of pairs in a scene with a world");
    TOC_TRY(toc_request_update_step(request, request->query.surface_only, false));
    TOC_TRY(allocate_candidates(request, 0, named->count, &c));
    c->slack = c->distance = INFINITY;
    const toc_status status = adopt_pairs(request->scene, named, c);
    if (status == TOC_OK) {
        named->candidates = c;
    } else {
        toc_candidates_destroy(c);
    }
    return status;
}

toc_status toc_scene_make_candidates(toc_scene *scene, const toc_query *query, size_t count, const toc_contact *pairs,
                                     toc_candidates **out) {
    TOC_SCOPED_ARITHMETIC;
    const toc_preset *preset;
    toc_query settings;
    TOC_USE_SCENE(scene);
    TOC_NEED(out);
    if (count > 0) TOC_NEED(pairs);
    TOC_TRY(toc_query_take(query, &settings, &preset));
    TOC_TRY(toc_search_need(scene));
    named_pairs named = {.count = count, .at = pairs};
    const toc_request request = toc_request_make(scene, &settings, preset);
    TOC_TRY(toc_query_run(&request, &(toc_scene_question){.run = run_naming, .named = &named}));
    *out = named.candidates;
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
    if (!isfinite(c->slack)) return TOC_OK;
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

toc_status toc_candidates_check_reach(const toc_request *request, double distance) {
    const toc_candidates *candidates = request->query.candidates;
    const double wanted = toc_thickness_add(distance, toc_thickness_most(request->scene, &request->query));
    if (wanted <= candidates->distance) return TOC_OK;
    return toc_fail(TOC_STALE,
                    "the question reaches %g far with the thickness of the features, and the candidates %g; "
                    "find them again",
                    wanted, candidates->distance);
}

toc_status toc_candidates_check(const toc_request *request, double distance) {
    const toc_candidates *c = request->query.candidates;
    const toc_step *step = &request->scene->step;
    TOC_TRY(check_same_bodies(c, request->scene));
    TOC_TRY(toc_candidates_check_reach(request, distance));
    TOC_TRY(toc_search_need(request->scene));
    TOC_TRY(toc_request_update_step(request, c->surface_only, false));
    TOC_TRY(check_vertices_stay(c, step, step->x0));
    TOC_TRY(check_vertices_stay(c, step, step->x1));
    return check_vertices_stay(c, step, step->control);
}

// ---- contacts

// The reach of the method is known to the narrow phase only.
static toc_status plan_listed(toc_pipeline *p) {
    const toc_candidates *c = p->request->query.candidates;
    p->pairs = &c->list;
    if (p->narrow.reach <= c->distance) return TOC_OK;
    return toc_fail(TOC_STALE, "the method reports pairs up to %g apart, and the candidates reach %g; find them again",
                    p->narrow.reach, c->distance);
}

static const toc_way candidates_way = {.name = "candidates",
                                       .search_name = "candidates",
                                       .slot = TOC_SLOT_LISTED,
                                       .traversal = &toc_listed_traversal,
                                       .fit = toc_listed_fit,
                                       .curved = true,
                                       .plan = plan_listed};

toc_status toc_candidates_search(const toc_request *request, toc_contacts *result) {
    const double start = toc_seconds();
    bool declined;
    toc_pipeline pipeline = {.request = request,
                             .kept = request->scene->search,
                             .step = &request->scene->step,
                             .way = &candidates_way,
                             .index = &request->scene->search->indexes[TOC_SLOT_LISTED]};
    TOC_TRY(toc_pipeline_run(&pipeline, result, &declined));
    result->preset = request->preset->name;
    result->chosen = candidates_way.name;
    result->seconds = toc_seconds() - start;
    return TOC_OK;
}

toc_status toc_candidates_find(const toc_request *request, toc_scene_question *question) {
    TOC_TRY(toc_candidates_check(request, request->query.test.separation));
    return toc_candidates_search(request, question->contacts);
}

// ---- near pairs

static toc_status check_for_near(const toc_request *request, toc_scene_question *question) {
    (void)question;
    return toc_candidates_check(request, request->query.test.separation);
}

toc_status toc_candidates_list(toc_scene *scene, const toc_query *query, const toc_preset *preset, double distance,
                               const toc_pair_list **pairs, bool *surface_only) {
    toc_request check = toc_request_make(scene, query, preset);
    check.query.test.separation = distance;
    TOC_TRY(toc_query_run(&check, &(toc_scene_question){.run = check_for_near}));
    *pairs = &query->candidates->list;
    *surface_only = query->candidates->surface_only;
    return TOC_OK;
}
