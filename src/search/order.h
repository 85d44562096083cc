// SPDX-License-Identifier: Apache-2.0
// Sorting items by their order (base/answer.h).
#ifndef TOC_SEARCH_ORDER_H
#define TOC_SEARCH_ORDER_H

#include "base/answer.h"
#include "base/memory.h"

/// Copy items in order; the same for any number of threads. Items of equal ids may come in any order.
/// O(n log n), with 40 bytes of scratch memory an item.
/// @param sorted room for the items. Untouched on failure.
toc_status toc_items_sort(const toc_allocator *allocator, int threads, const toc_order *order, size_t count,
                          const void *const *items, void *sorted);

/// Sort items where they are: several times slower, on one thread, and without memory.
void toc_items_sort_in_place(const toc_order *order, size_t count, void *items);

#endif
