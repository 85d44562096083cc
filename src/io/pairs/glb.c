// SPDX-License-Identifier: Apache-2.0
// Read contacts from a .glb of this library: the arrays that its extras name. One array is in memory at a time.
#include "io/gltf/document.h"
#include "io/pairs/items.h"

typedef struct glb_records {
    toc_gltf file;
    toc_json_id about;
    const char *bytes;
    size_t size;
    uint64_t skip; // contacts of the steps before the wanted one
} glb_records;

// Of a sequence, the contacts of a step follow those of the steps before it.
static toc_status find_step(glb_records *r, const uint64_t *step, uint64_t *count) {
    const toc_json *json = &r->file.json;
    const toc_json_id steps = toc_json_member(json, r->about, "steps");
    toc_json_id id = toc_json_first(json, steps);
    TOC_TRY(toc_items_check_steps(json->source, steps != TOC_JSON_NONE, step));
    for (uint64_t i = 0; step && id != TOC_JSON_NONE; id = toc_json_next(json, steps, id), i++) {
        uint64_t own;
        TOC_TRY(toc_json_as_count(json, id, "steps", &own));
        if (own > *count - r->skip) return toc_json_fail(json, id, "more contacts than there are");
        if (i == *step) return *count = own, TOC_OK;
        r->skip += own;
    }
    if (step) *count = 0;
    return TOC_OK;
}

static toc_status open_records(const toc_answer_type *type, toc_source *source, const uint64_t *step, glb_records *r,
                               toc_items *items) {
    toc_json *json = &r->file.json;
    uint64_t count;
    size_t stride;
    toc_json_id view;
    TOC_TRY(toc_gltf_open(source, &r->file));
    r->about = toc_json_member(json, toc_json_member(json, 0, "extras"), type->name);
    if (r->about == TOC_JSON_NONE || toc_json_kind_of(json, r->about) != TOC_JSON_OBJECT)
        return toc_json_fail(json, 0, "this file has no %s", type->name);
    TOC_TRY(toc_json_count(json, r->about, "count", 0, &count));
    TOC_TRY(find_step(r, step, &count));
    source->at = source->begin;
    TOC_TRY(toc_items_reserve(type, source, count, items));
    if (count == 0) return TOC_OK;
    TOC_TRY(toc_gltf_follow(&r->file, r->about, "bufferView", &r->file.views, &view));
    if (view == TOC_JSON_NONE) return toc_json_fail(json, r->about, "these %s have no numbers", type->name);
    return toc_gltf_view(&r->file, view, &r->bytes, &r->size, &stride);
}

static toc_json_id find_record(const glb_records *r, const char *name) {
    const toc_json *json = &r->file.json;
    const toc_json_id all = toc_json_member(json, r->about, "arrays");
    for (toc_json_id id = toc_json_first(json, all); id != TOC_JSON_NONE; id = toc_json_next(json, all, id)) {
        const toc_json_id own = toc_json_member(json, id, "name");
        if (own != TOC_JSON_NONE && toc_json_kind_of(json, own) == TOC_JSON_STRING && toc_json_is(json, own, name))
            return id;
    }
    return TOC_JSON_NONE;
}

static toc_status read_record(const toc_answer_type *type, const glb_records *r, const toc_column *array,
                              toc_items *items) {
    const toc_json *json = &r->file.json;
    const toc_json_id id = find_record(r, array->name);
    if (id == TOC_JSON_NONE) return toc_json_fail(json, r->about, "the array \"%s\" is missing", array->name);
    const size_t count = items->count / type->order.item_size * array->count;
    const size_t bytes = count * toc_number_size(toc_column_number(array));
    uint64_t offset;
    TOC_TRY(toc_json_count(json, id, "byteOffset", 0, &offset));
    offset += r->skip * array->count * toc_number_size(toc_column_number(array));
    if (offset > r->size || bytes > r->size - offset)
        return toc_json_fail(json, id, "this array is to have %zu bytes, and ends before", bytes);
    const toc_numbers numbers = {.type = toc_column_number(array), .count = count, .bytes = r->bytes + offset};
    return toc_items_scatter(type, json->source, array, &numbers, items);
}

toc_status toc_pairs_read_glb(const toc_answer_type *type, toc_source *source, const uint64_t *step, toc_items *items) {
    glb_records records = {.about = TOC_JSON_NONE};
    const toc_column *arrays[TOC_MOST_ARRAYS];
    const size_t array_count = toc_answer_list_arrays(type, arrays);
    toc_status status = open_records(type, source, step, &records, items);
    for (size_t i = 0; i < array_count && status == TOC_OK && items->count > 0; i++)
        status = read_record(type, &records, arrays[i], items);
    toc_gltf_free(&records.file);
    return status == TOC_OK ? toc_items_check(type, source, items) : status;
}
