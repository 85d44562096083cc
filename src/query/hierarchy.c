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
    toc_feature_set features;
    toc_owners owners;
    toc_feature_dops dops;
    toc_bvh bvh;
    toc_node_pairs pieces;
    toc_testers testers;
    worker *workers;
} hierarchy;

static float *new_dops(hierarchy *h, size_t count) {
    return toc_arena_new(&h->arena, count, toc_dop_floats(&h->dops.kind) * sizeof(float));
}

// Swept DOPs of all vertices.
static toc_status bound_points(hierarchy *h, float *dops) {
    const toc_step *step = h->step;
    const toc_frame frame = toc_frame_around(step->vertex_count, step->x0, step->x1);
    const toc_arena_mark mark = toc_arena_here(&h->arena);
    float *end = new_dops(h, step->vertex_count);
    if (!end) return TOC_OUT_OF_MEMORY;
    const double thickness = (h->testers.test.separation + h->testers.test.tolerance) / 2; // on either side
    toc_dop_of_points(&h->dops.kind, &frame, step->vertex_count, step->x0, thickness, dops);
    toc_dop_of_points(&h->dops.kind, &frame, step->vertex_count, step->x1, thickness, end);
    toc_dop_join(&h->dops.kind, step->vertex_count, end, dops);
    toc_arena_back(&h->arena, mark);
    return TOC_OK;
}

static toc_status bound_features(hierarchy *h) {
    const toc_step *step = h->step;
    float *points = new_dops(h, step->vertex_count);
    float *edges = new_dops(h, step->edge_count), *faces = new_dops(h, step->face_count);
    if (!points || !edges || !faces) return TOC_OUT_OF_MEMORY;
    TOC_TRY(bound_points(h, points));
    toc_dop_of_features(&h->dops.kind, points, (const uint32_t *)step->edges, 2, step->edge_count, edges);
    toc_dop_of_features(&h->dops.kind, points, (const uint32_t *)step->faces, 3, step->face_count, faces);
    h->dops.points = points;
    h->dops.edges = edges;
    h->dops.faces = faces;
    return TOC_OK;
}

// The DOP of a primitive is that of its face, or of the loose edge or point it is.
static const float *primitive_dop(const hierarchy *h, const toc_owner *owner) {
    const size_t floats = toc_dop_floats(&h->dops.kind);
    if (owner->face != UINT32_MAX) return h->dops.faces + owner->face * floats;
    return owner->edge_count ? h->dops.edges + owner->edges[0] * floats : h->dops.points + owner->points[0] * floats;
}

static toc_status bound_primitives(hierarchy *h, const float **out) {
    *out = h->dops.faces;
    if (h->owners.count == h->step->face_count) return TOC_OK;
    const size_t floats = toc_dop_floats(&h->dops.kind);
    float *dops = new_dops(h, h->owners.count);
    if (!dops) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < h->owners.count; i++)
        memcpy(dops + i * floats, primitive_dop(h, &h->owners.at[i]), floats * sizeof *dops);
    *out = dops;
    return TOC_OK;
}

static toc_status bound(hierarchy *h) {
    const toc_step *step = h->step;
    h->features = (toc_feature_set){.vertex_count = step->vertex_count,
                                    .point_count = step->point_count,
                                    .edge_count = step->edge_count,
                                    .face_count = step->face_count,
                                    .points = step->points,
                                    .edges = (const uint32_t(*)[2])step->edges,
                                    .faces = (const uint32_t(*)[3])step->faces};
    h->dops.features = &h->features;
    h->dops.owners = &h->owners;
    TOC_TRY(toc_owners_find(&h->arena, &h->features, &h->owners));
    return bound_features(h);
}

static toc_status build(hierarchy *h) {
    const float *primitives;
    TOC_TRY(bound_primitives(h, &primitives));
    TOC_TRY(toc_bvh_build(h->allocator, &h->dops.kind, h->owners.count, primitives, h->testers.count, &h->bvh));
    return toc_bvh_split(&h->bvh, PIECES, &h->pieces);
}

static toc_status take_leaf_pairs(void *user, const toc_node_pair *pairs, size_t count) {
    worker *w = user;
    const double start = toc_seconds();
    toc_cull_features(&w->all->dops, pairs, count, w->pairs);
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
    toc_stage tree = {"build", h->owners.count, toc_bvh_node_count(&h->bvh), build_seconds};
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
    TOC_TRY(bound(h));
    const double bounded = toc_seconds();
    TOC_TRY(build(h));
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
    toc_status status = toc_dop_kind_make(preset->dop, &h.dops.kind);
    if (status == TOC_OK)
        status = toc_testers_make(step, query, method, allocator, toc_threads_resolve(query->threads), &h.testers);
    if (status == TOC_OK) status = find(&h, query, out);
    toc_testers_free(&h.testers);
    toc_array_free(allocator, &h.pieces);
    if (h.bvh.nodes) toc_bvh_free(&h.bvh);
    toc_arena_free(&h.arena);
    return status;
}
