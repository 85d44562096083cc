// SPDX-License-Identifier: Apache-2.0
// Feature pairs of overlapping primitives: dispatch to the kernel of this machine, and listing without comparison.
#include "cull/surface/features.h"

#include <assert.h>
#include <string.h>

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

// ---- of two faces without a common vertex: every pair is written, and the next one overwrites it unless there is one

static inline void list_apart_vf(const toc_representatives *representatives, const toc_representative *with_points,
                                 const uint32_t face[3], toc_feature_pairs *out) {
    const uint32_t *points = representatives->points + with_points->first_point, count = with_points->point_count;
    const uint32_t v[3] = {points[0], points[1], points[2]}, f[3] = {face[0], face[1], face[2]};
    toc_feature_pair *pair = out->vf + out->vf_count;
    for (uint32_t i = 0; i < 3; i++) {
        *pair = (toc_feature_pair){{v[i], f[0], f[1], f[2]}};
        pair += i < count;
    }
    out->vf_count = (size_t)(pair - out->vf);
}

// An edge as a number, the lower vertex first.
static inline uint64_t edge_number(const uint32_t edge[2]) { return (uint64_t)edge[0] << 32 | edge[1]; }

static inline toc_feature_pair pair_of_numbers(uint64_t a, uint64_t b) {
    const uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return (toc_feature_pair){{(uint32_t)(low >> 32), (uint32_t)low, (uint32_t)(high >> 32), (uint32_t)high}};
}

static inline void list_apart_ee(const toc_representatives *representatives, const toc_representative *first,
                                 const toc_representative *second, toc_feature_pairs *out) {
    const uint32_t(*a)[2] = (const uint32_t(*)[2])representatives->edges + first->first_edge;
    const uint32_t(*b)[2] = (const uint32_t(*)[2])representatives->edges + second->first_edge;
    const uint64_t with[3] = {edge_number(b[0]), edge_number(b[1]), edge_number(b[2])};
    const uint32_t count = first->edge_count, with_count = second->edge_count;
    toc_feature_pair *pair = out->ee + out->ee_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t edge = edge_number(a[i]);
        for (uint32_t j = 0; j < 3; j++) {
            *pair = pair_of_numbers(edge, with[j]);
            pair += j < with_count;
        }
    }
    out->ee_count = (size_t)(pair - out->ee);
}

static inline bool are_faces_apart(const uint32_t a[3], const uint32_t b[3]) {
    return a[0] != UINT32_MAX && b[0] != UINT32_MAX && !toc_vertex_in_face(a[0], b) && !toc_vertex_in_face(a[1], b) &&
           !toc_vertex_in_face(a[2], b);
}

void toc_list_leaf_features(const toc_representatives *representatives, toc_leaf_pair pair, toc_feature_pairs *out) {
    assert(pair.a < representatives->count && pair.b < representatives->count);
    const toc_representative *a = &representatives->at[pair.a], *b = &representatives->at[pair.b];
    const size_t before = out->vf_count + out->ee_count;
    if (are_faces_apart(a->face, b->face)) {
        list_apart_vf(representatives, a, b->face, out);
        list_apart_vf(representatives, b, a->face, out);
        list_apart_ee(representatives, a, b, out);
    } else {
        list_vf_pairs(representatives, a, b->face, out);
        list_vf_pairs(representatives, b, a->face, out);
        list_ee_pairs(representatives, a, b, out);
    }
    out->asked += out->vf_count + out->ee_count - before;
}

// Fetch the data of later pairs, which are all over the memory: first the representatives, then their edges.
static inline void prefetch_features(const toc_representatives *representatives, const toc_leaf_pair *pairs,
                                     size_t left) {
    enum { FAR = 16, NEAR = 8 };
    if (left > FAR) {
        __builtin_prefetch(&representatives->at[pairs[FAR].a]);
        __builtin_prefetch(&representatives->at[pairs[FAR].b]);
    }
    if (left > NEAR) {
        __builtin_prefetch(representatives->edges[representatives->at[pairs[NEAR].a].first_edge]);
        __builtin_prefetch(representatives->edges[representatives->at[pairs[NEAR].b].first_edge]);
    }
}

void toc_list_features(const toc_represented_dops *dops, const toc_leaf_pair *pairs, size_t count,
                       toc_feature_pairs *out) {
    assert(count <= out->leaf_pairs);
    out->vf_count = out->ee_count = 0;
    for (size_t i = 0; i < count; i++) {
        prefetch_features(dops->representatives, pairs + i, count - i);
        toc_list_leaf_features(dops->representatives, pairs[i], out);
    }
}
