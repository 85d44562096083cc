// SPDX-License-Identifier: Apache-2.0
// Memory from the caller's allocator: arrays that grow, with checked sizes. Failures leave the array as it was.
#ifndef SIM_CORE_MEMORY_H
#define SIM_CORE_MEMORY_H

#include "toccata/base.h"

/// Set the capacity of an array of `count` items of `item` bytes. New items are 0.
toc_status toc_sim_array_resize_(const toc_allocator *memory, void **items, size_t *capacity, size_t count,
                                 size_t item);
/// Make room for at least `count` items; grows by half at least.
toc_status toc_sim_array_reserve_(const toc_allocator *memory, void **items, size_t *capacity, size_t count,
                                  size_t item);

/// An array of a type: SIM_ARRAY(double) numbers.
#define SIM_ARRAY(type)         \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
    }
#define sim_array_reserve(memory, array, room) \
    toc_sim_array_reserve_((memory), (void **)&(array)->items, &(array)->capacity, (room), sizeof *(array)->items)
#define sim_array_free(memory, array)                                                                                \
    (void)(toc_sim_array_resize_((memory), (void **)&(array)->items, &(array)->capacity, 0, sizeof *(array)->items), \
           (array)->count = 0)

/// Format a sentence for toc_message_get and return the status.
__attribute__((format(printf, 2, 3))) toc_status toc_sim_fail(toc_status status, const char *format, ...);

#define SIM_TRY(expression)                     \
    do {                                        \
        const toc_status tried_ = (expression); \
        if (tried_ != TOC_OK) return tried_;    \
    } while (0)

#define SIM_NEED(pointer)                                                           \
    do {                                                                            \
        if (!(pointer)) return toc_sim_fail(TOC_BAD_INPUT, "%s is NULL", #pointer); \
    } while (0)

#endif
