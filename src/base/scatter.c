// SPDX-License-Identifier: Apache-2.0
// Lists of items by key, on all threads.
#include "base/scatter.h"

#include <assert.h>
#include <string.h>

#include "base/threads.h"

enum {
    RANGES_MOST = 512, // as many buckets as are written at a time without too many cache misses
    CHUNKS_MOST = 64,
    CHUNK_LEAST = 4096, // items
    SOME = 256          // items that are listed at a time
};

static size_t scatter_least(size_t a, size_t b) { return a < b ? a : b; }

// One range alone needs no buckets: its items are listed once more instead.
static bool has_one_range(const toc_scattering *s) { return s->ranges <= 1 && s->range_bits > 0; }

// ---- counting

static void count_keys(const toc_keyed *entries, size_t count, uint32_t *counts) {
    for (size_t i = 0; i < count; i++) counts[entries[i].key]++;
}

static size_t count_one_range(const toc_scattering *s) {
    toc_keyed some[SOME * TOC_SCATTER_KEYS];
    size_t total = 0;
    memset(s->next, 0, s->how.keys * sizeof *s->next);
    for (size_t i = 0; i < s->how.items; i += SOME) {
        const size_t listed = s->how.list(s->how.user, i, scatter_least(i + SOME, s->how.items), some);
        count_keys(some, listed, s->next);
        total += listed;
    }
    return total;
}

static toc_status count_scatter_chunk(void *user, size_t chunk, int thread) {
    (void)thread;
    const toc_scattering *s = user;
    const size_t last = scatter_least((chunk + 1) * s->chunk, s->how.items);
    uint32_t counts[RANGES_MOST] = {0};
    toc_keyed some[SOME * TOC_SCATTER_KEYS];
    for (size_t i = chunk * s->chunk; i < last; i += SOME) {
        const size_t listed = s->how.list(s->how.user, i, scatter_least(i + SOME, last), some);
        for (size_t k = 0; k < listed; k++) {
            assert(some[k].key < s->how.keys);
            counts[some[k].key >> s->range_bits]++;
        }
    }
    for (size_t r = 0; r < s->ranges; r++) s->places[r * s->chunks + chunk] = counts[r];
    return TOC_OK;
}

// Range after range, and within each of them chunk after chunk.
static void assign_scatter_places(toc_scattering *s) {
    size_t place = 0;
    for (size_t r = 0; r < s->ranges; r++) {
        s->starts[r] = place;
        for (size_t c = 0; c < s->chunks; c++) {
            const size_t count = s->places[r * s->chunks + c];
            s->places[r * s->chunks + c] = place;
            place += count;
        }
    }
    s->starts[s->ranges] = s->total = place;
}

static size_t ranges_of(size_t keys, int bits) {
    return (size_t)(((uint64_t)keys + (UINT64_C(1) << bits) - 1) >> bits);
}

static void plan_scattering(toc_scattering *s) {
    const size_t keys = s->how.keys, items = s->how.items;
    while (ranges_of(keys, s->range_bits) > RANGES_MOST) s->range_bits++;
    if (s->how.threads == 1 && s->range_bits > 0) s->range_bits = 32;
    s->ranges = ranges_of(keys, s->range_bits);
    s->chunks = scatter_least(items / CHUNK_LEAST + 1, CHUNKS_MOST);
    s->chunk = (items + s->chunks - 1) / s->chunks;
}

static toc_status run_scatter_loop(toc_scattering *s, size_t count, toc_status (*round)(void *, size_t, int)) {
    return toc_loop_run(&(toc_loop){.count = count, .threads = s->how.threads, .round = round, .user = s});
}

toc_status toc_scatter_count(const toc_scatter *how, toc_arena *arena, toc_scattering *out) {
    assert(how->threads >= 1 && how->keys < UINT32_MAX && how->items < UINT32_MAX);
    toc_scattering s = {.how = *how};
    plan_scattering(&s);
    s.places = toc_arena_new(arena, s.ranges * s.chunks, sizeof *s.places);
    s.starts = toc_arena_new(arena, s.ranges + 1, sizeof *s.starts);
    s.next = toc_arena_new(arena, s.range_bits ? how->keys : 0, sizeof *s.next);
    if (!s.places || !s.starts || !s.next) return TOC_OUT_OF_MEMORY;
    if (has_one_range(&s)) {
        s.total = count_one_range(&s);
    } else {
        TOC_TRY(run_scatter_loop(&s, s.chunks, count_scatter_chunk));
        assign_scatter_places(&s);
    }
    *out = s;
    return TOC_OK;
}

// ---- placing

static toc_status fill_buckets(void *user, size_t chunk, int thread) {
    (void)thread;
    const toc_scattering *s = user;
    const size_t last = scatter_least((chunk + 1) * s->chunk, s->how.items);
    size_t places[RANGES_MOST];
    toc_keyed some[SOME * TOC_SCATTER_KEYS];
    for (size_t r = 0; r < s->ranges; r++) places[r] = s->places[r * s->chunks + chunk];
    for (size_t i = chunk * s->chunk; i < last; i += SOME) {
        const size_t listed = s->how.list(s->how.user, i, scatter_least(i + SOME, last), some);
        for (size_t k = 0; k < listed; k++) {
            const size_t place = places[some[k].key >> s->range_bits]++;
            if (s->entries)
                s->entries[place] = some[k];
            else
                s->placed[place] = some[k].item;
        }
    }
    return TOC_OK;
}

static void put_items(const toc_keyed *entries, size_t count, uint32_t *next, uint32_t *placed) {
    for (size_t i = 0; i < count; i++) placed[next[entries[i].key]++] = entries[i].item;
}

// Turn the counts of some keys into places, from `place` on.
static void add_up_keys(const toc_scattering *s, size_t from, size_t to, size_t place) {
    for (size_t k = from; k < to; k++) {
        const uint32_t count = s->next[k];
        s->next[k] = s->first[k] = (uint32_t)place;
        place += count;
    }
}

static toc_status place_range(void *user, size_t range, int thread) {
    (void)thread;
    const toc_scattering *s = user;
    const size_t from = range << s->range_bits, to = scatter_least((range + 1) << s->range_bits, s->how.keys);
    const toc_keyed *entries = s->entries + s->starts[range];
    const size_t count = s->starts[range + 1] - s->starts[range];
    memset(s->next + from, 0, (to - from) * sizeof *s->next);
    count_keys(entries, count, s->next);
    add_up_keys(s, from, to, s->starts[range]);
    put_items(entries, count, s->next, s->placed);
    return TOC_OK;
}

static void place_one_range(const toc_scattering *s) {
    toc_keyed some[SOME * TOC_SCATTER_KEYS];
    add_up_keys(s, 0, s->how.keys, 0);
    for (size_t i = 0; i < s->how.items; i += SOME) {
        const size_t listed = s->how.list(s->how.user, i, scatter_least(i + SOME, s->how.items), some);
        put_items(some, listed, s->next, s->placed);
    }
}

toc_status toc_scatter_place(toc_scattering *s, toc_arena *arena, uint32_t *first, uint32_t *placed) {
    assert(s->total < UINT32_MAX);
    s->first = first;
    s->placed = placed;
    first[s->how.keys] = (uint32_t)s->total;
    if (has_one_range(s)) {
        place_one_range(s);
        return TOC_OK;
    }
    if (s->range_bits == 0) // a bucket for each key
        for (size_t k = 0; k < s->how.keys; k++) first[k] = (uint32_t)s->starts[k];
    else if (!(s->entries = toc_arena_new(arena, s->total, sizeof *s->entries)))
        return TOC_OUT_OF_MEMORY;
    TOC_TRY(run_scatter_loop(s, s->chunks, fill_buckets));
    return s->entries ? run_scatter_loop(s, s->ranges, place_range) : TOC_OK;
}
