// SPDX-License-Identifier: Apache-2.0
// The start of a step, kept to undo the step and to ask about its motion.
#ifndef SIM_STEP_START_H
#define SIM_STEP_START_H

#include "sim/core/sim.h"

/// Keep positions, velocities and poses as the start of the step.
void toc_sim_start_save(toc_sim *sim);
/// Go back to them.
void toc_sim_start_restore(toc_sim *sim);

#endif
