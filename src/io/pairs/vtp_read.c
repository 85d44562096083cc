// SPDX-License-Identifier: Apache-2.0
// Read contacts and near pairs from a VTP of this library. Beside the items, one array is in memory at a time.
#include <stdio.h>
#include <string.h>

#include "base/platform/platform.h"
#include "io/pairs/items.h"
#include "io/vtk/payload.h"

// The bytes behind a text; NULL if the file does not have it.
static const char *find_behind(const toc_source *source, const char *text) {
    const size_t length = strlen(text);
    const char *at = toc_bytes_find(source->begin, (size_t)(source->end - source->begin), text, length);
    return at ? at + length : NULL;
}

// The tags are those of toc_points_write, letter by letter.
static toc_status open_vtp_array(toc_source *source, const toc_column *array, toc_payload *out) {
    char tag[128];
    snprintf(tag, sizeof tag, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%zu\" format=\"binary\">",
             toc_column_number_name(array), array->name, array->count);
    out->at = find_behind(source, tag);
    source->at = out->at ? out->at : source->end;
    out->end = out->at ? memchr(out->at, '<', toc_source_left(source)) : NULL;
    if (out->end) return TOC_OK;
    return toc_source_fail(source, "the array \"%s\" is missing or truncated", array->name);
}

static toc_status read_vtp_array(const toc_answer_type *type, toc_source *source, bool big_endian,
                                 const toc_column *array, toc_items *items) {
    toc_payload payload = {.base64 = true, .big_endian = big_endian, .wide_heads = true};
    toc_numbers numbers;
    TOC_TRY(open_vtp_array(source, array, &payload));
    toc_status status = toc_payload_decode(&payload, &source->allocator, toc_column_number(array),
                                           items->count / type->order.item_size * array->count, &numbers);
    if (status == TOC_BAD_INPUT) return toc_source_fail(source, "%s", toc_message_get());
    TOC_TRY(status);
    status = toc_items_scatter(type, source, array, &numbers, items);
    toc_numbers_free(&source->allocator, &numbers);
    return status;
}

toc_status toc_pairs_read_vtp(const toc_answer_type *type, toc_source *source, const uint64_t *step, toc_items *items) {
    (void)step;
    const char *piece = find_behind(source, "<Piece NumberOfPoints=\"");
    const bool big_endian = find_behind(source, " byte_order=\"BigEndian\" header_type=\"UInt64\">");
    const toc_column *arrays[TOC_MOST_ARRAYS];
    const size_t array_count = toc_answer_list_arrays(type, arrays);
    int64_t count;
    source->at = piece ? piece : source->end;
    if (!piece || (!big_endian && !find_behind(source, " byte_order=\"LittleEndian\" header_type=\"UInt64\">")) ||
        !toc_source_digits(source, &count) || count < 0)
        return toc_source_fail(source, "this is not a .vtp of %s, or it is truncated", type->name);
    source->at = source->begin;
    TOC_TRY(toc_items_reserve(type, source, (uint64_t)count, items));
    for (size_t i = 0; i < array_count; i++) TOC_TRY(read_vtp_array(type, source, big_endian, arrays[i], items));
    return toc_items_check(type, source, items);
}
