// SPDX-License-Identifier: Apache-2.0
// The types of answers by the kinds of their items.
#include "ask/types.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/result.h"
#include "base/shared.h"
#include "search/contacts.h"

TOC_SHARED const toc_answer_type *const toc_answer_types[TOC_ITEM_COUNT] = {
    [TOC_ITEM_CONTACT] = &toc_contact_type,         [TOC_ITEM_NEAR] = &toc_near_type,
    [TOC_ITEM_OVERLAP] = &toc_overlap_type,         [TOC_ITEM_VERTICES] = &toc_vertex_pair_type,
    [TOC_ITEM_CONTAINMENT] = &toc_containment_type,
};

toc_status toc_answer_create(const toc_allocator *allocator, toc_item item, size_t count, const void *items,
                             void *out) {
    TOC_SCOPED_ARITHMETIC;
    const toc_allocator memory = toc_allocator_or_default(allocator);
    const toc_answer_type *type = toc_answer_type_of(item);
    void *list;
    TOC_NEED(out);
    if (!type) return toc_fail(TOC_BAD_INPUT, "there is no kind of items number %d", (int)item);
    if (count > 0) TOC_NEED(items);
    TOC_TRY(toc_result_copy(type, &memory, count, items, &list));
    memcpy(out, &list, sizeof list); // a pointer to a list of any type
    return TOC_OK;
}

void toc_answer_destroy(void *list) { toc_result_free(list); }
