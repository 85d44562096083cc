// SPDX-License-Identifier: Apache-2.0
// Potentials of near pairs: nanoseconds a pair for energy, gradient and Hessian, one thread. The gradient is compared
// with a difference of energies, the Hessian with one of gradients, both along a random direction.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/support/measure.h"

static bool wrong;

typedef struct barrier_case {
    bench_step step;
    toc_query query;
    toc_potential_query asked;
    toc_near *near;
} barrier_case;

static toc_potential *find_potential(const barrier_case *c, const toc_potential_query *asked) {
    toc_potential *found;
    bench_check(toc_scene_find_potential(c->step.scene, &c->query, c->near, asked, &found));
    return found;
}

static void measure_order(barrier_case *c, const char *name, toc_potential_kind kind, toc_potential_order order,
                          bool indefinite) {
    double best = 1e300;
    toc_potential_query asked = c->asked;
    asked.kind = kind;
    asked.order = order;
    asked.indefinite = indefinite;
    for (int round = 0; round < 5; round++) {
        const double start = bench_cpu();
        toc_potential_destroy(find_potential(c, &asked));
        best = fmin(best, bench_cpu() - start);
    }
    printf("| %s | %.0f |\n", name, 1e9 * best / (double)c->near->count);
}

// ---- the check: derivatives along a direction

static toc_potential *potential_along(barrier_case *c, const double *x, const double *direction, double by) {
    const size_t count = 3 * c->step.vertices;
    double *moved = bench_must(malloc(count * sizeof *moved));
    for (size_t i = 0; i < count; i++) moved[i] = x[i] + by * direction[i];
    bench_check(bench_mesh_set_motion(toc_scene_edit_mesh(c->step.scene, 0), x, moved));
    free(moved);
    toc_potential_query asked = c->asked;
    asked.end = TOC_AT_END;
    asked.indefinite = true;
    return find_potential(c, &asked);
}

static double dot(size_t count, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// The pairs stay those of the start: a pair that leaves adds nothing, one that comes near is missing on both sides.
static void check_derivatives(barrier_case *c) {
    const size_t count = 3 * c->step.vertices;
    const double h = 1e-9;
    double *direction = bench_must(malloc(count * sizeof *direction)), worst = 0, largest = 0;
    bench_random random = {1};
    for (size_t i = 0; i < count; i++) direction[i] = bench_between(&random, -1, 1);
    toc_potential *at = potential_along(c, c->step.x0, direction, 0);
    toc_potential *after = potential_along(c, c->step.x0, direction, h);
    toc_potential *before = potential_along(c, c->step.x0, direction, -h);
    const double slope = (after->energy - before->energy) / (2 * h), told = dot(count, at->gradient, direction);
    for (size_t row = 0; row < count; row++) {
        double sum = 0;
        for (size_t i = at->rows[row]; i < at->rows[row + 1]; i++) sum += at->values[i] * direction[at->columns[i]];
        largest = fmax(largest, fabs(sum));
        worst = fmax(worst, fabs(sum - (after->gradient[row] - before->gradient[row]) / (2 * h)));
    }
    printf("\nRelative differences from finite differences: gradient %.1e, Hessian %.1e.\n", fabs(slope / told - 1),
           worst / largest);
    wrong = wrong || !(fabs(slope / told - 1) < 1e-5 && worst < 1e-5 * largest);
    toc_potential_destroy(before);
    toc_potential_destroy(after);
    toc_potential_destroy(at);
    free(direction);
}

int main(void) {
    const scene *s = scene_find("cloth-ball");
    barrier_case c = {.step = bench_step_of_scene(s->name, s->size, s->frames / 2),
                      .query = bench_query("auto", TOC_ANSWER_ALL, 1),
                      .asked = toc_potential_query_default()};
    c.asked.distance = 0.02;
    c.asked.slip = 1e-3;
    bench_check(bench_mesh_set_motion(toc_scene_edit_mesh(c.step.scene, 0), c.step.x0, c.step.x1));
    bench_check(bench_find_near(c.step.scene, &c.query, TOC_NEAR_AT_START, c.asked.distance, &c.near));
    toc_potential *found = find_potential(&c, &c.asked);
    printf("%s, %zu triangles, %zu near pairs: %zu vertex-vertex, %zu edge-vertex, %zu edge-edge, %zu face-vertex, "
           "of which %zu of nearly parallel edges; %zu values in the Hessian\n\n",
           c.step.name, c.step.triangles, c.near->count, found->counts[TOC_VERTEX_VERTEX],
           found->counts[TOC_EDGE_VERTEX], found->counts[TOC_EDGE_EDGE], found->counts[TOC_FACE_VERTEX],
           found->mollified, found->value_count);
    toc_potential_destroy(found);
    puts("| one thread | ns a pair |\n|---|---|");
    measure_order(&c, "barrier, energy", TOC_POTENTIAL_BARRIER, TOC_ENERGY, false);
    measure_order(&c, "and gradient", TOC_POTENTIAL_BARRIER, TOC_GRADIENT, false);
    measure_order(&c, "and Hessian, not projected", TOC_POTENTIAL_BARRIER, TOC_HESSIAN, true);
    measure_order(&c, "and Hessian, projected", TOC_POTENTIAL_BARRIER, TOC_HESSIAN, false);
    measure_order(&c, "friction, energy, gradient and Hessian", TOC_POTENTIAL_FRICTION, TOC_HESSIAN, false);
    check_derivatives(&c);
    toc_near_destroy(c.near);
    bench_step_free(&c.step);
    if (wrong) puts("WRONG: an answer is not the right one");
    return wrong ? 1 : 0;
}
