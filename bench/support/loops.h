// SPDX-License-Identifier: Apache-2.0
// A watch of loops: a task system that runs nothing at the same time. The calling thread does all rounds itself, and
// the time between the starts and the ends of the tasks is that of a loop. The number of tasks tells how many threads a
// loop can use.
#ifndef TOC_BENCH_LOOPS_H
#define TOC_BENCH_LOOPS_H

#include "toccata/base.h"

enum { BENCH_WATCHED = 16 }; // threads

typedef struct bench_loops {
    int started, finished;
    double begun, loops; // CPU seconds of this thread
    double shared;       // the same, each loop divided by its threads
    struct {
        void (*work)(void *data);
        void *data;
    } tasks[BENCH_WATCHED];
} bench_loops;

/// For a question with BENCH_WATCHED threads.
toc_task_system bench_loops_tasks(bench_loops *loops);

#endif
