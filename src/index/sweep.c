// SPDX-License-Identifier: Apache-2.0
// Sort and sweep along x.
#include "index/sweep.h"

#include <assert.h>
#include <stdlib.h>

typedef struct sweep_entry {
    double low;
    uint32_t id;
} sweep_entry;

static int by_low(const void *a, const void *b) {
    const sweep_entry *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

toc_status toc_sweep_sort(const toc_allocator *allocator, size_t count, const toc_box *boxes, toc_sweep *out) {
    toc_sweep sweep = {.count = count};
    sweep_entry *order = toc_new(allocator, count, sizeof *order);
    sweep.boxes = toc_new(allocator, count, sizeof *sweep.boxes);
    sweep.ids = toc_new(allocator, count, sizeof *sweep.ids);
    if (!order || !sweep.boxes || !sweep.ids) {
        toc_free(allocator, order, count, sizeof *order);
        toc_sweep_free(allocator, &sweep);
        return TOC_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++) order[i] = (sweep_entry){boxes[i].low[0], (uint32_t)i};
    qsort(order, count, sizeof *order, by_low);
    for (size_t i = 0; i < count; i++) {
        sweep.ids[i] = order[i].id;
        sweep.boxes[i] = boxes[order[i].id];
    }
    toc_free(allocator, order, count, sizeof *order);
    *out = sweep;
    return TOC_OK;
}

void toc_sweep_free(const toc_allocator *allocator, toc_sweep *sweep) {
    toc_free(allocator, sweep->boxes, sweep->count, sizeof *sweep->boxes);
    toc_free(allocator, sweep->ids, sweep->count, sizeof *sweep->ids);
    *sweep = (toc_sweep){0};
}

// The first position whose box begins at x or later; strictly later if `later` is set.
static size_t first_from(const toc_sweep *sweep, double x, bool later) {
    size_t low = 0, high = sweep->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const double begin = sweep->boxes[middle].low[0];
        if (begin < x || (later && begin == x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

toc_status toc_sweep_from(const toc_allocator *allocator, const toc_sweep *sweep, size_t i, const toc_sweep *other,
                          toc_sweep_rule rule, toc_positions *out) {
    assert(i < sweep->count && (rule == TOC_SWEEP_SELF) == (sweep == other));
    const toc_box *box = &sweep->boxes[i];
    size_t j = rule == TOC_SWEEP_SELF ? i + 1 : first_from(other, box->low[0], rule == TOC_SWEEP_LATER);
    for (; j < other->count && other->boxes[j].low[0] <= box->high[0]; j++) {
        if (!toc_box_overlaps(box, &other->boxes[j])) continue;
        TOC_TRY(toc_array_reserve(allocator, out, 1));
        out->at[out->count++] = (uint32_t)j;
    }
    return TOC_OK;
}
