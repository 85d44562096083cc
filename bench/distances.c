// SPDX-License-Identifier: Apache-2.0
// The cost of a distance: a vertex from a plane and from a face, a line from a line and an edge from an edge.
// Figures 5 and 6 of Zhang and Kim 2012, who find 9.6 times for the first two and 1.7 to 3.0 times for the others.
//
// Inside both edges the ratio is about the paper's; at their ends, where the closest points are computed again, it is
// higher. The paper's code for lines and edges is not known, so the rest of the difference stays unexplained.
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "pair/distance.h"

enum { COUNT = 1000, REPEAT = 100 };

// Questions of one case, and storage for the answers, so that the compiler removes no work.
typedef struct questions {
    int count;
    toc_vec x[COUNT][4], normal[COUNT];
    double (*distance)(const struct questions *q, int i);
    double sum;
} questions;

static double plane_known(const questions *q, int i) {
    return toc_vec_dot(toc_vec_sub(q->x[i][0], q->x[i][1]), q->normal[i]);
}
static double plane(const questions *q, int i) { return toc_distance_plane(q->x[i]); }
static double face(const questions *q, int i) { return toc_closest_vf(q->x[i]).distance; }
static double lines(const questions *q, int i) {
    const toc_vec *x = q->x[i], normal = toc_vec_cross(toc_vec_sub(x[1], x[0]), toc_vec_sub(x[3], x[2]));
    const double square = toc_vec_dot(normal, normal);
    return square > 0 ? toc_vec_dot(toc_vec_sub(x[2], x[0]), normal) / sqrt(square) : 0;
}
static double edges(const questions *q, int i) { return toc_closest_ee(q->x[i]).distance; }

static void run(void *user) {
    questions *q = user;
    double sum = 0;
    for (int repeat = 0; repeat < REPEAT; repeat++)
        for (int i = 0; i < q->count; i++) sum += q->distance(q, i);
    q->sum = sum;
}

static double cost(questions *q, double (*distance)(const questions *q, int i)) {
    q->distance = distance;
    return bench_ns(run, q, (uint64_t)q->count * REPEAT);
}

// The number of nonzero weights tells on which features the closest points lie.
static int inner_weights(const toc_closest *closest) {
    int inner = 0;
    for (int i = 0; i < 4; i++) inner += closest->weights[i] > 0;
    return inner;
}

// `wanted` weights in use, or any for 0. A face's inside needs 4, its edges 3, its corners 2; likewise for two edges.
static void make(questions *q, toc_closest (*closest)(const toc_vec *x), int wanted) {
    bench_random random = {1};
    for (q->count = 0; q->count < COUNT;) {
        toc_vec *x = q->x[q->count];
        for (int i = 0; i < 4; i++)
            x[i] = (toc_vec){bench_between(&random, 0, 1), bench_between(&random, 0, 1), bench_between(&random, 0, 1)};
        const toc_closest found = closest(x);
        if (wanted && inner_weights(&found) != wanted) continue;
        const toc_vec normal = toc_vec_cross(toc_vec_sub(x[2], x[1]), toc_vec_sub(x[3], x[1]));
        q->normal[q->count++] = toc_vec_unit(normal);
    }
}

// The plane is never farther than the face, and as far when the closest point is inside; likewise lines and edges.
static void check(const questions *q, double (*loose)(const questions *q, int i),
                  toc_closest (*closest)(const toc_vec *x)) {
    for (int i = 0; i < q->count; i++) {
        const toc_closest found = closest(q->x[i]);
        const double bound = fabs(loose(q, i)), slack = found.distance - bound;
        if (slack >= -1e-12 && (inner_weights(&found) < 4 || slack <= 1e-12)) continue;
        fprintf(stderr, "distances: question %d: %g, bounded by %g\n", i, found.distance, bound);
        exit(1);
    }
}

int main(void) {
    static questions q;
    static const char *const places[] = {"any", "", "corner", "edge", "inside"};
    printf("# Figure 5: ns a distance, by where the closest point of the face is (paper: face 9.6 x plane)\n");
    printf("# place    plane  with-normal  face  face/plane  face/with-normal\n");
    for (int wanted = 0; wanted <= 4; wanted += wanted ? 1 : 2) {
        make(&q, toc_closest_vf, wanted);
        check(&q, plane, toc_closest_vf);
        const double known = cost(&q, plane_known), whole = cost(&q, plane), exact = cost(&q, face);
        printf("%-8s %7.1f %12.1f %5.1f %11.1f %17.1f\n", places[wanted], known, whole, exact, exact / known,
               exact / whole);
    }
    printf("\n\n# Figure 6: ns a distance, by where the closest points of the edges are (paper: edges 1.7 to 3.0 x "
           "lines)\n");
    printf("# place    lines  edges  edges/lines\n");
    static const char *const edge_places[] = {"any", "", "ends", "end", "inside"};
    for (int wanted = 0; wanted <= 4; wanted += wanted ? 1 : 2) {
        make(&q, toc_closest_ee, wanted);
        check(&q, lines, toc_closest_ee);
        const double loose = cost(&q, lines), exact = cost(&q, edges);
        printf("%-8s %7.1f %6.1f %12.1f\n", edge_places[wanted], loose, exact, exact / loose);
    }
    return 0;
}
