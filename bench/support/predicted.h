// SPDX-License-Identifier: Apache-2.0
// A step of a simulation for repeated queries: the motion that its velocities predict, before any response to contacts.
#ifndef BENCH_SUPPORT_PREDICTED_H
#define BENCH_SUPPORT_PREDICTED_H

#include "bench/support/measure.h"
#include "toccata/sim.h"

/// A step of some time: the first bodies of a simulation, all for 0, in one mesh.
/// @param motion receives the mean way of a vertex that moves; may be NULL
bench_step bench_step_predicted(const char *name, toc_sim *sim, uint32_t bodies, double time, double *motion);

#endif
