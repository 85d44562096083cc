// SPDX-License-Identifier: Apache-2.0
// Memory: every byte comes from the caller's allocator, every product of sizes is checked.
#ifndef TOC_BASE_MEMORY_H
#define TOC_BASE_MEMORY_H

#include "base/status.h"

/// The given allocator, or the default one for NULL.
toc_allocator toc_allocator_or_default(const toc_allocator *allocator);

/// A zeroed block of count * size bytes; NULL with the message set on failure. A count of 0 gives a block, too.
void *toc_new(const toc_allocator *allocator, size_t count, size_t size);

/// Free a block of toc_new with the same count and size. May be NULL.
void toc_free(const toc_allocator *allocator, void *block, size_t count, size_t size);

/// A growing array of any type: struct { T *at; size_t count, capacity; }. It must start as zero.
#define TOC_ARRAY(T)            \
    struct {                    \
        T *at;                  \
        size_t count, capacity; \
    }

/// Reserve memory for `extra` more items after the count; amortised O(1) for each item. Evaluates its arguments more
/// than once.
#define toc_array_reserve(allocator, array, extra) \
    ((extra) <= (array)->capacity - (array)->count \
         ? TOC_OK                                  \
         : toc_array_reserve_((allocator), (array), (extra), sizeof *(array)->at))
/// Reserve memory for `total` items in all. The items behind the old capacity are 0.
#define toc_array_room(allocator, array, total) toc_array_room_((allocator), (array), (total), sizeof *(array)->at)
/// Release the memory after the items.
#define toc_array_fit(allocator, array) toc_array_fit_((allocator), (array), sizeof *(array)->at)
/// Free the items and leave an empty array.
#define toc_array_free(allocator, array) toc_array_free_((allocator), (array), sizeof *(array)->at)

toc_status toc_array_reserve_(const toc_allocator *allocator, void *array, size_t extra, size_t item_size);
toc_status toc_array_room_(const toc_allocator *allocator, void *array, size_t total, size_t item_size);
toc_status toc_array_fit_(const toc_allocator *allocator, void *array, size_t item_size);
void toc_array_free_(const toc_allocator *allocator, void *array, size_t item_size);

/// Memory that is allocated quickly and released all at once, or back to a mark.
typedef struct toc_arena {
    toc_allocator allocator;
    struct toc_arena_block *block; // the newest; older ones behind it
    struct toc_arena_block *spare; // released, for the next one; NULL for none
    char *next, *end;              // free bytes of the newest block
} toc_arena;

typedef struct toc_arena_mark {
    struct toc_arena_block *block;
    char *next;
} toc_arena_mark;

toc_arena toc_arena_make(const toc_allocator *allocator);
/// Uninitialised memory, aligned to a cache line (64 bytes); NULL with the message set on failure.
void *toc_arena_new(toc_arena *arena, size_t count, size_t size);
/// Likewise, but words of 64 bits without gaps: for many small numbers.
static inline uint64_t *toc_arena_new_words(toc_arena *arena, size_t count) {
    if (count > (size_t)(arena->end - arena->next) / sizeof(uint64_t))
        return (uint64_t *)toc_arena_new(arena, count, sizeof(uint64_t));
    uint64_t *words = (uint64_t *)(void *)arena->next;
    arena->next += count * sizeof *words;
    return words;
}
toc_arena_mark toc_arena_here(const toc_arena *arena);
/// Release all memory allocated since the mark. One small block is kept: a loop that takes memory and goes back then
/// takes none from the allocator.
void toc_arena_back(toc_arena *arena, toc_arena_mark mark);
void toc_arena_free(toc_arena *arena);

#endif
