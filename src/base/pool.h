// SPDX-License-Identifier: Apache-2.0
// A pool: an allocator that keeps freed blocks for later requests of about their size.
//
// A query needs much the same memory as the query before it. With a pool it takes the blocks of that query again, so a
// steady step asks the caller's allocator for nothing and touches no fresh page.
#ifndef TOC_BASE_POOL_H
#define TOC_BASE_POOL_H

#include <pthread.h>
#include <stdbool.h>

#include "base/memory.h"

enum {
    TOC_POOL_STEPS = 16,                  // sizes of blocks in each power of two, so at most 1/16 of a block is unused
    TOC_POOL_SIZES = 48 * TOC_POOL_STEPS, // up to 2^53 bytes; larger requests are refused
    TOC_POOL_PATIENCE = 64                // ages that an unused block is kept
};

/// Several threads may allocate at the same time. The pool must stay in place.
typedef struct toc_pool {
    toc_allocator source;
    pthread_mutex_t lock;                        // of everything below
    struct toc_pool_block *free[TOC_POOL_SIZES]; // by size, the last freed first
    size_t bytes, peak;                          // taken from the source, free blocks included
    size_t limit;                                // of these bytes; SIZE_MAX for none
    bool refused;                                // a request since toc_pool_begin would have passed the limit
    bool starved;                                // the source had no memory since then: no limit is to blame
    size_t wanted;                               // bytes that the first such request would have led to
    unsigned age;
} toc_pool;

void toc_pool_make(toc_pool *pool, const toc_allocator *source);
/// Free all blocks. None may be in use.
void toc_pool_free(toc_pool *pool);
/// The allocator of a pool. It fails where the source fails, and then gives the free blocks back to the source.
toc_allocator toc_pool_allocator(toc_pool *pool);
/// Give all free blocks back, after memory that is not needed again.
void toc_pool_release(toc_pool *pool);
/// Forget a refusal and give all free blocks back, before another attempt in the same age.
void toc_pool_retry(toc_pool *pool);
/// Begin a new age: give back the blocks that were not used for TOC_POOL_PATIENCE ages, and limit the bytes. Where they
/// are above the limit, all free blocks are given back.
void toc_pool_begin(toc_pool *pool, size_t limit);

#endif
