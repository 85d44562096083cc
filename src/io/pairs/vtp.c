// SPDX-License-Identifier: Apache-2.0
// Write a table as a VTP: each item is a point and a cell of its own. One pass over the items for each array; beside
// the sink, only the list of parts takes memory.
#include <assert.h>
#include <string.h>

#include "io/pairs/table.h"
#include "io/vtk/data_array.h"

// ---- names of parts

// A part with a name; parts of two files may have one number.
typedef struct named_part {
    int32_t part;
    const char *name;
} named_part;

typedef struct named_parts {
    toc_allocator allocator;
    TOC_ARRAY(named_part) list; // ascending
} named_parts;

static bool part_is_before(named_part a, named_part b) {
    return a.part != b.part ? a.part < b.part : strcmp(a.name, b.name) < 0;
}

static toc_status add_named_part(named_parts *parts, named_part one) {
    size_t low = 0, high = parts->list.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (part_is_before(parts->list.at[middle], one))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < parts->list.count && !part_is_before(one, parts->list.at[low])) return TOC_OK;
    TOC_TRY(toc_array_reserve(&parts->allocator, &parts->list, 1));
    memmove(parts->list.at + low + 1, parts->list.at + low, (parts->list.count - low) * sizeof one);
    parts->list.at[low] = one;
    parts->list.count++;
    return TOC_OK;
}

static toc_status collect_parts(void *user, const toc_table *table) {
    named_parts *parts = user;
    for (size_t i = 0; i < table->count && table->places; i++) {
        const toc_place *p = &table->places[i];
        for (int k = 0; k < 2; k++)
            TOC_TRY(add_named_part(parts, (named_part){p->part[k], p->part_name[k] ? p->part_name[k] : ""}));
    }
    return TOC_OK;
}

static void write_part_names(toc_sink *sink, const named_parts *parts) {
    if (parts->list.count == 0) return;
    toc_sink_text(sink, "<FieldData>\n");
    toc_field_integers_begin(sink, "part_ids", parts->list.count);
    for (size_t i = 0; i < parts->list.count; i++) toc_field_integers_add(sink, parts->list.at[i].part);
    toc_field_integers_end(sink);
    toc_field_names_begin(sink, "part_names", parts->list.count);
    for (size_t i = 0; i < parts->list.count; i++) toc_field_names_add(sink, parts->list.at[i].name);
    toc_field_names_end(sink);
    toc_sink_text(sink, "</FieldData>\n");
}

// ---- the file

typedef struct array_pass {
    toc_sink *sink;
    const toc_table_array *array;
} array_pass;

static toc_status put_array_items(void *user, const toc_table *table) {
    const array_pass *pass = user;
    for (size_t i = 0; i < table->count; i++) toc_table_write(table, pass->array, i, pass->sink);
    return TOC_OK;
}

static toc_status write_points_array(toc_sink *sink, const toc_table_array *array, const toc_table *table) {
    const toc_column *column = &array->column;
    array_pass pass = {sink, array};
    toc_data_array_begin(sink, toc_column_number_name(column), column->name, (int)column->count,
                         toc_column_bytes(column) * table->count);
    TOC_TRY(toc_table_pass(table, array->of_places, put_array_items, &pass));
    toc_data_array_end(sink);
    return TOC_OK;
}

/// first, first + 1, ...: the connectivity and the offsets of cells of one point each.
static void write_count(toc_sink *sink, const char *name, int64_t first, size_t count) {
    toc_data_array_begin(sink, "Int64", name, 1, sizeof first * count);
    for (size_t i = 0; i < count; i++, first++) toc_sink_write(sink, &first, sizeof first);
    toc_data_array_end(sink);
}

static toc_status write_piece(toc_sink *sink, const toc_table *table) {
    const size_t count = table->count;
    toc_table_array arrays[TOC_MOST_ARRAYS];
    const size_t array_count = toc_table_arrays(table, arrays);
    assert(array_count >= 2 && strcmp(arrays[0].column.name, "Points") == 0);
    toc_sink_print(sink, "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\"", count, count);
    toc_sink_text(sink, " NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n");
    toc_sink_print(sink, "<PointData Scalars=\"%s\" Normals=\"normal\">\n", arrays[1].column.name);
    for (size_t i = 1; i < array_count; i++) TOC_TRY(write_points_array(sink, &arrays[i], table));
    toc_sink_text(sink, "</PointData>\n<Points>\n");
    TOC_TRY(write_points_array(sink, &arrays[0], table));
    toc_sink_text(sink, "</Points>\n<Verts>\n");
    write_count(sink, "connectivity", 0, count);
    write_count(sink, "offsets", 1, count);
    toc_sink_text(sink, "</Verts>\n</Piece>\n</PolyData>\n");
    return TOC_OK;
}

toc_status toc_table_write_vtp(const toc_table *table, toc_sink *sink) {
    named_parts parts = {.allocator = *toc_sink_allocator(sink)};
    const toc_status status = toc_table_has_places(table) ? toc_table_pass(table, true, collect_parts, &parts) : TOC_OK;
    toc_data_file_begin(sink, "PolyData");
    toc_sink_text(sink, "<PolyData>\n");
    write_part_names(sink, &parts);
    toc_array_free(&parts.allocator, &parts.list);
    TOC_TRY(status);
    TOC_TRY(write_piece(sink, table));
    toc_data_file_end(sink);
    return TOC_OK;
}

// ---- the index of several files

static void write_piece_array(toc_sink *sink, const toc_column *column) {
    toc_sink_print(sink, "<PDataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%zu\"/>\n",
                   toc_column_number_name(column), column->name, column->count);
}

void toc_table_write_pvtp(const toc_table *table, size_t piece_count, const char *const *pieces, toc_sink *sink) {
    assert(piece_count > 0 && pieces);
    toc_table_array arrays[TOC_MOST_ARRAYS];
    const size_t array_count = toc_table_arrays(table, arrays);
    toc_data_file_begin(sink, "PPolyData");
    toc_sink_text(sink, "<PPolyData GhostLevel=\"0\">\n");
    toc_sink_print(sink, "<PPointData Scalars=\"%s\" Normals=\"normal\">\n", arrays[1].column.name);
    for (size_t i = 1; i < array_count; i++) write_piece_array(sink, &arrays[i].column);
    toc_sink_text(sink, "</PPointData>\n<PPoints>\n");
    write_piece_array(sink, &arrays[0].column);
    toc_sink_text(sink, "</PPoints>\n");
    for (size_t i = 0; i < piece_count; i++) {
        toc_sink_text(sink, "<Piece Source=\"");
        toc_data_name_write(sink, pieces[i]);
        toc_sink_text(sink, "\"/>\n");
    }
    toc_sink_text(sink, "</PPolyData>\n");
    toc_data_file_end(sink);
}
