// SPDX-License-Identifier: Apache-2.0
// Ties and places of contacts on a device, one a thread. Those that need another arithmetic are left to the processor.
#include "device/kernel.h"

#include "device/pairs.h"
#include "pair/place.h"

static toc_place_kernel TOC_FOR_LANES(toc_place_kernel);
static toc_tie_kernel TOC_FOR_LANES(toc_tie_kernel);
#include "pair/place.kernel.c"
#include "pair/tie.kernel.c"

TOC_DEVICE_KERNEL(place, toc_device_pairs) {
    const uint32_t count = work->places ? toc_device_least(work->counts->outcomes, work->outcome_room) : 0;
    for (uint32_t i = thread; i < count; i += threads) {
        toc_device_outcome *out = &work->outcomes[i];
        toc_hit *hit = &out->hit;
        uint32_t left;
        const toc_place_work one = {.pairs = work->certified.pairs, .count = 1, .at = &out->pair, .hits = &hit};
        if (out->tie)
            out->done = TOC_FOR_LANES(toc_tie_kernel)(&one, &left) == 0;
        else if (hit->verdict == TOC_HIT)
            out->done = TOC_FOR_LANES(toc_place_kernel)(&one, &left) == 0;
    }
}
