// SPDX-License-Identifier: Apache-2.0
// The layout of contacts and near pairs in files: columns of text, and arrays of numbers. One reader for each format.
#ifndef TOC_IO_PAIRS_LAYOUT_H
#define TOC_IO_PAIRS_LAYOUT_H

#include "io/core/numbers.h"
#include "io/pairs/read.h"

typedef enum toc_field_type { TOC_FIELD_KIND, TOC_FIELD_VERDICT, TOC_FIELD_ID, TOC_FIELD_REAL } toc_field_type;

/// A column of a CSV, or a member of a JSON object.
typedef struct toc_pair_field {
    const char *name;
    toc_field_type type;
    size_t offset; // in the item
} toc_pair_field;

/// An array of a VTP or of the records of a .glb.
typedef struct toc_pair_column {
    const char *name;
    toc_field_type type;
    size_t components, offset;
} toc_pair_column;

struct toc_pair_layout {
    const char *what;
    size_t item_size, field_count, array_count;
    const toc_pair_field *fields; // in the order of the columns
    const toc_pair_column *arrays;
    const char *records; // the member of the extras of a .glb; NULL for none
    bool (*is_plausible)(const void *item);
};

/// The words of kinds or of verdicts, by their values; NULL for values without one.
const char *const *toc_field_words(toc_field_type type, int *count);
/// Store the kind or the verdict whose value is `word`.
void toc_field_put_word(char *at, toc_field_type type, int word);

/// Add bytes of items, all 0. @param out their beginning; untouched if there are none.
toc_status toc_items_add(const toc_source *source, size_t bytes, toc_read_items *items, char **out);
/// Add `count` items, all bytes 0, after a check against the bytes left in the source.
toc_status toc_items_reserve(const toc_pair_layout *layout, const toc_source *source, uint64_t count,
                             toc_read_items *items);
/// Refuse items with a number out of its range.
toc_status toc_items_check(const toc_pair_layout *layout, const toc_source *source, const toc_read_items *items);

toc_number toc_column_number(const toc_pair_column *array);
/// Put the numbers of an array into their items.
toc_status toc_column_scatter(const toc_pair_layout *layout, const toc_source *source, const toc_pair_column *array,
                              const toc_numbers *numbers, toc_read_items *items);

/// Read the items of a source. Free them with the allocator of the source, also on failure.
typedef toc_status toc_pairs_reader(const toc_pair_layout *layout, toc_source *source, toc_read_items *items);
toc_pairs_reader toc_pairs_read_csv, toc_pairs_read_json, toc_pairs_read_vtp, toc_pairs_read_glb;

#endif
