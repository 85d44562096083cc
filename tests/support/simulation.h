// SPDX-License-Identifier: Apache-2.0
// Simulations for tests: bodies in place, and the questions of the invariant.
#ifndef TOC_TEST_SIMULATION_H
#define TOC_TEST_SIMULATION_H

#include "support/grid.h"
#include "toccata/sim.h"

/// Scale a mesh, then shift it; at rest.
toc_mesh *test_mesh_place(toc_mesh *mesh, double scale, double x, double y, double z);
/// Turn a mesh about the y axis by an angle; at rest.
toc_mesh *test_mesh_turn(toc_mesh *mesh, double angle);
/// A fixed square of triangles in the plane z = 0 around the origin, with this half width.
toc_mesh *test_floor(uint32_t cells, double half);

/// A simulation without gravity, in steps of 5 ms.
toc_sim *test_sim_without_gravity(int threads);
/// A simulation of one thread with the default settings, where any allocation may fail.
toc_status test_sim_try(const toc_allocator *allocator, toc_sim **sim);
/// Add a body that must be accepted. @return its id.
uint32_t test_sim_add(toc_sim *sim, toc_mesh *mesh, toc_sim_material material);
/// The number of face pairs that cross or touch now, decided exactly.
size_t test_sim_crossings(toc_sim *sim);
/// The mean position of a body.
void test_sim_centre(const toc_sim *sim, uint32_t body, double out[3]);

#endif
