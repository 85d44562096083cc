// SPDX-License-Identifier: Apache-2.0
// Pairs of primitives without a separating axis: those of the triangle axes, one pair a thread.
#define TOC_SINGLE
#include "device/kernel.h"

#include "device/search.h"

__attribute__((unused)) static toc_triangle_axes_kernel TOC_FOR_LANES(toc_triangle_axes_kernel);
#include "cull/surface/triangle_axes.kernel.c"

TOC_DEVICE_KERNEL(axes, toc_device_search) {
    const uint32_t count = toc_device_least(work->counts->pairs[0], work->pair_room);
    const toc_triangle_axes how = {
        .corners = (const uint32_t(*)[3])work->leaf_corners, .packed = work->packed, .distance = work->distance};
    for (uint32_t i = thread; i < count; i += threads) {
        const toc_device_node_pair pair = work->from[i];
        const toc_leaf_pair leaves = {pair.a, pair.b};
        bool apart = false;
        if (!triangles_share_vertex(how.corners[pair.a], how.corners[pair.b])) {
            const couple c = load_couple(&how, work->look, &leaves);
            apart = toc_mask_bits(separate_couple(&c)) != 0;
        }
        if (!apart) work->to[toc_thread_append(&work->counts->near)] = pair;
    }
}
