// SPDX-License-Identifier: Apache-2.0
// A table from 64-bit ids to places in an array.
#ifndef MPI_IDS_H
#define MPI_IDS_H

#include <stdbool.h>

#include "mpi/sort.h"

#define DIST_NONE UINT32_MAX

typedef struct dist_id_slot {
    uint64_t id;
    uint32_t place; // DIST_NONE: free
    uint32_t gone;  // 1: a removed id, over which a search goes on
} dist_id_slot;

typedef struct dist_ids {
    dist_id_slot *slots;
    size_t room, used; // slots, a power of two or 0; taken or gone
} dist_ids;

/// Mix the bits of an id.
static inline uint64_t dist_mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/// Make room for `extra` more ids.
toc_status toc_dist_ids_reserve(const toc_allocator *memory, dist_ids *ids, size_t extra);
/// The place of an id; DIST_NONE where it is not.
uint32_t toc_dist_ids_find(const dist_ids *ids, uint64_t id);
/// Add an id that is not there; room is reserved.
void toc_dist_ids_add(dist_ids *ids, uint64_t id, uint32_t place);
void toc_dist_ids_remove(dist_ids *ids, uint64_t id);
void toc_dist_ids_free(const toc_allocator *memory, dist_ids *ids);

#endif
