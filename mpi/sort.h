// SPDX-License-Identifier: Apache-2.0
// A sort that takes scratch memory from the caller, and arrays of messages.
#ifndef MPI_SORT_H
#define MPI_SORT_H

#include "base/memory.h"

/// Set the count of an array that needs no old items. It has memory then, also of no items, as MPI wants it.
#define dist_array_renew(memory, array, wanted)                                                             \
    ((array)->count = 0, toc_array_reserve((memory), (array), (size_t)(wanted) + ((wanted) == 0)) == TOC_OK \
                             ? ((array)->count = (wanted), TOC_OK)                                          \
                             : TOC_OUT_OF_MEMORY)

typedef int dist_compare(const void *a, const void *b);

/// Sort stably by merging the ascending runs of the input: O(n log runs). Scratch memory as large as the items.
toc_status toc_dist_sort(const toc_allocator *memory, void *items, size_t count, size_t item, dist_compare *compare);

#endif
