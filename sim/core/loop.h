// SPDX-License-Identifier: Apache-2.0
// Loops over items in parts, on the threads of a step. Parts are split by index, so results do not depend on the number
// of threads.
#ifndef SIM_CORE_LOOP_H
#define SIM_CORE_LOOP_H

#include "base/threads.h"

/// Vertices that are worth waking threads for, where each takes some nanoseconds.
enum { SIM_LEAST = 2048 };

/// Calls of a chunk function in a loop, at most.
enum { SIM_PARTS = 64 };

typedef void sim_chunk(void *user, size_t first, size_t last);

/// The number of threads for a `threads` setting.
int toc_sim_loop_threads(int setting);
/// Call `chunk` for parts of 0 .. count-1 that cover it, at the same time. Counts below `least` are not worth waking a
/// thread, and run on the calling one.
void toc_sim_loop_run(int threads, size_t count, size_t least, sim_chunk *chunk, void *user);

#endif
