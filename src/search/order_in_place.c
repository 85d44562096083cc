// SPDX-License-Identifier: Apache-2.0
// Sorting results where they are, without any memory: quicksort, and a heap where it goes too deep.
//
// A query within a memory limit sorts so. The order is that of toc_items_sort; all ids of an item are compared.
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "search/order.h"

enum { FEW_ITEMS = 12, ITEM_BYTES = 256 };

typedef struct item_range {
    const toc_order *order;
    char *at;
    size_t count;
} item_range;

static char *item_at(const item_range *r, size_t i) { return r->at + i * r->order->item_size; }

static void exchange_items(const item_range *r, size_t i, size_t j) {
    char kept[ITEM_BYTES];
    const size_t size = r->order->item_size;
    memcpy(kept, item_at(r, i), size);
    memmove(item_at(r, i), item_at(r, j), size);
    memcpy(item_at(r, j), kept, size);
}

static bool comes_earlier(const item_range *r, size_t i, size_t j) {
    return toc_order_compare(r->order, item_at(r, i), item_at(r, j)) < 0;
}

static void insert_items(const item_range *r) {
    for (size_t i = 1; i < r->count; i++)
        for (size_t at = i; at > 0 && comes_earlier(r, at, at - 1); at--) exchange_items(r, at, at - 1);
}

// Let an item sink in a heap whose parents are not before their children.
static void sink_item(const item_range *r, size_t root, size_t count) {
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && comes_earlier(r, child, child + 1)) child++;
        if (!comes_earlier(r, root, child)) break;
        exchange_items(r, root, child);
    }
}

static void heap_items(const item_range *r) {
    for (size_t i = r->count / 2; i-- > 0;) sink_item(r, i, r->count);
    for (size_t i = r->count; i-- > 1;) {
        exchange_items(r, 0, i);
        sink_item(r, 0, i);
    }
}

// Put the median of the first, the middle and the last item first.
static void choose_pivot(const item_range *r) {
    const size_t middle = r->count / 2, last = r->count - 1;
    if (comes_earlier(r, middle, 0)) exchange_items(r, middle, 0);
    if (comes_earlier(r, last, middle)) exchange_items(r, last, middle);
    if (comes_earlier(r, middle, 0)) exchange_items(r, middle, 0);
    exchange_items(r, 0, middle);
}

// Part a range at its median of three. @return the place of that item: none before is after it, none behind before it.
static size_t part_items(const item_range *r) {
    char pivot[ITEM_BYTES];
    size_t low = 1, high = r->count - 1;
    choose_pivot(r);
    memcpy(pivot, r->at, r->order->item_size);
    for (;; low++, high--) {
        while (low <= high && toc_order_compare(r->order, item_at(r, low), pivot) < 0) low++;
        while (low <= high && toc_order_compare(r->order, item_at(r, high), pivot) > 0) high--;
        if (low >= high) break;
        exchange_items(r, low, high);
    }
    exchange_items(r, 0, high);
    return high;
}

// The larger part is sorted in the loop, so that calls are at most log n deep.
static void sort_items(item_range r, int depth) {
    for (; r.count > FEW_ITEMS && depth > 0; depth--) {
        const size_t middle = part_items(&r);
        const item_range left = {r.order, r.at, middle};
        const item_range right = {r.order, item_at(&r, middle + 1), r.count - middle - 1};
        sort_items(left.count < right.count ? left : right, depth - 1);
        r = left.count < right.count ? right : left;
    }
    if (r.count > FEW_ITEMS)
        heap_items(&r);
    else
        insert_items(&r);
}

void toc_items_sort_in_place(const toc_order *order, size_t count, void *items) {
    int depth = 8;
    assert(order->item_size <= ITEM_BYTES);
    for (size_t n = count; n > 0; n /= 2) depth += 2;
    if (count > 1) sort_items((item_range){order, items, count}, depth);
}
