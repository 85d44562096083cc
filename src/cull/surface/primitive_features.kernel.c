// SPDX-License-Identifier: Apache-2.0
// The feature pairs of two primitives, compiled for each instruction set. O(1) for each pair, no allocation. The code
// does not branch on unpredictable overlaps: every pair is written, and the next one overwrites it unless it is kept.
#include "cull/surface/primitive_features.h"

#include "bound/overlap.h"

// The features of a primitive: all of them, or those that it represents.
typedef struct element {
    const uint32_t *face; // its vertices
    const float *face_dop;
    int point_count, edge_count;
    const uint32_t *points;
    const uint32_t *edges[3];
    float edge_dops[3][TOC_DOP_FLOATS_MOST];
} element;

// The form of the comparison: a constant in each compiled copy.
typedef struct primitive_form {
    int lanes;
    bool compared; // false: all pairs are kept
} primitive_form;

static TOC_INLINE const float *dop_of(const toc_primitive_dops *d, primitive_form f, uint32_t vertex) {
    return d->vertices + (size_t)vertex * 2 * (size_t)f.lanes;
}

static TOC_INLINE void add_primitive_edge(const toc_primitive_dops *d, primitive_form f, const uint32_t vertices[2],
                                          element *e) {
    float *dop = e->edge_dops[e->edge_count];
    e->edges[e->edge_count++] = vertices;
    if (!f.compared) return;
    memcpy(dop, dop_of(d, f, vertices[0]), 2 * (size_t)f.lanes * sizeof *dop);
    toc_dop_hold(f.lanes, dop_of(d, f, vertices[1]), dop);
}

static TOC_INLINE void list_represented(const toc_primitive_dops *d, primitive_form f, uint32_t primitive, element *e) {
    const toc_representative *own = &d->representatives->at[primitive];
    e->points = d->representatives->points + own->first_point;
    e->point_count = own->point_count;
    for (uint32_t i = 0; i < own->edge_count; i++)
        add_primitive_edge(d, f, d->representatives->edges[own->first_edge + i], e);
}

static TOC_INLINE void list_all_features(const toc_primitive_dops *d, primitive_form f, uint32_t primitive,
                                         element *e) {
    const toc_primitive *p = &d->primitives->at[primitive];
    e->points = p->vertices;
    while (e->point_count < 3 && p->vertices[e->point_count] != UINT32_MAX) e->point_count++;
    for (int i = 0; i < 3 && p->edges[i] != UINT32_MAX; i++)
        add_primitive_edge(d, f, d->features->edges[p->edges[i]], e);
}

static TOC_INLINE void make_element(const toc_primitive_dops *d, primitive_form f, uint32_t primitive, element *e) {
    e->face = d->primitives->at[primitive].vertices;
    e->face_dop = f.compared ? d->faces + (size_t)primitive * 2 * (size_t)f.lanes : NULL;
    e->point_count = e->edge_count = 0;
    d->representatives ? list_represented(d, f, primitive, e) : list_all_features(d, f, primitive, e);
}

// Points of one primitive and the face of another.
static TOC_INLINE void keep_vf_pairs(const toc_primitive_dops *d, primitive_form f, const element *with_points,
                                     const element *with_face, toc_feature_pairs *out) {
    const uint32_t *face = with_face->face;
    if (face[2] == UINT32_MAX) return;
    for (int i = 0; i < with_points->point_count; i++) {
        const uint32_t v = with_points->points[i];
        const bool asked = !toc_vertex_in_face(v, face);
        out->vf[out->vf_count] = (toc_feature_pair){{v, face[0], face[1], face[2]}};
        out->asked += asked;
        out->vf_count += asked & (!f.compared || toc_dops_overlap(dop_of(d, f, v), with_face->face_dop, f.lanes));
    }
}

static TOC_INLINE void keep_ee_pairs(primitive_form f, const element *a, const element *b, toc_feature_pairs *out) {
    for (int i = 0; i < a->edge_count; i++)
        for (int j = 0; j < b->edge_count; j++) {
            const bool asked = !toc_edges_share(a->edges[i], b->edges[j]);
            out->ee[out->ee_count] = toc_edges_in_order(a->edges[i], b->edges[j]);
            out->asked += asked;
            out->ee_count += asked & (!f.compared || toc_dops_overlap(a->edge_dops[i], b->edge_dops[j], f.lanes));
        }
}

static TOC_INLINE void cull_primitive_pairs(const toc_primitive_dops *dops, primitive_form f,
                                            const toc_leaf_pair *pairs, size_t count, toc_feature_pairs *out) {
    out->vf_count = out->ee_count = 0;
    for (size_t i = 0; i < count; i++) {
        element a, b;
        make_element(dops, f, pairs[i].a, &a);
        make_element(dops, f, pairs[i].b, &b);
        keep_vf_pairs(dops, f, &a, &b, out);
        keep_vf_pairs(dops, f, &b, &a, out);
        keep_ee_pairs(f, &a, &b, out);
    }
}

// Compiled once for each form.
void TOC_FOR_LANES(toc_primitive_features_kernel)(const toc_primitive_dops *dops, const toc_leaf_pair *pairs,
                                                  size_t count, toc_feature_pairs *out) {
    if (!dops->vertices)
        cull_primitive_pairs(dops, (primitive_form){8, false}, pairs, count, out);
    else if (dops->lanes == 8)
        cull_primitive_pairs(dops, (primitive_form){8, true}, pairs, count, out);
    else
        cull_primitive_pairs(dops, (primitive_form){16, true}, pairs, count, out);
}
