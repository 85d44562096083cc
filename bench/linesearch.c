// SPDX-License-Identifier: Apache-2.0
// Questions of a solver's line search on a step of a cloth on a ball: the step that leaves room, kept candidates and
// shorter steps, all touches, probes, containment. CPU time; candidates must answer as the scene does, and each closest
// point must be at its distance.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/measure.h"

enum { TRIES = 8, PROBES = 1000 };

static bool wrong;

static void print_row(const char *name, double seconds, size_t found) {
    printf("  %-34s %10.3f %10zu\n", name, 1e3 * seconds, found);
}

// Shorter and shorter steps: 1, 1/2, 1/4, ...
static void shorten(bench_step *step, double fraction) {
    double *x = bench_must(malloc(3 * step->vertices * sizeof *x));
    toc_positions_interpolate(fraction, 3 * step->vertices, step->x0, step->x1, NULL, x);
    bench_check(bench_mesh_set_motion(toc_scene_edit_mesh(step->scene, 0), step->x0, x));
    free(x);
}

typedef struct search_cost {
    double contacts, room;
    size_t counts[TRIES];
    double fractions[TRIES];
} search_cost;

// A line search by the scene's own questions, or among candidates.
static search_cost search_line(bench_step *step, const toc_query *settings, const toc_room *room,
                               const toc_candidates *candidates) {
    toc_query query = *settings;
    search_cost cost = {0};
    query.candidates = candidates;
    for (int i = 0; i < TRIES; i++) {
        toc_contacts *contacts;
        toc_room_step found;
        shorten(step, ldexp(1, -i));
        const double start = bench_cpu();
        bench_check(toc_scene_find_contacts(step->scene, &query, NULL, &contacts));
        const double middle = bench_cpu();
        bench_check(toc_scene_find_room_step(step->scene, &query, room, &found));
        cost.room += (bench_cpu() - middle) / TRIES;
        cost.contacts += (middle - start) / TRIES;
        cost.counts[i] = contacts->count;
        cost.fractions[i] = found.fraction;
        toc_contacts_destroy(contacts);
    }
    return cost;
}

static void measure_line_search(bench_step *step, const toc_query *query) {
    toc_room room = toc_room_default();
    toc_candidates *candidates;
    room.most = 1e-3;
    search_line(step, query, &room, NULL); // the trees are kept from now on
    shorten(step, 1);
    bench_check(toc_scene_find_candidates(step->scene, query, 0, room.most, &candidates));
    toc_candidates_destroy(candidates);
    const double start = bench_cpu();
    bench_check(toc_scene_find_candidates(step->scene, query, 0, room.most, &candidates));
    print_row("find candidates", bench_cpu() - start, toc_candidates_get_count(candidates));
    const search_cost own = search_line(step, query, &room, NULL);
    const search_cost kept = search_line(step, query, &room, candidates);
    print_row("contacts, scene", own.contacts, own.counts[0]);
    print_row("contacts, candidates", kept.contacts, kept.counts[0]);
    print_row("step with room, scene", own.room, 1);
    print_row("step with room, candidates", kept.room, 1);
    wrong = wrong || memcmp(own.counts, kept.counts, sizeof own.counts) != 0 ||
            memcmp(own.fractions, kept.fractions, sizeof own.fractions) != 0;
    toc_candidates_destroy(candidates);
}

static void measure_touches(bench_step *step, const toc_query *query) {
    toc_contacts *contacts;
    size_t total = 0;
    shorten(step, 1);
    bench_check(toc_scene_find_contacts(step->scene, query, NULL, &contacts));
    toc_touches *touches = bench_must(malloc(contacts->count * sizeof *touches));
    const double start = bench_cpu();
    bench_check(toc_scene_find_touches(step->scene, query, contacts, touches));
    const double seconds = bench_cpu() - start;
    for (size_t i = 0; i < contacts->count; i++) {
        total += touches[i].count;
        wrong = wrong || touches[i].count == 0 || touches[i].at[0].enter > contacts->contacts[i].toc * (1 + 1e-8);
    }
    print_row("touches of all contacts", seconds, total);
    free(touches);
    toc_contacts_destroy(contacts);
}

static void measure_probes(bench_step *step, const toc_query *query) {
    static double at[6 * PROBES];
    static toc_scene_point points[PROBES];
    static toc_segment_hit hits[PROBES];
    size_t hit = 0;
    for (size_t i = 0; i < 6 * PROBES; i++) {
        const size_t vertex = i * 7919 % step->vertices;
        at[i] = step->x0[3 * vertex + i % 3] + (i % 6 < 3 ? 0.1 : -0.1);
    }
    const toc_probe probe = {.count = PROBES, .at = at, .reach = INFINITY, .mask = UINT64_MAX};
    bench_check(toc_scene_find_closest(step->scene, query, TOC_AT_START, &probe, points)); // the tree is kept
    double start = bench_cpu();
    bench_check(toc_scene_find_closest(step->scene, query, TOC_AT_START, &probe, points));
    print_row("1000 closest points", bench_cpu() - start, PROBES);
    for (size_t i = 0; i < PROBES; i++) {
        double square = 0;
        for (size_t k = 0; k < 3; k++) square += pow(points[i].point[k] - at[3 * i + k], 2);
        wrong = wrong || !(fabs(sqrt(square) - points[i].distance) < 1e-9);
    }
    start = bench_cpu();
    bench_check(toc_scene_find_hits(step->scene, query, TOC_AT_START, &probe, hits));
    const double seconds = bench_cpu() - start;
    for (size_t i = 0; i < PROBES; i++) hit += hits[i].body != UINT32_MAX;
    print_row("1000 segments", seconds, hit);
}

static void measure_containment(bench_step *step, const toc_query *query) {
    toc_containments *containments;
    const double start = bench_cpu();
    bench_check(toc_scene_find_containments(step->scene, query, TOC_AT_START, &containments));
    print_row("containments", bench_cpu() - start, containments->count);
    wrong = wrong || containments->count != 0;
    toc_containments_destroy(containments);
}

int main(void) {
    const scene *s = scene_find("cloth-ball");
    bench_step step = bench_step_of_scene(s->name, s->size, s->frames / 2);
    const toc_query query = bench_query("auto", TOC_ANSWER_ALL, 1);
    printf("%s, %zu triangles\n  %-34s %10s %10s\n", step.name, step.triangles, "question", "CPU ms", "found");
    measure_line_search(&step, &query);
    measure_touches(&step, &query);
    measure_probes(&step, &query);
    measure_containment(&step, &query);
    bench_step_free(&step);
    if (wrong) puts("WRONG: an answer is not the right one");
    return wrong ? 1 : 0;
}
