// SPDX-License-Identifier: Apache-2.0
// Items that are read from a file: room for them, and one reader for each format.
#ifndef TOC_IO_PAIRS_ITEMS_H
#define TOC_IO_PAIRS_ITEMS_H

#include "io/pairs/columns.h"
#include "io/pairs/read.h"

/// Add bytes of items, all 0. @param out their beginning; untouched if there are none.
toc_status toc_items_add(const toc_source *source, size_t bytes, toc_items *items, char **out);
/// Add `count` items, all bytes 0, after a check against the bytes left in the source.
toc_status toc_items_reserve(const toc_answer_type *type, const toc_source *source, uint64_t count, toc_items *items);
/// Put the numbers of an array into their items.
toc_status toc_items_scatter(const toc_answer_type *type, const toc_source *source, const toc_column *array,
                             const toc_numbers *numbers, toc_items *items);
/// Refuse items with a number out of its range.
toc_status toc_items_check(const toc_answer_type *type, const toc_source *source, const toc_items *items);

/// Refuse a table with a column of steps where the caller names no step, and one without where he does.
toc_status toc_items_check_steps(toc_source *source, bool has_steps, const uint64_t *step);

/// Read the items of a source. Free them with the allocator of the source, also on failure.
/// @param step of a table with steps; NULL for one without.
typedef toc_status toc_pairs_reader(const toc_answer_type *type, toc_source *source, const uint64_t *step,
                                    toc_items *items);
toc_pairs_reader toc_pairs_read_csv, toc_pairs_read_json, toc_pairs_read_vtp, toc_pairs_read_glb;

#endif
