// SPDX-License-Identifier: Apache-2.0
// The exact decision: does a vertex meet a face, or an edge an edge, and when? In integers, without any tolerance.
//
// Two features that touch lie in one plane, so contact times are among the roots of the coplanarity polynomial. If that
// is zero all the time the motion is flat, and contact can only begin at the start or when a vertex comes to lie on an
// edge. In both cases there are a few candidate times. Each is an algebraic number at which the signs of other
// polynomials decide whether the features touch (docs/guarantees.md, G2). The last rung of ladder.c, which leaves few
// pairs to it. The integers take about ten microseconds for coordinates of one size. Coordinates mixed over 2^-600
// .. 2^600 make numbers of a hundred limbs: 4 ms a pair on average, 15 at worst, half of it for fresh memory.
#include "pair/exact.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "pair/pair.h"
#include "pair/separation.h"

// The first contact: its time, and its number in toc_corner_cases, or -1 for one inside of both features.
typedef struct first_touch {
    toc_root time;
    int corner;
} first_touch;

static bool vanishes_at(toc_number_scope *numbers, toc_root *time, const toc_path *a) {
    for (int k = 0; k < 3; k++)
        if (toc_root_sign(numbers, time, &a->x[k]) != 0) return false;
    return true;
}

// ---- the two kinds in one form
//
// A vertex on a face of corners f: q_i = f_i - v, and the barycentrics are (q_j x q_k) . n over n . n. Two edges a + u
// d and b + w e, r = b - a: u = (r x e) . n over n . n, w = (r x d) . n over n . n, with n = d x e.

static const toc_corner_case vf_corners[] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}};
static const toc_corner_case ee_corners[] = {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}};

const toc_corner_case *toc_corner_cases(toc_kind kind, int *count) {
    assert(kind == TOC_VF || kind == TOC_EE);
    *count = kind == TOC_VF ? 3 : 4;
    return kind == TOC_VF ? vf_corners : ee_corners;
}

static void ask_coplanar(toc_number_scope *numbers, toc_question *q) {
    const toc_path *p = q->p;
    const bool vf = q->kind == TOC_VF;
    const toc_path d = toc_path_subtract(numbers, vf ? &p[2] : &p[1], vf ? &p[1] : &p[0]);
    const toc_path e = toc_path_subtract(numbers, &p[3], vf ? &p[1] : &p[2]);
    const toc_path r = toc_path_subtract(numbers, vf ? &p[1] : &p[2], &p[0]);
    q->n = toc_path_cross(numbers, &d, &e);
    q->coplanar = toc_path_dot(numbers, &r, &q->n);
}

static void ask_inside_face(toc_number_scope *numbers, toc_question *q) {
    toc_path to[3];
    for (int i = 0; i < 3; i++) to[i] = toc_path_subtract(numbers, &q->p[1 + i], &q->p[0]);
    for (int i = 0; i < 3; i++) {
        const toc_path area = toc_path_cross(numbers, &to[(i + 1) % 3], &to[(i + 2) % 3]);
        q->inside[i] = toc_path_dot(numbers, &area, &q->n);
    }
    q->inside_count = 3;
}

static void ask_inside_edges(toc_number_scope *numbers, toc_question *q) {
    const toc_path d = toc_path_subtract(numbers, &q->p[1], &q->p[0]);
    const toc_path e = toc_path_subtract(numbers, &q->p[3], &q->p[2]);
    const toc_path r = toc_path_subtract(numbers, &q->p[2], &q->p[0]);
    const toc_path re = toc_path_cross(numbers, &r, &e), rd = toc_path_cross(numbers, &r, &d);
    q->inside[0] = toc_path_dot(numbers, &re, &q->n);
    q->inside[1] = toc_path_dot(numbers, &rd, &q->n);
    for (int i = 0; i < 2; i++) q->inside[2 + i] = toc_polynomial_subtract(numbers, &q->n_squared, &q->inside[i]);
    q->inside_count = 4;
}

static void ask_inside(toc_number_scope *numbers, toc_question *q) {
    q->n_squared = toc_path_dot(numbers, &q->n, &q->n);
    if (q->kind == TOC_VF)
        ask_inside_face(numbers, q);
    else
        ask_inside_edges(numbers, q);
}

toc_question toc_question_of(toc_number_scope *numbers, toc_kind kind, const toc_path vertices[4]) {
    toc_question q = {.kind = kind, .p = vertices};
    ask_coplanar(numbers, &q);
    ask_inside(numbers, &q);
    return q;
}

// ---- at one time

static bool vertex_on_edge(toc_number_scope *numbers, toc_root *time, const toc_path *p, toc_corner_case at) {
    const toc_path u = toc_path_subtract(numbers, &p[at.from], &p[at.point]);
    const toc_path w = toc_path_subtract(numbers, &p[at.to], &p[at.point]);
    for (int k = 0; k < 3; k++) {
        const toc_polynomial off = toc_path_cross_along(numbers, &u, &w, k);
        if (toc_root_sign(numbers, time, &off) != 0) return false;
    }
    const toc_polynomial between = toc_path_dot(numbers, &u, &w);
    return toc_root_sign(numbers, time, &between) <= 0;
}

// Whether the features touch at a time when they are in one plane, and how: across that plane, or with a vertex on an
// edge where they span none (a face without area, parallel edges, edges without length). The polynomials of the inside
// are made once they are needed.
static bool touches(toc_number_scope *numbers, toc_question *q, first_touch *first) {
    toc_root *time = &first->time;
    first->corner = -1;
    if (!vanishes_at(numbers, time, &q->n)) {
        if (q->inside_count == 0) ask_inside(numbers, q);
        for (int i = 0; i < q->inside_count; i++)
            if (toc_root_sign(numbers, time, &q->inside[i]) < 0) return false;
        return true;
    }
    int count;
    const toc_corner_case *corners = toc_corner_cases(q->kind, &count);
    for (int i = 0; i < count; i++)
        if (vertex_on_edge(numbers, time, q->p, corners[i])) {
            first->corner = i;
            return true;
        }
    return false;
}

bool toc_question_touches(toc_number_scope *numbers, const toc_question *q, toc_root *time) {
    first_touch at = {.time = *time};
    assert(q->inside_count > 0);
    toc_question asked = *q;
    const bool touch = touches(numbers, &asked, &at);
    *time = at.time; // as far as it was refined
    return touch;
}

static bool first_of(toc_number_scope *numbers, toc_question *q, const toc_root *times, int count, first_touch *first) {
    for (int i = 0; i < count; i++) {
        first->time = times[i];
        if (touches(numbers, q, first)) return true;
    }
    return false;
}

// ---- flat motion

// The polynomial whose roots are the times at which a vertex can come to lie on an edge. It is a component of the
// offset from the edge's line. If the vertex is always on that line, it is the product that is positive between the
// ends. Zero when the vertex is at an end all the time.
toc_polynomial toc_corner_times(toc_number_scope *numbers, const toc_path *p, toc_corner_case at) {
    const toc_path u = toc_path_subtract(numbers, &p[at.from], &p[at.point]);
    const toc_path w = toc_path_subtract(numbers, &p[at.to], &p[at.point]);
    for (int k = 0; k < 3; k++) {
        const toc_polynomial off = toc_path_cross_along(numbers, &u, &w, k);
        if (off.degree >= 0) return off;
    }
    return toc_path_dot(numbers, &u, &w);
}

static bool first_in_flat_motion(toc_number_scope *numbers, toc_question *q, first_touch *first) {
    first->time = toc_root_zero();
    if (touches(numbers, q, first)) return true;
    bool found = false;
    int count;
    const toc_corner_case *corners = toc_corner_cases(q->kind, &count);
    for (int i = 0; i < count; i++) {
        const toc_polynomial when = toc_corner_times(numbers, q->p, corners[i]);
        toc_root times[TOC_DEGREE_MAX];
        first_touch other;
        const int time_count = when.degree < 0 ? 0 : toc_polynomial_roots(numbers, &when, times);
        if (!first_of(numbers, q, times, time_count, &other)) continue;
        if (!found || toc_root_earlier(numbers, &other.time, &first->time)) *first = other;
        found = true;
    }
    return found;
}

static bool first_contact(toc_number_scope *numbers, toc_question *q, first_touch *first) {
    toc_root times[TOC_DEGREE_MAX];
    ask_coplanar(numbers, q);
    const bool flat = q->coplanar.degree < 0;
    const int count = flat ? 0 : toc_polynomial_roots(numbers, &q->coplanar, times);
    if (!flat && count == 0) return false;
    return flat ? first_in_flat_motion(numbers, q, first) : first_of(numbers, q, times, count, first);
}

bool toc_exact_first(toc_number_scope *numbers, toc_kind kind, const toc_path vertices[4], toc_root *first) {
    toc_question q = {.kind = kind, .p = vertices};
    first_touch contact;
    if (!first_contact(numbers, &q, &contact)) return false;
    *first = contact.time;
    return true;
}

// ---- the place of contact
//
// Weights are ratios of polynomials at the time of contact, which is refined until they are known to 2^-40. The
// decision used the same polynomials. Every denominator is above 0 there, and every ratio between 0 and 1.

static void weigh_inside(toc_number_scope *numbers, const toc_question *q, toc_root *time, double weights[4]) {
    double w[3];
    for (int i = 0; i < (q->kind == TOC_VF ? 3 : 2); i++)
        w[i] = toc_root_ratio(numbers, time, &q->inside[i], &q->n_squared);
    if (q->kind == TOC_VF)
        memcpy(weights, (double[4]){1, w[0], w[1], w[2]}, 4 * sizeof *weights);
    else
        memcpy(weights, (double[4]){1 - w[0], w[0], 1 - w[1], w[1]}, 4 * sizeof *weights);
}

// A vertex on an edge. An edge without length is its first end.
static void weigh_corner(toc_number_scope *numbers, const toc_question *q, toc_corner_case at, toc_root *time,
                         double weights[4]) {
    const toc_path edge = toc_path_subtract(numbers, &q->p[at.to], &q->p[at.from]);
    const toc_path to = toc_path_subtract(numbers, &q->p[at.point], &q->p[at.from]);
    const toc_polynomial whole = toc_path_dot(numbers, &edge, &edge), along = toc_path_dot(numbers, &to, &edge);
    const bool long_edge = toc_root_sign(numbers, time, &whole) > 0;
    const double u = long_edge ? fmin(fmax(toc_root_ratio(numbers, time, &along, &whole), 0), 1) : 0;
    memset(weights, 0, 4 * sizeof *weights);
    weights[at.point] = 1;
    weights[at.from] = 1 - u;
    weights[at.to] = u;
}

static void weigh(toc_number_scope *numbers, const toc_question *q, first_touch *first, double weights[4]) {
    int count;
    const toc_corner_case *corners = toc_corner_cases(q->kind, &count);
    if (first->corner < 0)
        weigh_inside(numbers, q, &first->time, weights);
    else
        weigh_corner(numbers, q, corners[first->corner], &first->time, weights);
}

// ---- in doubles

/// The four paths, and the separation in their unit.
static toc_integer make_paths(toc_number_scope *numbers, const double x0[4][3], const double x1[4][3],
                              double separation, const toc_part *of, toc_path paths[4]) {
    const toc_course course = {.count = 4, .x0 = x0[0], .x1 = x1[0]};
    const int positions = toc_lowest_bit(toc_lowest_bit(INT_MAX, 12, x0[0]), 12, x1[0]);
    const int exponent = toc_lowest_bit(positions, 1, &separation);
    toc_paths_make(numbers, &course, exponent, 1, of, paths);
    return toc_integer_multiply(numbers, toc_integer_scaled(numbers, separation, exponent), of->whole);
}

toc_status toc_integer_pair(toc_kind kind, const double x0[4][3], const double x1[4][3], const toc_pair_test *test,
                            toc_arena *scratch, toc_hit *out) {
    assert(kind == TOC_VF || kind == TOC_EE);
    assert(0 <= test->from && test->from <= test->to && test->to <= 1);
    const toc_arena_mark mark = toc_arena_here(scratch);
    toc_number_scope numbers = {.arena = scratch};
    const toc_part of = toc_part_of(&numbers, test->from, test->to);
    toc_path paths[4];
    toc_hit hit = {.verdict = TOC_APART};
    const toc_integer separation = make_paths(&numbers, x0, x1, test->separation, &of, paths);
    toc_question q = {.kind = kind, .p = paths};
    first_touch first;
    const bool near = separation.sign > 0 ? toc_separation_first(&numbers, kind, paths, separation, &first.time)
                                          : first_contact(&numbers, &q, &first);
    if (near && !numbers.failed) {
        hit.verdict = TOC_HIT;
        hit.toc = toc_part_time(&numbers, &of, &first.time);
        if (separation.sign > 0) {
            toc_hit_locate(kind, x0, x1, &hit);
        } else {
            weigh(&numbers, &q, &first, hit.weights);
            toc_hit_place(kind, x0, x1, &hit);
        }
    }
    toc_arena_back(scratch, mark);
    if (numbers.failed) return TOC_OUT_OF_MEMORY;
    *out = hit;
    return TOC_OK;
}
