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

void toc_row_integer(toc_row *row, const char *name, int64_t x) {
    if (begin_value(row, name)) toc_sink_integer(row->sink, x);
}

void toc_row_real(toc_row *row, const char *name, double x) {
    if (!begin_value(row, name)) return;
    if (row->form == TOC_ROW_JSON && !isfinite(x))
        toc_sink_text(row->sink, "null");
    else
        toc_sink_double(row->sink, x);
}

// CSV doubles quotation marks within a text; JSON puts a backslash before them.
static void write_quoted(toc_row *row, const char *text) {
    toc_sink_text(row->sink, "\"");
    for (; *text; text++) {
        if (*text == '"') toc_sink_text(row->sink, row->form == TOC_ROW_JSON ? "\\" : "\"");
        if (*text == '\\' && row->form == TOC_ROW_JSON) toc_sink_text(row->sink, "\\");
        toc_sink_write(row->sink, text, 1);
    }
    toc_sink_text(row->sink, "\"");
}

void toc_row_text(toc_row *row, const char *name, const char *text) {
    if (!begin_value(row, name)) return;
    if (!text) text = "";
    if (row->form == TOC_ROW_JSON || text[strcspn(text, ",\"\r\n")])
        write_quoted(row, text);
    else
        toc_sink_text(row->sink, text);
}

void toc_row_blank(toc_row *row, const char *name) {
    if (begin_value(row, name) && row->form == TOC_ROW_JSON) toc_sink_text(row->sink, "null");
}

void toc_row_end(toc_row *row) {
    toc_sink_text(row->sink, row->form == TOC_ROW_JSON ? "}\n" : "\n");
    row->begun = false;
}

void toc_row_place(toc_row *row, const toc_place *place, int corners) {
    static const char *const nodes[] = {"nid0", "nid1", "nid2", "nid3", "nid4", "nid5"};
    assert(corners <= 6);
    toc_row_real(row, "time", place->time);
    toc_row_integer(row, "element0", place->element[0]);
    toc_row_integer(row, "element1", place->element[1]);
    toc_row_integer(row, "eid0", place->element_label[0]);
    toc_row_integer(row, "eid1", place->element_label[1]);
    for (int i = 0; i < corners; i++) toc_row_integer(row, nodes[i], place->vertex_label[i]);
    toc_row_integer(row, "pid0", place->part[0]);
    toc_row_integer(row, "pid1", place->part[1]);
    toc_row_text(row, "part0", place->part_name[0]);
    toc_row_text(row, "part1", place->part_name[1]);
}
