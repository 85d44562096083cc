// SPDX-License-Identifier: Apache-2.0
// The swarm from consecutive seeds, until time or number is reached.
//
//     swarm [--seconds S] [--questions N] [--seed FIRST]   TOC_SEED: the default of --seed
//     swarm --one SEED                                     run one block again
//     swarm --write COUNT [--seed FIRST]                   scenes with their answers, for other programs
//
// Progress goes to the standard error every minute, a table to the standard output at the end, also when it is
// terminated. Exit status: 0 when every promise held, 1 when one was broken, 2 for a wrong call.
#include "campaign/swarm.h"

#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SHOWN = 20, FEW_SCENES = 4 };

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
    double seconds;
    uint64_t questions, seed, write;
    bool one;
} swarm_options;

static volatile sig_atomic_t told_to_stop;

static void stop_soon(int signal) {
    (void)signal;
    told_to_stop = 1;
}

static double seconds_now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show_counts(FILE *to, const swarm_counts *n, uint64_t first, double seconds) {
    fprintf(to,
            "blocks %llu from seed %llu: %llu questions (%llu pairs, %llu calls), %llu exact answers (%llu rational), "
            "%llu contacts, %llu steps of simulations, %.0f s, %.0f s of processor time, %llu failures\n",
            (unsigned long long)n->blocks, (unsigned long long)first, (unsigned long long)(n->pairs + n->calls),
            (unsigned long long)n->pairs, (unsigned long long)n->calls, (unsigned long long)n->decided,
            (unsigned long long)n->by_oracle, (unsigned long long)n->contacts, (unsigned long long)n->steps, seconds,
            seconds_now(CLOCK_PROCESS_CPUTIME_ID), (unsigned long long)n->failures);
    fflush(to);
}

static void run_block(uint64_t seed, swarm_counts *counts) {
    swarm_pairs(seed, counts);
    for (uint64_t i = 0; i < FEW_SCENES; i++) swarm_scenes(FEW_SCENES * seed + i, counts);
    swarm_bodies(seed, counts);
    counts->blocks++;
}

static void run_blocks(const swarm_options *o, swarm_counts *counts) {
    const double start = seconds_now(CLOCK_MONOTONIC);
    double shown = start;
    for (uint64_t seed = o->seed; !told_to_stop; seed++) {
        run_block(seed, counts);
        const double now = seconds_now(CLOCK_MONOTONIC);
        if (o->one || (o->seconds > 0 && now - start >= o->seconds)) break;
        if (o->questions > 0 && counts->pairs + counts->calls >= o->questions) break;
        if (now - shown < 60) continue;
        shown = now;
        show_counts(stderr, counts, o->seed, now - start);
    }
    show_counts(stdout, counts, o->seed, seconds_now(CLOCK_MONOTONIC) - start);
}

static bool parse(int count, char **words, swarm_options *o) {
    const char *seed = getenv("TOC_SEED");
    *o = (swarm_options){.seed = seed ? strtoull(seed, NULL, 10) : 1};
    for (int i = 1; i + 1 < count; i += 2) {
        if (strcmp(words[i], "--seconds") == 0)
            o->seconds = strtod(words[i + 1], NULL);
        else if (strcmp(words[i], "--questions") == 0)
            o->questions = strtoull(words[i + 1], NULL, 10);
        else if (strcmp(words[i], "--write") == 0)
            o->write = strtoull(words[i + 1], NULL, 10);
        else if (strcmp(words[i], "--seed") == 0 || strcmp(words[i], "--one") == 0)
            o->seed = strtoull(words[i + 1], NULL, 10), o->one = o->one || words[i][2] == 'o';
        else
            return false;
    }
    return count % 2 == 1 && (o->one || o->seconds > 0 || o->questions > 0 || o->write > 0);
}

int main(int count, char **words) {
    swarm_options options;
    swarm_counts counts = {0};
    if (!parse(count, words, &options)) {
        fputs("usage: swarm [--seconds S] [--questions N] [--seed FIRST] | --one SEED | --write COUNT\n", stderr);
        return 2;
    }
    for (uint64_t i = 0; i < options.write; i++) swarm_write_scene(options.seed + i, stdout);
    if (options.write > 0) return 0;
    mallopt(M_MMAP_THRESHOLD, 1 << 28); // memory that is freed is needed again at once
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    signal(SIGTERM, stop_soon);
    signal(SIGINT, stop_soon);
    run_blocks(&options, &counts);
    return counts.failures > 0;
}
