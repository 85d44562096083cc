// SPDX-License-Identifier: Apache-2.0
// One row of a table, written as the head of a CSV, as a line of it, or as a JSON object of its own line. The same
// calls make all three, so that names and values cannot disagree.
#ifndef TOC_IO_PAIRS_ROW_H
#define TOC_IO_PAIRS_ROW_H

#include "io/core/sink.h"
#include "toccata/io.h"

typedef enum toc_row_form { TOC_ROW_HEAD, TOC_ROW_CSV, TOC_ROW_JSON } toc_row_form;

typedef struct toc_row {
    toc_sink *sink;
    toc_row_form form;
    bool begun;
} toc_row;

void toc_row_integer(toc_row *row, const char *name, int64_t x);
/// JSON has no infinity and no NaN: null stands for them.
void toc_row_real(toc_row *row, const char *name, double x);
/// A text in UTF-8 without control characters; NULL stands for "".
void toc_row_text(toc_row *row, const char *name, const char *text);
/// No value: nothing in a CSV, null in JSON.
void toc_row_blank(toc_row *row, const char *name);
/// End the line; the next call begins a new one.
void toc_row_end(toc_row *row);

/// The columns of a place, with `corners` numbers of nodes.
void toc_row_place(toc_row *row, const toc_place *place, int corners);

#endif
