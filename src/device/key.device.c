// SPDX-License-Identifier: Apache-2.0
// The place of each primitive on a Hilbert curve: the middle of its moving box.
#include "device/kernel.h"

#include "device/search.h"

enum { CELLS = 1 << TOC_DEVICE_KEY_BITS };

static TOC_INLINE uint32_t key_cell(float low, float high) {
    const float x = ((low + high) * 0.125f + 0.5f) * CELLS;
    return x >= CELLS - 1 ? CELLS - 1 : x > 0 ? (uint32_t)x : 0;
}

// After Skilling 2004, "Programming the Hilbert curve".
static TOC_INLINE void turn_to_curve(uint32_t x[3]) {
    uint32_t turned = 0;
    for (uint32_t bit = CELLS / 2; bit > 1; bit /= 2)
        for (int c = 0; c < 3; c++) {
            const uint32_t differ = (x[0] ^ x[c]) & (bit - 1);
            x[0] ^= x[c] & bit ? bit - 1 : differ;
            if (c > 0) x[c] ^= x[c] & bit ? 0 : differ;
        }
    x[1] ^= x[0], x[2] ^= x[1];
    for (uint32_t bit = CELLS / 2; bit > 1; bit /= 2)
        if (x[2] & bit) turned ^= bit - 1;
    for (int c = 0; c < 3; c++) x[c] ^= turned;
}

TOC_DEVICE_KERNEL(key, toc_device_search) {
    for (uint32_t i = thread; i < work->count; i += threads) {
        const uint32_t *corners = work->corners + (uint64_t)i * work->corner_count;
        const toc_device_box box = toc_device_box_of(work, corners, work->corner_count);
        uint32_t x[3];
        uint64_t key = 0;
        for (int c = 0; c < 3; c++) x[c] = key_cell(box.low[0][c] + box.low[1][c], box.high[0][c] + box.high[1][c]);
        turn_to_curve(x);
        for (int bit = TOC_DEVICE_KEY_BITS - 1; bit >= 0; bit--)
            for (int c = 0; c < 3; c++) key = key << 1 | (x[c] >> bit & 1);
        work->entries[i] = (toc_device_entry){key, 0, i, 0};
    }
}
