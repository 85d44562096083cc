// SPDX-License-Identifier: Apache-2.0
// One file of contacts from all ranks.
#ifndef TOOLS_MPI_TOGETHER_H
#define TOOLS_MPI_TOGETHER_H

#include "tools/mpi/around.h"
#include "tools/part_table.h"

/// Write the contacts of all ranks in order, with their places, in the bytes of toccata check:
/// .csv and .json by all ranks at once with MPI-IO, .vtp by rank 0, and .pvtp with one .vtp for each rank beside it.
/// The file appears whole or not at all. Collective.
toc_status together_write(const char *path, toc_mpi_scene *scene, const toc_mpi_contacts *contacts,
                          const rank_step *step);

/// Add the contacts of all ranks in a step to a table on rank 0, as toccata check does. Collective.
toc_status together_count_parts(const toc_mpi_contacts *contacts, const rank_step *step, size_t number,
                                tool_part_table *table);

#endif
