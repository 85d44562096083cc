// SPDX-License-Identifier: Apache-2.0
// O-Sets: the pairs of features that no two elements apart from each other have.
#ifndef TOC_CULL_OSETS_H
#define TOC_CULL_OSETS_H

#include "cull/cells.h"

/// Two features of one body: a vertex and a face, or two edges with the lower one first.
typedef struct toc_orphan {
    uint32_t a, b;
} toc_orphan;

typedef TOC_ARRAY(toc_orphan) toc_orphans;

typedef struct toc_oset {
    toc_allocator allocator;
    toc_orphans vf, ee;
} toc_oset;

/// The O-Set of a body: every pair of its features that share no vertex, all of whose cells are adjacent or the same.
/// O(n) for elements with few neighbours. Free with toc_oset_free, on failure too.
toc_status toc_oset_make(const toc_allocator *allocator, const toc_cells *cells, uint32_t body, toc_oset *out);
void toc_oset_free(toc_oset *oset);

#endif
