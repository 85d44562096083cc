// SPDX-License-Identifier: Apache-2.0
// The order of contacts and other results: by kind, bodies and vertices.
#ifndef TOC_SEARCH_ORDER_H
#define TOC_SEARCH_ORDER_H

#include "base/memory.h"
#include "toccata/scene.h"

/// Compare by kind, bodies and vertices: below, at or above 0 as memcmp has it.
int toc_contact_compare(const toc_contact *a, const toc_contact *b);
/// Compare by time, then by place (x, y, z), then as above: TOC_ANSWER_FIRST takes the least.
int toc_contact_compare_times(const toc_contact *a, const toc_contact *b);

enum { TOC_ORDER_IDS = 10 };

/// The order of a type of results: by the numbers that `ids` writes, the first one first.
typedef struct toc_order {
    size_t item_size;
    int id_count; // at most TOC_ORDER_IDS
    void (*ids)(const void *item, uint32_t ids[TOC_ORDER_IDS]);
} toc_order;

/// Copy items in order; the same for any number of threads. Items of equal ids may come in any order.
/// O(n log n), with 40 bytes of scratch memory an item.
/// @param sorted room for the items. Untouched on failure.
toc_status toc_items_sort(const toc_allocator *allocator, int threads, const toc_order *order, size_t count,
                          const void *const *items, void *sorted);

/// Sort items where they are: several times slower, on one thread, and without memory.
void toc_items_sort_in_place(const toc_order *order, size_t count, void *items);

/// The order of toc_contact_compare.
extern const toc_order toc_contact_order;

#endif
