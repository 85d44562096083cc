// SPDX-License-Identifier: Apache-2.0
// Feature pairs of overlapping primitives.
#include "cull/features.h"

#include <string.h>

#include "bound/overlap.h"

static void take_points(const toc_feature_dops *d, const toc_owner *with_points, const toc_owner *with_face,
                        toc_feature_pairs *out) {
    if (with_face->face == UINT32_MAX) return;
    const size_t floats = toc_dop_floats(&d->kind);
    const uint32_t *face = d->features->faces[with_face->face];
    for (int i = 0; i < with_points->point_count; i++) {
        const uint32_t v = with_points->points[i];
        if (toc_vertex_in_face(v, face)) continue;
        out->asked++;
        if (!toc_dops_overlap(d->points + v * floats, d->faces + with_face->face * floats, d->kind.lanes)) continue;
        uint32_t *pair = out->vf[out->vf_count++].v;
        pair[0] = v;
        memcpy(pair + 1, face, 3 * sizeof *pair);
    }
}

static void take_edges(const toc_feature_dops *d, uint32_t first, uint32_t second, toc_feature_pairs *out) {
    const size_t floats = toc_dop_floats(&d->kind);
    const uint32_t *a = d->features->edges[first], *b = d->features->edges[second];
    if (toc_edges_share(a, b)) return;
    out->asked++;
    if (!toc_dops_overlap(d->edges + first * floats, d->edges + second * floats, d->kind.lanes)) return;
    uint32_t *pair = out->ee[out->ee_count++].v;
    memcpy(pair, first < second ? a : b, 2 * sizeof *pair);
    memcpy(pair + 2, first < second ? b : a, 2 * sizeof *pair);
}

void toc_cull_features(const toc_feature_dops *dops, const toc_node_pair *pairs, size_t count, toc_feature_pairs *out) {
    out->vf_count = out->ee_count = 0;
    for (size_t i = 0; i < count; i++) {
        const toc_owner *a = &dops->owners->at[pairs[i].a], *b = &dops->owners->at[pairs[i].b];
        take_points(dops, a, b, out);
        take_points(dops, b, a, out);
        for (int j = 0; j < a->edge_count; j++)
            for (int k = 0; k < b->edge_count; k++) take_edges(dops, a->edges[j], b->edges[k], out);
    }
}
