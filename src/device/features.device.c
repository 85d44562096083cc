// SPDX-License-Identifier: Apache-2.0
// From pairs of primitives to the pairs of features that they represent: those that share no vertex, and whose moving
// boxes are not apart.
#include "device/kernel.h"

#include "device/search.h"

enum { FEW = 3 }; // points and edges of a primitive, at most

// Points of one primitive and the face of another, as bits. A primitive that is no face has none.
static TOC_INLINE uint32_t look_at_points(const toc_device_search *work, const toc_representative *with_points,
                                          const toc_representative *with_face, const toc_device_box *face) {
    uint32_t near = 0;
    if (with_face->face[0] == UINT32_MAX) return 0;
    for (uint32_t i = 0; i < with_points->point_count; i++) {
        const uint32_t v = work->points[with_points->first_point + i];
        const toc_device_box point = toc_device_box_of(work, &v, 1);
        const bool both = !toc_vertex_in_face(v, with_face->face) && !toc_device_boxes_are_apart(&point, face);
        near |= (uint32_t)both << i;
    }
    return near;
}

// Edges of both, as bits: FEW i + j.
static TOC_INLINE uint32_t look_at_edges(const toc_device_search *work, const toc_representative *a,
                                         const toc_representative *b) {
    toc_device_box boxes[FEW];
    uint32_t near = 0;
    for (uint32_t j = 0; j < FEW; j++)
        if (j < b->edge_count) boxes[j] = toc_device_box_of(work, work->edges[b->first_edge + j], 2);
    for (uint32_t i = 0; i < a->edge_count; i++) {
        const uint32_t *edge = work->edges[a->first_edge + i];
        const toc_device_box box = toc_device_box_of(work, edge, 2);
        for (uint32_t j = 0; j < FEW; j++)
            if (j < b->edge_count) {
                const bool apart = toc_edges_share(edge, work->edges[b->first_edge + j]);
                near |= (uint32_t)(!apart & !toc_device_boxes_are_apart(&box, &boxes[j])) << (FEW * i + j);
            }
    }
    return near;
}

static TOC_INLINE void put_points(const toc_device_search *work, const toc_representative *with_points,
                                  const uint32_t face[3], uint32_t near, uint32_t *at) {
    for (; near; near &= near - 1) {
        const uint32_t v = work->points[with_points->first_point + (uint32_t)__builtin_ctz(near)];
        toc_device_found_put(work, TOC_VF, (*at)++, (toc_feature_pair){{v, face[0], face[1], face[2]}});
    }
}

TOC_DEVICE_KERNEL(features, toc_device_search) {
    const uint32_t count = toc_device_least(work->counts->near, work->pair_room);
    toc_device_counts *vf = &work->counts->kinds[0], *ee = &work->counts->kinds[1];
    for (uint32_t i = thread; i < count; i += threads) {
        const toc_device_node_pair pair = work->from[i];
        const toc_representative a = work->leaves[pair.a], b = work->leaves[pair.b];
        const uint32_t ab = look_at_points(work, &a, &b, &work->boxes[pair.b]);
        const uint32_t ba = look_at_points(work, &b, &a, &work->boxes[pair.a]);
        uint32_t edges = look_at_edges(work, &a, &b);
        uint32_t at = toc_thread_append_some(&vf->pairs, (uint32_t)__builtin_popcount(ab | ba << FEW));
        put_points(work, &a, b.face, ab, &at);
        put_points(work, &b, a.face, ba, &at);
        at = toc_thread_append_some(&ee->pairs, (uint32_t)__builtin_popcount(edges));
        for (; edges; edges &= edges - 1) {
            const uint32_t bit = (uint32_t)__builtin_ctz(edges);
            toc_device_found_put(
                work, TOC_EE, at++,
                toc_edges_in_order(work->edges[a.first_edge + bit / FEW], work->edges[b.first_edge + bit % FEW]));
        }
    }
}
