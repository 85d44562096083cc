// SPDX-License-Identifier: Apache-2.0
// Keeping freed blocks by size. A request takes the smallest free block of at most twice its size. O(1) for each.
//
// Free blocks, and the unused end of others, are poison to the address sanitizer: a stale pointer is still found.
#include "base/pool.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/poison.h"

enum { LEAST_BITS = 6 }; // the smallest block has 64 bytes

// A block of the source: this header, then `bytes` for the user.
typedef struct toc_pool_block {
    _Alignas(16) size_t bytes;
    struct toc_pool_block *next; // while it is free
    unsigned freed;              // the age at which it was
    int size;                    // its number among the sizes
    bool in_chunk;
} toc_pool_block;

_Static_assert(sizeof(toc_pool_block) % 16 == 0, "blocks are aligned to 16 bytes");

static char *user_part(toc_pool_block *block) { return (char *)(block + 1); }
static toc_pool_block *block_of(void *user) { return (toc_pool_block *)user - 1; }

// The bytes of a size: LEAST_BITS and up, TOC_POOL_STEPS sizes for each power of two.
static size_t pool_bytes_of(int size) {
    const size_t base = (size_t)1 << (LEAST_BITS + size / TOC_POOL_STEPS);
    return base + base / TOC_POOL_STEPS * (size_t)(size % TOC_POOL_STEPS);
}

_Static_assert(1 << LEAST_BITS >= TOC_POOL_STEPS * 4, "each size differs from the next");

// The smallest size that holds some bytes; TOC_POOL_SIZES if there is none.
static int pool_size_of(size_t bytes) {
    if (bytes <= (size_t)1 << LEAST_BITS) return 0;
    const int bits = 63 - __builtin_clzll((unsigned long long)(bytes - 1)); // 2^bits <= bytes - 1
    const size_t base = (size_t)1 << bits, step = base / TOC_POOL_STEPS;
    const int size = (bits - LEAST_BITS) * TOC_POOL_STEPS + (int)((bytes - base + step - 1) / step);
    assert(size >= TOC_POOL_SIZES || pool_bytes_of(size) >= bytes);
    return size < TOC_POOL_SIZES ? size : TOC_POOL_SIZES;
}

// ---- blocks; with the lock held

static size_t whole_bytes(const toc_pool_block *block) { return block->bytes + sizeof *block; }

// Chunks count as a whole, so there are none while a limit counts bytes.
static toc_pool_block *take_from_chunks(toc_pool *pool, size_t whole) {
    const size_t before = pool->chunks.count;
    if (!pool->has_chunks || pool->limit < SIZE_MAX) return NULL;
    toc_pool_block *block = toc_chunks_take(&pool->chunks, whole, pool->bytes >= TOC_CHUNKS_FROM);
    pool->bytes += (pool->chunks.count - before) * TOC_CHUNK_BYTES;
    if (block) block->in_chunk = true;
    return block;
}

static void give_to_chunks(toc_pool *pool, toc_pool_block *block) {
    const size_t before = pool->chunks.count;
    toc_chunks_give(&pool->chunks, block, whole_bytes(block));
    pool->bytes -= (before - pool->chunks.count) * TOC_CHUNK_BYTES;
}

static void release_block(toc_pool *pool, toc_pool_block *block) {
    const size_t whole = whole_bytes(block);
    ASAN_UNPOISON_MEMORY_REGION(user_part(block), block->bytes);
    if (block->in_chunk) {
        give_to_chunks(pool, block);
        return;
    }
    pool->bytes -= whole;
    pool->source.resize(pool->source.user, block, whole, 0);
}

// Give the free blocks of an age and of older ones back.
static void release_old(toc_pool *pool, unsigned age) {
    for (int size = 0; size < TOC_POOL_SIZES; size++)
        for (toc_pool_block **at = &pool->free[size]; *at;) {
            toc_pool_block *block = *at;
            if (pool->age - block->freed < pool->age - age) {
                at = &block->next;
                continue;
            }
            *at = block->next;
            release_block(pool, block);
        }
}

static void put_back(toc_pool *pool, toc_pool_block *block) {
    ASAN_POISON_MEMORY_REGION(user_part(block), block->bytes);
    block->freed = pool->age;
    block->next = pool->free[block->size];
    pool->free[block->size] = block;
}

static toc_pool_block *take_free(toc_pool *pool, int size) {
    const int last = size + TOC_POOL_STEPS < TOC_POOL_SIZES ? size + TOC_POOL_STEPS : TOC_POOL_SIZES - 1;
    while (size <= last && !pool->free[size]) size++;
    if (size > last) return NULL;
    toc_pool_block *block = pool->free[size];
    pool->free[size] = block->next;
    return block;
}

// Whether the limit allows this many bytes more; free blocks are given back for them.
static bool has_pool_room(toc_pool *pool, size_t more) {
    if (more > pool->limit || pool->bytes > pool->limit - more) release_old(pool, pool->age);
    if (more <= pool->limit && pool->bytes <= pool->limit - more) return true;
    if (pool->starved) return false;
    if (!pool->refused) pool->wanted = more < SIZE_MAX - pool->bytes ? pool->bytes + more : SIZE_MAX;
    pool->refused = true;
    return false;
}

// Take a block from the source itself, or let it change the size of one.
static toc_pool_block *draw_from_source(toc_pool *pool, toc_pool_block *old, size_t whole) {
    const size_t before = old ? whole_bytes(old) : 0;
    if (whole > before && !has_pool_room(pool, whole - before)) return NULL;
    toc_pool_block *block = pool->source.resize(pool->source.user, old, before, whole);
    if (block) {
        pool->bytes = pool->bytes - before + whole;
        block->in_chunk = false;
        return block;
    }
    release_old(pool, pool->age);
    pool->refused = false;
    pool->starved = true;
    return NULL;
}

// Take a block from a chunk or from the source, or let the source change the size of one of its own.
static toc_pool_block *draw_block(toc_pool *pool, toc_pool_block *old, int size) {
    const size_t whole = pool_bytes_of(size) + sizeof(toc_pool_block);
    assert(!old || !old->in_chunk);
    toc_pool_block *block = old ? NULL : take_from_chunks(pool, whole);
    if (!block) block = draw_from_source(pool, old, whole);
    if (!block) return NULL;
    block->bytes = pool_bytes_of(size);
    block->size = size;
    if (pool->bytes > pool->peak) pool->peak = pool->bytes;
    return block;
}

// A block for a request that an old one, or none, is too small or far too large for. NULL leaves the old one as it was.
static toc_pool_block *exchange_block(toc_pool *pool, toc_pool_block *old, size_t used, int size) {
    toc_pool_block *block = take_free(pool, size);
    const bool drawn = !block;
    if (drawn && old && !old->in_chunk) return draw_block(pool, old, size);
    if (drawn) block = draw_block(pool, NULL, size);
    if (!block || !old) return block;
    const size_t kept = used < block->bytes ? used : block->bytes;
    ASAN_UNPOISON_MEMORY_REGION(user_part(block), kept);
    memcpy(user_part(block), user_part(old), kept);
    (drawn ? release_block : put_back)(pool, old); // other blocks take the place of one in a chunk
    return block;
}

// ---- the allocator

static void *resize_block(toc_pool *pool, toc_pool_block *old, size_t used, size_t bytes) {
    const int size = pool_size_of(bytes);
    if (bytes == 0) {
        if (old) put_back(pool, old);
        return NULL;
    }
    if (size == TOC_POOL_SIZES) return NULL;
    if (old) ASAN_UNPOISON_MEMORY_REGION(user_part(old), old->bytes);
    const bool fits = old && old->size >= size && old->size <= size + TOC_POOL_STEPS;
    toc_pool_block *block = fits ? old : exchange_block(pool, old, used, size);
    toc_pool_block *held = block ? block : old; // of which so much is in use
    if (held) {
        const size_t end = block ? bytes : used;
        ASAN_UNPOISON_MEMORY_REGION(user_part(held), end);
        ASAN_POISON_MEMORY_REGION(user_part(held) + end, held->bytes - end);
    }
    return block ? user_part(block) : NULL;
}

static void *resize_in_pool(void *user, void *block, size_t old_size, size_t new_size) {
    toc_pool *pool = user;
    pthread_mutex_lock(&pool->lock);
    void *got = resize_block(pool, block ? block_of(block) : NULL, old_size, new_size);
    pthread_mutex_unlock(&pool->lock);
    return got;
}

toc_allocator toc_pool_allocator(toc_pool *pool) { return (toc_allocator){.resize = resize_in_pool, .user = pool}; }

void toc_pool_make(toc_pool *pool, const toc_allocator *source) {
    memset(pool, 0, sizeof *pool);
    pool->source = *source;
    pool->chunks.source = *source;
    pool->has_chunks = toc_chunks_suit(source);
    pool->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pool->limit = SIZE_MAX;
}

void toc_pool_free(toc_pool *pool) {
    release_old(pool, pool->age);
    assert(pool->bytes == 0);
    pthread_mutex_destroy(&pool->lock);
}

void toc_pool_release(toc_pool *pool) { release_old(pool, pool->age); }

void toc_pool_retry(toc_pool *pool) {
    pool->refused = pool->starved = false;
    release_old(pool, pool->age);
}

void toc_pool_begin(toc_pool *pool, size_t limit) {
    pool->age++;
    pool->limit = limit;
    pool->refused = pool->starved = false;
    // Blocks that would be used again count, too.
    release_old(pool, pool->bytes > limit ? pool->age : pool->age - TOC_POOL_PATIENCE);
}
