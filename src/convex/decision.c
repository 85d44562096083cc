// SPDX-License-Identifier: Apache-2.0
// Do two convex elements share a point, at one instant or at any time of the step? In integers, for any finite input.
//
// An instant: if two hulls meet then so do the hulls of a few of their corners (Kirchberger 1903): of d + 2 corners,
// when all corners span d dimensions. Those can be chosen to span d dimensions, too. They have one affine dependence,
// whose signs are orientations. The hulls meet when it weighs one element's corners against the other's (Radon 1921).
// So signs of determinants decide, in space, in a plane or on a line; floating point gives most of them. Over time:
// hulls that are apart first meet with a corner on a triangle of corners, or with two edges between corners. All such
// pairs that no axis separates go to exact.c: some ten microseconds each.
#include "convex/decision.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "convex/convex.h"
#include "pair/exact.h"
#include "pair/pair.h"

enum { POINTS = 2 * TOC_HULL_CORNERS, QUADRUPLES = 1820 }; // the choices of 4 out of 16

// ---- paths in integers

static toc_course course_of(const toc_hull *hull) {
    return (toc_course){hull->count, hull->x0, hull->control, hull->x1};
}

static int exponent_of(const toc_hull *hull, int lowest) {
    const int count = 3 * hull->count;
    lowest = toc_lowest_bit(toc_lowest_bit(lowest, count, hull->x0), count, hull->x1);
    return hull->control ? toc_lowest_bit(lowest, count, hull->control) : lowest;
}

/// Paths of both hulls over [from, to], A's corners first.
static toc_part all_paths(toc_number_scope *numbers, const toc_hull *a, const toc_hull *b, double from, double to,
                          toc_path *paths) {
    const toc_part part = toc_part_of(numbers, from, to);
    const toc_course of_a = course_of(a), of_b = course_of(b);
    const int exponent = exponent_of(b, exponent_of(a, INT_MAX)), degree = a->control || b->control ? 2 : 1;
    toc_paths_make(numbers, &of_a, exponent, degree, &part, paths);
    toc_paths_make(numbers, &of_b, exponent, degree, &part, paths + a->count);
    return part;
}

// ---- an instant

typedef struct instant {
    toc_number_scope numbers;
    int count, count_a;        // corners of both, A's first
    double near[POINTS][3];    // rounded, about 1 in size
    double extent[3];          // of the rounded ones
    toc_integer at[POINTS][3]; // exact, in another unit
    int dimensions, axes[3];   // the coordinates in use
    int8_t signs[QUADRUPLES];  // signs of the determinants computed so far; UNKNOWN elsewhere
} instant;

enum { UNKNOWN = 2 };

/// Number of choices of k out of n.
static int choose(int n, int k) {
    int ways = 1;
    for (int i = 0; i < k; i++) ways = ways * (n - i) / (i + 1);
    return ways;
}

/// Position of an ascending choice among all of its size.
static int rank_of(const int *chosen, int count) {
    int rank = 0;
    for (int i = 0; i < count; i++) rank += choose(chosen[i], i + 1);
    return rank;
}

/// The next choice of `count` out of n in a fixed order; false after the last. Begin with 0, 1, 2, ...
static bool next_choice(int *chosen, int count, int n) {
    for (int i = 0; i < count; i++) {
        const int limit = i + 1 < count ? chosen[i + 1] : n;
        if (chosen[i] + 1 < limit) {
            chosen[i]++;
            for (int j = 0; j < i; j++) chosen[j] = j;
            return true;
        }
    }
    return false;
}

static void first_choice(int *chosen, int count) {
    for (int i = 0; i < count; i++) chosen[i] = i;
}

/// Sign of the determinant of the corners' differences from the first, if rounding cannot change it; else UNKNOWN.
static int rough_sign(const instant *s, const int *corner) {
    double d[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, bound = 0x1p-40;
    for (int i = 0; i < s->dimensions; i++) {
        for (int j = 0; j < s->dimensions; j++)
            d[i][j] = s->near[corner[i + 1]][s->axes[j]] - s->near[corner[0]][s->axes[j]];
        bound *= s->extent[s->axes[i]]; // see toc_gjk_certainly_inside: differences of the same size and error
    }
    const double value = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
                         d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                         d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
    if (value > bound + 0x1p-1000) return 1;
    if (value < -bound - 0x1p-1000) return -1;
    return UNKNOWN;
}

static toc_integer minor_of(toc_number_scope *numbers, const toc_integer d[3][3], int row, int k, int l) {
    return toc_integer_subtract(numbers, toc_integer_multiply(numbers, d[row][k], d[row + 1][l]),
                                toc_integer_multiply(numbers, d[row][l], d[row + 1][k]));
}

static toc_integer integer_determinant(toc_number_scope *numbers, const toc_integer d[3][3], int dimensions) {
    if (dimensions == 1) return d[0][0];
    if (dimensions == 2) return minor_of(numbers, d, 0, 0, 1);
    toc_integer sum = {0};
    for (int k = 0; k < 3; k++) {
        const toc_integer minor = minor_of(numbers, d, 1, (k + 1) % 3, (k + 2) % 3);
        sum = toc_integer_add(numbers, sum, toc_integer_multiply(numbers, d[0][k], minor));
    }
    return sum;
}

static int exact_orientation(instant *s, const int *corner) {
    const toc_arena_mark mark = toc_arena_here(s->numbers.arena);
    toc_integer d[3][3];
    for (int i = 0; i < s->dimensions; i++)
        for (int j = 0; j < s->dimensions; j++)
            d[i][j] = toc_integer_subtract(&s->numbers, s->at[corner[i + 1]][s->axes[j]], s->at[corner[0]][s->axes[j]]);
    const int sign = integer_determinant(&s->numbers, (const toc_integer(*)[3])d, s->dimensions).sign;
    toc_arena_back(s->numbers.arena, mark);
    return sign;
}

/// The orientation of dimensions + 1 corners, in ascending order.
static int orientation(instant *s, const int *corner) {
    int8_t *known = &s->signs[rank_of(corner, s->dimensions + 1)];
    if (*known == UNKNOWN) *known = (int8_t)rough_sign(s, corner);
    if (*known == UNKNOWN) *known = (int8_t)exact_orientation(s, corner);
    return *known;
}

/// Whether the one affine dependence of dimensions + 2 corners weighs A's against B's; false when there are several.
static bool corners_meet(instant *s, const int *corner) {
    const int count = s->dimensions + 2;
    int positive = 0, negative = 0;
    for (int out = 0; out < count; out++) {
        int rest[4], n = 0;
        for (int i = 0; i < count; i++)
            if (i != out) rest[n++] = corner[i];
        const int side = corner[out] < s->count_a ? 1 : -1;
        const int weight = side * (out % 2 ? -1 : 1) * orientation(s, rest);
        positive += weight > 0;
        negative += weight < 0;
        if (positive && negative) return false;
    }
    return positive + negative > 0;
}

static bool any_corners_meet(instant *s) {
    int corner[5];
    const int count = s->dimensions + 2;
    if (s->count < count) return false;
    first_choice(corner, count);
    do {
        if (corner[0] < s->count_a && corner[count - 1] >= s->count_a && corners_meet(s, corner)) return true;
    } while (next_choice(corner, count, s->count));
    return false;
}

/// Whether the corners span the dimensions in use.
static bool spans(instant *s) {
    int corner[4];
    const int count = s->dimensions + 1;
    if (s->count < count) return false;
    first_choice(corner, count);
    do {
        if (orientation(s, corner) != 0) return true;
    } while (next_choice(corner, count, s->count));
    return false;
}

/// Uses as many coordinates as the corners span dimensions; a projection along the others changes nothing.
static bool hulls_meet(instant *s) {
    static const int views[][4] = {{3, 0, 1, 2}, {2, 0, 1}, {2, 1, 2}, {2, 0, 2}, {1, 0}, {1, 1}, {1, 2}};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        s->dimensions = views[i][0];
        memcpy(s->axes, &views[i][1], sizeof s->axes);
        memset(s->signs, UNKNOWN, sizeof s->signs);
        if (spans(s)) return any_corners_meet(s);
    }
    return true; // all corners are one point
}

static void place_hull_corners(instant *s, const toc_hull *a, const toc_hull *b, double t) {
    toc_hull_sweep sweep;
    toc_gap gap;
    toc_hull_sweep_make(a, b, 0, &sweep);
    toc_hull_sweep_part(&sweep, t, t, &gap);
    s->count = a->count + b->count;
    s->count_a = a->count;
    memcpy(s->extent, (double[]){gap.extent.x, gap.extent.y, gap.extent.z}, sizeof s->extent);
    for (int i = 0; i < s->count; i++)
        for (int c = 0; c < 3; c++) s->near[i][c] = i < a->count ? gap.at[0][0][c][i] : gap.at[0][1][c][i - a->count];
    toc_path paths[POINTS];
    all_paths(&s->numbers, a, b, t, t, paths);
    for (int i = 0; i < s->count; i++)
        for (int c = 0; c < 3; c++) s->at[i][c] = paths[i].x[c].degree < 0 ? (toc_integer){0} : paths[i].x[c].c[0];
}

toc_status toc_decide_instant(const toc_hull *a, const toc_hull *b, double t, toc_arena *scratch, bool *share) {
    assert(0 <= t && t <= 1);
    assert(a->count + b->count <= POINTS);
    const toc_arena_mark mark = toc_arena_here(scratch);
    instant s = {.numbers = {.arena = scratch}};
    place_hull_corners(&s, a, b, t);
    const bool meet = hulls_meet(&s);
    toc_arena_back(scratch, mark);
    if (s.numbers.failed) return TOC_OUT_OF_MEMORY;
    *share = meet;
    return TOC_OK;
}

// ---- over time

typedef struct decision_search {
    toc_arena *scratch;
    const toc_hull *hull[2];
    const toc_pair_test *test;
    double clear; // there is no contact before
    bool found;
    double toc; // the earliest so far
} decision_search;

/// The hull of some corners of another.
typedef struct few {
    toc_hull hull;
    double x0[3][3], control[3][3], x1[3][3];
} few;

static void take_few(const toc_hull *all, const int *corner, int count, few *out) {
    out->hull = (toc_hull){count, out->x0[0], out->x1[0], all->control ? out->control[0] : NULL};
    for (int i = 0; i < count; i++) {
        memcpy(out->x0[i], all->x0 + 3 * corner[i], sizeof out->x0[i]);
        memcpy(out->x1[i], all->x1 + 3 * corner[i], sizeof out->x1[i]);
        if (all->control) memcpy(out->control[i], all->control + 3 * corner[i], sizeof out->control[i]);
    }
}

static bool separable(const toc_hull *a, const toc_hull *b, double from, double to) {
    toc_hull_sweep sweep;
    toc_gap gap;
    toc_gjk found;
    toc_hull_sweep_make(a, b, 0, &sweep);
    toc_hull_sweep_part(&sweep, from, to, &gap);
    toc_gjk_find(&gap, toc_gap_middle(&gap), true, &found);
    return found.lower > 0;
}

static toc_status ask_straight(toc_kind kind, const few *f, const few *g, decision_search *s, toc_hit *hit) {
    double x0[4][3], x1[4][3];
    for (int i = 0; i < 4; i++) {
        const bool mine = i < f->hull.count;
        const int from = mine ? i : i - f->hull.count;
        memcpy(x0[i], mine ? f->x0[from] : g->x0[from], sizeof x0[i]);
        memcpy(x1[i], mine ? f->x1[from] : g->x1[from], sizeof x1[i]);
    }
    return toc_exact_pair(kind, (const double(*)[3])x0, (const double(*)[3])x1, s->test, s->scratch, hit);
}

static toc_status ask_bent(toc_kind kind, const few *f, const few *g, decision_search *s, toc_hit *hit) {
    const toc_arena_mark mark = toc_arena_here(s->scratch);
    toc_number_scope numbers = {.arena = s->scratch};
    toc_path paths[4];
    toc_root first;
    const toc_part part = all_paths(&numbers, &f->hull, &g->hull, s->test->from, s->test->to, paths);
    hit->verdict = toc_exact_first(&numbers, kind, paths, &first) ? TOC_HIT : TOC_APART;
    if (hit->verdict == TOC_HIT) hit->toc = toc_part_time(&numbers, &part, &first);
    toc_arena_back(s->scratch, mark);
    return numbers.failed ? TOC_OUT_OF_MEMORY : TOC_OK;
}

/// Test one corner of a side against three of the other, or two against two.
static toc_status ask(decision_search *s, toc_kind kind, int side, const int *mine, const int *others) {
    const int count = kind == TOC_VF ? 1 : 2;
    few f, g;
    toc_hit hit;
    take_few(s->hull[side], mine, count, &f);
    take_few(s->hull[1 - side], others, 4 - count, &g);
    const double to = s->found && s->toc > s->clear ? s->toc : s->test->to;
    if (separable(&f.hull, &g.hull, s->clear, to)) return TOC_OK;
    const bool bent = f.hull.control || g.hull.control;
    TOC_TRY(bent ? ask_bent(kind, &f, &g, s, &hit) : ask_straight(kind, &f, &g, s, &hit));
    if (hit.verdict == TOC_APART) return TOC_OK;
    const double toc = hit.toc > s->clear ? hit.toc : s->clear;
    if (!s->found || toc < s->toc) s->toc = toc;
    s->found = true;
    return TOC_OK;
}

/// Every corner of one hull against every triangle between corners of the other, which may be an edge or a point.
static toc_status ask_corners(decision_search *s, int side) {
    const int count = s->hull[1 - side]->count;
    if (count < 3 && s->hull[side]->count > 1) return TOC_OK; // a corner on an edge is also two edges that touch
    for (int v = 0; v < s->hull[side]->count; v++) {
        int face[3] = {0, count > 1, count > 1};
        if (count > 2) first_choice(face, 3);
        do TOC_TRY(ask(s, TOC_VF, side, &v, face));
        while (count > 2 && next_choice(face, 3, count));
    }
    return TOC_OK;
}

static toc_status ask_edges(decision_search *s) {
    if (s->hull[0]->count < 2 || s->hull[1]->count < 2) return TOC_OK;
    int a[2] = {0, 1};
    do {
        int b[2] = {0, 1};
        do TOC_TRY(ask(s, TOC_EE, 0, a, b));
        while (next_choice(b, 2, s->hull[1]->count));
    } while (next_choice(a, 2, s->hull[0]->count));
    return TOC_OK;
}

toc_status toc_decide_moving(const toc_hull *a, const toc_hull *b, const toc_pair_test *test, double clear,
                             toc_arena *scratch, toc_verdict *verdict, double *toc) {
    assert(test->separation == 0);
    assert(test->from <= clear && clear <= test->to);
    decision_search s = {.scratch = scratch, .hull = {a, b}, .test = test, .clear = clear, .toc = test->from};
    if (clear <= test->from) TOC_TRY(toc_decide_instant(a, b, test->from, scratch, &s.found));
    if (!s.found) {
        TOC_TRY(ask_corners(&s, 0));
        TOC_TRY(ask_corners(&s, 1));
        TOC_TRY(ask_edges(&s));
    }
    *verdict = s.found ? TOC_HIT : TOC_APART;
    if (s.found) *toc = s.toc;
    return TOC_OK;
}
