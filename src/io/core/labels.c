// SPDX-License-Identifier: Apache-2.0
// Labels of nodes. Consecutive labels take no memory, dense ones a table, others a hash table with open addressing:
// about 12 bytes a node, 16 at most. A search is O(1) for any distribution of labels.
#include "io/core/labels.h"

#include <assert.h>

toc_labels toc_labels_begin(const toc_allocator *allocator) { return (toc_labels){.allocator = *allocator}; }

void toc_labels_free(toc_labels *labels) {
    toc_array_free(&labels->allocator, &labels->labels);
    toc_free(&labels->allocator, labels->slots, labels->slot_count, sizeof *labels->slots);
}

// The first label that is not consecutive: store all labels from now on.
static toc_status labels_keep(toc_labels *labels) {
    TOC_TRY(toc_array_reserve(&labels->allocator, &labels->labels, labels->count));
    for (size_t i = 0; i < labels->count; i++) labels->labels.at[i] = (int64_t)((uint64_t)labels->first + i);
    labels->labels.count = labels->count;
    return TOC_OK;
}

toc_status toc_labels_add(toc_labels *labels, int64_t label) {
    if (labels->count == 0) labels->first = label;
    const bool in_turn = (uint64_t)label - (uint64_t)labels->first == labels->count;
    if (labels->labels.count == 0 && !in_turn) TOC_TRY(labels_keep(labels));
    if (labels->labels.count > 0) {
        TOC_TRY(toc_array_reserve(&labels->allocator, &labels->labels, 1));
        labels->labels.at[labels->labels.count++] = label;
    }
    labels->count++;
    return TOC_OK;
}

static size_t slot_of(const toc_labels *labels, int64_t label) {
    if (!labels->hashed) return (size_t)((uint64_t)label - (uint64_t)labels->low);
    const uint64_t hash = (uint64_t)label * 0x9e3779b97f4a7c15u;
    return (size_t)(hash ^ hash >> 32) & (labels->slot_count - 1);
}

// A table while it takes four slots a label at most, else one by hash with two at least.
static void choose_slots(toc_labels *labels) {
    int64_t low = labels->labels.at[0], high = low;
    for (size_t i = 1; i < labels->count; i++) {
        if (labels->labels.at[i] < low) low = labels->labels.at[i];
        if (labels->labels.at[i] > high) high = labels->labels.at[i];
    }
    const uint64_t range = (uint64_t)high - (uint64_t)low;
    labels->low = low;
    labels->hashed = range / 4 >= labels->count;
    labels->slot_count = (size_t)range + 1;
    if (!labels->hashed) return;
    labels->slot_count = 16;
    while (labels->slot_count < 2 * labels->count) labels->slot_count *= 2;
}

static toc_status labels_put(toc_labels *labels, size_t vertex) {
    const int64_t label = labels->labels.at[vertex];
    size_t i = slot_of(labels, label);
    while (labels->slots[i] != 0) {
        if (labels->labels.at[labels->slots[i] - 1] == label) {
            labels->repeated = true;
            labels->twice = label;
            return toc_fail(TOC_BAD_INPUT, "node %lld is there twice", (long long)label);
        }
        i = (i + 1) & (labels->slot_count - 1);
    }
    labels->slots[i] = (uint32_t)vertex + 1;
    return TOC_OK;
}

toc_status toc_labels_finish(toc_labels *labels) {
    if (labels->count >= UINT32_MAX) return toc_fail(TOC_BAD_INPUT, "%zu nodes are too many", labels->count);
    if (labels->labels.count == 0) return TOC_OK;
    choose_slots(labels);
    labels->slots = toc_new(&labels->allocator, labels->slot_count, sizeof *labels->slots);
    if (!labels->slots) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < labels->count; i++) TOC_TRY(labels_put(labels, i));
    return TOC_OK;
}

void toc_labels_hand_over(toc_labels *labels, toc_id_labels *to) {
    assert(to->count == 0 && to->each.count == 0);
    to->count = labels->count;
    to->first = labels->first;
    if (labels->labels.count == 0) return;
    to->each.at = labels->labels.at;
    to->each.count = labels->labels.count;
    to->each.capacity = labels->labels.capacity;
    labels->labels.at = NULL;
    labels->labels.count = labels->labels.capacity = 0;
}

toc_status toc_labels_check(toc_labels *labels) {
    assert(!labels->slots);
    if (labels->count / 2 < labels->checked) return TOC_OK;
    const toc_status status = toc_labels_finish(labels);
    toc_free(&labels->allocator, labels->slots, labels->slot_count, sizeof *labels->slots);
    labels->slots = NULL;
    labels->slot_count = 0;
    labels->checked = labels->count;
    return status;
}

int64_t toc_labels_search(const toc_labels *labels, int64_t label) {
    size_t i = slot_of(labels, label);
    if (!labels->hashed) return i < labels->slot_count ? (int64_t)labels->slots[i] - 1 : TOC_LABEL_MISSING;
    for (; labels->slots[i] != 0; i = (i + 1) & (labels->slot_count - 1))
        if (labels->labels.at[labels->slots[i] - 1] == label) return (int64_t)labels->slots[i] - 1;
    return TOC_LABEL_MISSING;
}
