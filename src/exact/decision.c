// SPDX-License-Identifier: Apache-2.0
// Do two convex elements share a point - now, or at any time of the step? In integers, for any finite input.
//
// Now: if two hulls meet then so do those of some few corners (Kirchberger 1903), d + 2 of them when all corners span d
// dimensions, and those corners can be chosen to span them too. Then the corners have one affine dependence, whose
// signs are orientations, and the hulls meet when it weighs one element's corners against the other's (Radon 1921). So
// signs of determinants decide, floating point giving most of them, in 3 dimensions and likewise in a plane or on a
// line. Over time: hulls that are apart first meet with a corner on a triangle of corners, or with two edges between
// corners. All such pairs that no axis separates go to exact.c: some ten microseconds each.
#include "exact/decision.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "exact/convex.h"
#include "exact/exact.h"

enum { POINTS = 2 * TOC_HULL_CORNERS, QUADRUPLES = 1820 }; // the choices of 4 out of 16

// ---- paths in integers

/// A part of the step: from + s * length, over 2^bits.
typedef struct part {
    toc_integer from, length, whole;
    uint32_t bits;
} part;

static int lowest_bit(int lowest, double value) {
    if (value == 0) return lowest;
    const int bit = toc_double_lowest_bit(value);
    return bit < lowest ? bit : lowest;
}

static part part_of(toc_numbers *numbers, double from, double to) {
    const int lowest = lowest_bit(lowest_bit(0, from), to);
    const toc_integer first = toc_integer_scaled(numbers, from, lowest);
    return (part){.from = first,
                  .length = toc_integer_subtract(numbers, toc_integer_scaled(numbers, to, lowest), first),
                  .whole = toc_integer_scaled(numbers, 1, lowest),
                  .bits = (uint32_t)-lowest};
}

/// The lowest bit of all coordinates, over which they are integers.
static int common_exponent(const toc_hull *hull, int lowest) {
    for (int i = 0; i < 3 * hull->count; i++) {
        lowest = lowest_bit(lowest_bit(lowest, hull->x0[i]), hull->x1[i]);
        if (hull->control) lowest = lowest_bit(lowest, hull->control[i]);
    }
    return lowest;
}

/// p[0] + p[1] t + p[2] t^2 of a coordinate over the whole step.
static void powers_of(toc_numbers *numbers, const toc_hull *hull, int i, int exponent, toc_integer p[3]) {
    const toc_integer start = toc_integer_scaled(numbers, hull->x0[i], exponent);
    const toc_integer way = toc_integer_subtract(numbers, toc_integer_scaled(numbers, hull->x1[i], exponent), start);
    p[0] = start;
    p[1] = way;
    p[2] = (toc_integer){0};
    if (!hull->control) return;
    const toc_integer control = toc_integer_scaled(numbers, hull->control[i], exponent);
    p[1] = toc_integer_shift(numbers, toc_integer_subtract(numbers, control, start), 1);
    p[2] = toc_integer_subtract(numbers, way, p[1]);
}

/// The same over a part, times 2^(bits * degree): t = (from + s length) / 2^bits.
static toc_polynomial over_part(toc_numbers *numbers, const toc_integer p[3], int degree, const part *of) {
    toc_integer c[3] = {p[degree]};
    for (int k = degree - 1, top = 0; k >= 0;
         k--) { // Horner: c becomes c (from + s length) + p[k] 2^(bits (degree - k))
        toc_integer weight = p[k];
        for (int i = k; i < degree; i++) weight = toc_integer_multiply(numbers, weight, of->whole);
        top++;
        for (int i = top; i >= 0; i--) {
            const toc_integer stays = i < top ? toc_integer_multiply(numbers, c[i], of->from) : (toc_integer){0};
            const toc_integer rises = i > 0 ? toc_integer_multiply(numbers, c[i - 1], of->length) : weight;
            c[i] = toc_integer_add(numbers, stays, rises);
        }
    }
    return toc_polynomial_of(degree, c);
}

static void paths_of(toc_numbers *numbers, const toc_hull *hull, int exponent, int degree, const part *of,
                     toc_path *paths) {
    for (int i = 0; i < hull->count; i++)
        for (int c = 0; c < 3; c++) {
            toc_integer p[3];
            powers_of(numbers, hull, 3 * i + c, exponent, p);
            paths[i].x[c] = over_part(numbers, p, degree, of);
        }
}

/// Paths of both hulls over [from, to], A's corners first.
static part all_paths(toc_numbers *numbers, const toc_hull *a, const toc_hull *b, double from, double to,
                      toc_path paths[POINTS]) {
    const part of = part_of(numbers, from, to);
    const int exponent = common_exponent(b, common_exponent(a, INT_MAX));
    const int degree = a->control || b->control ? 2 : 1;
    paths_of(numbers, a, exponent, degree, &of, paths);
    paths_of(numbers, b, exponent, degree, &of, paths + a->count);
    return of;
}

// ---- an instant

typedef struct instant {
    toc_numbers numbers;
    int count, count_a;        // corners of both, A's first
    double near[POINTS][3];    // rounded, about 1 in size
    double extent[3];          // of those
    toc_integer at[POINTS][3]; // exact, in another unit
    int dimensions, axes[3];   // which coordinates are looked at
    int8_t signs[QUADRUPLES];  // of determinants known so far; UNKNOWN elsewhere
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

/// Sign of the determinant of the corners' differences from the first, where rounding cannot change it; else UNKNOWN.
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

static toc_integer minor_of(toc_numbers *numbers, const toc_integer d[3][3], int row, int k, int l) {
    return toc_integer_subtract(numbers, toc_integer_multiply(numbers, d[row][k], d[row + 1][l]),
                                toc_integer_multiply(numbers, d[row][l], d[row + 1][k]));
}

static toc_integer determinant(toc_numbers *numbers, const toc_integer d[3][3], int dimensions) {
    if (dimensions == 1) return d[0][0];
    if (dimensions == 2) return minor_of(numbers, d, 0, 0, 1);
    toc_integer sum = {0};
    for (int k = 0; k < 3; k++) {
        const toc_integer minor = minor_of(numbers, d, 1, (k + 1) % 3, (k + 2) % 3);
        sum = toc_integer_add(numbers, sum, toc_integer_multiply(numbers, d[0][k], minor));
    }
    return sum;
}

static int exact_sign(instant *s, const int *corner) {
    const toc_arena_mark mark = toc_arena_here(s->numbers.arena);
    toc_integer d[3][3];
    for (int i = 0; i < s->dimensions; i++)
        for (int j = 0; j < s->dimensions; j++)
            d[i][j] = toc_integer_subtract(&s->numbers, s->at[corner[i + 1]][s->axes[j]], s->at[corner[0]][s->axes[j]]);
    const int sign = determinant(&s->numbers, (const toc_integer(*)[3])d, s->dimensions).sign;
    toc_arena_back(s->numbers.arena, mark);
    return sign;
}

/// The orientation of dimensions + 1 corners, in ascending order.
static int orientation(instant *s, const int *corner) {
    int8_t *known = &s->signs[rank_of(corner, s->dimensions + 1)];
    if (*known == UNKNOWN) *known = (int8_t)rough_sign(s, corner);
    if (*known == UNKNOWN) *known = (int8_t)exact_sign(s, corner);
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

/// Whether the corners span the dimensions looked at.
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

/// In the most coordinates that the corners span; a projection along the others changes nothing.
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

static void place_corners(instant *s, const toc_hull *a, const toc_hull *b, double t) {
    toc_sweep sweep;
    toc_gap gap;
    toc_sweep_make(a, b, 0, &sweep);
    toc_sweep_part(&sweep, t, t, &gap);
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
    const toc_arena_mark mark = toc_arena_here(scratch);
    instant s = {.numbers = {.arena = scratch}};
    place_corners(&s, a, b, t);
    const bool meet = hulls_meet(&s);
    toc_arena_back(scratch, mark);
    if (s.numbers.failed) return TOC_OUT_OF_MEMORY;
    *share = meet;
    return TOC_OK;
}

// ---- over time

typedef struct course {
    toc_numbers numbers;
    const toc_hull *hull[2];
    double clear, to; // where axes are looked for
    part of;
    toc_path paths[POINTS];
    bool found;
    double toc; // the earliest so far
} course;

/// The hull of some corners of another.
typedef struct few {
    toc_hull hull;
    double x0[9], x1[9], control[9];
} few;

static void take_few(const toc_hull *all, const int *corner, int count, few *out) {
    out->hull = (toc_hull){count, out->x0, out->x1, all->control ? out->control : NULL};
    for (int i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
            out->x0[3 * i + c] = all->x0[3 * corner[i] + c];
            out->x1[3 * i + c] = all->x1[3 * corner[i] + c];
            if (all->control) out->control[3 * i + c] = all->control[3 * corner[i] + c];
        }
}

static bool separable(const toc_hull *a, const toc_hull *b, double from, double to) {
    toc_sweep sweep;
    toc_gap gap;
    toc_gjk found;
    toc_sweep_make(a, b, 0, &sweep);
    toc_sweep_part(&sweep, from, to, &gap);
    toc_gjk_find(&gap, toc_gap_middle(&gap), true, &found);
    return found.lower > 0;
}

/// The time of a root as the largest double that is not later.
static double time_of(course *s, toc_root *root) {
    toc_root_refine(&s->numbers, root, 64);
    const toc_integer passed = toc_integer_multiply(&s->numbers, s->of.length, root->place);
    const toc_integer from = toc_integer_shift(&s->numbers, s->of.from, root->depth);
    return toc_integer_to_double(toc_integer_add(&s->numbers, from, passed), (int)(s->of.bits + root->depth));
}

/// Ask about some corners of one hull against some of the other: 1 and 3, or 2 and 2.
static void ask(course *s, int first, const int *of_first, const int *of_second) {
    const toc_kind kind = first < 0 ? TOC_EE : TOC_VF;
    const int side = first < 0 ? 0 : first, count = kind == TOC_VF ? 1 : 2;
    few f, g;
    take_few(s->hull[side], of_first, count, &f);
    take_few(s->hull[1 - side], of_second, 4 - count, &g);
    if (separable(&f.hull, &g.hull, s->clear, s->found && s->toc > s->clear ? s->toc : s->to)) return;
    const toc_arena_mark mark = toc_arena_here(s->numbers.arena);
    const toc_path *mine = s->paths + (side ? s->hull[0]->count : 0),
                   *other = s->paths + (side ? 0 : s->hull[0]->count);
    toc_path vertices[4];
    for (int i = 0; i < 4; i++) vertices[i] = i < count ? mine[of_first[i]] : other[of_second[i - count]];
    toc_root root;
    if (toc_exact_first(&s->numbers, kind, vertices, &root)) {
        const double toc = time_of(s, &root);
        if (!s->found || toc < s->toc) s->toc = toc;
        s->found = true;
    }
    toc_arena_back(s->numbers.arena, mark);
}

/// Every corner of one hull against every triangle between corners of the other, which may be an edge or a point.
static void ask_corners(course *s, int side) {
    const int count = s->hull[1 - side]->count;
    if (count < 3 && s->hull[side]->count > 1) return; // a corner on an edge is also two edges that touch
    for (int v = 0; v < s->hull[side]->count; v++) {
        int face[3] = {0, count > 1, count > 1};
        if (count > 2) first_choice(face, 3);
        do ask(s, side, &v, face);
        while (count > 2 && next_choice(face, 3, count));
    }
}

static void ask_edges(course *s) {
    if (s->hull[0]->count < 2 || s->hull[1]->count < 2) return;
    int a[2] = {0, 1};
    do {
        int b[2] = {0, 1};
        do ask(s, -1, a, b);
        while (next_choice(b, 2, s->hull[1]->count));
    } while (next_choice(a, 2, s->hull[0]->count));
}

toc_status toc_decide_moving(const toc_hull *a, const toc_hull *b, const toc_pair_test *test, double clear,
                             toc_arena *scratch, toc_verdict *verdict, double *toc) {
    bool overlap = false;
    if (clear <= test->from) TOC_TRY(toc_decide_instant(a, b, test->from, scratch, &overlap));
    const toc_arena_mark mark = toc_arena_here(scratch);
    course s = {.numbers = {.arena = scratch}, .hull = {a, b}, .clear = clear, .to = test->to};
    if (!overlap) {
        // The part asked about, not what is left of it: `clear` has all its bits set, which would make for long
        // numbers.
        s.of = all_paths(&s.numbers, a, b, test->from, test->to, s.paths);
        ask_corners(&s, 0);
        ask_corners(&s, 1);
        ask_edges(&s);
    }
    toc_arena_back(scratch, mark);
    if (s.numbers.failed) return TOC_OUT_OF_MEMORY;
    *verdict = overlap || s.found ? TOC_HIT : TOC_APART;
    if (*verdict == TOC_HIT) *toc = overlap ? test->from : s.toc;
    return TOC_OK;
}
