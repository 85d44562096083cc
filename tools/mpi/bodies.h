// SPDX-License-Identifier: Apache-2.0
// The bodies of a check on all ranks: the file of the frames and those of --with, their parts and their paths.
#ifndef TOOLS_MPI_BODIES_H
#define TOOLS_MPI_BODIES_H

#include "tools/mpi/around.h"
#include "tools/paths.h"

/// Settings of the files and of the paths, as the user gives them.
typedef struct rank_bodies_wish {
    rank_file_wish frames;
    const tool_files *with;
    const tool_part_filter *filter;
    bool parabolas, velocities;
    double dt; // -1 if it is not given
} rank_bodies_wish;

typedef struct rank_bodies {
    rank_file files[1 + TOOL_MOST_TEXTS]; // body 0 is that of the frames
    rank_file_wish wishes[1 + TOOL_MOST_TEXTS];
    size_t count;
    where where;
    bool is_filtered;
    tool_paths paths; // the same on every rank
    bool one_frame;   // no step at all
    toc_mpi_scene *scene;
    double start, end; // times of the step
} rank_bodies;

/// Open all files and read their first frames. Collective.
toc_status bodies_open(const rank_bodies_wish *wish, rank_bodies *out);
void bodies_close(rank_bodies *bodies);
/// Move all bodies over a step and hand them in; makes the scene. With one frame alone, hand it in at rest. Collective.
toc_status bodies_advance(rank_bodies *bodies, size_t step);
/// The bodies for the places of contacts.
rank_step bodies_step(const rank_bodies *bodies);

#endif
