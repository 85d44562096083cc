// SPDX-License-Identifier: Apache-2.0
// Identical vertices, found by refining: vertices stay identical if they were so far and have the same values in this
// round. Hashed with open addressing, O(n) a round, 16 to 24 bytes a vertex.
#include "io/core/weld.h"

#include <assert.h>

toc_status toc_weld_begin(const toc_allocator *allocator, size_t count, toc_weld *out) {
    *out = (toc_weld){.allocator = *allocator, .count = count, .slot_count = 16};
    while (out->slot_count < 2 * count) out->slot_count *= 2;
    out->same = toc_new(allocator, count, sizeof *out->same);
    out->next = toc_new(allocator, count, sizeof *out->next);
    out->slots = toc_new(allocator, out->slot_count, sizeof *out->slots);
    return out->same && out->next && out->slots ? TOC_OK : TOC_OUT_OF_MEMORY;
}

void toc_weld_free(toc_weld *weld) {
    toc_free(&weld->allocator, weld->same, weld->count, sizeof *weld->same);
    toc_free(&weld->allocator, weld->next, weld->count, sizeof *weld->next);
    toc_free(&weld->allocator, weld->slots, weld->slot_count, sizeof *weld->slots);
}

/// The first vertex that is identical to this one so far and in these values.
static uint32_t weld_find(toc_weld *weld, const double *x, uint32_t vertex) {
    const size_t mask = weld->slot_count - 1;
    const double *place = x + 3 * (size_t)vertex;
    size_t i = (toc_place_hash(place) + 0x9e3779b97f4a7c15u * weld->same[vertex]) & mask;
    for (; weld->slots[i]; i = (i + 1) & mask) {
        const uint32_t other = weld->slots[i] - 1;
        if (weld->same[other] == weld->same[vertex] && memcmp(place, x + 3 * (size_t)other, 3 * sizeof *x) == 0)
            return other;
    }
    weld->slots[i] = vertex + 1;
    return vertex;
}

void toc_weld_refine(toc_weld *weld, double *x) {
    assert(weld->count == 0 || weld->same);
    memset(weld->slots, 0, weld->slot_count * sizeof *weld->slots);
    for (size_t i = 0; i < 3 * weld->count; i++) x[i] += 0.0;
    for (size_t i = 0; i < weld->count; i++) weld->next[i] = weld_find(weld, x, (uint32_t)i);
    uint32_t *before = weld->same;
    weld->same = weld->next;
    weld->next = before;
}
