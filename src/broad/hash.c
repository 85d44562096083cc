// SPDX-License-Identifier: Apache-2.0
// Building and searching grids of hashed cells.
//
// Where a coordinate is in the grid never decreases with it, so boxes that overlap share cells: from the larger of
// their two lowest ones on, along each axis. That is all completeness needs (docs/guarantees.md, G1); rounding moves
// the borders of cells, for all alike.
#include "broad/hash.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "bound/overlap.h"

enum {
    MOST_CHUNKS = 8,      // that are counted apart: memory stays linear for any number of threads
    FEW = 2048,           // primitives that are not worth another thread
    FEW_VOXELS = 1 << 16, // that are not worth another thread, either
    SAMPLE = 1024,        // primitives that are looked at to choose a cell
    BLOCK = 64,           // items of a voxel that are compared with each other at once
};
static const float CELL = 1.4f;              // extents of a typical primitive: then most stand on one level
static const float REACH = 1.5f;             // cells that a primitive may be long
static const float ORIGIN = 4, END = 8;      // DOPs are about 1 or less in their frame; what is beyond is brought in
static const float SMALLEST_CELL = 0x1p-24f; // so that cells can be counted with 32 bits

typedef toc_slab_mask cell_at; // along x, y, z; and the level

// ---- where things are

static inline const float *dop_of(const toc_hash *hash, uint32_t primitive) {
    return hash->dops + (size_t)primitive * 2 * (size_t)hash->lanes;
}

static inline float larger(float a, float b) { return a > b ? a : b; }

static inline float extent_of(const float *dop, int lanes) {
    return larger(dop[lanes] - dop[0], larger(dop[lanes + 1] - dop[1], dop[lanes + 2] - dop[2]));
}

// The finest level on which a primitive touches few cells.
static inline int level_of(const toc_hash *hash, uint32_t primitive) {
    const float extent = extent_of(dop_of(hash, primitive), hash->lanes) * (1 / REACH);
    int level = TOC_HASH_MIDDLE;
    while (level < hash->highest && extent > hash->cells[level]) level++;
    while (level > hash->lowest && extent <= hash->cells[level - 1]) level--;
    return level;
}

// The cell of the first three slabs.
static inline cell_at cell_of(const toc_hash *hash, const float *slabs, int level) {
    const toc_slabs none = {0}, x = *(const toc_slabs *)slabs + ORIGIN;
    const toc_slabs inside = toc_slabs_most(toc_slabs_least(x, none + END), none);
    cell_at cell = __builtin_convertvector(inside * hash->per_length[level], cell_at);
    cell[3] = level;
    return cell;
}

// The cells a primitive touches on a level.
typedef struct cells {
    cell_at low, high;
} cells;

static inline cells cells_of(const toc_hash *hash, const float *dop, int level) {
    return (cells){cell_of(hash, dop, level), cell_of(hash, dop + hash->lanes, level)};
}

static inline uint32_t voxel_of(const toc_hash *hash, cell_at cell) {
    const uint32_t i = (uint32_t)cell[0], j = (uint32_t)cell[1], k = (uint32_t)cell[2], level = (uint32_t)cell[3];
    if (hash->form.table == TOC_HASH_PRIME)
        return ((i * 73856093u) ^ (j * 19349663u) ^ (k * 83492791u) ^ level) % (uint32_t)hash->voxel_count;
    const uint64_t block = (uint64_t)(i >> 2) * 0x9e3779b97f4a7c15u + (uint64_t)(j >> 2) * 0xc2b2ae3d27d4eb4fu +
                           (uint64_t)(k >> 2) * 0x165667b19e3779f9u + level * 0xd6e8feb86659fd93u;
    const uint32_t mixed = (uint32_t)((block ^ (block >> 29)) * 0xbf58476d1ce4e5b9u >> 32);
    return ((mixed << 6) | (i & 3) | (j & 3) << 2 | (k & 3) << 4) & (uint32_t)(hash->voxel_count - 1);
}

#define FOR_EACH_CELL(cell, all)                                          \
    for (cell_at cell = (all).low; cell[2] <= (all).high[2]; cell[2]++)   \
        for (cell[1] = (all).low[1]; cell[1] <= (all).high[1]; cell[1]++) \
            for (cell[0] = (all).low[0]; cell[0] <= (all).high[0]; cell[0]++)

// ---- the choice of cells

float toc_hash_cell(const toc_dop_kind *kind, size_t count, const float *dops) {
    const size_t step = count / SAMPLE + 1;
    int64_t sum = 0, seen = 0;
    for (size_t i = 0; i < count; i += step, seen++) {
        const float extent = larger(extent_of(dops + i * toc_dop_floats(kind), kind->lanes), SMALLEST_CELL);
        int32_t bits; // of a float, read as a number: near enough to its logarithm
        memcpy(&bits, &extent, sizeof bits);
        sum += bits;
    }
    if (!seen) return 1;
    const int32_t mean = (int32_t)(sum / seen);
    float typical;
    memcpy(&typical, &mean, sizeof typical);
    return CELL * typical;
}

float toc_hash_longest(const toc_dop_kind *kind, size_t count, const float *dops) {
    float longest = SMALLEST_CELL;
    for (size_t i = 0; i < count; i++)
        longest = larger(longest, extent_of(dops + i * toc_dop_floats(kind), kind->lanes));
    return longest;
}

static void set_levels(toc_hash *hash) {
    const toc_hash_form *form = &hash->form;
    const float cell = form->cell < SMALLEST_CELL ? SMALLEST_CELL : form->cell > END ? END : form->cell;
    hash->lowest = hash->highest = TOC_HASH_MIDDLE;
    for (int i = 0; i < TOC_HASH_LEVELS; i++) {
        hash->cells[i] = ldexpf(cell, 2 * (i - TOC_HASH_MIDDLE));
        hash->per_length[i] = 1 / hash->cells[i];
        if (form->finer && hash->cells[i] >= SMALLEST_CELL && i < hash->lowest) hash->lowest = i;
        if (i > TOC_HASH_MIDDLE && hash->cells[i] < 4 * END) hash->highest = i;
    }
}

static bool is_prime(size_t n) {
    for (size_t d = 3; d * d <= n; d += 2)
        if (n % d == 0) return false;
    return true;
}

static size_t voxels_wanted(const toc_hash_form *form, size_t count) {
    const size_t share = (size_t)(form->voxels * (double)count), wanted = share > 64 ? share : 64;
    size_t voxels = 64;
    if (form->table == TOC_HASH_BLOCKS) {
        while (voxels < wanted) voxels *= 2;
        return voxels;
    }
    for (voxels = wanted - !(wanted % 2); !is_prime(voxels);) voxels -= 2;
    return voxels;
}

// ---- building

typedef struct building {
    toc_hash *hash;
    size_t chunks; // of primitives and of voxels; each is one round of a pass
    size_t total[MOST_CHUNKS];
    uint32_t used[MOST_CHUNKS];
    int threads;
} building;

static size_t chunk_start(size_t count, size_t chunk, size_t chunks) {
    return count / chunks * chunk + (chunk * (count % chunks)) / chunks;
}

static uint32_t *counts_of(const building *b, size_t chunk) {
    return b->hash->counts.at + chunk * b->hash->voxel_count;
}

static toc_status count_items(void *user, size_t chunk, int thread) {
    building *b = user;
    toc_hash *hash = b->hash;
    uint32_t *counts = counts_of(b, chunk);
    size_t total = 0;
    (void)thread;
    memset(counts, 0, hash->voxel_count * sizeof *counts);
    const size_t end = chunk_start(hash->primitives.count, chunk + 1, b->chunks);
    for (size_t i = chunk_start(hash->primitives.count, chunk, b->chunks); i < end; i++) {
        const uint32_t primitive = hash->primitives.at[i];
        const int level = level_of(hash, primitive);
        const cells all = cells_of(hash, dop_of(hash, primitive), level);
        b->used[chunk] |= 1u << level;
        FOR_EACH_CELL(cell, all) counts[voxel_of(hash, cell)]++, total++;
    }
    b->total[chunk] = total;
    return TOC_OK;
}

// Items in the voxels of a chunk.
static toc_status add_up_chunk(void *user, size_t chunk, int thread) {
    building *b = user;
    const size_t voxels = b->hash->voxel_count;
    size_t total = 0;
    (void)thread;
    for (size_t c = 0; c < b->chunks; c++)
        for (size_t v = chunk_start(voxels, chunk, b->chunks); v < chunk_start(voxels, chunk + 1, b->chunks); v++)
            total += counts_of(b, c)[v];
    b->total[chunk] = total;
    return TOC_OK;
}

// Counts become places: voxel by voxel, and in each the chunks of primitives in order.
static toc_status place_chunk(void *user, size_t chunk, int thread) {
    building *b = user;
    const size_t voxels = b->hash->voxel_count;
    size_t place = 0;
    (void)thread;
    for (size_t c = 0; c < chunk; c++) place += b->total[c];
    for (size_t v = chunk_start(voxels, chunk, b->chunks); v < chunk_start(voxels, chunk + 1, b->chunks); v++) {
        b->hash->first.at[v] = (uint32_t)place;
        for (size_t c = 0; c < b->chunks; c++) {
            uint32_t *count = &counts_of(b, c)[v];
            const uint32_t before = *count;
            *count = (uint32_t)place;
            place += before;
        }
    }
    return TOC_OK;
}

static toc_status fill_items(void *user, size_t chunk, int thread) {
    building *b = user;
    toc_hash *hash = b->hash;
    uint32_t *places = counts_of(b, chunk);
    (void)thread;
    const size_t end = chunk_start(hash->primitives.count, chunk + 1, b->chunks);
    for (size_t i = chunk_start(hash->primitives.count, chunk, b->chunks); i < end; i++) {
        const uint32_t primitive = hash->primitives.at[i];
        const int level = level_of(hash, primitive);
        const cells all = cells_of(hash, dop_of(hash, primitive), level);
        FOR_EACH_CELL(cell, all) {
            const cell_at at = cell - all.low;
            hash->items.at[places[voxel_of(hash, cell)]++] =
                (toc_hash_item){primitive, {(uint8_t)at[0], (uint8_t)at[1], (uint8_t)at[2]}, (uint8_t)level};
        }
    }
    return TOC_OK;
}

static toc_status run_pass(building *b, toc_status (*pass)(void *, size_t, int), int threads) {
    return toc_loop_run(&(toc_loop){.count = b->chunks, .threads = threads, .round = pass, .user = b});
}

// Count, add up, fill.
static toc_status build(building *b) {
    toc_hash *hash = b->hash;
    TOC_TRY(toc_array_reserve(&hash->allocator, &hash->counts, b->chunks * hash->voxel_count));
    TOC_TRY(toc_array_reserve(&hash->allocator, &hash->first, hash->voxel_count + 1));
    TOC_TRY(run_pass(b, count_items, b->threads));
    size_t total = 0;
    for (size_t c = 0; c < b->chunks; c++) total += b->total[c], hash->used |= b->used[c];
    if (total >= UINT32_MAX)
        return toc_fail(TOC_BAD_INPUT, "%zu primitives are too many to be hashed", hash->primitives.count);
    TOC_TRY(toc_array_reserve(&hash->allocator, &hash->items, total));
    hash->items.count = total;
    hash->first.at[hash->voxel_count] = (uint32_t)total;
    const int threads = hash->voxel_count < FEW_VOXELS ? 1 : b->threads;
    TOC_TRY(run_pass(b, add_up_chunk, threads));
    TOC_TRY(run_pass(b, place_chunk, threads));
    return run_pass(b, fill_items, b->threads);
}

toc_hash toc_hash_make(const toc_allocator *allocator) { return (toc_hash){.allocator = *allocator}; }

void toc_hash_free(toc_hash *hash) {
    toc_array_free(&hash->allocator, &hash->primitives);
    toc_array_free(&hash->allocator, &hash->first);
    toc_array_free(&hash->allocator, &hash->items);
    toc_array_free(&hash->allocator, &hash->counts);
}

toc_status toc_hash_build(toc_hash *hash, const toc_hash_form *form, const toc_hash_input *input, int threads) {
    hash->form = *form;
    hash->lanes = input->kind->lanes;
    hash->dops = input->dops;
    hash->stamps = input->stamps;
    hash->stamp = input->stamp;
    hash->used = 0;
    hash->primitives.count = hash->first.count = hash->items.count = hash->counts.count = 0;
    hash->voxel_count = voxels_wanted(form, input->count);
    set_levels(hash);
    TOC_TRY(toc_array_reserve(&hash->allocator, &hash->primitives, input->count));
    for (size_t i = 0; i < input->count; i++) hash->primitives.at[i] = input->ids ? input->ids[i] : (uint32_t)i;
    hash->primitives.count = input->count;
    building b = {.hash = hash, .chunks = input->count / FEW + 1, .threads = threads};
    if (b.chunks > (size_t)threads) b.chunks = (size_t)threads;
    if (b.chunks > MOST_CHUNKS) b.chunks = MOST_CHUNKS;
    return build(&b);
}

// ---- searching

// An item made ready to be compared.
typedef struct loaded {
    toc_slabs low, high; // the first four
    cell_at cell;
    uint32_t primitive;
    unsigned lowest; // bit c: no lower cell of the primitive along axis c
} loaded;

// What is found, on its way to the taker.
typedef struct finder {
    toc_hash_search *search;
    size_t count;
    toc_node_pair pairs[TOC_LEAF_PAIRS];
} finder;

static toc_status flush(finder *f) {
    const size_t count = f->count;
    f->count = 0;
    f->search->counts.found += count;
    return count ? f->search->take(f->search->user, f->pairs, count) : TOC_OK;
}

static inline loaded load(const toc_hash *hash, uint32_t primitive, cell_at cell, cell_at at) {
    const float *dop = dop_of(hash, primitive);
    return (loaded){.low = *(const toc_slabs *)dop,
                    .high = *(const toc_slabs *)(dop + hash->lanes),
                    .cell = cell,
                    .primitive = primitive,
                    .lowest = (unsigned)((at[0] == 0) | (at[1] == 0) << 1 | (at[2] == 0) << 2)};
}

static inline loaded load_item(const toc_hash *hash, const toc_hash_item *item) {
    const cell_at at = {item->at[0], item->at[1], item->at[2], 0};
    const cell_at low = cell_of(hash, dop_of(hash, item->primitive), item->level);
    return load(hash, item->primitive, low + at, at);
}

static inline bool is_there(const toc_hash *hash, uint32_t primitive) {
    return !hash->stamps || hash->stamps[primitive] == hash->stamp;
}

// Items of one voxel, made ready. @return how many of them are still there.
static size_t load_items(const toc_hash *hash, uint32_t from, uint32_t end, loaded *out) {
    size_t count = 0;
    for (uint32_t i = from; i < end; i++)
        if (is_there(hash, hash->items.at[i].primitive)) out[count++] = load_item(hash, &hash->items.at[i]);
    return count;
}

// Whether a pair is to be handed over from this cell: near enough, and no lower cell in common. Whether boxes overlap
// is as good as random where primitives are neighbours, so that and the other are asked with one branch.
static TOC_INLINE bool meet(toc_hash_search *s, const loaded *a, const loaded *b, int lanes) {
    const int apart = toc_slabs_any((a->low > b->high) | (b->low > a->high)), wanted = s->overlap != TOC_HASH_CELLS;
    const int repeated = (a->lowest | b->lowest) != 7;
    if ((apart & wanted) | repeated) return false;
    if (toc_slabs_any(a->cell != b->cell)) return false;
    s->counts.box_pairs++;
    const toc_hash *hash = s->hash, *other = s->other ? s->other : s->hash;
    return s->overlap == TOC_HASH_CELLS ||
           toc_dops_overlap(dop_of(hash, a->primitive), dop_of(other, b->primitive), lanes);
}

static inline bool meet_any(toc_hash_search *s, const loaded *a, const loaded *b) {
    return s->hash->lanes == 8 ? meet(s, a, b, 8) : meet(s, a, b, 16);
}

static inline toc_status hand_over(finder *f, uint32_t a, uint32_t b) {
    const bool swap = !f->search->other && b < a;
    f->pairs[f->count++] = swap ? (toc_node_pair){b, a} : (toc_node_pair){a, b};
    return f->count == TOC_LEAF_PAIRS ? flush(f) : TOC_OK;
}

// One loaded item against several.
static toc_status compare(finder *f, const loaded *one, const loaded *many, size_t count) {
    f->search->counts.voxel_pairs += count;
    for (size_t i = 0; i < count; i++)
        if (meet_any(f->search, one, &many[i])) TOC_TRY(hand_over(f, one->primitive, many[i].primitive));
    return TOC_OK;
}

static inline uint32_t block_end(uint32_t from, uint32_t end) { return end - from < BLOCK ? end : from + BLOCK; }

// All pairs of items of a voxel, which may be of several cells and levels.
static toc_status search_voxel(finder *f, uint32_t from, uint32_t end) {
    const toc_hash *hash = f->search->hash;
    loaded a[BLOCK], b[BLOCK];
    for (uint32_t i = from; i < end; i += BLOCK) {
        const size_t count = load_items(hash, i, block_end(i, end), a);
        for (size_t k = 1; k < count; k++) TOC_TRY(compare(f, &a[k], a, k));
        for (uint32_t j = i + BLOCK; j < end; j += BLOCK) {
            const size_t others = load_items(hash, j, block_end(j, end), b);
            for (size_t k = 0; k < count; k++) TOC_TRY(compare(f, &a[k], b, others));
        }
    }
    return TOC_OK;
}

// Whether an item of a table can be left out before it is made ready.
static inline bool is_apart(const toc_hash_search *s, const loaded *one, const toc_hash *table, uint32_t primitive) {
    const float *dop = dop_of(table, primitive);
    const toc_slabs low = *(const toc_slabs *)dop, high = *(const toc_slabs *)(dop + table->lanes);
    return s->overlap != TOC_HASH_CELLS && toc_slabs_any((one->low > high) | (low > one->high));
}

// One loaded primitive against the items of a voxel. The pair is as the search wants it.
static toc_status probe_voxel(finder *f, const loaded *one, const toc_hash *table, uint32_t voxel) {
    const bool second = f->search->other && table == f->search->hash;
    const uint32_t from = table->first.at[voxel], end = table->first.at[voxel + 1];
    f->search->counts.voxel_pairs += end - from;
    for (uint32_t i = from; i < end; i++) {
        const uint32_t primitive = table->items.at[i].primitive;
        if (is_apart(f->search, one, table, primitive) || !is_there(table, primitive)) continue;
        const loaded two = load_item(table, &table->items.at[i]);
        const bool met = second ? meet_any(f->search, &two, one) : meet_any(f->search, one, &two);
        if (met) TOC_TRY(second ? hand_over(f, primitive, one->primitive) : hand_over(f, one->primitive, primitive));
    }
    return TOC_OK;
}

// A primitive against the items of a table in the cells it would touch on a level.
static toc_status probe(finder *f, const toc_hash *from, uint32_t primitive, const toc_hash *table, int level) {
    const cells all = cells_of(table, dop_of(from, primitive), level);
    FOR_EACH_CELL(cell, all) {
        const loaded one = load(from, primitive, cell, cell - all.low);
        TOC_TRY(probe_voxel(f, &one, table, voxel_of(table, cell)));
    }
    return TOC_OK;
}

// Primitives of a piece of one table against those of another, or the same, on `above` levels higher and up.
static toc_status probe_up(finder *f, const toc_hash *from, const toc_hash *table, size_t piece, int above) {
    const int lowest = from->used ? __builtin_ctz(from->used) : TOC_HASH_LEVELS;
    if ((uint64_t)table->used >> (lowest + above) == 0) return TOC_OK;
    const size_t end = chunk_start(from->primitives.count, piece + 1, TOC_HASH_PIECES);
    for (size_t i = chunk_start(from->primitives.count, piece, TOC_HASH_PIECES); i < end; i++) {
        const uint32_t primitive = from->primitives.at[i];
        if (!is_there(from, primitive)) continue;
        const int own = level_of(from, primitive);
        for (uint64_t levels = (uint64_t)table->used >> (own + above) << (own + above); levels; levels &= levels - 1)
            TOC_TRY(probe(f, from, primitive, table, __builtin_ctzll(levels)));
    }
    return TOC_OK;
}

static toc_status search_within(finder *f, size_t piece) {
    const toc_hash *hash = f->search->hash;
    const size_t end = chunk_start(hash->voxel_count, piece + 1, TOC_HASH_PIECES);
    for (size_t v = chunk_start(hash->voxel_count, piece, TOC_HASH_PIECES); v < end; v++) {
        const uint32_t from = hash->first.at[v], to = hash->first.at[v + 1];
        if (to - from > 1) TOC_TRY(search_voxel(f, from, to));
    }
    return probe_up(f, hash, hash, piece, 1);
}

toc_status toc_hash_run(toc_hash_search *search, size_t piece) {
    finder f = {.search = search, .count = 0};
    if (search->other) {
        TOC_TRY(probe_up(&f, search->hash, search->other, piece, 0));
        TOC_TRY(probe_up(&f, search->other, search->hash, piece, 1));
    } else {
        TOC_TRY(search_within(&f, piece));
    }
    return flush(&f);
}
