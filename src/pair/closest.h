// SPDX-License-Identifier: Apache-2.0
// Closest points of two features, several pairs at a time: the source of good separating axes.
//
// Plain floating point without branches. The axis has no guarantee, since any axis is valid. The difference joins two
// points of the features, so its length is below the distance by rounding at most. After Ericson 2005, "Real-time
// collision detection", 5.1.
#ifndef TOC_PAIR_CLOSEST_H
#define TOC_PAIR_CLOSEST_H

#include "base/wide3.h"

/// Two closest points of features, each feature given by its corners relative to the first corner of all. The weights
/// are those of the three other corners in the difference of the points. The axis is the common normal where the points
/// are inside the features, because the difference loses its direction there at contact.
typedef struct closest {
    toc_wide weights[3];
    wide3 difference, axis;
} closest;

static inline wide3 closest_weigh(const toc_wide weights[3], const wide3 r[3]) {
    const wide3 two = wide3_add(wide3_scale(r[0], weights[0]), wide3_scale(r[1], weights[1]));
    return wide3_add(two, wide3_scale(r[2], weights[2]));
}

/// Turn the normal so that it points from the origin to p.
static inline wide3 closest_facing(wide3 normal, wide3 p) {
    const wide3 back = {-normal.x, -normal.y, -normal.z};
    return wide3_select(wide3_dot(normal, p) < toc_wide_all(0), back, normal);
}

/// The point of the edge from p to q that is closest to the origin, and the square of its distance.
static inline toc_wide closest_on_edge(wide3 p, wide3 q, toc_wide *squared) {
    const wide3 edge = wide3_sub(q, p);
    const toc_wide along = wide_clamp(-wide3_dot(p, edge) / wide3_dot(edge, edge));
    const wide3 point = wide3_add(p, wide3_scale(edge, along));
    *squared = wide3_dot(point, point);
    return along;
}

/// The weights of the point on the three edges of a triangle that is closest to the origin.
static inline void closest_on_edges(const wide3 r[3], toc_wide weights[3]) {
    const toc_wide zero = toc_wide_all(0), one = toc_wide_all(1);
    toc_wide best, next, along = closest_on_edge(r[0], r[1], &best);
    weights[0] = one - along, weights[1] = along, weights[2] = zero;
    for (int i = 1; i < 3; i++) {
        along = closest_on_edge(r[i], r[(i + 1) % 3], &next);
        const toc_mask closer = next < best;
        best = toc_wide_select(closer, next, best);
        weights[i] = toc_wide_select(closer, one - along, weights[i]);
        weights[(i + 1) % 3] = toc_wide_select(closer, along, weights[(i + 1) % 3]);
        weights[(i + 2) % 3] = toc_wide_select(closer, zero, weights[(i + 2) % 3]);
    }
}

/// From the vertex at the origin to the face r.
static inline closest closest_vertex_face(const wide3 r[3]) {
    const wide3 normal = wide3_cross(wide3_sub(r[1], r[0]), wide3_sub(r[2], r[0]));
    toc_wide areas[3];
    for (int i = 0; i < 3; i++) areas[i] = wide3_dot(wide3_cross(r[(i + 1) % 3], r[(i + 2) % 3]), normal);
    const toc_wide zero = toc_wide_all(0), whole = areas[0] + areas[1] + areas[2];
    const toc_mask inside = (areas[0] > zero) & (areas[1] > zero) & (areas[2] > zero);
    closest c;
    closest_on_edges(r, c.weights);
    for (int i = 0; i < 3; i++) c.weights[i] = toc_wide_select(inside, areas[i] / whole, c.weights[i]);
    c.difference = closest_weigh(c.weights, r);
    c.axis = wide3_select(inside, closest_facing(normal, r[0]), c.difference);
    return c;
}

/// From the edge between the origin and r[0] to the edge between r[1] and r[2].
static inline closest closest_edge_edge(const wide3 r[3]) {
    const toc_wide zero = toc_wide_all(0), one = toc_wide_all(1);
    const wide3 a = r[0], p = r[1], e = wide3_sub(r[2], r[1]);
    const toc_wide aa = wide3_dot(a, a), ee = wide3_dot(e, e), ae = wide3_dot(a, e);
    const toc_wide ap = wide3_dot(a, p), ep = wide3_dot(e, p);
    const toc_wide free_u = (ap * ee - ae * ep) / (aa * ee - ae * ae), line_u = wide_clamp(free_u);
    const toc_wide free_w = (ae * line_u - ep) / ee, w = wide_clamp(free_w);
    const toc_wide u = toc_wide_select(free_w == w, line_u, wide_clamp((ap + w * ae) / aa));
    const toc_mask inside = (free_u > zero) & (free_u < one) & (free_w > zero) & (free_w < one);
    closest c = {.weights = {-u, one - w, w}};
    c.difference = closest_weigh(c.weights, r);
    c.axis = wide3_select(inside, closest_facing(wide3_cross(a, e), p), c.difference);
    return c;
}

#endif
