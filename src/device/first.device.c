// SPDX-License-Identifier: Apache-2.0
// The outcomes that are done and as early as any, for the processor, which picks the first contact among them and those
// that are not done.
#include "device/kernel.h"

#include "device/pairs.h"

static TOC_INLINE void pick_earliest(const toc_device_batch *batch, uint64_t first, uint32_t number) {
    const toc_device_outcome *out = &batch->outcomes[number];
    if (!out->done || toc_device_time_bits(out->hit.toc) > first) return;
    const uint32_t at = toc_thread_append(&batch->counts->open);
    if (at < batch->open_room) batch->open[at] = *out;
}

TOC_DEVICE_KERNEL(first, toc_device_pairs) {
    const uint32_t vf = toc_device_least(work->of[0].counts->outcomes, work->of[0].outcome_room);
    const uint32_t count = vf + toc_device_least(work->of[1].counts->outcomes, work->of[1].outcome_room);
    const uint64_t a = ~work->of[0].counts->first, b = ~work->of[1].counts->first, first = a < b ? a : b;
    for (uint32_t i = thread; i < count; i += threads)
        if (i < vf)
            pick_earliest(&work->of[0], first, i);
        else
            pick_earliest(&work->of[1], first, i - vf);
}
