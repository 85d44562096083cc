// SPDX-License-Identifier: Apache-2.0
// Topology that follows the stress: vertices split, elements erode.
#ifndef SIM_FRACTURE_FRACTURE_H
#define SIM_FRACTURE_FRACTURE_H

#include "sim/core/sim.h"

/// Edit the bodies whose materials can fail, at the end of a step.
/// The meshes of the scene are edited through the public interface, so that the next query follows incrementally.
/// No edit makes faces cross: a batch of splits that would is taken back.
/// @return TOC_OUT_OF_MEMORY and the like leave the edits so far.
toc_status toc_sim_topology_update(toc_sim *sim);

/// Cauchy stress of a tet now.
void toc_sim_tet_stress(const toc_sim *sim, const sim_tet *tet, double out[3][3]);
/// The largest eigenvalue of a symmetric matrix, and its unit vector.
double toc_sim_largest_eigenvalue(double m[3][3], double vector[3]);

#endif
