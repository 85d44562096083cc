// SPDX-License-Identifier: Apache-2.0
// The types of answers by the kinds of their items.
#include "ask/types.h"
#include "base/result.h"
#include "base/shared.h"
#include "search/contacts.h"

TOC_SHARED const toc_answer_type *const toc_answer_types[TOC_ITEM_COUNT] = {
    [TOC_ITEM_CONTACT] = &toc_contact_type,         [TOC_ITEM_NEAR] = &toc_near_type,
    [TOC_ITEM_OVERLAP] = &toc_overlap_type,         [TOC_ITEM_VERTICES] = &toc_vertex_pair_type,
    [TOC_ITEM_CONTAINMENT] = &toc_containment_type,
};

void toc_answer_destroy(void *list) { toc_result_free(list); }
