// SPDX-License-Identifier: Apache-2.0
// Results on their way to the ranks that own them.
#include <assert.h>
#include <string.h>

#include "mpi/scene.h"

// Both blocks have the same capacity.
toc_status toc_dist_items_reserve(const dist_link *link, dist_items *items, size_t extra) {
    TOC_ARRAY(int) ranks = {items->ranks, items->count, items->capacity};
    TOC_ARRAY(char) at = {items->at, items->count, items->capacity};
    TOC_TRY(toc_array_reserve(&link->memory, &ranks, extra));
    const toc_status status = toc_array_reserve_(&link->memory, &at, extra, items->item);
    if (status != TOC_OK) {
        toc_free(&link->memory, ranks.at, ranks.capacity, sizeof *ranks.at);
        toc_free(&link->memory, items->at, items->capacity, items->item);
        items->ranks = NULL;
        items->at = NULL;
        items->count = items->capacity = 0;
        return status;
    }
    assert(at.capacity == ranks.capacity);
    items->ranks = ranks.at;
    items->at = at.at;
    items->capacity = at.capacity;
    return TOC_OK;
}

toc_status toc_dist_items_add(const dist_link *link, dist_items *items, const void *item, int rank) {
    assert(rank >= 0 && rank < link->size && items->count <= items->capacity);
    TOC_TRY(toc_dist_items_reserve(link, items, 1));
    memcpy(items->at + items->count * items->item, item, items->item);
    items->ranks[items->count++] = rank;
    return TOC_OK;
}

void toc_dist_items_free(const dist_link *link, dist_items *items) {
    toc_free(&link->memory, items->at, items->capacity, items->item);
    toc_free(&link->memory, items->ranks, items->capacity, sizeof *items->ranks);
    items->at = NULL;
    items->ranks = NULL;
    items->count = items->capacity = 0;
}

static toc_status pack_items(const dist_link *link, const dist_items *items, dist_parcels *out) {
    const size_t places = (size_t)link->size + 1;
    uint64_t *first = toc_new(&link->memory, places, sizeof *first);
    if (!first) return TOC_OUT_OF_MEMORY;
    assert(items->item > 0 && (items->ranks || items->count == 0));
    for (size_t i = 0; i < items->count; i++) first[items->ranks[i]]++;
    if (toc_dist_parcels_make(link, items->item, first, out) != TOC_OK) {
        toc_free(&link->memory, first, places, sizeof *first);
        return TOC_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < items->count; i++)
        memcpy(out->items + out->first[items->ranks[i]]++ * items->item, items->at + i * items->item, items->item);
    for (int r = link->size; r > 0; r--) out->first[r] = out->first[r - 1];
    out->first[0] = 0;
    return TOC_OK;
}

// Items that came in, sorted. Their block is taken over.
static toc_status unpack_items(const dist_link *link, dist_parcels *in, dist_compare *compare, dist_items *out) {
    const size_t count = dist_parcels_count(link, in);
    *out =
        (dist_items){.item = in->item, .compare = compare, .at = in->items, .count = count, .capacity = in->capacity};
    assert(in->capacity == count);
    in->items = NULL;
    return toc_dist_sort(&link->memory, out->at, count, in->item, compare);
}

toc_status toc_dist_items_send(dist_link *link, toc_status mine, const dist_items *items, dist_items *out) {
    dist_parcels packed = {0}, in = {0};
    dist_items got = {.item = items->item};
    if (mine == TOC_OK) mine = pack_items(link, items, &packed);
    toc_status status = toc_dist_exchange(link, mine, &packed, &in);
    toc_dist_parcels_free(link, &packed);
    if (status == TOC_OK) status = toc_dist_agree(link, unpack_items(link, &in, items->compare, &got));
    toc_dist_parcels_free(link, &in);
    if (status == TOC_OK)
        *out = got;
    else
        toc_dist_items_free(link, &got);
    return status;
}
