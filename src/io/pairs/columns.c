// SPDX-License-Identifier: Apache-2.0
// Columns of items. Numbers keep their bits.
#include "io/pairs/columns.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "toccata/pair.h"

// ---- arrays

toc_number toc_column_number(const toc_column *column) {
    switch (column->type) {
    case TOC_COLUMN_KIND:
    case TOC_COLUMN_VERDICT:
        return TOC_UINT8;
    case TOC_COLUMN_ID:
    case TOC_COLUMN_VERTEX:
    case TOC_COLUMN_FACES:
        return TOC_UINT32;
    case TOC_COLUMN_REAL:
    case TOC_COLUMN_LENGTH:
    case TOC_COLUMN_TIME:
        return TOC_FLOAT64;
    case TOC_COLUMN_INT32:
        return TOC_INT32;
    case TOC_COLUMN_INT64:
        return TOC_INT64;
    case TOC_COLUMN_HAS_FACE:
    case TOC_COLUMN_TEXT:
        break; // of texts only
    }
    assert(!column->name);
    return TOC_NUMBER_NONE;
}

const char *toc_column_number_name(const toc_column *column) {
    static const char *const names[] = {[TOC_UINT8] = "UInt8",
                                        [TOC_UINT32] = "UInt32",
                                        [TOC_INT32] = "Int32",
                                        [TOC_INT64] = "Int64",
                                        [TOC_FLOAT64] = "Float64"};
    return names[toc_column_number(column)];
}

void toc_column_write(const toc_column *column, const void *item, toc_sink *sink) {
    if (toc_column_has_words(column->type))
        toc_sink_write(sink, &(uint8_t){(uint8_t)toc_column_get_word(column, item)}, 1);
    else
        toc_sink_write(sink, (const char *)item + column->offset, toc_column_bytes(column));
}

size_t toc_answer_list_arrays(const toc_answer_type *type, const toc_column *arrays[TOC_MOST_ARRAYS]) {
    size_t count = 0;
    for (int place = 1; place <= TOC_MOST_ARRAYS; place++)
        for (size_t i = 0; i < type->column_count; i++)
            if (type->columns[i].array == place) arrays[count++] = &type->columns[i];
    return count;
}

// ---- words

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))
static const char *const kind_words[] = {[TOC_VF] = "vf", [TOC_EE] = "ee"};
static const char *const verdict_words[] = {[TOC_HIT] = "hit", [TOC_UNDECIDED] = "undecided"};

const char *const *toc_column_words(toc_column_type type, int *count) {
    *count = type == TOC_COLUMN_KIND ? (int)COUNT_OF(kind_words) : (int)COUNT_OF(verdict_words);
    return type == TOC_COLUMN_KIND ? kind_words : verdict_words;
}

void toc_column_put_word(char *at, toc_column_type type, int word) {
    assert(word >= 0);
    const toc_kind kind = word == TOC_VF ? TOC_VF : TOC_EE;
    const toc_verdict verdict = word == TOC_HIT ? TOC_HIT : TOC_UNDECIDED;
    if (type == TOC_COLUMN_KIND)
        memcpy(at, &kind, sizeof kind);
    else
        memcpy(at, &verdict, sizeof verdict);
}

int toc_column_get_word(const toc_column *column, const void *item) {
    toc_kind kind;
    toc_verdict verdict;
    memcpy(&kind, (const char *)item + column->offset, sizeof kind);
    memcpy(&verdict, (const char *)item + column->offset, sizeof verdict);
    return column->type == TOC_COLUMN_KIND ? (int)kind : (int)verdict;
}

// ---- ranges

static bool is_in_range(toc_column_type type, double x) {
    if (type == TOC_COLUMN_TIME) return x >= 0 && x <= 1;
    return isfinite(x) && (type != TOC_COLUMN_LENGTH || x >= 0);
}

bool toc_item_is_plausible(const toc_answer_type *type, const void *item) {
    for (size_t i = 0; i < type->column_count; i++) {
        const toc_column *column = &type->columns[i];
        double x[TOC_COLUMN_MOST];
        if (toc_column_number(column) != TOC_FLOAT64) continue;
        memcpy(x, (const char *)item + column->offset, toc_column_bytes(column));
        for (size_t k = 0; k < column->count; k++)
            if (!is_in_range(column->type, x[k])) return false;
    }
    return true;
}

size_t toc_answer_count_corners(const toc_answer_type *type) {
    size_t count = 0;
    for (size_t i = 0; i < type->column_count; i++)
        if (type->columns[i].type == TOC_COLUMN_VERTEX || type->columns[i].type == TOC_COLUMN_FACES)
            count += type->columns[i].count;
    return count;
}
