// SPDX-License-Identifier: Apache-2.0
// From pairs of nodes to the pairs of their children that meet, each pair once.
#include "device/kernel.h"

#include "device/search.h"

// The children of two nodes that overlap, as bits: 4 i + j for child i of the first and child j of the second.
static TOC_INLINE uint32_t look_at_children(const toc_device_search *work, toc_device_node_pair pair) {
    const uint32_t below = work->level - 1, nodes = work->nodes[below];
    const toc_device_box *boxes = work->boxes + work->first[below];
    const uint32_t first_a = TOC_DEVICE_ARITY * pair.a, first_b = TOC_DEVICE_ARITY * pair.b;
    const uint64_t span = UINT64_C(1) << 2 * below; // leaves of a child
    toc_device_box of_a[TOC_DEVICE_ARITY];
    uint32_t overlap = 0;
    for (uint32_t i = 0; i < TOC_DEVICE_ARITY; i++) of_a[i] = boxes[toc_device_least(first_a + i, nodes - 1)];
    for (uint32_t j = 0; j < TOC_DEVICE_ARITY; j++) {
        const toc_device_box of_b = boxes[toc_device_least(first_b + j, nodes - 1)];
        for (uint32_t i = 0; i < TOC_DEVICE_ARITY; i++) {
            const uint32_t a = first_a + i, b = first_b + j;
            const bool exist = (a < nodes) & (b < nodes) & ((a < b) | ((a == b) & (below > 0)));
            const bool wanted = (a * span < work->end) & ((a + 1) * span > work->begin);
            const bool both = exist & wanted & toc_device_boxes_meet(&of_a[i], &of_b);
            overlap |= (uint32_t)both << (TOC_DEVICE_ARITY * i + j);
        }
    }
    return overlap;
}

TOC_DEVICE_KERNEL(descend, toc_device_search) {
    const uint32_t below = work->level - 1;
    const uint32_t nodes = work->nodes[work->level];
    const uint32_t count =
        work->from_all ? nodes * nodes : toc_device_least(work->counts->pairs[work->level], work->pair_room);
    for (uint32_t i = thread; i < count; i += threads) {
        const toc_device_node_pair pair = work->from_all ? (toc_device_node_pair){i / nodes, i % nodes} : work->from[i];
        uint32_t overlap = pair.a <= pair.b ? look_at_children(work, pair) : 0;
        uint32_t at = toc_thread_append_some(&work->counts->pairs[below], (uint32_t)__builtin_popcount(overlap));
        for (; overlap && at < work->pair_room; overlap &= overlap - 1, at++) {
            const uint32_t bit = (uint32_t)__builtin_ctz(overlap);
            work->to[at] = (toc_device_node_pair){TOC_DEVICE_ARITY * pair.a + bit / TOC_DEVICE_ARITY,
                                                  TOC_DEVICE_ARITY * pair.b + bit % TOC_DEVICE_ARITY};
        }
    }
}
