// SPDX-License-Identifier: Apache-2.0
// Feature pairs that rest close together: found once, asked about in every step until one of them moves.
//
// Two that rest cannot come to touch, but what touches at the start is a contact of every step (docs/guarantees.md,
// G1).
#ifndef TOC_SEARCH_RESTING_PAIRS_H
#define TOC_SEARCH_RESTING_PAIRS_H

#include "cull/surface/features.h"
#include "search/narrow_phase.h"

/// Two features that rest close together, and the primitives they were found with.
typedef struct toc_resting_pair {
    toc_kind kind;
    toc_feature_pair quad;
    toc_primitive_pair primitives;
} toc_resting_pair;

typedef TOC_ARRAY(toc_resting_pair) toc_resting_pairs;

/// Add those of the feature pairs of two primitives that are as close as the query's test would have them.
toc_status toc_rest_keep(const toc_narrow_phase *testers, const toc_feature_pairs *pairs, toc_primitive_pair primitives,
                         toc_resting_pairs *kept);
/// Add all that another list holds.
toc_status toc_rest_join(const toc_allocator *allocator, const toc_resting_pairs *more, toc_resting_pairs *all);

enum { TOC_REST_ROUND = 4096 }; // pairs a round: fixed, as rounds are the same for any number of threads

static inline size_t toc_rest_rounds(const toc_resting_pairs *pairs) {
    return (pairs->count + TOC_REST_ROUND - 1) / TOC_REST_ROUND;
}

/// Ask about the pairs of a round whose primitives still rest, as `rests` tells of both.
/// @param scratch what it holds is written over.
toc_status toc_rest_ask(const toc_resting_pairs *pairs, size_t round,
                        bool (*rests)(const void *user, toc_primitive_pair primitives), const void *user,
                        toc_feature_pairs *scratch, toc_narrow_worker *tester);

#endif
