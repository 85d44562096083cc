// SPDX-License-Identifier: Apache-2.0
// The saved floating-point state of a call: nanoseconds in a host that has the state of the library, and in one that
// rounds upward and flushes subnormal numbers. Answers must be the same, and the host's state as it was.
#include "base/arithmetic.h"

#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "toccata/toccata.h"

enum { CALLS = 200000 };

#if defined(__SSE2__)
static const uint64_t other_state = 0x1f80 | 0x8040 | 0x4000; // FTZ, DAZ, round up
#else
static const uint64_t other_state = 1 << 24 | 1 << 22;
#endif

static toc_pair pair_of_bench;
static toc_hit found;
static double sum;

static void save_and_restore(void *user) {
    (void)user;
    for (int i = 0; i < CALLS; i++) {
        TOC_SCOPED_ARITHMETIC;
        __asm__ volatile("" : : : "memory");
    }
}

static void do_nothing(void *user) {
    (void)user;
    for (int i = 0; i < CALLS; i++) __asm__ volatile("" : : : "memory");
}

static void interpolate_one(void *user) {
    const double x0 = 1, x1 = 2;
    (void)user;
    for (int i = 0; i < CALLS; i++) {
        double x;
        toc_positions_interpolate(0.5, 1, &x0, &x1, NULL, &x);
        sum += x;
    }
}

static void find_pair(void *user) {
    (void)user;
    const toc_pair_test test = toc_pair_test_default();
    for (int i = 0; i < CALLS; i++) toc_pair_find(TOC_VF, &pair_of_bench, &test, &found);
}

typedef struct state_row {
    const char *name;
    void (*run)(void *);
} state_row;

static double measure(const state_row *row, uint64_t state, bool *kept) {
    const uint64_t before = toc_arithmetic_read();
    toc_arithmetic_write(state);
    const double ns = bench_ns(row->run, NULL, CALLS);
    *kept = *kept && ((toc_arithmetic_read() ^ state) & TOC_ARITHMETIC_CONTROL) == 0;
    toc_arithmetic_write(before);
    return ns;
}

int main(void) {
    static const state_row rows[] = {{"an empty loop", do_nothing},
                                     {"save and restore", save_and_restore},
                                     {"interpolation of one coordinate", interpolate_one},
                                     {"one pair, certified", find_pair}};
    const double x0[12] = {0.3, 0.3, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    bool kept = true;
    toc_hit first;
    memset(&first, 0, sizeof first);
    memset(&found, 0, sizeof found);
    memcpy(pair_of_bench.x0, x0, sizeof x0);
    memcpy(pair_of_bench.x1, x0, sizeof x0);
    pair_of_bench.x1[0][2] = -1;
    puts("| ns a call | host in the state of the library | host that rounds upward and flushes |\n|---|---|---|");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double own = measure(&rows[i], TOC_ARITHMETIC_OWN, &kept);
        if (rows[i].run == find_pair) first = found;
        printf("| %s | %.1f | %.1f |\n", rows[i].name, own, measure(&rows[i], other_state, &kept));
    }
    const bool same = first.verdict == TOC_HIT && memcmp(&first, &found, sizeof first) == 0;
    printf("\nThe state of the host is %s, the answers are %s.\n", kept ? "kept" : "LOST",
           same ? "the same" : "DIFFERENT");
    return kept && same ? 0 : 1;
}
