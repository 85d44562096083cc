// SPDX-License-Identifier: Apache-2.0
// Threads and time. Work is split by index, never by who comes first, so answers do not depend on the number of
// threads.
#ifndef TOC_BASE_THREADS_H
#define TOC_BASE_THREADS_H

#include "base/status.h"

/// The number of threads to run for a `threads` setting: itself, or all cores for 0.
int toc_threads_resolve(int threads);

/// Index of the calling thread in its team, 0 outside of one.
int toc_threads_self(void);

/// A loop whose rounds run side by side, in no order. A round that fails ends it, and so does the caller's progress
/// function; rounds not begun by then are left out.
typedef struct toc_loop {
    size_t count;
    int threads;                                               // as toc_threads_resolve gives
    const toc_progress *progress;                              // NULL for none
    toc_status (*round)(void *user, size_t index, int thread); // thread: 0 .. threads-1
    void *user;
} toc_loop;

/// Run a loop. @return what the first round to fail returned, with its message; TOC_STOPPED; or TOC_OK.
toc_status toc_loop_run(const toc_loop *loop);

/// Seconds on a clock that only goes forward.
double toc_seconds(void);

#endif
