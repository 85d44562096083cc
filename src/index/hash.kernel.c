// SPDX-License-Identifier: Apache-2.0
// Searching hashed cells, compiled for each instruction set. The items of a voxel are copied into blocks of consecutive
// numbers, and one item is compared with as many others at once as a register has floats.
#include "index/hash.h"
#include "bound/overlap.h"
#include "bound/span.h"

enum { BLOCK = 64 };
static const uint32_t NONE = UINT32_MAX;

// Items in the layout for comparisons.
typedef struct item_block {
    size_t count;
    float low[3][BLOCK], high[3][BLOCK];
    int32_t where[BLOCK];
    uint32_t primitive[BLOCK];
    uint32_t flat[3][BLOCK]; // corners with a flat ring, else NONE
} item_block;

// The state of a search, with the pairs that are not reported yet.
typedef struct voxel_search {
    toc_hash_search *search;
    toc_look look;
    toc_hash_room *room;
    size_t count;
    toc_leaf_pair pairs[TOC_LEAF_PAIRS];
    item_block a, b;
} voxel_search;

static toc_status flush_pairs(voxel_search *f) {
    const size_t count = f->count;
    f->count = 0;
    f->search->counts.found += count;
    return count ? f->search->take(f->search->user, f->pairs, count) : TOC_OK;
}

// ---- loading items

static TOC_INLINE void load_corners(const voxel_search *f, uint32_t primitive, size_t at, item_block *out) {
    const uint32_t *corners = f->search->corners[primitive];
    for (int c = 0; c < 3; c++) out->flat[c][at] = f->search->flat[corners[c]] ? corners[c] : NONE;
}

// Load the box of the primitive, or the range of its cells if only cells are compared.
static TOC_INLINE void load_item(const voxel_search *f, const toc_hash *hash, const toc_hash_item *item,
                                 item_block *out) {
    const float *low = toc_hash_bounds(hash, item->primitive), *high = low + hash->high;
    const int level = (int)(item->where >> 12 & (TOC_HASH_LEVELS - 1));
    const size_t at = out->count++;
    const bool boxes = f->search->overlap != TOC_HASH_CELLS;
    for (int c = 0; c < 3; c++) {
        out->low[c][at] = boxes ? low[c] : (float)toc_hash_along(hash, low[c], level);
        out->high[c][at] = boxes ? high[c] : (float)toc_hash_along(hash, high[c], level);
    }
    out->where[at] = (int32_t)item->where;
    out->primitive[at] = item->primitive;
    if (f->search->flat) load_corners(f, item->primitive, at, out);
}

// Consecutive items.
typedef struct range {
    uint32_t from, end;
} range;

// Boxes are scattered in memory: prefetch each some items ahead.
static TOC_INLINE void prefetch_box(const toc_hash *hash, size_t item) {
    enum { AHEAD = 8 };
    if (item + AHEAD >= hash->items.count) return;
    __builtin_prefetch(toc_hash_bounds(hash, hash->items.at[item + AHEAD].primitive));
}

// Load the next items of a range with a current stamp, up to a full block. @return false if there are none.
static TOC_INLINE bool gather_items(const voxel_search *f, const toc_hash *hash, range *items, item_block *out) {
    out->count = 0;
    for (; items->from < items->end && out->count < BLOCK; items->from++) {
        const toc_hash_item *item = &hash->items.at[items->from];
        prefetch_box(hash, items->from);
        if (hash->stamps && hash->stamps[item->primitive] != hash->stamp) continue;
        load_item(f, hash, item, out);
    }
    return out->count > 0;
}

// ---- comparing items

// The item that others are compared with, in every lane.
typedef struct one {
    toc_slabs low[3], high[3];
    int32_t where;
    uint32_t primitive, flat[3];
} one;

static TOC_INLINE one spread_item(const item_block *a, size_t k, bool flat) {
    const toc_slabs none = {0};
    one item = {.where = a->where[k], .primitive = a->primitive[k]};
    for (int c = 0; c < 3; c++) {
        item.low[c] = a->low[c][k] - none;
        item.high[c] = a->high[c][k] - none;
        if (flat) item.flat[c] = a->flat[c][k] - (a->flat[c][k] == NONE); // NONE must not equal the other's NONE
    }
    return item;
}

// The items from `from` on that meet it: their boxes overlap, and their cell is the same and the lowest they share.
static TOC_INLINE toc_slab_mask items_that_meet(const one *item, const item_block *b, size_t from) {
    toc_slab_mask near = toc_slabs_match(b->where + from, item->where, TOC_HASH_CELL, TOC_HASH_NOT_BOTH);
    for (int c = 0; c < 3; c++) {
        near = toc_slabs_not_above(near, *(const toc_slabs *)(b->low[c] + from), item->high[c]);
        near = toc_slabs_not_above(near, item->low[c], *(const toc_slabs *)(b->high[c] + from));
    }
    return near;
}

// Those of them that share no corner with a flat ring with it.
static TOC_INLINE toc_slab_mask leave_neighbours(toc_slab_mask near, const one *item, const item_block *b,
                                                 size_t from) {
    for (int i = 0; i < 9; i++) near = toc_slabs_unlike(near, b->flat[i / 3] + from, item->flat[i % 3]);
    return near;
}

static TOC_INLINE const float *moving_dop_of(voxel_search *f, uint32_t primitive, size_t place, int lanes) {
    const toc_hash_search *s = f->search;
    float *dop = f->room->dops + place * 4 * (size_t)lanes;
    if (f->room->primitives[place] != primitive)
        toc_dop_of_packed(s->axes, lanes, s->packed, s->corners[primitive], dop);
    f->room->primitives[place] = primitive;
    return dop;
}

static TOC_INLINE bool may_meet(voxel_search *f, uint32_t a, uint32_t b, int lanes) {
    const size_t at = a % TOC_HASH_LATELY, other = b % TOC_HASH_LATELY;
    const float *dop = moving_dop_of(f, a, at, lanes);
    return toc_dops_may_meet(dop, moving_dop_of(f, b, at == other ? (other + 1) % TOC_HASH_LATELY : other, lanes),
                             lanes, f->look);
}

static TOC_INLINE bool is_near(voxel_search *f, uint32_t a, uint32_t b, int lanes) {
    const toc_hash_search *s = f->search;
    if (s->overlap == TOC_HASH_MOVING) return may_meet(f, a, b, lanes);
    return s->overlap == TOC_HASH_CELLS ||
           toc_dops_overlap(toc_hash_bounds(s->hash, a), toc_hash_bounds(s->hash, b), lanes);
}

static TOC_INLINE toc_status take_pair(voxel_search *f, uint32_t a, uint32_t b, int lanes) {
    f->search->counts.box_pairs++;
    const bool swap = !f->search->other && b < a;
    f->pairs[f->count] = swap ? (toc_leaf_pair){b, a} : (toc_leaf_pair){a, b};
    f->count += is_near(f, a, b, lanes);
    return f->count == TOC_LEAF_PAIRS ? flush_pairs(f) : TOC_OK;
}

// Compare item k of a block with the first `count` items of another.
static TOC_INLINE toc_status compare_item(voxel_search *f, const item_block *a, size_t k, const item_block *b,
                                          size_t count, int lanes) {
    const bool flat = f->search->flat;
    const one item = spread_item(a, k, flat);
    f->search->counts.voxel_pairs += count;
    for (size_t from = 0; from < count; from += TOC_SLABS) {
        const unsigned there = count - from < TOC_SLABS ? (1u << (count - from)) - 1 : (1u << TOC_SLABS) - 1;
        toc_slab_mask near = items_that_meet(&item, b, from);
        if (flat && toc_slabs_any(near)) near = leave_neighbours(near, &item, b, from);
        for (unsigned bits = toc_slabs_bits(near) & there; bits; bits &= bits - 1)
            TOC_TRY(take_pair(f, item.primitive, b->primitive[from + (size_t)__builtin_ctz(bits)], lanes));
    }
    return TOC_OK;
}

static TOC_INLINE toc_status compare_item_blocks(voxel_search *f, int lanes) {
    for (size_t k = 0; k < f->a.count; k++) TOC_TRY(compare_item(f, &f->a, k, &f->b, f->b.count, lanes));
    return TOC_OK;
}

// ---- voxels

// The items of consecutive slots.
static TOC_INLINE range items_in(const toc_hash *hash, size_t slot, size_t count) {
    return (range){hash->first.at[slot], hash->first.at[slot + count]};
}

// The slot of an item: the last one that begins no later.
static TOC_INLINE size_t slot_with(const toc_hash *hash, size_t item) {
    size_t low = 0, high = 2 * hash->voxel_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (hash->first.at[middle] <= item)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Compare some items on their home level with each other, the items after them in the voxel, and its coarse copies. All
// of these may be of several cells and levels.
static TOC_INLINE toc_status search_within(voxel_search *f, size_t slot, range items, int lanes) {
    const toc_hash *hash = f->search->hash;
    while (gather_items(f, hash, &items, &f->a)) {
        range others = {items.from, items_in(hash, slot, 2).end};
        for (size_t k = 1; k < f->a.count; k++) TOC_TRY(compare_item(f, &f->a, k, &f->a, k, lanes));
        while (gather_items(f, hash, &others, &f->b)) TOC_TRY(compare_item_blocks(f, lanes));
    }
    return TOC_OK;
}

// Compare items of one table with items of the other.
static TOC_INLINE toc_status search_between(voxel_search *f, range items, range others, int lanes) {
    if (others.from == others.end) return TOC_OK;
    while (gather_items(f, f->search->hash, &items, &f->a))
        for (range left = others; gather_items(f, f->search->other, &left, &f->b);)
            TOC_TRY(compare_item_blocks(f, lanes));
    return TOC_OK;
}

// Items on their home level meet all items of a voxel; coarse copies meet only items on their home level.
static TOC_INLINE toc_status search_voxels(voxel_search *f, size_t first, size_t end, int lanes) {
    const toc_hash *hash = f->search->hash, *other = f->search->other;
    range items = {(uint32_t)first, 0};
    for (size_t slot = slot_with(hash, first); items.from < end; items.from = items.end, slot++) {
        const uint32_t next = hash->first.at[slot + 1];
        const bool copies = slot % 2;
        items.end = next < end ? next : (uint32_t)end;
        if (other)
            TOC_TRY(search_between(f, items, items_in(other, slot - copies, copies ? 1 : 2), lanes));
        else if (!copies)
            TOC_TRY(search_within(f, slot, items, lanes));
    }
    return flush_pairs(f);
}

toc_status TOC_FOR_LANES(toc_hash_kernel)(toc_hash_search *search, size_t first, size_t end) {
    voxel_search f;
    f.search = search;
    f.room = search->room;
    f.count = 0;
    if (search->overlap == TOC_HASH_MOVING) {
        f.look = toc_window_look(search->window);
        memset(f.room->primitives, 0xff, sizeof f.room->primitives);
    }
    return search->hash->lanes == 8 ? search_voxels(&f, first, end, 8) : search_voxels(&f, first, end, 16);
}
