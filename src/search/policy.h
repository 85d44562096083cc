// SPDX-License-Identifier: Apache-2.0
// The policy of `auto`: observations of a scene, and the choice of a way from them.
#ifndef TOC_SEARCH_POLICY_H
#define TOC_SEARCH_POLICY_H

#include "search/request.h"

/// Pairs in cells for each primitive, above which a tree finds the contacts of a new scene sooner than the grid, the
/// time to build it included: measured at about 400 on one thread and 700 on 16; this is between the two.
#define TOC_CROWDED_PAIRS 550.0

/// The part of the step that a search for the first contact bounds where an early contact is expected.
#define TOC_SOON 0x1p-8

/// The observations of earlier queries. Only the functions below write them.
typedef struct toc_policy {
    uint64_t seen_features; // version of the features of the last surface query
    int element_queries;    // since the last edit of the elements; negative while the interior is not tried
    bool first_is_late;     // the last search for the first contact found none early in the step
} toc_policy;

/// The choice for one query.
typedef struct toc_choice {
    const toc_way *way;
    uint32_t skip;     // stages left out: by the preset, the query and the policy
    bool declines;     // the way may decline the step; then choose again
    bool retires_grid; // the surface grid is of no more use
    double seconds;    // that bringing the step up to date took
} toc_choice;

/// Choose the way of a request. Presets with a way of their own keep it.
toc_choice toc_policy_choose(const toc_request *request);
/// Choose again after a way declined. After the interior did, it rests for some steps.
toc_choice toc_policy_decline(const toc_request *request, const toc_choice *declined);

/// Note that a request runs with a choice.
void toc_policy_note(const toc_request *request, const toc_choice *choice);
/// Note that the elements are searched. @param changed whether they are other ones than in the last query.
void toc_policy_note_elements(toc_policy *policy, bool changed);
/// Note whether a search for the first contact found one before TOC_SOON.
void toc_policy_note_first(toc_policy *policy, bool soon);

#endif
