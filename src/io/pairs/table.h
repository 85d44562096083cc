// SPDX-License-Identifier: Apache-2.0
// Items of an answer, and their places, as a table: passes over its rows, and its arrays for VTP and .glb.
#ifndef TOC_IO_PAIRS_TABLE_H
#define TOC_IO_PAIRS_TABLE_H

#include "io/pairs/columns.h"
#include "toccata/io.h"

typedef struct toc_table {
    const toc_answer_type *type;
    size_t count;
    const void *items;
    const toc_place *places;          // by item, or NULL
    const toc_contact_source *source; // set either `source`, or `items` and `places`
} toc_table;

static inline bool toc_table_has_places(const toc_table *table) {
    return table->places || (table->source && table->source->has_places);
}

static inline const void *toc_table_item(const toc_table *table, size_t i) {
    return (const char *)table->items + i * table->type->order.item_size;
}

/// Pass over all items: call with tables of items that are at hand, one after the other.
/// @param needs_places false if the call does without; a source need not find them then.
/// @return the first failure, of the source or of the call.
toc_status toc_table_pass(const toc_table *table, bool needs_places,
                          toc_status (*call)(void *user, const toc_table *part), void *user);

enum { TOC_PLACE_COLUMNS = 6 };
/// The columns of the places of a type: a place has as many numbers of nodes as an item has vertices.
void toc_place_columns(const toc_answer_type *type, toc_column out[TOC_PLACE_COLUMNS]);

/// An array of the table: a column of its items, or of their places.
typedef struct toc_table_array {
    toc_column column;
    bool of_places;
} toc_table_array;

/// The arrays of a table: the points, the others in their order, then those of places, if the table has any.
/// @return their number.
size_t toc_table_arrays(const toc_table *table, toc_table_array out[TOC_MOST_ARRAYS]);
/// Write the numbers of an item.
void toc_table_write(const toc_table *table, const toc_table_array *array, size_t i, toc_sink *sink);

/// Write a VTP: the points, the arrays, and those of the places if there are any: `time`, `elements`, `element_labels`,
/// `vertex_labels`, `parts`. Names of parts are in the field data: `part_ids` and `part_names`.
toc_status toc_table_write_vtp(const toc_table *table, toc_sink *sink);
/// Write a PVTP: the arrays of the table, and the names of pieces that have them.
void toc_table_write_pvtp(const toc_table *table, size_t piece_count, const char *const *pieces, toc_sink *sink);

#endif
