// SPDX-License-Identifier: Apache-2.0
// Rows of CSV and JSON. Doubles survive bit for bit.
#include "io/pairs/row.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Write the name, or what stands before the value. @return false if the value is not written.
static bool begin_value(toc_row *row, const char *name) {
    if (row->form == TOC_ROW_JSON) {
        toc_sink_text(row->sink, row->begun ? ",\"" : "{\"");
        toc_sink_text(row->sink, name);
        toc_sink_text(row->sink, "\":");
    } else if (row->begun) {
        toc_sink_text(row->sink, ",");
    }
    row->begun = true;
    if (row->form == TOC_ROW_HEAD) toc_sink_text(row->sink, name);
    return row->form != TOC_ROW_HEAD;
}

static void write_real(const toc_row *row, double x) {
    if (row->form == TOC_ROW_JSON && !isfinite(x))
        toc_sink_text(row->sink, "null");
    else
        toc_sink_double(row->sink, x);
}

// CSV doubles quotation marks within a text; JSON puts a backslash before them.
static void write_quoted(const toc_row *row, const char *text) {
    assert(text);
    toc_sink_text(row->sink, "\"");
    for (; *text; text++) {
        if (*text == '"') toc_sink_text(row->sink, row->form == TOC_ROW_JSON ? "\\" : "\"");
        if (*text == '\\' && row->form == TOC_ROW_JSON) toc_sink_text(row->sink, "\\");
        toc_sink_write(row->sink, text, 1);
    }
    toc_sink_text(row->sink, "\"");
}

static void write_text(const toc_row *row, const char *text) {
    if (!text) text = "";
    if (row->form == TOC_ROW_JSON || text[strcspn(text, ",\"\r\n")])
        write_quoted(row, text);
    else
        toc_sink_text(row->sink, text);
}

static bool has_face(const toc_column *column, const char *item) {
    uint32_t first;
    memcpy(&first, item + column->offset, sizeof first);
    return first != UINT32_MAX;
}

// Elements have no corners: nothing in a CSV, null in JSON.
static void write_id(const toc_row *row, const toc_column *column, const char *item, uint32_t id) {
    if (column->type != TOC_COLUMN_FACES || has_face(column, item))
        toc_sink_integer(row->sink, id);
    else if (row->form == TOC_ROW_JSON)
        toc_sink_text(row->sink, "null");
}

static void write_word(const toc_row *row, const toc_column *column, const char *item) {
    int count;
    const char *const *words = toc_column_words(column->type, &count);
    const int word = toc_column_get_word(column, item);
    // Values without a word have that of the last one.
    write_text(row, words[word >= 0 && word < count && words[word] ? word : count - 1]);
}

static void write_value(const toc_row *row, const toc_column *column, size_t k, const char *item) {
    const void *at = item + toc_column_place(column, k);
    switch (column->type) {
    case TOC_COLUMN_KIND:
    case TOC_COLUMN_VERDICT:
        write_word(row, column, item);
        break;
    case TOC_COLUMN_HAS_FACE:
        write_text(row, has_face(column, item) ? "face" : "element");
        break;
    case TOC_COLUMN_ID:
    case TOC_COLUMN_VERTEX:
    case TOC_COLUMN_FACES:
        write_id(row, column, item, *(const uint32_t *)at);
        break;
    case TOC_COLUMN_REAL:
    case TOC_COLUMN_LENGTH:
    case TOC_COLUMN_TIME:
        write_real(row, *(const double *)at);
        break;
    case TOC_COLUMN_INT32:
        toc_sink_integer(row->sink, *(const int32_t *)at);
        break;
    case TOC_COLUMN_INT64:
        toc_sink_integer(row->sink, *(const int64_t *)at);
        break;
    case TOC_COLUMN_TEXT:
        write_text(row, *(const char *const *)at);
        break;
    }
}

void toc_row_add(toc_row *row, size_t count, const toc_column *columns, const void *item) {
    assert(count == 0 || columns);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < columns[i].count; k++)
            if (begin_value(row, columns[i].fields[k])) write_value(row, &columns[i], k, item);
}

void toc_row_end(toc_row *row) {
    toc_sink_text(row->sink, row->form == TOC_ROW_JSON ? "}\n" : "\n");
    row->begun = false;
}
