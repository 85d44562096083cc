// SPDX-License-Identifier: Apache-2.0
// Sorting contacts by a 64-bit key that holds the first bits of their order: into buckets by the key, then each bucket
// by the key and, where that ties, by the whole order. Buckets are sorted in parallel.
#include "search/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/threads.h"

#define COMPARE(a, b) \
    if ((a) != (b)) return (a) < (b) ? -1 : 1

int toc_contact_compare(const toc_contact *a, const toc_contact *b) {
    COMPARE(a->kind, b->kind);
    COMPARE(a->body[0], b->body[0]);
    COMPARE(a->body[1], b->body[1]);
    for (int i = 0; i < 4; i++) COMPARE(a->v[i], b->v[i]);
    return 0;
}

int toc_contact_compare_times(const toc_contact *a, const toc_contact *b) {
    COMPARE(a->toc, b->toc);
    for (int c = 0; c < 3; c++) COMPARE(a->point[c], b->point[c]);
    return toc_contact_compare(a, b);
}

// ---- keys

// A contact with its sort key: the first bits of kind, bodies and vertices.
typedef struct order_entry {
    uint64_t key;
    const toc_contact *contact;
} order_entry;

// Bits of the largest body id and of the largest vertex id.
typedef struct widths {
    int body, vertex;
} widths;

static int width_of(uint32_t x) {
    int bits = 0;
    for (; x; x >>= 1) bits++;
    return bits;
}

// The union of the bits of all ids.
typedef struct bits {
    uint32_t bodies, vertices;
} bits;

static widths widths_of(bits all) { return (widths){width_of(all.bodies), width_of(all.vertices)}; }

// Append a number to the key, or its high bits where room is short.
static uint64_t append(uint64_t key, int *room, uint32_t number, int width) {
    const int taken = width < *room ? width : *room;
    *room -= taken;
    return taken ? key << taken | number >> (width - taken) : key;
}

static uint64_t sort_key_of(const toc_contact *c, widths w) {
    int room = 63;
    uint64_t key = c->kind == TOC_EE;
    for (int i = 0; i < 2; i++) key = append(key, &room, c->body[i], w.body);
    for (int i = 0; i < 4; i++) key = append(key, &room, c->v[i], w.vertex);
    return key;
}

// ---- sorting

enum { ROUND = 4096, BUCKET_BITS = 14, BUCKETS = 1 << BUCKET_BITS, SOME = 256, FEW = 32 };

typedef struct sorter {
    size_t count;
    const toc_contact *const *contacts;
    toc_contact *sorted;
    order_entry *entries, *buckets; // as they come; by bucket
    bits *bits;                     // of each round
    widths widths;
    int shift;     // from a key to its bucket
    size_t *first; // of each bucket, and one more
} sorter;

static size_t sort_rounds_of(size_t count) { return (count + ROUND - 1) / ROUND; }

static size_t sort_round_end(const sorter *s, size_t round) {
    return (round + 1) * ROUND < s->count ? (round + 1) * ROUND : s->count;
}

static toc_status measure_round(void *user, size_t round, int thread) {
    (void)thread;
    const sorter *s = user;
    bits all = {0, 0};
    for (size_t i = round * ROUND; i < sort_round_end(s, round); i++) {
        const toc_contact *c = s->contacts[i];
        all.bodies |= c->body[0] | c->body[1];
        all.vertices |= c->v[0] | c->v[1] | c->v[2] | c->v[3];
    }
    s->bits[round] = all;
    return TOC_OK;
}

static toc_status key_round(void *user, size_t round, int thread) {
    (void)thread;
    const sorter *s = user;
    for (size_t i = round * ROUND; i < sort_round_end(s, round); i++)
        s->entries[i] = (order_entry){sort_key_of(s->contacts[i], s->widths), s->contacts[i]};
    return TOC_OK;
}

// A counting sort.
static void fill_buckets(sorter *s) {
    size_t *next = s->first + 1; // of each bucket, becomes the first one of the bucket behind it
    memset(s->first, 0, (BUCKETS + 2) * sizeof *s->first);
    for (size_t i = 0; i < s->count; i++) next[(s->entries[i].key >> s->shift) + 1]++;
    for (size_t b = 0; b < BUCKETS; b++) next[b + 1] += next[b];
    for (size_t i = 0; i < s->count; i++) s->buckets[next[s->entries[i].key >> s->shift]++] = s->entries[i];
}

static int by_key(const void *a, const void *b) {
    const order_entry *x = a, *y = b;
    COMPARE(x->key, y->key);
    return toc_contact_compare(x->contact, y->contact);
}

// Insertion sort.
static void sort_few(order_entry *entries, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const order_entry e = entries[i];
        size_t at = i;
        for (; at > 0 && by_key(&e, &entries[at - 1]) < 0; at--) entries[at] = entries[at - 1];
        entries[at] = e;
    }
}

static toc_status sort_buckets(void *user, size_t round, int thread) {
    (void)thread;
    const sorter *s = user;
    for (size_t b = round * SOME; b < (round + 1) * SOME; b++) {
        order_entry *entries = s->buckets + s->first[b];
        const size_t count = s->first[b + 1] - s->first[b];
        if (count <= FEW)
            sort_few(entries, count);
        else
            qsort(entries, count, sizeof *entries, by_key);
        for (size_t i = 0; i < count; i++) s->sorted[s->first[b] + i] = *entries[i].contact;
    }
    return TOC_OK;
}

static void sort_by_keys(sorter *s, int threads) {
    const size_t rounds = sort_rounds_of(s->count);
    bits all = {0, 0};
    toc_loop_run(&(toc_loop){.count = rounds, .threads = threads, .round = measure_round, .user = s});
    for (size_t i = 0; i < rounds; i++) all.bodies |= s->bits[i].bodies, all.vertices |= s->bits[i].vertices;
    s->widths = widths_of(all);
    const int width = 1 + 2 * s->widths.body + 4 * s->widths.vertex, kept = width < 64 ? width : 64;
    s->shift = kept > BUCKET_BITS ? kept - BUCKET_BITS : 0;
    toc_loop_run(&(toc_loop){.count = rounds, .threads = threads, .round = key_round, .user = s});
    fill_buckets(s);
    toc_loop_run(&(toc_loop){.count = BUCKETS / SOME, .threads = threads, .round = sort_buckets, .user = s});
}

toc_status toc_contacts_sort(const toc_allocator *allocator, int threads, size_t count,
                             const toc_contact *const *contacts, toc_contact *sorted) {
    if (count == 0) return TOC_OK;
    toc_arena arena = toc_arena_make(allocator);
    sorter s = {.count = count, .contacts = contacts, .sorted = sorted};
    s.entries = toc_arena_new(&arena, count, sizeof *s.entries);
    s.buckets = toc_arena_new(&arena, count, sizeof *s.buckets);
    s.bits = toc_arena_new(&arena, sort_rounds_of(count), sizeof *s.bits);
    s.first = toc_arena_new(&arena, BUCKETS + 2, sizeof *s.first);
    const bool all = s.entries && s.buckets && s.bits && s.first;
    if (all) sort_by_keys(&s, threads);
    toc_arena_free(&arena);
    return all ? TOC_OK : TOC_OUT_OF_MEMORY;
}
