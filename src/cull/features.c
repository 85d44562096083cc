// SPDX-License-Identifier: Apache-2.0
// Feature pairs of overlapping primitives.
//
// Whether two features overlap is a coin toss to the processor, so nothing here branches on it: every pair is
// written, and the next one over it unless it was to be kept.
#include "cull/features.h"

#include <string.h>

#include "bound/overlap.h"

// Points of one primitive against the face that another one is, whose DOP is its leaf's.
static TOC_INLINE void take_points(const toc_owned_dops *d, int lanes, const toc_owner *with_points,
                                   const toc_owner *with_face, const float *face_dop, toc_feature_pairs *out) {
    const uint32_t *face = with_face->face;
    if (face[0] == UINT32_MAX) return;
    for (uint32_t i = with_points->first_point; i < with_points->first_point + with_points->point_count; i++) {
        const uint32_t v = d->owners->points[i];
        const bool other = !toc_vertex_in_face(v, face);
        const bool near = toc_dops_overlap(d->points + i * 2 * (size_t)lanes, face_dop, lanes);
        out->vf[out->vf_count] = (toc_quad){{v, face[0], face[1], face[2]}};
        out->vf_count += other & near;
        out->asked += other;
    }
}

// An edge as one number, ascending as edges do.
static inline uint64_t key_of(const uint32_t edge[2]) { return (uint64_t)edge[0] << 32 | edge[1]; }

static inline toc_quad edges_in_order(const uint32_t a[2], const uint32_t b[2]) {
    const uint64_t x = key_of(a), y = key_of(b), low = x < y ? x : y, high = x < y ? y : x;
    return (toc_quad){{(uint32_t)(low >> 32), (uint32_t)low, (uint32_t)(high >> 32), (uint32_t)high}};
}

static TOC_INLINE void take_edges(const toc_owned_dops *d, int lanes, const toc_owner *first, const toc_owner *second,
                                  toc_feature_pairs *out) {
    const size_t floats = 2 * (size_t)lanes;
    for (uint32_t i = first->first_edge; i < first->first_edge + first->edge_count; i++)
        for (uint32_t j = second->first_edge; j < second->first_edge + second->edge_count; j++) {
            const uint32_t *a = d->owners->edges[i], *b = d->owners->edges[j];
            const bool other = !toc_edges_share(a, b);
            const bool near = toc_dops_overlap(d->edges + i * floats, d->edges + j * floats, lanes);
            out->ee[out->ee_count] = edges_in_order(a, b);
            out->ee_count += other & near;
            out->asked += other;
        }
}

static TOC_INLINE void take_all(const toc_owned_dops *dops, int lanes, const toc_node_pair *pairs, size_t count,
                                toc_feature_pairs *out) {
    const toc_bvh *bvh = dops->bvh;
    const size_t floats = 2 * (size_t)lanes;
    out->vf_count = out->ee_count = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t node_a = pairs[i].a, node_b = pairs[i].b;
        const toc_owner *a = &dops->owners->at[bvh->nodes[node_a].link];
        const toc_owner *b = &dops->owners->at[bvh->nodes[node_b].link];
        take_points(dops, lanes, a, b, bvh->dops + node_b * floats, out);
        take_points(dops, lanes, b, a, bvh->dops + node_a * floats, out);
        take_edges(dops, lanes, a, b, out);
    }
}

// Compiled once for each number of lanes.
void toc_cull_features(const toc_owned_dops *dops, const toc_node_pair *pairs, size_t count, toc_feature_pairs *out) {
    if (dops->bvh->kind.lanes == 8)
        take_all(dops, 8, pairs, count, out);
    else
        take_all(dops, 16, pairs, count, out);
}
