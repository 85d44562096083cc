// SPDX-License-Identifier: Apache-2.0
// Results: lists of items of a type, as the caller sees them, with their memory behind. A list is the structure of the
// public header; the caller reads its count and its items.
#ifndef TOC_BASE_RESULT_H
#define TOC_BASE_RESULT_H

#include "base/answer.h"
#include "base/memory.h"

/// Items as bytes.
typedef TOC_ARRAY(char) toc_items;

/// An empty list; NULL with the message set on failure. Free with toc_result_free.
void *toc_result_new(const toc_answer_type *type, const toc_allocator *allocator);
/// Free a list; NULL is fine.
void toc_result_free(void *list);
const toc_answer_type *toc_result_type(const void *list);
const toc_allocator *toc_result_allocator(const void *list);

/// The items of a list, to change. Show the change to the caller with toc_result_show, also where it failed: the items
/// may have moved.
toc_items *toc_result_items(void *list);
/// Let the fields of the list agree with its items. @return their number.
size_t toc_result_show(void *list);
/// Make room for `count` items in all. The items stay.
toc_status toc_result_reserve(void *list, size_t count);
/// Append an item.
toc_status toc_result_add(void *list, const void *item);
/// Drop repeated items of a sorted list: those that the order of the type does not tell apart.
void toc_result_keep_distinct(void *list);

/// Note the time that a question took, where lists of the type have one.
void toc_result_set_seconds(void *list, double seconds);

/// A list with a copy of items of the caller, in their order, once the type has checked them.
/// @param out untouched on failure.
toc_status toc_result_copy(const toc_answer_type *type, const toc_allocator *allocator, size_t count, const void *items,
                           void **out);

#endif
