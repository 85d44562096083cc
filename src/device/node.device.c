// SPDX-License-Identifier: Apache-2.0
// The boxes of the nodes of a level, around those of the level below.
#include "device/kernel.h"

#include "device/search.h"

TOC_DEVICE_KERNEL(node, toc_device_search) {
    const uint32_t below = work->level - 1;
    const toc_device_box *boxes = work->boxes + work->first[below];
    for (uint32_t i = thread; i < work->nodes[work->level]; i += threads) {
        const uint32_t first = TOC_DEVICE_ARITY * i;
        const uint32_t end = toc_device_least(first + TOC_DEVICE_ARITY, work->nodes[below]);
        toc_device_box box = boxes[first];
        for (uint32_t k = first + 1; k < end; k++) {
            const toc_device_box child = boxes[k];
            for (int end_of_step = 0; end_of_step < 2; end_of_step++)
                toc_device_box_put(&box, end_of_step, child.low[end_of_step], child.high[end_of_step]);
        }
        work->boxes[work->first[work->level] + i] = box;
    }
}
