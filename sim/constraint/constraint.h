// SPDX-License-Identifier: Apache-2.0
// Constraints of soft bodies, solved once in each substep of length h: extended position based dynamics.
#ifndef SIM_CONSTRAINT_CONSTRAINT_H
#define SIM_CONSTRAINT_CONSTRAINT_H

#include "sim/core/sim.h"

/// Bring the constraints of each type into the order of their colours, and list the clusters of each particle. Does
/// nothing while no body was added.
toc_status toc_sim_colours_update(toc_sim *sim);

/// Greedy colouring: the permutation that sorts items by colour, ties by index, and the first item of each colour.
/// Items of a colour share no particle. The last colour takes the items that find no other: `serial` is then true.
/// @param vertices `corners` particles for each item, `stride` bytes apart.
toc_status toc_sim_colours_make(toc_sim *sim, size_t count, const void *vertices, size_t stride, int corners,
                                sim_colours *colours, uint32_t *order);

/// All kinds of constraints, from the table of constraint.c: those that the material of a soft body asks for, appended
/// to the simulation; one pass of all in a substep; changes of lengths and angles at rest at the end of a step.
struct sim_build;
toc_status toc_sim_constraints_add(toc_sim *sim, const struct sim_build *build);
void toc_sim_constraints_solve(toc_sim *sim, double h);
void toc_sim_constraints_yield(toc_sim *sim);

void toc_sim_springs_solve(toc_sim *sim, double h);
void toc_sim_hinges_solve(toc_sim *sim, double h);
void toc_sim_tets_solve(toc_sim *sim, double h);
/// Keep a least share of the volume of each element that is not explicit. @return whether anything moved.
bool toc_sim_tets_uphold(toc_sim *sim);
/// Change velocities by the forces of explicit elements.
void toc_sim_tets_push(toc_sim *sim, double h);
void toc_sim_clusters_solve(toc_sim *sim, double h);
/// List the clusters of each particle, after bodies were added or particles have other numbers.
toc_status toc_sim_clusters_update(toc_sim *sim);
void toc_sim_bags_solve(toc_sim *sim, double h);
void toc_sim_joints_solve(toc_sim *sim, double h);

/// Forces of the energy of an element on its vertices now, and the derivatives of its volume by them: a third of the
/// area vectors of the faces around each.
void toc_sim_tet_forces(const toc_sim *sim, const sim_tet *tet, double forces[4][3], double areas[4][3]);

/// Change lengths and angles at rest where the material yields.
void toc_sim_springs_yield(toc_sim *sim);
void toc_sim_hinges_yield(toc_sim *sim);

/// The angle of a hinge, 0 for coplanar faces, and its derivatives by the four vertices. False if a face has no area.
bool toc_sim_hinge_angle(double x[4][3], double *angle, double gradient[4][3]);
/// How far an angle is from that at rest, by the shorter turn.
double toc_sim_hinge_excess(const sim_hinge *hinge, double angle);

/// Run a chunk function on all items, one colour after the other; `least` as in toc_sim_loop_run.
typedef struct sim_solve {
    toc_sim *sim;
    double h;
    size_t first; // of the colour
} sim_solve;
void toc_sim_colours_run(toc_sim *sim, const sim_colours *colours, double h, size_t least, sim_chunk *chunk);

#endif
