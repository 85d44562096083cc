// SPDX-License-Identifier: Apache-2.0
// Merging runs of keys that are in order: a key goes behind all smaller ones of its run and of the runs beside it.
#include "device/kernel.h"

#include "device/search.h"

// How many keys from `first` on, of `count`, are smaller.
static TOC_INLINE uint32_t count_smaller(const uint64_t *keys, uint32_t first, uint32_t count, uint64_t key) {
    uint32_t low = 0;
    while (count > 0) {
        const uint32_t half = count / 2;
        const bool smaller = keys[first + low + half] < key;
        low += smaller ? half + 1 : 0;
        count = smaller ? count - half - 1 : half;
    }
    return low;
}

TOC_DEVICE_KERNEL(merge, toc_device_search) {
    for (uint32_t i = thread; i < work->count; i += threads) {
        const uint32_t run = work->run, own = i / run, group = own / TOC_DEVICE_WAYS * TOC_DEVICE_WAYS;
        const uint64_t key = work->keys[i];
        uint32_t at = group * run + i % run;
        for (uint32_t r = group; r < group + TOC_DEVICE_WAYS; r++) {
            const uint64_t first = (uint64_t)r * run;
            if (r == own || first >= work->count) continue;
            const uint32_t left = work->count - (uint32_t)first;
            at += count_smaller(work->keys, (uint32_t)first, left < run ? left : run, key);
        }
        work->sorted[at] = key;
    }
}
