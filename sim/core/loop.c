// SPDX-License-Identifier: Apache-2.0
// Loops in parts, which threads take one by one: the caller takes those that late threads leave.
#include "sim/core/loop.h"

#include <assert.h>

enum { MOST_THREADS = 16 };

typedef struct parted_loop {
    size_t count;
    sim_chunk *chunk;
    void *user;
} parted_loop;

static toc_status run_part(void *user, size_t part, int thread) {
    const parted_loop *parted = user;
    const size_t first = parted->count * part / SIM_PARTS, last = parted->count * (part + 1) / SIM_PARTS;
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

void toc_sim_loop_run(int threads, size_t count, size_t least, sim_chunk *chunk, void *user) {
    assert(threads >= 1 && threads <= MOST_THREADS && chunk);
    if (count == 0) return;
    if (threads == 1 || count < least) {
        chunk(user, 0, count);
        return;
    }
    parted_loop parted = {.count = count, .chunk = chunk, .user = user};
    const toc_loop loop = {
        .count = SIM_PARTS, .threads = threads, .in_order = true, .round = run_part, .user = &parted};
    const toc_status status = toc_loop_run(&loop);
    assert(status == TOC_OK); // no part fails
    (void)status;
}
