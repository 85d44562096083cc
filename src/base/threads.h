// SPDX-License-Identifier: Apache-2.0
// Threads and time.
//
// Loops are split by index, never by which thread comes first, so answers do not depend on the number of threads (G4).
// Threads are started for a call and end with it: between calls the library has none. A thread that cannot be started
// makes a loop slower, nothing else (G10).
#ifndef TOC_BASE_THREADS_H
#define TOC_BASE_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { TOC_THREADS_MOST = 1024 };

/// The number of threads to use for a `threads` setting: 0 for one per processor that the process may run on. At most
/// 16, or one per processor where there are more, and no more than fit into half of what the limits on the address
/// space and on processes leave (RLIMIT_AS, RLIMIT_NPROC, pids.max of the control group).
int toc_threads_resolve(int threads);
/// How many processes the control groups still allow; LONG_MAX without a limit. Versions 1 and 2.
/// @param groups the list of groups, /proc/self/cgroup. @param mount where they are mounted, /sys/fs/cgroup.
long toc_threads_room(const char *groups, const char *mount);

/// Ask the caller's progress function whether to go on. NULL, or one without a function, goes on.
/// @return TOC_OK or TOC_STOPPED.
toc_status toc_progress_report(const toc_progress *progress, double done);

/// A loop whose rounds run at the same time, in no order, or begin in ascending order. A failing round ends the loop,
/// and so does the caller's progress function; rounds that have not begun by then are skipped.
typedef struct toc_loop {
    size_t count;
    int threads;                                               // at most, 1 .. TOC_THREADS_MOST
    bool in_order;                                             // rounds begin in ascending order
    const toc_progress *progress;                              // may be NULL; called on the calling thread only
    toc_status (*round)(void *user, size_t index, int thread); // thread: 0 .. threads - 1, one round each at a time
    toc_status (*finish)(void *user, int thread);              // may be NULL; once on each thread, after its last round
    void *user;
} toc_loop;

/// Run a loop. A loop inside a round runs on the thread of that round.
/// @return the status of the first round that failed, with its message; TOC_STOPPED; or TOC_OK.
toc_status toc_loop_run(const toc_loop *loop);

/// A thread of a team besides the calling one. Lives on the stack of the thread that starts it, and joins it.
typedef struct toc_helper {
    struct toc_team *team;
    int number, end; // from 1; it starts the helpers behind it, up to before `end`
    pthread_t thread;
} toc_helper;

enum {
    TOC_HELPERS_HALVED = 10, // most helpers that one thread starts at a time: each starts half of the rest
    TOC_HELPERS_OWN = 64     // most helpers that the calling thread starts; their number doubles each time
};

/// The threads that the loops of a call share, so that they start once. Lives on the stack of the call.
typedef struct toc_team {
    bool is_open;                 // false inside another team, whose threads are used
    const toc_task_system *tasks; // the caller's threads; NULL for threads of our own
    int setting, resolved;        // a `threads` setting and its number of threads, once they are known
    int helpers;                  // asked for so far
    atomic_bool exhausted;        // the system refused a thread
    atomic_int refused;           // helpers that are not started
    struct shared_loop *loop;     // the loop that helpers may enter; NULL between loops
    _Atomic uint64_t gate;        // to the loop (loop.c)
    atomic_int entered;           // helpers that are, or were, inside
    atomic_bool ended;
    pthread_mutex_t lock; // of threads that sleep
    pthread_cond_t work, done;
    atomic_int sleepers; // helpers
    atomic_bool caller_sleeps;
    int own_count; // helpers that the calling thread started
    toc_helper own[TOC_HELPERS_OWN];
} toc_team;

_Static_assert(TOC_THREADS_MOST <= 1 << TOC_HELPERS_HALVED, "each helper starts half of those behind it");

/// Let the following loops of this thread share threads until toc_team_end. Cannot fail; starts nothing by itself.
/// Inside another team of the same thread, or a round, it does nothing.
/// @param tasks takes the place of threads of the team; may be NULL or have no functions. Must outlive the team.
void toc_team_begin(toc_team *team, const toc_task_system *tasks);
void toc_team_end(toc_team *team);
/// toc_threads_resolve once for each call: the limits of the system are files, which take some 0.1 ms to read.
int toc_team_resolve(int threads);

/// Seconds on a clock that only goes forward.
double toc_seconds(void);

#endif
