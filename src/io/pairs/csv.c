// SPDX-License-Identifier: Apache-2.0
// Read contacts and near pairs from a CSV of this library, row by row. Columns of places may follow.
#include <assert.h>
#include <string.h>

#include "io/core/decimal.h"
#include "io/pairs/items.h"

static bool take_text(toc_source *source, const char *text) {
    const size_t length = strlen(text);
    if (toc_source_left(source) < length || memcmp(source->at, text, length) != 0) return false;
    source->at += length;
    return true;
}

static bool take_listed_word(toc_source *source, toc_column_type type, char *to) {
    int count;
    const char *const *words = toc_column_words(type, &count);
    assert(words);
    for (int i = 0; i < count; i++) {
        if (!words[i] || !take_text(source, words[i])) continue;
        toc_column_put_word(to, type, i);
        return true;
    }
    return false;
}

static bool take_field(toc_source *source, const toc_column *column, char *to) {
    double real;
    int64_t integer;
    if (toc_column_number(column) == TOC_FLOAT64) {
        const char *behind = toc_decimal_read(source->at, &real);
        if (!behind) return false;
        source->at = behind;
        memcpy(to, &real, sizeof real);
        return true;
    }
    if (!toc_column_has_ids(column->type)) return take_listed_word(source, column->type, to);
    if (!toc_source_digits(source, &integer) || integer < 0 || integer > UINT32_MAX) return false;
    memcpy(to, &(uint32_t){(uint32_t)integer}, sizeof(uint32_t));
    return true;
}

// Columns of places may follow.
static bool ends_fields(toc_source *source) { return *source->at == ',' || toc_source_line_ends(source); }

static bool take_row(const toc_answer_type *type, toc_source *source, char *item) {
    for (size_t i = 0; i < type->column_count; i++) {
        const toc_column *column = &type->columns[i];
        for (size_t k = 0; k < column->count; k++) {
            if (i + k > 0 && !take_text(source, ",")) return false;
            if (!take_field(source, column, item + toc_column_place(column, k))) return false;
        }
    }
    return ends_fields(source) && toc_item_is_plausible(type, item);
}

static bool take_column_names(const toc_answer_type *type, toc_source *source) {
    for (size_t i = 0; i < type->column_count; i++)
        for (size_t k = 0; k < type->columns[i].count; k++)
            if ((i + k > 0 && !take_text(source, ",")) || !take_text(source, type->columns[i].fields[k])) return false;
    return ends_fields(source);
}

static toc_status fail_row(const toc_answer_type *type, toc_source *source) {
    return toc_source_fail(source, "this is no row of %s, or not all of it; the file may be truncated", type->name);
}

static bool take_row_step(toc_source *source, uint64_t *step) {
    int64_t number;
    if (!toc_source_digits(source, &number) || number < 0) return false;
    *step = (uint64_t)number;
    return take_text(source, ",");
}

static toc_status read_csv_row(const toc_answer_type *type, toc_source *source, const uint64_t *step,
                               toc_items *items) {
    char *item = NULL;
    uint64_t own = 0;
    if (step && !take_row_step(source, &own)) return fail_row(type, source);
    if (step && own != *step) return TOC_OK;
    TOC_TRY(toc_items_add(source, type->order.item_size, items, &item));
    return take_row(type, source, item) ? TOC_OK : fail_row(type, source);
}

toc_status toc_pairs_read_csv(const toc_answer_type *type, toc_source *source, const uint64_t *step, toc_items *items) {
    TOC_TRY(toc_items_check_steps(source, take_text(source, "step,"), step));
    if (!take_column_names(type, source))
        return toc_source_fail(source, "these are not the columns of %s; the file may be truncated", type->name);
    while (toc_source_next_line(source)) TOC_TRY(read_csv_row(type, source, step, items));
    return TOC_OK;
}
