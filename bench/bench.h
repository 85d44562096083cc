// SPDX-License-Identifier: Apache-2.0
// Common code of the benchmarks: random numbers that are the same everywhere, and the best time of several runs.
#ifndef TOC_BENCH_H
#define TOC_BENCH_H

#include <stdint.h>
#include <time.h>

/// splitmix64.
typedef struct bench_random {
    uint64_t state;
} bench_random;

static inline uint64_t bench_bits(bench_random *random) {
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline double bench_between(bench_random *random, double low, double high) {
    return low + (high - low) * ((double)(bench_bits(random) >> 11) * 0x1p-53);
}

/// CPU seconds of the calling thread: other work on the machine matters less than on a wall clock.
static inline double bench_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Nanoseconds for each of the `count` items of a run: the best of at least five runs, a tenth of a second together.
static inline double bench_ns(void (*run)(void *user), void *user, uint64_t count) {
    double best = 1e300, spent = 0;
    for (int round = 0; round < 5 || spent < 0.1; round++) {
        const double start = bench_seconds();
        run(user);
        const double seconds = bench_seconds() - start;
        spent += seconds;
        if (seconds < best) best = seconds;
    }
    return best * 1e9 / (double)count;
}

#endif
