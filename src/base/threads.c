// SPDX-License-Identifier: Apache-2.0
// Threads (OpenMP, or one where it is missing) and a clock.
#include "base/threads.h"

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

double toc_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
