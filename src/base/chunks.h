// SPDX-License-Identifier: Apache-2.0
// Blocks of a pool that share huge pages.
//
// The first touch of a page costs the system more than the memory of a page costs a query. A chunk is one huge page,
// so it is touched once. Blocks are runs of its units; freed runs join by themselves, since a chunk is a row of bits.
// Only for the default allocator, on systems with huge pages (docs/decisions/0071-huge-pages-of-a-scene.md).
#ifndef TOC_BASE_CHUNKS_H
#define TOC_BASE_CHUNKS_H

#include <stdbool.h>

#include "base/memory.h"

enum {
    TOC_CHUNK_BYTES = 1 << 21, // of a chunk, and its alignment
    TOC_CHUNK_LEAST = 1 << 13, // bytes of the smallest block
    TOC_CHUNK_MOST = 1 << 20,  // of the largest one; larger ones have huge pages of their own
    TOC_CHUNKS_FROM = 1 << 19  // bytes that a pool takes before its first chunk
};

typedef struct toc_chunks {
    toc_allocator source;
    struct toc_chunk *newest;
    size_t count;
} toc_chunks;

/// Whether blocks of an allocator may stand in chunks.
bool toc_chunks_suit(const toc_allocator *source);
/// Take a block from a chunk. The source needs to align blocks of the size of a chunk to their size.
/// @param may_grow whether to add a chunk where no other has room.
/// @return NULL where the size does not suit, or where there is no room.
void *toc_chunks_take(toc_chunks *chunks, size_t bytes, bool may_grow);
/// Give a block back. A chunk without blocks goes back to the source.
void toc_chunks_give(toc_chunks *chunks, void *block, size_t bytes);

#endif
