// SPDX-License-Identifier: Apache-2.0
// A mesh that rank 0 has read, dealt to all ranks in slices of its elements.
#ifndef TOOLS_MPI_DEAL_H
#define TOOLS_MPI_DEAL_H

#include "tools/mpi/team.h"

/// The vertices that each rank has. Rank 0 knows those of all, the others their number.
typedef struct deal {
    size_t *counts;      // by rank, on rank 0
    uint32_t **vertices; // likewise
    size_t own;          // vertices of this rank
    uint32_t body;       // in the scene
} deal;

/// Add the mesh as the next body of a scene: each rank gets a slice of the elements and their vertices. Collective.
/// @param mesh on rank 0; NULL elsewhere.
toc_status deal_mesh(const toc_mesh *mesh, toc_mpi_scene *scene, deal *out);
/// Send the motion of the mesh, and its acceleration. Collective.
toc_status deal_motion(const toc_mesh *mesh, toc_mpi_scene *scene, const deal *d);
void deal_free(deal *d);

#endif
