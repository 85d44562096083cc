// SPDX-License-Identifier: Apache-2.0
// The elements, parts and labels of contacts: each rank looks among the elements that it has read.
#ifndef TOOLS_MPI_AROUND_H
#define TOOLS_MPI_AROUND_H

#include "tools/mpi/where.h"

/// The bodies of a step, their parts, and the times of its two frames.
typedef struct rank_step {
    const rank_file *files;
    size_t file_count;
    const where *where;
    double start, end;
} rank_step;

/// Find the places of the contacts of this rank, as toccata check writes them. Names belong to the places of `where`.
/// Collective.
/// @param out receives one place for each contact; the caller frees it.
toc_status around_find(const rank_step *step, size_t count, const toc_contact *contacts, toc_place **out);

#endif
