// SPDX-License-Identifier: Apache-2.0
// Loops on several threads: a team of POSIX threads that take the next round until none is left.
//
// The calling thread takes rounds from the start, and does not wait for a helper that has not entered the loop. So a
// helper that the system starts late, or never, costs time and nothing else. OpenMP is not used: its runtimes end the
// process where a thread cannot be started, and keep their threads after the call.
#include <assert.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/platform/platform.h"
#include "base/threads.h"

enum {
    STACK_BYTES = 2 << 20, // of a helper: callbacks of the caller run on it, too
    YIELDS = 16,           // of a waiting thread between two looks at the clock
    STRETCHES = 16,        // of rounds, which run side by side
    TASKS = 64             // of the caller, in one frame of the stack
};
static const double PATIENCE = 1e-3; // seconds in which a waiting thread yields, before it sleeps

// A loop that runs.
typedef struct shared_loop {
    const toc_loop *loop;
    atomic_size_t next;
    atomic_int status;
    bool spreads;       // whether rounds begin in all stretches at the same time
    atomic_int tasks;   // of the caller that have begun
    char message[1024]; // of the round that failed first
} shared_loop;

static _Thread_local toc_team *current_team; // of this thread's call; none between calls
static _Thread_local bool is_in_round;

static void fail_loop(shared_loop *shared, toc_status status) {
    int none = TOC_OK;
    if (!atomic_compare_exchange_strong(&shared->status, &none, status)) return;
    strncpy(shared->message, toc_message_get(), sizeof shared->message - 1);
}

toc_status toc_progress_report(const toc_progress *progress, double done) {
    if (!progress || !progress->report) return TOC_OK;
    const int stops = progress->report(progress->user, done);
    toc_arithmetic_resume();
    return stops ? toc_fail(TOC_STOPPED, "stopped on request") : TOC_OK;
}

static void report_progress(shared_loop *shared, size_t begun) {
    const toc_status status = toc_progress_report(shared->loop->progress, (double)begun / (double)shared->loop->count);
    if (status != TOC_OK) fail_loop(shared, status);
}

// The round to run as number `turn`: one of each stretch in turn. Neighbours in memory are then written at different
// times, so threads do not wait for the same page of fresh memory, or clear it twice.
static size_t spread_round(size_t count, size_t turn) {
    const size_t stretch = turn % STRETCHES, rest = count % STRETCHES;
    return stretch * (count / STRETCHES) + (stretch < rest ? stretch : rest) + turn / STRETCHES;
}

// A thread of the caller may have another floating-point state.
static void take_rounds(shared_loop *shared, int thread) {
    TOC_SCOPED_ARITHMETIC;
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

// Close the loop to helpers, and wait for those inside.
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

static int start_range(toc_team *team, int first, int end, toc_helper *at);

static void join_range(const toc_helper *at, int count) {
    for (int i = 0; i < count; i++) pthread_join(at[i].thread, NULL);
}

// A helper that the loop has no number for leaves at once.
static void *help(void *user) {
    const toc_helper *self = user;
    toc_team *team = self->team;
    unsigned seen = 0;
    toc_helper below[TOC_HELPERS_HALVED];
    const int below_count = start_range(team, self->number + 1, self->end, below);
    while (await_loop(team, seen)) {
        if (!enter_gate(team, &seen)) continue;
        atomic_fetch_add(&team->entered, 1);
        if (self->number < team->loop->loop->threads) take_rounds(team->loop, self->number);
        leave_gate(team);
    }
    join_range(below, below_count);
    return NULL;
}

// Start a helper, which starts those behind it, up to before its end. @return whether the system gave the thread.
static bool start_helper(toc_helper *helper, const pthread_attr_t *attributes) {
    toc_team *team = helper->team;
    if (!atomic_load(&team->exhausted) && pthread_create(&helper->thread, attributes, help, helper) == 0) return true;
    atomic_store(&team->exhausted, true);
    atomic_fetch_add(&team->refused, helper->end - helper->number);
    return false;
}

// Start the helpers first .. end - 1, or as many of them as the system gives. Half of them are started by the first of
// that half, and so on: the time grows with the logarithm of their number.
// @param at room for TOC_HELPERS_HALVED. @return the number of those that this thread started.
static int start_range(toc_team *team, int first, int end, toc_helper *at) {
    pthread_attr_t attributes;
    int count = 0;
    if (first >= end) return 0;
    if (pthread_attr_init(&attributes) != 0) {
        atomic_fetch_add(&team->refused, end - first);
        return 0;
    }
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (int middle; first < end; end = middle) {
        assert(count < TOC_HELPERS_HALVED);
        middle = first + (end - first) / 2;
        at[count] = (toc_helper){.team = team, .number = middle, .end = end};
        count += start_helper(&at[count], &attributes);
    }
    pthread_attr_destroy(&attributes);
    return count;
}

// Have this many helpers, or fewer if the system refuses some. Helpers inherit the blocked signals.
static void start_helpers(toc_team *team, int wanted) {
    assert(wanted < TOC_THREADS_MOST);
    if (team->own_count + TOC_HELPERS_HALVED > TOC_HELPERS_OWN) atomic_store(&team->exhausted, true);
    if (atomic_load(&team->exhausted) || team->helpers >= wanted) return;
    const int first = team->helpers + 1;
    team->helpers = wanted;
    toc_signals before;
    toc_signals_block(&before); // signals of the host go to its own threads
    team->own_count += start_range(team, first, wanted + 1, &team->own[team->own_count]);
    toc_signals_restore(&before);
}

// ---- teams

static void open_team(toc_team *team) {
    memset(team, 0, offsetof(toc_team, own));
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
    join_range(team->own, team->own_count);
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

// A team that grows doubles, up to the threads of the loop: few growths start all helpers.
static int helpers_to_have(const toc_team *team, const toc_loop *loop, int helpers) {
    const int twice = 2 * team->helpers < loop->threads ? 2 * team->helpers : loop->threads - 1;
    return helpers <= team->helpers || helpers > twice ? helpers : twice;
}

static void run_with_helpers(shared_loop *shared, toc_team *team, int helpers) {
    team->loop = shared;
    atomic_store(&team->entered, 0);
    open_gate(team, true);
    start_helpers(team, helpers_to_have(team, shared->loop, helpers));
    await_entries(team);
    take_rounds(shared, 0);
    close_gate(team);
    team->loop = NULL;
}

// ---- tasks of the caller

// A task that begins late finds no round left.
static void run_task(void *data) {
    shared_loop *shared = data;
    take_rounds(shared, atomic_fetch_add(&shared->tasks, 1) + 1);
}

static void run_with_tasks(shared_loop *shared, const toc_task_system *tasks, int helpers) {
    void *started[TASKS]; // NULL where the system did not take one
    const int count = helpers < TASKS ? helpers : TASKS;
    for (int i = 0; i < count; i++) started[i] = tasks->start(tasks->user, run_task, shared);
    toc_arithmetic_resume();
    if (helpers > count)
        run_with_tasks(shared, tasks, helpers - count);
    else
        take_rounds(shared, 0);
    for (int i = 0; i < count; i++)
        if (started[i]) tasks->finish(tasks->user, started[i]);
    toc_arithmetic_resume();
}

// ---- loops

static void run_on_team(shared_loop *shared, toc_team *team) {
    const toc_loop *loop = shared->loop;
    const int helpers = (size_t)loop->threads < loop->count ? loop->threads - 1 : (int)loop->count - 1;
    if (team->tasks)
        run_with_tasks(shared, team->tasks, helpers);
    else
        run_with_helpers(shared, team, helpers);
}

// A team takes 3 KiB of the stack, so that loops of a call that has one do not make room for another.
static void __attribute__((noinline)) run_on_own_team(shared_loop *shared) {
    toc_team own;
    toc_team_begin(&own, NULL);
    run_on_team(shared, current_team);
    toc_team_end(&own);
}

toc_status toc_loop_run(const toc_loop *loop) {
    assert(loop->threads >= 1 && loop->threads <= TOC_THREADS_MOST);
    shared_loop shared = {.loop = loop, .spreads = !loop->in_order && loop->count > STRETCHES};
    if (loop->count < 2 || loop->threads == 1 || is_in_round)
        take_rounds(&shared, 0);
    else if (current_team)
        run_on_team(&shared, current_team);
    else
        run_on_own_team(&shared);
    const toc_status status = (toc_status)atomic_load(&shared.status);
    return status == TOC_OK ? TOC_OK : toc_fail(status, "%s", shared.message);
}
