// SPDX-License-Identifier: Apache-2.0
// Time on the clock against the number of threads: published steps of cloth and bodies, and a car of 1.2 million
// shells, all contacts, in a new scene and in a scene that knows the mesh. The contacts must be the same, bit by bit.
// Then as many processes as cores, each with half as many threads: how much longer than with one thread each?
//
//     bench.threads [DATA [THREADS]]     the folder of the data, and the most threads; default: one per processor
//     bench.threads DATA 0               the work that one thread does outside of loops, for machines with few cores
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/support/loops.h"
#include "bench/support/measure.h"
#include "tests/support/data.h"

enum { COLD_RUNS = 6, WARM_RUNS = 9, SHARE_STEPS = 12, THREADS_MOST = 64 };

typedef struct moving_mesh {
    const char *name;
    toc_mesh *mesh;
    double *x0, *x1;
    size_t coordinates;
} moving_mesh;

static double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static moving_mesh take_motion(const char *name, toc_mesh *mesh) {
    moving_mesh m = {.name = name, .mesh = mesh, .coordinates = 3 * toc_mesh_get_vertex_count(mesh)};
    m.x0 = bench_must(malloc(m.coordinates * sizeof *m.x0));
    m.x1 = bench_must(malloc(m.coordinates * sizeof *m.x1));
    memcpy(m.x0, toc_mesh_get_x0(mesh), m.coordinates * sizeof *m.x0);
    memcpy(m.x1, toc_mesh_get_x1(mesh), m.coordinates * sizeof *m.x1);
    return m;
}

static bool read_motion(const char *name, moving_mesh *out) {
    toc_mesh *start, *end;
    if (toc_mesh_read(test_data_path("frames/%s/start.ply", name), NULL, &start) != TOC_OK) return false;
    bench_check(toc_mesh_read(test_data_path("frames/%s/end.ply", name), NULL, &end));
    bench_check(bench_mesh_move(start, toc_mesh_get_x1(end)));
    toc_mesh_destroy(end);
    *out = take_motion(name, start);
    return true;
}

static moving_mesh make_motion(const char *name, size_t size) {
    const scene *s = scene_find(name);
    toc_mesh *mesh;
    bench_check(scene_motion(s, size, 0.5, 0.5 + 0.25 / (double)s->frames, &mesh));
    return take_motion(name, mesh);
}

static toc_scene *new_scene(const moving_mesh *m) {
    toc_scene *bodies;
    toc_mesh *copy;
    bench_check(toc_scene_create(NULL, &bodies));
    bench_check(toc_mesh_copy(m->mesh, &copy));
    bench_check(toc_scene_add_body(bodies, copy, NULL));
    return bodies;
}

static double ask_cold(const moving_mesh *m, const toc_query *query) {
    double best = 1e300;
    for (int run = 0; run < COLD_RUNS; run++) {
        toc_scene *bodies = new_scene(m);
        toc_contacts *contacts;
        const double start = clock_seconds();
        bench_check(toc_scene_find_contacts(bodies, query, NULL, &contacts));
        const double taken = clock_seconds() - start;
        if (taken < best) best = taken;
        toc_contacts_destroy(contacts);
        toc_scene_destroy(bodies);
    }
    return best;
}

// Steps there and back; the steps there are timed.
static double ask_warm(const moving_mesh *m, const toc_query *query, int runs, toc_contacts **contacts) {
    toc_scene *bodies = new_scene(m);
    toc_mesh *mesh = toc_scene_edit_mesh(bodies, 0);
    double best = 1e300;
    for (int run = 0; run < runs; run++) {
        bench_check(bench_mesh_set_motion(mesh, m->x1, m->x0));
        bench_check(toc_scene_find_contacts(bodies, query, *contacts, contacts));
        bench_check(bench_mesh_set_motion(mesh, m->x0, m->x1));
        const double start = clock_seconds();
        bench_check(toc_scene_find_contacts(bodies, query, *contacts, contacts));
        const double taken = clock_seconds() - start;
        if (run > 0 && taken < best) best = taken;
    }
    toc_scene_destroy(bodies);
    return best;
}

static bool same_contacts(const toc_contacts *a, const toc_contacts *b) {
    return a->count == b->count && memcmp(a->contacts, b->contacts, a->count * sizeof *a->contacts) == 0;
}

static void print_stages(const toc_contacts *contacts) {
    double sum = 0;
    printf("    stages, ms:");
    for (size_t i = 0; i < contacts->stage_count; i++) {
        printf(" %s %.2f", contacts->stages[i].name, 1e3 * contacts->stages[i].seconds);
        sum += contacts->stages[i].seconds;
    }
    printf("; together %.2f of %.2f\n", 1e3 * sum, 1e3 * contacts->seconds);
}

static bool measure_threads(const moving_mesh *m, int most) {
    toc_contacts *alone = NULL;
    double one[2] = {0, 0};
    bool same = true;
    printf("%s, %zu elements\n  %7s %10s %7s %10s %7s %10s\n", m->name, toc_mesh_get_element_count(m->mesh), "threads",
           "new, ms", "x", "known, ms", "x", "contacts");
    for (int threads = 1; threads <= most; threads *= 2) {
        const toc_query query = bench_query("auto", TOC_ANSWER_ALL, threads);
        toc_contacts *contacts = NULL;
        const double cold = ask_cold(m, &query), warm = ask_warm(m, &query, WARM_RUNS, &contacts);
        if (threads == 1) one[0] = cold, one[1] = warm;
        printf("  %7d %10.2f %7.2f %10.2f %7.2f %10zu\n", threads, 1e3 * cold, one[0] / cold, 1e3 * warm, one[1] / warm,
               contacts->count);
        print_stages(contacts);
        fflush(stdout);
        if (alone) same = same && same_contacts(alone, contacts);
        if (alone)
            toc_contacts_destroy(contacts);
        else
            alone = contacts;
    }
    toc_contacts_destroy(alone);
    if (!same) puts("WRONG: the threads change the answer");
    return same;
}

// The time of so many processes at once, each with so many threads.
static double run_processes(const moving_mesh *m, int processes, int threads) {
    const double start = clock_seconds();
    for (int i = 0; i < processes; i++) {
        if (fork() != 0) continue;
        const toc_query query = bench_query("auto", TOC_ANSWER_ALL, threads);
        toc_contacts *contacts = NULL;
        ask_warm(m, &query, SHARE_STEPS, &contacts);
        _exit(0);
    }
    while (wait(NULL) > 0) {
    }
    return clock_seconds() - start;
}

static void measure_sharing(const moving_mesh *m, int cores) {
    const int half = cores > 2 ? cores / 2 : 2;
    const double fair = run_processes(m, cores, 1), shared = run_processes(m, cores, half);
    printf("%s, %d processes at once: %.2f s with one thread each, %.2f s with %d, %.2f times as long\n", m->name,
           cores, fair, shared, half, shared / fair);
}

// ---- the work outside of loops

static void watch_query(toc_scene *bodies, const char *name) {
    bench_loops watch = {.started = 0};
    toc_query query = bench_query("auto", TOC_ANSWER_ALL, BENCH_WATCHED);
    toc_contacts *contacts = NULL;
    query.tasks = bench_loops_tasks(&watch);
    const double start = bench_seconds();
    bench_check(toc_scene_find_contacts(bodies, &query, contacts, &contacts));
    const double all = bench_seconds() - start, outside = all - watch.loops, least = outside + watch.shared;
    printf("  %-6s %10.2f %10.2f %8.1f %12.2f %8.1f %10zu\n", name, 1e3 * all, 1e3 * outside, 100 * outside / all,
           1e3 * least, all / least, contacts->count);
    toc_contacts_destroy(contacts);
}

static void measure_outside(const moving_mesh *m) {
    toc_scene *bodies = new_scene(m);
    printf("%s, %zu elements\n  %-6s %10s %10s %8s %12s %8s %10s\n", m->name, toc_mesh_get_element_count(m->mesh),
           "scene", "CPU ms", "outside", "%", "16, at best", "x", "contacts");
    watch_query(bodies, "new");
    for (int step = 0; step < 4; step++) {
        const double *from = step % 2 ? m->x0 : m->x1, *to = step % 2 ? m->x1 : m->x0;
        bench_check(bench_mesh_set_motion(toc_scene_edit_mesh(bodies, 0), from, to));
        if (step < 3) watch_query(bodies, step == 0 ? "second" : "");
    }
    watch_query(bodies, "known");
    toc_scene_destroy(bodies);
}

int main(int argc, char **argv) {
    const int cores = argc > 1 ? (int)strtol(argv[1], NULL, 10) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    bool right = true;
    moving_mesh m;
    const char *const published[] = {"cloth-ball", "n-body"};
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        if (!read_motion(published[i], &m)) m = make_motion(published[i], 0);
        if (cores == 0) measure_outside(&m);
        if (cores == 0) continue;
        right = measure_threads(&m, cores) && right;
        if (i == 0) measure_sharing(&m, cores);
    }
    m = make_motion("car", cores > 2 || cores == 0 ? 165 : 40);
    if (cores == 0) {
        measure_outside(&m);
        return 0;
    }
    return measure_threads(&m, cores) && right ? 0 : 1;
}
