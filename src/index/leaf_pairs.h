// SPDX-License-Identifier: Apache-2.0
// Pairs of leaves, the output of every index, in batches.
//
// A leaf is the place of a primitive in an index. A tree has its own order of leaves (toc_bvh.order names the
// primitive); the leaf of a hash is the number of its primitive. Pairs of nodes, leaves, primitives and cells are
// different types, so that one is never taken for another.
#ifndef TOC_INDEX_LEAF_PAIRS_H
#define TOC_INDEX_LEAF_PAIRS_H

#include "base/memory.h"

/// Two different leaves of one index, or of two with common numbers.
typedef struct toc_leaf_pair {
    uint32_t a, b;
} toc_leaf_pair;

/// Takes a batch of the pairs that a search finds. Any status but TOC_OK ends the search.
typedef toc_status toc_leaf_pairs_take(void *user, const toc_leaf_pair *pairs, size_t count);

enum { TOC_LEAF_PAIRS = 1024 }; // most pairs of a batch: the memory of a search does not grow with the number of pairs

#endif
