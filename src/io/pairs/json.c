// SPDX-License-Identifier: Apache-2.0
// Read contacts and near pairs from JSON lines of this library: an object a line.
#include "io/core/json.h"

#include <string.h>

#include "io/pairs/items.h"

static toc_status json_field(const toc_json *json, const toc_column *field, size_t k, char *to) {
    const char *name = field->fields[k];
    const toc_json_id id = toc_json_member(json, 0, name);
    double real;
    uint64_t integer;
    if (id == TOC_JSON_NONE) return toc_json_fail(json, 0, "\"%s\" is missing", name);
    if (toc_column_number(field) == TOC_FLOAT64) {
        TOC_TRY(toc_json_as_number(json, id, name, &real));
        memcpy(to, &real, sizeof real);
        return TOC_OK;
    }
    if (toc_column_has_ids(field->type)) {
        TOC_TRY(toc_json_as_count(json, id, name, &integer));
        if (integer > UINT32_MAX) return toc_json_fail(json, id, "\"%s\" has more than 32 bits", name);
        memcpy(to, &(uint32_t){(uint32_t)integer}, sizeof(uint32_t));
        return TOC_OK;
    }
    int count;
    const char *const *words = toc_column_words(field->type, &count);
    for (int i = 0; i < count && toc_json_kind_of(json, id) == TOC_JSON_STRING; i++) {
        if (!words[i] || !toc_json_is(json, id, words[i])) continue;
        toc_column_put_word(to, field->type, i);
        return TOC_OK;
    }
    return toc_json_fail(json, id, "an unknown \"%s\"", name);
}

static toc_status json_item(const toc_answer_type *type, const toc_json *json, char *item) {
    if (toc_json_kind_of(json, 0) != TOC_JSON_OBJECT) return toc_json_fail(json, 0, "an object was expected here");
    for (size_t i = 0; i < type->column_count; i++)
        for (size_t k = 0; k < type->columns[i].count; k++)
            TOC_TRY(json_field(json, &type->columns[i], k, item + toc_column_place(&type->columns[i], k)));
    return toc_item_is_plausible(type, item) ? TOC_OK : toc_json_fail(json, 0, "a number is out of its range");
}

// Whether the row is of the step that the caller names.
static toc_status check_row_step(toc_source *source, const toc_json *json, const uint64_t *step, bool *wanted) {
    const toc_json_id id = toc_json_member(json, 0, "step");
    uint64_t own;
    *wanted = true;
    TOC_TRY(toc_items_check_steps(source, id != TOC_JSON_NONE, step));
    if (!step) return TOC_OK;
    TOC_TRY(toc_json_as_count(json, id, "step", &own));
    *wanted = own == *step;
    return TOC_OK;
}

static toc_status add_row(const toc_answer_type *type, toc_source *source, const toc_json *json, const uint64_t *step,
                          toc_items *items) {
    char *item = NULL;
    bool wanted;
    TOC_TRY(check_row_step(source, json, step, &wanted));
    if (!wanted) return TOC_OK;
    TOC_TRY(toc_items_add(source, type->order.item_size, items, &item));
    return json_item(type, json, item);
}

static toc_status read_json_row(const toc_answer_type *type, toc_source *source, const uint64_t *step,
                                toc_items *items) {
    toc_json json = {.source = source};
    const char *end = memchr(source->at, '\n', toc_source_left(source));
    toc_status status = toc_json_parse(source, source->at, end ? end : source->end, false, &json);
    if (status == TOC_OK) status = add_row(type, source, &json, step, items);
    toc_json_free(&json);
    if (status == TOC_OK) source->at = end ? end + 1 : source->end;
    return status;
}

toc_status toc_pairs_read_json(const toc_answer_type *type, toc_source *source, const uint64_t *step,
                               toc_items *items) {
    while (toc_source_skip_space(source)) TOC_TRY(read_json_row(type, source, step, items));
    return TOC_OK;
}
