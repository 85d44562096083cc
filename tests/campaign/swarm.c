// SPDX-License-Identifier: Apache-2.0
// The swarm from consecutive seeds, until time or number is reached.
//
//     swarm [--seconds S] [--questions N] [--seed FIRST] [--jobs N]   TOC_SEED: the default of --seed
//     swarm --one SEED                                                run one block again
//     swarm --write COUNT [--seed FIRST]                              scenes with their answers, for other programs
//
// With --jobs, N processes share the seeds (fleet.h). Progress goes to the standard error every minute, a table to the
// standard output at the end, also when it is terminated. Exit status: 0 when every promise held, 1 when one was
// broken, 2 for a wrong call.
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

#include "campaign/fleet.h"
#include "toccata/base.h"

enum { SHOWN = 20, FEW_SCENES = 2 };

void swarm_fail(swarm_counts *counts, uint64_t seed, const char *format, ...) {
    if (counts->failures++ >= SHOWN) return;
    va_list arguments;
    va_start(arguments, format);
    printf("FAILED block %llu: ", (unsigned long long)seed);
    vprintf(format, arguments);
    putchar('\n');
    fflush(stdout);
    va_end(arguments);
}

void swarm_decide(swarm_counts *counts, toc_kind kind, const lattice_pair *pair, lattice_answer *out) {
    counts->decided++;
    counts->by_oracle += !lattice_decide(kind, pair, out);
}

bool swarm_time_is_right(const lattice_answer *truth, double toc) {
    if (toc > truth->high) return false;
    return toc == 0 ? truth->low <= 0 : toc >= truth->low * (1 - 1e-9);
}

// ---- maps

static int determinant(int m[3][3]) {
    int sum = 0;
    for (int k = 0; k < 3; k++)
        sum += m[0][k] * (m[1][(k + 1) % 3] * m[2][(k + 2) % 3] - m[1][(k + 2) % 3] * m[2][(k + 1) % 3]);
    return sum;
}

// Half of them are scaled alike along the axes. Exponents reach from subnormal numbers to the largest; where they
// differ by much, exact arithmetic takes milliseconds a pair.
swarm_map swarm_map_make(trial_random *random) {
    swarm_map map = {.is_even = trial_chance(random, 0.5)};
    const bool wild = trial_chance(random, map.is_even ? 0.5 : 0.01);
    const int scale = trial_chance(random, 0.3) ? (int)trial_below(random, 1900) - 1000 : 0;
    do
        for (int i = 0; i < 9; i++)
            map.rows[i / 3][i % 3] = (i % 4 == 0) + (trial_chance(random, 0.4) ? (int)trial_below(random, 5) - 2 : 0);
    while (determinant(map.rows) == 0);
    for (int k = 0; k < 3; k++) {
        const int bits = map.is_even ? 3 : (int)trial_below(random, 42);
        map.shift[k] = trial_chance(random, 0.5) ? 0 : floor(ldexp(trial_between(random, -1, 1), bits));
        map.drift[k] = trial_chance(random, 0.6) ? 0 : floor(ldexp(trial_between(random, -1, 1), bits));
        map.exponent[k] = wild ? (int)trial_below(random, 1990) - 1070 : scale + (int)trial_below(random, 40) - 20;
        if (map.is_even && k > 0) map.exponent[k] = map.exponent[0];
    }
    return map;
}

void swarm_map_point(const swarm_map *map, const int at[3], int end, double out[3]) {
    for (int k = 0; k < 3; k++) {
        const int sum = map->rows[k][0] * at[0] + map->rows[k][1] * at[1] + map->rows[k][2] * at[2];
        out[k] = ldexp(sum + map->shift[k] + (end ? map->drift[k] : 0), map->exponent[k]);
    }
}

// ---- the run

typedef struct swarm_options {
    fleet_options fleet;
    uint64_t write;
    bool one;
} swarm_options;

static volatile int told_to_stop;

static void stop_soon(int signal) {
    (void)signal;
    told_to_stop = 1;
}

void swarm_run_block(uint64_t seed, swarm_counts *counts) {
    swarm_pairs(seed, counts);
    for (uint64_t i = 0; i < FEW_SCENES; i++) swarm_scenes(FEW_SCENES * seed + i, counts);
    swarm_bodies(seed, counts);
    counts->blocks++;
}

static double processor_seconds(int who) {
    struct rusage use;
    getrusage(who, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

// As the system tells it.
static void show_machine(void) {
    char line[256], *colon;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && (colon = strchr(line, ':'))) {
            printf("processor            %s", colon + 2);
            break;
        }
    if (file) fclose(file);
}

static void show_number(const char *name, uint64_t number) { printf("%-20s %llu\n", name, (unsigned long long)number); }

static void show_result(const swarm_options *o, const fleet_result *r) {
    const swarm_counts *n = &r->counts;
    const double hours = (processor_seconds(RUSAGE_SELF) + processor_seconds(RUSAGE_CHILDREN)) / 3600;
    const char *commit = getenv("TOC_COMMIT");
    printf("version              %s%s%s\n", toc_version_get(), commit ? ", " : "", commit ? commit : "");
    show_machine();
    show_number("processes", (uint64_t)o->fleet.jobs);
    printf("seeds                %llu to %llu\n", (unsigned long long)o->fleet.seed, (unsigned long long)r->end - 1);
    show_number("blocks", n->blocks);
    show_number("questions", n->pairs + n->calls);
    show_number("  pairs", n->pairs);
    show_number("  calls", n->calls);
    show_number("exact answers", n->decided);
    show_number("  rational", n->by_oracle);
    show_number("contacts", n->contacts);
    show_number("simulation steps", n->steps);
    printf("seconds              %.1f\n", r->seconds);
    printf("processor hours      %.4f\n", hours);
    show_number("failures", n->failures);
}

static bool parse(int count, char **words, swarm_options *o) {
    const char *seed = getenv("TOC_SEED");
    *o = (swarm_options){.fleet = {.seed = seed ? strtoull(seed, NULL, 10) : 1, .jobs = 1}};
    for (int i = 1; i + 1 < count; i += 2) {
        if (strcmp(words[i], "--seconds") == 0)
            o->fleet.seconds = strtod(words[i + 1], NULL);
        else if (strcmp(words[i], "--questions") == 0)
            o->fleet.questions = strtoull(words[i + 1], NULL, 10);
        else if (strcmp(words[i], "--jobs") == 0)
            o->fleet.jobs = (int)strtol(words[i + 1], NULL, 10);
        else if (strcmp(words[i], "--write") == 0)
            o->write = strtoull(words[i + 1], NULL, 10);
        else if (strcmp(words[i], "--seed") == 0 || strcmp(words[i], "--one") == 0)
            o->fleet.seed = strtoull(words[i + 1], NULL, 10), o->one = o->one || words[i][2] == 'o';
        else
            return false;
    }
    return count % 2 == 1 && o->fleet.jobs > 0 &&
           (o->one || o->fleet.seconds > 0 || o->fleet.questions > 0 || o->write > 0);
}

int main(int count, char **words) {
    swarm_options options;
    fleet_result result = {.end = 0};
    if (!parse(count, words, &options)) {
        fputs("usage: swarm [--seconds S] [--questions N] [--seed FIRST] [--jobs N] | --one SEED | --write COUNT\n",
              stderr);
        return 2;
    }
    for (uint64_t i = 0; i < options.write; i++) swarm_write_scene(options.fleet.seed + i, stdout);
    if (options.write > 0) return 0;
    mallopt(M_MMAP_THRESHOLD, 1 << 28); // memory that is freed is needed again at once
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    signal(SIGTERM, stop_soon);
    signal(SIGINT, stop_soon);
    if (options.one) {
        swarm_run_block(options.fleet.seed, &result.counts);
        result.end = options.fleet.seed + 1;
    } else {
        fleet_run(&options.fleet, &told_to_stop, &result);
    }
    show_result(&options, &result);
    return result.counts.failures > 0;
}
