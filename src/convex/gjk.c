// SPDX-License-Identifier: Apache-2.0
// Closest vector between convex hulls, for any input: flat, repeated, touching, deep inside each other.
//
// The result is an axis and a certified lower bound of the gap on it. The search itself has no guarantee. Each round
// costs a dot product per corner; rounds are few, and each must bring the simplex nearer. After Gilbert, Johnson and
// Keerthi 1988, "A fast procedure for computing the distance between complex objects".
#include "convex/gjk.h"

#include <assert.h>
#include <math.h>

typedef struct support_pair {
    double gap;
    int set, corner[2];
} support_pair;

static support_pair find_support(const toc_gap *gap, toc_vec axis) {
    support_pair best = {.gap = INFINITY};
    for (int k = 0; k < gap->sets; k++) {
        double a[TOC_GAP_CORNERS] = {0}, b[TOC_GAP_CORNERS] = {0};
        int high = 0, low = 0;
        toc_gap_project(gap->at[k][0], gap->count[0], axis, a);
        toc_gap_project(gap->at[k][1], gap->count[1], axis, b);
        for (int i = 1; i < gap->count[0]; i++)
            if (a[i] > a[high]) high = i;
        for (int i = 1; i < gap->count[1]; i++)
            if (b[i] < b[low]) low = i;
        if (b[low] - a[high] < best.gap) best = (support_pair){b[low] - a[high], k, {high, low}};
    }
    return best;
}

double toc_gap_slack(const toc_gap *gap, toc_vec axis) {
    assert(gap->separation >= 0);
    const double reach = gap->extent.x * fabs(axis.x) + gap->extent.y * fabs(axis.y) + gap->extent.z * fabs(axis.z);
    double slack = TOC_GAP_ERROR * reach + 0x1p-1000;
    if (gap->separation > 0) slack += gap->separation * sqrt(toc_vec_dot(axis, axis)) * (1 + 0x1p-48);
    return slack;
}

// The current simplex: the nearest point of the part named in `keep`, by weights.
typedef struct nearest {
    toc_vec point;
    double length2;
    int size, keep[4];
    double weights[4];
} nearest;

static nearest nearest_make(const toc_gjk *g, int size, const int *keep, const double *weights) {
    nearest n = {.size = size};
    for (int i = 0; i < size; i++) {
        n.keep[i] = keep[i];
        n.weights[i] = weights[i];
        n.point = toc_vec_add(n.point, toc_vec_scale(g->w[keep[i]], weights[i]));
    }
    n.length2 = toc_vec_dot(n.point, n.point);
    return n;
}

static void take_nearer(nearest *best, nearest other) {
    if (other.length2 < best->length2) *best = other;
}

static nearest gjk_nearest_on_edge(const toc_gjk *g, int i, int j) {
    const toc_vec along = toc_vec_sub(g->w[j], g->w[i]);
    const double length2 = toc_vec_dot(along, along);
    const double s = -toc_vec_dot(g->w[i], along);
    if (!(s > 0)) return nearest_make(g, 1, &i, (double[]){1});
    if (!(s < length2)) return nearest_make(g, 1, &j, (double[]){1});
    return nearest_make(g, 2, (int[]){i, j}, (double[]){1 - s / length2, s / length2});
}

static double gjk_determinant(toc_vec a, toc_vec b, toc_vec c) { return toc_vec_dot(a, toc_vec_cross(b, c)); }

static nearest nearest_on_triangle(const toc_gjk *g, int i, int j, int k) {
    const int corner[3] = {i, j, k};
    const toc_vec normal = toc_vec_cross(toc_vec_sub(g->w[j], g->w[i]), toc_vec_sub(g->w[k], g->w[i]));
    double weight[3], sum = 0;
    for (int c = 0; c < 3; c++) {
        weight[c] = gjk_determinant(normal, g->w[corner[(c + 1) % 3]], g->w[corner[(c + 2) % 3]]);
        sum += weight[c];
    }
    if (weight[0] > 0 && weight[1] > 0 && weight[2] > 0) {
        // Along the normal the nearest vector is more accurate than as a sum of large cancelling terms.
        nearest n = nearest_make(g, 3, corner, (double[]){weight[0] / sum, weight[1] / sum, weight[2] / sum});
        n.point = toc_vec_scale(normal, toc_vec_dot(normal, g->w[i]) / toc_vec_dot(normal, normal));
        n.length2 = toc_vec_dot(n.point, n.point);
        return n;
    }
    nearest best = {.length2 = INFINITY};
    for (int c = 0; c < 3; c++) {
        if (!(weight[c] > 0)) take_nearer(&best, gjk_nearest_on_edge(g, corner[(c + 1) % 3], corner[(c + 2) % 3]));
    }
    return best;
}

/// Six times the volumes that the origin spans with each face, signed so that all agree when it is inside.
static void origin_volumes(const toc_gjk *g, double volume[4]) {
    volume[0] = gjk_determinant(g->w[1], g->w[2], g->w[3]);
    volume[1] = -gjk_determinant(g->w[0], g->w[2], g->w[3]);
    volume[2] = gjk_determinant(g->w[0], g->w[1], g->w[3]);
    volume[3] = -gjk_determinant(g->w[0], g->w[1], g->w[2]);
}

static nearest nearest_in_tet(const toc_gjk *g) {
    static const int face[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    double volume[4];
    origin_volumes(g, volume);
    const double whole = volume[0] + volume[1] + volume[2] + volume[3];
    nearest best = {.length2 = INFINITY};
    for (int f = 0; f < 4; f++) {
        if (whole == 0 || volume[f] * whole <= 0)
            take_nearer(&best, nearest_on_triangle(g, face[f][0], face[f][1], face[f][2]));
    }
    if (best.length2 < INFINITY) return best;
    return nearest_make(g, 4, (int[]){0, 1, 2, 3},
                        (double[]){volume[0] / whole, volume[1] / whole, volume[2] / whole, volume[3] / whole});
}

static nearest nearest_of(const toc_gjk *g) {
    switch (g->size) {
    case 1:
        return nearest_make(g, 1, (int[]){0}, (double[]){1});
    case 2:
        return gjk_nearest_on_edge(g, 0, 1);
    case 3:
        return nearest_on_triangle(g, 0, 1, 2);
    default:
        return nearest_in_tet(g);
    }
}

static void keep_nearest(toc_gjk *g, const nearest *n) {
    toc_vec w[4];
    unsigned char from[3][4];
    for (int i = 0; i < n->size; i++) {
        const int k = n->keep[i];
        w[i] = g->w[k];
        from[0][i] = g->corner[0][k];
        from[1][i] = g->corner[1][k];
        from[2][i] = g->set[k];
    }
    for (int i = 0; i < n->size; i++) {
        g->w[i] = w[i];
        g->weights[i] = n->weights[i];
        g->corner[0][i] = from[0][i];
        g->corner[1][i] = from[1][i];
        g->set[i] = from[2][i];
    }
    g->size = n->size;
}

static bool holds(const toc_gjk *g, const support_pair *s) {
    for (int i = 0; i < g->size; i++) {
        if (g->set[i] == s->set && g->corner[0][i] == s->corner[0] && g->corner[1][i] == s->corner[1]) return true;
    }
    return false;
}

static toc_vec corner_at(const toc_gap *gap, const support_pair *s, int side) {
    const double(*at)[TOC_GAP_CORNERS] = gap->at[s->set][side];
    const int i = s->corner[side];
    return (toc_vec){at[0][i], at[1][i], at[2][i]};
}

static void add_support(const toc_gap *gap, toc_gjk *g, const support_pair *s) {
    assert(g->size < 4);
    const int i = g->size++;
    g->w[i] = toc_vec_sub(corner_at(gap, s, 1), corner_at(gap, s, 0));
    g->set[i] = (unsigned char)s->set;
    g->corner[0][i] = (unsigned char)s->corner[0];
    g->corner[1][i] = (unsigned char)s->corner[1];
}

/// Remember the axis if its gap is the best so far; the bound as a distance.
static double look_along(const toc_gap *gap, toc_gjk *g, toc_vec v, double length, const support_pair *s) {
    const double lower = (s->gap - toc_gap_slack(gap, v)) / length;
    if (lower > g->lower) {
        g->lower = lower;
        g->axis = v;
    }
    return lower;
}

void toc_gjk_find(const toc_gap *gap, toc_vec first, bool any, toc_gjk *out) {
    assert(gap->sets >= 1 && gap->sets <= 3 && gap->count[0] > 0 && gap->count[1] > 0);
    assert(gap->count[0] <= TOC_GAP_CORNERS && gap->count[1] <= TOC_GAP_CORNERS);
    enum { MOST_ROUNDS = 64 };          // a dozen is usual; after that the best axis so far is good enough
    const double near_enough = 0x1p-30; // relative: an axis off by 3e-5 loses 1e-9 of the gap
    *out = (toc_gjk){.axis = {1, 0, 0}, .lower = -INFINITY};
    toc_vec v = toc_vec_dot(first, first) > 0x1p-500 ? first : out->axis;
    double length2 = INFINITY;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const double norm2 = toc_vec_dot(v, v);
        const support_pair s = find_support(gap, v);
        const double lower = look_along(gap, out, v, sqrt(norm2), &s);
        if (any && lower > 0) break;
        if (out->size > 0 && (norm2 - s.gap <= near_enough * norm2 || holds(out, &s))) break;
        add_support(gap, out, &s);
        const nearest n = nearest_of(out);
        if (!(n.length2 < length2)) {
            out->size--;
            break;
        }
        keep_nearest(out, &n);
        v = n.point;
        length2 = n.length2;
        out->inside = n.size == 4 || length2 <= 0x1p-110;
        if (out->inside) break;
    }
    if (out->size == 0) { // the first axis was good enough
        const support_pair s = find_support(gap, out->axis);
        add_support(gap, out, &s);
        out->weights[0] = 1;
    }
    out->distance = out->inside ? 0 : length2 < INFINITY ? sqrt(length2) : sqrt(toc_vec_dot(out->w[0], out->w[0]));
}

bool toc_gjk_certainly_inside(const toc_gap *gap, const toc_gjk *found) {
    assert(found->size >= 1 && found->size <= 4);
    if (!found->inside || found->size < 4) return false;
    // Each w is off by less than 2^-48 extents and at most two of them long, so a determinant of six products of three
    // is off by less than 6 * 8 * (3 * 2^-48 + 2^-50) extents cubed.
    const double bound = 0x1p-40 * gap->extent.x * gap->extent.y * gap->extent.z + 0x1p-1000;
    double volume[4];
    origin_volumes(found, volume);
    int positive = 0, negative = 0;
    for (int i = 0; i < 4; i++) {
        positive += volume[i] > bound;
        negative += volume[i] < -bound;
    }
    return positive == 4 || negative == 4;
}
