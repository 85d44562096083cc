// SPDX-License-Identifier: Apache-2.0
// The loop of a solver (examples/cloth.c): a cloth falls on a ball and on itself. After each step, contacts, near
// pairs, overlaps and the safe step are asked as a solver does, and their CPU time, allocations and memory are counted.
// The cloth must be in the same place, bit by bit, for one thread and for the default.
#define CLOTH_WITHOUT_MAIN
#include <time.h>

#include "bench/support/measure.h"
#include "examples/cloth.c"

enum { STEPS = 60, WARM = 40, QUESTIONS = 4 };
static const char *const loop_questions[QUESTIONS] = {"contacts", "near", "overlaps", "safe step"};

typedef struct counted_memory {
    _Atomic uint64_t calls;
    _Atomic size_t bytes;
} counted_memory;

static void *count_resize(void *user, void *block, size_t old_size, size_t new_size) {
    counted_memory *memory = user;
    memory->bytes += new_size - old_size;
    if (new_size > 0) {
        memory->calls++;
        return realloc(block, new_size);
    }
    free(block);
    return NULL;
}

typedef struct loop_cost {
    double cpu[QUESTIONS];
    uint64_t calls[QUESTIONS];
    size_t found[QUESTIONS], bytes;
    double wall; // of the steps
} loop_cost;

typedef struct loop_results {
    toc_near *near;
    toc_overlaps *overlaps;
} loop_results;

static size_t ask_loop_question(cloth_loop *l, const toc_query *query, int question, loop_results *r) {
    double fraction;
    switch (question) {
    case 0:
        bench_check(toc_scene_update_contacts(l->scene, query, &l->contacts));
        return l->contacts->count;
    case 1:
        bench_check(toc_scene_update_near(l->scene, query, TOC_AT_START, 2 * GAP, &r->near));
        return r->near->count;
    case 2:
        bench_check(toc_scene_update_overlaps(l->scene, query, TOC_AT_START, &r->overlaps));
        return r->overlaps->count;
    default:
        bench_check(toc_scene_find_safe_step(l->scene, query, &fraction));
        return fraction < 1;
    }
}

static double wall_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static loop_cost run_loop(cloth_loop *l, int threads) {
    counted_memory memory = {0, 0};
    const toc_allocator allocator = {count_resize, &memory};
    loop_results r = {NULL, NULL};
    loop_cost cost = {.bytes = 0};
    toc_query query = toc_query_default();
    query.test.separation = GAP;
    query.threads = threads;
    make_loop(l, &allocator);
    const double start = wall_seconds();
    for (int step = 0; step < STEPS; step++) {
        step_loop(l, &query);
        for (int q = 0; q < QUESTIONS; q++) {
            const double before = bench_cpu();
            const uint64_t calls = memory.calls;
            const size_t found = ask_loop_question(l, &query, q, &r);
            if (step < WARM) continue;
            cost.cpu[q] += (bench_cpu() - before) / (STEPS - WARM);
            cost.calls[q] += memory.calls - calls;
            cost.found[q] += found;
        }
    }
    cost.wall = (wall_seconds() - start) / STEPS;
    cost.bytes = memory.bytes;
    toc_near_destroy(r.near);
    toc_overlaps_destroy(r.overlaps);
    free_loop(l);
    return cost;
}

int main(void) {
    static cloth_loop alone, many;
    const loop_cost one = run_loop(&alone, 1), all = run_loop(&many, 0);
    printf("cloth on a ball, %d triangles, %d steps, the last %d counted\n  %-10s %12s %12s %12s %14s\n",
           2 * (SIDE - 1) * (SIDE - 1), STEPS, STEPS - WARM, "question", "CPU ms, 1", "default", "found",
           "allocations, 1");
    for (int q = 0; q < QUESTIONS; q++)
        printf("  %-10s %12.3f %12.3f %12zu %14llu\n", loop_questions[q], 1e3 * one.cpu[q], 1e3 * all.cpu[q],
               one.found[q], (unsigned long long)one.calls[q]);
    printf("  a step takes %.2f ms on the clock with one thread, %.2f ms by default; the scene holds %.1f MiB\n",
           1e3 * one.wall, 1e3 * all.wall, (double)one.bytes / (1 << 20));
    const bool same = memcmp(alone.x, many.x, sizeof alone.x) == 0;
    if (!same) puts("WRONG: the threads change the answer");
    return same ? 0 : 1;
}
