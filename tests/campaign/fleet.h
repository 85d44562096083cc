// SPDX-License-Identifier: Apache-2.0
// Many processes that take blocks of the swarm from one range of consecutive seeds.
#ifndef TOC_CAMPAIGN_FLEET_H
#define TOC_CAMPAIGN_FLEET_H

#include "campaign/swarm.h"

typedef struct fleet_options {
    int jobs;
    uint64_t seed;      // the first
    double seconds;     // 0: no limit
    uint64_t questions; // of all together; 0: no limit
} fleet_options;

/// The work of all processes together.
typedef struct fleet_result {
    swarm_counts counts;
    uint64_t end;   // seeds from the first to the one before this were taken, each once
    uint64_t lost;  // blocks that ended their process; each is named when it happens
    double seconds; // on the clock
} fleet_result;

/// Run blocks in processes until time or number is reached, or *stop. A process that a block ends, by a signal or by
/// more than ten minutes, is replaced; that block counts as a failure.
void fleet_run(const fleet_options *options, const volatile int *stop, fleet_result *out);

#endif
