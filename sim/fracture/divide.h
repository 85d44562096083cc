// SPDX-License-Identifier: Apache-2.0
// The division of a body of tets along the planes of its cuts.
#ifndef SIM_FRACTURE_DIVIDE_H
#define SIM_FRACTURE_DIVIDE_H

#include "sim/fracture/fracture.h"

/// The side of a plane. Of a tet, unknown means that it has corners on both.
typedef enum sim_side { SIM_SIDE_UNKNOWN, SIM_SIDE_FRONT, SIM_SIDE_BACK, SIM_SIDE_ON } sim_side;

/// A tet in the list of a vertex.
typedef struct sim_link {
    uint32_t tet, next; // SIM_NONE for the last
} sim_link;

/// The tets around each vertex of a body, followed while its tets are divided and its vertices split.
typedef struct sim_division {
    uint32_t body;
    const sim_cut *cut;        // the cut being made
    TOC_ARRAY(uint32_t) heads; // by vertex: its first link
    TOC_ARRAY(sim_link) links;
    TOC_ARRAY(uint8_t) sides;     // by vertex: of the plane of the cut, sim_side
    TOC_ARRAY(uint32_t) around;   // tets that were looked up
    TOC_ARRAY(uint32_t) elements; // of tets
    TOC_ARRAY(uint32_t) opened;   // vertices on the plane, around which no tet is on both sides any more
    size_t edges;                 // divided
} sim_division;

toc_status toc_sim_division_make(toc_sim *sim, uint32_t body, sim_division *d);
void toc_sim_division_free(const toc_sim *sim, sim_division *d);
/// Divide the tet ahead of a cut, and those around the corners of the plane's part in it.
/// @return TOC_UNSTABLE if the body has no vertex ids left. Tets divided so far stay so.
toc_status toc_sim_division_run(toc_sim *sim, sim_division *d, const sim_cut *cut);
/// The corners of the tet ahead of a cut instead: nothing is divided.
toc_status toc_sim_division_touch(toc_sim *sim, sim_division *d, const sim_cut *cut);
/// Find the tets around a vertex.
toc_status toc_sim_division_look(toc_sim *sim, sim_division *d, uint32_t vertex);
/// Follow a split of the vertex whose tets were looked up last.
toc_status toc_sim_division_follow(toc_sim *sim, sim_division *d, const sim_split *split);
/// The height of the middle of a tet above the plane of the cut.
double toc_sim_division_height(const toc_sim *sim, const sim_division *d, const sim_tet *tet);
/// The side of a tet by its corners.
sim_side toc_sim_division_side(const toc_sim *sim, sim_division *d, const sim_tet *tet);
/// The side that a tet got at an earlier step while its middle is near the plane, else that of its corners.
sim_side toc_sim_division_keep(const toc_sim *sim, sim_division *d, const sim_tet *tet);

/// Divide a tet at a new vertex on its edge from a to b, at a share of the way: it keeps a, and `rest` is the part with
/// b. Both have the deformation gradient, and together the volume and the mass of the whole.
void toc_sim_tet_divide(sim_tet *tet, uint32_t a, uint32_t b, uint32_t made, double share, sim_tet *rest);

#endif
