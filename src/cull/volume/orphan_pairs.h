// SPDX-License-Identifier: Apache-2.0
// Orphan pairs: pairs of features that belong to no two elements without a common vertex, nor to a single element
// (the O-Set of Tang et al. 2011).
#ifndef TOC_CULL_VOLUME_ORPHAN_PAIRS_H
#define TOC_CULL_VOLUME_ORPHAN_PAIRS_H

#include "cull/volume/cells.h"

/// Pairs of one kind: the second features of each first one, and the first features of each second one.
typedef struct toc_orphan_list {
    toc_adjacency seconds, firsts;
    size_t count;
} toc_orphan_list;

/// The orphan pairs of a body.
typedef struct toc_orphan_pairs {
    toc_allocator allocator;
    toc_orphan_list vf;         // a vertex id and a face
    toc_orphan_list ee;         // two edges, the lower one first
    uint64_t work;              // number of features tested in updates since toc_orphan_pairs_make
    TOC_ARRAY(uint64_t) around; // by vertex id: scratch memory, all 0 between calls
} toc_orphan_pairs;

/// Find all pairs of features of a body that share no vertex, such that every cell around one is adjacent to every cell
/// around the other, and no cell has both. O(n) for elements with few neighbours. Free with toc_orphan_pairs_free, on
/// failure too.
toc_status toc_orphan_pairs_make(const toc_allocator *allocator, const toc_cells *cells, uint32_t body,
                                 toc_orphan_pairs *out);
void toc_orphan_pairs_free(toc_orphan_pairs *pairs);

/// Bring the pairs up to date after edits that cells and incidence have followed. O(the changes and their neighbours).
/// After a failure they may only be freed.
toc_status toc_orphan_pairs_follow(toc_orphan_pairs *pairs, const toc_cells *cells, uint32_t body,
                                   const toc_changes *changes);

#endif
