// SPDX-License-Identifier: Apache-2.0
// Loops on the one thread of a WebAssembly module; stands in for src/base/loop.c, src/base/threads.c and
// src/base/platform/threads_posix.c.
#include <string.h>

#include "base/platform/platform.h"
#include "base/threads.h"

toc_status toc_progress_report(const toc_progress *progress, double done) {
    if (!progress || !progress->report || progress->report(progress->user, done) == 0) return TOC_OK;
    return toc_fail(TOC_STOPPED, "stopped on request");
}

toc_status toc_loop_run(const toc_loop *loop) {
    toc_status status = TOC_OK;
    for (size_t i = 0; i < loop->count && status == TOC_OK; i++) {
        status = loop->round(loop->user, i, 0);
        if (status == TOC_OK) status = toc_progress_report(loop->progress, (double)i / (double)loop->count);
    }
    return status == TOC_OK && loop->finish ? loop->finish(loop->user, 0) : status;
}

void toc_team_begin(toc_team *team, const toc_task_system *tasks) {
    (void)tasks;
    team->is_open = false;
}

void toc_team_end(toc_team *team) { (void)team; }

int toc_threads_resolve(int threads) {
    (void)threads;
    return 1;
}

int toc_team_resolve(int threads) { return toc_threads_resolve(threads); }

// The clock of JavaScript, as a number. WASI's clock is a BigInt in memory, which is slow, and the stages of small
// steps read it often.
__attribute__((import_module("toccata"), import_name("seconds"))) double engine_clock_seconds(void);

double toc_seconds(void) { return engine_clock_seconds(); }

void toc_pages_want_huge(void *block, size_t bytes) {
    (void)block;
    (void)bytes;
}
