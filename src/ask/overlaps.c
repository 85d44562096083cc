// SPDX-License-Identifier: Apache-2.0
// Overlaps at one end of the step: faces that cross, and volume elements that reach into each other.
//
// DOPs contain their faces and elements, rounding included, and each pair of overlapping DOPs is decided exactly
// (src/convex/overlap.c). The list is therefore the true one for any finite input. O(n log n) and the pairs close by.
#include <string.h>

#include "ask/query.h"
#include "ask/static_search.h"
#include "base/threads.h"
#include "convex/overlap.h"
#include "search/surface_tree.h"

typedef struct overlap_result {
    toc_overlaps overlaps; // the first field: a pointer to one is a pointer to the other
    toc_allocator allocator;
    toc_static_items items;
} overlap_result;

static void overlap_ids(const void *item, uint32_t ids[TOC_ORDER_IDS]) {
    const toc_overlap_pair *pair = item;
    memcpy(ids, pair->body, sizeof pair->body);
    memcpy(ids + 2, pair->v, sizeof pair->v);
    memcpy(ids + 8, pair->element, sizeof pair->element);
}

static const toc_order overlap_order = {.item_size = sizeof(toc_overlap_pair), .id_count = 10, .ids = overlap_ids};

static toc_status make_overlap_result(const toc_allocator *allocator, overlap_result **out) {
    overlap_result *r = toc_new(allocator, 1, sizeof *r);
    if (!r) return TOC_OUT_OF_MEMORY;
    r->allocator = *allocator;
    *out = r;
    return TOC_OK;
}

static toc_status finish_overlaps(const toc_static_search *search, overlap_result *r) {
    const toc_status status = toc_static_collect(search, &overlap_order, &r->allocator, &r->items);
    r->overlaps.pairs = (const toc_overlap_pair *)r->items.at;
    r->overlaps.count = r->items.count / sizeof *r->overlaps.pairs;
    return status;
}

void toc_overlaps_destroy(toc_overlaps *overlaps) {
    if (!overlaps) return;
    overlap_result *r = (overlap_result *)overlaps;
    const toc_allocator allocator = r->allocator;
    toc_array_free(&allocator, &r->items);
    toc_free(&allocator, r, 1, sizeof *r);
}

// Up to eight vertices as the step numbers them, and where they are.
typedef struct corners {
    int count;
    uint32_t v[TOC_HULL_CORNERS];
} corners;

static bool share_vertex(const corners *a, const corners *b) {
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            if (a->v[i] == b->v[j]) return true;
    return false;
}

static void overlaps_place_corners(const toc_step *step, const corners *of, double *x) {
    const int count = of->count < TOC_HULL_CORNERS ? of->count : TOC_HULL_CORNERS; // tells the compiler
    for (int i = 0; i < count; i++) memcpy(x + 3 * i, step->x0 + 3 * (size_t)of->v[i], 3 * sizeof *x);
}

static toc_status find_overlap(toc_static_worker *w, const corners *a, const corners *b, toc_overlap *found) {
    double x[3 * TOC_HULL_CORNERS], y[3 * TOC_HULL_CORNERS];
    overlaps_place_corners(&w->all->step, a, x);
    overlaps_place_corners(&w->all->step, b, y);
    const toc_hull first = {.count = a->count, .x0 = x, .x1 = x}, second = {.count = b->count, .x0 = y, .x1 = y};
    return toc_overlap_find_unchecked(&first, &second, &w->scratch, found);
}

static toc_status keep_overlap(toc_static_worker *w, const toc_overlap *found, toc_overlap_pair *pair) {
    pair->depth = found->depth;
    memcpy(pair->normal, found->normal, sizeof pair->normal);
    memcpy(pair->point, found->point, sizeof pair->point);
    return toc_static_keep(w, pair);
}

// ---- faces

// Replace the ids of a patch by those of its world.
static void name_face(const toc_scene *scene, toc_overlap_pair *pair, int i) {
    pair->element[i] = toc_scene_element_id(scene, pair->body[i], pair->element[i]);
    for (int j = 0; j < 3; j++) pair->v[i][j] = toc_scene_vertex_id(scene, pair->body[i], pair->v[i][j]);
}

static void name_faces(toc_static_worker *w, const uint32_t *const faces[2], toc_overlap_pair *pair) {
    const toc_step *step = &w->all->step;
    for (int i = 0; i < 2; i++) {
        size_t count;
        pair->body[i] = toc_step_body(step, faces[i][0]);
        for (int j = 0; j < 3; j++) pair->v[i][j] = faces[i][j] - step->body_first[pair->body[i]];
        pair->element[i] = *toc_elements_around(&w->all->scene->bodies.at[pair->body[i]], 3, pair->v[i], &count);
        name_face(w->all->scene, pair, i);
    }
}

// Few pairs overlap, so the elements of the others are not looked up.
static toc_status test_faces(toc_static_worker *w, const uint32_t a[3], const uint32_t b[3]) {
    const corners first = {3, {a[0], a[1], a[2]}}, second = {3, {b[0], b[1], b[2]}};
    toc_overlap found;
    if (share_vertex(&first, &second)) return TOC_OK;
    if (toc_filter_is_active(&w->all->filter) && !toc_filter_wants_faces(&w->all->filter, a, b)) return TOC_OK;
    TOC_TRY(find_overlap(w, &first, &second, &found));
    if (found.verdict == TOC_APART) return TOC_OK;
    toc_overlap_pair pair;
    memset(&pair, 0, sizeof pair);
    name_faces(w, (const uint32_t *const[2]){a, b}, &pair);
    return keep_overlap(w, &found, &pair);
}

static bool is_face_before(const uint32_t a[3], const uint32_t b[3]) {
    if (a[0] != b[0]) return a[0] < b[0];
    return a[1] != b[1] ? a[1] < b[1] : a[2] < b[2];
}

static toc_status take_faces(void *user, const toc_leaf_pair *pairs, size_t count) {
    toc_static_worker *w = user;
    const toc_represented_dops *owned = &w->all->tree->represented;
    toc_leaf_pair kept[TOC_LEAF_PAIRS + 1];
    count = toc_static_separate(w, 0, pairs, count, kept);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *a = owned->representatives->at[kept[i].a].face;
        const uint32_t *b = owned->representatives->at[kept[i].b].face;
        if (a[0] == UINT32_MAX || b[0] == UINT32_MAX) continue;
        TOC_TRY(is_face_before(a, b) ? test_faces(w, a, b) : test_faces(w, b, a));
    }
    return TOC_OK;
}

static toc_status find_face_overlaps(toc_static_search *search) {
    search->bare = true;
    TOC_TRY(toc_static_part_neighbours(search));
    TOC_TRY(toc_static_tree(search, 0));
    return toc_static_run(search, &search->tree->bvh, take_faces);
}

// ---- volume elements, with a tree of their own

typedef struct solid_element {
    uint32_t body, element;
    corners at;
} solid_element;

typedef struct solids {
    toc_static_search search; // the first field: workers point to it
    size_t count;
    solid_element *at;
    toc_bvh bvh;
} solids;

static bool is_volume_shape(toc_shape shape) { return shape >= TOC_TET; }

static toc_status list_solids(solids *s) {
    const toc_scene *scene = s->search.scene;
    s->at = toc_arena_new(&s->search.arena, s->search.step.element_count, sizeof *s->at);
    if (!s->at) return TOC_OUT_OF_MEMORY;
    for (uint32_t body = 0; body < scene->bodies.count; body++) {
        const toc_mesh *mesh = scene->bodies.at[body].mesh;
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
            const toc_element element = toc_mesh_get_element(mesh, e);
            if (!is_volume_shape(element.shape)) continue;
            solid_element *to = &s->at[s->count++];
            *to = (solid_element){.body = body, .element = e, .at.count = element.corner_count};
            for (int i = 0; i < element.corner_count; i++)
                to->at.v[i] = element.corners[i] + s->search.step.body_first[body];
        }
    }
    return TOC_OK;
}

static toc_status build_tree(solids *s) {
    const toc_step *step = &s->search.step;
    toc_dop_kind kind;
    TOC_TRY(toc_dop_kind_make(TOC_STATIC_DOP, &kind));
    const size_t floats = toc_dop_floats(&kind);
    float *points = toc_arena_new(&s->search.arena, step->vertex_count, floats * sizeof *points);
    float *dops = toc_arena_new(&s->search.arena, s->count, floats * sizeof *dops);
    if (!points || !dops) return TOC_OUT_OF_MEMORY;
    const toc_frame frame = toc_frame_around(step->vertex_count, step->x0, step->x1);
    toc_dop_of_points(&kind, &frame, step->vertex_count, step->x0, 0, points);
    for (size_t i = 0; i < s->count; i++)
        toc_dop_of_features(&kind, points, s->at[i].at.v, s->at[i].at.count, 1, dops + i * floats);
    toc_bvh_dops of = {&kind, dops};
    const toc_bvh_source source = toc_bvh_source_of(&of);
    const toc_bvh_input input = {.kind = &kind, .count = s->count, .source = &source};
    return toc_bvh_build(&s->search.scene->memory, &input, s->search.threads, &s->bvh);
}

static toc_status test_solids(toc_static_worker *w, const solid_element *a, const solid_element *b) {
    const toc_filter *filter = &w->all->filter;
    if (share_vertex(&a->at, &b->at)) return TOC_OK;
    if (toc_filter_is_active(filter) && !toc_filter_wants_elements(filter, (const uint32_t[]){a->body, b->body},
                                                                   (const uint32_t[]){a->element, b->element}))
        return TOC_OK;
    toc_overlap_pair pair;
    memset(&pair, 0, sizeof pair);
    memset(pair.v, 0xff, sizeof pair.v); // UINT32_MAX
    pair.body[0] = a->body;
    pair.body[1] = b->body;
    pair.element[0] = toc_scene_element_id(w->all->scene, a->body, a->element);
    pair.element[1] = toc_scene_element_id(w->all->scene, b->body, b->element);
    toc_overlap found;
    TOC_TRY(find_overlap(w, &a->at, &b->at, &found));
    return found.verdict == TOC_APART ? TOC_OK : keep_overlap(w, &found, &pair);
}

static toc_status take_solids(void *user, const toc_leaf_pair *pairs, size_t count) {
    toc_static_worker *w = user;
    const solids *s = (const solids *)w->all;
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = s->bvh.order[pairs[i].a], b = s->bvh.order[pairs[i].b];
        TOC_TRY(test_solids(w, &s->at[a < b ? a : b], &s->at[a < b ? b : a]));
    }
    return TOC_OK;
}

static toc_status find_solids(toc_static_search *search) {
    solids *s = (solids *)search;
    TOC_TRY(list_solids(s));
    TOC_TRY(build_tree(s));
    return toc_static_run(search, &s->bvh, take_solids);
}

// ---- the two questions

typedef toc_status overlap_question(toc_static_search *search);

static toc_status ask_overlaps(toc_scene *scene, const toc_query *query, toc_end end, overlap_question *question,
                               overlap_result *r) {
    solids s = {.count = 0};
    scene->reach = 0;
    toc_status status = toc_static_begin(scene, query, &end, sizeof(toc_overlap_pair), &s.search);
    if (status == TOC_OK) status = question(&s.search);
    if (status == TOC_OK) status = finish_overlaps(&s.search, r);
    if (s.bvh.nodes) toc_bvh_free(&s.bvh);
    return toc_static_end(&s.search, status);
}

static toc_status update_overlap_pairs(toc_scene *scene, const toc_query *query, toc_end end,
                                       overlap_question *question, toc_overlaps **overlaps) {
    const double start = toc_seconds();
    const toc_preset *preset;
    toc_query settings;
    TOC_USE_SCENE(scene);
    TOC_NEED(overlaps);
    TOC_TRY(toc_query_take(query, &settings, &preset));
    overlap_result *r = (overlap_result *)*overlaps;
    if (!r) TOC_TRY(make_overlap_result(&scene->allocator, &r));
    const toc_status status = ask_overlaps(scene, &settings, end, question, r);
    if (status != TOC_OK) {
        if (!*overlaps) toc_overlaps_destroy(&r->overlaps);
        return status;
    }
    r->overlaps.seconds = toc_seconds() - start;
    *overlaps = &r->overlaps;
    return TOC_OK;
}

static toc_status find_overlap_pairs(toc_scene *scene, const toc_query *query, toc_end end, overlap_question *question,
                                     toc_overlaps **out) {
    toc_overlaps *overlaps = NULL;
    TOC_NEED(out);
    TOC_TRY(update_overlap_pairs(scene, query, end, question, &overlaps));
    *out = overlaps;
    return TOC_OK;
}

toc_status toc_scene_find_overlaps(toc_scene *scene, const toc_query *query, toc_end end, toc_overlaps **out) {
    return find_overlap_pairs(scene, query, end, find_face_overlaps, out);
}

toc_status toc_scene_update_overlaps(toc_scene *scene, const toc_query *query, toc_end end, toc_overlaps **overlaps) {
    return update_overlap_pairs(scene, query, end, find_face_overlaps, overlaps);
}

toc_status toc_scene_find_element_overlaps(toc_scene *scene, const toc_query *query, toc_end end, toc_overlaps **out) {
    return find_overlap_pairs(scene, query, end, find_solids, out);
}
