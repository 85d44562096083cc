// SPDX-License-Identifier: Apache-2.0
// Memory from the caller's allocator: blocks, growing arrays, arenas.
#include "base/memory.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

toc_allocator toc_allocator_or_default(const toc_allocator *allocator) {
    return allocator ? *allocator : toc_allocator_get_default();
}

static void *resize(const toc_allocator *allocator, void *block, size_t old_size, size_t new_size) {
    void *moved = allocator->resize(allocator->user, block, old_size, new_size);
    if (!moved && new_size) toc_fail_memory(new_size);
    return moved;
}

// count * size, or SIZE_MAX if that overflows: more than any allocator has.
static size_t product(size_t count, size_t size) {
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

// A size no object may have (PTRDIFF_MAX on) is refused before the allocator sees it.
static void *allocate(const toc_allocator *allocator, size_t bytes) {
    if (bytes > PTRDIFF_MAX) {
        toc_fail_memory(bytes);
        return NULL;
    }
    return resize(allocator, NULL, 0, bytes);
}

static size_t block_bytes(size_t count, size_t size) {
    const size_t bytes = product(count, size);
    return bytes ? bytes : 1;
}

void *toc_new(const toc_allocator *allocator, size_t count, size_t size) {
    const size_t bytes = block_bytes(count, size);
    void *block = allocate(allocator, bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

void toc_free(const toc_allocator *allocator, void *block, size_t count, size_t size) {
    if (block) resize(allocator, block, block_bytes(count, size), 0);
}

// The layout of every TOC_ARRAY; copied in and out, since the types differ.
typedef struct any_array {
    void *at;
    size_t count, capacity;
} any_array;

toc_status toc_array_reserve_(const toc_allocator *allocator, void *array, size_t extra, size_t item_size) {
    any_array a;
    memcpy(&a, array, sizeof a);
    if (extra <= a.capacity - a.count) return TOC_OK;
    size_t wanted;
    if (__builtin_add_overflow(a.count, extra, &wanted)) return toc_fail_memory(SIZE_MAX);
    if (wanted < a.capacity + a.capacity / 2) wanted = a.capacity + a.capacity / 2;
    if (wanted < 16) wanted = 16;
    const size_t bytes = product(wanted, item_size);
    if (bytes > PTRDIFF_MAX) return toc_fail_memory(bytes);
    void *moved = resize(allocator, a.at, a.capacity * item_size, bytes);
    if (!moved) return TOC_OUT_OF_MEMORY;
    a.at = moved;
    a.capacity = wanted;
    memcpy(array, &a, sizeof a);
    return TOC_OK;
}

toc_status toc_array_room_(const toc_allocator *allocator, void *array, size_t total, size_t item_size) {
    any_array before, after;
    memcpy(&before, array, sizeof before);
    assert(before.count <= before.capacity && item_size > 0);
    if (total <= before.capacity) return TOC_OK;
    TOC_TRY(toc_array_reserve_(allocator, array, total - before.count, item_size));
    memcpy(&after, array, sizeof after);
    memset((char *)after.at + before.capacity * item_size, 0, (after.capacity - before.capacity) * item_size);
    return TOC_OK;
}

toc_status toc_array_fit_(const toc_allocator *allocator, void *array, size_t item_size) {
    any_array a;
    memcpy(&a, array, sizeof a);
    if (a.count == 0) return TOC_OK;
    void *moved = resize(allocator, a.at, a.capacity * item_size, a.count * item_size);
    if (!moved) return TOC_OUT_OF_MEMORY;
    a.at = moved;
    a.capacity = a.count;
    memcpy(array, &a, sizeof a);
    return TOC_OK;
}

void toc_array_free_(const toc_allocator *allocator, void *array, size_t item_size) {
    any_array a;
    memcpy(&a, array, sizeof a);
    if (a.at) resize(allocator, a.at, a.capacity * item_size, 0);
    memset(array, 0, sizeof a);
}

enum { ARENA_ALIGN = 64, ARENA_FIRST = 8 * 1024, ARENA_BLOCK = 64 * 1024 };

struct toc_arena_block {
    struct toc_arena_block *older;
    size_t bytes;  // of the whole block
    bool is_large; // of one array that the blocks of its arena are too small for
    char data[];
};

toc_arena toc_arena_make(const toc_allocator *allocator) {
    return (toc_arena){.allocator = toc_allocator_or_default(allocator)};
}

static char *block_start(struct toc_arena_block *block) {
    return block->data + (ARENA_ALIGN - (uintptr_t)block->data % ARENA_ALIGN) % ARENA_ALIGN;
}

// Blocks grow with the arena, so that a small scene takes few pages. Blocks of one large array do not count.
static size_t next_block_bytes(const toc_arena *arena) {
    const struct toc_arena_block *last = arena->block;
    while (last && last->is_large) last = last->older;
    if (!last) return ARENA_FIRST;
    return last->bytes < ARENA_BLOCK / 2 ? 2 * last->bytes : ARENA_BLOCK;
}

static const size_t BLOCK_HEAD = sizeof(struct toc_arena_block) + ARENA_ALIGN;

static void put_arena_block(toc_arena *arena, struct toc_arena_block *block) {
    block->older = arena->block;
    arena->block = block;
    arena->next = block_start(block);
    arena->end = (char *)block + block->bytes;
}

static toc_status add_block(toc_arena *arena, size_t bytes) {
    const size_t usual = next_block_bytes(arena), wanted = bytes > usual ? bytes : usual;
    if (wanted > PTRDIFF_MAX - BLOCK_HEAD) return toc_fail_memory(wanted);
    const size_t whole = BLOCK_HEAD + wanted;
    struct toc_arena_block *block = arena->spare;
    if (block && block->bytes >= BLOCK_HEAD + bytes) {
        arena->spare = NULL;
    } else {
        block = allocate(&arena->allocator, whole);
        if (!block) return TOC_OUT_OF_MEMORY;
        block->bytes = whole;
        block->is_large = bytes > usual;
    }
    put_arena_block(arena, block);
    return TOC_OK;
}

void *toc_arena_new(toc_arena *arena, size_t count, size_t size) {
    const size_t bytes = product(count, size);
    if (bytes > PTRDIFF_MAX) {
        toc_fail_memory(bytes);
        return NULL;
    }
    const size_t rounded = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    const size_t gap = (ARENA_ALIGN - (uintptr_t)arena->next % ARENA_ALIGN) % ARENA_ALIGN; // behind words
    if (!arena->block || gap + rounded > (size_t)(arena->end - arena->next)) {
        if (add_block(arena, rounded) != TOC_OK) return NULL;
    } else {
        arena->next += gap;
    }
    void *found = arena->next;
    assert((uintptr_t)found % ARENA_ALIGN == 0);
    arena->next += rounded;
    return found;
}

toc_arena_mark toc_arena_here(const toc_arena *arena) {
    return (toc_arena_mark){.block = arena->block, .next = arena->next};
}

static void free_arena_block(toc_arena *arena, struct toc_arena_block *block) {
    if (block) resize(&arena->allocator, block, block->bytes, 0);
}

// The larger one of two small blocks is kept.
static void drop_block(toc_arena *arena) {
    struct toc_arena_block *dropped = arena->block, *spare = arena->spare;
    arena->block = dropped->older;
    if (dropped->bytes <= BLOCK_HEAD + ARENA_BLOCK && (!spare || spare->bytes < dropped->bytes)) {
        arena->spare = dropped;
        dropped = spare;
    }
    free_arena_block(arena, dropped);
}

void toc_arena_back(toc_arena *arena, toc_arena_mark mark) {
    // The first block stays for the next use: an arena that is reset in a loop then allocates once.
    while (arena->block != mark.block && arena->block->older) drop_block(arena);
    if (!arena->block) return;
    arena->next = arena->block == mark.block ? mark.next : block_start(arena->block);
    arena->end = (char *)arena->block + arena->block->bytes;
}

void toc_arena_free(toc_arena *arena) {
    while (arena->block) drop_block(arena);
    free_arena_block(arena, arena->spare);
    arena->spare = NULL;
    arena->next = arena->end = NULL;
}
