// SPDX-License-Identifier: Apache-2.0
// Cull the feature pairs of two moving triangles by axes that are cheap to find.
//
// A pair is removed only if all its gaps along an axis are certainly positive at both ends of the step (cull/axis.h),
// so no pair is removed that touches at any time, 0 and 1 included. A triangle pair takes 30 to 200 ns.
// After Zhang and Kim 2012, "Simple culling methods for continuous collision detection of deforming triangles", with
// these differences: gaps exceed their rounding error; Corollaries 6.1 to 6.3 use < where <= would lose a contact at
// the end; Corollary 6.3 is used for the corner opposite to either edge; Lemmas 4.4 and 5.2 use the vertices' own
// extent along the axis from the circle's centre, which no circle around them can beat.
#include "cull/surface/triangle_features.h"

#include <assert.h>
#include <stddef.h>

// The vertices of a convex set, as indices.
typedef struct corner_set {
    int count, at[3];
} corner_set;

static corner_set corner(int a) { return (corner_set){1, {a}}; }
static corner_set edge(int a, int b) { return (corner_set){2, {a, b}}; }
static corner_set face(int first) { return (corner_set){3, {first, first + 1, first + 2}}; }

// Extent of a group along an axis, at both ends of the step.
typedef struct motion_extent {
    double low0, high0, low1, high1;
} motion_extent;

static motion_extent extent_along(const toc_moving *m, toc_vec axis, corner_set g) {
    motion_extent e = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (int i = 0; i < g.count; i++) {
        const double p0 = toc_vec_dot(m->y0[g.at[i]], axis), p1 = toc_vec_dot(m->y1[g.at[i]], axis);
        e = (motion_extent){toc_smaller(p0, e.low0), toc_larger(p0, e.high0), toc_smaller(p1, e.low1),
                            toc_larger(p1, e.high1)};
    }
    return e;
}

// 1 if `b` stays above `a`, -1 if it stays below, by more than the margin; 0 if neither is certain.
static int side_of(motion_extent a, motion_extent b, double margin) {
    if (b.low0 - a.high0 > margin && b.low1 - a.high1 > margin) return 1;
    if (a.low0 - b.high0 > margin && a.low1 - b.high1 > margin) return -1;
    return 0;
}

static double margin_along(const toc_moving *m, toc_vec axis, double separation) {
    const double margin = toc_axis_margin(m, axis);
    return separation > 0 ? margin + separation * toc_vec_length(axis) * (1 + 8 * DBL_EPSILON) : margin;
}

static int side_along(const toc_moving *m, toc_vec axis, corner_set a, corner_set b, double separation) {
    const double margin = margin_along(m, axis, separation);
    return side_of(extent_along(m, axis, a), extent_along(m, axis, b), margin);
}

static toc_vec edge_vector(const toc_moving *m, corner_set e) { return toc_vec_sub(m->y0[e.at[1]], m->y0[e.at[0]]); }

static toc_vec face_normal(const toc_moving *m, corner_set f) {
    return toc_vec_cross(toc_vec_sub(m->y0[f.at[1]], m->y0[f.at[0]]), toc_vec_sub(m->y0[f.at[2]], m->y0[f.at[0]]));
}

static toc_vec lines_normal(const toc_moving *m, corner_set a, corner_set b) {
    return toc_vec_cross(edge_vector(m, a), edge_vector(m, b));
}

static toc_vec group_centre(const toc_moving *m, corner_set g) {
    toc_vec sum = {0, 0, 0};
    for (int i = 0; i < g.count; i++) sum = toc_vec_add(sum, m->y0[g.at[i]]);
    return toc_vec_scale(sum, 1.0 / g.count);
}

// The axis between the two centres, projected to the plane across the normal (Lemmas 4.4 and 5.2).
static toc_vec axis_in_plane(const toc_moving *m, toc_vec normal, corner_set a, corner_set b) {
    const toc_vec between = toc_vec_sub(group_centre(m, b), group_centre(m, a));
    const double square = toc_vec_dot(normal, normal);
    if (!(square > 0)) return between;
    return toc_vec_sub(between, toc_vec_scale(normal, toc_vec_dot(between, normal) / square));
}

toc_triangle_feature toc_triangle_feature_of(int bit) {
    assert(bit >= 0 && bit < TOC_TRIANGLE_PAIRS);
    if (bit < 3) return (toc_triangle_feature){TOC_VF, {bit, 3, 4, 5}};
    if (bit < 6) return (toc_triangle_feature){TOC_VF, {bit, 0, 1, 2}};
    const int i = (bit - 6) / 3, j = (bit - 6) % 3;
    return (toc_triangle_feature){TOC_EE, {i, (i + 1) % 3, 3 + j, 3 + (j + 1) % 3}};
}

// The two convex sets of a feature pair, and the normal of the face or of the two edges at the start.
typedef struct feature_sets {
    corner_set a, b;
    toc_vec normal;
} feature_sets;

static feature_sets sets_of(toc_kind kind, const toc_moving *m) {
    feature_sets s = {kind == TOC_VF ? corner(0) : edge(0, 1), kind == TOC_VF ? face(1) : edge(2, 3), {0, 0, 0}};
    s.normal = kind == TOC_VF ? face_normal(m, s.b) : lines_normal(m, s.a, s.b);
    return s;
}

bool toc_feature_cull(toc_kind kind, const toc_moving *m, double separation) {
    const feature_sets s = sets_of(kind, m);
    return side_along(m, s.normal, s.a, s.b, separation) ||
           side_along(m, axis_in_plane(m, s.normal, s.a, s.b), s.a, s.b, separation);
}

bool toc_feature_cull_along_normal(toc_kind kind, const toc_moving *m, double separation) {
    const feature_sets s = sets_of(kind, m);
    return side_along(m, s.normal, s.a, s.b, separation) != 0;
}

// The gaps of the starts, the control points and the ends are the Bernstein coefficients of gaps that are quadratic in
// time: a gap is positive if all three are.
static bool stays_on_side(const toc_curved *c, toc_vec axis, const feature_sets *s, double separation) {
    const int side = side_along(&c->ends, axis, s->a, s->b, separation);
    return side && side_along(&c->control, axis, s->a, s->b, separation) == side;
}

bool toc_feature_cull_curved(toc_kind kind, const toc_curved *c, double separation) {
    const feature_sets s = sets_of(kind, &c->ends);
    return stays_on_side(c, s.normal, &s, separation) ||
           stays_on_side(c, axis_in_plane(&c->ends, s.normal, s.a, s.b), &s, separation);
}

bool toc_feature_cull_curved_along_normal(toc_kind kind, const toc_curved *c, double separation) {
    const feature_sets s = sets_of(kind, &c->ends);
    return stays_on_side(c, s.normal, &s, separation);
}

// One run of the sequence.
typedef struct cull {
    const toc_moving *m;
    double separation;
    unsigned pairs, steps;
    uint32_t *removed; // by step, or NULL
} cull;

static bool has_step(const cull *c, int step) { return c->steps >> step & 1; }

static void remove_feature_pairs(cull *c, int step, unsigned gone) {
    gone &= c->pairs;
    c->pairs &= ~gone;
    if (c->removed) c->removed[step] += (unsigned)__builtin_popcount(gone);
}

// Project three vertices to an axis, at both ends of the step.
static void project_three(const toc_moving *m, toc_vec axis, int first, double p0[3], double p1[3]) {
    for (int i = 0; i < 3; i++) {
        p0[i] = toc_vec_dot(m->y0[first + i], axis);
        p1[i] = toc_vec_dot(m->y1[first + i], axis);
    }
}

// Steps 1 and 2: the three vertices from `own` against the plane of the triangle from `other`. Writes their sides.
static void cull_plane(cull *c, int own, int other, int side[3]) {
    const toc_vec normal = face_normal(c->m, face(other));
    const double margin = margin_along(c->m, normal, c->separation);
    double f0[3], f1[3], p0[3], p1[3];
    project_three(c->m, normal, other, f0, f1);
    project_three(c->m, normal, own, p0, p1);
    const double low0 = toc_smaller(toc_smaller(f0[0], f0[1]), f0[2]) - margin;
    const double high0 = toc_larger(toc_larger(f0[0], f0[1]), f0[2]) + margin;
    const double low1 = toc_smaller(toc_smaller(f1[0], f1[1]), f1[2]) - margin;
    const double high1 = toc_larger(toc_larger(f1[0], f1[1]), f1[2]) + margin;
    unsigned gone = 0;
    for (int i = 0; i < 3; i++) {
        side[i] = (p0[i] > high0 && p1[i] > high1) - (p0[i] < low0 && p1[i] < low1);
        gone |= side[i] ? 1u << (own + i) : 0;
    }
    if (has_step(c, TOC_TRIANGLE_STEP_PLANE)) remove_feature_pairs(c, TOC_TRIANGLE_STEP_PLANE, gone);
    if (side[0] && side[0] == side[1] && side[1] == side[2] && has_step(c, TOC_TRIANGLE_STEP_THREE))
        remove_feature_pairs(c, TOC_TRIANGLE_STEP_THREE, TOC_TRIANGLE_ALL);
}

static unsigned edge_pairs(int own, int i) {
    if (own == 0) return TOC_TRIANGLE_EE(i, 0) | TOC_TRIANGLE_EE(i, 1) | TOC_TRIANGLE_EE(i, 2);
    return TOC_TRIANGLE_EE(0, i) | TOC_TRIANGLE_EE(1, i) | TOC_TRIANGLE_EE(2, i);
}

// Step 3.
static void cull_sides(cull *c, int own, const int side[3]) {
    for (int i = 0; i < 3; i++)
        if (side[i] && side[i] == side[(i + 1) % 3]) remove_feature_pairs(c, TOC_TRIANGLE_STEP_TWO, edge_pairs(own, i));
}

// Steps 4 and 5 for edge i of a and edge j of b. If an edge is apart from a whole triangle, so are its two ends.
static void cull_lines(cull *c, int i, int j) {
    const int i1 = (i + 1) % 3, j1 = (j + 1) % 3;
    const corner_set a = edge(i, i1), b = edge(3 + j, 3 + j1);
    const toc_vec normal = lines_normal(c->m, a, b);
    const double margin = margin_along(c->m, normal, c->separation);
    const motion_extent along_a = extent_along(c->m, normal, a), along_b = extent_along(c->m, normal, b);
    const int side = side_of(along_a, along_b, margin);
    if (!side) return;
    if (has_step(c, TOC_TRIANGLE_STEP_LINES)) remove_feature_pairs(c, TOC_TRIANGLE_STEP_LINES, TOC_TRIANGLE_EE(i, j));
    if (!has_step(c, TOC_TRIANGLE_STEP_LINES_THIRD)) return;
    const motion_extent third_a = extent_along(c->m, normal, corner(3 - i - i1));
    const motion_extent third_b = extent_along(c->m, normal, corner(3 + 3 - j - j1));
    if (side_of(along_a, third_b, margin) == side)
        remove_feature_pairs(c, TOC_TRIANGLE_STEP_LINES_THIRD,
                             edge_pairs(0, i) | TOC_TRIANGLE_AB(i) | TOC_TRIANGLE_AB(i1));
    if (side_of(third_a, along_b, margin) == side)
        remove_feature_pairs(c, TOC_TRIANGLE_STEP_LINES_THIRD,
                             edge_pairs(3, j) | TOC_TRIANGLE_BA(j) | TOC_TRIANGLE_BA(j1));
}

// Step 6.
static void cull_circle(cull *c, int own, int other, int i) {
    const corner_set v = corner(own + i), f = face(other);
    const toc_vec axis = axis_in_plane(c->m, face_normal(c->m, f), v, f);
    if (side_along(c->m, axis, v, f, c->separation)) remove_feature_pairs(c, TOC_TRIANGLE_STEP_CIRCLE, 1u << (own + i));
}

// Step 7.
static void cull_circles(cull *c, int i, int j) {
    const corner_set a = edge(i, (i + 1) % 3), b = edge(3 + j, 3 + (j + 1) % 3);
    const toc_vec axis = axis_in_plane(c->m, lines_normal(c->m, a, b), a, b);
    if (side_along(c->m, axis, a, b, c->separation))
        remove_feature_pairs(c, TOC_TRIANGLE_STEP_CIRCLES, TOC_TRIANGLE_EE(i, j));
}

static void cull_planes(cull *c) {
    int a[3], b[3];
    cull_plane(c, 0, 3, a);
    if (!c->pairs) return;
    cull_plane(c, 3, 0, b);
    if (!c->pairs || !has_step(c, TOC_TRIANGLE_STEP_TWO)) return;
    cull_sides(c, 0, a);
    cull_sides(c, 3, b);
}

static void cull_edges(cull *c, void (*step)(cull *c, int i, int j)) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (c->pairs & TOC_TRIANGLE_EE(i, j)) step(c, i, j);
}

static void cull_vertices(cull *c) {
    for (int i = 0; i < 3; i++) {
        if (c->pairs & TOC_TRIANGLE_AB(i)) cull_circle(c, 0, 3, i);
        if (c->pairs & TOC_TRIANGLE_BA(i)) cull_circle(c, 3, 0, i);
    }
}

unsigned toc_triangle_cull(const toc_moving *moving, double separation, unsigned pairs, unsigned steps,
                           uint32_t removed[TOC_TRIANGLE_STEP_COUNT]) {
    assert(separation >= 0 && steps <= TOC_TRIANGLE_STEP_ALL);
    cull c = {moving, separation, pairs & TOC_TRIANGLE_ALL, steps, removed};
    const unsigned planes = 1 << TOC_TRIANGLE_STEP_PLANE | 1 << TOC_TRIANGLE_STEP_THREE | 1 << TOC_TRIANGLE_STEP_TWO;
    const unsigned lines = 1 << TOC_TRIANGLE_STEP_LINES | 1 << TOC_TRIANGLE_STEP_LINES_THIRD;
    if (steps & planes) cull_planes(&c);
    if (!c.pairs) return 0;
    if (steps & lines) cull_edges(&c, cull_lines);
    if (has_step(&c, TOC_TRIANGLE_STEP_CIRCLE)) cull_vertices(&c);
    if (has_step(&c, TOC_TRIANGLE_STEP_CIRCLES)) cull_edges(&c, cull_circles);
    return c.pairs;
}
