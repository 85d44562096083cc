// SPDX-License-Identifier: Apache-2.0
// The cost of contacts, near pairs and overlaps: each asked alone in every step, and all three in turn, as solvers with
// barriers do. Over the frames of a scene; the answers must be the same either way.
#include <stdio.h>
#include <string.h>

#include "bench/support/measure.h"

enum { CONTACTS, NEAR, OVERLAPS, QUESTIONS };
static const char *const question_names[QUESTIONS] = {"contacts", "near", "overlaps"};

typedef struct questions_cost {
    double seconds[QUESTIONS];
    size_t counts[QUESTIONS];
} questions_cost;

static size_t ask_question(toc_scene *bodies, int question, double thickness) {
    const toc_query query = bench_query("auto", TOC_ANSWER_ALL, 1);
    size_t count = 0;
    if (question == CONTACTS) {
        toc_contacts *contacts;
        bench_check(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
        count = contacts->count;
        toc_contacts_destroy(contacts);
    } else if (question == NEAR) {
        toc_near *near = NULL;
        bench_check(bench_find_near(bodies, &query, TOC_NEAR_AT_START, thickness, &near));
        count = near->count;
        toc_near_destroy(near);
    } else {
        toc_overlaps *overlaps;
        bench_check(toc_scene_find_overlaps(bodies, &query, TOC_AT_START, NULL, &overlaps));
        count = overlaps->count;
        toc_overlaps_destroy(overlaps);
    }
    return count;
}

// Ask some of the questions in each step. Steps before `warm` are not counted.
static questions_cost ask_steps(const scene *s, size_t size, unsigned wanted, double thickness) {
    questions_cost cost = {{0}, {0}};
    const size_t first = s->frames / 2, last = first + 12, warm = first + 2;
    toc_scene *bodies;
    toc_mesh *mesh;
    bench_check(toc_scene_create(NULL, &bodies));
    bench_check(scene_step(s, size, first, &mesh));
    bench_check(toc_scene_add_body(bodies, mesh, NULL));
    for (size_t frame = first; frame < last; frame++) {
        toc_mesh *next;
        bench_check(scene_step(s, size, frame, &next));
        bench_check(bench_mesh_set_motion(mesh, toc_mesh_get_x0(next), toc_mesh_get_x1(next)));
        toc_mesh_destroy(next);
        for (int q = 0; q < QUESTIONS; q++) {
            if (!(wanted & 1u << q)) continue;
            const double start = bench_cpu();
            const size_t count = ask_question(bodies, q, thickness);
            if (frame < warm) continue;
            cost.seconds[q] += (bench_cpu() - start) / (double)(last - warm);
            cost.counts[q] += count;
        }
    }
    toc_scene_destroy(bodies);
    return cost;
}

int main(void) {
    const scene *s = scene_find("cloth-ball");
    const double thickness = 2e-3;
    const questions_cost together = ask_steps(s, s->size, (1u << QUESTIONS) - 1, thickness);
    bool same = true;
    printf("%s, thickness %g, CPU ms a step\n  %-10s %10s %10s %10s\n", s->name, thickness, "question", "alone",
           "in turn", "found");
    for (int q = 0; q < QUESTIONS; q++) {
        const questions_cost alone = ask_steps(s, s->size, 1u << q, thickness);
        printf("  %-10s %10.3f %10.3f %10zu\n", question_names[q], 1e3 * alone.seconds[q], 1e3 * together.seconds[q],
               together.counts[q]);
        same = same && alone.counts[q] == together.counts[q];
    }
    if (!same) puts("WRONG: the answers differ");
    return same ? 0 : 1;
}
