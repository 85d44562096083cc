// SPDX-License-Identifier: Apache-2.0
// The certified test on a device, one pair a thread, on the pairs that the prefilter left.
#define CERTIFIED_ROOM 1
#include "device/kernel.h"

#include "device/pairs.h"

static toc_certified_kernel TOC_FOR_LANES(toc_certified_kernel);
#include "pair/certified.kernel.c"

TOC_DEVICE_KERNEL(certified, toc_device_pairs) {
    const uint32_t count = work->counts->rest;
    for (uint32_t i = thread; i < count; i += threads) {
        const uint32_t pair = work->rest[i];
        toc_verdict verdict;
        double time = work->certified.from;
        bool tie = false;
        toc_certified_work one = work->certified;
        one.pairs.vertices += pair;
        one.pairs.count = 1;
        one.verdicts = &verdict;
        one.times = &time;
        if (work->decides_ties) one.ties = &tie;
        TOC_FOR_LANES(toc_certified_kernel)(&one);
        if (verdict == TOC_APART) continue;
        const uint32_t at = toc_thread_append(&work->counts->outcomes);
        if (at >= work->outcome_room) continue;
        toc_device_outcome *out = &work->outcomes[at];
        out->pair = pair;
        for (int k = 0; k < 4; k++) out->v[k] = work->certified.pairs.vertices[pair][k];
        out->tie = tie;
        out->done = false;
        out->hit.verdict = verdict;
        out->hit.toc = time;
    }
}
