// SPDX-License-Identifier: Apache-2.0
// O-Sets: the pairs of features that no two elements apart from each other have, nor one element alone.
#ifndef TOC_CULL_OSETS_H
#define TOC_CULL_OSETS_H

#include "cull/cells.h"

/// Pairs of one kind: of each first feature the second ones, and the other way round.
typedef struct toc_orphans {
    toc_bag seconds, firsts;
    size_t count;
} toc_orphans;

/// The O-Set of a body.
typedef struct toc_oset {
    toc_allocator allocator;
    toc_orphans vf; // a vertex id and a face
    toc_orphans ee; // two edges, the lower one first
    uint64_t work;  // features that were looked at, since it was made
} toc_oset;

/// Every pair of features of a body that share no vertex, all of whose cells are adjacent, none the same. O(n) for
/// elements with few neighbours. Free with toc_oset_free, on failure too.
toc_status toc_oset_make(const toc_allocator *allocator, const toc_cells *cells, uint32_t body, toc_oset *out);
void toc_oset_free(toc_oset *oset);

/// Bring it up to date after edits that cells and incidence have followed. O(the changes and what is around them).
/// After a failure it is of no use.
toc_status toc_oset_follow(toc_oset *oset, const toc_cells *cells, uint32_t body, const toc_changes *changes);

#endif
