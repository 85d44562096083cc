// SPDX-License-Identifier: Apache-2.0
// Items of any kind of answer as files: CSV for tables, JSON lines for scripts, VTP for ParaView. Doubles survive bit
// for bit in all three. One pass over the items for each column at most.
#include "base/arithmetic.h"

#include "io/core/format.h"
#include "io/pairs/row.h"
#include "io/pairs/table.h"
#include <assert.h>

typedef struct row_pass {
    toc_row row;
    toc_column places[TOC_PLACE_COLUMNS];
} row_pass;

static void put_row(row_pass *pass, const toc_answer_type *type, const void *item, bool has_place,
                    const toc_place *place) {
    toc_row_add(&pass->row, type->column_count, type->columns, item);
    if (has_place) toc_row_add(&pass->row, TOC_PLACE_COLUMNS, pass->places, place);
    toc_row_end(&pass->row);
}

static toc_status put_rows(void *user, const toc_table *table) {
    assert(table->type);
    for (size_t i = 0; i < table->count; i++)
        put_row(user, table->type, toc_table_item(table, i), table->places, table->places ? &table->places[i] : NULL);
    return TOC_OK;
}

static toc_status write_rows(toc_sink *sink, const toc_table *table, toc_row_form form) {
    row_pass pass = {.row = {.sink = sink, .form = TOC_ROW_HEAD}};
    toc_place_columns(table->type, pass.places);
    if (form == TOC_ROW_CSV) put_row(&pass, table->type, NULL, toc_table_has_places(table), NULL);
    pass.row.form = form;
    return toc_table_pass(table, true, put_rows, &pass);
}

static toc_status write_table(toc_sink *sink, const char *path, const toc_table *table) {
    if (toc_path_has_extension(path, ".vtp")) return toc_table_write_vtp(table, sink);
    return write_rows(sink, table, toc_path_has_extension(path, ".csv") ? TOC_ROW_CSV : TOC_ROW_JSON);
}

static toc_status check_extension(const char *path, const toc_answer_type *type) {
    static const char *const extensions[] = {".csv", ".json", ".jsonl", ".vtp"};
    const toc_column *arrays[TOC_MOST_ARRAYS];
    const bool has_points = toc_answer_list_arrays(type, arrays) > 0;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions - !has_points; i++)
        if (toc_path_has_extension(path, extensions[i])) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "%s: %s are written as .csv%s", path, type->name,
                    has_points ? ", .json or .vtp" : " or .json");
}

static toc_status write_file(const char *path, const toc_table *table) {
    toc_sink *sink;
    TOC_TRY(check_extension(path, table->type));
    TOC_TRY(toc_sink_open(path, NULL, &sink));
    const toc_status status = write_table(sink, path, table);
    if (status == TOC_OK) return toc_sink_commit(sink);
    toc_sink_cancel(sink);
    return status;
}

static toc_status find_type(toc_item item, const toc_answer_type **out) {
    *out = toc_answer_type_of(item);
    return *out ? TOC_OK : toc_fail(TOC_BAD_INPUT, "there is no kind of items number %d", (int)item);
}

toc_status toc_answer_write(const char *path, toc_item item, size_t count, const void *items, const toc_place *places) {
    TOC_SCOPED_ARITHMETIC;
    const toc_answer_type *type;
    TOC_NEED(path);
    TOC_TRY(find_type(item, &type));
    if (count > 0) TOC_NEED(items);
    return write_file(path, &(toc_table){type, count, items, places, NULL});
}

static toc_status check_pieces(const char *path, const toc_answer_type *type, size_t count, const char *const *pieces) {
    const toc_column *arrays[TOC_MOST_ARRAYS];
    if (toc_answer_list_arrays(type, arrays) == 0 || !toc_path_has_extension(path, ".pvtp"))
        return toc_fail(TOC_BAD_INPUT, "%s: pieces are listed in a .pvtp, of answers with points", path);
    for (size_t i = 0; i < count; i++) {
        if (!pieces[i] || !*pieces[i]) return toc_fail(TOC_BAD_INPUT, "%s: piece %zu has no name", path, i);
        for (const char *c = pieces[i]; *c; c++)
            if ((unsigned char)*c < ' ')
                return toc_fail(TOC_BAD_INPUT, "%s: the name of piece %zu has a control character", path, i);
    }
    return TOC_OK;
}

toc_status toc_answer_write_pieces(const char *path, toc_item item, bool has_places, size_t count,
                                   const char *const *pieces) {
    TOC_SCOPED_ARITHMETIC;
    const toc_answer_type *type;
    static const toc_place none;
    toc_sink *sink;
    TOC_NEED(path);
    TOC_TRY(find_type(item, &type));
    TOC_NEED(pieces);
    TOC_TRY(check_pieces(path, type, count, pieces));
    TOC_TRY(toc_sink_open(path, NULL, &sink));
    toc_table_write_pvtp(&(toc_table){.type = type, .places = has_places ? &none : NULL}, count, pieces, sink);
    return toc_sink_commit(sink);
}

toc_status toc_contacts_write_source(const char *path, const toc_contact_source *source) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(path);
    TOC_NEED(source);
    TOC_NEED(source->get);
    return write_file(
        path, &(toc_table){.type = toc_answer_type_of(TOC_ITEM_CONTACT), .count = source->count, .source = source});
}
