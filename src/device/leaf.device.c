// SPDX-License-Identifier: Apache-2.0
// The leaves of the tree: boxes, features and corners of the primitives in their order.
#include "device/kernel.h"

#include "device/search.h"

TOC_DEVICE_KERNEL(leaf, toc_device_search) {
    for (uint32_t i = thread; i < work->count; i += threads) {
        const uint32_t primitive = work->entries[i].item, count = work->corner_count;
        const uint32_t *corners = work->corners + (uint64_t)primitive * count;
        work->boxes[i] = toc_device_box_of(work, corners, count);
        for (uint32_t k = 0; k < count; k++) work->leaf_corners[(uint64_t)i * count + k] = corners[k];
        if (work->features) work->leaves[i] = work->features[primitive];
    }
}
