// SPDX-License-Identifier: Apache-2.0
// The place of a contact whose time is known: weights, point and normal, in floating point.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "pair/distance.h"
#include "pair/pair.h"

static void vertices_at(const double x0[4][3], const double x1[4][3], double t, toc_vec p[4]) {
    for (int i = 0; i < 4; i++) p[i] = toc_vec_mix(toc_vec_of(x0[i]), toc_vec_of(x1[i]), t);
}

void toc_hit_locate(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit) {
    assert(kind == TOC_VF || kind == TOC_EE);
    assert(hit->verdict != TOC_APART && 0 <= hit->toc && hit->toc <= 1);
    toc_vec p[4];
    vertices_at(x0, x1, hit->toc, p);
    const toc_closest closest = toc_closest_pair(kind, p);
    memcpy(hit->weights, closest.weights, sizeof hit->weights);
    toc_hit_place(kind, x0, x1, hit);
}

// Some unit vector at right angles to d; any unit vector for d = 0.
static toc_vec any_normal(toc_vec d) {
    const toc_vec axis = fabs(d.x) <= fabs(d.y) && fabs(d.x) <= fabs(d.z) ? (toc_vec){1, 0, 0}
                         : fabs(d.y) <= fabs(d.z)                         ? (toc_vec){0, 1, 0}
                                                                          : (toc_vec){0, 0, 1};
    const toc_vec n = toc_vec_unit(toc_vec_cross(axis, toc_vec_unit(d)));
    return toc_vec_dot(n, n) > 0 ? n : axis;
}

// The vector between two points; half of it if a double cannot hold it.
static toc_vec way(toc_vec from, toc_vec to) {
    const toc_vec d = toc_vec_sub(to, from);
    return isfinite(toc_vec_max(d)) ? d : toc_vec_sub(toc_vec_scale(to, 0.5), toc_vec_scale(from, 0.5));
}

// A power of two that keeps sums of motions in range, and their digits where coordinates are subnormal. Only the
// direction of the sums matters.
static double motion_unit(const double x0[4][3], const double x1[4][3]) {
    double size = 0;
    for (int i = 0; i < 4; i++)
        size = toc_larger(size, toc_larger(toc_vec_max(toc_vec_of(x0[i])), toc_vec_max(toc_vec_of(x1[i]))));
    return size < 0x1p-500 ? 0x1p500 : 0.125;
}

// Sum of weights times vectors over the first feature minus that over the second.
static toc_vec between(toc_kind kind, const toc_vec v[4], const double weights[4]) {
    const int second = kind == TOC_VF ? 1 : 2;
    toc_vec sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) sum = toc_vec_add(sum, toc_vec_scale(v[i], i < second ? weights[i] : -weights[i]));
    return sum;
}

void toc_weights_tidy(int count, double *weights) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += weights[i] = toc_smaller(toc_larger(weights[i], 0), 1);
    if (sum != 1)
        for (int i = 0; i < count; i++) weights[i] /= sum;
}

void toc_hit_place(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit) {
    assert(kind == TOC_VF || kind == TOC_EE);
    assert(0 <= hit->toc && hit->toc <= 1);
    toc_vec p[4], motion[4], point = {0, 0, 0};
    const int second = kind == TOC_VF ? 1 : 2;
    toc_weights_tidy(second, hit->weights);
    toc_weights_tidy(4 - second, hit->weights + second);
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
