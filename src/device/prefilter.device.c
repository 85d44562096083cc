// SPDX-License-Identifier: Apache-2.0
// The prefilter on a device, one pair a thread.
#define TOC_SINGLE
#include "device/kernel.h"

#include "device/pairs.h"

__attribute__((unused)) static toc_prefilter_kernel TOC_FOR_LANES(toc_prefilter_kernel);
#include "pair/prefilter.kernel.c"

static TOC_INLINE void prefilter_pair(const toc_device_batch *batch, toc_kind kind, bool filters, uint32_t pair) {
    uint32_t rest;
    toc_prefilter_work one = batch->prefilter;
    one.vertices += pair;
    one.count = 1;
    if (!filters || look_at_all(&one, kind, &rest) > 0) batch->rest[toc_thread_append(&batch->counts->rest)] = pair;
}

TOC_DEVICE_KERNEL(prefilter, toc_device_pairs) {
    const uint32_t vf = toc_device_least(work->of[0].counts->pairs, work->of[0].pair_room);
    const uint32_t count = vf + toc_device_least(work->of[1].counts->pairs, work->of[1].pair_room);
    for (uint32_t i = thread; i < count; i += threads)
        if (i < vf)
            prefilter_pair(&work->of[0], TOC_VF, work->has_prefilter, i);
        else
            prefilter_pair(&work->of[1], TOC_EE, work->has_prefilter, i - vf);
}
