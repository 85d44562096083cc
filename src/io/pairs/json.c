// SPDX-License-Identifier: Apache-2.0
// Read contacts and near pairs from JSON lines of this library: an object a line.
#include "io/core/json.h"

#include <string.h>

#include "io/pairs/layout.h"

static toc_status json_field(const toc_json *json, const toc_pair_field *field, char *to) {
    const toc_json_id id = toc_json_member(json, 0, field->name);
    double real;
    uint64_t integer;
    if (id == TOC_JSON_NONE) return toc_json_fail(json, 0, "\"%s\" is missing", field->name);
    if (field->type == TOC_FIELD_REAL) {
        TOC_TRY(toc_json_as_number(json, id, field->name, &real));
        memcpy(to, &real, sizeof real);
        return TOC_OK;
    }
    if (field->type == TOC_FIELD_ID) {
        TOC_TRY(toc_json_as_count(json, id, field->name, &integer));
        if (integer > UINT32_MAX) return toc_json_fail(json, id, "\"%s\" has more than 32 bits", field->name);
        memcpy(to, &(uint32_t){(uint32_t)integer}, sizeof(uint32_t));
        return TOC_OK;
    }
    int count;
    const char *const *words = toc_field_words(field->type, &count);
    for (int i = 0; i < count && toc_json_kind_of(json, id) == TOC_JSON_STRING; i++) {
        if (!words[i] || !toc_json_is(json, id, words[i])) continue;
        toc_field_put_word(to, field->type, i);
        return TOC_OK;
    }
    return toc_json_fail(json, id, "an unknown \"%s\"", field->name);
}

static toc_status json_item(const toc_pair_layout *layout, const toc_json *json, char *item) {
    if (toc_json_kind_of(json, 0) != TOC_JSON_OBJECT) return toc_json_fail(json, 0, "an object was expected here");
    for (size_t i = 0; i < layout->field_count; i++)
        TOC_TRY(json_field(json, &layout->fields[i], item + layout->fields[i].offset));
    return layout->is_plausible(item) ? TOC_OK : toc_json_fail(json, 0, "a number is out of its range");
}

static toc_status read_json_row(const toc_pair_layout *layout, toc_source *source, toc_read_items *items) {
    toc_json json = {.source = source};
    const char *end = memchr(source->at, '\n', toc_source_left(source));
    char *item = NULL;
    TOC_TRY(toc_items_add(source, layout->item_size, items, &item));
    toc_status status = toc_json_parse(source, source->at, end ? end : source->end, false, &json);
    if (status == TOC_OK) status = json_item(layout, &json, item);
    toc_json_free(&json);
    if (status == TOC_OK) source->at = end ? end + 1 : source->end;
    return status;
}

toc_status toc_pairs_read_json(const toc_pair_layout *layout, toc_source *source, toc_read_items *items) {
    while (toc_source_skip_space(source)) TOC_TRY(read_json_row(layout, source, items));
    return TOC_OK;
}
