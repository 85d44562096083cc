// SPDX-License-Identifier: Apache-2.0
// Memory from the caller's allocator, messages, and a sort that takes scratch memory from the caller.
#ifndef MPI_MEMORY_H
#define MPI_MEMORY_H

#include "toccata/base.h"

/// A zeroed block; NULL with the message set on failure. A count of 0 gives a block, too.
void *toc_dist_new(const toc_allocator *memory, size_t count, size_t item);
/// Free a block of the same count and item size; may be NULL.
void toc_dist_free(const toc_allocator *memory, void *block, size_t count, size_t item);

/// An array of a type, empty where all is 0.
#define DIST_ARRAY(type)        \
    struct {                    \
        type *at;               \
        size_t count, capacity; \
    }
/// Make room for `extra` more items; new room is not initialised.
#define dist_array_reserve(memory, array, extra) \
    toc_dist_reserve_((memory), (void **)&(array)->at, (array)->count, &(array)->capacity, (extra), sizeof *(array)->at)
#define dist_array_free(memory, array)                                                                       \
    (void)(toc_dist_free((memory), (array)->at, (array)->capacity, sizeof *(array)->at), (array)->at = NULL, \
           (array)->count = (array)->capacity = 0)
toc_status toc_dist_reserve_(const toc_allocator *memory, void **items, size_t count, size_t *capacity, size_t extra,
                             size_t item);

/// Set the count of an array that needs no old items.
#define dist_array_renew(memory, array, wanted)                                    \
    ((array)->count = 0, dist_array_reserve((memory), (array), (wanted)) == TOC_OK \
                             ? ((array)->count = (wanted), TOC_OK)                 \
                             : TOC_OUT_OF_MEMORY)

/// Format a sentence for toc_message_get and return the status.
__attribute__((format(printf, 2, 3))) toc_status toc_dist_fail(toc_status status, const char *format, ...);

#define DIST_TRY(expression)                    \
    do {                                        \
        const toc_status tried_ = (expression); \
        if (tried_ != TOC_OK) return tried_;    \
    } while (0)

#define DIST_NEED(pointer)                                                           \
    do {                                                                             \
        if (!(pointer)) return toc_dist_fail(TOC_BAD_INPUT, "%s is NULL", #pointer); \
    } while (0)

typedef int dist_compare(const void *a, const void *b);

/// Sort stably by merging the ascending runs of the input: O(n log runs). Scratch memory as large as the items.
toc_status toc_dist_sort(const toc_allocator *memory, void *items, size_t count, size_t item, dist_compare *compare);

#endif
