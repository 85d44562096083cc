// SPDX-License-Identifier: Apache-2.0
// The policy of `auto`: observations of a scene, and the choice of a way from them.
#ifndef TOC_SEARCH_POLICY_H
#define TOC_SEARCH_POLICY_H

#include "scene/scene.h"
#include "search/preset.h"

/// Pairs in cells for each primitive, above which a tree finds the contacts of a new scene sooner than the grid, the
/// time to build it included: measured between 620 and 930 on eleven scenes with three sizes of steps, on 1 and on 16
/// threads.
#define TOC_CROWDED_PAIRS 700.0

/// The observations of earlier queries.
typedef struct toc_policy {
    uint64_t seen_features; // version of the features of the last surface query
    int element_queries;    // since the last edit of the elements; negative while the interior is not tried
    bool first_is_late;     // the last search for the first contact found none early in the step
} toc_policy;

/// The choice for one query.
typedef struct toc_choice {
    const toc_way *way;
    uint32_t skip;     // stages left out, beside those of the preset and the query
    bool declines;     // the way may decline the step; then choose again
    bool retires_grid; // the surface grid is of no more use
    double seconds;    // that bringing the step up to date took
} toc_choice;

/// Choose the way of a query. Presets with a way of their own keep it.
toc_choice toc_policy_choose(const toc_scene *scene, const toc_query *query, const toc_preset *preset);
/// Choose again after a way declined. After the interior did, it rests for some steps.
toc_choice toc_policy_decline(toc_scene *scene, const toc_choice *declined);

/// Note that a query runs with a choice.
void toc_policy_note(toc_scene *scene, const toc_preset *preset, const toc_choice *choice);

#endif
