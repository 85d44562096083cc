// SPDX-License-Identifier: Apache-2.0
// The parts of all files, known to every rank, and the places of contacts.
#ifndef TOOLS_MPI_WHERE_H
#define TOOLS_MPI_WHERE_H

#include "tools/mpi/file.h"
#include "tools/places.h"

/// Each part of each file stands as one triangle in a scene, so that labels and selections are those of one machine.
typedef struct where {
    toc_scene *emblems;
    tool_places *places;
} where;

toc_status where_open(where *out);
void where_close(where *w);
/// Add the parts of a file, of all ranks. A group that an earlier body has, too, gets a new number in the mesh of the
/// file, as on one machine. Collective.
toc_status where_add(where *w, rank_file *f);
/// Give the elements of a mesh that was read anew the groups of the parts, on this rank.
toc_status where_regroup(const where *w, uint32_t body, toc_mesh *mesh);
/// Add parts that have come with the last frame. Collective.
toc_status where_follow(where *w, uint32_t body, const rank_file *f);
/// Let the scene ignore the pairs of parts that the user does not want.
toc_status where_apply(const where *w, toc_mpi_scene *scene);

#endif
