// SPDX-License-Identifier: Apache-2.0
// Building and searching grids of hashed cells.
//
// The cell of a coordinate is a monotonic function, so boxes that overlap share cells: along each axis, from the larger
// of their two lowest cells on. Completeness needs nothing else (docs/guarantees.md, G1); rounding moves the borders of
// cells, but equally for all primitives.
#include "index/hash.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/backend.h"
#include "base/simd.h"
#include "base/threads.h"

enum {
    FEW = 2048,      // fewer primitives are not worth another thread
    LEVEL = 3,       // the cells of a level are 2 to this power as large as those of the level below
    MOST_CELLS = 64, // most cells that a primitive touches on a level: 3 along each axis, 4 by rounding
    SAMPLE = 1024,   // number of primitives sampled to choose a cell
};
static const float CELL = 2;                 // cells are twice as long as a typical primitive: most are on one level
static const float REACH = 1.5f;             // most cells that a primitive may be long on its home level
static const float WHOLE = 8;                // extent of the grid along an axis
static const float SMALLEST_CELL = 0x1p-24f; // so that 32 bits can count the cells

// ---- cells, levels and voxels

static inline float larger_float(float a, float b) { return a > b ? a : b; }

static inline float longest_extent(const float *low, const float *high) {
    return larger_float(high[0] - low[0], larger_float(high[1] - low[1], high[2] - low[2]));
}

// The finest level on which a primitive touches few cells.
static inline int level_of(const toc_hash *hash, uint32_t primitive) {
    const float *low = toc_hash_bounds(hash, primitive), extent = longest_extent(low, low + hash->high) * (1 / REACH);
    int level = TOC_HASH_MIDDLE;
    while (level < hash->highest && extent > hash->cells[level]) level++;
    while (level > hash->lowest && extent <= hash->cells[level - 1]) level--;
    return level;
}

static TOC_INLINE uint32_t voxel_of(const toc_hash *hash, const uint32_t cell[3], uint32_t level) {
    const uint32_t i = cell[0], j = cell[1], k = cell[2];
    if (hash->form.table == TOC_HASH_PRIME)
        return ((i * 73856093u) ^ (j * 19349663u) ^ (k * 83492791u) ^ level) % (uint32_t)hash->voxel_count;
    const uint64_t block = (uint64_t)(i >> 2) * 0x9e3779b97f4a7c15u + (uint64_t)(j >> 2) * 0xc2b2ae3d27d4eb4fu +
                           (uint64_t)(k >> 2) * 0x165667b19e3779f9u + level * 0xd6e8feb86659fd93u;
    const uint32_t mixed = (uint32_t)((block ^ (block >> 29)) * 0xbf58476d1ce4e5b9u >> 32);
    return ((mixed << 6) | (i & 3) | (j & 3) << 2 | (k & 3) << 4) & (uint32_t)(hash->voxel_count - 1);
}

// ---- the choice of cells

// The highs begin in the middle, in boxes as in DOPs.
static size_t stride_of_input(const toc_hash_input *input) {
    return input->boxes ? TOC_BOX_FLOATS : toc_dop_floats(input->kind);
}
static const float *bounds_of_input(const toc_hash_input *input) { return input->boxes ? input->boxes : input->dops; }

static float input_extent(const toc_hash_input *input, size_t i) {
    const size_t primitive = input->ids ? input->ids[i] : i;
    const float *low = bounds_of_input(input) + primitive * stride_of_input(input);
    return larger_float(longest_extent(low, low + stride_of_input(input) / 2), SMALLEST_CELL);
}

float toc_hash_cell(const toc_hash_input *input) {
    const size_t step = input->count / SAMPLE + 1;
    int64_t sum = 0, seen = 0;
    for (size_t i = 0; i < input->count; i += step, seen++) {
        const float extent = input_extent(input, i);
        int32_t bits; // the bits of a float as an integer approximate its logarithm
        memcpy(&bits, &extent, sizeof bits);
        sum += bits;
    }
    if (!seen) return 1;
    const int32_t mean = (int32_t)(sum / seen);
    float typical;
    memcpy(&typical, &mean, sizeof typical);
    return CELL * typical;
}

// The length of a DOP along its longest direction: the paper's cells. No less than along x, y and z.
static float dop_extent(const toc_hash_input *input, size_t i) {
    if (input->boxes) return input_extent(input, i);
    const size_t primitive = input->ids ? input->ids[i] : i;
    const float *low = input->dops + primitive * toc_dop_floats(input->kind), *high = low + input->kind->lanes;
    float longest = 0;
    for (int d = 0; d < input->kind->directions; d++) {
        const int8_t *axis = input->kind->axes[d];
        const float square = (float)(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
        longest = larger_float(longest, (high[d] - low[d]) / sqrtf(square));
    }
    return longest;
}

float toc_hash_longest(const toc_hash_input *input) {
    float longest = SMALLEST_CELL;
    for (size_t i = 0; i < input->count; i++) longest = larger_float(longest, dop_extent(input, i));
    return longest;
}

static void set_levels(toc_hash *hash) {
    const toc_hash_form *form = &hash->form;
    const float cell = form->cell < SMALLEST_CELL ? SMALLEST_CELL : form->cell > WHOLE ? WHOLE : form->cell;
    hash->lowest = hash->highest = TOC_HASH_MIDDLE;
    for (int i = 0; i < TOC_HASH_LEVELS; i++) {
        hash->cells[i] = ldexpf(cell, LEVEL * (i - TOC_HASH_MIDDLE));
        hash->per_length[i] = 1 / hash->cells[i];
        if (form->finer && hash->cells[i] >= SMALLEST_CELL && i < hash->lowest) hash->lowest = i;
        if (i > TOC_HASH_MIDDLE && hash->cells[i] < (1 << LEVEL) * WHOLE) hash->highest = i;
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

enum { RANGES_MOST = 256 }; // of slots: as many as are written at a time without too many cache misses

enum {
    FILLS_MOST = 2 * RANGES_MOST, // parts of ranges
    PARTS_MOST = 8                // of one range: each of them looks at all of its drafts
};

// Slots that are filled at a time: of a range, or of a part of it where it is crowded.
typedef struct fill_part {
    size_t range, first, last;
} fill_part;

typedef struct building {
    toc_hash *hash;
    const uint32_t *ids;              // of the primitives; NULL for the first ones
    size_t chunks;                    // of primitives
    size_t ranges;                    // of slots
    int range_bits;                   // a range has 2 to this power slots
    uint32_t starts[RANGES_MOST + 1]; // the first draft of each range
    uint32_t homes[TOC_HASH_CHUNKS];
    size_t fills;
    fill_part parts[FILLS_MOST];
    int threads;
} building;

static size_t chunk_start(size_t count, size_t chunk, size_t chunks) {
    return count / chunks * chunk + (chunk * (count % chunks)) / chunks;
}

static size_t slot_count(const toc_hash *hash) { return 2 * hash->voxel_count; }

// By range: the drafts of a chunk, then the place of the next one.
static uint32_t *places_of(const building *b, size_t chunk) { return b->hash->places.at + chunk * b->ranges; }

// Note the primitives of a chunk and their levels.
static toc_status find_homes(void *user, size_t chunk, int thread) {
    building *b = user;
    const toc_hash *hash = b->hash;
    (void)thread;
    const size_t end = chunk_start(hash->primitives.count, chunk + 1, b->chunks);
    uint32_t homes = 0;
    for (size_t i = chunk_start(hash->primitives.count, chunk, b->chunks); i < end; i++) {
        hash->primitives.at[i] = b->ids ? b->ids[i] : (uint32_t)i;
        hash->home.at[i] = (uint8_t)level_of(hash, hash->primitives.at[i]);
        homes |= 1u << hash->home.at[i];
    }
    b->homes[chunk] = homes;
    return TOC_OK;
}

// The drafts of one chunk. Local to the thread until the chunk is done, to avoid false sharing.
typedef struct drafting {
    const toc_hash *hash;
    toc_hash_drafts drafts;
    int range_bits;
    uint32_t counts[RANGES_MOST];
} drafting;

// The cells that a primitive touches on a level. @return their number.
static size_t range_of_cells(const toc_hash *hash, uint32_t primitive, int level, uint32_t low[3], uint32_t high[3]) {
    const float *bounds = toc_hash_bounds(hash, primitive);
    size_t count = 1;
    for (int c = 0; c < 3; c++) {
        low[c] = (uint32_t)toc_hash_along(hash, bounds[c], level);
        high[c] = (uint32_t)toc_hash_along(hash, bounds[hash->high + (size_t)c], level);
        assert(high[c] - low[c] < TOC_HASH_SPAN);
        count *= high[c] - low[c] + 1;
    }
    assert(count <= MOST_CELLS);
    return count;
}

// Draft the cells that a primitive touches on its home level, or as a coarse copy on a coarser one. These are at most
// MOST_CELLS: the extent is at most REACH cells on the home level, and less on coarser ones.
static toc_status draft_cells(drafting *d, uint32_t primitive, int level, uint32_t copy) {
    const toc_hash *hash = d->hash;
    uint32_t low[3], high[3], cell[3];
    const size_t count = range_of_cells(hash, primitive, level, low, high);
    TOC_TRY(toc_array_reserve(&hash->allocator, &d->drafts, count));
    toc_hash_draft *draft = d->drafts.at + d->drafts.count;
    for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
        for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
            for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++) {
                uint32_t where = (uint32_t)level << 12;
                for (int c = 0; c < 3; c++) where |= (cell[c] & 15) << 4 * c | (uint32_t)(cell[c] > low[c]) << (20 + c);
                *draft = (toc_hash_draft){2 * voxel_of(hash, cell, (uint32_t)level) + copy, {primitive, where}};
                d->counts[draft++->slot >> d->range_bits]++;
            }
    d->drafts.count += count;
    return TOC_OK;
}

// Levels above the home level of a primitive, which have coarse copies of it: bits.
static uint32_t levels_above(const toc_hash *hash, int home) { return hash->levels >> home >> 1 << home << 1; }

static bool has_left_table(const toc_hash *hash, size_t i) {
    return hash->stamps && hash->stamps[hash->primitives.at[i]] != hash->stamp;
}

// Draft the cells of a primitive on all levels: its home level, and coarse copies above. A primitive that has left the
// table is skipped: its DOP may have grown since its level was chosen, and could touch any number of cells there.
static toc_status draft_primitive(drafting *d, size_t i) {
    const toc_hash *hash = d->hash;
    const int home = hash->home.at[i];
    if (has_left_table(hash, i)) return TOC_OK;
    TOC_TRY(draft_cells(d, hash->primitives.at[i], home, 0));
    for (uint32_t above = levels_above(hash, home); above; above &= above - 1)
        TOC_TRY(draft_cells(d, hash->primitives.at[i], __builtin_ctz(above), 1));
    return TOC_OK;
}

// A guess at the drafts of some primitives, from a few of them. Threads whose arrays grow wait for each other.
static size_t guess_drafts(const toc_hash *hash, size_t first, size_t end) {
    enum { FEW_OF_CHUNK = 64 };
    const size_t step = (end - first) / FEW_OF_CHUNK + 1;
    size_t cells = 0, seen = 0;
    uint32_t low[3], high[3];
    for (size_t i = first; i < end; i += step, seen++) {
        const int home = hash->home.at[i];
        if (has_left_table(hash, i)) continue;
        cells += range_of_cells(hash, hash->primitives.at[i], home, low, high);
        for (uint32_t above = levels_above(hash, home); above; above &= above - 1)
            cells += range_of_cells(hash, hash->primitives.at[i], __builtin_ctz(above), low, high);
    }
    return seen ? cells * (end - first) / seen * 9 / 8 + MOST_CELLS : 0;
}

static toc_status draft_items(void *user, size_t chunk, int thread) {
    (void)thread;
    const building *b = user;
    toc_hash *hash = b->hash;
    drafting d = {.hash = hash, .drafts = hash->drafts[chunk], .range_bits = b->range_bits};
    const size_t first = chunk_start(hash->primitives.count, chunk, b->chunks),
                 end = chunk_start(hash->primitives.count, chunk + 1, b->chunks);
    d.drafts.count = 0;
    const size_t guess = guess_drafts(hash, first, end);
    toc_status status = toc_array_reserve(&hash->allocator, &d.drafts, guess);
    for (size_t i = first; i < end && status == TOC_OK; i++) status = draft_primitive(&d, i);
    hash->drafts[chunk] = d.drafts;
    memcpy(places_of(b, chunk), d.counts, b->ranges * sizeof *d.counts);
    return status;
}

// Range after range, and within each of them chunk after chunk of primitives.
static void assign_draft_places(building *b) {
    uint32_t place = 0;
    for (size_t r = 0; r < b->ranges; r++) {
        b->starts[r] = place;
        for (size_t c = 0; c < b->chunks; c++) {
            uint32_t *count = &places_of(b, c)[r];
            const uint32_t before = *count;
            *count = place;
            place += before;
        }
    }
    b->starts[b->ranges] = place;
}

static toc_status sort_drafts(void *user, size_t chunk, int thread) {
    (void)thread;
    const building *b = user;
    const toc_hash_drafts *drafts = &b->hash->drafts[chunk];
    uint32_t places[RANGES_MOST];
    memcpy(places, places_of(b, chunk), b->ranges * sizeof *places);
    for (size_t i = 0; i < drafts->count; i++)
        b->hash->sorted.at[places[drafts->at[i].slot >> b->range_bits]++] = drafts->at[i];
    return TOC_OK;
}

// List the slots to fill, in parts with about as many drafts as an even share of the ranges. The cells of a scene may
// be crowded in one range.
static void list_fill_parts(building *b) {
    const size_t slots = slot_count(b->hash), even = b->starts[b->ranges] / (RANGES_MOST / 2) + 1;
    b->fills = 0;
    for (size_t r = 0; r < b->ranges; r++) {
        const size_t first = r << b->range_bits, next = (r + 1) << b->range_bits;
        const size_t last = b->ranges > 1 && next < slots ? next : slots;
        size_t parts = b->ranges > 1 ? (b->starts[r + 1] - b->starts[r]) / even + 1 : 1;
        if (parts > PARTS_MOST) parts = PARTS_MOST;
        if (parts > last - first) parts = last - first;
        for (size_t p = 0; p < parts; p++)
            b->parts[b->fills++] = (fill_part){r, chunk_start(last - first, p, parts) + first,
                                               chunk_start(last - first, p + 1, parts) + first};
        assert(b->fills <= FILLS_MOST);
    }
}

// Count the drafts of each slot of a part, turn the counts into places, fill. The drafts of its range are all looked
// at.
static toc_status fill_slots(void *user, size_t index, int thread) {
    (void)thread;
    const building *b = user;
    const toc_hash *hash = b->hash;
    const fill_part *part = &b->parts[index];
    const toc_hash_draft *drafts = b->chunks > 1 ? hash->sorted.at : hash->drafts[0].at;
    const uint32_t from = b->starts[part->range], end = b->starts[part->range + 1];
    const uint32_t first = (uint32_t)part->first, count = (uint32_t)(part->last - part->first);
    uint32_t *counts = hash->counts.at, place = from;
    memset(counts + first, 0, count * sizeof *counts);
    for (uint32_t i = from; i < end; i++) {
        place += drafts[i].slot < first;
        if (drafts[i].slot - first < count) counts[drafts[i].slot]++;
    }
    for (size_t s = part->first; s < part->last; s++) {
        const uint32_t of_slot = counts[s];
        counts[s] = hash->first.at[s] = place;
        place += of_slot;
    }
    assert(place <= end);
    for (uint32_t i = from; i < end; i++)
        if (drafts[i].slot - first < count) hash->items.at[counts[drafts[i].slot]++] = drafts[i].item;
    return TOC_OK;
}

static toc_status run_pass(building *b, size_t count, toc_status (*pass)(void *, size_t, int)) {
    return toc_loop_run(&(toc_loop){.count = count, .threads = b->threads, .round = pass, .user = b});
}

// One chunk alone is not sorted by range first: its slots are one range.
static building begin_building(toc_hash *hash, int threads) {
    building b = {.hash = hash, .chunks = hash->primitives.count / FEW + 1, .ranges = 1, .threads = threads};
    if (b.chunks > TOC_HASH_CHUNKS) b.chunks = TOC_HASH_CHUNKS;
    if (threads == 1) b.chunks = 1;
    while ((slot_count(hash) - 1) >> b.range_bits >= (b.chunks > 1 ? RANGES_MOST : 1)) b.range_bits++;
    b.ranges = ((slot_count(hash) - 1) >> b.range_bits) + 1;
    return b;
}

static toc_status reserve_build(const building *b) {
    toc_hash *hash = b->hash;
    hash->counts.count = hash->places.count = hash->first.count = 0;
    TOC_TRY(toc_array_reserve(&hash->allocator, &hash->counts, slot_count(hash)));
    TOC_TRY(toc_array_reserve(&hash->allocator, &hash->places, b->chunks * b->ranges));
    return toc_array_reserve(&hash->allocator, &hash->first, slot_count(hash) + 1);
}

static toc_status put_in(building *b) {
    toc_hash *hash = b->hash;
    hash->items.count = hash->sorted.count = 0;
    TOC_TRY(reserve_build(b));
    TOC_TRY(run_pass(b, b->chunks, draft_items));
    size_t total = 0;
    for (size_t c = 0; c < b->chunks; c++) total += hash->drafts[c].count;
    if (total >= UINT32_MAX)
        return toc_fail(TOC_BAD_INPUT, "%zu primitives take %zu entries of the grid; at most %u are possible",
                        hash->primitives.count, total, UINT32_MAX - 1);
    TOC_TRY(toc_array_reserve(&hash->allocator, &hash->items, total));
    hash->items.count = total;
    hash->first.at[slot_count(hash)] = (uint32_t)total;
    assign_draft_places(b);
    if (b->chunks > 1) {
        TOC_TRY(toc_array_reserve(&hash->allocator, &hash->sorted, total));
        TOC_TRY(run_pass(b, b->chunks, sort_drafts));
    }
    list_fill_parts(b);
    return run_pass(b, b->fills, fill_slots);
}

toc_hash toc_hash_make(const toc_allocator *allocator) { return (toc_hash){.allocator = *allocator}; }

void toc_hash_free(toc_hash *hash) {
    toc_array_free(&hash->allocator, &hash->primitives);
    toc_array_free(&hash->allocator, &hash->home);
    toc_array_free(&hash->allocator, &hash->first);
    toc_array_free(&hash->allocator, &hash->items);
    toc_array_free(&hash->allocator, &hash->counts);
    toc_array_free(&hash->allocator, &hash->places);
    toc_array_free(&hash->allocator, &hash->sorted);
    for (int c = 0; c < TOC_HASH_CHUNKS; c++) toc_array_free(&hash->allocator, &hash->drafts[c]);
}

toc_status toc_hash_build(toc_hash *hash, const toc_hash_form *form, const toc_hash_input *input, int threads) {
    assert(form->cell > 0 && form->voxels > 0 && threads > 0);
    assert(input->kind->lanes == 8 || input->kind->lanes == 16);
    assert(input->all == 0 || input->all >= input->count);
    hash->form = *form;
    hash->lanes = input->kind->lanes;
    hash->bounds = bounds_of_input(input);
    hash->stride = stride_of_input(input);
    hash->high = hash->stride / 2;
    hash->stamps = input->stamps;
    hash->stamp = input->stamp;
    hash->primitives.count = hash->home.count = 0;
    hash->voxel_count = voxels_wanted(form, input->all ? input->all : input->count);
    set_levels(hash);
    TOC_TRY(toc_array_reserve(&hash->allocator, &hash->primitives, input->count));
    TOC_TRY(toc_array_reserve(&hash->allocator, &hash->home, input->count));
    hash->primitives.count = hash->home.count = input->count;
    building b = begin_building(hash, threads);
    b.ids = input->ids;
    TOC_TRY(run_pass(&b, b.chunks, find_homes));
    hash->homes = 0;
    for (size_t c = 0; c < b.chunks; c++) hash->homes |= b.homes[c];
    hash->levels = hash->homes | input->beside;
    return put_in(&b);
}

toc_status toc_hash_admit(toc_hash *hash, uint32_t homes, int threads) {
    if ((homes & ~hash->levels) == 0) return TOC_OK;
    building b = begin_building(hash, threads);
    hash->levels |= homes;
    return put_in(&b);
}

// ---- searching

toc_status toc_hash_run(toc_hash_search *search, size_t piece) {
    const size_t items = search->hash->items.count, pieces = toc_hash_pieces(search->hash);
    assert(piece < pieces && (!search->flat || search->corners));
    assert(items == 0 || search->overlap != TOC_HASH_MOVING ||
           (search->room && search->packed && search->corners && search->window &&
            search->axes->lanes == search->hash->lanes));
    assert(items == 0 || search->overlap != TOC_HASH_DOPS || search->hash->high == (size_t)search->hash->lanes);
    assert(!search->other || (search->other->voxel_count == search->hash->voxel_count &&
                              search->other->cells[TOC_HASH_MIDDLE] == search->hash->cells[TOC_HASH_MIDDLE]));
    return toc_backend_here()->hash(search, chunk_start(items, piece, pieces), chunk_start(items, piece + 1, pieces));
}
