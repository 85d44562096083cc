// SPDX-License-Identifier: Apache-2.0
// One row of a table, written as the head of a CSV, as a line of it, or as a JSON object of its own line. The same
// columns make all three, so that names and values cannot disagree.
#ifndef TOC_IO_PAIRS_ROW_H
#define TOC_IO_PAIRS_ROW_H

#include "io/pairs/columns.h"

typedef enum toc_row_form { TOC_ROW_HEAD, TOC_ROW_CSV, TOC_ROW_JSON } toc_row_form;

typedef struct toc_row {
    toc_sink *sink;
    toc_row_form form;
    bool begun;
} toc_row;

/// Write the columns of an item, which is not read for a head. JSON has no infinity and no NaN: null stands for them.
/// Texts are UTF-8 without control characters.
void toc_row_add(toc_row *row, size_t count, const toc_column *columns, const void *item);
/// End the line; the next call begins a new one.
void toc_row_end(toc_row *row);

#endif
