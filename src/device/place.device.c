// SPDX-License-Identifier: Apache-2.0
// Ties and places of contacts on a device, one a thread. Those that need another arithmetic are left to the processor.
#include "device/kernel.h"

#include "device/pairs.h"
#include "pair/place.h"

static toc_place_kernel TOC_FOR_LANES(toc_place_kernel);
static toc_tie_kernel TOC_FOR_LANES(toc_tie_kernel);
#include "pair/place.kernel.c"
#include "pair/tie.kernel.c"

static TOC_INLINE void place_outcome(const toc_device_batch *batch, toc_device_outcome *out) {
    toc_hit *hit = &out->hit;
    uint32_t left;
    const toc_place_work one = {.pairs = batch->certified.pairs, .count = 1, .at = &out->pair, .hits = &hit};
    if (out->tie)
        out->done = TOC_FOR_LANES(toc_tie_kernel)(&one, &left) == 0;
    else if (hit->verdict == TOC_HIT)
        out->done = TOC_FOR_LANES(toc_place_kernel)(&one, &left) == 0;
}

static TOC_INLINE void settle_outcome(const toc_device_batch *batch, bool places, uint32_t number) {
    toc_device_outcome *out = &batch->outcomes[number];
    if (places) place_outcome(batch, out);
    if (!batch->open) return;
    if (out->done) {
        toc_thread_raise(&batch->counts->first, ~toc_device_time_bits(out->hit.toc));
        return;
    }
    const uint32_t at = toc_thread_append(&batch->counts->open);
    if (at < batch->open_room) batch->open[at] = *out;
}

TOC_DEVICE_KERNEL(place, toc_device_pairs) {
    const uint32_t vf = toc_device_least(work->of[0].counts->outcomes, work->of[0].outcome_room);
    const uint32_t count = vf + toc_device_least(work->of[1].counts->outcomes, work->of[1].outcome_room);
    for (uint32_t i = thread; i < count; i += threads)
        if (i < vf)
            settle_outcome(&work->of[0], work->places, i);
        else
            settle_outcome(&work->of[1], work->places, i - vf);
}
