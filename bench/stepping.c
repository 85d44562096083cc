// SPDX-License-Identifier: Apache-2.0
// The steps of simulations on several threads.
//
// The share outside of loops is counted: a task system that runs nothing at the same time makes the calling thread do
// all rounds, and the CPU time between the starts and the ends of its tasks is that of loops. Each loop divided by the
// threads that it can use gives the best time on 16 cores; memory and waiting are not in it. Beside it, one thread, two
// and one per processor take turns on the clock. The state must have the same bits in all runs, and no faces may cross.
//
// Run as bench.stepping [NAME [SIZE [BEFORE [STEPS]]]]: steps before the measured ones, and these.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/support/loops.h"
#include "bench/support/measure.h"
#include "scenes/simulated/measure.h"
#include "scenes/simulated/simulation.h"

/// A run by default.
typedef struct stepping_run {
    const char *name;
    size_t size, before, steps;
} stepping_run;

static const stepping_run runs[] = {{"cloth-ball", 200, 60, 5}, {"letters", 0, 60, 5}, {"octopi", 3, 40, 5}};

static double clock_seconds(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- runs

static simulation open_run(const stepping_run *run, const simulation_options *options) {
    simulation s;
    simulation_options taken = *options;
    taken.size = run->size;
    bench_check(simulation_open(run->name, &taken, &s));
    return s;
}

static double *take_state(const simulation *s, size_t *count) {
    *count = toc_sim_get_state(s->sim, NULL);
    double *state = bench_must(malloc(*count * sizeof *state));
    toc_sim_get_state(s->sim, state);
    return state;
}

/// The result of a run.
typedef struct stepping_result {
    double wall, cpu; // seconds of the measured steps; cpu: of the whole process
    double loops, shared;
    size_t crossings, count, contacts;
    double *state;
} stepping_result;

// The steps that are measured, from the same state in every run. @param threads 0 to watch the loops.
static stepping_result run_steps(const stepping_run *run, const double *start, size_t count, int threads) {
    bench_loops watch = {.started = 0};
    simulation_options options = {.threads = threads > 0 ? threads : BENCH_WATCHED};
    if (threads == 0) options.tasks = bench_loops_tasks(&watch);
    simulation s = open_run(run, &options);
    stepping_result result = {.crossings = 0};
    toc_sim_report report;
    bench_check(toc_sim_set_state(s.sim, start, count));
    bench_check(toc_sim_step(s.sim, NULL)); // makes what is kept from step to step
    watch = (bench_loops){.started = 0};
    const double wall = clock_seconds(CLOCK_MONOTONIC), cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < run->steps; i++) {
        bench_check(toc_sim_step(s.sim, &report));
        result.contacts += report.contacts;
    }
    result.wall = clock_seconds(CLOCK_MONOTONIC) - wall;
    result.cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    result.loops = watch.loops, result.shared = watch.shared;
    bench_check(measure_crossings(s.sim, 0, false, &result.crossings));
    result.state = take_state(&s, &result.count);
    simulation_close(&s);
    return result;
}

static bool is_same(const stepping_result *a, const stepping_result *b) {
    return a->count == b->count && memcmp(a->state, b->state, a->count * sizeof *a->state) == 0;
}

static size_t count_elements(toc_sim *sim) {
    const toc_scene *bodies = toc_sim_get_scene(sim);
    size_t count = 0;
    for (uint32_t b = 0; b < toc_scene_get_body_count(bodies); b++)
        count += toc_mesh_get_element_count(toc_scene_get_mesh(bodies, b));
    return count;
}

static int count_processors(void) {
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 1 ? (int)count : 1;
}

static bool measure_run(const stepping_run *run) {
    const simulation_options options = {.threads = 0};
    simulation s = open_run(run, &options);
    for (size_t i = 0; i < run->before; i++) bench_check(toc_sim_step(s.sim, NULL));
    size_t count;
    const size_t elements = count_elements(s.sim);
    double *start = take_state(&s, &count);
    simulation_close(&s);
    const int most = count_processors();
    const int threads[] = {0, 1, 2, most, 1, 2, most};
    enum { RUNS = sizeof threads / sizeof *threads, COUNTS = (RUNS - 1) / 2 };
    stepping_result results[RUNS];
    bool right = true;
    for (int i = 0; i < RUNS; i++) {
        results[i] = run_steps(run, start, count, threads[i]);
        right = right && results[i].crossings == 0 && is_same(&results[0], &results[i]);
    }
    const double n = (double)run->steps, all = results[0].cpu, outside = all - results[0].loops;
    double wall[COUNTS], cpu[COUNTS];
    for (int i = 0; i < COUNTS; i++) {
        wall[i] = 1e3 * fmin(results[1 + i].wall, results[1 + COUNTS + i].wall) / n;
        cpu[i] = 1e3 * fmin(results[1 + i].cpu, results[1 + COUNTS + i].cpu) / n;
    }
    printf("| %s | %zu | %zu | %.0f | %.1f | %.1f | %.1f %% | %.1f | %.1fx | %.1f, %.1f, %.1f | %.1f, %.1f, %.1f | "
           "%.1fx | %s |\n",
           run->name, elements, run->steps, (double)results[0].contacts / n, 1e3 * all / n, 1e3 * outside / n,
           100 * outside / all, 1e3 * (outside + results[0].shared) / n, all / (outside + results[0].shared), cpu[0],
           cpu[1], cpu[2], wall[0], wall[1], wall[2], wall[0] / wall[2], right ? "same, 0" : "WRONG");
    fflush(stdout);
    for (int i = 0; i < RUNS; i++) free(results[i].state);
    free(start);
    return right;
}

int main(int count, char **words) {
    bool right = true;
    const int most = count_processors();
    printf("| simulation | elements | steps | contacts | CPU ms | outside of loops | share | 16 threads at best | "
           "projected | 1, 2 and %d threads, CPU ms | ms on the clock | 1 over %d | bits, crossings |\n",
           most, most);
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    if (count > 1) {
        const stepping_run run = {words[1], count > 2 ? strtoul(words[2], NULL, 10) : 0,
                                  count > 3 ? strtoul(words[3], NULL, 10) : 60,
                                  count > 4 ? strtoul(words[4], NULL, 10) : 5};
        return !measure_run(&run);
    }
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) right = measure_run(&runs[i]) && right;
    return !right;
}
