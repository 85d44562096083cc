// SPDX-License-Identifier: Apache-2.0
// Items from arrays of numbers, one array after the other. Every number is checked. O(items).
#include "io/pairs/items.h"

#include <assert.h>
#include <string.h>

toc_status toc_items_add(const toc_source *source, size_t bytes, toc_items *items, char **out) {
    TOC_TRY(toc_array_reserve(&source->allocator, items, bytes));
    if (bytes == 0) return TOC_OK; // there may be no memory yet
    *out = items->at + items->count;
    memset(*out, 0, bytes);
    items->count += bytes;
    return TOC_OK;
}

// @return false for an unknown word.
static bool put_integers(const toc_column *array, const toc_numbers *numbers, size_t i, char *to) {
    int64_t x[TOC_COLUMN_MOST];
    int count;
    assert(array->count <= TOC_COLUMN_MOST);
    toc_numbers_as_integers(numbers, array->count * i, array->count, x);
    for (size_t k = 0; k < array->count && toc_column_has_ids(array->type); k++)
        memcpy(to + k * sizeof(uint32_t), &(uint32_t){(uint32_t)x[k]}, sizeof(uint32_t));
    if (toc_column_has_ids(array->type)) return true;
    const char *const *words = toc_column_words(array->type, &count);
    if (x[0] < 0 || x[0] >= count || !words[x[0]]) return false;
    toc_column_put_word(to, array->type, (int)x[0]);
    return true;
}

toc_status toc_items_scatter(const toc_answer_type *type, const toc_source *source, const toc_column *array,
                             const toc_numbers *numbers, toc_items *items) {
    const size_t size = type->order.item_size, count = items->count / size;
    for (size_t i = 0; i < count; i++) {
        char *to = items->at + i * size + array->offset;
        double x[TOC_COLUMN_MOST];
        if (toc_column_number(array) == TOC_FLOAT64) {
            toc_numbers_as_doubles(numbers, array->count * i, array->count, x);
            memcpy(to, x, array->count * sizeof *x);
        } else if (!put_integers(array, numbers, i, to)) {
            return toc_fail(TOC_BAD_INPUT, "%s: number %zu of the %s has an unknown %s", source->path, i, type->name,
                            array->name);
        }
    }
    return TOC_OK;
}

toc_status toc_items_reserve(const toc_answer_type *type, const toc_source *source, uint64_t count, toc_items *items) {
    size_t least = 0;
    char *unused = NULL;
    for (size_t i = 0; i < type->column_count; i++)
        if (type->columns[i].array) least += toc_column_bytes(&type->columns[i]);
    TOC_TRY(toc_source_check_count(source, count, least, type->name));
    return toc_items_add(source, (size_t)count * type->order.item_size, items, &unused);
}

toc_status toc_items_check(const toc_answer_type *type, const toc_source *source, const toc_items *items) {
    const size_t size = type->order.item_size;
    for (size_t at = 0; at < items->count; at += size)
        if (!toc_item_is_plausible(type, items->at + at))
            return toc_fail(TOC_BAD_INPUT, "%s: number %zu of the %s has a number out of its range", source->path,
                            at / size, type->name);
    return TOC_OK;
}

toc_status toc_items_check_steps(toc_source *source, bool has_steps, const uint64_t *step) {
    if (has_steps && !step)
        return toc_source_fail(source, "this is the table of a sequence, with a column `step`; name one of its steps "
                                       "(toc_read_options.step)");
    if (!has_steps && step)
        return toc_source_fail(source, "there is no column `step`, so no step %llu", (unsigned long long)*step);
    return TOC_OK;
}
