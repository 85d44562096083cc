// SPDX-License-Identifier: Apache-2.0
// The feature pairs of two primitives. O(1) a pair, no allocation.
#include "cull/elements.h"

#include <string.h>

#include "bound/overlap.h"

static bool overlap(const toc_element_dops *d, const float *first, size_t i, const float *second, size_t j) {
    if (!d->faces) return true;
    const size_t floats = 2 * (size_t)d->lanes;
    return d->lanes == 8 ? toc_dops_overlap(first + i * floats, second + j * floats, 8)
                         : toc_dops_overlap(first + i * floats, second + j * floats, 16);
}

// Corners of one primitive against the face that another one is.
static void take_points(const toc_element_dops *d, uint32_t with_points, uint32_t with_face, toc_feature_pairs *out) {
    const uint32_t *points = d->primitives->at[with_points].vertices, *face = d->primitives->at[with_face].vertices;
    if (face[2] == UINT32_MAX) return;
    for (int i = 0; i < 3 && points[i] != UINT32_MAX; i++) {
        if (toc_vertex_in_face(points[i], face)) continue;
        out->asked++;
        if (!overlap(d, d->points, points[i], d->faces, with_face)) continue;
        out->vf[out->vf_count++] = (toc_quad){{points[i], face[0], face[1], face[2]}};
    }
}

static void take_edge_pair(const toc_element_dops *d, uint32_t a, uint32_t b, toc_feature_pairs *out) {
    const uint32_t *low = d->features->edges[a < b ? a : b], *high = d->features->edges[a < b ? b : a];
    if (toc_edges_share(low, high)) return;
    out->asked++;
    if (!overlap(d, d->edges, a, d->edges, b)) return;
    out->ee[out->ee_count++] = (toc_quad){{low[0], low[1], high[0], high[1]}};
}

static void take_edges(const toc_element_dops *d, uint32_t a, uint32_t b, toc_feature_pairs *out) {
    const uint32_t *first = d->primitives->at[a].edges, *second = d->primitives->at[b].edges;
    for (int i = 0; i < 3 && first[i] != UINT32_MAX; i++)
        for (int j = 0; j < 3 && second[j] != UINT32_MAX; j++) take_edge_pair(d, first[i], second[j], out);
}

void toc_cull_elements(const toc_element_dops *dops, const toc_node_pair *pairs, size_t count, toc_feature_pairs *out) {
    out->vf_count = out->ee_count = 0;
    for (size_t i = 0; i < count; i++) {
        take_points(dops, pairs[i].a, pairs[i].b, out);
        take_points(dops, pairs[i].b, pairs[i].a, out);
        take_edges(dops, pairs[i].a, pairs[i].b, out);
    }
}
