// SPDX-License-Identifier: Apache-2.0
// The seeds are numbers of a counter in memory that all processes share, so that they are consecutive and none is taken
// twice, however fast each process is.
#include "campaign/fleet.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK_SECONDS = 600 };

// Of one process; its counts are those of whole blocks.
typedef struct member {
    swarm_counts counts;
    pid_t process;
    uint64_t seed; // under way
    char padding[64];
} member;

typedef struct fleet {
    _Atomic uint64_t next, questions;
    atomic_bool stops;
    member members[];
} fleet;

static double seconds_on_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A signal may reach one process only: it stops all.
static bool is_at_end(const fleet_options *o, fleet *f, double start, const volatile int *stop) {
    if (*stop) atomic_store(&f->stops, true);
    if (atomic_load(&f->stops)) return true;
    if (o->seconds > 0 && seconds_on_clock() - start >= o->seconds) return true;
    return o->questions > 0 && atomic_load(&f->questions) >= o->questions;
}

static void run_member(const fleet_options *o, fleet *f, member *m, double start, const volatile int *stop) {
    while (!is_at_end(o, f, start, stop)) {
        const uint64_t before = m->counts.pairs + m->counts.calls;
        m->seed = atomic_fetch_add(&f->next, 1);
        alarm(BLOCK_SECONDS);
        swarm_counts counts = m->counts;
        swarm_run_block(m->seed, &counts);
        m->counts = counts;
        atomic_fetch_add(&f->questions, counts.pairs + counts.calls - before);
    }
    fflush(stdout);
    _exit(0);
}

// The process writes to its member, too, but not its number.
static void start_member(const fleet_options *o, fleet *f, member *m, double start, const volatile int *stop) {
    fflush(stdout);
    const pid_t process = fork();
    if (process == 0) run_member(o, f, m, start, stop);
    if (process < 0) perror("fork");
    m->process = process;
}

static void add_counts(swarm_counts *sum, const swarm_counts *n) {
    sum->blocks += n->blocks;
    sum->pairs += n->pairs;
    sum->calls += n->calls;
    sum->decided += n->decided;
    sum->by_oracle += n->by_oracle;
    sum->contacts += n->contacts;
    sum->steps += n->steps;
    sum->failures += n->failures;
}

static void name_lost_block(const member *m, int status, fleet_result *out) {
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    printf("FAILED block %llu: %s %d\n", (unsigned long long)m->seed, WIFSIGNALED(status) ? "signal" : "exit status",
           number);
    fflush(stdout);
    out->lost++;
}

static void show_progress(fleet *f, double start, double *shown) {
    const double now = seconds_on_clock();
    if (now - *shown < 60) return;
    *shown = now;
    fprintf(stderr, "%.0f s, %llu questions, next seed %llu\n", now - start,
            (unsigned long long)atomic_load(&f->questions), (unsigned long long)atomic_load(&f->next));
}

static void wait_for_members(const fleet_options *o, fleet *f, double start, const volatile int *stop,
                             fleet_result *out) {
    static const struct timespec moment = {0, 20000000};
    double shown = start;
    pid_t process;
    int status;
    while ((process = waitpid(-1, &status, WNOHANG)) >= 0) {
        if (process == 0) {
            nanosleep(&moment, NULL);
            (void)is_at_end(o, f, start, stop);
            show_progress(f, start, &shown);
            continue;
        }
        member *m = f->members;
        while (m->process != process) m++;
        if (status == 0) continue;
        name_lost_block(m, status, out);
        if (!is_at_end(o, f, start, stop)) start_member(o, f, m, start, stop);
    }
}

void fleet_run(const fleet_options *o, const volatile int *stop, fleet_result *out) {
    const size_t bytes = sizeof(fleet) + (size_t)o->jobs * sizeof(member);
    const double start = seconds_on_clock();
    fleet *f = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (f == MAP_FAILED) abort();
    atomic_store(&f->next, o->seed);
    for (int i = 0; i < o->jobs; i++) start_member(o, f, &f->members[i], start, stop);
    *out = (fleet_result){.end = 0};
    wait_for_members(o, f, start, stop, out);
    for (int i = 0; i < o->jobs; i++) add_counts(&out->counts, &f->members[i].counts);
    out->counts.failures += out->lost;
    out->end = atomic_load(&f->next);
    out->seconds = seconds_on_clock() - start;
    munmap(f, bytes);
}
