// SPDX-License-Identifier: Apache-2.0
// The feature pairs of two primitives, compiled for each instruction set. O(1) a pair, no allocation, and no branch on
// what is a coin toss to the processor: every pair is written, and the next one over it unless it was to be kept.
#include "cull/surface/primitive_features.h"

#include "base/lanes.h"
#include "bound/overlap.h"

// What a primitive has, or owns.
typedef struct element {
    const uint32_t *face; // its vertices
    const float *face_dop;
    int point_count, edge_count;
    const uint32_t *points;
    const uint32_t *edges[3];
    float edge_dops[3][TOC_DOP_FLOATS_MOST];
} element;

// How they are compared: known when compiling.
typedef struct form {
    int lanes;
    bool compared; // else all are kept
} form;

static TOC_INLINE const float *dop_of(const toc_primitive_dops *d, form f, uint32_t vertex) {
    return d->vertices + (size_t)vertex * 2 * (size_t)f.lanes;
}

static TOC_INLINE void add_edge(const toc_primitive_dops *d, form f, const uint32_t vertices[2], element *e) {
    float *dop = e->edge_dops[e->edge_count];
    e->edges[e->edge_count++] = vertices;
    if (!f.compared) return;
    memcpy(dop, dop_of(d, f, vertices[0]), 2 * (size_t)f.lanes * sizeof *dop);
    toc_dop_hold(f.lanes, dop_of(d, f, vertices[1]), dop);
}

static TOC_INLINE void list_owned(const toc_primitive_dops *d, form f, uint32_t primitive, element *e) {
    const toc_representative *owner = &d->owners->at[primitive];
    e->points = d->owners->points + owner->first_point;
    e->point_count = owner->point_count;
    for (uint32_t i = 0; i < owner->edge_count; i++) add_edge(d, f, d->owners->edges[owner->first_edge + i], e);
}

static TOC_INLINE void list_all(const toc_primitive_dops *d, form f, uint32_t primitive, element *e) {
    const toc_primitive *p = &d->primitives->at[primitive];
    e->points = p->vertices;
    while (e->point_count < 3 && p->vertices[e->point_count] != UINT32_MAX) e->point_count++;
    for (int i = 0; i < 3 && p->edges[i] != UINT32_MAX; i++) add_edge(d, f, d->features->edges[p->edges[i]], e);
}

static TOC_INLINE void make_element(const toc_primitive_dops *d, form f, uint32_t primitive, element *e) {
    e->face = d->primitives->at[primitive].vertices;
    e->face_dop = f.compared ? d->faces + (size_t)primitive * 2 * (size_t)f.lanes : NULL;
    e->point_count = e->edge_count = 0;
    d->owners ? list_owned(d, f, primitive, e) : list_all(d, f, primitive, e);
}

// Points of one primitive against the face that another one is.
static TOC_INLINE void take_points(const toc_primitive_dops *d, form f, const element *with_points,
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

static TOC_INLINE void take_edges(form f, const element *a, const element *b, toc_feature_pairs *out) {
    for (int i = 0; i < a->edge_count; i++)
        for (int j = 0; j < b->edge_count; j++) {
            const bool asked = !toc_edges_share(a->edges[i], b->edges[j]);
            out->ee[out->ee_count] = toc_edges_in_order(a->edges[i], b->edges[j]);
            out->asked += asked;
            out->ee_count += asked & (!f.compared || toc_dops_overlap(a->edge_dops[i], b->edge_dops[j], f.lanes));
        }
}

static TOC_INLINE void take_all(const toc_primitive_dops *dops, form f, const toc_leaf_pair *pairs, size_t count,
                                toc_feature_pairs *out) {
    out->vf_count = out->ee_count = 0;
    for (size_t i = 0; i < count; i++) {
        element a, b;
        make_element(dops, f, pairs[i].a, &a);
        make_element(dops, f, pairs[i].b, &b);
        take_points(dops, f, &a, &b, out);
        take_points(dops, f, &b, &a, out);
        take_edges(f, &a, &b, out);
    }
}

// Compiled once for each form.
void TOC_FOR_LANES(toc_primitive_features_kernel)(const toc_primitive_dops *dops, const toc_leaf_pair *pairs,
                                                  size_t count, toc_feature_pairs *out) {
    if (!dops->vertices)
        take_all(dops, (form){8, false}, pairs, count, out);
    else if (dops->lanes == 8)
        take_all(dops, (form){8, true}, pairs, count, out);
    else
        take_all(dops, (form){16, true}, pairs, count, out);
}
