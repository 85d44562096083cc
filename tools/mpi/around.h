// SPDX-License-Identifier: Apache-2.0
// The elements, parts and labels of contacts of partitioned files: each rank looks among the elements that it has read.
#ifndef TOOLS_MPI_AROUND_H
#define TOOLS_MPI_AROUND_H

#include "tools/mpi/pieces.h"
#include "tools/mpi/where.h"

/// Find the places of the contacts of this rank, as where_find does for single files. Collective.
toc_status around_find(const pieces *p, size_t count, const toc_contact *contacts, located *out);

#endif
