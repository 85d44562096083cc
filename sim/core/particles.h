// SPDX-License-Identifier: Apache-2.0
// The arrays of particles, which grow together.
#ifndef SIM_CORE_PARTICLES_H
#define SIM_CORE_PARTICLES_H

#include "sim/core/sim.h"

/// Make room for this many particles. A failure leaves all arrays as they were.
toc_status toc_sim_particles_reserve(toc_sim *sim, size_t count);
void toc_sim_particles_free(toc_sim *sim);

#endif
