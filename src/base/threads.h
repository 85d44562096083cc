// SPDX-License-Identifier: Apache-2.0
// Threads and time. Work is split by index, never by who comes first, so answers do not depend on the number of
// threads.
#ifndef TOC_BASE_THREADS_H
#define TOC_BASE_THREADS_H

/// The number of threads to run for a `threads` setting: itself, or all cores for 0.
int toc_threads_resolve(int threads);

/// Index of the calling thread in its team, 0 outside of one.
int toc_threads_self(void);

/// Seconds on a clock that only goes forward.
double toc_seconds(void);

#endif
