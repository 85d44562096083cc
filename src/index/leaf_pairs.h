// SPDX-License-Identifier: Apache-2.0
// Pairs of leaves, the output of every index: a tree and a hash hand them over in batches.
//
// A leaf is the place of a primitive in an index. A tree has its own order of leaves (toc_bvh.order names the
// primitive); the leaf of a hash is the number of its primitive. Pairs of nodes, leaves, primitives and cells are
// different types, so that one is never taken for another.
#ifndef TOC_INDEX_LEAF_PAIRS_H
#define TOC_INDEX_LEAF_PAIRS_H

#include "base/memory.h"

/// Two different leaves of one index, or of two that share their numbers.
typedef struct toc_leaf_pair {
    uint32_t a, b;
} toc_leaf_pair;

/// Takes a batch of near leaves as a search finds them. Any status but TOC_OK ends the search.
typedef toc_status toc_leaf_pairs_take(void *user, const toc_leaf_pair *pairs, size_t count);

enum { TOC_LEAF_PAIRS = 1024 }; // of a batch, at most: the memory of a search does not grow with its pairs

#endif
