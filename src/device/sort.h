// SPDX-License-Identifier: Apache-2.0
// Sorting on a device: entries are merged, several runs at a time, until one run is left.
#ifndef TOC_DEVICE_SORT_H
#define TOC_DEVICE_SORT_H

#include <stdbool.h>
#include <stdint.h>

enum { TOC_DEVICE_WAYS = 8 }; // runs that are merged at a time

/// No two entries are equal, so there is one order of them.
typedef struct toc_device_entry {
    uint64_t high, low;
    uint32_t item, unused;
} toc_device_entry;

/// One launch: runs of `run` entries are in order already.
typedef struct toc_device_sort {
    const toc_device_entry *from;
    toc_device_entry *to;
    uint32_t count, run;
} toc_device_sort;

static inline bool toc_device_entry_is_less(const toc_device_entry *a, const toc_device_entry *b) {
    if (a->high != b->high) return a->high < b->high;
    return a->low != b->low ? a->low < b->low : a->item < b->item;
}

#endif
