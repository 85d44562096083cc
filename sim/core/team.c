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

// Workers look this often for a loop before they sleep: some microseconds. A loop is split into PARTS, which threads
// claim one by one: the caller takes what late workers leave.
enum { TEAM_LARGEST = 16, PARTS = 16, LOOKS = 2000 };

struct sim_team {
    toc_allocator memory;
    size_t workers; // besides the caller
    pthread_t threads[TEAM_LARGEST];
    pthread_mutex_t lock;
    pthread_cond_t work;
    atomic_uint_fast64_t ticket; // the number of the loop in the upper half, the next part in the lower
    atomic_size_t finished;      // parts of the loop
    atomic_bool ended;
    size_t count; // of the loop, and what to call; stable while one of its parts is claimed and not finished
    sim_chunk *chunk;
    void *user;
};

static uint32_t loop_of(uint64_t ticket) { return (uint32_t)(ticket >> 32); }

// Run parts of the loop under way until all are claimed.
static void run_parts(sim_team *team) {
    uint64_t ticket = atomic_load(&team->ticket);
    while ((uint32_t)ticket < PARTS) {
        // Fails if the part was claimed meanwhile, or if another loop began: its number is in the ticket.
        if (!atomic_compare_exchange_weak(&team->ticket, &ticket, ticket + 1)) continue;
        const size_t part = (uint32_t)ticket;
        const size_t first = team->count * part / PARTS, last = team->count * (part + 1) / PARTS;
        if (first < last) team->chunk(team->user, first, last);
        atomic_fetch_add(&team->finished, 1);
        ticket = atomic_load(&team->ticket);
    }
}

// Wait for a loop after the one seen. False at the end.
static bool wait_for_loop(sim_team *team, uint32_t *seen) {
    for (int i = 0; i < LOOKS; i++)
        if (loop_of(atomic_load(&team->ticket)) != *seen || atomic_load(&team->ended)) break;
    pthread_mutex_lock(&team->lock);
    while (loop_of(atomic_load(&team->ticket)) == *seen && !atomic_load(&team->ended))
        pthread_cond_wait(&team->work, &team->lock);
    pthread_mutex_unlock(&team->lock);
    *seen = loop_of(atomic_load(&team->ticket));
    return !atomic_load(&team->ended);
}

static void *work_in_team(void *user) {
    sim_team *team = user;
    uint32_t seen = 0;
    while (wait_for_loop(team, &seen)) run_parts(team);
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
    atomic_store(&team->ticket, PARTS); // loop 0: nothing to claim
    const size_t wanted = team_size(threads) - 1;
    while (team->workers < wanted && pthread_create(&team->threads[team->workers], NULL, work_in_team, team) == 0)
        team->workers++;
    *out = team;
    return TOC_OK;
}

void toc_sim_team_destroy(sim_team *team) {
    if (!team) return;
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->ended, true);
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
    for (size_t i = 0; i < team->workers; i++) pthread_join(team->threads[i], NULL);
    pthread_cond_destroy(&team->work);
    pthread_mutex_destroy(&team->lock);
    team->memory.resize(team->memory.user, team, sizeof *team, 0);
}

void toc_sim_team_run(sim_team *team, size_t count, size_t least, sim_chunk *chunk, void *user) {
    if (count == 0) return;
    if (team->workers == 0 || count < least) {
        chunk(user, 0, count);
        return;
    }
    team->count = count;
    team->chunk = chunk;
    team->user = user;
    atomic_store(&team->finished, 0);
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->ticket, (uint64_t)(loop_of(atomic_load(&team->ticket)) + 1) << 32);
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
    run_parts(team);
    while (atomic_load(&team->finished) < PARTS) sched_yield();
}
