// SPDX-License-Identifier: Apache-2.0
// A map from unordered pairs of ids: linear probing, at most half full.
#include "sim/character/envelope.h"

static uint64_t key_of_pair(uint32_t a, uint32_t b) {
    const uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return (high << 32 | low) + 1; // ids are below CHARACTER_NONE, so no key is 0
}

/// Where a key is, or would be.
static size_t place_of_key(const pair_map *map, uint64_t key) {
    const size_t mask = map->size - 1;
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & mask;
    while (map->keys.at[at] != 0 && map->keys.at[at] != key) at = (at + 1) & mask;
    return at;
}

static toc_status grow_pairs(const toc_allocator *memory, pair_map *map) {
    pair_map larger = {0};
    const size_t old = map->size, room = old > 0 ? 2 * old : 1024;
    toc_status status = toc_array_room(memory, &larger.keys, room);
    if (status == TOC_OK) status = toc_array_room(memory, &larger.items, room);
    if (status != TOC_OK) {
        toc_pair_map_free(memory, &larger);
        return status;
    }
    larger.used = map->used, larger.size = room;
    for (size_t i = 0; i < old; i++) {
        if (map->keys.at[i] == 0) continue;
        const size_t at = place_of_key(&larger, map->keys.at[i]);
        larger.keys.at[at] = map->keys.at[i], larger.items.at[at] = map->items.at[i];
    }
    toc_pair_map_free(memory, map);
    *map = larger;
    return TOC_OK;
}

toc_status toc_pair_map_find(const toc_allocator *memory, pair_map *map, uint32_t a, uint32_t b, uint32_t **out) {
    if (2 * map->used >= map->size) TOC_TRY(grow_pairs(memory, map));
    const uint64_t key = key_of_pair(a, b);
    const size_t at = place_of_key(map, key);
    if (map->keys.at[at] == 0) {
        map->keys.at[at] = key;
        map->items.at[at] = CHARACTER_NONE;
        map->used++;
    }
    *out = &map->items.at[at];
    return TOC_OK;
}

uint32_t toc_pair_map_get(const pair_map *map, uint32_t a, uint32_t b) {
    if (map->size == 0) return CHARACTER_NONE;
    const uint64_t key = key_of_pair(a, b);
    const size_t at = place_of_key(map, key);
    return map->keys.at[at] == key ? map->items.at[at] : CHARACTER_NONE;
}

void toc_pair_map_free(const toc_allocator *memory, pair_map *map) {
    toc_array_free(memory, &map->keys);
    toc_array_free(memory, &map->items);
    map->used = map->size = 0;
}
