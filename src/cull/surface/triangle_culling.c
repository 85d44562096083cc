// SPDX-License-Identifier: Apache-2.0
// Culling the represented feature pairs of triangle pairs.
//
// A step removes only pairs that are apart in real arithmetic (cull/surface/triangle_features.h), and each feature has
// one representative, so no pair that touches is lost and none comes twice. 50 to 300 ns a triangle pair, no
// allocation. After Zhang and Kim 2012, who test all 15 pairs of every two triangles, shared features repeatedly.
#include "cull/surface/triangle_culling.h"

#include <assert.h>
#include <string.h>

// The corners and edges of a triangle that it represents, as bits 0 to 2 each.
typedef struct represented_parts {
    unsigned corners, edges;
} represented_parts;

static bool represents_point(const toc_representatives *all, const toc_representative *r, uint32_t v) {
    for (uint32_t i = r->first_point; i < r->first_point + r->point_count; i++)
        if (all->points[i] == v) return true;
    return false;
}

static bool represents_edge(const toc_representatives *all, const toc_representative *r, uint32_t v, uint32_t w) {
    const uint32_t low = v < w ? v : w, high = v < w ? w : v;
    for (uint32_t i = r->first_edge; i < r->first_edge + r->edge_count; i++)
        if (all->edges[i][0] == low && all->edges[i][1] == high) return true;
    return false;
}

static represented_parts represented_of(const toc_representatives *all, const toc_representative *r) {
    represented_parts parts = {0, 0};
    for (int i = 0; i < 3; i++) {
        parts.corners |= (unsigned)represents_point(all, r, r->face[i]) << i;
        parts.edges |= (unsigned)represents_edge(all, r, r->face[i], r->face[(i + 1) % 3]) << i;
    }
    return parts;
}

static unsigned represented_pairs(const toc_representatives *all, const toc_representative *a,
                                  const toc_representative *b) {
    const represented_parts in_a = represented_of(all, a), in_b = represented_of(all, b);
    unsigned pairs = 0;
    for (int i = 0; i < 3; i++) {
        const uint32_t edge[2] = {a->face[i], a->face[(i + 1) % 3]};
        if (in_a.corners >> i & 1 && !toc_vertex_in_face(a->face[i], b->face)) pairs |= TOC_TRIANGLE_AB(i);
        if (in_b.corners >> i & 1 && !toc_vertex_in_face(b->face[i], a->face)) pairs |= TOC_TRIANGLE_BA(i);
        for (int j = 0; j < 3 && in_a.edges >> i & 1; j++) {
            const uint32_t other[2] = {b->face[j], b->face[(j + 1) % 3]};
            if (in_b.edges >> j & 1 && !toc_edges_share(edge, other)) pairs |= TOC_TRIANGLE_EE(i, j);
        }
    }
    return pairs;
}

static void set_corners(toc_moving *moving, const toc_triangle_culling *c, const uint32_t v[6]) {
    double x0[6][3], x1[6][3];
    for (int i = 0; i < 6; i++) {
        memcpy(x0[i], c->x0 + 3 * (size_t)v[i], sizeof x0[i]);
        memcpy(x1[i], c->x1 + 3 * (size_t)v[i], sizeof x1[i]);
    }
    toc_moving_set(moving, 6, (const double(*)[3])x0, (const double(*)[3])x1);
}

static toc_feature_pair edges_of(const uint32_t v[6], const int at[4]) {
    uint32_t edges[2][2];
    for (int i = 0; i < 2; i++) {
        const uint32_t p = v[at[2 * i]], q = v[at[2 * i + 1]];
        edges[i][0] = p < q ? p : q;
        edges[i][1] = p < q ? q : p;
    }
    return toc_edges_in_order(edges[0], edges[1]);
}

static void write_left(const uint32_t v[6], unsigned left, toc_feature_pairs *out) {
    for (; left; left &= left - 1) {
        const toc_triangle_feature f = toc_triangle_feature_of(__builtin_ctz(left));
        if (f.kind == TOC_EE)
            out->ee[out->ee_count++] = edges_of(v, f.at);
        else
            out->vf[out->vf_count++] = (toc_feature_pair){{v[f.at[0]], v[f.at[1]], v[f.at[2]], v[f.at[3]]}};
    }
}

static void cull_triangles(const toc_triangle_culling *c, const toc_representative *a, const toc_representative *b,
                           uint32_t *removed, toc_feature_pairs *out) {
    const uint32_t v[6] = {a->face[0], a->face[1], a->face[2], b->face[0], b->face[1], b->face[2]};
    const unsigned pairs = represented_pairs(c->representatives, a, b);
    toc_moving moving;
    if (!pairs) return;
    set_corners(&moving, c, v);
    out->asked += (uint64_t)__builtin_popcount(pairs);
    write_left(v, toc_triangle_cull(&moving, c->distance, pairs, c->steps, removed), out);
}

void toc_triangle_culling_run(const toc_triangle_culling *culling, const toc_leaf_pair *pairs, size_t count,
                              uint32_t removed[TOC_TRIANGLE_STEP_COUNT], toc_feature_pairs *out) {
    assert(count <= out->leaf_pairs);
    out->vf_count = out->ee_count = 0;
    for (size_t i = 0; i < count; i++) {
        const toc_representative *at = culling->representatives->at, *a = &at[pairs[i].a], *b = &at[pairs[i].b];
        assert(pairs[i].a < culling->representatives->count && pairs[i].b < culling->representatives->count);
        if (a->face[0] != UINT32_MAX && b->face[0] != UINT32_MAX)
            cull_triangles(culling, a, b, removed, out);
        else
            toc_list_leaf_features(culling->representatives, pairs[i], out);
    }
}
