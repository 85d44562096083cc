// SPDX-License-Identifier: Apache-2.0
// The search of a scene: the indexes and the policy that are kept from query to query, and the run of a query.
#ifndef TOC_SEARCH_SEARCH_H
#define TOC_SEARCH_SEARCH_H

#include "search/index.h"
#include "search/policy.h"

typedef struct toc_search {
    toc_allocator allocator;
    toc_index *indexes[TOC_SLOT_COUNT]; // by toc_index_slot; NULL before they are first needed
    toc_policy policy;
} toc_search;

/// Make the search of a scene where it has none yet. Freed with the scene.
toc_status toc_search_need(toc_scene *scene);
/// Free all kept indexes, to make room. They are made anew when they are needed.
void toc_search_forget(toc_scene *scene);
/// Free an index.
void toc_search_drop(toc_search *search, toc_index_slot slot);

/// Choose the way of a query and bring the step of the scene up to date for it. The query must be valid.
toc_status toc_search_prepare(toc_scene *scene, const toc_query *query, const toc_preset *preset, toc_choice *choice);
/// Find the contacts of the step, once it is prepared. @param result of toc_result_make; as it was on failure.
toc_status toc_search_run(toc_scene *scene, const toc_query *query, const toc_preset *preset, toc_choice choice,
                          toc_contacts *result);

#endif
