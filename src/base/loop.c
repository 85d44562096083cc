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
    YIELDS = 16,           // of a waiting thread between two looks at the clock
    STRETCHES = 16         // of rounds, which run side by side
};
static const double PATIENCE = 1e-3; // seconds in which a waiting thread yields, before it sleeps

// A loop that runs.
typedef struct shared_loop {
    const toc_loop *loop;
    atomic_size_t next;
    atomic_int status;
    bool spreads;       // whether rounds begin in all stretches at the same time
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

// The round to run as number `turn`: one of each stretch in turn. Neighbours in memory are then written at different
// times, so threads do not wait for the same page of fresh memory, or clear it twice.
static size_t spread_round(size_t count, size_t turn) {
    const size_t stretch = turn % STRETCHES, rest = count % STRETCHES;
    return stretch * (count / STRETCHES) + (stretch < rest ? stretch : rest) + turn / STRETCHES;
}

static void take_rounds(shared_loop *shared, int thread) {
    const toc_loop *loop = shared->loop;
    const bool was_in_round = is_in_round;
    size_t turn;
    is_in_round = true;
    while (atomic_load(&shared->status) == TOC_OK && (turn = atomic_fetch_add(&shared->next, 1)) < loop->count) {
        const size_t index = shared->spreads ? spread_round(loop->count, turn) : turn;
        assert(index < loop->count);
        const toc_status status = loop->round(loop->user, index, thread);
        if (status != TOC_OK) fail_loop(shared, status);
        if (thread == 0) report_progress(shared, turn);
    }
    if (loop->finish && atomic_load(&shared->status) == TOC_OK) {
        const toc_status status = loop->finish(loop->user, thread);
        if (status != TOC_OK) fail_loop(shared, status);
    }
    is_in_round = was_in_round;
}

// ---- the gate: loops published so far, whether helpers may enter the last one, and how many are inside
//
// Helpers enter and leave with one atomic operation each. The lock is for threads that sleep: one that is about to, and
// one that may have to wake it up, both write first and read afterwards, so one of them sees the other.

#define GATE_LOOP (UINT64_C(1) << 32)
#define GATE_OPEN (UINT64_C(1) << 31)

static unsigned loops_at(uint64_t gate) { return (unsigned)(gate / GATE_LOOP); }
static unsigned inside_of(uint64_t gate) { return (unsigned)(gate & (GATE_OPEN - 1)); }

// Whether there is a loop after those that were seen, or the end. A helper that comes late to the last loop has seen
// the number of the end, too.
static bool has_next_loop(toc_team *team, unsigned seen) {
    return loops_at(atomic_load(&team->gate)) != seen || atomic_load(&team->ended);
}

static bool is_empty(toc_team *team, unsigned seen) {
    (void)seen;
    return inside_of(atomic_load(&team->gate)) == 0;
}

// Yield until a condition holds, but not for long. @return whether it does.
static bool yield_until(bool (*holds)(toc_team *, unsigned), toc_team *team, unsigned seen) {
    const double start = toc_seconds();
    do
        for (int i = 0; i < YIELDS; i++) {
            if (holds(team, seen)) return true;
            sched_yield();
        }
    while (toc_seconds() - start < PATIENCE);
    return false;
}

// Wait for a loop after those that were seen. @return whether there is one.
static bool await_loop(toc_team *team, unsigned seen) {
    if (!yield_until(has_next_loop, team, seen)) {
        pthread_mutex_lock(&team->lock);
        atomic_fetch_add(&team->sleepers, 1);
        while (!has_next_loop(team, seen)) pthread_cond_wait(&team->work, &team->lock);
        atomic_fetch_sub(&team->sleepers, 1);
        pthread_mutex_unlock(&team->lock);
    }
    return !atomic_load(&team->ended);
}

// Open the gate for a loop, or for the end of the team with none.
static void open_gate(toc_team *team, bool is_loop) {
    const uint64_t gate = atomic_load(&team->gate);
    assert(inside_of(gate) == 0 && !(gate & GATE_OPEN));
    atomic_store(&team->gate, gate + GATE_LOOP + (is_loop ? GATE_OPEN : 0));
    if (atomic_load(&team->sleepers) == 0) return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
}

// Enter the last loop, if it is open and new. @return whether the helper is inside.
static bool enter_gate(toc_team *team, unsigned *seen) {
    uint64_t gate = atomic_load(&team->gate);
    while (gate & GATE_OPEN && loops_at(gate) != *seen)
        if (atomic_compare_exchange_weak(&team->gate, &gate, gate + 1)) {
            *seen = loops_at(gate);
            return true;
        }
    *seen = loops_at(gate);
    return false;
}

static void leave_gate(toc_team *team) {
    const uint64_t before = atomic_fetch_sub(&team->gate, 1);
    assert(inside_of(before) > 0);
    if (before & GATE_OPEN || inside_of(before) > 1 || !atomic_load(&team->caller_sleeps)) return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_signal(&team->done);
    pthread_mutex_unlock(&team->lock);
}

// No helper enters the loop any more; wait for those inside.
static void close_gate(toc_team *team) {
    atomic_fetch_and(&team->gate, ~GATE_OPEN);
    if (yield_until(is_empty, team, 0)) return;
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->caller_sleeps, true);
    while (!is_empty(team, 0)) pthread_cond_wait(&team->done, &team->lock);
    atomic_store(&team->caller_sleeps, false);
    pthread_mutex_unlock(&team->lock);
}

// ---- helpers

static void start_range(toc_team *team, int first, int end);

// A helper that the loop has no number for leaves at once.
static void *help(void *user) {
    const toc_helper *self = user;
    toc_team *team = self->team;
    unsigned seen = 0;
    start_range(team, self->number + 1, self->end);
    while (await_loop(team, seen)) {
        if (!enter_gate(team, &seen)) continue;
        atomic_fetch_add(&team->entered, 1);
        if (self->number < team->loop->loop->threads) take_rounds(team->loop, self->number);
        leave_gate(team);
    }
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

// Start a helper, which starts those behind it, up to before `end`.
static void start_helper(toc_team *team, const pthread_attr_t *attributes, int number, int end) {
    toc_helper *helper = &team->at[number - 1];
    helper->end = end;
    helper->started = !atomic_load(&team->exhausted) && pthread_create(&helper->thread, attributes, help, helper) == 0;
    if (helper->started) return;
    atomic_store(&team->exhausted, true);
    atomic_fetch_add(&team->refused, end - number);
}

// Start the helpers first .. end - 1, or as many of them as the system gives. Half of them are started by the first of
// that half, and so on: the time grows with the logarithm of their number.
static void start_range(toc_team *team, int first, int end) {
    pthread_attr_t attributes;
    if (first >= end) return;
    if (pthread_attr_init(&attributes) != 0) {
        atomic_fetch_add(&team->refused, end - first);
        return;
    }
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (int middle; first < end; end = middle) {
        middle = first + (end - first) / 2;
        start_helper(team, &attributes, middle, end);
    }
    pthread_attr_destroy(&attributes);
}

// Have so many helpers, or as many of them as the system gives. Helpers inherit the blocked signals.
static void start_helpers(toc_team *team, int wanted) {
    assert(wanted < TOC_THREADS_MOST);
    if (atomic_load(&team->exhausted) || team->helpers >= wanted) return;
    const int first = team->helpers + 1;
    for (int number = first; number <= wanted; number++)
        team->at[number - 1] = (toc_helper){.team = team, .number = number};
    team->helpers = wanted;
    sigset_t before;
    block_signals(&before);
    start_range(team, first, wanted + 1);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Helpers start only others with a higher number, so that one is started, if at all, once those before it are joined.
static void join_helpers(toc_team *team) {
    for (int i = 0; i < team->helpers; i++)
        if (team->at[i].started) pthread_join(team->at[i].thread, NULL);
}

// ---- teams

static void open_team(toc_team *team) {
    memset(team, 0, offsetof(toc_team, at));
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
    atomic_store(&team->ended, true);
    open_gate(team, false);
    join_helpers(team);
    pthread_cond_destroy(&team->done);
    pthread_cond_destroy(&team->work);
    pthread_mutex_destroy(&team->lock);
    team->is_open = false;
    current_team = NULL;
}

int toc_team_resolve(int threads) {
    toc_team *team = current_team;
    if (!team) return toc_threads_resolve(threads);
    if (team->resolved == 0 || team->setting != threads) team->resolved = toc_threads_resolve(threads);
    team->setting = threads;
    return team->resolved;
}

// In builds with assertions the caller waits until all helpers have entered, so that even short loops of the tests run
// on several threads.
static void await_entries(toc_team *team) {
#ifndef NDEBUG
    while (atomic_load(&team->entered) < team->helpers - atomic_load(&team->refused)) sched_yield();
#else
    (void)team;
#endif
}

static void run_with_helpers(shared_loop *shared, toc_team *team, int helpers) {
    team->loop = shared;
    atomic_store(&team->entered, 0);
    open_gate(team, true);
    start_helpers(team, helpers);
    await_entries(team);
    take_rounds(shared, 0);
    close_gate(team);
    team->loop = NULL;
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
    if (team->tasks)
        run_with_tasks(shared, team->tasks, helpers);
    else
        run_with_helpers(shared, team, helpers);
    toc_team_end(&own);
}

toc_status toc_loop_run(const toc_loop *loop) {
    assert(loop->threads >= 1 && loop->threads <= TOC_THREADS_MOST);
    shared_loop shared = {.loop = loop, .spreads = !loop->in_order && loop->count > STRETCHES};
    if (loop->count < 2 || loop->threads == 1 || is_in_round)
        take_rounds(&shared, 0);
    else
        run_on_team(&shared);
    const toc_status status = (toc_status)atomic_load(&shared.status);
    return status == TOC_OK ? TOC_OK : toc_fail(status, "%s", shared.message);
}
