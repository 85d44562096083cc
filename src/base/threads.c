// SPDX-License-Identifier: Apache-2.0
// Threads (OpenMP, or one where it is missing) and a clock.
#include "base/threads.h"
#include "base/shared.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#ifdef _OPENMP
#include <omp.h>
#endif

int toc_threads_resolve(int threads) {
#ifdef _OPENMP
    return threads > 0 ? threads : omp_get_num_procs();
#else
    (void)threads;
    return 1;
#endif
}

int toc_threads_self(void) {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

// What the threads of a loop share.
typedef struct shared_loop {
    atomic_size_t next;
    atomic_int status;
    char message[1024]; // of the thread that failed first
} shared_loop;

static void fail_loop(shared_loop *shared, toc_status status) {
    int none = TOC_OK;
    if (!atomic_compare_exchange_strong(&shared->status, &none, status)) return;
    strncpy(shared->message, toc_message_get(), sizeof shared->message - 1);
}

static void report(const toc_loop *loop, shared_loop *shared, size_t begun) {
    if (!loop->progress || !loop->progress->report) return;
    if (loop->progress->report(loop->progress->user, (double)begun / (double)loop->count) == 0) return;
    toc_fail(TOC_STOPPED, "stopped on request");
    fail_loop(shared, TOC_STOPPED);
}

static void take_rounds(const toc_loop *loop, shared_loop *shared, int thread) {
    size_t index;
    while (atomic_load(&shared->status) == TOC_OK && (index = atomic_fetch_add(&shared->next, 1)) < loop->count) {
        const toc_status status = loop->round(loop->user, index, thread);
        if (status != TOC_OK) fail_loop(shared, status);
        if (thread == 0) report(loop, shared, index);
    }
}

toc_status toc_loop_run(const toc_loop *loop) {
    shared_loop shared;
    memset(&shared, 0, sizeof shared);
#ifdef _OPENMP
#pragma omp parallel num_threads(loop->threads) if (loop->count > 1)
    take_rounds(loop, &shared, omp_get_thread_num());
#else
    take_rounds(loop, &shared, 0);
#endif
    const toc_status status = (toc_status)atomic_load(&shared.status);
    return status == TOC_OK ? TOC_OK : toc_fail(status, "%s", shared.message);
}

TOC_SHARED double toc_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
