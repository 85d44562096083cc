// SPDX-License-Identifier: Apache-2.0
// VTP of points. One pass over the items for each array; beside the sink, only the list of parts takes memory.
#include "io/vtk/points.h"

#include <assert.h>
#include <string.h>

#include "io/core/format.h"

// ---- passes

static toc_status pass_source(const toc_point_table *table, toc_status (*call)(void *user, const toc_point_table *part),
                              void *user) {
    const toc_contact_source *source = table->source;
    for (size_t first = 0; first < table->count;) {
        toc_point_table part = {.corners = table->corners};
        const toc_contact *contacts = NULL;
        TOC_TRY(source->get(source->user, first, &contacts, &part.places, &part.count));
        if (!contacts || part.count == 0 || part.count > table->count - first || (source->has_places && !part.places))
            return toc_fail(TOC_BAD_INPUT, "the source of the contacts gives %zu of them from number %zu of %zu on",
                            contacts ? part.count : 0, first, table->count);
        part.items = contacts;
        if (!source->has_places) part.places = NULL;
        TOC_TRY(call(user, &part));
        first += part.count;
    }
    return TOC_OK;
}

toc_status toc_table_pass(const toc_point_table *table, toc_status (*call)(void *user, const toc_point_table *part),
                          void *user) {
    return table->source ? pass_source(table, call, user) : call(user, table);
}

// ---- arrays of places

static void put_time(toc_sink *sink, const toc_point_table *t, size_t i) {
    toc_sink_write(sink, &t->places[i].time, sizeof t->places[i].time);
}
static void put_elements(toc_sink *sink, const toc_point_table *t, size_t i) {
    toc_sink_write(sink, t->places[i].element, sizeof t->places[i].element);
}
static void put_element_labels(toc_sink *sink, const toc_point_table *t, size_t i) {
    toc_sink_write(sink, t->places[i].element_label, sizeof t->places[i].element_label);
}
static void put_vertex_labels(toc_sink *sink, const toc_point_table *t, size_t i) {
    toc_sink_write(sink, t->places[i].vertex_label, (size_t)t->corners * sizeof *t->places[i].vertex_label);
}
static void put_place_parts(toc_sink *sink, const toc_point_table *t, size_t i) {
    toc_sink_write(sink, t->places[i].part, sizeof t->places[i].part);
}

enum { PLACE_ARRAYS = 5, VERTEX_LABELS = 3 };

static const toc_point_array place_arrays[PLACE_ARRAYS] = {
    {"Float64", "time", 1, 8, put_time},
    {"UInt32", "elements", 2, 8, put_elements},
    {"Int64", "element_labels", 2, 16, put_element_labels},
    [VERTEX_LABELS] = {"Int64", "vertex_labels", 4, 32, put_vertex_labels},
    {"Int32", "parts", 2, 8, put_place_parts},
};

static toc_point_array place_array(const toc_point_table *table, int i) {
    toc_point_array array = place_arrays[i];
    if (i == VERTEX_LABELS) {
        array.components = table->corners;
        array.size = (size_t)table->corners * sizeof(int64_t);
    }
    return array;
}

size_t toc_place_arrays(const toc_point_table *table, size_t count, toc_point_array out[TOC_MOST_ARRAYS]) {
    for (int i = 0; i < PLACE_ARRAYS && toc_table_has_places(table); i++) {
        assert(count < TOC_MOST_ARRAYS);
        out[count++] = place_array(table, i);
    }
    return count;
}

// ---- field data

void toc_field_names_begin(toc_sink *sink, const char *name, size_t count) {
    toc_sink_print(sink, "<DataArray type=\"String\" Name=\"%s\" NumberOfTuples=\"%zu\" format=\"ascii\">\n", name,
                   count);
}

void toc_field_names_add(toc_sink *sink, const char *text) {
    for (; *text; text++) toc_sink_print(sink, "%u ", (unsigned char)*text);
    toc_sink_text(sink, "0\n");
}

void toc_field_names_end(toc_sink *sink) { toc_sink_text(sink, "</DataArray>\n"); }

void toc_field_integers_begin(toc_sink *sink, const char *name, size_t count) {
    toc_sink_print(sink, "<DataArray type=\"Int32\" Name=\"%s\" NumberOfTuples=\"%zu\" format=\"ascii\">\n", name,
                   count);
}

void toc_field_integers_add(toc_sink *sink, int64_t x) {
    toc_sink_integer(sink, x);
    toc_sink_text(sink, " ");
}

void toc_field_integers_end(toc_sink *sink) { toc_sink_text(sink, "\n</DataArray>\n"); }

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
    return a.part != b.part ? a.part < b.part : (uintptr_t)a.name < (uintptr_t)b.name;
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

static toc_status collect_parts(void *user, const toc_point_table *table) {
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
    const toc_point_array *array;
} array_pass;

static toc_status put_array_items(void *user, const toc_point_table *table) {
    const array_pass *pass = user;
    for (size_t i = 0; i < table->count; i++) pass->array->put(pass->sink, table, i);
    return TOC_OK;
}

static toc_status write_points_array(toc_sink *sink, const toc_point_array *array, const toc_point_table *table) {
    array_pass pass = {sink, array};
    toc_data_array_begin(sink, array->type, array->name, array->components, array->size * table->count);
    TOC_TRY(toc_table_pass(table, put_array_items, &pass));
    toc_data_array_end(sink);
    return TOC_OK;
}

/// first, first + 1, ...: the connectivity and the offsets of cells of one point each.
static void write_count(toc_sink *sink, const char *name, int64_t first, size_t count) {
    toc_data_array_begin(sink, "Int64", name, 1, sizeof first * count);
    for (size_t i = 0; i < count; i++, first++) toc_sink_write(sink, &first, sizeof first);
    toc_data_array_end(sink);
}

static toc_status write_piece(toc_sink *sink, const toc_point_table *table, const char *attributes,
                              const toc_point_array *points, size_t array_count, const toc_point_array *arrays) {
    const size_t count = table->count;
    toc_sink_print(sink, "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\"", count, count);
    toc_sink_text(sink, " NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n");
    toc_sink_print(sink, "<PointData %s>\n", attributes);
    for (size_t i = 0; i < array_count; i++) TOC_TRY(write_points_array(sink, &arrays[i], table));
    for (int i = 0; i < PLACE_ARRAYS && toc_table_has_places(table); i++) {
        const toc_point_array array = place_array(table, i);
        TOC_TRY(write_points_array(sink, &array, table));
    }
    toc_sink_text(sink, "</PointData>\n<Points>\n");
    TOC_TRY(write_points_array(sink, points, table));
    toc_sink_text(sink, "</Points>\n<Verts>\n");
    write_count(sink, "connectivity", 0, count);
    write_count(sink, "offsets", 1, count);
    toc_sink_text(sink, "</Verts>\n</Piece>\n</PolyData>\n");
    return TOC_OK;
}

toc_status toc_points_write(toc_sink *sink, const toc_point_table *table, const char *attributes,
                            const toc_point_array *points, size_t array_count, const toc_point_array *arrays) {
    named_parts parts = {.allocator = *toc_sink_allocator(sink)};
    const toc_status status = toc_table_has_places(table) ? toc_table_pass(table, collect_parts, &parts) : TOC_OK;
    toc_data_file_begin(sink, "PolyData");
    toc_sink_text(sink, "<PolyData>\n");
    write_part_names(sink, &parts);
    toc_array_free(&parts.allocator, &parts.list);
    TOC_TRY(status);
    TOC_TRY(write_piece(sink, table, attributes, points, array_count, arrays));
    toc_data_file_end(sink);
    return TOC_OK;
}
