// SPDX-License-Identifier: Apache-2.0
// Feature pairs of overlapping primitives.
//
// Whether two features overlap is a coin toss to the processor, so with swept DOPs nothing here branches on it: every
// pair is written, and the next one over it unless it was to be kept.
#include "cull/features.h"

#include <string.h>

#include "bound/overlap.h"

// How the features are bounded: known when compiling.
typedef struct form {
    int lanes;
    bool moves;
} form;

static TOC_INLINE size_t floats_of(form f) { return (f.moves ? 4 : 2) * (size_t)f.lanes; }

// Whether two features that are to be asked about meet. Spans cost more than a wrong guess of the processor's.
static TOC_INLINE bool meet(const toc_owned_dops *d, form f, bool asked, const float *a, const float *b) {
    if (!f.moves) return asked & toc_dops_overlap(a, b, f.lanes);
    return asked && toc_dops_meet(a, b, f.lanes, d->lower->window);
}

// Points of one primitive against the face that another one is, whose DOP is its leaf's.
static TOC_INLINE void take_points(const toc_owned_dops *d, form f, const toc_owner *with_points,
                                   const toc_owner *with_face, const float *face_dop, toc_feature_pairs *out) {
    const uint32_t *face = with_face->face;
    if (face[0] == UINT32_MAX) return;
    for (uint32_t i = with_points->first_point; i < with_points->first_point + with_points->point_count; i++) {
        const uint32_t v = d->owners->points[i];
        const bool other = !toc_vertex_in_face(v, face);
        const bool kept = meet(d, f, other, d->points + i * floats_of(f), face_dop);
        out->vf[out->vf_count] = (toc_quad){{v, face[0], face[1], face[2]}};
        out->vf_count += kept;
        out->asked += other;
    }
}

// An edge as one number, ascending as edges do.
static inline uint64_t key_of(const uint32_t edge[2]) { return (uint64_t)edge[0] << 32 | edge[1]; }

static inline toc_quad edges_in_order(const uint32_t a[2], const uint32_t b[2]) {
    const uint64_t x = key_of(a), y = key_of(b), low = x < y ? x : y, high = x < y ? y : x;
    return (toc_quad){{(uint32_t)(low >> 32), (uint32_t)low, (uint32_t)(high >> 32), (uint32_t)high}};
}

static TOC_INLINE void take_edges(const toc_owned_dops *d, form f, const toc_owner *first, const toc_owner *second,
                                  toc_feature_pairs *out) {
    const size_t floats = floats_of(f);
    for (uint32_t i = first->first_edge; i < first->first_edge + first->edge_count; i++)
        for (uint32_t j = second->first_edge; j < second->first_edge + second->edge_count; j++) {
            const uint32_t *a = d->owners->edges[i], *b = d->owners->edges[j];
            const bool other = !toc_edges_share(a, b);
            const bool kept = meet(d, f, other, d->edges + i * floats, d->edges + j * floats);
            out->ee[out->ee_count] = edges_in_order(a, b);
            out->ee_count += kept;
            out->asked += other;
        }
}

static TOC_INLINE void take_all(const toc_owned_dops *dops, form f, const toc_node_pair *pairs, size_t count,
                                toc_feature_pairs *out) {
    const toc_bvh *bvh = dops->bvh;
    const float *node_dops = f.moves ? dops->lower->moving : bvh ? bvh->dops : dops->leaves;
    const size_t floats = floats_of(f);
    out->vf_count = out->ee_count = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t node_a = pairs[i].a, node_b = pairs[i].b;
        const toc_owner *a = &dops->owners->at[bvh ? bvh->nodes[node_a].link : node_a];
        const toc_owner *b = &dops->owners->at[bvh ? bvh->nodes[node_b].link : node_b];
        take_points(dops, f, a, b, node_dops + node_b * floats, out);
        take_points(dops, f, b, a, node_dops + node_a * floats, out);
        take_edges(dops, f, a, b, out);
    }
}

// Compiled once for each form.
void toc_cull_features(const toc_owned_dops *dops, const toc_node_pair *pairs, size_t count, toc_feature_pairs *out) {
    const bool few = (dops->bvh ? dops->bvh->kind.lanes : dops->lanes) == 8;
    if (dops->lower)
        few ? take_all(dops, (form){8, true}, pairs, count, out) : take_all(dops, (form){16, true}, pairs, count, out);
    else
        few ? take_all(dops, (form){8, false}, pairs, count, out)
            : take_all(dops, (form){16, false}, pairs, count, out);
}
