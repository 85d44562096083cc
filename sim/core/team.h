// SPDX-License-Identifier: Apache-2.0
// A team of threads for short loops. Work is split by index, so results do not depend on the number of threads.
// Workers sleep between loops; a team of one starts no thread. A thread that cannot be started makes loops slower.
#ifndef SIM_CORE_TEAM_H
#define SIM_CORE_TEAM_H

#include "toccata/base.h"

typedef struct sim_team sim_team;
typedef void sim_chunk(void *user, size_t first, size_t last);

/// @param threads as in toc_query: 0 for one per processor.
toc_status toc_sim_team_create(const toc_allocator *memory, int threads, sim_team **out);
void toc_sim_team_destroy(sim_team *team);
/// Call `chunk` for parts of 0 .. count-1 that cover it, at the same time. Counts below `least` are not worth waking a
/// worker, and run on the calling thread.
void toc_sim_team_run(sim_team *team, size_t count, size_t least, sim_chunk *chunk, void *user);

#endif
