// SPDX-License-Identifier: Apache-2.0
// The prefilter on a device, two pairs a thread.
#define TOC_SINGLE
#include "device/kernel.h"

#include "device/pairs.h"

static toc_prefilter_kernel TOC_FOR_LANES(toc_prefilter_kernel);
#include "pair/prefilter.kernel.c"

TOC_DEVICE_KERNEL(prefilter, toc_device_pairs) {
    const uint32_t count = toc_device_least(work->counts->pairs, work->pair_room);
    for (uint32_t i = 2 * thread; i < count; i += 2 * threads) {
        uint32_t rest[2] = {0, 1}, some = count - i < 2 ? 1 : 2;
        if (work->has_prefilter) {
            toc_prefilter_work two = work->prefilter;
            two.vertices += i;
            two.count = some;
            some = (uint32_t)TOC_FOR_LANES(toc_prefilter_kernel)(&two, rest);
        }
        if (some > 0) work->rest[toc_thread_append(&work->counts->rest)] = i + rest[0];
        if (some > 1) work->rest[toc_thread_append(&work->counts->rest)] = i + rest[1];
    }
}
