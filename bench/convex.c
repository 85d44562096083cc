// SPDX-License-Identifier: Apache-2.0
// The cost of a question about two convex elements, by shape and by answer; a sample of answers is checked exactly.
//
// Elements have size 1, move by about a third of it and bend a little. Their swept boxes overlap, as behind a broad
// phase. Run as bench.convex [QUERIES].
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "convex/convex.h"
#include "convex/overlap.h"

typedef struct body {
    double x0[TOC_HULL_CORNERS][3], control[TOC_HULL_CORNERS][3], x1[TOC_HULL_CORNERS][3];
} body;

typedef struct query {
    body a, b;
    toc_verdict verdict;
} query;

typedef struct shape {
    const char *name;
    int count;
    double corners[TOC_HULL_CORNERS][3];
} shape;

static const shape point = {"point", 1, {{0}}};
static const shape edge = {"edge", 2, {{0, 0, 0}, {1, 0, 0}}};
static const shape triangle = {"triangle", 3, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
static const shape tet = {"tet", 4, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
static const shape wedge = {"wedge", 6, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}};
static const shape hex = {
    "hex", 8, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};

/// CPU time of this process, independent of other work on the machine.
static uint64_t state = 1;

static double uniform(double low, double high) {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

/// Turned by a random quaternion, placed within a distance, moved and bent.
static void make_body(const shape *of, double reach, body *out) {
    const double q[4] = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    const double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    double place[3], motion[3], pull[3];
    for (int c = 0; c < 3; c++) {
        place[c] = uniform(-reach, reach);
        motion[c] = uniform(-0.3, 0.3);
        pull[c] = uniform(-0.1, 0.1);
    }
    for (int i = 0; i < of->count; i++)
        for (int c = 0; c < 3; c++) {
            const double *v = of->corners[i];
            const int k = (c + 1) % 3, l = (c + 2) % 3;
            // v + 2 q x (q x v + w v) over |q|^2, one coordinate of it
            const double u[3] = {q[1] * v[2] - q[2] * v[1] + q[3] * v[0], q[2] * v[0] - q[0] * v[2] + q[3] * v[1],
                                 q[0] * v[1] - q[1] * v[0] + q[3] * v[2]};
            out->x0[i][c] = place[c] + v[c] + 2 * (q[k] * u[l] - q[l] * u[k]) / norm;
            out->x1[i][c] = out->x0[i][c] + motion[c] + uniform(-0.05, 0.05);
            out->control[i][c] = (out->x0[i][c] + out->x1[i][c]) / 2 + pull[c];
        }
}

static bool swept_boxes_overlap(const shape *a, const shape *b, const query *q) {
    for (int c = 0; c < 3; c++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int side = 0; side < 2; side++) {
            const body *of = side ? &q->b : &q->a;
            for (int i = 0; i < (side ? b : a)->count; i++) {
                low[side] = fmin(low[side], fmin(of->x0[i][c], of->x1[i][c]));
                high[side] = fmax(high[side], fmax(of->x0[i][c], of->x1[i][c]));
            }
        }
        if (low[0] > high[1] || low[1] > high[0]) return false;
    }
    return true;
}

static toc_hull hull_of(const shape *of, const body *at, bool bent) {
    return (toc_hull){of->count, at->x0[0], at->x1[0], bent ? at->control[0] : NULL};
}

typedef enum question { STRAIGHT, BENT, OVERLAP } question;

static toc_status ask(question what, const shape *a, const shape *b, const query *q, const toc_pair_test *test,
                      toc_arena *scratch, toc_verdict *out) {
    const toc_hull first = hull_of(a, &q->a, what == BENT), second = hull_of(b, &q->b, what == BENT);
    toc_convex_hit hit = {0};
    toc_overlap overlap = {0};
    const toc_status status = what == OVERLAP ? toc_overlap_find_unchecked(&first, &second, scratch, &overlap)
                                              : toc_convex_find_unchecked(&first, &second, test, scratch, &hit);
    *out = what == OVERLAP ? overlap.verdict : hit.verdict;
    return status;
}

/// Whether a sample of the answers is right.
static bool check(question what, const shape *a, const shape *b, const query *queries, size_t count,
                  toc_arena *scratch) {
    toc_pair_test exact = toc_pair_test_default();
    exact.method = TOC_METHOD_EXACT;
    for (size_t i = 0; i < count; i += 1 + count / 40) {
        toc_verdict want;
        if (what == OVERLAP) exact.to = 0;
        if (ask(what == OVERLAP ? STRAIGHT : what, a, b, &queries[i], &exact, scratch, &want) != TOC_OK) return false;
        if (want != queries[i].verdict) return false;
    }
    return true;
}

/// Time the queries of one verdict: the best of several runs for each batch.
static double time_of(question what, const shape *a, const shape *b, const query *queries, size_t count, toc_verdict of,
                      toc_arena *scratch) {
    const toc_pair_test test = toc_pair_test_default();
    double best = INFINITY;
    size_t asked = 0;
    for (int run = 0; run < 5; run++) {
        const double start = bench_seconds();
        asked = 0;
        for (size_t i = 0; i < count; i++) {
            toc_verdict verdict;
            if (queries[i].verdict != of) continue;
            if (ask(what, a, b, &queries[i], &test, scratch, &verdict) != TOC_OK || verdict != of) return NAN;
            asked++;
        }
        best = fmin(best, bench_seconds() - start);
    }
    return asked ? 1e9 * best / (double)asked : 0;
}

static bool measure(question what, const shape *a, const shape *b, query *queries, size_t count, toc_arena *scratch) {
    static const char *const names[] = {"moving", "on parabolas", "overlap"};
    const toc_pair_test test = toc_pair_test_default();
    size_t hits = 0;
    for (size_t i = 0; i < count; i++) {
        do {
            make_body(a, 1.5, &queries[i].a);
            make_body(b, 1.5, &queries[i].b);
        } while (!swept_boxes_overlap(a, b, &queries[i]));
        if (ask(what, a, b, &queries[i], &test, scratch, &queries[i].verdict) != TOC_OK) return false;
        hits += queries[i].verdict == TOC_HIT;
    }
    const bool right = check(what, a, b, queries, count, scratch);
    printf("%-8s %-8s  %-12s  %5.1f %% touch  %7.0f ns apart  %7.0f ns touching  %s\n", a->name, b->name, names[what],
           100.0 * (double)hits / (double)count, time_of(what, a, b, queries, count, TOC_APART, scratch),
           time_of(what, a, b, queries, count, TOC_HIT, scratch), right ? "checked" : "WRONG");
    return right;
}

int main(int argc, char **argv) {
    const size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
    static const struct {
        question what;
        const shape *a, *b;
    } rows[] = {{STRAIGHT, &point, &triangle},
                {STRAIGHT, &edge, &edge},
                {STRAIGHT, &triangle, &triangle},
                {STRAIGHT, &tet, &tet},
                {STRAIGHT, &tet, &hex},
                {STRAIGHT, &wedge, &wedge},
                {STRAIGHT, &hex, &hex},
                {BENT, &point, &triangle},
                {BENT, &edge, &edge},
                {BENT, &tet, &tet},
                {BENT, &hex, &hex},
                {OVERLAP, &triangle, &triangle},
                {OVERLAP, &tet, &tet},
                {OVERLAP, &hex, &hex}};
    query *queries = calloc(count, sizeof *queries);
    toc_arena scratch = toc_arena_make(NULL);
    bool right = queries && count > 0;
    for (size_t i = 0; right && i < sizeof rows / sizeof *rows; i++)
        right = measure(rows[i].what, rows[i].a, rows[i].b, queries, count, &scratch);
    toc_arena_free(&scratch);
    free(queries);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
