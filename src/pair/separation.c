// SPDX-License-Identifier: Apache-2.0
// The exact decision with a separation, in integers: do two features come that close, and when?
//
// The nearest points of two features are a vertex and a point of a face's plane, points of two edges' lines, a vertex
// and a point of an edge's line, or two vertices. In each of these cases the squared distance less the squared
// separation is a polynomial over a square. Signs of other polynomials decide whether the points are within the
// features. Features that begin farther apart come within the separation at a root of such a polynomial. A polynomial
// that is zero all the time needs no roots: its nearest points enter the features across an edge or a vertex, and
// another case has that root. A hundred microseconds a question (docs/guarantees.md, G2).
#include "pair/separation.h"

// squared - separation^2 spread.
static toc_polynomial excess_of(toc_number_scope *numbers, const toc_polynomial *squared, const toc_polynomial *spread,
                                const toc_polynomial *separation) {
    const toc_polynomial once = toc_polynomial_multiply(numbers, spread, separation);
    const toc_polynomial twice = toc_polynomial_multiply(numbers, &once, separation);
    return toc_polynomial_subtract(numbers, squared, &twice);
}

static toc_distance_case plane_case(toc_number_scope *numbers, toc_kind kind, const toc_path p[4],
                                    const toc_polynomial *separation) {
    const toc_question q = toc_question_of(numbers, kind, p);
    const toc_polynomial squared = toc_polynomial_multiply(numbers, &q.coplanar, &q.coplanar);
    toc_distance_case w = {.spread = q.n_squared, .inside_count = q.inside_count};
    for (int i = 0; i < q.inside_count; i++) w.inside[i] = q.inside[i];
    w.excess = excess_of(numbers, &squared, &w.spread, separation);
    return w;
}

static toc_distance_case vertex_to_edge(toc_number_scope *numbers, const toc_path p[4], toc_corner_case at,
                                        const toc_polynomial *separation) {
    const toc_path from = toc_path_subtract(numbers, &p[at.point], &p[at.from]);
    const toc_path to = toc_path_subtract(numbers, &p[at.to], &p[at.point]);
    const toc_path edge = toc_path_subtract(numbers, &p[at.to], &p[at.from]);
    const toc_path off = toc_path_cross(numbers, &from, &edge);
    const toc_polynomial squared = toc_path_dot(numbers, &off, &off);
    toc_distance_case w = {.spread = toc_path_dot(numbers, &edge, &edge), .inside_count = 2};
    w.inside[0] = toc_path_dot(numbers, &from, &edge);
    w.inside[1] = toc_path_dot(numbers, &to, &edge);
    w.excess = excess_of(numbers, &squared, &w.spread, separation);
    return w;
}

static toc_distance_case vertex_to_vertex(toc_number_scope *numbers, const toc_path *a, const toc_path *b,
                                          const toc_polynomial *separation) {
    const toc_path between = toc_path_subtract(numbers, a, b);
    const toc_polynomial squared = toc_path_dot(numbers, &between, &between);
    const toc_integer one = toc_integer_small(numbers, 1);
    toc_distance_case w = {.spread = toc_polynomial_of(0, &one)};
    w.excess = excess_of(numbers, &squared, &w.spread, separation);
    return w;
}

int toc_distance_cases(toc_number_scope *numbers, toc_kind kind, const toc_path p[4], toc_integer separation,
                       toc_distance_case ways[TOC_DISTANCE_CASES]) {
    const toc_polynomial keep = toc_polynomial_of(0, &separation);
    const int first = kind == TOC_VF ? 1 : 2;
    int count = 0, corner_count;
    ways[count++] = plane_case(numbers, kind, p, &keep);
    const toc_corner_case *corners = toc_corner_cases(kind, &corner_count);
    for (int i = 0; i < corner_count; i++) ways[count++] = vertex_to_edge(numbers, p, corners[i], &keep);
    for (int i = 0; i < first; i++)
        for (int j = first; j < 4; j++) ways[count++] = vertex_to_vertex(numbers, &p[i], &p[j], &keep);
    return count;
}

static bool is_open(toc_number_scope *numbers, const toc_distance_case *w, toc_root *time) {
    if (toc_root_sign(numbers, time, &w->spread) <= 0) return false;
    for (int i = 0; i < w->inside_count; i++)
        if (toc_root_sign(numbers, time, &w->inside[i]) < 0) return false;
    return true;
}

static bool first_of_way(toc_number_scope *numbers, const toc_distance_case *w, toc_root *first) {
    toc_root times[TOC_DEGREE_MAX];
    const int count = w->excess.degree < 0 ? 0 : toc_polynomial_roots(numbers, &w->excess, times);
    for (int i = 0; i < count; i++) {
        *first = times[i];
        if (is_open(numbers, w, first)) return true;
    }
    return false;
}

bool toc_distance_case_holds(toc_number_scope *numbers, const toc_distance_case *w, toc_root *time) {
    return toc_root_sign(numbers, time, &w->excess) <= 0 && is_open(numbers, w, time);
}

bool toc_separation_first(toc_number_scope *numbers, toc_kind kind, const toc_path vertices[4], toc_integer separation,
                          toc_root *first) {
    toc_distance_case *ways = toc_arena_new(numbers->arena, TOC_DISTANCE_CASES, sizeof *ways); // 16 KiB
    numbers->failed = numbers->failed || !ways;
    if (!ways) return false;
    const int count = toc_distance_cases(numbers, kind, vertices, separation, ways);
    toc_root time = toc_root_zero();
    for (int i = 0; i < count; i++)
        if (toc_distance_case_holds(numbers, &ways[i], &time)) {
            *first = time;
            return true;
        }
    bool found = false;
    for (int i = 0; i < count; i++) {
        if (!first_of_way(numbers, &ways[i], &time)) continue;
        if (!found || toc_root_earlier(numbers, &time, first)) *first = time;
        found = true;
    }
    return found;
}
