// SPDX-License-Identifier: Apache-2.0
// Topology that follows the stress: vertices split, elements erode or are cut, bodies glue.
#ifndef SIM_FRACTURE_FRACTURE_H
#define SIM_FRACTURE_FRACTURE_H

#include "sim/core/sim.h"

/// Edit the bodies whose materials can fail, at the end of a step.
/// The meshes of the scene are edited through the public interface, so that the next query follows incrementally.
/// No edit makes faces cross: splits whose halves would are taken back.
/// @return TOC_OUT_OF_MEMORY and the like leave the edits so far.
toc_status toc_sim_topology_update(toc_sim *sim);

/// Remove the elements of a soft body that are stretched too far, and those that a sharp body cuts.
toc_status toc_sim_body_erode(toc_sim *sim, uint32_t body);
/// Masses after an edit: sums over the remaining tets, so that rounding leaves no mass behind, and over thin elements.
void toc_sim_body_weigh(toc_sim *sim, uint32_t body);
/// Glue vertices of different soft bodies that are within the adhesion of both, and merge their bodies.
toc_status toc_sim_bodies_glue(toc_sim *sim);

/// Tets around the particles of a body: items[first[i]] .. for the i-th vertex.
typedef struct sim_stars {
    SIM_ARRAY(uint32_t) first;
    SIM_ARRAY(uint32_t) items;
} sim_stars;
toc_status toc_sim_stars_make(const toc_sim *sim, const sim_body *body, sim_stars *stars);
void toc_sim_stars_free(const toc_sim *sim, sim_stars *stars);

/// Cauchy stress of a tet now.
void toc_sim_tet_stress(const toc_sim *sim, const sim_tet *tet, double out[3][3]);
/// The largest eigenvalue of a symmetric matrix, and its unit vector.
double toc_sim_largest_eigenvalue(double m[3][3], double vector[3]);

#endif
