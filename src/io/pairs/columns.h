// SPDX-License-Identifier: Apache-2.0
// The columns of items (base/answer.h) in files: their numbers in arrays, and their words in texts.
#ifndef TOC_IO_PAIRS_COLUMNS_H
#define TOC_IO_PAIRS_COLUMNS_H

#include "base/answer.h"
#include "io/core/numbers.h"
#include "io/core/sink.h"

/// The number of a column in an array, and its name in VTK: "Float64".
toc_number toc_column_number(const toc_column *column);
const char *toc_column_number_name(const toc_column *column);
/// Bytes of a number in an array, and of a text in an item.
static inline size_t toc_column_size(const toc_column *column) {
    static const uint8_t sizes[] = {
        [TOC_COLUMN_KIND] = 1,  [TOC_COLUMN_VERDICT] = 1,  [TOC_COLUMN_ID] = 4,    [TOC_COLUMN_VERTEX] = 4,
        [TOC_COLUMN_FACES] = 4, [TOC_COLUMN_HAS_FACE] = 0, [TOC_COLUMN_REAL] = 8,  [TOC_COLUMN_LENGTH] = 8,
        [TOC_COLUMN_TIME] = 8,  [TOC_COLUMN_INT32] = 4,    [TOC_COLUMN_INT64] = 8, [TOC_COLUMN_TEXT] = sizeof(char *)};
    return sizes[column->type];
}
/// Bytes of an item in an array.
static inline size_t toc_column_bytes(const toc_column *column) { return column->count * toc_column_size(column); }
/// The place of a number of a column in an item. Kinds and verdicts, whose size there differs, come alone.
static inline size_t toc_column_place(const toc_column *column, size_t k) {
    return column->offset + k * toc_column_size(column);
}
/// Write the numbers of an item to an array.
void toc_column_write(const toc_column *column, const void *item, toc_sink *sink);

/// The words of kinds or of verdicts, by their values; NULL for values without one.
const char *const *toc_column_words(toc_column_type type, int *count);
/// Store the kind or the verdict whose value is `word`.
void toc_column_put_word(char *at, toc_column_type type, int word);
/// The kind or the verdict of an item.
int toc_column_get_word(const toc_column *column, const void *item);
static inline bool toc_column_has_words(toc_column_type type) {
    return type == TOC_COLUMN_KIND || type == TOC_COLUMN_VERDICT;
}
static inline bool toc_column_has_ids(toc_column_type type) {
    return type == TOC_COLUMN_ID || type == TOC_COLUMN_VERTEX || type == TOC_COLUMN_FACES;
}

/// Whether all numbers of an item are within the range of their columns.
bool toc_item_is_plausible(const toc_answer_type *type, const void *item);
/// Number of vertices that an item names.
size_t toc_answer_count_corners(const toc_answer_type *type);

enum { TOC_MOST_ARRAYS = 16 };
/// The columns that are arrays, in the order of these: the points first, if there are any. @return their number.
size_t toc_answer_list_arrays(const toc_answer_type *type, const toc_column *arrays[TOC_MOST_ARRAYS]);

#endif
