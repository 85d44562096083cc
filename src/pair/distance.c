// SPDX-License-Identifier: Apache-2.0
// Closest points of vertices, edges, faces and triangles. O(1).
//
// Vertices, edges and faces: closest_points.h. The early end for triangles is that of Larsen et al. 2000, "Fast
// distance queries with rectangular swept sphere volumes".
#include "pair/distance.h"
#include "base/arithmetic.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "pair/closest_points.h"
#include "pair/pair.h"
#include "toccata/convex.h"

toc_closest toc_closest_vf(const toc_vec x[4]) { return closest_of_vertex_face(x); }

toc_closest toc_closest_ee(const toc_vec x[4]) { return closest_of_edges(x); }

static toc_vec shift_exponent(toc_vec a, int exponent) {
    return (toc_vec){ldexp(a.x, exponent), ldexp(a.y, exponent), ldexp(a.z, exponent)};
}

// Differences of halved coordinates do not overflow. Others are not halved, because a subnormal would lose a bit.
toc_local_pair toc_local_pair_of(const toc_vec x[4]) {
    toc_local_pair local;
    if (take_local_pair(x, &local)) return local;
    const int halved = !isfinite(local.extent);
    if (halved) local.extent = take_relative(x, 0.5, local.x);
    const int shift = ilogb(local.extent);
    for (int i = 0; i < 4; i++) local.x[i] = shift_exponent(local.x[i], -shift);
    local.extent = ldexp(local.extent, -shift);
    local.exponent = shift + halved;
    return local;
}

toc_closest toc_closest_local(toc_kind kind, const toc_local_pair *local) {
    assert(kind == TOC_VF || kind == TOC_EE);
    return closest_of_local_pair(kind, local);
}

toc_closest toc_closest_pair(toc_kind kind, const toc_vec x[4]) {
    const toc_local_pair local = toc_local_pair_of(x);
    toc_closest found = toc_closest_local(kind, &local);
    if (local.exponent == 0) return found;
    found.gap = shift_exponent(found.gap, local.exponent);
    found.distance = ldexp(found.distance, local.exponent);
    return found;
}

// Whether both triangles lie outside of the planes across the gap at the closest points: then no other points are
// closer.
static bool nothing_closer(const toc_vec x[6], const toc_closest *found, int a_opposite, int b_opposite) {
    const toc_vec p = weigh_three(x, found->weights), q = weigh_three(x + 3, found->weights + 3);
    return toc_vec_dot(toc_vec_sub(x[a_opposite], p), found->gap) <= 0 &&
           toc_vec_dot(toc_vec_sub(x[b_opposite], q), found->gap) >= 0;
}

static bool closest_of_edge_pairs(const toc_vec x[6], toc_closest *best) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int at[4] = {i, (i + 1) % 3, 3 + j, 3 + (j + 1) % 3};
            const toc_closest found = toc_closest_ee((const toc_vec[4]){x[at[0]], x[at[1]], x[at[2]], x[at[3]]});
            if (!(found.distance < best->distance)) continue;
            *best = (toc_closest){.distance = found.distance, .gap = found.gap};
            for (int k = 0; k < 4; k++) best->weights[at[k]] = found.weights[k];
            if (nothing_closer(x, best, (i + 2) % 3, 3 + (j + 2) % 3)) return true;
        }
    return false;
}

// The vertices of one triangle (from `own`) against the face of the other (from `other`).
static void closest_of_vertices(const toc_vec x[6], int own, int other, toc_closest *best) {
    for (int i = 0; i < 3; i++) {
        const toc_closest found = toc_closest_vf((const toc_vec[4]){x[own + i], x[other], x[other + 1], x[other + 2]});
        if (!(found.distance < best->distance)) continue;
        *best = (toc_closest){.distance = found.distance, .gap = toc_vec_scale(found.gap, own == 0 ? 1 : -1)};
        best->weights[own + i] = 1;
        for (int k = 0; k < 3; k++) best->weights[other + k] = found.weights[1 + k];
    }
}

// Whether the edge p q meets the face; fills the weights of the meeting point in edge and face.
static bool edge_pierces(toc_vec p, toc_vec q, const toc_vec f[3], double *u, double w[3]) {
    const double above = toc_distance_plane((const toc_vec[4]){p, f[0], f[1], f[2]});
    const double below = toc_distance_plane((const toc_vec[4]){q, f[0], f[1], f[2]});
    if (above == below || (above > 0) == (below > 0)) return false;
    *u = above / (above - below);
    const toc_closest at = toc_closest_vf((const toc_vec[4]){toc_vec_mix(p, q, *u), f[0], f[1], f[2]});
    memcpy(w, at.weights + 1, 3 * sizeof *w);
    return w[0] > 0 && w[1] > 0 && w[2] > 0;
}

static bool triangles_meet(const toc_vec x[6], toc_closest *out) {
    for (int k = 0; k < 6; k++) {
        const int own = k < 3 ? 0 : 3, other = 3 - own, i = k % 3, j = (i + 1) % 3;
        double u, w[3];
        if (!edge_pierces(x[own + i], x[own + j], x + other, &u, w)) continue;
        *out = (toc_closest){.distance = 0};
        out->weights[own + i] = 1 - u;
        out->weights[own + j] = u;
        memcpy(out->weights + other, w, sizeof w);
        return true;
    }
    return false;
}

toc_closest toc_closest_triangles(const toc_vec x[6]) {
    toc_closest best = {.distance = INFINITY};
    if (closest_of_edge_pairs(x, &best)) return best;
    closest_of_vertices(x, 0, 3, &best);
    closest_of_vertices(x, 3, 0, &best);
    triangles_meet(x, &best);
    return best;
}

double toc_distance_plane(const toc_vec x[4]) {
    const toc_vec normal = toc_vec_cross(toc_vec_sub(x[2], x[1]), toc_vec_sub(x[3], x[1]));
    const double square = toc_vec_dot(normal, normal);
    return square > 0 ? toc_vec_dot(toc_vec_sub(x[0], x[1]), normal) / sqrt(square) : 0;
}

toc_status toc_distance_find(toc_kind kind, const double *x, toc_distance *out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(x);
    TOC_NEED(out);
    TOC_TRY(toc_kind_check(kind));
    toc_vec at[4], point = {0, 0, 0};
    for (int i = 0; i < 12; i++)
        if (!isfinite(x[i]))
            return toc_fail(TOC_BAD_INPUT, "coordinate %c of vertex %d is %g", "xyz"[i % 3], i / 3, x[i]);
    for (int i = 0; i < 4; i++) at[i] = toc_vec_of(x + 3 * i);
    const toc_closest found = toc_closest_pair(kind, at);
    for (int i = kind == TOC_VF ? 1 : 2; i < 4; i++) point = toc_vec_add(point, toc_vec_scale(at[i], found.weights[i]));
    out->distance = found.distance;
    memcpy(out->weights, found.weights, sizeof out->weights);
    toc_vec_to(out->gap, found.gap);
    toc_vec_to(out->point, point);
    return TOC_OK;
}
