// SPDX-License-Identifier: Apache-2.0
// Read contacts and near pairs from a CSV of this library, row by row. Columns of places may follow.
#include <string.h>

#include "io/core/decimal.h"
#include "io/pairs/layout.h"

static bool take_text(toc_source *source, const char *text) {
    const size_t length = strlen(text);
    if (toc_source_left(source) < length || memcmp(source->at, text, length) != 0) return false;
    source->at += length;
    return true;
}

static bool take_listed_word(toc_source *source, toc_field_type type, char *to) {
    int count;
    const char *const *words = toc_field_words(type, &count);
    for (int i = 0; i < count; i++) {
        if (!words[i] || !take_text(source, words[i])) continue;
        toc_field_put_word(to, type, i);
        return true;
    }
    return false;
}

static bool take_field(toc_source *source, toc_field_type type, char *to) {
    double real;
    int64_t integer;
    if (type == TOC_FIELD_REAL) {
        const char *behind = toc_decimal_read(source->at, &real);
        if (!behind) return false;
        source->at = behind;
        memcpy(to, &real, sizeof real);
        return true;
    }
    if (type != TOC_FIELD_ID) return take_listed_word(source, type, to);
    if (!toc_source_digits(source, &integer) || integer < 0 || integer > UINT32_MAX) return false;
    memcpy(to, &(uint32_t){(uint32_t)integer}, sizeof(uint32_t));
    return true;
}

// Columns of places may follow.
static bool ends_fields(toc_source *source) { return *source->at == ',' || toc_source_line_ends(source); }

static bool take_row(const toc_pair_layout *layout, toc_source *source, char *item) {
    for (size_t i = 0; i < layout->field_count; i++) {
        if (i > 0 && !take_text(source, ",")) return false;
        if (!take_field(source, layout->fields[i].type, item + layout->fields[i].offset)) return false;
    }
    return ends_fields(source) && layout->is_plausible(item);
}

static bool take_column_names(const toc_pair_layout *layout, toc_source *source) {
    for (size_t i = 0; i < layout->field_count; i++)
        if ((i > 0 && !take_text(source, ",")) || !take_text(source, layout->fields[i].name)) return false;
    return ends_fields(source);
}

toc_status toc_pairs_read_csv(const toc_pair_layout *layout, toc_source *source, toc_read_items *items) {
    if (!take_column_names(layout, source))
        return toc_source_fail(source, "these are not the columns of %s; the file may be truncated", layout->what);
    while (toc_source_next_line(source)) {
        char *item = NULL;
        TOC_TRY(toc_items_add(source, layout->item_size, items, &item));
        if (!take_row(layout, source, item))
            return toc_source_fail(source, "this is no row of %s, or not all of it; the file may be truncated",
                                   layout->what);
    }
    return TOC_OK;
}
