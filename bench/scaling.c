// SPDX-License-Identifier: Apache-2.0
// The growth of the cost of a step: with the mesh, from a thousand to a million triangles; with the motion, from half
// an edge to fifty edges a step; and with threads. Each point runs in a separate process, which has its own peak of
// memory. Contacts of small meshes are compared with exact arithmetic.
//
//     bench.scaling [TRIANGLES]     the largest mesh; default 1000000
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/support/keys.h"
#include "bench/support/measure.h"
#include "bench/support/reference.h"

enum { MOST_FOR_BRUTE = 4000, MOST_FOR_REFERENCE = 400000 };

typedef struct point {
    const char *scene;
    size_t size, frame;
    double edges; // the mean motion of a vertex, in mean edges; 0 for the scene's own
    toc_answer answer;
    int threads;
    bool reference;
} point;

typedef struct result {
    size_t triangles, contacts;
    uint64_t candidates;
    double first, next, elapsed, reference; // seconds
    double idle_memory, memory;             // MiB: before the first query, and at most
    bool right;
} result;

// ---- one point

// Scale the motion to a mean displacement of the vertices, in mean edges.
static void scale_motion(bench_step *step, double edges) {
    toc_mesh_report report;
    bench_check(toc_mesh_inspect(toc_scene_edit_mesh(step->scene, 0), &report));
    double sum = 0;
    for (size_t v = 0; v < step->vertices; v++) {
        const double *a = step->x0 + 3 * v, *b = step->x1 + 3 * v;
        sum += sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) + (b[2] - a[2]) * (b[2] - a[2]));
    }
    const double factor = edges * report.mean_edge * (double)step->vertices / sum;
    for (size_t i = 0; i < 3 * step->vertices; i++) step->x1[i] = step->x0[i] + factor * (step->x1[i] - step->x0[i]);
}

static bool is_right(bench_step *step, const toc_contacts *contacts) {
    const toc_query query = bench_query("brute", TOC_ANSWER_ALL, 1);
    bench_time unused = bench_time_none;
    toc_contacts *brute = bench_ask_next(step, &query, &unused);
    bench_keys truth = bench_keys_of(brute), found = bench_keys_of(contacts);
    const bool same = bench_keys_missing(&truth, &found) == 0 && bench_keys_missing(&found, &truth) == 0;
    bench_keys_free(&truth);
    bench_keys_free(&found);
    toc_contacts_destroy(brute);
    return same;
}

static double run_reference(bench_step *step) {
    toc_features *features;
    bench_reference run;
    bench_check(toc_mesh_find_features(toc_scene_edit_mesh(step->scene, 0), &features));
    bench_reference_run(features, step->x0, step->x1, NULL, &run);
    toc_features_destroy(features);
    bench_reference_free(&run);
    return run.search_seconds + run.test_seconds;
}

static result measure(const point *p) {
    bench_step step = bench_step_of_scene(p->scene, p->size, p->frame);
    if (p->edges > 0) scale_motion(&step, p->edges);
    const toc_query query = bench_query("auto", p->answer, p->threads);
    result r = {.triangles = step.triangles, .idle_memory = bench_peak_memory(), .elapsed = INFINITY, .right = true};
    bench_time time = bench_time_none;
    toc_contacts *contacts = NULL;
    const double start = bench_cpu();
    for (int round = 0; round < 2 || (round < 10 && bench_cpu() - start < 0.5); round++) {
        toc_contacts_destroy(contacts);
        contacts = bench_ask_next(&step, &query, &time);
        r.elapsed = fmin(r.elapsed, contacts->seconds);
        if (round == 0) r.memory = bench_peak_memory(); // of one scene
        bench_ask_first(&step, &query, &time);
    }
    r.first = time.first;
    r.next = time.next;
    r.contacts = contacts->count;
    r.candidates = contacts->stages[contacts->stage_count - 1].in;
    r.reference = p->reference && bench_reference_name() && r.triangles < MOST_FOR_REFERENCE ? run_reference(&step) : 0;
    if (r.triangles < MOST_FOR_BRUTE && p->answer == TOC_ANSWER_ALL) r.right = is_right(&step, contacts);
    toc_contacts_destroy(contacts);
    bench_step_free(&step);
    return r;
}

// The same in a child process.
static result measure_alone(const point *p) {
    result r;
    int ends[2], status;
    if (pipe(ends) != 0) exit(1);
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) exit(1);
    if (child == 0) {
        r = measure(p);
        _exit(write(ends[1], &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1);
    }
    close(ends[1]);
    const bool whole = read(ends[0], &r, sizeof r) == (ssize_t)sizeof r;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (!whole || status != 0) {
        fprintf(stderr, "bench.scaling: %s of size %zu failed\n", p->scene, p->size);
        exit(1);
    }
    return r;
}

// ---- tables

// The slope of log y over log x.
typedef struct slope {
    double n, x, y, xx, xy;
} slope;

static void slope_add(slope *s, double x, double y) {
    x = log(x);
    y = log(y);
    s->n++;
    s->x += x;
    s->y += y;
    s->xx += x * x;
    s->xy += x * y;
}

static double slope_of(const slope *s) { return (s->n * s->xy - s->x * s->y) / (s->n * s->xx - s->x * s->x); }

// @param sizes ends with 0.
static bool table_of_sizes(const char *name, const size_t *sizes, size_t frame, double edges, size_t largest) {
    bool right = true;
    slope time = {0}, memory = {0};
    printf("# %s: CPU ms of a step against triangles, one thread\n", name);
    printf("# %9s %9s %11s %10s %10s %10s %12s\n", "triangles", "contacts", "candidates", "new scene", "sequence",
           "reference", "query MiB");
    for (; *sizes; sizes++) {
        const point p = {name, *sizes, frame, edges, TOC_ANSWER_ALL, 1, true};
        const result r = measure_alone(&p);
        right = right && r.right;
        printf("%11zu %9zu %11llu %10.2f %10.2f ", r.triangles, r.contacts, (unsigned long long)r.candidates,
               1e3 * r.first, 1e3 * r.next);
        r.reference > 0 ? printf("%10.2f", 1e3 * r.reference) : printf("%10s", "-");
        printf(" %12.1f%s\n", r.memory - r.idle_memory, r.right ? "" : " # WRONG");
        if (r.triangles > 5000) slope_add(&time, (double)r.triangles, r.next);
        if (r.triangles > 5000) slope_add(&memory, (double)r.triangles, r.memory);
        if (4 * r.triangles > 3 * largest) break;
    }
    printf("# slope from 5000 triangles: time %.2f, memory %.2f\n\n\n", slope_of(&time), slope_of(&memory));
    return right;
}

static bool table_of_motion(void) {
    static const double factors[] = {1, 2, 5, 10, 20, 50, 100};
    bool right = true;
    puts("# cloth-ball, 3K triangles: CPU ms against motion; x 1 is half an edge a step");
    printf("# %8s %9s %11s %10s %12s %13s %13s\n", "motion", "contacts", "candidates", "all", "first", "all, MiB",
           "first, MiB");
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        const point all = {"cloth-ball", 28, 18, 0.5 * factors[i], TOC_ANSWER_ALL, 1, false};
        const point first = {"cloth-ball", 28, 18, 0.5 * factors[i], TOC_ANSWER_FIRST, 1, false};
        const result r = measure_alone(&all), q = measure_alone(&first);
        right = right && r.right;
        printf("%10.0f %9zu %11llu %10.2f %12.2f %13.1f %13.1f%s\n", factors[i], r.contacts,
               (unsigned long long)r.candidates, 1e3 * r.next, 1e3 * q.next, r.memory, q.memory,
               r.right ? "" : " # WRONG");
    }
    puts("\n");
    return right;
}

static bool table_of_threads(void) {
    bool right = true;
    size_t contacts = 0;
    puts("# explosion, 46K triangles: CPU and elapsed ms against threads; elapsed time tells of an idle machine only");
    printf("# %8s %9s %10s %10s\n", "threads", "contacts", "CPU", "elapsed");
    for (int threads = 1; threads <= 2; threads++) {
        const point p = {"explosion", 7, 12, 0, TOC_ANSWER_ALL, threads, false};
        const result r = measure_alone(&p);
        if (threads == 1) contacts = r.contacts;
        right = right && r.contacts == contacts;
        printf("%10d %9zu %10.1f %10.1f\n", threads, r.contacts, 1e3 * r.next, 1e3 * r.elapsed);
    }
    return right;
}

int main(int argc, char **argv) {
    static const size_t cloth[] = {16, 30, 54, 98, 175, 312, 556, 0}, balls[] = {3, 10, 31, 100, 312, 1000, 3125, 0};
    const size_t largest = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    bool right = table_of_sizes("cloth-ball", cloth, 18, 0.5, largest);
    right = table_of_sizes("n-body", balls, 20, 0, largest) && right;
    right = table_of_motion() && right;
    right = table_of_threads() && right;
    return right ? 0 : 1;
}
