// SPDX-License-Identifier: Apache-2.0
// Comparison of an element with a reference element of its shape.
//
// Take any linear map M, and let y(t) = M (x(t) - c(t)) for the corners x(t) of an element, which move on straight
// lines, and any point c(t) that moves on a straight line. If no y(t) is farther than r from the corner of the
// reference element at either end, none is in between, and two features that are D apart in the reference element are
// at least D - 2r apart under M. Features that touch do so under any M; features closer than s are closer than s |M|
// under M. So the element is intact if 2r + s |M| < D, for any M and c: their rounding does not matter. M is the
// inverse of the best linear map from the reference element to the element halfway through the step, and c its centre.
//
// For each reference element, the sum of X X^T over its corners X is a multiple of the identity, so the best map is a
// weighted sum of corners. D is the smallest distance of two features without a common vertex, for every way to split
// quads. Rounding: a component of y has an error below 8 u S, S the sum of the sizes of its three products; S is kept
// below 2^20, and 2^-29 allowed for.
//
// Nearly all orphans are pairs within one element (cull/volume/orphan_pairs.h). This test is ours: the paper tests each
// of these pairs.
#include "cull/volume/intact.h"

#include <assert.h>
#include <float.h>

#include "base/vec.h"

typedef struct reference {
    int corners;
    double distance; // D, rounded down
    double weight;   // the inverse of the multiple of the identity
    double x[8][3];
} reference;

#define H 0.5
#define WEDGE_Y 0.8660254037844386
#define WEDGE_Z 0.7071067811865476
#define BASE_Z (-0.2236067977499790)

static const reference references[TOC_SHAPE_COUNT] = {
    [TOC_QUAD] = {4, 0.70, 1, {{-H, -H, 0}, {H, -H, 0}, {H, H, 0}, {-H, H, 0}}},
    [TOC_TET] = {4, 0.99, 1, {{H, H, H}, {H, -H, -H}, {-H, H, -H}, {-H, -H, H}}},
    [TOC_PYRAMID] = {5,
                     0.59,
                     1,
                     {{-H, -H, BASE_Z}, {H, -H, BASE_Z}, {H, H, BASE_Z}, {-H, H, BASE_Z}, {0, 0, -4 * BASE_Z}}},
    [TOC_WEDGE] = {6,
                   0.73,
                   1.0 / 3,
                   {{1, 0, -WEDGE_Z},
                    {-H, WEDGE_Y, -WEDGE_Z},
                    {-H, -WEDGE_Y, -WEDGE_Z},
                    {1, 0, WEDGE_Z},
                    {-H, WEDGE_Y, WEDGE_Z},
                    {-H, -WEDGE_Y, WEDGE_Z}}},
    [TOC_HEX] = {8,
                 0.57,
                 0.5,
                 {{-H, -H, -H}, {H, -H, -H}, {H, H, -H}, {-H, H, -H}, {-H, -H, H}, {H, -H, H}, {H, H, H}, {-H, H, H}}},
};

// Rows of a linear map.
typedef struct map {
    toc_vec row[3];
} map;

static toc_vec centre_of(int count, const uint32_t *v, const double *x) {
    toc_vec sum = {0, 0, 0};
    for (int i = 0; i < count; i++) sum = toc_vec_add(sum, toc_vec_of(x + 3 * (size_t)v[i]));
    return toc_vec_scale(sum, 1.0 / count);
}

// The map M from the element, halfway through the step, to the reference element.
static map map_to(const reference *ref, const uint32_t *v, const double *x0, const double *x1) {
    toc_vec a[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < ref->corners; i++) {
        const size_t at = 3 * (size_t)v[i];
        const toc_vec middle = toc_vec_scale(toc_vec_add(toc_vec_of(x0 + at), toc_vec_of(x1 + at)), ref->weight / 2);
        for (int k = 0; k < 3; k++) a[k] = toc_vec_add(a[k], toc_vec_scale(middle, ref->x[i][k]));
    }
    if (ref->corners == 4 && ref->x[0][2] == 0) { // flat: any third axis across it is valid
        a[2] = toc_vec_cross(a[0], a[1]);
        a[2] = toc_vec_scale(a[2], 1 / sqrt(toc_vec_length(a[2])));
    }
    const toc_vec bc = toc_vec_cross(a[1], a[2]), ca = toc_vec_cross(a[2], a[0]), ab = toc_vec_cross(a[0], a[1]);
    const double inverse = 1 / toc_vec_dot(a[0], bc);
    return (map){{toc_vec_scale(bc, inverse), toc_vec_scale(ca, inverse), toc_vec_scale(ab, inverse)}};
}

// The square of the largest distance from a mapped corner to its reference corner, at one end.
static double farthest(const reference *ref, const map *m, const uint32_t *v, const double *x) {
    const toc_vec centre = centre_of(ref->corners, v, x);
    double most = 0;
    for (int i = 0; i < ref->corners; i++) {
        const toc_vec d = toc_vec_sub(toc_vec_of(x + 3 * (size_t)v[i]), centre);
        double square = 0;
        for (int k = 0; k < 3; k++) {
            const toc_vec r = m->row[k];
            const double off = toc_vec_dot(r, d) - ref->x[i][k];
            if (!(fabs(r.x * d.x) + fabs(r.y * d.y) + fabs(r.z * d.z) < 0x1p20)) return INFINITY;
            square += off * off;
        }
        most = toc_larger(most, square);
    }
    return most;
}

bool toc_element_is_intact(toc_shape shape, const uint32_t *v, const double *x0, const double *x1, double separation) {
    assert(shape < TOC_SHAPE_COUNT && separation >= 0);
    const reference *ref = &references[shape];
    if (ref->corners == 0) return false;
    const map m = map_to(ref, v, x0, x1);
    const double most = toc_larger(farthest(ref, &m, v, x0), farthest(ref, &m, v, x1));
    double size = 0;
    for (int k = 0; k < 3; k++) size += toc_vec_dot(m.row[k], m.row[k]);
    const double reach = 2 * sqrt(most) + separation * sqrt(size);
    return reach * (1 + 0x1p-20) + 0x1p-20 < ref->distance; // false for NaN
}
