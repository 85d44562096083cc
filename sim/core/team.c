// SPDX-License-Identifier: Apache-2.0
// A team of threads. One mutex, two conditions; workers look for work for a short while before they sleep.
#include "sim/core/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/memory.h"

// A loop below this count costs less than waking a worker. Workers look this often before they sleep: some
// microseconds.
enum { TEAM_LARGEST = 16, SMALLEST_LOOP = 512, LOOKS = 2000 };

struct sim_team {
    toc_allocator memory;
    size_t workers; // besides the caller
    pthread_t threads[TEAM_LARGEST];
    pthread_mutex_t lock;
    pthread_cond_t work;
    atomic_uint round;     // counts loops
    atomic_size_t running; // workers that have not finished the loop
    atomic_size_t numbered;
    atomic_bool ended;
    size_t count;
    sim_chunk *chunk;
    void *user;
};

static void run_share(sim_team *team, size_t number) {
    const size_t parts = team->workers + 1;
    const size_t first = team->count * number / parts, last = team->count * (number + 1) / parts;
    if (first < last) team->chunk(team->user, first, last);
}

// Wait for a loop after the one seen. False at the end.
static bool wait_for_loop(sim_team *team, unsigned *seen) {
    for (int i = 0; i < LOOKS; i++)
        if (atomic_load(&team->round) != *seen || atomic_load(&team->ended)) break;
    pthread_mutex_lock(&team->lock);
    while (atomic_load(&team->round) == *seen && !atomic_load(&team->ended))
        pthread_cond_wait(&team->work, &team->lock);
    pthread_mutex_unlock(&team->lock);
    *seen = atomic_load(&team->round);
    return !atomic_load(&team->ended);
}

static void *work_in_team(void *user) {
    sim_team *team = user;
    const size_t number = atomic_fetch_add(&team->numbered, 1) + 1;
    unsigned seen = 0;
    while (wait_for_loop(team, &seen)) {
        run_share(team, number);
        atomic_fetch_sub(&team->running, 1);
    }
    return NULL;
}

static size_t team_size(int threads) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    long size = threads > 0 ? threads : processors;
    if (size < 1) size = 1;
    return size < TEAM_LARGEST ? (size_t)size : TEAM_LARGEST;
}

toc_status toc_sim_team_create(const toc_allocator *memory, int threads, sim_team **out) {
    sim_team *team = memory->resize(memory->user, NULL, 0, sizeof *team);
    if (!team) return toc_sim_fail(TOC_OUT_OF_MEMORY, "out of memory: %zu bytes", sizeof *team);
    memset(team, 0, sizeof *team);
    team->memory = *memory;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->work, NULL);
    const size_t wanted = team_size(threads) - 1;
    // `workers` is read by workers only after a loop has begun, under the lock of wait_for_loop.
    while (team->workers < wanted && pthread_create(&team->threads[team->workers], NULL, work_in_team, team) == 0)
        team->workers++;
    *out = team;
    return TOC_OK;
}

static void wake_team(sim_team *team) {
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->round, 1);
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
}

void toc_sim_team_destroy(sim_team *team) {
    if (!team) return;
    atomic_store(&team->ended, true);
    wake_team(team);
    for (size_t i = 0; i < team->workers; i++) pthread_join(team->threads[i], NULL);
    pthread_cond_destroy(&team->work);
    pthread_mutex_destroy(&team->lock);
    team->memory.resize(team->memory.user, team, sizeof *team, 0);
}

void toc_sim_team_run(sim_team *team, size_t count, sim_chunk *chunk, void *user) {
    if (count == 0) return;
    if (team->workers == 0 || count < SMALLEST_LOOP) {
        chunk(user, 0, count);
        return;
    }
    team->count = count;
    team->chunk = chunk;
    team->user = user;
    atomic_store(&team->running, team->workers);
    wake_team(team);
    run_share(team, 0);
    while (atomic_load(&team->running) > 0) sched_yield();
}
