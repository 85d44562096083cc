// SPDX-License-Identifier: Apache-2.0
// Resting pairs: feature pairs that rest near each other, found once and tested in every step until one of them moves.
//
// Two resting features cannot come to touch, but features that touch at the start are a contact of every step
// (docs/guarantees.md, G1).
#ifndef TOC_SEARCH_RESTING_PAIRS_H
#define TOC_SEARCH_RESTING_PAIRS_H

#include "cull/surface/features.h"
#include "search/narrow_phase.h"

struct toc_index;
struct toc_pipeline;
struct toc_worker;

/// Two features that rest near each other, and the primitives they were found with.
typedef struct toc_resting_pair {
    toc_kind kind;
    toc_feature_pair features;
    toc_primitive_pair primitives;
} toc_resting_pair;

typedef TOC_ARRAY(toc_resting_pair) toc_resting_pairs;

enum {
    TOC_REST_ROUND = 4096, // pairs a round; fixed, so that rounds are the same for any number of threads
    TOC_REST_SHARE = 8,    // a new list pays once one primitive of this many has come to rest
    TOC_REST_MOST = 128    // pairs for each primitive; a crowd with more of them is searched in every step
};

/// Whether two primitives rest, as an index knows it.
typedef bool toc_rests(const struct toc_index *index, toc_primitive_pair primitives);

static inline size_t toc_resting_pairs_rounds(const toc_resting_pairs *pairs) {
    return (pairs->count + TOC_REST_ROUND - 1) / TOC_REST_ROUND;
}

/// How an index searches for resting pairs.
typedef struct toc_resting_search {
    size_t rounds;
    toc_status (*search)(struct toc_worker *, size_t); // a round of the index
    toc_rests *rests;                                  // of two primitives
    size_t most;                                       // pairs to keep
} toc_resting_search;

/// Search for resting pairs: run rounds with the last stage, that of the features, replaced by one that keeps the
/// feature pairs that are within the distance of the query.
/// Ends early where there are more pairs than the most: memory and time stay linear in the primitives, and a question
/// that ends with its first contact does not wait for all resting ones.
/// @param all receives the pairs; must be empty. @param crowded receives whether there are too many: none is kept.
toc_status toc_resting_pairs_find(struct toc_pipeline *pipeline, const toc_resting_search *search,
                                  toc_resting_pairs *all, bool *crowded);

/// Test the pairs of a round whose primitives still rest. Uses worker->features as scratch memory.
toc_status toc_resting_pairs_test(struct toc_worker *worker, const toc_resting_pairs *pairs, size_t round,
                                  toc_rests *rests);

#endif
