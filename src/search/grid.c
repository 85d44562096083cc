// SPDX-License-Identifier: Apache-2.0
// Contacts through hashed cells with culling in two levels: primitives whose DOPs overlap, their features whose DOPs
// overlap, the elementary test. After Jung and Choi.
//
// As published, the surface normal test leaves out neighbours that may touch, every feature pair is asked about as
// often as two primitives have it, and the cubic decides. Our way, features have owners, so that each pair reaches the
// certified test once, and nothing but DOPs that hold all of the motion leaves one out (docs/guarantees.md, G1).
#include <string.h>

#include "base/threads.h"
#include "cull/surface/normals.h"
#include "cull/surface/triangle_axes.h"
#include "scene/scene.h"
#include "search/narrow_phase.h"
#include "search/preset.h"
#include "search/surface_grid.h"

// What a thread gathers beside its tester.
typedef struct worker {
    struct voxels *all;
    toc_narrow_worker *tester;
    toc_feature_pairs *pairs;
    toc_hash_search search;
    toc_leaf_pair kept[TOC_LEAF_PAIRS + 1]; // behind the normal test, or the axes
    toc_resting_pairs resting;
    uint64_t parted, features;
    double cull_seconds, seconds; // culling features and normals; the whole search
} worker;

typedef struct voxels {
    toc_scene *scene;
    toc_surface_grid *hashed;
    toc_surface_grid_update update;
    toc_arena arena; // of the workers
    toc_narrow_phase testers;
    worker *workers;
    uint32_t skip;
    bool published;
    bool parts;                  // whether triangles are parted before their features are compared,
    double distance;             // those that stay farther from each other than this
    toc_primitive_dops elements; // what culling works on
} voxels;

// ---- culling

// As published: neighbours on a smooth surface are left out.
static size_t cull_normals(worker *w, const toc_leaf_pair *pairs, size_t count) {
    const toc_primitives *primitives = &w->all->hashed->primitives;
    const toc_step *step = &w->all->scene->step;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *a = primitives->at[pairs[i].a].vertices, *b = primitives->at[pairs[i].b].vertices;
        const bool faces = a[2] != UINT32_MAX && b[2] != UINT32_MAX;
        w->kept[kept] = pairs[i];
        kept += !faces || !toc_normals_cull(a, b, step->x0, step->x1);
    }
    return kept;
}

// Our way: triangles that an axis parts are.
static size_t part(worker *w, const toc_leaf_pair *pairs, size_t count) {
    const voxels *all = w->all;
    const toc_triangle_axes how = {.corners = (const uint32_t(*)[3])all->hashed->corners,
                                   .packed = all->hashed->motion.packed,
                                   .distance =
                                       (float)(all->distance * all->hashed->motion.frame.scale) * (1 + 0x1p-20f),
                                   .window = &all->testers.window};
    return toc_triangle_axes_separate(&how, pairs, count, w->kept);
}

// From pairs of primitives to the pairs of features that are left.
static void cull(worker *w, const toc_leaf_pair *pairs, size_t count) {
    const double start = toc_seconds();
    if (w->all->parts) {
        count = (w->all->published ? cull_normals : part)(w, pairs, count);
        pairs = w->kept;
    }
    w->parted += count;
    if (w->all->elements.vertices || w->all->published)
        toc_primitive_features_cull(&w->all->elements, pairs, count, w->pairs);
    else
        toc_list_features(&(toc_represented_dops){.owners = w->all->elements.owners}, pairs, count, w->pairs);
    w->features += w->pairs->vf_count + w->pairs->ee_count;
    w->cull_seconds += toc_seconds() - start;
}

static toc_status take_pairs(void *user, const toc_leaf_pair *pairs, size_t count) {
    worker *w = user;
    cull(w, pairs, count);
    TOC_TRY(toc_narrow_worker_ask(w->tester, TOC_VF, w->pairs->vf, w->pairs->vf_count));
    return toc_narrow_worker_ask(w->tester, TOC_EE, w->pairs->ee, w->pairs->ee_count);
}

// ---- what rests

// One pair of primitives after the other, so that each feature pair is kept with its own.
static toc_status take_resting(void *user, const toc_leaf_pair *pairs, size_t count) {
    worker *w = user;
    for (size_t i = 0; i < count; i++) {
        cull(w, &pairs[i], 1);
        TOC_TRY(toc_rest_keep(&w->all->testers, w->pairs, (toc_primitive_pair){pairs[i].a, pairs[i].b}, &w->resting));
    }
    return TOC_OK;
}

static toc_status search_resting(void *user, size_t index, int thread) {
    voxels *all = user;
    worker *w = &all->workers[thread];
    w->search.hash = &all->hashed->resting;
    w->search.other = NULL;
    w->search.take = take_resting;
    return toc_hash_run(&w->search, index);
}

// Find what rests close together, once for each table of what rests.
static toc_status find_resting(voxels *all) {
    toc_surface_grid *h = all->hashed;
    if (!h->is_new && h->skip == all->skip) return TOC_OK;
    h->is_new = true; // until all is found
    h->skip = all->skip;
    h->resting_pairs.count = 0;
    TOC_TRY(toc_loop_run(&(toc_loop){
        .count = toc_hash_pieces(&h->resting), .threads = all->testers.count, .round = search_resting, .user = all}));
    for (int i = 0; i < all->testers.count; i++)
        TOC_TRY(toc_rest_join(&h->allocator, &all->workers[i].resting, &h->resting_pairs));
    h->is_new = false;
    return TOC_OK;
}

static bool rest_still(const void *user, toc_primitive_pair primitives) {
    const toc_surface_grid *h = user;
    return h->stamps[primitives.a] == h->stamp && h->stamps[primitives.b] == h->stamp;
}

// ---- the search

// Rounds within what moves, then between that and what rests, then of what rests.
static toc_status search_round(worker *w, size_t index) {
    const toc_surface_grid *h = w->all->hashed;
    const size_t pieces = toc_hash_pieces(&h->moving);
    if (index >= 2 * pieces)
        return toc_rest_ask(&h->resting_pairs, index - 2 * pieces, rest_still, h, w->pairs, w->tester);
    w->search.hash = &h->moving;
    w->search.other = index < pieces ? NULL : &h->resting;
    w->search.take = take_pairs;
    return toc_hash_run(&w->search, index % pieces);
}

static toc_status run_round(void *user, size_t index, int thread) {
    worker *w = &((voxels *)user)->workers[thread];
    const double start = toc_seconds();
    if (!toc_narrow_worker_begin(w->tester, index)) return TOC_OK;
    TOC_TRY(search_round(w, index));
    toc_narrow_worker_end(w->tester);
    w->seconds += toc_seconds() - start;
    return TOC_OK;
}

static toc_status hire(voxels *all) {
    const int count = all->testers.count;
    worker *workers = toc_arena_new(&all->arena, (size_t)count, sizeof *workers);
    if (!workers) return TOC_OUT_OF_MEMORY;
    memset(workers, 0, (size_t)count * sizeof *workers);
    all->workers = workers;
    for (int i = 0; i < count; i++) {
        worker *w = &workers[i];
        w->all = all;
        w->tester = &all->testers.at[i];
        w->pairs = toc_arena_new(&all->arena, 1, sizeof *w->pairs);
        if (!w->pairs) return TOC_OUT_OF_MEMORY;
        w->pairs->asked = 0;
        w->search.overlap = all->skip & TOC_SKIP_ELEMENT_DOPS ? TOC_HASH_CELLS
                            : all->hashed->has_ends           ? TOC_HASH_MOVING
                                                              : TOC_HASH_DOPS;
        w->search.moving = all->hashed->primitive_ends;
        w->search.window = &all->testers.window;
        w->search.corners = (const uint32_t(*)[3])all->hashed->corners;
        w->search.flat = all->hashed->told ? all->hashed->flat : NULL;
        w->search.user = w;
    }
    return TOC_OK;
}

// As published all features that two primitives have, else what they own.
static void choose_culling(voxels *all) {
    const toc_surface_grid *h = all->hashed;
    all->elements = (toc_primitive_dops){.lanes = h->kind.lanes,
                                         .features = &h->features,
                                         .primitives = &h->primitives,
                                         .owners = all->published ? NULL : &h->owners,
                                         .faces = h->primitive_dops,
                                         .vertices = h->vertex_dops};
    // Swept DOPs of features tell little where things move far; the test's own first look takes less.
    if (all->skip & TOC_SKIP_FEATURE_DOPS || h->has_ends) all->elements.faces = all->elements.vertices = NULL;
}

static toc_status answer(const voxels *all, toc_contacts **out) {
    const toc_surface_grid_update *update = &all->update;
    const size_t primitives = all->hashed->primitives.count;
    toc_stage bounds = {"bound", primitives, update->bounded, update->bound_seconds};
    toc_stage hash = {"hash", update->hashed, update->items, update->hash_seconds};
    toc_stage cells = {"voxels", 0, 0, 0}, dops = {"primitives", 0, 0, 0}, features = {"elements", 0, 0, 0};
    toc_stage parts = {all->published ? "normals" : "part", 0, 0, 0};
    for (int i = 0; i < all->testers.count; i++) {
        const worker *w = &all->workers[i];
        cells.in += w->search.counts.voxel_pairs;
        cells.out += w->search.counts.box_pairs;
        dops.out += w->search.counts.found;
        parts.out += w->parted;
        features.in += w->pairs->asked;
        features.out += w->features;
        cells.seconds +=
            (w->seconds - w->cull_seconds - w->tester->filter_seconds - w->tester->seconds) / all->testers.count;
        features.seconds += w->cull_seconds / all->testers.count;
    }
    dops.in = cells.out;
    parts.in = dops.out;
    return toc_narrow_phase_answer(&all->testers, (toc_stage[]){bounds, hash, cells, dops, parts, features}, 6, out);
}

static toc_status find(voxels *all, const toc_query *query, toc_contacts **out) {
    choose_culling(all);
    TOC_TRY(hire(all));
    TOC_TRY(find_resting(all));
    const size_t pieces = toc_hash_pieces(&all->hashed->moving);
    const size_t rounds = 2 * pieces + toc_rest_rounds(&all->hashed->resting_pairs);
    TOC_TRY(toc_loop_run(&(toc_loop){.count = all->hashed->rest_count ? rounds : pieces,
                                     .threads = all->testers.count,
                                     .progress = &query->progress,
                                     .round = run_round,
                                     .user = all}));
    return answer(all, out);
}

static void free_all(voxels *all) {
    for (int i = 0; all->workers && i < all->testers.count; i++)
        toc_array_free(&all->scene->allocator, &all->workers[i].resting);
    toc_narrow_phase_free(&all->testers);
    toc_arena_free(&all->arena);
}

toc_status toc_grid_find(const toc_preset *preset, toc_scene *scene, const toc_query *query, toc_contacts **out) {
    const bool published = preset->published;
    voxels all = {.scene = scene,
                  .arena = toc_arena_make(&scene->allocator),
                  .skip = query->skip,
                  .published = published,
                  .parts = !(query->skip & (published ? TOC_SKIP_NORMALS : TOC_SKIP_TRIANGLE_AXES)),
                  .distance = query->test.separation + query->test.tolerance};
    const int threads = toc_threads_resolve(query->threads);
    toc_surface_grid_form form = {.thickness = all.distance / 2, // on either side
                                  .published = published,
                                  .fans = all.parts && all.distance == 0};
    toc_status status = toc_dop_kind_make(preset->dop, &form.kind);
    if (status == TOC_OK)
        status = toc_narrow_phase_make(scene, query, toc_preset_method(preset, query), threads, &all.testers);
    all.testers.repeats = published;
    if (status == TOC_OK)
        status = toc_surface_grid_fit(&scene->allocator, &scene->step, &form, threads, &scene->hashed, &all.update);
    if (status == TOC_OK) {
        all.hashed = scene->hashed;
        all.parts = all.parts && (published || all.hashed->motion.fits);
        all.testers.glance = toc_motion_prefilter(&all.hashed->motion);
        status = find(&all, query, out);
    }
    free_all(&all);
    return status;
}
