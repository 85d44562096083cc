// SPDX-License-Identifier: Apache-2.0
// O-Sets: the pairs of features that no two elements apart from each other have, nor one element alone.
#ifndef TOC_CULL_VOLUME_ORPHAN_PAIRS_H
#define TOC_CULL_VOLUME_ORPHAN_PAIRS_H

#include "cull/volume/cells.h"

/// Pairs of one kind: of each first feature the second ones, and the other way round.
typedef struct toc_orphan_list {
    toc_adjacency seconds, firsts;
    size_t count;
} toc_orphan_list;

/// The O-Set of a body.
typedef struct toc_orphan_pairs {
    toc_allocator allocator;
    toc_orphan_list vf; // a vertex id and a face
    toc_orphan_list ee; // two edges, the lower one first
    uint64_t work;      // features that were looked at, since it was made
} toc_orphan_pairs;

/// Every pair of features of a body that share no vertex, all of whose cells are adjacent, none the same. O(n) for
/// elements with few neighbours. Free with toc_orphan_pairs_free, on failure too.
toc_status toc_orphan_pairs_make(const toc_allocator *allocator, const toc_cells *cells, uint32_t body,
                                 toc_orphan_pairs *out);
void toc_orphan_pairs_free(toc_orphan_pairs *oset);

/// Bring it up to date after edits that cells and incidence have followed. O(the changes and what is around them).
/// After a failure it is of no use.
toc_status toc_orphan_pairs_follow(toc_orphan_pairs *oset, const toc_cells *cells, uint32_t body,
                                   const toc_changes *changes);

#endif
