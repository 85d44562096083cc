// SPDX-License-Identifier: Apache-2.0
// Feature pairs of overlapping primitives.
#include "cull/features.h"

#include <string.h>

#include "bound/overlap.h"

// Points of one primitive against the face that another one is, whose DOP is its leaf's.
static void take_points(const toc_owned_dops *d, const toc_owner *with_points, const toc_owner *with_face,
                        const float *face_dop, toc_feature_pairs *out) {
    if (with_face->face[0] == UINT32_MAX) return;
    const toc_dop_kind *kind = &d->bvh->kind;
    for (uint32_t i = with_points->first_point; i < with_points->first_point + with_points->point_count; i++) {
        const uint32_t v = d->owners->points[i];
        if (toc_vertex_in_face(v, with_face->face)) continue;
        out->asked++;
        if (!toc_dops_overlap(d->points + i * toc_dop_floats(kind), face_dop, kind->lanes)) continue;
        toc_quad *pair = &out->vf[out->vf_count++];
        pair->v[0] = v;
        memcpy(pair->v + 1, with_face->face, sizeof with_face->face);
    }
}

static bool is_before(const uint32_t a[2], const uint32_t b[2]) { return a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]); }

static void take_edges(const toc_owned_dops *d, const toc_owner *first, const toc_owner *second,
                       toc_feature_pairs *out) {
    const toc_dop_kind *kind = &d->bvh->kind;
    for (uint32_t i = first->first_edge; i < first->first_edge + first->edge_count; i++)
        for (uint32_t j = second->first_edge; j < second->first_edge + second->edge_count; j++) {
            const uint32_t *a = d->owners->edges[i], *b = d->owners->edges[j];
            if (toc_edges_share(a, b)) continue;
            out->asked++;
            const float *dop_a = d->edges + i * toc_dop_floats(kind), *dop_b = d->edges + j * toc_dop_floats(kind);
            if (!toc_dops_overlap(dop_a, dop_b, kind->lanes)) continue;
            toc_quad *pair = &out->ee[out->ee_count++];
            const bool in_order = is_before(a, b);
            memcpy(pair->v, in_order ? a : b, 2 * sizeof *a);
            memcpy(pair->v + 2, in_order ? b : a, 2 * sizeof *a);
        }
}

void toc_cull_features(const toc_owned_dops *dops, const toc_node_pair *pairs, size_t count, toc_feature_pairs *out) {
    const toc_bvh *bvh = dops->bvh;
    const size_t floats = toc_dop_floats(&bvh->kind);
    out->vf_count = out->ee_count = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t node_a = pairs[i].a, node_b = pairs[i].b;
        const toc_owner *a = &dops->owners->at[bvh->nodes[node_a].link];
        const toc_owner *b = &dops->owners->at[bvh->nodes[node_b].link];
        take_points(dops, a, b, bvh->dops + node_b * floats, out);
        take_points(dops, b, a, bvh->dops + node_a * floats, out);
        take_edges(dops, a, b, out);
    }
}
