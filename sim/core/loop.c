// SPDX-License-Identifier: Apache-2.0
// Loops in parts, which threads take one by one: the caller takes those that late threads leave.
#include "sim/core/loop.h"

#include <assert.h>

enum {
    MOST_THREADS = 16,
    PARTS_OF_THREAD = SIM_PARTS / MOST_THREADS,
    LEAST_PARTS = 16 // of the least count that is worth threads
};

typedef struct parted_loop {
    size_t count, parts;
    sim_chunk *chunk;
    void *user;
} parted_loop;

static toc_status run_part(void *user, size_t part, int thread) {
    const parted_loop *parted = user;
    const size_t first = parted->count * part / parted->parts, last = parted->count * (part + 1) / parted->parts;
    (void)thread;
    assert(first <= last && last <= parted->count);
    if (first < last) parted->chunk(parted->user, first, last);
    return TOC_OK;
}

int toc_sim_loop_threads(int setting) {
    const int threads = toc_threads_resolve(setting);
    assert(threads >= 1);
    return threads < MOST_THREADS ? threads : MOST_THREADS;
}

// Several parts a thread, so that one which comes late or has more to do does not hold up the others; but none too
// small to be worth its start.
static size_t count_parts(int threads, size_t count, size_t least) {
    const size_t most = (size_t)threads * PARTS_OF_THREAD, worth = LEAST_PARTS * count / least;
    const size_t parts = most < worth ? most : worth;
    return parts < count ? parts : count;
}

void toc_sim_loop_run(int threads, size_t count, size_t least, sim_chunk *chunk, void *user) {
    assert(threads >= 1 && threads <= MOST_THREADS && chunk);
    if (count == 0) return;
    if (threads == 1 || count < least) {
        chunk(user, 0, count);
        return;
    }
    parted_loop parted = {.count = count, .parts = count_parts(threads, count, least), .chunk = chunk, .user = user};
    const toc_loop loop = {
        .count = parted.parts, .threads = threads, .in_order = true, .round = run_part, .user = &parted};
    const toc_status status = toc_loop_run(&loop);
    assert(status == TOC_OK); // no part fails
    (void)status;
}
