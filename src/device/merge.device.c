// SPDX-License-Identifier: Apache-2.0
// Merging runs of entries that are in order: an entry goes behind all smaller ones of its run and of the runs beside
// it.
#include "device/kernel.h"

#include "device/sort.h"

// How many entries from `first` on, of `count`, are smaller.
static TOC_INLINE uint32_t count_smaller(const toc_device_entry *from, uint32_t first, uint32_t count,
                                         const toc_device_entry *than) {
    uint32_t low = 0;
    while (count > 0) {
        const uint32_t half = count / 2;
        const bool smaller = toc_device_entry_is_less(&from[first + low + half], than);
        low += smaller ? half + 1 : 0;
        count = smaller ? count - half - 1 : half;
    }
    return low;
}

TOC_DEVICE_KERNEL(merge, toc_device_sort) {
    for (uint32_t i = thread; i < work->count; i += threads) {
        const uint32_t run = work->run, own = i / run, group = own / TOC_DEVICE_WAYS * TOC_DEVICE_WAYS;
        const toc_device_entry entry = work->from[i];
        uint32_t at = group * run + i % run;
        for (uint32_t r = group; r < group + TOC_DEVICE_WAYS; r++) {
            const uint64_t first = (uint64_t)r * run;
            if (r == own || first >= work->count) continue;
            const uint32_t left = work->count - (uint32_t)first;
            at += count_smaller(work->from, (uint32_t)first, left < run ? left : run, &entry);
        }
        work->to[at] = entry;
    }
}
