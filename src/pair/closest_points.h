// SPDX-License-Identifier: Apache-2.0
// Closest points of a vertex and a face, and of two edges: the operations in their order, for the processor
// (distance.c) and for the kernels of a device, with the same bits. O(1).
//
// Where the closest points lie inside both features the gap is taken along the common normal, not as a difference of
// two points, because a normal keeps its direction close to contact. Features too thin for a normal use their edges and
// ends, which are within the features' width of the truth. After Schneider and Eberly, "Geometric tools for computer
// graphics".
#ifndef TOC_PAIR_CLOSEST_POINTS_H
#define TOC_PAIR_CLOSEST_POINTS_H

#include <stdbool.h>
#include <string.h>

#include "pair/distance.h"

// Squares of sines. Two directions whose sine is below 1e-8 count as parallel: less than half of their normal's digits
// are right.
#define NO_NORMAL 1e-16
// Lines whose sine is below 1e-4 have half the digits of their closest places right: the gap of edges is a difference
// of points, and a face is narrow. Above it, the normal and the gap along it are off by less than 2^-36 of the extent.
#define NO_PLACE 1e-8

static inline bool has_normal(toc_vec normal, toc_vec a, toc_vec b, double least_square) {
    return toc_vec_dot(normal, normal) > least_square * toc_vec_dot(a, a) * toc_vec_dot(b, b);
}

static inline toc_vec weigh_three(const toc_vec x[3], const double w[3]) {
    return toc_vec_add(toc_vec_add(toc_vec_scale(x[0], w[0]), toc_vec_scale(x[1], w[1])), toc_vec_scale(x[2], w[2]));
}

// The place of the nearest point on the edge p q (0 at p, 1 at q); 0 for an edge of no length.
static inline double distance_nearest_on_edge(toc_vec point, toc_vec p, toc_vec q) {
    const toc_vec edge = toc_vec_sub(q, p);
    const double along = toc_vec_dot(toc_vec_sub(point, p), edge), square = toc_vec_dot(edge, edge);
    if (!(along > 0)) return 0;
    return along < square ? along / square : 1;
}

static inline toc_vec gap_to_edge(toc_vec point, toc_vec p, toc_vec q, double u) {
    return toc_vec_sub(toc_vec_mix(p, q, u), point);
}

static inline toc_closest closest_vertex_outline(const toc_vec x[4]) {
    int best = 0;
    double least = INFINITY, at[3];
    toc_vec gap[3];
    for (int i = 0; i < 3; i++) {
        const toc_vec p = x[1 + i], q = x[1 + (i + 1) % 3];
        at[i] = distance_nearest_on_edge(x[0], p, q);
        gap[i] = gap_to_edge(x[0], p, q, at[i]);
        const double square = toc_vec_dot(gap[i], gap[i]);
        if (square < least) least = square, best = i;
    }
    toc_closest found = {.distance = toc_vec_length(gap[best]), .gap = gap[best], .weights = {1}};
    found.weights[1 + best] = 1 - at[best];
    found.weights[1 + (best + 1) % 3] = at[best];
    return found;
}

// The bound that an unscaled barycentric coordinate, a product of an area at the vertex and one of the face, must
// exceed to have a certain sign. With T and E the largest components towards the face and along its edges, an area is
// off by at most 10 u T^2 or 10 u E^2 and no larger than 2 T^2 or 2 E^2; three products of such components are off by
// less than 130 u T^2 E^2 together, their own rounding included.
static inline double inside_margin(double reach, toc_vec e1, toc_vec e2) {
    return 0x1p-45 * reach * reach * toc_vec_max(e1) * toc_vec_max(e2);
}

static inline toc_vec without_component(toc_vec v, toc_vec direction, double square) {
    return toc_vec_sub(v, toc_vec_scale(direction, toc_vec_dot(v, direction) / square));
}

static inline int longest_side(const toc_vec to[3]) {
    double square[3];
    for (int i = 0; i < 3; i++) {
        const toc_vec side = toc_vec_sub(to[(i + 1) % 3], to[i]);
        square[i] = toc_vec_dot(side, side);
    }
    return square[0] >= square[1] && square[0] >= square[2] ? 0 : square[1] >= square[2] ? 1 : 2;
}

// The foot of the vertex in a narrow face, and the longest side of the face. A weight across that side may be off as
// far as the width allows. The second weight corrects this along the side, so that the foot is off by a few roundings
// of the reach. Not a number for a face without width.
static inline toc_vec narrow_foot(const toc_vec to[3], double v[3]) {
    const int i = longest_side(to), j = (i + 1) % 3, k = (i + 2) % 3;
    const toc_vec side = toc_vec_sub(to[j], to[i]), apex = toc_vec_sub(to[k], to[i]), r = toc_vec_scale(to[i], -1);
    const double square = toc_vec_dot(side, side);
    const toc_vec across = without_component(apex, side, square), r_across = without_component(r, side, square);
    v[k] = toc_vec_dot(r_across, across) / toc_vec_dot(across, across);
    v[j] = toc_vec_dot(toc_vec_sub(r, toc_vec_scale(apex, v[k])), side) / square;
    v[i] = 1 - v[j] - v[k];
    return side;
}

// The closer of two points of the face: one inside, one on the outline. The normal of a narrow face, and a difference
// of two points, are off along the longest side. Without that component they give the distance to a few roundings, and
// an axis that separates the vertex from the whole face.
static inline toc_closest closest_narrow(const toc_vec x[4], const toc_vec to[3], toc_vec normal, bool has_direction) {
    const toc_closest outline = closest_vertex_outline(x);
    double v[3];
    const toc_vec side = narrow_foot(to, v);
    if (!(v[0] >= 0 && v[1] >= 0 && v[2] >= 0)) return outline;
    const double square = toc_vec_dot(side, side);
    toc_vec gap = without_component(weigh_three(to, v), side, square);
    if (has_direction) {
        normal = without_component(normal, side, square);
        gap = toc_vec_scale(normal, toc_vec_dot(to[0], normal) / toc_vec_dot(normal, normal));
    }
    const double distance = toc_vec_length(gap);
    return distance < outline.distance ? (toc_closest){distance, gap, {1, v[0], v[1], v[2]}} : outline;
}

// The same closest point by the weights of the foot of a narrow face, unless rounding takes them outside.
static inline toc_closest with_narrow_weights(toc_closest found, const toc_vec to[3]) {
    double v[3];
    narrow_foot(to, v);
    if (v[0] >= 0 && v[1] >= 0 && v[2] >= 0) memcpy(found.weights + 1, v, sizeof v);
    return found;
}

static inline toc_closest closest_of_vertex_face(const toc_vec x[4]) {
    const toc_vec to[3] = {toc_vec_sub(x[1], x[0]), toc_vec_sub(x[2], x[0]), toc_vec_sub(x[3], x[0])};
    const toc_vec e1 = toc_vec_sub(x[2], x[1]), e2 = toc_vec_sub(x[3], x[1]), normal = toc_vec_cross(e1, e2);
    const double w[3] = {toc_vec_dot(normal, toc_vec_cross(to[1], to[2])),
                         toc_vec_dot(normal, toc_vec_cross(to[2], to[0])),
                         toc_vec_dot(normal, toc_vec_cross(to[0], to[1]))};
    const double reach = toc_larger(toc_larger(toc_vec_max(to[0]), toc_vec_max(to[1])), toc_vec_max(to[2]));
    const double margin = inside_margin(reach, e1, e2), least = toc_smaller(toc_smaller(w[0], w[1]), w[2]);
    if (least < -margin) return closest_vertex_outline(x);
    if (!(least > margin && has_normal(normal, e1, e2, NO_PLACE)))
        return closest_narrow(x, to, normal, has_normal(normal, e1, e2, NO_NORMAL));
    const double sum = w[0] + w[1] + w[2], square = toc_vec_dot(normal, normal);
    const toc_vec gap = toc_vec_scale(normal, toc_vec_dot(to[0], normal) / square);
    const toc_closest found = {toc_vec_length(gap), gap, {1, w[0] / sum, w[1] / sum, w[2] / sum}};
    // Weights are off by less than margin / sum. Across a face with one short side, or far below one, this moves the
    // foot by more than 2^-38 of the reach: the foot of a narrow face does not cancel.
    const double side = toc_larger(toc_vec_max(e1), toc_vec_max(e2));
    return margin * side <= 0x1p-38 * reach * sum ? found : with_narrow_weights(found, to);
}

// From a place on the first edge to the nearest one on the second, and back. This is right when the place is that of
// the lines, clamped to the edge (Ericson 2004, "Real-time collision detection", 5.1.9). Rounding moves the place of
// nearly parallel lines along both of them, by about the rounding of the reach over their angle: the distance changes
// by the rounding of the reach. Parallel ones may start from any place.
static inline toc_closest closest_from(const toc_vec x[4], double u) {
    const double w = distance_nearest_on_edge(toc_vec_mix(x[0], x[1], u), x[2], x[3]);
    const toc_vec on_second = toc_vec_mix(x[2], x[3], w);
    u = distance_nearest_on_edge(on_second, x[0], x[1]);
    const toc_vec gap = toc_vec_sub(on_second, toc_vec_mix(x[0], x[1], u));
    return (toc_closest){toc_vec_length(gap), gap, {1 - u, u, 1 - w, w}};
}

static inline toc_closest closest_of_edges(const toc_vec x[4]) {
    const toc_vec a = toc_vec_sub(x[1], x[0]), b = toc_vec_sub(x[3], x[2]), to = toc_vec_sub(x[2], x[0]);
    const toc_vec normal = toc_vec_cross(a, b);
    const double square = toc_vec_dot(normal, normal);
    const double u = toc_vec_dot(toc_vec_cross(to, b), normal), w = toc_vec_dot(toc_vec_cross(to, a), normal);
    const double least = toc_smaller(toc_smaller(u, square - u), toc_smaller(w, square - w));
    if (!(least > 0) || !has_normal(normal, a, b, NO_PLACE)) {
        const double free_u = u > 0 && square > 0 ? toc_smaller(u / square, 1) : 0;
        return closest_from(x, free_u);
    }
    const toc_vec gap = toc_vec_scale(normal, toc_vec_dot(to, normal) / square);
    return (toc_closest){toc_vec_length(gap), gap, {1 - u / square, u / square, 1 - w / square, w / square}};
}

// Four vertices relative to the first one, times a part of 1. @return the largest coordinate.
static inline double take_relative(const toc_vec x[4], double part, toc_vec out[4]) {
    double extent = 0;
    for (int i = 0; i < 4; i++) {
        out[i] = toc_vec_sub(toc_vec_scale(x[i], part), toc_vec_scale(x[0], part));
        extent = toc_larger(extent, toc_vec_max(out[i]));
    }
    return extent;
}

// Make a local pair of most: false where products of four coordinates could overflow or vanish, so that it must be
// scaled.
static inline bool take_local_pair(const toc_vec x[4], toc_local_pair *out) {
    out->exponent = 0;
    out->extent = take_relative(x, 1, out->x);
    return out->extent == 0 || (out->extent > 0x1p-200 && out->extent < 0x1p200);
}

static inline toc_closest closest_of_local_pair(toc_kind kind, const toc_local_pair *local) {
    return kind == TOC_VF ? closest_of_vertex_face(local->x) : closest_of_edges(local->x);
}

#endif
