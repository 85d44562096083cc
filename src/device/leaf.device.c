// SPDX-License-Identifier: Apache-2.0
// The leaves of the tree: boxes and features of the primitives in their order.
#include "device/kernel.h"

#include "device/search.h"

TOC_DEVICE_KERNEL(leaf, toc_device_search) {
    for (uint32_t i = thread; i < work->count; i += threads) {
        const uint32_t primitive = (uint32_t)(work->keys[i] & ((UINT64_C(1) << TOC_DEVICE_ID_BITS) - 1));
        work->boxes[i] = toc_device_box_of(work, work->corners[primitive], 3);
        work->leaves[i] = work->features[primitive];
    }
}
