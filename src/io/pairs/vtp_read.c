// SPDX-License-Identifier: Apache-2.0
// Read contacts and near pairs from a VTP of this library. Beside the items, one array is in memory at a time.
#include <stdio.h>
#include <string.h>

#include "io/pairs/layout.h"
#include "io/vtk/payload.h"

static const char *number_name(const toc_pair_column *array) {
    return array->type == TOC_FIELD_REAL ? "Float64" : array->type == TOC_FIELD_ID ? "UInt32" : "UInt8";
}

// The bytes behind a text; NULL if the file does not have it.
static const char *find_behind(const toc_source *source, const char *text) {
    const size_t length = strlen(text);
    const char *at = memmem(source->begin, (size_t)(source->end - source->begin), text, length);
    return at ? at + length : NULL;
}

// The tags are those of toc_points_write, letter by letter.
static toc_status open_vtp_array(toc_source *source, const toc_pair_column *array, toc_payload *out) {
    char tag[128];
    snprintf(tag, sizeof tag, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%zu\" format=\"binary\">",
             number_name(array), array->name, array->components);
    out->at = find_behind(source, tag);
    source->at = out->at ? out->at : source->end;
    out->end = out->at ? memchr(out->at, '<', toc_source_left(source)) : NULL;
    if (out->end) return TOC_OK;
    return toc_source_fail(source, "the array \"%s\" is missing or truncated", array->name);
}

static toc_status read_vtp_array(const toc_pair_layout *layout, toc_source *source, bool big_endian,
                                 const toc_pair_column *array, toc_read_items *items) {
    toc_payload payload = {.base64 = true, .big_endian = big_endian, .wide_heads = true};
    toc_numbers numbers;
    TOC_TRY(open_vtp_array(source, array, &payload));
    toc_status status = toc_payload_decode(&payload, &source->allocator, toc_column_number(array),
                                           items->count / layout->item_size * array->components, &numbers);
    if (status == TOC_BAD_INPUT) return toc_source_fail(source, "%s", toc_message_get());
    TOC_TRY(status);
    status = toc_column_scatter(layout, source, array, &numbers, items);
    toc_numbers_free(&source->allocator, &numbers);
    return status;
}

toc_status toc_pairs_read_vtp(const toc_pair_layout *layout, toc_source *source, toc_read_items *items) {
    const char *piece = find_behind(source, "<Piece NumberOfPoints=\"");
    const bool big_endian = find_behind(source, " byte_order=\"BigEndian\" header_type=\"UInt64\">");
    int64_t count;
    source->at = piece ? piece : source->end;
    if (!piece || (!big_endian && !find_behind(source, " byte_order=\"LittleEndian\" header_type=\"UInt64\">")) ||
        !toc_source_digits(source, &count) || count < 0)
        return toc_source_fail(source, "this is not a .vtp of %s, or it is truncated", layout->what);
    source->at = source->begin;
    TOC_TRY(toc_items_reserve(layout, source, (uint64_t)count, items));
    for (size_t i = 0; i < layout->array_count; i++)
        TOC_TRY(read_vtp_array(layout, source, big_endian, &layout->arrays[i], items));
    return toc_items_check(layout, source, items);
}
