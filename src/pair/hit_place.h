// SPDX-License-Identifier: Apache-2.0
// The point and the normal of a contact whose time and weights are known: the operations in their order, in plain
// doubles, for the processor (locate.c) and for the kernels of a device, with the same bits.
#ifndef TOC_PAIR_HIT_PLACE_H
#define TOC_PAIR_HIT_PLACE_H

#include <math.h>

#include "base/vec.h"
#include "toccata/pair.h"

static inline void vertices_at(const double x0[4][3], const double x1[4][3], double t, toc_vec p[4]) {
    for (int i = 0; i < 4; i++) p[i] = toc_vec_mix(toc_vec_of(x0[i]), toc_vec_of(x1[i]), t);
}

// Some unit vector at right angles to d; any unit vector for d = 0.
static inline toc_vec any_normal(toc_vec d) {
    const toc_vec axis = fabs(d.x) <= fabs(d.y) && fabs(d.x) <= fabs(d.z) ? (toc_vec){1, 0, 0}
                         : fabs(d.y) <= fabs(d.z)                         ? (toc_vec){0, 1, 0}
                                                                          : (toc_vec){0, 0, 1};
    const toc_vec n = toc_vec_unit(toc_vec_cross(axis, toc_vec_unit(d)));
    return toc_vec_dot(n, n) > 0 ? n : axis;
}

// The vector between two points; half of it if a double cannot hold it.
static inline toc_vec way(toc_vec from, toc_vec to) {
    const toc_vec d = toc_vec_sub(to, from);
    return isfinite(toc_vec_max(d)) ? d : toc_vec_sub(toc_vec_scale(to, 0.5), toc_vec_scale(from, 0.5));
}

// A power of two that keeps sums of motions in range, and their digits where coordinates are subnormal. Only the
// direction of the sums matters.
static inline double motion_unit(const double x0[4][3], const double x1[4][3]) {
    double size = 0;
    for (int i = 0; i < 4; i++)
        size = toc_larger(size, toc_larger(toc_vec_max(toc_vec_of(x0[i])), toc_vec_max(toc_vec_of(x1[i]))));
    return size < 0x1p-500 ? 0x1p500 : 0.125;
}

// Sum of weights times vectors over the first feature minus that over the second.
static inline toc_vec between(toc_kind kind, const toc_vec v[4], const double weights[4]) {
    const int second = kind == TOC_VF ? 1 : 2;
    toc_vec sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) sum = toc_vec_add(sum, toc_vec_scale(v[i], i < second ? weights[i] : -weights[i]));
    return sum;
}

// Bring the weights of a feature into [0, 1] and their sum to 1, up to rounding (G12).
static inline void tidy_weights(int count, double *weights) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += weights[i] = toc_smaller(toc_larger(weights[i], 0), 1);
    if (sum != 1)
        for (int i = 0; i < count; i++) weights[i] /= sum;
}

// Fill point and normal of a hit from its time and weights.
static inline void place_hit(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit) {
    toc_vec p[4], motion[4], point = {0, 0, 0};
    const int second = kind == TOC_VF ? 1 : 2;
    tidy_weights(second, hit->weights);
    tidy_weights(4 - second, hit->weights + second);
    vertices_at(x0, x1, hit->toc, p);
    const double unit = motion_unit(x0, x1);
    for (int i = 0; i < 4; i++)
        motion[i] = toc_vec_sub(toc_vec_scale(toc_vec_of(x1[i]), unit), toc_vec_scale(toc_vec_of(x0[i]), unit));
    for (int i = second; i < 4; i++) point = toc_vec_add(point, toc_vec_scale(p[i], hit->weights[i]));

    const toc_vec d = kind == TOC_VF ? way(p[1], p[2]) : way(p[0], p[1]);
    const toc_vec e = kind == TOC_VF ? way(p[1], p[3]) : way(p[2], p[3]);
    const toc_vec approach = between(kind, motion, hit->weights);
    toc_vec n = toc_vec_unit(toc_vec_cross(toc_vec_unit(d), toc_vec_unit(e)));
    if (!(toc_vec_dot(n, n) > 0)) n = any_normal(toc_vec_max(d) > 0 ? d : e);
    if (toc_vec_dot(n, approach) > 0) n = toc_vec_scale(n, -1);
    toc_vec_to(hit->point, point);
    toc_vec_to(hit->normal, n);
}

#endif
