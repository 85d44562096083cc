// SPDX-License-Identifier: Apache-2.0
// Separating axes of features and elements, in double precision.
//
// A feature and an element whose gaps along a fixed axis are positive at both ends of the step, by more than their
// rounding error (cull/axis.h), are apart for the whole step. On parabolas the gaps are quadratic in time, and those of
// the starts, the control points and the ends are their Bernstein coefficients: all three must be positive. The margin
// is that of cull/axis.h with the coordinates relative to the first vertex. O(corners), no allocation. The element test
// of ours is cull/volume/csat.h: fewer and better axes for whole elements.
#include "cull/volume/feature_csat.h"

#include <assert.h>
#include <stddef.h>

#include "cull/axis.h"

enum { MOST_VERTICES = 10 }; // two of an edge, eight of a hex

// The coefficients of the gaps along an axis.
enum { START, END, CONTROL, COEFFICIENTS };

// The vertices of a feature, then those of an element.
typedef struct csat_vertices {
    int first, count, coefficients;
    toc_vec y[COEFFICIENTS][MOST_VERTICES];
    double size;
} csat_vertices;

static void add_vertices(const toc_feature_csat *csat, const uint32_t *v, int count, toc_vec origin,
                         csat_vertices *to) {
    const double *const positions[COEFFICIENTS] = {csat->x0, csat->x1, csat->control};
    assert(to->count + count <= MOST_VERTICES);
    for (int i = 0; i < count; i++, to->count++)
        for (int k = 0; k < to->coefficients; k++) {
            const toc_vec y = toc_vec_sub(toc_vec_of(positions[k] + 3 * (size_t)v[i]), origin);
            to->y[k][to->count] = y;
            to->size = toc_larger(to->size, toc_vec_max(y));
        }
}

static double csat_margin(const toc_feature_csat *csat, const csat_vertices *v, toc_vec axis) {
    const double margin = toc_axis_margin(&(toc_moving){.size = v->size}, axis);
    return csat->separation > 0 ? margin + csat->separation * toc_vec_length(axis) * (1 + 8 * DBL_EPSILON) : margin;
}

// Extents of the feature and of the element along an axis, of one coefficient: low and high each.
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
    const double margin = csat_margin(csat, v, axis);
    bool above = true, below = true;
    for (int k = 0; k < v->coefficients && (above || below); k++) {
        double e[4];
        project_both(v, v->y[k], axis, e);
        above = above && e[0] - e[3] > margin;
        below = below && e[2] - e[1] > margin;
    }
    return above || below;
}

static toc_vec edge_at_start(const toc_feature_csat *csat, uint32_t from, uint32_t to) {
    return toc_vec_sub(toc_vec_of(csat->x0 + 3 * (size_t)to), toc_vec_of(csat->x0 + 3 * (size_t)from));
}

static bool feature_apart(const toc_feature_csat *csat, const uint32_t *feature, int count, const uint32_t *cell,
                          int corners, toc_vec axis) {
    csat_vertices v = {.first = count, .coefficients = csat->control ? COEFFICIENTS : CONTROL};
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
