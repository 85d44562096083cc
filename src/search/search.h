// SPDX-License-Identifier: Apache-2.0
// The search of a scene: the indexes and the policy that are kept from query to query, and the run of a query.
#ifndef TOC_SEARCH_SEARCH_H
#define TOC_SEARCH_SEARCH_H

#include "index/index.h"
#include "search/policy.h"

typedef struct toc_search {
    toc_allocator allocator;
    toc_index *indexes[TOC_SLOT_COUNT]; // by toc_index_slot; NULL before they are first needed
    toc_policy policy;
    struct toc_device_rooms *device; // of queries on a device; NULL before the first one
} toc_search;

/// Make the search of a scene where it has none yet. Freed with the scene.
toc_status toc_search_need(toc_scene *scene);
/// Free all kept indexes, to make room. They are made anew when they are needed.
void toc_search_forget(toc_scene *scene);
/// Free an index.
void toc_search_drop(toc_search *search, toc_index_slot slot);

/// Choose the way of a request and bring the step of the scene up to date for it.
toc_status toc_search_prepare(const toc_request *request, toc_choice *choice);
/// Find the contacts of the step, once it is prepared. @param result of toc_result_make; as it was on failure.
toc_status toc_search_run(const toc_request *request, toc_choice choice, toc_contacts *result);

#endif
