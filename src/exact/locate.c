// SPDX-License-Identifier: Apache-2.0
// Where two features touch, once it is known when: weights, point and normal, in floating point.
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "exact/pair.h"

static double clamp(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

// The place along the segment from a to b that is closest to the origin.
static double along_edge(toc_vec a, toc_vec b) {
    const toc_vec d = toc_vec_sub(b, a);
    const double squared = toc_vec_dot(d, d);
    return squared > 0 ? clamp(-toc_vec_dot(a, d) / squared) : 0;
}

// Weights of the point of triangle q that is closest to the origin: inside when the projection is, else on an edge.
static void weigh_face(const toc_vec q[3], double w[3]) {
    const toc_vec n = toc_vec_cross(toc_vec_sub(q[1], q[0]), toc_vec_sub(q[2], q[0]));
    const double whole = toc_vec_dot(n, n);
    for (int i = 0; i < 3; i++) w[i] = toc_vec_dot(toc_vec_cross(q[(i + 1) % 3], q[(i + 2) % 3]), n) / whole;
    if (whole > 0 && w[0] >= 0 && w[1] >= 0 && w[2] >= 0) return;
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const double s = along_edge(q[i], q[j]);
        const toc_vec nearest = toc_vec_mix(q[i], q[j], s);
        const double squared = toc_vec_dot(nearest, nearest);
        if (!(squared < best)) continue;
        best = squared;
        w[i] = 1 - s, w[j] = s, w[(i + 2) % 3] = 0;
    }
}

// Places u and w of the closest points a + u d and b + w e of two segments, r = b - a.
static void weigh_edges(toc_vec d, toc_vec e, toc_vec r, double *u, double *w) {
    const double dd = toc_vec_dot(d, d), ee = toc_vec_dot(e, e), de = toc_vec_dot(d, e);
    const double dr = toc_vec_dot(d, r), er = toc_vec_dot(e, r);
    const double determinant = dd * ee - de * de;
    *u = determinant > 0 ? clamp((dr * ee - er * de) / determinant) : 0;
    *w = ee > 0 ? clamp((*u * de - er) / ee) : 0;
    *u = dd > 0 ? clamp((*w * de + dr) / dd) : 0;
}

static void vertices_at(const double x0[4][3], const double x1[4][3], double t, toc_vec p[4]) {
    for (int i = 0; i < 4; i++) p[i] = toc_vec_mix(toc_vec_of(x0[i]), toc_vec_of(x1[i]), t);
}

void toc_hit_locate(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit) {
    toc_vec p[4];
    vertices_at(x0, x1, hit->toc, p);
    if (kind == TOC_VF) {
        const toc_vec q[3] = {toc_vec_sub(p[1], p[0]), toc_vec_sub(p[2], p[0]), toc_vec_sub(p[3], p[0])};
        hit->weights[0] = 1;
        weigh_face(q, &hit->weights[1]);
    } else {
        double u, w;
        weigh_edges(toc_vec_sub(p[1], p[0]), toc_vec_sub(p[3], p[2]), toc_vec_sub(p[2], p[0]), &u, &w);
        memcpy(hit->weights, (double[4]){1 - u, u, 1 - w, w}, sizeof hit->weights);
    }
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

// Sum of weights times vectors over the first feature minus that over the second.
static toc_vec between(toc_kind kind, const toc_vec v[4], const double weights[4]) {
    const int second = kind == TOC_VF ? 1 : 2;
    toc_vec sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) sum = toc_vec_add(sum, toc_vec_scale(v[i], i < second ? weights[i] : -weights[i]));
    return sum;
}

void toc_hit_place(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit) {
    toc_vec p[4], motion[4], point = {0, 0, 0};
    vertices_at(x0, x1, hit->toc, p);
    for (int i = 0; i < 4; i++) motion[i] = toc_vec_sub(toc_vec_of(x1[i]), toc_vec_of(x0[i]));
    for (int i = kind == TOC_VF ? 1 : 2; i < 4; i++) point = toc_vec_add(point, toc_vec_scale(p[i], hit->weights[i]));

    const toc_vec d = kind == TOC_VF ? toc_vec_sub(p[2], p[1]) : toc_vec_sub(p[1], p[0]);
    const toc_vec e = kind == TOC_VF ? toc_vec_sub(p[3], p[1]) : toc_vec_sub(p[3], p[2]);
    const toc_vec approach = between(kind, motion, hit->weights);
    toc_vec n = toc_vec_unit(toc_vec_cross(toc_vec_unit(d), toc_vec_unit(e)));
    if (!(toc_vec_dot(n, n) > 0)) n = any_normal(toc_vec_max(d) > 0 ? d : e);
    if (toc_vec_dot(n, approach) > 0) n = toc_vec_scale(n, -1);
    toc_vec_to(hit->point, point);
    toc_vec_to(hit->normal, n);
}
