// SPDX-License-Identifier: Apache-2.0
// Listed pairs: a traversal without an index, which hands feature pairs of the caller to the stages.
#ifndef TOC_SEARCH_LISTED_H
#define TOC_SEARCH_LISTED_H

#include "cull/shared.h"
#include "search/traversal.h"

/// Pairs of features by their vertices as the step numbers them, the vertex-face pairs first. The `plan` of a way over
/// toc_listed_traversal sets pipeline->pairs to one, which stays as it is.
typedef struct toc_pair_list {
    size_t vf_count, count;
    const toc_feature_pair *at;
} toc_pair_list;

extern const toc_traversal toc_listed_traversal;
/// Prepare the narrow phase: toc_way.fit.
toc_status toc_listed_fit(struct toc_pipeline *pipeline);

#endif
