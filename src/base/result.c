// SPDX-License-Identifier: Apache-2.0
// The memory of results. A list stands in one block behind a head that the caller does not see.
#include "base/result.h"

#include <assert.h>
#include <string.h>

typedef struct result_head {
    const toc_answer_type *type;
    toc_allocator allocator;
    toc_items items;
    _Alignas(max_align_t) char list[]; // as the caller sees it
} result_head;

static result_head *head_of(const void *list) { return (result_head *)((uintptr_t)list - offsetof(result_head, list)); }

static size_t head_bytes(const toc_answer_type *type) { return offsetof(result_head, list) + type->list_size; }

void *toc_result_new(const toc_answer_type *type, const toc_allocator *allocator) {
    result_head *r = toc_new(allocator, 1, head_bytes(type));
    if (!r) return NULL;
    assert(type->order.item_size > 0 && type->items_at + sizeof(void *) <= type->list_size);
    r->type = type;
    r->allocator = *allocator;
    if (type->begin) type->begin(r->list);
    return r->list;
}

void toc_result_free(void *list) {
    if (!list) return;
    result_head *r = head_of(list);
    const toc_allocator allocator = r->allocator;
    toc_array_free(&allocator, &r->items);
    toc_free(&allocator, r, 1, head_bytes(r->type));
}

const toc_answer_type *toc_result_type(const void *list) { return head_of(list)->type; }

const toc_allocator *toc_result_allocator(const void *list) { return &head_of(list)->allocator; }

toc_items *toc_result_items(void *list) { return &head_of(list)->items; }

size_t toc_result_show(void *list) {
    const result_head *r = head_of(list);
    const void *items = r->items.at;
    const size_t count = r->items.count / r->type->order.item_size;
    memcpy((char *)list + r->type->count_at, &count, sizeof count);
    memcpy((char *)list + r->type->items_at, &items, sizeof items);
    return count;
}

toc_status toc_result_reserve(void *list, size_t count) {
    result_head *r = head_of(list);
    size_t bytes;
    if (__builtin_mul_overflow(count, r->type->order.item_size, &bytes)) return toc_fail_memory(SIZE_MAX);
    if (bytes <= r->items.count) return TOC_OK;
    const toc_status status = toc_array_reserve(&r->allocator, &r->items, bytes - r->items.count);
    toc_result_show(list);
    return status;
}

toc_status toc_result_add(void *list, const void *item) {
    result_head *r = head_of(list);
    const size_t size = r->type->order.item_size;
    TOC_TRY(toc_array_reserve(&r->allocator, &r->items, size));
    memcpy(r->items.at + r->items.count, item, size);
    r->items.count += size;
    toc_result_show(list);
    return TOC_OK;
}

void toc_result_keep_distinct(void *list) {
    result_head *r = head_of(list);
    const size_t size = r->type->order.item_size;
    size_t kept = 0;
    for (size_t at = 0; at < r->items.count; at += size) {
        if (kept > 0 && toc_order_compare(&r->type->order, r->items.at + kept - size, r->items.at + at) == 0) continue;
        if (kept != at) memcpy(r->items.at + kept, r->items.at + at, size);
        kept += size;
    }
    r->items.count = kept;
    toc_result_show(list);
}

void toc_result_set_seconds(void *list, double seconds) {
    const size_t at = head_of(list)->type->seconds_at;
    if (at > 0) memcpy((char *)list + at, &seconds, sizeof seconds);
}

static toc_status fill_with_copy(void *list, size_t count, const void *items) {
    result_head *r = head_of(list);
    const size_t size = r->type->order.item_size;
    TOC_TRY(toc_result_reserve(list, count));
    r->items.count = count * size;
    if (count > 0) memcpy(r->items.at, items, r->items.count);
    for (size_t at = 0; r->type->check && at < r->items.count; at += size) TOC_TRY(r->type->check(r->items.at + at));
    toc_result_show(list);
    if (r->type->found_at > 0) memcpy((char *)list + r->type->found_at, &(uint64_t){count}, sizeof(uint64_t));
    return TOC_OK;
}

toc_status toc_result_copy(const toc_answer_type *type, const toc_allocator *allocator, size_t count, const void *items,
                           void **out) {
    void *list = toc_result_new(type, allocator);
    if (!list) return TOC_OUT_OF_MEMORY;
    const toc_status status = fill_with_copy(list, count, items);
    if (status == TOC_OK)
        *out = list;
    else
        toc_result_free(list);
    return status;
}
