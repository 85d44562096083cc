// SPDX-License-Identifier: Apache-2.0
// Bodies: particles and constraints made from a mesh and a material.
#ifndef SIM_BODY_BODY_H
#define SIM_BODY_BODY_H

#include "sim/core/sim.h"

/// A body under construction: its mesh, its features and its place among the particles.
typedef struct sim_build {
    const toc_mesh *mesh;
    const toc_features *features;
    const toc_sim_material *material;
    uint32_t first; // particle of vertex 0
} sim_build;

/// The tets of a volume element, each with positive volume at rest; none for other shapes.
/// @param tets receives up to six times four vertex ids.
int toc_sim_element_split(toc_shape shape, const uint32_t *corners, const double *positions, uint32_t tets[6][4]);

/// Constraints of a soft body, appended to the simulation; none where its material asks for none.
toc_status toc_sim_springs_add(toc_sim *sim, const sim_build *build);
toc_status toc_sim_hinges_add(toc_sim *sim, const sim_build *build);
toc_status toc_sim_tets_add(toc_sim *sim, const sim_build *build);
toc_status toc_sim_clusters_add(toc_sim *sim, const sim_build *build);
toc_status toc_sim_bag_add(toc_sim *sim, const sim_build *build);

#endif
