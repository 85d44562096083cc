// SPDX-License-Identifier: Apache-2.0
// The ranks: agreement on failures, and the exchange of items between all of them.
#ifndef MPI_LINK_H
#define MPI_LINK_H

#include <mpi.h>
#include <stdbool.h>

#include "mpi/sort.h"

typedef struct dist_link {
    MPI_Comm comm;
    int rank, size;
    toc_allocator memory;
    uint64_t bytes;  // sent to other ranks
    uint64_t rounds; // collective operations
} dist_link;

/// Whether all ranks are well. Otherwise all return the status of the lowest rank that is not, with its message.
/// Collective.
toc_status toc_dist_agree(dist_link *link, toc_status mine);

/// Sums, maxima and minima over all ranks, in place. Collective.
void toc_dist_sum(dist_link *link, int count, double *values);
void toc_dist_most(dist_link *link, int count, double *values);
void toc_dist_sum_counts(dist_link *link, int count, uint64_t *values);
/// Whether it holds on every rank. Collective.
bool toc_dist_all(dist_link *link, bool mine);

/// Items of one size for each rank, or from each: those of rank r are first[r] .. first[r + 1] - 1.
typedef struct dist_parcels {
    uint64_t *first; // ranks + 1
    char *items;
    size_t item;
    size_t capacity; // items of the block
} dist_parcels;

/// Make parcels from counts: first[r] holds the number of items for rank r, and becomes their place.
/// On failure `out` is empty.
toc_status toc_dist_parcels_make(const dist_link *link, size_t item, uint64_t *first, dist_parcels *out);
/// Free the items; the numbers stay.
void toc_dist_parcels_empty(const dist_link *link, dist_parcels *parcels);
void toc_dist_parcels_free(const dist_link *link, dist_parcels *parcels);
static inline uint64_t dist_parcels_count(const dist_link *link, const dist_parcels *p) { return p->first[link->size]; }

/// Send items to all ranks and receive theirs. Fails on all ranks if `mine` is a failure on one. Collective.
/// @param out receives the items, by source. Free with toc_dist_parcels_free. Untouched on failure.
toc_status toc_dist_exchange(dist_link *link, toc_status mine, const dist_parcels *in, dist_parcels *out);

/// A transfer under way, of items whose numbers both sides know.
typedef struct dist_transfer {
    MPI_Request *requests;
    size_t count, capacity;
} dist_transfer;

/// Start to send `in` and to receive into `out`. Collective.
toc_status toc_dist_transfer_start(dist_link *link, const dist_parcels *in, dist_parcels *out, dist_transfer *t);
void toc_dist_transfer_wait(dist_link *link, dist_transfer *t);
/// The memory of a transfer between these parcels, taken before it starts: the start then cannot fail.
toc_status toc_dist_transfer_make(const dist_link *link, const dist_parcels *in, const dist_parcels *out,
                                  dist_transfer *t);
void toc_dist_transfer_free(const dist_link *link, dist_transfer *t);

#endif
