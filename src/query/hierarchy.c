// SPDX-License-Identifier: Apache-2.0
// Contacts through a tree of k-DOPs: primitives whose DOPs overlap, their own features whose DOPs overlap, the
// elementary test.
//
// Every DOP holds all of its feature's motion and every feature has one owner, so each pair of features that could
// touch reaches the test once (docs/guarantees.md, G1). Pairs are passed on in batches: memory is linear in the mesh.
#include <string.h>

#include "base/threads.h"
#include "cull/features.h"
#include "query/preset.h"
#include "query/tester.h"

enum { PIECES = 1024 }; // of the search: fixed, so that they are the same for any number of threads

// What a thread gathers beside its tester.
typedef struct worker {
    struct hierarchy *all;
    toc_tester *tester;
    toc_feature_pairs *pairs;
    uint64_t visited, leaves, features;
    double cull_seconds, seconds; // culling features; the whole search
} worker;

typedef struct hierarchy {
    const toc_step *step;
    const toc_allocator *allocator;
    toc_arena arena;
    toc_dop_kind kind;
    toc_feature_set features;
    toc_primitives primitives;
    toc_bvh bvh;
    toc_owners owners;
    toc_owned_dops owned;
    toc_node_pairs pieces;
    toc_testers testers;
    worker *workers;
} hierarchy;

static float *new_dops(hierarchy *h, size_t count) {
    return toc_arena_new(&h->arena, count, toc_dop_floats(&h->kind) * sizeof(float));
}

// Swept DOPs of all vertices.
static toc_status bound_vertices(hierarchy *h, float **out) {
    const toc_step *step = h->step;
    const toc_frame frame = toc_frame_around(step->vertex_count, step->x0, step->x1);
    const double thickness = (h->testers.test.separation + h->testers.test.tolerance) / 2; // on either side
    float *start = new_dops(h, step->vertex_count), *end = new_dops(h, step->vertex_count);
    if (!start || !end) return TOC_OUT_OF_MEMORY;
    toc_dop_of_points(&h->kind, &frame, step->vertex_count, step->x0, thickness, start);
    toc_dop_of_points(&h->kind, &frame, step->vertex_count, step->x1, thickness, end);
    toc_dop_join(&h->kind, step->vertex_count, end, start);
    *out = start;
    return TOC_OK;
}

// The DOP of a primitive is that of its vertices: three of a face, fewer of what is loose.
static float *bound_primitives(hierarchy *h, const float *vertices) {
    const size_t floats = toc_dop_floats(&h->kind);
    float *dops = new_dops(h, h->primitives.count);
    for (size_t i = 0; dops && i < h->primitives.count; i++) {
        const uint32_t *v = h->primitives.at[i].vertices;
        const int corners = v[2] != UINT32_MAX ? 3 : v[1] != UINT32_MAX ? 2 : 1;
        toc_dop_of_features(&h->kind, vertices, v, corners, 1, dops + i * floats);
    }
    return dops;
}

static toc_status bound(hierarchy *h, float **vertices, float **primitives) {
    const toc_step *step = h->step;
    h->features = (toc_feature_set){.vertex_count = step->vertex_count,
                                    .point_count = step->point_count,
                                    .edge_count = step->edge_count,
                                    .face_count = step->face_count,
                                    .points = step->points,
                                    .edges = (const uint32_t(*)[2])step->edges,
                                    .faces = (const uint32_t(*)[3])step->faces};
    TOC_TRY(toc_primitives_list(&h->arena, &h->features, &h->primitives));
    TOC_TRY(bound_vertices(h, vertices));
    *primitives = bound_primitives(h, *vertices);
    return *primitives ? TOC_OK : TOC_OUT_OF_MEMORY;
}

// DOPs of the features in the order of their owners.
static toc_status bound_owned(hierarchy *h, const float *vertices) {
    float *points = new_dops(h, h->owners.point_count), *edges = new_dops(h, h->owners.edge_count);
    if (!points || !edges) return TOC_OUT_OF_MEMORY;
    toc_dop_of_features(&h->kind, vertices, h->owners.points, 1, h->owners.point_count, points);
    toc_dop_of_features(&h->kind, vertices, (const uint32_t *)h->owners.edges, 2, h->owners.edge_count, edges);
    h->owned = (toc_owned_dops){.bvh = &h->bvh, .owners = &h->owners, .points = points, .edges = edges};
    return TOC_OK;
}

static toc_status build(hierarchy *h, const float *vertices, const float *primitives) {
    TOC_TRY(toc_bvh_build(h->allocator, &h->kind, h->primitives.count, primitives, h->testers.count, &h->bvh));
    TOC_TRY(toc_owners_assign(&h->arena, &h->features, &h->primitives, h->bvh.order, &h->owners));
    TOC_TRY(bound_owned(h, vertices));
    return toc_bvh_split(&h->bvh, PIECES, &h->pieces);
}

static toc_status take_leaf_pairs(void *user, const toc_node_pair *pairs, size_t count) {
    worker *w = user;
    const double start = toc_seconds();
    toc_cull_features(&w->all->owned, pairs, count, w->pairs);
    w->leaves += count;
    w->features += w->pairs->vf_count + w->pairs->ee_count;
    w->cull_seconds += toc_seconds() - start;
    TOC_TRY(toc_tester_ask(w->tester, TOC_VF, w->pairs->vf, w->pairs->vf_count));
    return toc_tester_ask(w->tester, TOC_EE, w->pairs->ee, w->pairs->ee_count);
}

static toc_status search_piece(void *user, size_t index, int thread) {
    hierarchy *h = user;
    worker *w = &h->workers[thread];
    const double start = toc_seconds();
    if (!toc_tester_begin(w->tester, index)) return TOC_OK;
    TOC_TRY(toc_bvh_search(&h->bvh, h->pieces.at[index], take_leaf_pairs, w, &w->visited));
    toc_tester_end(w->tester);
    w->seconds += toc_seconds() - start;
    return TOC_OK;
}

static toc_status hire(hierarchy *h) {
    const int count = h->testers.count;
    h->workers = toc_arena_new(&h->arena, (size_t)count, sizeof *h->workers);
    if (!h->workers) return TOC_OUT_OF_MEMORY;
    for (int i = 0; i < count; i++) {
        toc_feature_pairs *pairs = toc_arena_new(&h->arena, 1, sizeof *pairs);
        if (!pairs) return TOC_OUT_OF_MEMORY;
        pairs->asked = 0;
        h->workers[i] = (worker){.all = h, .tester = &h->testers.at[i], .pairs = pairs};
    }
    return TOC_OK;
}

static toc_status answer(const hierarchy *h, double bound_seconds, double build_seconds, toc_contacts **out) {
    const toc_step *step = h->step;
    toc_stage bounds = {"bound", step->element_count, step->point_count + step->edge_count + step->face_count,
                        bound_seconds};
    toc_stage tree = {"build", h->primitives.count, toc_bvh_node_count(&h->bvh), build_seconds};
    toc_stage search = {"search", 0, 0, 0}, features = {"features", 0, 0, 0};
    for (int i = 0; i < h->testers.count; i++) {
        const worker *w = &h->workers[i];
        search.in += w->visited;
        search.out += w->leaves;
        search.seconds += (w->seconds - w->cull_seconds - w->tester->seconds) / h->testers.count;
        features.in += w->pairs->asked;
        features.out += w->features;
        features.seconds += w->cull_seconds / h->testers.count;
    }
    return toc_testers_answer(&h->testers, (toc_stage[]){bounds, tree, search, features}, 4, out);
}

static toc_status find(hierarchy *h, const toc_query *query, toc_contacts **out) {
    const double start = toc_seconds();
    float *vertices, *primitives;
    TOC_TRY(bound(h, &vertices, &primitives));
    const double bounded = toc_seconds();
    TOC_TRY(build(h, vertices, primitives));
    TOC_TRY(hire(h));
    const double built = toc_seconds();
    TOC_TRY(toc_loop_run(&(toc_loop){.count = h->pieces.count,
                                     .threads = h->testers.count,
                                     .progress = &query->progress,
                                     .round = search_piece,
                                     .user = h}));
    return answer(h, bounded - start, built - bounded, out);
}

toc_status toc_hierarchy_find(const toc_preset *preset, const toc_step *step, const toc_query *query,
                              const toc_allocator *allocator, toc_contacts **out) {
    hierarchy h = {.step = step, .allocator = allocator, .arena = toc_arena_make(allocator)};
    const toc_method method = preset->method < 0 ? query->test.method : (toc_method)preset->method;
    toc_status status = toc_dop_kind_make(preset->dop, &h.kind);
    if (status == TOC_OK)
        status = toc_testers_make(step, query, method, allocator, toc_threads_resolve(query->threads), &h.testers);
    if (status == TOC_OK) status = find(&h, query, out);
    toc_testers_free(&h.testers);
    toc_array_free(allocator, &h.pieces);
    if (h.bvh.nodes) toc_bvh_free(&h.bvh);
    toc_arena_free(&h.arena);
    return status;
}
