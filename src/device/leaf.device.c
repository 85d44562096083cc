// SPDX-License-Identifier: Apache-2.0
// The leaves of the tree: boxes, features and corners of the primitives in their order.
#include "device/kernel.h"

#include "device/search.h"

TOC_DEVICE_KERNEL(leaf, toc_device_search) {
    for (uint32_t i = thread; i < work->count; i += threads) {
        const uint32_t primitive = work->entries[i].item;
        work->boxes[i] = toc_device_box_of(work, work->corners[primitive], 3);
        work->leaves[i] = work->features[primitive];
        for (int k = 0; k < 3; k++) work->leaf_corners[i][k] = work->corners[primitive][k];
    }
}
