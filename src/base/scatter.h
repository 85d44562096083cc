// SPDX-License-Identifier: Apache-2.0
// Lists of items by key, on all threads: a counting sort that keeps the order of the items.
//
// Chunks of items count their keys by range of keys, and put them into the buckets of the ranges, one after the other.
// Each range then sorts its own bucket. O(items + keys). The result depends on the items alone, not on the threads.
#ifndef TOC_BASE_SCATTER_H
#define TOC_BASE_SCATTER_H

#include "base/memory.h"

enum { TOC_SCATTER_KEYS = 8 }; // most keys of an item

typedef struct toc_keyed {
    uint32_t key, item;
} toc_keyed;

/// The items to be listed.
typedef struct toc_scatter {
    size_t keys, items; // keys are 0 .. keys - 1, items 0 .. items - 1
    /// Write the keys of items first .. last - 1, item after item, at most TOC_SCATTER_KEYS each. @return their number.
    size_t (*list)(const void *user, size_t first, size_t last, toc_keyed *out);
    const void *user;
    int threads;
} toc_scatter;

/// The state between both calls.
typedef struct toc_scattering {
    toc_scatter how;
    int range_bits; // a range has 2 to this power keys
    size_t ranges, chunks, chunk;
    size_t *places;     // by range, then chunk: its entries, then the place of the next one
    size_t *starts;     // of each range, and one more
    toc_keyed *entries; // in the buckets; NULL where no buckets are needed
    uint32_t *next;     // by key: its entries, then the place of the next one
    uint32_t *first, *placed;
    size_t total; // entries
} toc_scattering;

/// Count all entries. The arena holds the state; release it after toc_scatter_place.
toc_status toc_scatter_count(const toc_scatter *how, toc_arena *arena, toc_scattering *out);
/// Write the items of key k to placed[first[k]] .. placed[first[k + 1] - 1], ascending. The total must be below 2^32.
/// @param first has keys + 1 entries. @param placed has `total` entries.
toc_status toc_scatter_place(toc_scattering *s, toc_arena *arena, uint32_t *first, uint32_t *placed);

#endif
