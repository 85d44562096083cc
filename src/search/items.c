// SPDX-License-Identifier: Apache-2.0
// Keeping the items of an answer, and joining them.
#include "search/items.h"

#include <assert.h>
#include <string.h>

#include "scene/scene.h"
#include "search/pipeline.h"

enum { SPILL_BYTES = 1 << 16 }; // that the one worker of a thrifty query keeps

// Move the items of a thrifty query out of its memory (request.h).
static toc_status spill_items(toc_worker *worker) {
    toc_pipeline *p = worker->pipeline;
    assert(p->threads == 1);
    if (worker->items.count == 0) return TOC_OK;
    TOC_TRY(toc_array_reserve(&p->request->scene->allocator, &p->spilled, worker->items.count));
    memcpy(p->spilled.at + p->spilled.count, worker->items.at, worker->items.count);
    p->spilled.count += worker->items.count;
    worker->items.count = 0;
    return TOC_OK;
}

// Bytes of the first room for items, by the size of the scene: answers grow from step to step, and a loop should not
// allocate each time.
static size_t first_room(const toc_pipeline *p) {
    enum { ITEMS_MOST = 4096, VERTICES_PER_ITEM = 2 };
    const size_t share = p->step->vertex_count / VERTICES_PER_ITEM;
    return (share < ITEMS_MOST ? share : ITEMS_MOST) * p->way->answer->order.item_size;
}

toc_status toc_worker_keep(toc_worker *worker, const void *item) {
    const toc_pipeline *p = worker->pipeline;
    const size_t size = p->way->answer->order.item_size;
    const size_t room = worker->items.capacity > 0 || p->request->thrifty ? 0 : first_room(p) / (size_t)p->threads;
    assert(size > 0 && worker->pipeline->stage_count > 0);
    if (worker->pipeline->request->thrifty && worker->items.count >= SPILL_BYTES) TOC_TRY(spill_items(worker));
    TOC_TRY(toc_array_reserve(&worker->pipeline->request->scene->memory, &worker->items, room > size ? room : size));
    memcpy(worker->items.at + worker->items.count, item, size);
    worker->items.count += size;
    worker->stages[worker->pipeline->stage_count - 1].out++;
    return TOC_OK;
}

static void list_items(const toc_pipeline *p, const void **items) {
    for (int i = 0; i < p->threads; i++)
        for (size_t at = 0; at < p->workers[i].items.count; at += p->way->answer->order.item_size)
            *items++ = p->workers[i].items.at + at;
}

static toc_status reserve_items(const toc_pipeline *p, const toc_allocator *allocator, size_t bytes, toc_items *list) {
    if (bytes <= list->capacity) return TOC_OK;
    size_t wanted = first_room(p);
    if (wanted < 2 * list->capacity) wanted = 2 * list->capacity;
    if (wanted < bytes) wanted = bytes;
    return toc_array_reserve(allocator, list, wanted - list->count);
}

static toc_status collect_spilled(toc_pipeline *p, const toc_allocator *allocator, toc_items *list) {
    const toc_allocator *results = &p->request->scene->allocator;
    TOC_TRY(spill_items(&p->workers[0]));
    const size_t bytes = p->spilled.count;
    const bool same = allocator->resize == results->resize && allocator->user == results->user;
    if (!same && bytes > list->count) TOC_TRY(toc_array_reserve(allocator, list, bytes - list->count));
    toc_items_sort_in_place(&p->way->answer->order, bytes / p->way->answer->order.item_size, p->spilled.at);
    if (same) {
        toc_array_free(allocator, list);
        *list = p->spilled;
        p->spilled = (toc_items){0};
    } else if (bytes > 0) {
        memcpy(list->at, p->spilled.at, bytes);
    }
    list->count = bytes;
    return TOC_OK;
}

// Their bytes.
static size_t items_of_workers(const toc_pipeline *p) {
    size_t bytes = 0;
    for (int i = 0; i < p->threads; i++) bytes += p->workers[i].items.count;
    return bytes;
}

toc_status toc_pipeline_collect(toc_pipeline *pipeline, const toc_allocator *allocator, toc_items *list) {
    toc_pipeline *p = pipeline;
    if (p->request->thrifty) return collect_spilled(p, allocator, list);
    const size_t bytes = items_of_workers(p);
    const size_t count = bytes / p->way->answer->order.item_size;
    TOC_TRY(reserve_items(p, allocator, bytes, list));
    toc_arena arena = toc_arena_make(&p->request->scene->memory);
    const void **items = toc_arena_new(&arena, count, sizeof *items);
    toc_status status = TOC_OUT_OF_MEMORY;
    if (items) {
        list_items(p, items);
        status = toc_items_sort(&p->request->scene->memory, p->threads, &p->way->answer->order, count, items, list->at);
    }
    toc_arena_free(&arena);
    if (status == TOC_OK) list->count = bytes;
    return status;
}

// From behind, into the room behind the items that are there.
static void merge_items(const toc_order *order, toc_items *list, size_t bytes, const char *with) {
    const size_t size = order->item_size;
    size_t own = list->count, other = bytes;
    list->count += bytes;
    while (own > 0 && other > 0) {
        char *to = list->at + own + other - size;
        if (toc_order_compare(order, list->at + own - size, with + other - size) > 0)
            memcpy(to, list->at + (own -= size), size);
        else
            memcpy(to, with + (other -= size), size);
    }
    if (other > 0) memcpy(list->at, with, other);
}

toc_status toc_pipeline_answer_with(toc_pipeline *pipeline, size_t count, const void *items) {
    void *result = pipeline->answer;
    const toc_allocator *allocator = toc_result_allocator(result);
    const toc_order *order = &pipeline->way->answer->order;
    const size_t bytes = count * order->item_size;
    toc_items *list = toc_result_items(result);
    assert(!pipeline->request->thrifty);
    toc_status status = reserve_items(pipeline, allocator, items_of_workers(pipeline) + bytes, list);
    if (status == TOC_OK) status = toc_pipeline_collect(pipeline, allocator, list);
    if (status == TOC_OK && count > 0) merge_items(order, list, bytes, items);
    toc_result_show(result);
    return status;
}

toc_status toc_pipeline_answer(toc_pipeline *pipeline) {
    void *list = pipeline->answer;
    const toc_status status = toc_pipeline_collect(pipeline, toc_result_allocator(list), toc_result_items(list));
    toc_result_show(list);
    return status;
}
