// SPDX-License-Identifier: Apache-2.0
// Vertices within a thickness of each other at one end of the step, for merging (VolCCD, Algorithm 1).
//
// Complete: DOPs of the vertices are grown by half of the largest distance that counts. A distance is off by at most a
// rounding of each difference and a few of the length, together below 2^-50 of it; pairs within 2^-49 are kept.
// O(n log n) and the pairs close by.
#include <math.h>
#include <string.h>

#include "ask/near.h"
#include "ask/question.h"
#include "ask/types.h"
#include "base/arithmetic.h"
#include "scene/scene.h"
#include "scene/thickness.h"
#include "search/solid_tree.h"

static void vertex_pair_ids(const void *item, uint32_t ids[TOC_ORDER_IDS]) {
    const toc_vertex_pair *pair = item;
    memcpy(ids, pair->body, sizeof pair->body);
    memcpy(ids + 2, pair->v, sizeof pair->v);
}

static const toc_column vertex_pair_columns[] = {
    {{"v0", "v1"}, NULL, TOC_COLUMN_VERTEX, 2, offsetof(toc_vertex_pair, v), 0},
    {{"distance"}, NULL, TOC_COLUMN_LENGTH, 1, offsetof(toc_vertex_pair, distance), 0},
    {{"body0", "body1"}, NULL, TOC_COLUMN_ID, 2, offsetof(toc_vertex_pair, body), 0},
};

const toc_answer_type toc_vertex_pair_type = {.name = "vertex pairs",
                                              TOC_ANSWER_COLUMNS(vertex_pair_columns),
                                              .order = {sizeof(toc_vertex_pair), 4, vertex_pair_ids},
                                              TOC_ANSWER_LIST(toc_vertex_pairs, pairs),
                                              .seconds_at = offsetof(toc_vertex_pairs, seconds)};

static double vertex_distance(const double a[3], const double b[3]) {
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static double vertex_limit(const toc_pipeline *p, uint32_t a, uint32_t b) {
    if (p->narrow.thickest == 0) return p->request->query.test.separation;
    return toc_thickness_add(p->request->query.test.separation, toc_thickness_of_vertices(p->request->scene, a, b));
}

// Whether two vertices of a body have an element in common. Lists of elements ascend.
static bool have_common_element(const toc_body *body, uint32_t a, uint32_t b) {
    size_t count[2], i = 0, j = 0;
    const uint32_t *first = toc_elements_around(body, 1, &a, &count[0]);
    const uint32_t *second = toc_elements_around(body, 1, &b, &count[1]);
    while (i < count[0] && j < count[1]) {
        if (first[i] == second[j]) return true;
        *(first[i] < second[j] ? &i : &j) += 1;
    }
    return false;
}

// The vertices as the step numbers them, the lower one first.
static toc_status test_vertices(toc_worker *w, const toc_solid *a, const toc_solid *b) {
    const toc_pipeline *p = w->pipeline;
    const uint32_t v[2] = {a->corners.v[0], b->corners.v[0]};
    const double distance = vertex_distance(p->step->x0 + 3 * (size_t)v[0], p->step->x0 + 3 * (size_t)v[1]);
    const toc_filter *filter = &p->narrow.filter;
    if (distance > vertex_limit(p, v[0], v[1]) * (1 + 0x1p-49)) return TOC_OK;
    if (toc_filter_is_active(filter) && !toc_filter_wants_vertices(filter, v[0], v[1])) return TOC_OK;
    toc_vertex_pair pair;
    memset(&pair, 0, sizeof pair);
    pair.body[0] = a->body;
    pair.body[1] = b->body;
    for (int i = 0; i < 2; i++) pair.v[i] = v[i] - p->step->body_first[pair.body[i]];
    if (a->body == b->body && have_common_element(&p->request->scene->bodies.at[a->body], pair.v[0], pair.v[1]))
        return TOC_OK;
    for (int i = 0; i < 2; i++) pair.v[i] = toc_scene_vertex_id(p->request->scene, pair.body[i], pair.v[i]);
    pair.distance = distance;
    return toc_worker_keep(w, &pair);
}

static toc_status run_near_vertices(toc_worker *w, size_t stage, const toc_batch *batch) {
    w->stages[stage].in += batch->count;
    return toc_solid_pairs_test(w, batch, test_vertices);
}

static toc_status plan_near_vertices(toc_pipeline *p) {
    static const toc_pipeline_stage vertices = {"vertices", run_near_vertices};
    toc_pipeline_add_stage(p, &vertices);
    return TOC_OK;
}

static const toc_way near_vertices_way = {.name = "near vertices",
                                          .search_name = "search",
                                          .slot = TOC_SLOT_SOLID_TREE,
                                          .traversal = &toc_solid_traversal,
                                          .fit = toc_vertex_tree_fit,
                                          .reads_elements = true,
                                          .answer = &toc_vertex_pair_type,
                                          .plan = plan_near_vertices,
                                          .finish = toc_pipeline_answer};

toc_status toc_scene_find_near_vertices(toc_scene *scene, const toc_query *query, const toc_near_query *near,
                                        toc_vertex_pairs **out) {
    TOC_SCOPED_ARITHMETIC;
    const toc_preset *preset;
    toc_query settings;
    toc_near_query asked;
    void *list = NULL;
    TOC_USE_SCENE(scene);
    TOC_NEED(out);
    TOC_TRY(toc_near_query_take(near, &asked));
    if (asked.time == TOC_NEAR_IN_STEP) return toc_fail(TOC_BAD_INPUT, "near vertices are those of an end of the step");
    TOC_TRY(toc_query_take(query, &settings, &preset));
    const toc_end end = asked.time == TOC_NEAR_AT_START ? TOC_AT_START : TOC_AT_END;
    const toc_question_settings own = {.end = &end, .distance = asked.distance};
    TOC_TRY(toc_question_update(scene, &settings, &own, &(toc_scene_question){.way = &near_vertices_way}, &list));
    *out = list;
    return TOC_OK;
}
