// SPDX-License-Identifier: Apache-2.0
// Consecutive numbers for the labels of a file in pieces, as one machine gives them that joins the pieces: in the order
// of the labels; labels of later calls behind all others.
#ifndef TOOLS_MPI_NUMBERS_H
#define TOOLS_MPI_NUMBERS_H

#include "tools/mpi/team.h"

typedef struct rank_number rank_number;

/// The labels are spread over the ranks in ranges. Each rank knows the numbers of its range.
typedef struct rank_numbers {
    uint64_t total;     // numbers given so far, on all ranks
    int64_t *first;     // the lowest label of the range of each rank but rank 0; NULL before the first call
    rank_number *known; // of the range of this rank, ascending
    size_t known_count;
} rank_numbers;

/// Give a number to each label of this rank; the same to the same label on all ranks. Collective.
toc_status numbers_give(rank_numbers *n, size_t count, const int64_t *labels, uint64_t *out);
/// Numbers for things without labels, which one rank has each: in the order of ranks. Collective.
void numbers_count(rank_numbers *n, size_t count, uint64_t *out);
void numbers_free(rank_numbers *n);

#endif
