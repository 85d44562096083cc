// SPDX-License-Identifier: Apache-2.0
// Feature pairs of overlapping primitives: dispatch to the kernel of this machine, and listing without comparison.
#include "cull/surface/features.h"

#include <assert.h>

#include "base/backend.h"

void toc_cull_features(const toc_represented_dops *dops, const toc_leaf_pair *pairs, size_t count,
                       toc_feature_pairs *out) {
    assert(count <= out->leaf_pairs && dops->bvh && (dops->bvh->lower.most == 0 || dops->window));
    toc_backend_here()->features(dops, pairs, count, out);
}

static void list_vf_pairs(const toc_representatives *representatives, const toc_representative *with_points,
                          const uint32_t face[3], toc_feature_pairs *out) {
    if (face[0] == UINT32_MAX) return;
    for (uint32_t i = with_points->first_point; i < with_points->first_point + with_points->point_count; i++) {
        const uint32_t v = representatives->points[i];
        out->vf[out->vf_count] = (toc_feature_pair){{v, face[0], face[1], face[2]}};
        out->vf_count += !toc_vertex_in_face(v, face);
    }
}

static void list_ee_pairs(const toc_representatives *representatives, const toc_representative *first,
                          const toc_representative *second, toc_feature_pairs *out) {
    for (uint32_t i = first->first_edge; i < first->first_edge + first->edge_count; i++)
        for (uint32_t j = second->first_edge; j < second->first_edge + second->edge_count; j++) {
            const uint32_t *a = representatives->edges[i], *b = representatives->edges[j];
            out->ee[out->ee_count] = toc_edges_in_order(a, b);
            out->ee_count += !toc_edges_share(a, b);
        }
}

void toc_list_leaf_features(const toc_representatives *representatives, toc_leaf_pair pair, toc_feature_pairs *out) {
    assert(pair.a < representatives->count && pair.b < representatives->count);
    const toc_representative *a = &representatives->at[pair.a], *b = &representatives->at[pair.b];
    const size_t before = out->vf_count + out->ee_count;
    list_vf_pairs(representatives, a, b->face, out);
    list_vf_pairs(representatives, b, a->face, out);
    list_ee_pairs(representatives, a, b, out);
    out->asked += out->vf_count + out->ee_count - before;
}

void toc_list_features(const toc_represented_dops *dops, const toc_leaf_pair *pairs, size_t count,
                       toc_feature_pairs *out) {
    assert(count <= out->leaf_pairs);
    out->vf_count = out->ee_count = 0;
    for (size_t i = 0; i < count; i++) toc_list_leaf_features(dops->representatives, pairs[i], out);
}
