// SPDX-License-Identifier: Apache-2.0
// The cost of continuous separating axes beside the tests that they spare: Section 7 of VolCCD (Tang et al. 2011).
//
// A vertex and a moving face, or a moving tet, anywhere in a box: the axis test of Corollaries 1 and 2 with a normal at
// the start, as published and as the library has it (with a margin for rounding); the elementary test, cubic and
// certified; culling by coplanarity (Tang et al. 2010, "Fast continuous collision detection using deforming
// non-penetration filters"); and the overlap of two oriented boxes by fifteen axes. All answers of the axes are
// compared with exact arithmetic: the program fails if an axis separates what touches.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "bench/bench.h"
#include "bench/support/measure.h"
#include "cull/volume/feature_csat.h"
#include "toccata/research.h"

enum { COUNT = 1000, REPEAT = 50, CORNERS = 5 }; // a vertex, then the corners of a tet; the first three are the face

/// An oriented box: its axes, half of its sizes, its middle.
typedef struct oriented {
    toc_vec axes[3], middle;
    double half[3];
} oriented;

typedef struct questions {
    double x0[COUNT * CORNERS][3], x1[COUNT * CORNERS][3];
    oriented boxes[COUNT][2];
    toc_verdict verdicts[4 * COUNT];
    double times[4 * COUNT];
    uint32_t pairs[4 * COUNT][4]; // the faces of the tet, and the first COUNT of them its first face
    toc_pair_test test;
    size_t batch;                                         // pairs of it to ask
    bool (*apart)(const struct questions *q, uint32_t i); // the test to measure
    size_t found;
} questions;

static toc_vec at(const double (*x)[3], uint32_t i) { return toc_vec_of(x[i]); }

// ---- the tests

static toc_vec normal_of(const double (*x)[3], const uint32_t face[3]) {
    return toc_vec_cross(toc_vec_sub(at(x, face[1]), at(x, face[0])), toc_vec_sub(at(x, face[2]), at(x, face[0])));
}

// Corollaries 1 and 2 as published: the same sign of all differences along the normal at the start, compared with 0.
static bool published_apart(const questions *q, uint32_t i, uint32_t corners) {
    const uint32_t first = CORNERS * i, face[3] = {first + 1, first + 2, first + 3};
    const toc_vec normal = normal_of(q->x0, face);
    const double p0 = toc_vec_dot(at(q->x0, first), normal), p1 = toc_vec_dot(at(q->x1, first), normal);
    // The corners of the face have one height at the start.
    const double height = toc_vec_dot(at(q->x0, first + 1), normal) - p0;
    bool same = true;
    for (uint32_t k = 1; k <= corners; k++) {
        if (k > 3) same = same && (toc_vec_dot(at(q->x0, first + k), normal) - p0) * height > 0;
        same = same && (toc_vec_dot(at(q->x1, first + k), normal) - p1) * height > 0;
    }
    return same;
}
static bool published_face(const questions *q, uint32_t i) { return published_apart(q, i, 3); }
static bool published_tet(const questions *q, uint32_t i) { return published_apart(q, i, 4); }

static bool library_apart(const questions *q, uint32_t i, int corners) {
    const uint32_t first = CORNERS * i, cell[4] = {first + 1, first + 2, first + 3, first + 4};
    const toc_feature_csat csat = {.x0 = q->x0[0], .x1 = q->x1[0]};
    return toc_csat_vertex_apart(&csat, first, cell, corners, cell);
}
static bool library_face(const questions *q, uint32_t i) { return library_apart(q, i, 3); }
static bool library_tet(const questions *q, uint32_t i) { return library_apart(q, i, 4); }

// The height of the vertex over the moving face is a cubic in time: these are its Bernstein coefficients.
static bool filter_apart(const questions *q, uint32_t vertex, const uint32_t face[3]) {
    const toc_vec n0 = normal_of(q->x0, face), n1 = normal_of(q->x1, face);
    toc_vec u = toc_vec_sub(at(q->x1, face[1]), at(q->x0, face[1]));
    const toc_vec va = toc_vec_sub(at(q->x1, face[0]), at(q->x0, face[0]));
    const toc_vec w = toc_vec_sub(toc_vec_sub(at(q->x1, face[2]), at(q->x0, face[2])), va);
    u = toc_vec_sub(u, va);
    const toc_vec middle = toc_vec_sub(toc_vec_add(n0, n1), toc_vec_cross(u, w)); // twice that of the middle
    const toc_vec p0 = toc_vec_sub(at(q->x0, vertex), at(q->x0, face[0]));
    const toc_vec p1 = toc_vec_sub(at(q->x1, vertex), at(q->x1, face[0]));
    const double a = toc_vec_dot(p0, n0), d = toc_vec_dot(p1, n1);
    const double b = toc_vec_dot(p0, middle) + toc_vec_dot(p1, n0), c = toc_vec_dot(p1, middle) + toc_vec_dot(p0, n1);
    return (a > 0 && b > 0 && c > 0 && d > 0) || (a < 0 && b < 0 && c < 0 && d < 0);
}
static bool filter_face(const questions *q, uint32_t i) {
    return filter_apart(q, CORNERS * i, (uint32_t[]){CORNERS * i + 1, CORNERS * i + 2, CORNERS * i + 3});
}
static bool filter_tet(const questions *q, uint32_t i) {
    bool all = true;
    for (uint32_t f = 0; f < 4; f++) all = filter_apart(q, CORNERS * i, q->pairs[f * COUNT + i] + 1) && all;
    return all;
}

static double reach_along(const oriented *box, toc_vec axis) {
    double reach = 0;
    for (int k = 0; k < 3; k++) reach += box->half[k] * fabs(toc_vec_dot(box->axes[k], axis));
    return reach;
}

static bool boxes_apart(const questions *q, uint32_t i) {
    const oriented *a = &q->boxes[i][0], *b = &q->boxes[i][1];
    const toc_vec between = toc_vec_sub(b->middle, a->middle);
    for (int k = 0; k < 15; k++) {
        const toc_vec axis = k < 3   ? a->axes[k]
                             : k < 6 ? b->axes[k - 3]
                                     : toc_vec_cross(a->axes[(k - 6) / 3], b->axes[(k - 6) % 3]);
        if (fabs(toc_vec_dot(between, axis)) > reach_along(a, axis) + reach_along(b, axis)) return true;
    }
    return false;
}

// ---- questions

static void make_box(bench_random *random, oriented *box) {
    double r[9];
    for (int k = 0; k < 9; k++) r[k] = bench_between(random, -1, 1);
    box->axes[0] = toc_vec_unit((toc_vec){r[0], r[1], r[2]});
    box->axes[1] = toc_vec_unit(toc_vec_cross(box->axes[0], (toc_vec){r[3], r[4], r[5]}));
    box->axes[2] = toc_vec_cross(box->axes[0], box->axes[1]);
    box->middle = (toc_vec){r[6], r[7], r[8]};
    for (int k = 0; k < 3; k++) box->half[k] = bench_between(random, 0.1, 0.5);
}

static void make_questions(questions *q, double motion) {
    static const uint32_t faces[4][3] = {{1, 2, 3}, {1, 4, 2}, {2, 4, 3}, {3, 4, 1}};
    bench_random random = {7};
    for (int v = 0; v < COUNT * CORNERS; v++)
        for (int k = 0; k < 3; k++) {
            q->x0[v][k] = bench_between(&random, 0, 1);
            q->x1[v][k] = q->x0[v][k] + bench_between(&random, -motion, motion);
        }
    for (uint32_t i = 0; i < COUNT; i++) {
        for (int k = 0; k < 2; k++) make_box(&random, &q->boxes[i][k]);
        for (uint32_t f = 0; f < 4; f++) {
            q->pairs[f * COUNT + i][0] = CORNERS * i;
            for (int k = 0; k < 3; k++) q->pairs[f * COUNT + i][k + 1] = CORNERS * i + faces[f][k];
        }
    }
}

// ---- measuring

static void ask_apart(void *user) {
    questions *q = user;
    for (int repeat = 0; repeat < REPEAT; repeat++) {
        q->found = 0;
        for (uint32_t i = 0; i < COUNT; i++) q->found += q->apart(q, i);
    }
}

static void ask_batch(void *user) {
    questions *q = user;
    const toc_pair_batch batch = {.kind = TOC_VF,
                                  .count = q->batch,
                                  .vertices = (const uint32_t(*)[4])q->pairs,
                                  .body0 = {q->x0[0], q->x0[0]},
                                  .body1 = {q->x1[0], q->x1[0]},
                                  .vertex_count = {COUNT * CORNERS, COUNT * CORNERS}};
    bench_check(toc_pair_find_batch(&batch, &q->test, q->verdicts, q->times));
}

// One question at a time, as the axes are asked.
static void ask_singly(void *user) {
    questions *q = user;
    for (uint32_t i = 0; i < q->batch; i++) {
        toc_pair pair;
        toc_hit hit;
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 3; c++) {
                pair.x0[k][c] = q->x0[q->pairs[i][k]][c];
                pair.x1[k][c] = q->x1[q->pairs[i][k]][c];
            }
        bench_check(toc_pair_find(TOC_VF, &pair, &q->test, &hit));
        q->verdicts[i] = hit.verdict;
    }
}

static double elementary(questions *q, toc_method method, size_t faces, void (*ask)(void *)) {
    q->test = toc_pair_test_default();
    q->test.method = method;
    q->test.exact = method != TOC_METHOD_CUBIC;
    q->batch = faces * COUNT;
    return bench_ns(ask, q, COUNT);
}

// A question that an axis or the filter separates touches no face of the element.
static void check_apart(questions *q, bool (*apart)(const questions *q, uint32_t i), size_t faces, const char *name) {
    for (uint32_t i = 0; i < COUNT; i++)
        for (size_t f = 0; f < faces; f++) {
            if (!apart(q, i) || q->verdicts[f * COUNT + i] == TOC_APART) continue;
            fprintf(stderr, "bench.axes: question %u: %s separates a vertex from a face that it touches\n", i, name);
            exit(1);
        }
}

static double cost(questions *q, bool (*apart)(const questions *q, uint32_t i), size_t faces, const char *name) {
    q->apart = apart;
    if (faces > 0) check_apart(q, apart, faces, name);
    return bench_ns(ask_apart, q, (uint64_t)COUNT * REPEAT);
}

static void print_row(const questions *q, const char *name, double ns, double cubic, bool removes) {
    printf("| %s | %.1f | %.1f |", name, ns, 100 * ns / cubic);
    if (removes) printf(" %.1f |\n", 100.0 * (double)q->found / COUNT);
    if (!removes) printf(" |\n");
}

static void print_element(questions *q, size_t faces) {
    elementary(q, TOC_METHOD_EXACT, faces, ask_batch); // the verdicts to compare with
    const bool tet = faces == 4;
    printf("\n%s, ns a question, %% of its cubics, %% separated\n\n",
           tet ? "A vertex and a tet" : "A vertex and a face");
    printf("| test | ns | of the cubics, %% | separated, %% |\n|---|---|---|---|\n");
    struct {
        const char *name;
        bool (*apart)(const questions *q, uint32_t i);
        double ns;
        size_t found;
    } rows[] = {{"separating axis, as published", tet ? published_tet : published_face, 0, 0},
                {"separating axis, with margins", tet ? library_tet : library_face, 0, 0},
                {"coplanarity filter", tet ? filter_tet : filter_face, 0, 0}};
    for (int i = 0; i < 3; i++) rows[i].ns = cost(q, rows[i].apart, faces, rows[i].name), rows[i].found = q->found;
    const double cubic = elementary(q, TOC_METHOD_CUBIC, faces, ask_singly);
    const double certified = elementary(q, TOC_METHOD_CERTIFIED, faces, ask_singly);
    const double many = elementary(q, TOC_METHOD_CERTIFIED, faces, ask_batch);
    for (int i = 0; i < 3; i++) {
        q->found = rows[i].found;
        print_row(q, rows[i].name, rows[i].ns, cubic, true);
    }
    print_row(q, "cubic, one by one", cubic, cubic, false);
    print_row(q, "certified, one by one", certified, cubic, false);
    print_row(q, "certified, many at a time", many, cubic, false);
    printf("\nfilter over published axis %.1f\n", rows[2].ns / rows[0].ns);
}

int main(void) {
    static questions q;
    make_questions(&q, 0.1);
    print_element(&q, 1);
    print_element(&q, 4);
    const double boxes = cost(&q, boxes_apart, 0, ""), axis = cost(&q, published_tet, 0, "");
    printf("\nOverlap of two oriented boxes: %.1f ns, %.1f times the published axis of a vertex and a tet\n", boxes,
           boxes / axis);
    return 0;
}
