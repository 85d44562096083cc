// SPDX-License-Identifier: Apache-2.0
// Sorting contacts by as much of their order as 64 bits hold, digit by digit, and the few that are equal there by all
// of it.
#include "query/order.h"

#include <stdlib.h>
#include <string.h>

#define COMPARE(a, b) \
    if ((a) != (b)) return (a) < (b) ? -1 : 1

int toc_contact_compare(const toc_contact *a, const toc_contact *b) {
    COMPARE(a->kind, b->kind);
    COMPARE(a->body[0], b->body[0]);
    COMPARE(a->body[1], b->body[1]);
    for (int i = 0; i < 4; i++) COMPARE(a->v[i], b->v[i]);
    return 0;
}

static int by_contact(const void *a, const void *b) {
    return toc_contact_compare(((const toc_contact_entry *)a)->contact, ((const toc_contact_entry *)b)->contact);
}

// ---- keys

// Bits that the largest body and the largest vertex take.
typedef struct widths {
    int body, vertex;
} widths;

static int width_of(uint32_t x) {
    int bits = 0;
    for (; x; x >>= 1) bits++;
    return bits;
}

static widths measure(size_t count, const toc_contact_entry *entries) {
    uint32_t bodies = 0, vertices = 0; // all bits that occur
    for (size_t i = 0; i < count; i++) {
        const toc_contact *c = entries[i].contact;
        bodies |= c->body[0] | c->body[1];
        vertices |= c->v[0] | c->v[1] | c->v[2] | c->v[3];
    }
    return (widths){width_of(bodies), width_of(vertices)};
}

// A number behind what the key has, or as much of it from above as there is room for.
static uint64_t append(uint64_t key, int *room, uint32_t number, int width) {
    const int bits = width < *room ? width : *room;
    *room -= bits;
    return bits ? key << bits | number >> (width - bits) : key;
}

static uint64_t key_of(const toc_contact *c, widths w) {
    int room = 63;
    uint64_t key = c->kind == TOC_EE;
    for (int i = 0; i < 2; i++) key = append(key, &room, c->body[i], w.body);
    for (int i = 0; i < 4; i++) key = append(key, &room, c->v[i], w.vertex);
    return key;
}

// ---- sorting

enum { DIGITS = 8, VALUES = 256 };

static inline unsigned digit_of(uint64_t key, int digit) { return (unsigned)(key >> (8 * digit)) % VALUES; }

// Sort by one digit, equal ones as they stand. @return false when all are equal there, and nothing was done.
static bool sort_by_digit(size_t count, const toc_contact_entry *from, int digit, toc_contact_entry *to) {
    size_t place[VALUES + 1] = {0};
    for (size_t i = 0; i < count; i++) place[digit_of(from[i].key, digit) + 1]++;
    if (place[digit_of(from[0].key, digit) + 1] == count) return false;
    for (int v = 0; v < VALUES; v++) place[v + 1] += place[v];
    for (size_t i = 0; i < count; i++) to[place[digit_of(from[i].key, digit)]++] = from[i];
    return true;
}

static void sort_equal_keys(size_t count, toc_contact_entry *entries) {
    for (size_t first = 0, last; first < count; first = last) {
        for (last = first + 1; last < count && entries[last].key == entries[first].key;) last++;
        if (last - first > 1) qsort(entries + first, last - first, sizeof *entries, by_contact);
    }
}

toc_status toc_contacts_sort(const toc_allocator *allocator, size_t count, toc_contact_entry *entries) {
    if (count < 2) return TOC_OK;
    toc_contact_entry *spare = toc_new(allocator, count, sizeof *spare);
    if (!spare) return TOC_OUT_OF_MEMORY;
    const widths w = measure(count, entries);
    for (size_t i = 0; i < count; i++) entries[i].key = key_of(entries[i].contact, w);
    toc_contact_entry *from = entries, *to = spare;
    for (int digit = 0; digit < DIGITS; digit++) {
        if (!sort_by_digit(count, from, digit, to)) continue;
        toc_contact_entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != entries) memcpy(entries, from, count * sizeof *entries);
    toc_free(allocator, spare, count, sizeof *spare);
    sort_equal_keys(count, entries);
    return TOC_OK;
}
