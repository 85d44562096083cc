// SPDX-License-Identifier: Apache-2.0
// A watch of loops.
#include "bench/support/loops.h"

#include "bench/bench.h"

static void *start_task(void *user, void (*work)(void *data), void *data) {
    bench_loops *loops = user;
    const int task = loops->started++;
    loops->tasks[task].work = work;
    loops->tasks[task].data = data;
    loops->begun = bench_seconds();
    return &loops->tasks[task];
}

// The task finds no round left.
static void finish_task(void *user, void *task) {
    (void)task;
    bench_loops *loops = user;
    const double taken = bench_seconds() - loops->begun;
    if (loops->finished == 0) {
        loops->loops += taken;
        loops->shared += taken / (loops->started + 1);
    }
    loops->tasks[loops->finished].work(loops->tasks[loops->finished].data);
    if (++loops->finished == loops->started) loops->started = loops->finished = 0;
}

toc_task_system bench_loops_tasks(bench_loops *loops) {
    return (toc_task_system){.start = start_task, .finish = finish_task, .user = loops};
}
