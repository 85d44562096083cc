// SPDX-License-Identifier: Apache-2.0
// Overlaps at one end of the step: faces that cross, and volume elements that reach into each other.
//
// DOPs contain their faces and elements, rounding included, and each pair of overlapping DOPs is decided exactly
// (src/convex/overlap.c). The list is therefore the true one for any finite input. O(n log n) and the pairs close by.
#include <assert.h>
#include <string.h>

#include "ask/question.h"
#include "ask/types.h"
#include "base/arithmetic.h"
#include "convex/fold.h"
#include "convex/overlap.h"
#include "scene/scene.h"
#include "search/solid_tree.h"
#include "search/surface_stages.h"
#include "search/tree.h"

static void overlap_ids(const void *item, uint32_t ids[TOC_ORDER_IDS]) {
    const toc_overlap_pair *pair = item;
    memcpy(ids, pair->body, sizeof pair->body);
    memcpy(ids + 2, pair->v, sizeof pair->v);
    memcpy(ids + 8, pair->element, sizeof pair->element);
}

#define AT(member) offsetof(toc_overlap_pair, member)
static const toc_column overlap_columns[] = {
    {{"kind"}, NULL, TOC_COLUMN_HAS_FACE, 1, AT(v), 0},
    {{"a0", "a1", "a2", "b0", "b1", "b2"}, "faces", TOC_COLUMN_FACES, 6, AT(v), 4},
    {{"depth"}, "depth", TOC_COLUMN_REAL, 1, AT(depth), 2},
    {{"body0", "body1"}, "bodies", TOC_COLUMN_ID, 2, AT(body), 5},
    {{"x", "y", "z"}, "Points", TOC_COLUMN_REAL, 3, AT(point), 1},
    {{"nx", "ny", "nz"}, "normal", TOC_COLUMN_REAL, 3, AT(normal), 3},
};
#undef AT

const toc_answer_type toc_overlap_type = {.name = "overlaps",
                                          TOC_ANSWER_COLUMNS(overlap_columns),
                                          .order = {sizeof(toc_overlap_pair), 10, overlap_ids},
                                          TOC_ANSWER_LIST(toc_overlaps, pairs),
                                          .seconds_at = offsetof(toc_overlaps, seconds)};

// A vertex of both; UINT32_MAX if there is none.
static uint32_t shared_vertex(const toc_solid_corners *a, const toc_solid_corners *b) {
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            if (a->v[i] == b->v[j]) return a->v[i];
    return UINT32_MAX;
}

static bool share_vertex(const toc_solid_corners *a, const toc_solid_corners *b) {
    return shared_vertex(a, b) != UINT32_MAX;
}

static void overlaps_place_corners(const toc_step *step, const toc_solid_corners *of, double *x) {
    assert(of->count >= 3 && of->count <= TOC_HULL_CORNERS);
    const int count = of->count < TOC_HULL_CORNERS ? of->count : TOC_HULL_CORNERS; // tells the compiler
    for (int i = 0; i < count; i++) memcpy(x + 3 * i, step->x0 + 3 * (size_t)of->v[i], 3 * sizeof *x);
}

static toc_status find_overlap(toc_worker *w, const toc_solid_corners *a, const toc_solid_corners *b,
                               toc_overlap *found) {
    double x[3 * TOC_HULL_CORNERS], y[3 * TOC_HULL_CORNERS];
    overlaps_place_corners(w->pipeline->step, a, x);
    overlaps_place_corners(w->pipeline->step, b, y);
    const toc_hull first = {.count = a->count, .x0 = x, .x1 = x}, second = {.count = b->count, .x0 = y, .x1 = y};
    return toc_overlap_find_unchecked(&first, &second, &w->narrow->scratch, found);
}

static toc_status keep_overlap(toc_worker *w, const toc_overlap *found, toc_overlap_pair *pair) {
    pair->depth = found->depth;
    memcpy(pair->normal, found->normal, sizeof pair->normal);
    memcpy(pair->point, found->point, sizeof pair->point);
    return toc_worker_keep(w, pair);
}

// ---- faces

// Replace the ids of a patch by those of its world.
static void name_face(const toc_scene *scene, toc_overlap_pair *pair, int i) {
    pair->element[i] = toc_scene_element_id(scene, pair->body[i], pair->element[i]);
    for (int j = 0; j < 3; j++) pair->v[i][j] = toc_scene_vertex_id(scene, pair->body[i], pair->v[i][j]);
}

static void name_faces(const toc_pipeline *p, const uint32_t *const faces[2], toc_overlap_pair *pair) {
    const toc_step *step = p->step;
    for (int i = 0; i < 2; i++) {
        size_t count;
        pair->body[i] = toc_step_body(step, faces[i][0]);
        for (int j = 0; j < 3; j++) pair->v[i][j] = faces[i][j] - step->body_first[pair->body[i]];
        pair->element[i] = *toc_elements_around(&p->request->scene->bodies.at[pair->body[i]], 3, pair->v[i], &count);
        name_face(p->request->scene, pair, i);
    }
}

// Few pairs overlap, so the elements of the others are not looked up.
static toc_status test_faces(toc_worker *w, const uint32_t a[3], const uint32_t b[3]) {
    const toc_filter *filter = &w->pipeline->narrow.filter;
    const toc_solid_corners first = {3, {a[0], a[1], a[2]}}, second = {3, {b[0], b[1], b[2]}};
    toc_overlap found;
    if (share_vertex(&first, &second)) return TOC_OK;
    if (toc_filter_is_active(filter) && !toc_filter_wants_faces(filter, a, b)) return TOC_OK;
    TOC_TRY(find_overlap(w, &first, &second, &found));
    if (found.verdict == TOC_APART) return TOC_OK;
    toc_overlap_pair pair;
    memset(&pair, 0, sizeof pair);
    name_faces(w->pipeline, (const uint32_t *const[2]){a, b}, &pair);
    return keep_overlap(w, &found, &pair);
}

static bool is_face_before(const uint32_t a[3], const uint32_t b[3]) {
    if (a[0] != b[0]) return a[0] < b[0];
    return a[1] != b[1] ? a[1] < b[1] : a[2] < b[2];
}

static toc_status run_face_overlaps(toc_worker *w, size_t stage, const toc_batch *batch) {
    const toc_representatives *representatives = &toc_tree_of(w->pipeline)->representatives;
    assert(w->pipeline->distance == 0 && stage + 1 == w->pipeline->stage_count);
    w->stages[stage].in += batch->count;
    for (size_t i = 0; i < batch->count; i++) {
        const uint32_t *a = representatives->at[batch->leaves[i].a].face;
        const uint32_t *b = representatives->at[batch->leaves[i].b].face;
        if (a[0] == UINT32_MAX || b[0] == UINT32_MAX) continue;
        TOC_TRY(is_face_before(a, b) ? test_faces(w, a, b) : test_faces(w, b, a));
    }
    return TOC_OK;
}

static toc_status plan_face_overlaps(toc_pipeline *p) {
    static const toc_pipeline_stage faces = {"faces", run_face_overlaps};
    toc_pipeline_add_stage(p, &toc_triangle_axes_stage);
    toc_pipeline_add_stage(p, &faces);
    TOC_TRY(toc_tree_plan_question(p, true, p->distance / 2));
    return toc_tree_part_neighbours(p);
}

static const toc_way face_overlaps_way = {.name = "face overlaps",
                                          .search_name = "search",
                                          .slot = TOC_SLOT_STATIC_TREE,
                                          .traversal = &toc_tree_traversal,
                                          .fit = toc_tree_fit,
                                          .thin = true,
                                          .reads_elements = true,
                                          .answer = &toc_overlap_type,
                                          .plan = plan_face_overlaps,
                                          .finish = toc_pipeline_answer,
                                          .free = toc_tree_free};

// ---- volume elements

// The corners of a tet, one of them first.
static void order_corners(const toc_step *step, const toc_solid_corners *tet, uint32_t first, const double *out[4]) {
    int at = 0;
    while (tet->v[at] != first) at++;
    for (int i = 0; i < 4; i++) out[i] = step->x0 + 3 * (size_t)tet->v[(at + i) % 4];
}

// Elements with a common vertex always share a point. Tets overlap if their interiors meet; the hulls of other shapes
// may meet where their bent faces do not, so these are left out.
static toc_status find_fold(toc_worker *w, const toc_solid_corners *a, const toc_solid_corners *b, toc_overlap *found) {
    const double *x[4], *y[4];
    bool folded;
    found->verdict = TOC_APART;
    if (a->count != 4 || b->count != 4) return TOC_OK;
    const uint32_t shared = shared_vertex(a, b);
    order_corners(w->pipeline->step, a, shared, x);
    order_corners(w->pipeline->step, b, shared, y);
    TOC_TRY(toc_tets_are_folded(x, y, &w->narrow->scratch, &folded));
    return folded ? find_overlap(w, a, b, found) : TOC_OK;
}

static toc_status test_solids(toc_worker *w, const toc_solid *a, const toc_solid *b) {
    const toc_scene *scene = w->pipeline->request->scene;
    const toc_filter *filter = &w->pipeline->narrow.filter;
    if (toc_filter_is_active(filter) && !toc_filter_wants_elements(filter, (const uint32_t[]){a->body, b->body},
                                                                   (const uint32_t[]){a->element, b->element}))
        return TOC_OK;
    toc_overlap_pair pair;
    memset(&pair, 0, sizeof pair);
    memset(pair.v, 0xff, sizeof pair.v); // UINT32_MAX
    pair.body[0] = a->body;
    pair.body[1] = b->body;
    pair.element[0] = toc_scene_element_id(scene, a->body, a->element);
    pair.element[1] = toc_scene_element_id(scene, b->body, b->element);
    toc_overlap found;
    TOC_TRY(share_vertex(&a->corners, &b->corners) ? find_fold(w, &a->corners, &b->corners, &found)
                                                   : find_overlap(w, &a->corners, &b->corners, &found));
    return found.verdict == TOC_APART ? TOC_OK : keep_overlap(w, &found, &pair);
}

static toc_status run_solid_overlaps(toc_worker *w, size_t stage, const toc_batch *batch) {
    w->stages[stage].in += batch->count;
    return toc_solid_pairs_test(w, batch, test_solids);
}

static toc_status plan_solid_overlaps(toc_pipeline *p) {
    static const toc_pipeline_stage solids = {"elements", run_solid_overlaps};
    toc_pipeline_add_stage(p, &solids);
    return TOC_OK;
}

static const toc_way solid_overlaps_way = {.name = "element overlaps",
                                           .search_name = "search",
                                           .slot = TOC_SLOT_SOLID_TREE,
                                           .traversal = &toc_solid_traversal,
                                           .fit = toc_solid_tree_fit,
                                           .thin = true,
                                           .reads_elements = true,
                                           .answer = &toc_overlap_type,
                                           .plan = plan_solid_overlaps,
                                           .finish = toc_pipeline_answer};

// ---- the two questions

static toc_status find_overlap_pairs(toc_scene *scene, const toc_query *query, toc_end end, const toc_way *way,
                                     toc_overlaps *reuse, toc_overlaps **out) {
    const toc_preset *preset;
    toc_query settings;
    TOC_USE_SCENE(scene);
    TOC_NEED(out);
    TOC_TRY(toc_query_take(query, &settings, &preset));
    void *list = reuse;
    TOC_TRY(toc_question_update(scene, &settings, &(toc_question_settings){.end = &end},
                                &(toc_scene_question){.way = way}, &list));
    *out = list;
    return TOC_OK;
}

toc_status toc_scene_find_overlaps_of(toc_scene *scene, const toc_query *query, toc_end end, toc_overlaps_of of,
                                      toc_overlaps *reuse, toc_overlaps **out) {
    TOC_SCOPED_ARITHMETIC;
    if (of != TOC_OVERLAPS_OF_FACES && of != TOC_OVERLAPS_OF_ELEMENTS)
        return toc_fail(TOC_BAD_INPUT, "overlaps are of faces or elements, not of item %d", (int)of);
    const toc_way *way = of == TOC_OVERLAPS_OF_FACES ? &face_overlaps_way : &solid_overlaps_way;
    return find_overlap_pairs(scene, query, end, way, reuse, out);
}
