// SPDX-License-Identifier: Apache-2.0
// Searching hashed cells, compiled for each instruction set: the items of a voxel are laid out side by side, block by
// block, and one of them is compared with as many others at once as a register has floats.
#include "broad/hash.h"
#include "base/lanes.h"
#include "bound/overlap.h"
#include "bound/span.h"

enum { BLOCK = 64, HOMES = 1, GUESTS = 2 };

// Items made ready to be compared.
typedef struct block {
    size_t count;
    float low[3][BLOCK], high[3][BLOCK];
    int32_t where[BLOCK];
    uint32_t primitive[BLOCK];
} block;

// What is found, on its way to the taker.
typedef struct finder {
    toc_hash_search *search;
    toc_look look;
    size_t count;
    toc_node_pair pairs[TOC_LEAF_PAIRS];
    block a, b;
} finder;

static toc_status flush(finder *f) {
    const size_t count = f->count;
    f->count = 0;
    f->search->counts.found += count;
    return count ? f->search->take(f->search->user, f->pairs, count) : TOC_OK;
}

// ---- making items ready

// The box of the primitive, or where only cells count, the cells it touches.
static TOC_INLINE void load(const finder *f, const toc_hash *hash, const toc_hash_item *item, block *out) {
    const float *low = toc_hash_dop(hash, item->primitive), *high = low + hash->lanes;
    const int level = (int)(item->where >> 12 & (TOC_HASH_LEVELS - 1));
    const size_t at = out->count++;
    const bool boxes = f->search->overlap != TOC_HASH_CELLS;
    for (int c = 0; c < 3; c++) {
        out->low[c][at] = boxes ? low[c] : (float)toc_hash_along(hash, low[c], level);
        out->high[c][at] = boxes ? high[c] : (float)toc_hash_along(hash, high[c], level);
    }
    out->where[at] = (int32_t)item->where;
    out->primitive[at] = item->primitive;
}

// The next items that are still there and of a kind, up to a full block. False when there are none.
static TOC_INLINE bool gather(const finder *f, const toc_hash *hash, uint32_t *from, uint32_t end, unsigned kinds,
                              block *out) {
    out->count = 0;
    for (; *from < end && out->count < BLOCK; ++*from) {
        const toc_hash_item *item = &hash->items.at[*from];
        if (!(kinds & (item->where & TOC_HASH_GUEST ? GUESTS : HOMES))) continue;
        if (hash->stamps && hash->stamps[item->primitive] != hash->stamp) continue;
        load(f, hash, item, out);
    }
    return out->count > 0;
}

// ---- comparing them

// Which of the items from one on meet item k of a block, as bits: their boxes overlap, the cell is the same and the
// lowest they share, and one of them is at home.
static TOC_INLINE unsigned meet(const block *a, size_t k, const block *b, size_t from) {
    const toc_slabs none = {0};
    toc_slab_mask apart = toc_slabs_differ(b->where + from, a->where[k], TOC_HASH_CELL, TOC_HASH_NOT_BOTH);
    for (int c = 0; c < 3; c++) {
        apart |= toc_slabs_above(*(const toc_slabs *)(b->low[c] + from), none + a->high[c][k]);
        apart |= toc_slabs_above(none + a->low[c][k], *(const toc_slabs *)(b->high[c] + from));
    }
    return ~toc_slabs_bits(apart);
}

static TOC_INLINE bool is_near(const finder *f, uint32_t a, uint32_t b, int lanes) {
    const toc_hash_search *s = f->search;
    const size_t floats = 2 * (size_t)lanes;
    if (s->overlap == TOC_HASH_MOVING)
        return toc_dops_may_meet(s->moving + 2 * a * floats, s->moving + 2 * b * floats, lanes, f->look);
    return s->overlap == TOC_HASH_CELLS ||
           toc_dops_overlap(s->hash->dops + a * floats, s->hash->dops + b * floats, lanes);
}

static TOC_INLINE toc_status take(finder *f, uint32_t a, uint32_t b, int lanes) {
    f->search->counts.box_pairs++;
    const bool swap = !f->search->other && b < a;
    f->pairs[f->count] = swap ? (toc_node_pair){b, a} : (toc_node_pair){a, b};
    f->count += is_near(f, a, b, lanes);
    return f->count == TOC_LEAF_PAIRS ? flush(f) : TOC_OK;
}

// Item k of a block against the first `count` of another.
static TOC_INLINE toc_status compare(finder *f, const block *a, size_t k, const block *b, size_t count, int lanes) {
    f->search->counts.voxel_pairs += count;
    for (size_t from = 0; from < count; from += TOC_SLABS) {
        const size_t left = count - from;
        unsigned bits = meet(a, k, b, from) & (left < TOC_SLABS ? (1u << left) - 1 : (1u << TOC_SLABS) - 1);
        for (; bits; bits &= bits - 1) {
            const uint32_t other = b->primitive[from + (size_t)__builtin_ctz(bits)];
            TOC_TRY(take(f, a->primitive[k], other, lanes));
        }
    }
    return TOC_OK;
}

static TOC_INLINE toc_status compare_blocks(finder *f, int lanes) {
    for (size_t k = 0; k < f->a.count; k++) TOC_TRY(compare(f, &f->a, k, &f->b, f->b.count, lanes));
    return TOC_OK;
}

// ---- voxels

// Items from one to before another, all of one voxel.
typedef struct run {
    size_t voxel;
    uint32_t first, end;
} run;

// The voxel of an item: the last one that begins no later.
static TOC_INLINE size_t voxel_with(const toc_hash *hash, size_t item) {
    size_t low = 0, high = hash->voxel_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (hash->first.at[middle] <= item)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// A run against itself and what comes after it in its voxel, where items may be of several cells and levels, but for
// two guests.
static TOC_INLINE toc_status search_within(finder *f, run r, int lanes) {
    const toc_hash *hash = f->search->hash;
    const uint32_t first = hash->first.at[r.voxel], end = hash->first.at[r.voxel + 1];
    for (uint32_t i = r.first; gather(f, hash, &i, r.end, HOMES, &f->a);) {
        for (size_t k = 1; k < f->a.count; k++) TOC_TRY(compare(f, &f->a, k, &f->a, k, lanes));
        for (uint32_t j = i; gather(f, hash, &j, end, HOMES, &f->b);) TOC_TRY(compare_blocks(f, lanes));
        for (uint32_t j = first; gather(f, hash, &j, end, GUESTS, &f->b);) TOC_TRY(compare_blocks(f, lanes));
    }
    return TOC_OK;
}

// Items of some kinds of a run against some of the other table's voxel.
static TOC_INLINE toc_status search_between(finder *f, run r, unsigned kinds, unsigned others, int lanes) {
    const toc_hash *hash = f->search->hash, *other = f->search->other;
    const uint32_t first = other->first.at[r.voxel], end = other->first.at[r.voxel + 1];
    if (first == end) return TOC_OK;
    for (uint32_t i = r.first; gather(f, hash, &i, r.end, kinds, &f->a);)
        for (uint32_t j = first; gather(f, other, &j, end, others, &f->b);) TOC_TRY(compare_blocks(f, lanes));
    return TOC_OK;
}

static TOC_INLINE toc_status search_by(finder *f, size_t first, size_t end, int lanes) {
    const toc_hash *hash = f->search->hash;
    for (run r = {voxel_with(hash, first), (uint32_t)first, 0}; r.first < end; r.first = r.end, r.voxel++) {
        const uint32_t next = hash->first.at[r.voxel + 1];
        r.end = next < end ? next : (uint32_t)end;
        if (!f->search->other && next - hash->first.at[r.voxel] > 1) TOC_TRY(search_within(f, r, lanes));
        if (!f->search->other) continue;
        TOC_TRY(search_between(f, r, HOMES, HOMES | GUESTS, lanes));
        TOC_TRY(search_between(f, r, GUESTS, HOMES, lanes));
    }
    return flush(f);
}

toc_status TOC_FOR_LANES(toc_hash_kernel)(toc_hash_search *search, size_t first, size_t end) {
    finder f;
    f.search = search;
    f.count = 0;
    if (search->overlap == TOC_HASH_MOVING) f.look = toc_window_look(search->window);
    return search->hash->lanes == 8 ? search_by(&f, first, end, 8) : search_by(&f, first, end, 16);
}
