// SPDX-License-Identifier: Apache-2.0
// The cost of a step of the simulations that are built in: dynamics, detection, contacts; every frame is asked exactly
// for crossings, and must have none.
//
// Runs on one thread. Milliseconds are CPU time, split by the shares of the wall clock, so that other work on the
// machine matters less. Run as bench.simulation [--weak] [NAME [STEPS [SIZE]]]; --weak leaves the continuous response
// out, to show that the check can fail.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "scenes/simulated/measure.h"
#include "scenes/simulated/simulation.h"

/// A run by default: its steps.
typedef struct simulated_run {
    const char *name;
    size_t steps;
} simulated_run;

static const simulated_run runs[] = {{"bar", 200},      {"cloth-ball", 200}, {"tori", 200},    {"n-body", 100},
                                     {"octopi", 100},   {"letters", 20},     {"merging", 120}, {"liver", 150},
                                     {"explosion", 60}, {"bullet", 40},      {"car", 80}};

static size_t count_elements(toc_sim *sim) {
    const toc_scene *scene = toc_sim_get_scene(sim);
    size_t count = 0;
    for (uint32_t b = 0; b < toc_scene_get_body_count(scene); b++)
        count += toc_mesh_get_element_count(toc_scene_get_mesh(scene, b));
    return count;
}

static size_t count_crossing_faces(toc_sim *sim) {
    size_t count = 0;
    if (measure_crossings(sim, 1, false, &count) != TOC_OK) {
        fprintf(stderr, "%s\n", toc_message_get());
        exit(1);
    }
    return count;
}

/// Sums over the steps of a run.
typedef struct run_sums {
    double contacts, impacts, queries, dynamics, detection, cpu;
    size_t zones, cuts, crossings, crossing_frames;
} run_sums;

static void add_step(toc_sim *sim, run_sums *sums) {
    toc_sim_report report;
    const double start = bench_seconds();
    if (toc_sim_step(sim, &report) != TOC_OK) {
        fprintf(stderr, "%s\n", toc_message_get());
        exit(1);
    }
    sums->cpu += bench_seconds() - start;
    sums->contacts += (double)report.contacts;
    sums->impacts += (double)report.impacts;
    sums->queries += (double)report.rounds;
    sums->dynamics += report.dynamics_seconds;
    sums->detection += report.detection_seconds;
    sums->zones += report.zones;
    sums->cuts += report.fraction < 1;
    const size_t crossings = count_crossing_faces(sim);
    sums->crossings += crossings;
    sums->crossing_frames += crossings > 0;
}

// @return the crossings.
static size_t run_scene(const char *name, size_t steps, size_t size, bool weak) {
    simulation s;
    const simulation_options options = {.size = size, .threads = 1, .careless = weak};
    if (simulation_open(name, &options, &s) != TOC_OK) {
        fprintf(stderr, "%s\n", toc_message_get());
        exit(1);
    }
    run_sums sums = {0};
    for (size_t i = 0; i < steps; i++) add_step(s.sim, &sums);
    const double n = (double)steps, ms = 1e3 * sums.cpu / n / (sums.dynamics + sums.detection);
    printf("| %s | %zu | %zu | %.0f | %.1f | %.2f | %.1f | %.1f | %.0f %% | %zu | %zu | %zu |\n", name,
           count_elements(s.sim), steps, sums.contacts / n, sums.impacts / n, sums.queries / n, ms * sums.dynamics,
           ms * sums.detection, 100 * sums.detection / (sums.dynamics + sums.detection), sums.zones, sums.cuts,
           sums.crossings);
    fflush(stdout);
    simulation_close(&s);
    return sums.crossings;
}

int main(int count, char **words) {
    const bool weak = count > 1 && strcmp(words[1], "--weak") == 0;
    const int at = weak ? 2 : 1;
    const char *only = count > at ? words[at] : NULL;
    const size_t steps = count > at + 1 ? strtoul(words[at + 1], NULL, 10) : 0;
    const size_t size = count > at + 2 ? strtoul(words[at + 2], NULL, 10) : 0;
    size_t crossings = 0;
    puts("| simulation | elements | steps | contacts | impacts | queries | ms dynamics | ms detection | detection | "
         "zones | "
         "cut steps | crossings |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|");
    if (only) {
        crossings = run_scene(only, steps ? steps : 100, size, weak);
    } else {
        for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
            crossings += run_scene(runs[i].name, steps ? steps : runs[i].steps, 0, weak);
    }
    return weak ? crossings == 0 : crossings > 0;
}
