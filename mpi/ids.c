// SPDX-License-Identifier: Apache-2.0
// Open addressing with linear probing; at most half of the slots are used.
#include "mpi/ids.h"

#include <assert.h>

static void empty_slots(dist_id_slot *slots, size_t room) {
    for (size_t i = 0; i < room; i++) slots[i].place = DIST_NONE;
}

static void put_id(dist_ids *ids, uint64_t id, uint32_t place) {
    size_t at = dist_mix(id) & (ids->room - 1);
    while (ids->slots[at].place != DIST_NONE || ids->slots[at].gone) at = (at + 1) & (ids->room - 1);
    ids->slots[at] = (dist_id_slot){id, place, 0};
    ids->used++;
}

toc_status toc_dist_ids_reserve(const toc_allocator *memory, dist_ids *ids, size_t extra) {
    if (ids->room && ids->used + extra <= ids->room / 2) return TOC_OK;
    dist_ids grown = {.room = 16};
    while (grown.room / 2 < ids->used + extra + ids->used / 2) grown.room *= 2;
    grown.slots = toc_new(memory, grown.room, sizeof *grown.slots);
    if (!grown.slots) return TOC_OUT_OF_MEMORY;
    empty_slots(grown.slots, grown.room);
    for (size_t i = 0; i < ids->room; i++)
        if (ids->slots[i].place != DIST_NONE) put_id(&grown, ids->slots[i].id, ids->slots[i].place);
    toc_dist_ids_free(memory, ids);
    *ids = grown;
    return TOC_OK;
}

static dist_id_slot *find_slot(const dist_ids *ids, uint64_t id) {
    if (ids->room == 0) return NULL;
    for (size_t at = dist_mix(id) & (ids->room - 1);; at = (at + 1) & (ids->room - 1)) {
        dist_id_slot *slot = &ids->slots[at];
        if (slot->place == DIST_NONE && !slot->gone) return NULL;
        if (slot->place != DIST_NONE && slot->id == id) return slot;
    }
}

uint32_t toc_dist_ids_find(const dist_ids *ids, uint64_t id) {
    const dist_id_slot *slot = find_slot(ids, id);
    return slot ? slot->place : DIST_NONE;
}

void toc_dist_ids_add(dist_ids *ids, uint64_t id, uint32_t place) {
    assert(place != DIST_NONE && ids->used < ids->room);
    assert(toc_dist_ids_find(ids, id) == DIST_NONE);
    put_id(ids, id, place);
}

void toc_dist_ids_remove(dist_ids *ids, uint64_t id) {
    dist_id_slot *slot = find_slot(ids, id);
    if (!slot) return;
    slot->place = DIST_NONE;
    slot->gone = 1;
}

void toc_dist_ids_free(const toc_allocator *memory, dist_ids *ids) {
    toc_free(memory, ids->slots, ids->room, sizeof *ids->slots);
    *ids = (dist_ids){0};
}
