// SPDX-License-Identifier: Apache-2.0
// Search a scene for questions other than contacts: the tree, the threads, the list of results.
#include "ask/static_search.h"

#include <assert.h>
#include <string.h>

#include "ask/query.h"
#include "cull/surface/triangle_axes.h"
#include "search/pipeline.h"
#include "search/search.h"
#include "search/surface_tree.h"

static toc_status make_static_workers(toc_static_search *s) {
    toc_static_worker *workers = toc_arena_new(&s->arena, (size_t)s->threads, sizeof *workers);
    if (!workers) return TOC_OUT_OF_MEMORY;
    for (int i = 0; i < s->threads; i++) {
        toc_feature_pairs *pairs = toc_arena_new(&s->arena, 1, sizeof *pairs);
        if (!pairs) return TOC_OUT_OF_MEMORY;
        pairs->asked = 0;
        workers[i] =
            (toc_static_worker){.all = s, .thread = i, .scratch = toc_arena_make(&s->scene->memory), .pairs = pairs};
    }
    s->workers = workers;
    return TOC_OK;
}

toc_status toc_static_begin(toc_scene *scene, const toc_query *query, const toc_end *end, size_t item_size,
                            toc_static_search *out) {
    const toc_preset *preset;
    *out = (toc_static_search){.scene = scene, .arena = toc_arena_make(&scene->memory), .item_size = item_size};
    TOC_TRY(toc_query_take(query, &out->query, &preset));
    toc_query_begin(&out->use, scene, &out->query);
    TOC_TRY(toc_search_need(scene));
    if (end && (unsigned)*end > TOC_AT_END)
        return toc_fail(TOC_BAD_INPUT, "there is no end number %d of a step", (int)*end);
    TOC_TRY(toc_step_update(scene, out->query.surface_only, toc_scene_threads(scene, out->query.threads)));
    out->filter = toc_filter_make(scene, &out->query);
    out->step = scene->step;
    if (end) out->step.x0 = out->step.x1 = *end == TOC_AT_START ? scene->step.x0 : scene->step.x1;
    out->threads = toc_scene_threads(scene, out->query.threads);
    return make_static_workers(out);
}

toc_status toc_static_end(toc_static_search *search, toc_status status) {
    for (int i = 0; search->workers && i < search->threads; i++) {
        toc_arena_free(&search->workers[i].scratch);
        toc_array_free(&search->scene->memory, &search->workers[i].items);
    }
    toc_array_free(&search->scene->memory, &search->pieces);
    toc_arena_free(&search->arena);
    return search->use.scene ? toc_query_end(&search->use, status) : status;
}

void toc_static_free(toc_static_search *search) { toc_static_end(search, TOC_OK); }

toc_status toc_static_tree(toc_static_search *search, double thickness) {
    toc_surface_tree_form form = {.thickness = thickness, .until = 1, .bare = search->bare};
    toc_surface_tree_update how = {0};
    toc_scene *scene = search->scene;
    TOC_TRY(toc_dop_kind_make(TOC_STATIC_DOP, &form.kind));
    toc_index **slot = &scene->search->indexes[TOC_SLOT_STATIC_TREE];
    toc_surface_tree *kept = (toc_surface_tree *)*slot;
    const toc_status status = toc_surface_tree_fit(&scene->memory, &search->step, &form, search->threads, &kept, &how);
    *slot = kept ? &kept->index : NULL;
    search->tree = kept;
    return status;
}

toc_status toc_static_part_neighbours(toc_static_search *search) {
    search->ties = toc_arena_new(&search->arena, search->step.vertex_count, sizeof *search->ties);
    if (!search->ties) return TOC_OUT_OF_MEMORY;
    memset(search->ties, 1, search->step.vertex_count);
    return TOC_OK;
}

// Positions outside of the frame of the packed vertices cannot be compared: all pairs stay.
size_t toc_static_separate(const toc_static_worker *worker, double distance, const toc_leaf_pair *pairs, size_t count,
                           toc_leaf_pair *kept) {
    static const toc_window whole = {0, 1};
    const toc_surface_tree *tree = worker->all->tree;
    const toc_motion *motion = &tree->motion;
    assert(count <= TOC_LEAF_PAIRS);
    if (!motion->fits) {
        memcpy(kept, pairs, count * sizeof *kept);
        return count;
    }
    const toc_triangle_axes axes = {.corners = (const uint32_t(*)[3])tree->corners,
                                    .packed = motion->packed,
                                    .distance = (float)(distance * motion->frame.scale) * (1 + 0x1p-20f),
                                    .window = &whole};
    return toc_triangle_axes_separate(&axes, pairs, count, kept);
}

static toc_status search_static_piece(void *user, size_t index, int thread) {
    toc_static_search *s = user;
    uint64_t visited = 0;
    assert(thread < s->threads && index < s->pieces.count);
    s->workers[thread].piece = index;
    const toc_bvh_scope scope = {.corners = s->ties ? (const uint32_t(*)[3])s->tree->corners : NULL, .ties = s->ties};
    return toc_bvh_search(s->bvh, &scope, s->pieces.at[index], s->take, &s->workers[thread], &visited);
}

toc_status toc_static_run(toc_static_search *search, const toc_bvh *bvh, toc_leaf_pairs_take *take) {
    search->bvh = bvh;
    search->take = take;
    TOC_TRY(toc_bvh_split(bvh, TOC_SEARCH_PIECES, &search->pieces));
    return toc_loop_run(&(toc_loop){.count = search->pieces.count,
                                    .threads = search->threads,
                                    .progress = &search->query.progress,
                                    .round = search_static_piece,
                                    .user = search});
}

toc_status toc_static_poll(const toc_static_worker *worker) {
    const toc_static_search *s = worker->all;
    const toc_progress *progress = &s->query.progress;
    if (worker->thread != 0 || !progress->report) return TOC_OK;
    if (progress->report(progress->user, (double)worker->piece / (double)s->pieces.count) == 0) return TOC_OK;
    return toc_fail(TOC_STOPPED, "stopped on request");
}

toc_status toc_static_keep(toc_static_worker *worker, const void *item) {
    const size_t size = worker->all->item_size;
    TOC_TRY(toc_array_reserve(&worker->all->scene->memory, &worker->items, size));
    memcpy(worker->items.at + worker->items.count, item, size);
    worker->items.count += size;
    return TOC_OK;
}

static void list_static_items(const toc_static_search *search, const void **items) {
    for (int i = 0; i < search->threads; i++)
        for (size_t at = 0; at < search->workers[i].items.count; at += search->item_size)
            *items++ = search->workers[i].items.at + at;
}

toc_status toc_static_collect(const toc_static_search *search, const toc_order *order, const toc_allocator *allocator,
                              toc_static_items *list) {
    assert(order->item_size == search->item_size);
    size_t bytes = 0;
    for (int i = 0; i < search->threads; i++) bytes += search->workers[i].items.count;
    const size_t count = bytes / search->item_size;
    if (bytes > list->count) TOC_TRY(toc_array_reserve(allocator, list, bytes - list->count));
    toc_arena arena = toc_arena_make(&search->scene->memory);
    const void **items = toc_arena_new(&arena, count, sizeof *items);
    toc_status status = TOC_OUT_OF_MEMORY;
    if (items) {
        list_static_items(search, items);
        status = toc_items_sort(&search->scene->memory, search->threads, order, count, items, list->at);
    }
    toc_arena_free(&arena);
    if (status == TOC_OK) list->count = bytes;
    return status;
}
