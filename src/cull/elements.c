// SPDX-License-Identifier: Apache-2.0
// The feature pairs of two primitives. O(1) a pair, no allocation.
#include "cull/elements.h"

#include <string.h>

#include "bound/overlap.h"

// What a primitive has, or owns.
typedef struct element {
    const uint32_t *face; // UINT32_MAX where it is none
    const float *face_dop;
    int point_count, edge_count;
    const uint32_t *points;
    const uint32_t *edges[3];
    float edge_dops[3][32];
} element;

static const float *dop_of(const toc_element_dops *d, uint32_t vertex) {
    return d->vertices + (size_t)vertex * 2 * (size_t)d->lanes;
}

static void add_edge(const toc_element_dops *d, const uint32_t vertices[2], element *e) {
    float *dop = e->edge_dops[e->edge_count];
    e->edges[e->edge_count++] = vertices;
    if (!d->vertices) return;
    const float *a = dop_of(d, vertices[0]), *b = dop_of(d, vertices[1]);
    for (int i = 0; i < d->lanes; i++) dop[i] = a[i] < b[i] ? a[i] : b[i];
    for (int i = d->lanes; i < 2 * d->lanes; i++) dop[i] = a[i] > b[i] ? a[i] : b[i];
}

static void list_owned(const toc_element_dops *d, uint32_t primitive, element *e) {
    const toc_owner *owner = &d->owners->at[primitive];
    e->points = d->owners->points + owner->first_point;
    e->point_count = owner->point_count;
    for (uint32_t i = 0; i < owner->edge_count; i++) add_edge(d, d->owners->edges[owner->first_edge + i], e);
}

static void list_all(const toc_element_dops *d, uint32_t primitive, element *e) {
    const toc_primitive *p = &d->primitives->at[primitive];
    e->points = p->vertices;
    while (e->point_count < 3 && p->vertices[e->point_count] != UINT32_MAX) e->point_count++;
    for (int i = 0; i < 3 && p->edges[i] != UINT32_MAX; i++) add_edge(d, d->features->edges[p->edges[i]], e);
}

static void make_element(const toc_element_dops *d, uint32_t primitive, element *e) {
    e->face = d->primitives->at[primitive].vertices;
    e->face_dop = d->faces ? d->faces + (size_t)primitive * 2 * (size_t)d->lanes : NULL;
    e->point_count = e->edge_count = 0;
    d->owners ? list_owned(d, primitive, e) : list_all(d, primitive, e);
}

static bool overlap(const toc_element_dops *d, const float *a, const float *b) {
    return d->lanes == 8 ? toc_dops_overlap(a, b, 8) : toc_dops_overlap(a, b, 16);
}

// Points of one primitive against the face that another one is.
static void take_points(const toc_element_dops *d, const element *with_points, const element *with_face,
                        toc_feature_pairs *out) {
    const uint32_t *face = with_face->face;
    if (face[2] == UINT32_MAX) return;
    for (int i = 0; i < with_points->point_count; i++) {
        const uint32_t v = with_points->points[i];
        if (toc_vertex_in_face(v, face)) continue;
        out->asked++;
        if (d->vertices && !overlap(d, dop_of(d, v), with_face->face_dop)) continue;
        out->vf[out->vf_count++] = (toc_quad){{v, face[0], face[1], face[2]}};
    }
}

static bool is_lower(const uint32_t a[2], const uint32_t b[2]) { return a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]); }

static void take_edges(const toc_element_dops *d, const element *a, const element *b, toc_feature_pairs *out) {
    for (int i = 0; i < a->edge_count; i++)
        for (int j = 0; j < b->edge_count; j++) {
            const uint32_t *x = a->edges[i], *y = b->edges[j];
            if (toc_edges_share(x, y)) continue;
            out->asked++;
            if (d->vertices && !overlap(d, a->edge_dops[i], b->edge_dops[j])) continue;
            out->ee[out->ee_count++] =
                is_lower(x, y) ? (toc_quad){{x[0], x[1], y[0], y[1]}} : (toc_quad){{y[0], y[1], x[0], x[1]}};
        }
}

void toc_cull_elements(const toc_element_dops *dops, const toc_node_pair *pairs, size_t count, toc_feature_pairs *out) {
    out->vf_count = out->ee_count = 0;
    for (size_t i = 0; i < count; i++) {
        element a, b;
        make_element(dops, pairs[i].a, &a);
        make_element(dops, pairs[i].b, &b);
        take_points(dops, &a, &b, out);
        take_points(dops, &b, &a, out);
        take_edges(dops, &a, &b, out);
    }
}
