// SPDX-License-Identifier: Apache-2.0
// The ranks of the command: agreement, and bytes from rank 0 to another.
#ifndef TOOLS_MPI_TEAM_H
#define TOOLS_MPI_TEAM_H

#include <mpi.h>

#include "toccata/mpi.h"
#include "tools/output.h"

/// The rank of this process, and their number.
int team_rank(void);
int team_size(void);
/// All ranks return the failure of the lowest rank that failed, with its message. Collective.
toc_status team_agree(toc_status mine);
/// Keep a sentence for the agreement and return the status.
__attribute__((format(printf, 2, 3))) toc_status team_fail(toc_status status, const char *format, ...);
/// Send bytes to a rank, or receive them from rank 0; any number of them. Bytes received into NULL are dropped.
void team_send(const void *bytes, size_t count, int rank);
void team_receive(void *bytes, size_t count);
void team_receive_from(void *bytes, size_t count, int rank);
/// A number of rank 0 on all ranks. Collective.
uint64_t team_share(uint64_t number);
/// The bytes of rank 0. Collective.
void team_share_bytes(void *bytes, size_t count);

#endif
