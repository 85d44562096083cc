// SPDX-License-Identifier: Apache-2.0
// From pairs of elements, and from single ones, to the pairs of features that they represent: those that share no
// vertex, and whose moving boxes are not apart. One pair of elements a thread.
#include "device/kernel.h"

#include "device/search.h"

// The counters stay below 2^32: beyond 2^31 no pair has room, and each thread adds one pair at a time.
static TOC_INLINE void put_pair(const toc_device_search *work, toc_kind kind, toc_feature_pair pair) {
    uint32_t *count = &work->counts->kinds[kind == TOC_EE].pairs;
    if (*(volatile uint32_t *)count < UINT32_C(1) << 31)
        toc_device_found_put(work, kind, toc_thread_append(count), pair);
}

static TOC_INLINE void meet_faces(const toc_device_search *work, const toc_device_cell *with_points,
                                  const toc_device_cell *with_faces, const toc_device_box *around_faces) {
    for (uint32_t i = 0; i < with_points->count[TOC_DEVICE_POINTS]; i++) {
        const uint32_t v = work->points[with_points->first[TOC_DEVICE_POINTS] + i];
        const toc_device_box point = toc_device_box_of(work, &v, 1);
        if (toc_device_boxes_are_apart(&point, around_faces)) continue;
        for (uint32_t j = 0; j < with_faces->count[TOC_DEVICE_FACES]; j++) {
            const uint32_t *f = work->faces[with_faces->first[TOC_DEVICE_FACES] + j];
            if (toc_vertex_in_face(v, f)) continue;
            const toc_device_box face = toc_device_box_of(work, f, 3);
            if (!toc_device_boxes_are_apart(&point, &face))
                put_pair(work, TOC_VF, (toc_feature_pair){{v, f[0], f[1], f[2]}});
        }
    }
}

static TOC_INLINE void meet_edges(const toc_device_search *work, const toc_device_cell *a, const toc_device_cell *b,
                                  bool same, const toc_device_box *around_b) {
    for (uint32_t i = 0; i < a->count[TOC_DEVICE_EDGES]; i++) {
        const uint32_t *first = work->edges[a->first[TOC_DEVICE_EDGES] + i];
        const toc_device_box box = toc_device_box_of(work, first, 2);
        if (toc_device_boxes_are_apart(&box, around_b)) continue;
        for (uint32_t j = same ? i + 1 : 0; j < b->count[TOC_DEVICE_EDGES]; j++) {
            const uint32_t *second = work->edges[b->first[TOC_DEVICE_EDGES] + j];
            if (toc_edges_share(first, second)) continue;
            const toc_device_box other = toc_device_box_of(work, second, 2);
            if (!toc_device_boxes_are_apart(&box, &other)) put_pair(work, TOC_EE, toc_edges_in_order(first, second));
        }
    }
}

// Behind the pairs, each leaf of the range with itself.
TOC_DEVICE_KERNEL(expand, toc_device_search) {
    const uint32_t near = toc_device_least(work->counts->near, work->pair_room);
    const uint32_t count = near + (work->end - work->begin);
    for (uint32_t i = thread; i < count; i += threads) {
        const uint32_t own = work->begin + (i - near);
        const toc_device_node_pair pair = i < near ? work->from[i] : (toc_device_node_pair){own, own};
        const toc_device_cell a = work->cells[work->entries[pair.a].item], b = work->cells[work->entries[pair.b].item];
        meet_faces(work, &a, &b, &work->boxes[pair.b]);
        if (i < near) meet_faces(work, &b, &a, &work->boxes[pair.a]);
        meet_edges(work, &a, &b, i >= near, &work->boxes[pair.b]);
    }
}
