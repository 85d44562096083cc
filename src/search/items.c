// SPDX-License-Identifier: Apache-2.0
// Keeping the items of an answer, and joining them.
#include "search/items.h"

#include <assert.h>
#include <string.h>

#include "scene/scene.h"
#include "search/pipeline.h"

toc_status toc_worker_keep(toc_worker *worker, const void *item) {
    const size_t size = worker->pipeline->item_size;
    assert(size > 0 && worker->pipeline->stage_count > 0);
    TOC_TRY(toc_array_reserve(&worker->pipeline->scene->memory, &worker->items, size));
    memcpy(worker->items.at + worker->items.count, item, size);
    worker->items.count += size;
    worker->stages[worker->pipeline->stage_count - 1].out++;
    return TOC_OK;
}

static void list_items(const toc_pipeline *p, const void **items) {
    for (int i = 0; i < p->threads; i++)
        for (size_t at = 0; at < p->workers[i].items.count; at += p->item_size) *items++ = p->workers[i].items.at + at;
}

// Room for results that grow from step to step: more than is needed now, at first by the size of the scene.
static toc_status reserve_items(const toc_pipeline *p, const toc_allocator *allocator, size_t bytes, toc_items *list) {
    enum { FIRST_MOST = 4096, VERTICES_PER_ITEM = 4 };
    if (bytes <= list->capacity) return TOC_OK;
    const size_t share = p->step->vertex_count / VERTICES_PER_ITEM;
    size_t wanted = (share < FIRST_MOST ? share : FIRST_MOST) * p->item_size;
    if (wanted < 2 * list->capacity) wanted = 2 * list->capacity;
    if (wanted < bytes) wanted = bytes;
    return toc_array_reserve(allocator, list, wanted - list->count);
}

toc_status toc_pipeline_collect(const toc_pipeline *pipeline, const toc_order *order, const toc_allocator *allocator,
                                toc_items *list) {
    const toc_pipeline *p = pipeline;
    assert(order->item_size == p->item_size);
    size_t bytes = 0;
    for (int i = 0; i < p->threads; i++) bytes += p->workers[i].items.count;
    const size_t count = bytes / p->item_size;
    TOC_TRY(reserve_items(p, allocator, bytes, list));
    toc_arena arena = toc_arena_make(&p->scene->memory);
    const void **items = toc_arena_new(&arena, count, sizeof *items);
    toc_status status = TOC_OUT_OF_MEMORY;
    if (items) {
        list_items(p, items);
        status = toc_items_sort(&p->scene->memory, p->threads, order, count, items, list->at);
    }
    toc_arena_free(&arena);
    if (status == TOC_OK) list->count = bytes;
    return status;
}
