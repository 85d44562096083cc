// SPDX-License-Identifier: Apache-2.0
// The number of threads that this machine and its limits allow, and a clock.
#include "base/threads.h"

#include <time.h>

#include "base/platform/platform.h"

// More threads than processors are useful for tests only; this many are always allowed.
enum { ALWAYS_ALLOWED = 16 };

int toc_threads_resolve(int threads) {
    if (threads == 1) return 1;
    const int processors = toc_processors_count(TOC_THREADS_MOST);
    const int most = processors > TOC_THREADS_MOST ? TOC_THREADS_MOST
                     : processors > ALWAYS_ALLOWED ? processors
                                                   : ALWAYS_ALLOWED;
    if (threads <= 0) threads = processors;
    return toc_threads_fit(threads < most ? threads : most);
}

double toc_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
