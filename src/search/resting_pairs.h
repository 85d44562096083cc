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
    TOC_REST_SHARE = 8     // one part in so many of the primitives must have come to rest for a new list to pay
};

/// Whether two primitives rest, as an index knows it.
typedef bool toc_rests(const struct toc_index *index, toc_primitive_pair primitives);

static inline size_t toc_resting_pairs_rounds(const toc_resting_pairs *pairs) {
    return (pairs->count + TOC_REST_ROUND - 1) / TOC_REST_ROUND;
}

/// Search for resting pairs: run rounds with the last stage, that of the features, replaced by one that keeps the
/// feature pairs that are within the distance of the query.
/// @param search a round of the index. @param rests of two primitives. @param all receives the pairs, added.
toc_status toc_resting_pairs_find(struct toc_pipeline *pipeline, size_t rounds,
                                  toc_status (*search)(struct toc_worker *, size_t), toc_rests *rests,
                                  toc_resting_pairs *all);

/// Test the pairs of a round whose primitives still rest. Uses worker->features as scratch memory.
toc_status toc_resting_pairs_test(struct toc_worker *worker, const toc_resting_pairs *pairs, size_t round,
                                  toc_rests *rests);

#endif
