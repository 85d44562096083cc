// SPDX-License-Identifier: Apache-2.0
// Keeping freed blocks by size. A request takes the smallest free block of at most twice its size. O(1) for each.
#include "base/pool.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

// Free blocks, and the unused end of others, are poison to the address sanitizer: a stale pointer is still found.
#if defined(__SANITIZE_ADDRESS__)
#define TOC_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TOC_POISONS 1
#endif
#endif
#ifdef TOC_POISONS
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

enum { LEAST_BITS = 6 }; // the smallest block has 64 bytes

// A block of the source: this header, then `bytes` for the user.
typedef struct toc_pool_block {
    _Alignas(16) size_t bytes;
    struct toc_pool_block *next; // while it is free
    unsigned freed;              // the age at which it was
    int size;                    // its number among the sizes
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

static void release_block(toc_pool *pool, toc_pool_block *block) {
    const size_t whole = block->bytes + sizeof *block;
    ASAN_UNPOISON_MEMORY_REGION(user_part(block), block->bytes);
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

// Take a block from the source, or let it change the size of one.
static toc_pool_block *draw_block(toc_pool *pool, toc_pool_block *old, int size) {
    const size_t before = old ? old->bytes + sizeof *old : 0, whole = pool_bytes_of(size) + sizeof *old;
    if (whole > before && !has_pool_room(pool, whole - before)) return NULL;
    toc_pool_block *block = pool->source.resize(pool->source.user, old, before, whole);
    if (!block) {
        release_old(pool, pool->age);
        pool->refused = false;
        pool->starved = true;
        return NULL;
    }
    block->bytes = pool_bytes_of(size);
    block->size = size;
    pool->bytes = pool->bytes - before + whole;
    if (pool->bytes > pool->peak) pool->peak = pool->bytes;
    return block;
}

// A block for a request that an old one, or none, is too small or far too large for. NULL leaves the old one as it was.
static toc_pool_block *exchange_block(toc_pool *pool, toc_pool_block *old, size_t used, int size) {
    toc_pool_block *block = take_free(pool, size);
    if (!block) return draw_block(pool, old, size);
    if (!old) return block;
    const size_t kept = used < block->bytes ? used : block->bytes;
    ASAN_UNPOISON_MEMORY_REGION(user_part(block), kept);
    memcpy(user_part(block), user_part(old), kept);
    put_back(pool, old);
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
