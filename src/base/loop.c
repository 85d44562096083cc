// SPDX-License-Identifier: Apache-2.0
// Loops on several threads: a team of POSIX threads that take the next round until none is left.
//
// The calling thread takes rounds from the start, and does not wait for a helper that has not entered the loop. So a
// helper that the system starts late, or never, costs time and nothing else. OpenMP is not used: its runtimes end the
// process where a thread cannot be started, and keep their threads after the call.
#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "base/threads.h"

enum {
    STACK_BYTES = 2 << 20, // of a helper: callbacks of the caller run on it, too
    YIELDS = 500           // looks at the next loop before a helper sleeps: about the time to wake it up
};

// A loop that runs.
typedef struct shared_loop {
    const toc_loop *loop;
    atomic_size_t next;
    atomic_int status;
    char message[1024]; // of the round that failed first
} shared_loop;

static _Thread_local toc_team *current_team; // of this thread's call; none between calls
static _Thread_local bool is_in_round;

static void fail_loop(shared_loop *shared, toc_status status) {
    int none = TOC_OK;
    if (!atomic_compare_exchange_strong(&shared->status, &none, status)) return;
    strncpy(shared->message, toc_message_get(), sizeof shared->message - 1);
}

static void report_progress(shared_loop *shared, size_t begun) {
    const toc_progress *progress = shared->loop->progress;
    if (!progress || !progress->report) return;
    if (progress->report(progress->user, (double)begun / (double)shared->loop->count) == 0) return;
    toc_fail(TOC_STOPPED, "stopped on request");
    fail_loop(shared, TOC_STOPPED);
}

static void take_rounds(shared_loop *shared, int thread) {
    const toc_loop *loop = shared->loop;
    const bool was_in_round = is_in_round;
    size_t index;
    is_in_round = true;
    while (atomic_load(&shared->status) == TOC_OK && (index = atomic_fetch_add(&shared->next, 1)) < loop->count) {
        const toc_status status = loop->round(loop->user, index, thread);
        if (status != TOC_OK) fail_loop(shared, status);
        if (thread == 0) report_progress(shared, index);
    }
    is_in_round = was_in_round;
}

// ---- helpers

// Wait for a loop after those that were seen. @return whether there is one. With the lock held.
static bool await_loop(toc_team *team, unsigned seen) {
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < YIELDS && atomic_load(&team->loops) == seen; i++) sched_yield();
    pthread_mutex_lock(&team->lock);
    while (!team->ended && atomic_load(&team->loops) == seen) pthread_cond_wait(&team->work, &team->lock);
    return !team->ended;
}

static void *help(void *user) {
    toc_team *team = user;
    unsigned seen = 0;
    pthread_mutex_lock(&team->lock);
    const int number = ++team->numbered;
    while (await_loop(team, seen)) {
        seen = atomic_load(&team->loops);
        shared_loop *shared = team->loop;
        if (!shared || number >= shared->loop->threads) continue;
        team->inside++;
        team->entered++;
        pthread_cond_signal(&team->done);
        pthread_mutex_unlock(&team->lock);
        take_rounds(shared, number);
        pthread_mutex_lock(&team->lock);
        if (--team->inside == 0) pthread_cond_signal(&team->done);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

// Signals of the host go to its own threads; only faults of a helper's own stay with it.
static void block_signals(sigset_t *before) {
    sigset_t all;
    sigfillset(&all);
    const int own[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

// Have so many helpers, or as many of them as the system gives.
static void start_helpers(toc_team *team, int wanted) {
    assert(wanted < TOC_THREADS_MOST);
    if (team->exhausted || team->helpers >= wanted) return;
    sigset_t before;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    block_signals(&before);
    while (team->helpers < wanted && !team->exhausted) {
        team->exhausted = pthread_create(&team->threads[team->helpers], &attributes, help, team) != 0;
        team->helpers += !team->exhausted;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

// ---- teams

static void open_team(toc_team *team) {
    memset(team, 0, offsetof(toc_team, threads));
    team->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    team->work = team->done = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    team->is_open = true;
    current_team = team;
}

void toc_team_begin(toc_team *team, const toc_task_system *tasks) {
    if (current_team || is_in_round) {
        team->is_open = false;
        return;
    }
    open_team(team);
    if (tasks && tasks->start) team->tasks = tasks;
}

void toc_team_end(toc_team *team) {
    if (!team->is_open) return;
    assert(current_team == team && !team->loop);
    pthread_mutex_lock(&team->lock);
    team->ended = true;
    atomic_fetch_add(&team->loops, 1); // ends the yields of a helper
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < team->helpers; i++) pthread_join(team->threads[i], NULL);
    pthread_cond_destroy(&team->done);
    pthread_cond_destroy(&team->work);
    pthread_mutex_destroy(&team->lock);
    team->is_open = false;
    current_team = NULL;
}

// Let helpers enter a loop. In builds with assertions the caller waits until they have, so that even short loops of the
// tests run on several threads.
static void publish_loop(toc_team *team, shared_loop *shared) {
    pthread_mutex_lock(&team->lock);
    team->loop = shared;
    team->entered = 0;
    atomic_fetch_add(&team->loops, 1);
    pthread_cond_broadcast(&team->work);
#ifndef NDEBUG
    const int helpers = team->helpers < shared->loop->threads ? team->helpers : shared->loop->threads - 1;
    while (team->entered < helpers) pthread_cond_wait(&team->done, &team->lock);
#endif
    pthread_mutex_unlock(&team->lock);
}

// No helper enters the loop any more; wait for those inside.
static void close_loop(toc_team *team) {
    pthread_mutex_lock(&team->lock);
    team->loop = NULL;
    while (team->inside > 0) pthread_cond_wait(&team->done, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

// ---- tasks of the caller

typedef struct loop_task {
    shared_loop *shared;
    int number;
    void *task; // of the caller's system; NULL where it was not taken
} loop_task;

// A task that begins late finds no round left.
static void run_task(void *data) {
    const loop_task *task = data;
    take_rounds(task->shared, task->number);
}

static void run_with_tasks(shared_loop *shared, const toc_task_system *tasks, int helpers) {
    loop_task started[TOC_THREADS_MOST - 1];
    for (int i = 0; i < helpers; i++) {
        started[i] = (loop_task){.shared = shared, .number = i + 1};
        started[i].task = tasks->start(tasks->user, run_task, &started[i]);
    }
    take_rounds(shared, 0);
    for (int i = 0; i < helpers; i++)
        if (started[i].task) tasks->finish(tasks->user, started[i].task);
}

// ---- loops

static void run_on_team(shared_loop *shared) {
    const toc_loop *loop = shared->loop;
    const int helpers = (size_t)loop->threads < loop->count ? loop->threads - 1 : (int)loop->count - 1;
    toc_team own, *team = &own;
    toc_team_begin(&own, NULL);
    if (!own.is_open) team = current_team;
    if (team->tasks) {
        run_with_tasks(shared, team->tasks, helpers);
    } else {
        start_helpers(team, helpers);
        publish_loop(team, shared);
        take_rounds(shared, 0);
        close_loop(team);
    }
    toc_team_end(&own);
}

toc_status toc_loop_run(const toc_loop *loop) {
    assert(loop->threads >= 1 && loop->threads <= TOC_THREADS_MOST);
    shared_loop shared = {.loop = loop};
    if (loop->count < 2 || loop->threads == 1 || is_in_round)
        take_rounds(&shared, 0);
    else
        run_on_team(&shared);
    const toc_status status = (toc_status)atomic_load(&shared.status);
    return status == TOC_OK ? TOC_OK : toc_fail(status, "%s", shared.message);
}
