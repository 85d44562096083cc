// SPDX-License-Identifier: Apache-2.0
// Sorting results by a 64-bit key that holds the first bits of their ids: into buckets by the key, then each bucket by
// the key and, where that ties, by all ids. Chunks of items are put into buckets, and buckets are sorted, in parallel.
#include "search/order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"

// ---- keys

// An item with its sort key: the first bits of its ids.
typedef struct order_entry {
    uint64_t key;
    const void *item;
} order_entry;

// The bits of all ids, by place; their widths.
typedef struct order_bits {
    uint32_t at[TOC_ORDER_IDS];
} order_bits;

static int width_of(uint32_t x) {
    int width = 0;
    for (; x; x >>= 1) width++;
    return width;
}

// Append a number to the key, or its high bits where room is short.
static uint64_t append(uint64_t key, int *room, uint32_t number, int width) {
    const int taken = width < *room ? width : *room;
    *room -= taken;
    return taken ? key << taken | number >> (width - taken) : key;
}

// ---- sorting

enum {
    ROUND = 4096,
    CHUNK = 1 << 12,
    CHUNKS_MOST = 64,
    BUCKET_BITS = 12,
    BUCKETS = 1 << BUCKET_BITS,
    GROUP = 128, // buckets whose places are assigned at a time
    SOME = 1024, // items of the buckets of a round, about
    ALONE = 512, // items that need no buckets, at most a round
    FEW = 16
};

typedef struct sorter {
    const toc_order *order;
    size_t count;
    const void *const *items;
    char *sorted;
    order_entry *entries, *buckets; // as they come; by bucket
    order_bits *bits;               // of each round
    int widths[TOC_ORDER_IDS];
    int shift;                      // from a key to its bucket
    size_t chunks, chunk;           // how many, and the items of each
    size_t (*places)[BUCKETS];      // by chunk: its items in each bucket, then the place of the next one
    size_t *first;                  // of each bucket, and one more
    size_t groups[BUCKETS / GROUP]; // items of each group of buckets, then the place of its first one
} sorter;

static size_t sort_rounds_of(size_t count) { return (count + ROUND - 1) / ROUND; }

static size_t order_least(size_t a, size_t b) { return a < b ? a : b; }

static toc_status measure_round(void *user, size_t round, int thread) {
    (void)thread;
    const sorter *s = user;
    order_bits all = {{0}};
    for (size_t i = round * ROUND; i < order_least((round + 1) * ROUND, s->count); i++) {
        uint32_t ids[TOC_ORDER_IDS];
        s->order->ids(s->items[i], ids);
        for (int k = 0; k < s->order->id_count; k++) all.at[k] |= ids[k];
    }
    s->bits[round] = all;
    return TOC_OK;
}

static uint64_t sort_key_of(const sorter *s, const void *item) {
    uint32_t ids[TOC_ORDER_IDS];
    int room = 64;
    uint64_t key = 0;
    s->order->ids(item, ids);
    for (int k = 0; k < s->order->id_count; k++) key = append(key, &room, ids[k], s->widths[k]);
    return key;
}

static size_t bucket_of(const sorter *s, const order_entry *e) { return e->key >> s->shift; }

// Compute the keys of a chunk and count them by bucket.
static toc_status key_chunk(void *user, size_t chunk, int thread) {
    (void)thread;
    const sorter *s = user;
    memset(s->places[chunk], 0, sizeof *s->places);
    for (size_t i = chunk * s->chunk; i < order_least((chunk + 1) * s->chunk, s->count); i++) {
        s->entries[i] = (order_entry){sort_key_of(s, s->items[i]), s->items[i]};
        s->places[chunk][bucket_of(s, &s->entries[i])]++;
    }
    return TOC_OK;
}

static toc_status count_order_group(void *user, size_t group, int thread) {
    (void)thread;
    sorter *s = user;
    size_t count = 0;
    for (size_t c = 0; c < s->chunks; c++)
        for (size_t b = group * GROUP; b < (group + 1) * GROUP; b++) count += s->places[c][b];
    s->groups[group] = count;
    return TOC_OK;
}

// Bucket after bucket, and within each of them chunk after chunk.
static toc_status place_order_group(void *user, size_t group, int thread) {
    (void)thread;
    const sorter *s = user;
    size_t place = s->groups[group];
    for (size_t b = group * GROUP; b < (group + 1) * GROUP; b++) {
        s->first[b] = place;
        for (size_t c = 0; c < s->chunks; c++) {
            const size_t count = s->places[c][b];
            s->places[c][b] = place;
            place += count;
        }
    }
    return TOC_OK;
}

static void assign_places(sorter *s, int threads) {
    toc_loop loop = {.count = BUCKETS / GROUP, .threads = threads, .round = count_order_group, .user = s};
    size_t place = 0;
    toc_loop_run(&loop);
    for (size_t g = 0; g < BUCKETS / GROUP; g++) {
        const size_t count = s->groups[g];
        s->groups[g] = place;
        place += count;
    }
    s->first[BUCKETS] = place;
    assert(place == s->count);
    loop.round = place_order_group;
    toc_loop_run(&loop);
}

static toc_status put_chunk(void *user, size_t chunk, int thread) {
    (void)thread;
    const sorter *s = user;
    for (size_t i = chunk * s->chunk; i < order_least((chunk + 1) * s->chunk, s->count); i++)
        s->buckets[s->places[chunk][bucket_of(s, &s->entries[i])]++] = s->entries[i];
    return TOC_OK;
}

static int compare_entries(const sorter *s, const order_entry *a, const order_entry *b) {
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return toc_order_compare(s->order, a->item, b->item);
}

// Insertion sort.
static void sort_few(const sorter *s, order_entry *entries, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const order_entry e = entries[i];
        size_t at = i;
        for (; at > 0 && compare_entries(s, &e, &entries[at - 1]) < 0; at--) entries[at] = entries[at - 1];
        entries[at] = e;
    }
}

// Let the entry at `root` sink in a heap whose parents are not before their children.
static void sift_entry(const sorter *s, order_entry *heap, size_t root, size_t count) {
    const order_entry e = heap[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && compare_entries(s, &heap[child], &heap[child + 1]) < 0) child++;
        if (compare_entries(s, &e, &heap[child]) >= 0) break;
        heap[root] = heap[child];
    }
    heap[root] = e;
}

static void exchange_entries(order_entry *a, order_entry *b) {
    const order_entry kept = *a;
    *a = *b;
    *b = kept;
}

// Heap sort.
static void sort_by_heap(const sorter *s, order_entry *entries, size_t count) {
    for (size_t i = count / 2; i-- > 0;) sift_entry(s, entries, i, count);
    for (size_t i = count; i-- > 1;) {
        const order_entry last = entries[i];
        entries[i] = entries[0];
        entries[0] = last;
        sift_entry(s, entries, 0, i);
    }
}

// Part the entries at the middle one of three: none before it is behind it. @return its place.
static size_t part_entries(const sorter *s, order_entry *entries, size_t count) {
    order_entry *middle = &entries[count / 2], *last = &entries[count - 1];
    size_t low = 0, high = count - 1;
    if (compare_entries(s, middle, entries) < 0) exchange_entries(middle, entries);
    if (compare_entries(s, last, middle) < 0) exchange_entries(last, middle);
    if (compare_entries(s, middle, entries) < 0) exchange_entries(middle, entries);
    exchange_entries(middle, last - 1); // the last two are in their parts
    const order_entry pivot = *--last;
    for (high = count - 2;;) {
        while (compare_entries(s, &entries[++low], &pivot) < 0) {
        }
        while (compare_entries(s, &pivot, &entries[--high]) < 0) {
        }
        if (low >= high) break;
        exchange_entries(&entries[low], &entries[high]);
    }
    exchange_entries(&entries[low], last);
    return low;
}

// Quicksort, and a heap where it goes too deep. The qsort of a C library may allocate.
static void sort_to_depth(const sorter *s, order_entry *entries, size_t count, int depth) {
    for (; count > FEW && depth > 0; depth--) {
        const size_t middle = part_entries(s, entries, count), behind = count - middle - 1;
        order_entry *rest = entries + middle + 1;
        if (middle < behind) {
            sort_to_depth(s, entries, middle, depth - 1);
            entries = rest;
            count = behind;
        } else {
            sort_to_depth(s, rest, behind, depth - 1);
            count = middle;
        }
    }
    (count <= FEW ? sort_few : sort_by_heap)(s, entries, count);
}

static void sort_bucket(const sorter *s, order_entry *entries, size_t count) {
    int depth = 2;
    for (size_t n = count; n > FEW; n /= 2) depth += 2;
    sort_to_depth(s, entries, count, depth);
}

// The widths of the ids give the key; its highest bits give the bucket.
static void lay_out_key(sorter *s) {
    order_bits all = {{0}};
    int width = 0;
    for (size_t i = 0; i < sort_rounds_of(s->count); i++)
        for (int k = 0; k < s->order->id_count; k++) all.at[k] |= s->bits[i].at[k];
    for (int k = 0; k < s->order->id_count; k++) width += s->widths[k] = width_of(all.at[k]);
    if (width > 64) width = 64;
    s->shift = width > BUCKET_BITS ? width - BUCKET_BITS : 0;
}

static void write_sorted(const sorter *s, const order_entry *entries, size_t first, size_t count) {
    const size_t size = s->order->item_size;
    for (size_t i = 0; i < count; i++) memcpy(s->sorted + (first + i) * size, entries[i].item, size);
}

// The first bucket that begins with this place or a later one.
static size_t bucket_from(const sorter *s, size_t place) {
    size_t low = 0, high = BUCKETS;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->first[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The buckets that begin in a part of the items: contacts are crowded, so equal numbers of buckets are unequal work.
static toc_status sort_buckets(void *user, size_t round, int thread) {
    (void)thread;
    const sorter *s = user;
    const size_t end = bucket_from(s, (round + 1) * SOME);
    for (size_t b = bucket_from(s, round * SOME); b < end; b++) {
        order_entry *entries = s->buckets + s->first[b];
        const size_t count = s->first[b + 1] - s->first[b];
        sort_bucket(s, entries, count);
        write_sorted(s, entries, s->first[b], count);
    }
    return TOC_OK;
}

// Without buckets.
static void sort_alone(sorter *s) {
    measure_round(s, 0, 0);
    lay_out_key(s);
    for (size_t i = 0; i < s->count; i++) s->entries[i] = (order_entry){sort_key_of(s, s->items[i]), s->items[i]};
    sort_bucket(s, s->entries, s->count);
    write_sorted(s, s->entries, 0, s->count);
}

static void sort_in_buckets(sorter *s, int threads) {
    toc_loop loop = {.count = sort_rounds_of(s->count), .threads = threads, .round = measure_round, .user = s};
    toc_loop_run(&loop);
    lay_out_key(s);
    loop.count = s->chunks;
    loop.round = key_chunk;
    toc_loop_run(&loop);
    assign_places(s, threads);
    loop.round = put_chunk;
    toc_loop_run(&loop);
    loop.count = (s->count + SOME - 1) / SOME;
    loop.round = sort_buckets;
    toc_loop_run(&loop);
}

toc_status toc_items_sort(const toc_allocator *allocator, int threads, const toc_order *order, size_t count,
                          const void *const *items, void *sorted) {
    if (count == 0) return TOC_OK;
    toc_arena arena = toc_arena_make(allocator);
    sorter s = {.order = order, .count = count, .items = items, .sorted = sorted};
    s.chunks = order_least((count + CHUNK - 1) / CHUNK, CHUNKS_MOST);
    s.chunk = (count + s.chunks - 1) / s.chunks;
    s.entries = toc_arena_new(&arena, count, sizeof *s.entries);
    s.bits = toc_arena_new(&arena, sort_rounds_of(count), sizeof *s.bits);
    bool all = s.entries && s.bits;
    if (all && count <= ALONE) {
        sort_alone(&s);
    } else {
        s.buckets = toc_arena_new(&arena, count, sizeof *s.buckets);
        s.places = toc_arena_new(&arena, s.chunks, sizeof *s.places);
        s.first = toc_arena_new(&arena, BUCKETS + 1, sizeof *s.first);
        all = all && s.buckets && s.places && s.first;
        if (all) sort_in_buckets(&s, threads);
    }
    toc_arena_free(&arena);
    return all ? TOC_OK : TOC_OUT_OF_MEMORY;
}
