// SPDX-License-Identifier: Apache-2.0
// Passes over the items of a table, and its arrays.
#include "io/pairs/table.h"

#include <assert.h>
#include <string.h>

// ---- passes

static toc_status pass_source(const toc_table *table, bool needs_places,
                              toc_status (*call)(void *user, const toc_table *part), void *user) {
    const toc_contact_source *source = table->source;
    const bool placed = source->has_places && needs_places;
    for (size_t first = 0; first < table->count;) {
        toc_table part = {.type = table->type};
        const toc_contact *contacts = NULL;
        TOC_TRY(source->get(source->user, first, &contacts, placed ? &part.places : NULL, &part.count));
        if (!contacts || part.count == 0 || part.count > table->count - first || (placed && !part.places))
            return toc_fail(TOC_BAD_INPUT, "the source of the contacts gives %zu of them from number %zu of %zu on",
                            contacts ? part.count : 0, first, table->count);
        part.items = contacts;
        TOC_TRY(call(user, &part));
        first += part.count;
    }
    return TOC_OK;
}

toc_status toc_table_pass(const toc_table *table, bool needs_places,
                          toc_status (*call)(void *user, const toc_table *part), void *user) {
    assert(call);
    return table->source ? pass_source(table, needs_places, call, user) : call(user, table);
}

// ---- arrays

void toc_place_columns(const toc_answer_type *type, toc_column out[TOC_PLACE_COLUMNS]) {
    enum { NODES = 3 };
#define AT(member) offsetof(toc_place, member)
    static const toc_column columns[TOC_PLACE_COLUMNS] = {
        {{"time"}, "time", TOC_COLUMN_REAL, 1, AT(time), 1},
        {{"element0", "element1"}, "elements", TOC_COLUMN_ID, 2, AT(element), 2},
        {{"eid0", "eid1"}, "element_labels", TOC_COLUMN_INT64, 2, AT(element_label), 3},
        [NODES] = {{"nid0", "nid1", "nid2", "nid3", "nid4", "nid5"},
                   "vertex_labels",
                   TOC_COLUMN_INT64,
                   6,
                   AT(vertex_label),
                   4},
        {{"pid0", "pid1"}, "parts", TOC_COLUMN_INT32, 2, AT(part), 5},
        {{"part0", "part1"}, NULL, TOC_COLUMN_TEXT, 2, AT(part_name), 0},
    };
#undef AT
    memcpy(out, columns, sizeof columns);
    out[NODES].count = toc_answer_count_corners(type);
    assert(out[NODES].count <= TOC_COLUMN_MOST);
}

size_t toc_table_arrays(const toc_table *table, toc_table_array out[TOC_MOST_ARRAYS]) {
    const toc_column *arrays[TOC_MOST_ARRAYS];
    toc_column places[TOC_PLACE_COLUMNS];
    size_t count = toc_answer_list_arrays(table->type, arrays);
    for (size_t i = 0; i < count; i++) out[i] = (toc_table_array){*arrays[i], false};
    toc_place_columns(table->type, places);
    for (int i = 0; i < TOC_PLACE_COLUMNS && toc_table_has_places(table); i++) {
        assert(count < TOC_MOST_ARRAYS);
        if (places[i].array) out[count++] = (toc_table_array){places[i], true};
    }
    return count;
}

void toc_table_write(const toc_table *table, const toc_table_array *array, size_t i, toc_sink *sink) {
    toc_column_write(&array->column, array->of_places ? &table->places[i] : toc_table_item(table, i), sink);
}
