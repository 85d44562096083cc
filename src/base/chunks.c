// SPDX-License-Identifier: Apache-2.0
// Runs of units, by first fit.
#include "base/chunks.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/platform/platform.h"
#include "base/poison.h"

enum {
    UNIT = 1 << 10,
    UNITS = TOC_CHUNK_BYTES / UNIT,
    WORDS = UNITS / 64,
    HEAD = 1,                // units of the chunk itself
    GUARD = TOC_POISON_GUARD // bytes behind each block that nobody may touch
};

typedef struct toc_chunk {
    struct toc_chunk *next;
    uint64_t used[WORDS]; // by unit
} toc_chunk;

_Static_assert(sizeof(toc_chunk) <= HEAD * UNIT, "a chunk has room for its bits");
_Static_assert(TOC_CHUNK_MOST + GUARD + HEAD * UNIT <= TOC_CHUNK_BYTES, "a chunk holds the largest block");

bool toc_chunks_suit(const toc_allocator *source) {
    const toc_allocator own = toc_allocator_get_default();
    return toc_pages_huge_bytes() == TOC_CHUNK_BYTES && source->resize == own.resize;
}

static size_t units_of(size_t bytes) { return (bytes + GUARD + UNIT - 1) / UNIT; }

// The first unit from `at` on that is used, or that is not; UNITS for none.
static size_t next_unit(const toc_chunk *chunk, size_t at, bool used) {
    for (size_t word = at / 64; word < WORDS; word++, at = 64 * word) {
        const uint64_t wanted = (used ? chunk->used[word] : ~chunk->used[word]) >> at % 64;
        if (wanted) return at + (size_t)__builtin_ctzll(wanted);
    }
    return UNITS;
}

// The first of so many consecutive free units; UNITS for none.
static size_t find_run(const toc_chunk *chunk, size_t units) {
    for (size_t at = HEAD; at + units <= UNITS;) {
        const size_t end = next_unit(chunk, at, true);
        if (end - at >= units) return at;
        at = end < UNITS ? next_unit(chunk, end, false) : UNITS;
    }
    return UNITS;
}

static void turn_units(toc_chunk *chunk, size_t first, size_t units) {
    for (size_t at = first, end = first + units; at < end;) {
        const size_t some = 64 - at % 64 < end - at ? 64 - at % 64 : end - at;
        chunk->used[at / 64] ^= UINT64_MAX >> (64 - some) << at % 64;
        at += some;
    }
}

static void *take_units(toc_chunk *chunk, size_t first, size_t bytes) {
    char *block = (char *)chunk + first * UNIT;
    turn_units(chunk, first, units_of(bytes));
    ASAN_UNPOISON_MEMORY_REGION(block, bytes);
    return block;
}

static toc_chunk *add_chunk(toc_chunks *chunks) {
    toc_chunk *chunk = chunks->source.resize(chunks->source.user, NULL, 0, TOC_CHUNK_BYTES);
    if (!chunk) return NULL;
    assert((uintptr_t)chunk % TOC_CHUNK_BYTES == 0);
    memset(chunk, 0, sizeof *chunk);
    turn_units(chunk, 0, HEAD);
    ASAN_POISON_MEMORY_REGION((char *)chunk + HEAD * UNIT, TOC_CHUNK_BYTES - HEAD * UNIT);
    chunk->next = chunks->newest;
    chunks->newest = chunk;
    chunks->count++;
    return chunk;
}

void *toc_chunks_take(toc_chunks *chunks, size_t bytes, bool may_grow) {
    if (bytes < TOC_CHUNK_LEAST || bytes > TOC_CHUNK_MOST) return NULL;
    for (toc_chunk *chunk = chunks->newest; chunk; chunk = chunk->next) {
        const size_t first = find_run(chunk, units_of(bytes));
        if (first < UNITS) return take_units(chunk, first, bytes);
    }
    toc_chunk *chunk = may_grow ? add_chunk(chunks) : NULL;
    return chunk ? take_units(chunk, HEAD, bytes) : NULL;
}

static void drop_chunk(toc_chunks *chunks, toc_chunk *chunk) {
    toc_chunk **at = &chunks->newest;
    while (*at != chunk) at = &(*at)->next;
    *at = chunk->next;
    chunks->count--;
    ASAN_UNPOISON_MEMORY_REGION(chunk, TOC_CHUNK_BYTES);
    chunks->source.resize(chunks->source.user, chunk, TOC_CHUNK_BYTES, 0);
}

void toc_chunks_give(toc_chunks *chunks, void *block, size_t bytes) {
    toc_chunk *chunk = (toc_chunk *)((uintptr_t)block & ~(uintptr_t)(TOC_CHUNK_BYTES - 1));
    turn_units(chunk, (size_t)((char *)block - (char *)chunk) / UNIT, units_of(bytes));
    ASAN_POISON_MEMORY_REGION(block, bytes);
    if (next_unit(chunk, HEAD, true) == UNITS) drop_chunk(chunks, chunk);
}
