// SPDX-License-Identifier: Apache-2.0
// The elements, parts and labels of contacts, which rank 0 knows from the file that it has read.
#ifndef TOOLS_MPI_WHERE_H
#define TOOLS_MPI_WHERE_H

#include "tools/mpi/team.h"
#include "tools/places.h"

/// On rank 0 the scene with the mesh of the file and its parts; empty elsewhere and for partitioned files.
typedef struct where {
    toc_scene *scene;
    tool_places *places;
    double start, end; // times of the frames of the step
    size_t applied;    // parts whose pairs the ranks ignore, in the scene of all ranks
} where;

/// Take the mesh of the first frame; it belongs to the scene then. On rank 0 only.
toc_status where_open(const char *file, toc_mesh *mesh, where *out);
void where_close(where *w);
/// Let the ranks ignore the pairs of parts that the user does not want. Collective.
/// @param anew whether the scene is new; else only where there are new parts.
toc_status where_apply(where *w, toc_mpi_scene *scene, bool anew);

/// The places of contacts, as toccata check writes them.
typedef struct located {
    toc_place *places;
    char *names; // one after the other
} located;

/// Find the places of the contacts of this rank. Collective.
toc_status where_find(const where *w, size_t count, const toc_contact *contacts, located *out);
void located_free(located *l);

#endif
