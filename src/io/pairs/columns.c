// SPDX-License-Identifier: Apache-2.0
// Items from arrays of numbers, one array after the other. Every number is checked. O(items).
#include <assert.h>
#include <string.h>

#include "io/pairs/layout.h"

toc_status toc_items_add(const toc_source *source, size_t bytes, toc_read_items *items, char **out) {
    TOC_TRY(toc_array_reserve(&source->allocator, items, bytes));
    if (bytes == 0) return TOC_OK; // there may be no memory yet
    *out = items->at + items->count;
    memset(*out, 0, bytes);
    items->count += bytes;
    return TOC_OK;
}

toc_number toc_column_number(const toc_pair_column *array) {
    return array->type == TOC_FIELD_REAL ? TOC_FLOAT64 : array->type == TOC_FIELD_ID ? TOC_UINT32 : TOC_UINT8;
}

// @return false for an unknown word.
static bool put_integers(const toc_pair_column *array, const toc_numbers *numbers, size_t i, char *to) {
    int64_t x[4];
    int count;
    assert(array->components <= 4);
    toc_numbers_as_integers(numbers, array->components * i, array->components, x);
    for (size_t k = 0; k < array->components && array->type == TOC_FIELD_ID; k++)
        memcpy(to + k * sizeof(uint32_t), &(uint32_t){(uint32_t)x[k]}, sizeof(uint32_t));
    if (array->type == TOC_FIELD_ID) return true;
    const char *const *words = toc_field_words(array->type, &count);
    if (x[0] < 0 || x[0] >= count || !words[x[0]]) return false;
    toc_field_put_word(to, array->type, (int)x[0]);
    return true;
}

toc_status toc_column_scatter(const toc_pair_layout *layout, const toc_source *source, const toc_pair_column *array,
                              const toc_numbers *numbers, toc_read_items *items) {
    const size_t count = items->count / layout->item_size;
    for (size_t i = 0; i < count; i++) {
        char *to = items->at + i * layout->item_size + array->offset;
        double x[4];
        if (array->type == TOC_FIELD_REAL) {
            toc_numbers_as_doubles(numbers, array->components * i, array->components, x);
            memcpy(to, x, array->components * sizeof *x);
        } else if (!put_integers(array, numbers, i, to)) {
            return toc_fail(TOC_BAD_INPUT, "%s: number %zu of the %s has an unknown %s", source->path, i, layout->what,
                            array->name);
        }
    }
    return TOC_OK;
}

toc_status toc_items_reserve(const toc_pair_layout *layout, const toc_source *source, uint64_t count,
                             toc_read_items *items) {
    size_t least = 0;
    char *unused = NULL;
    for (size_t i = 0; i < layout->array_count; i++)
        least += layout->arrays[i].components * toc_number_size(toc_column_number(&layout->arrays[i]));
    TOC_TRY(toc_source_check_count(source, count, least, layout->what));
    return toc_items_add(source, (size_t)count * layout->item_size, items, &unused);
}

toc_status toc_items_check(const toc_pair_layout *layout, const toc_source *source, const toc_read_items *items) {
    for (size_t at = 0; at < items->count; at += layout->item_size)
        if (!layout->is_plausible(items->at + at))
            return toc_fail(TOC_BAD_INPUT, "%s: number %zu of the %s has a number out of its range", source->path,
                            at / layout->item_size, layout->what);
    return TOC_OK;
}
