// SPDX-License-Identifier: Apache-2.0
// Separating axes of features and elements, in double precision.
//
// A feature and an element whose gaps along a fixed axis are positive at both ends of the step, by more than their
// rounding error (cull/axis.h), are apart for the whole step. The margin is that of cull/axis.h with the coordinates
// relative to the first vertex. O(corners), no allocation. The element test of ours is cull/volume/csat.h: fewer and
// better axes for whole elements.
#include "cull/volume/feature_csat.h"

#include <assert.h>
#include <stddef.h>

#include "cull/axis.h"

enum { MOST_VERTICES = 10 }; // two of an edge, eight of a hex

// The vertices of a feature, then those of an element.
typedef struct csat_vertices {
    int first, count;
    toc_vec y0[MOST_VERTICES], y1[MOST_VERTICES];
    double size;
} csat_vertices;

static void add_vertices(const toc_feature_csat *csat, const uint32_t *v, int count, toc_vec origin,
                         csat_vertices *to) {
    assert(to->count + count <= MOST_VERTICES);
    for (int i = 0; i < count; i++, to->count++) {
        const toc_vec y0 = toc_vec_sub(toc_vec_of(csat->x0 + 3 * (size_t)v[i]), origin);
        const toc_vec y1 = toc_vec_sub(toc_vec_of(csat->x1 + 3 * (size_t)v[i]), origin);
        to->y0[to->count] = y0;
        to->y1[to->count] = y1;
        to->size = toc_larger(to->size, toc_larger(toc_vec_max(y0), toc_vec_max(y1)));
    }
}

static double csat_margin(const toc_feature_csat *csat, const csat_vertices *v, toc_vec axis) {
    const double margin = toc_axis_margin(&(toc_moving){.size = v->size}, axis);
    return csat->separation > 0 ? margin + csat->separation * toc_vec_length(axis) * (1 + 8 * DBL_EPSILON) : margin;
}

// Extents of the feature and of the element along an axis at one end: low and high each.
static void project_both(const csat_vertices *v, const toc_vec *y, toc_vec axis, double extents[4]) {
    extents[0] = extents[2] = INFINITY;
    extents[1] = extents[3] = -INFINITY;
    for (int i = 0; i < v->count; i++) {
        const double at = toc_vec_dot(y[i], axis);
        double *e = extents + (i < v->first ? 0 : 2);
        e[0] = toc_smaller(e[0], at);
        e[1] = toc_larger(e[1], at);
    }
}

static bool apart_along(const toc_feature_csat *csat, const csat_vertices *v, toc_vec axis) {
    double start[4], end[4];
    const double margin = csat_margin(csat, v, axis);
    project_both(v, v->y0, axis, start);
    project_both(v, v->y1, axis, end);
    return (start[0] - start[3] > margin && end[0] - end[3] > margin) ||
           (start[2] - start[1] > margin && end[2] - end[1] > margin);
}

static toc_vec edge_at_start(const toc_feature_csat *csat, uint32_t from, uint32_t to) {
    return toc_vec_sub(toc_vec_of(csat->x0 + 3 * (size_t)to), toc_vec_of(csat->x0 + 3 * (size_t)from));
}

static bool feature_apart(const toc_feature_csat *csat, const uint32_t *feature, int count, const uint32_t *cell,
                          int corners, toc_vec axis) {
    csat_vertices v = {.first = count};
    const toc_vec origin = toc_vec_of(csat->x0 + 3 * (size_t)feature[0]);
    add_vertices(csat, feature, count, origin, &v);
    add_vertices(csat, cell, corners, origin, &v);
    return apart_along(csat, &v, axis);
}

bool toc_csat_vertex_apart(const toc_feature_csat *csat, uint32_t vertex, const uint32_t *cell, int corners,
                           const uint32_t face[3]) {
    const toc_vec normal = toc_vec_cross(edge_at_start(csat, face[0], face[1]), edge_at_start(csat, face[0], face[2]));
    return feature_apart(csat, &vertex, 1, cell, corners, normal);
}

bool toc_csat_edge_apart(const toc_feature_csat *csat, const uint32_t edge[2], const uint32_t *cell, int corners,
                         const uint32_t other[2]) {
    const toc_vec normal =
        toc_vec_cross(edge_at_start(csat, edge[0], edge[1]), edge_at_start(csat, other[0], other[1]));
    return feature_apart(csat, edge, 2, cell, corners, normal);
}
