// SPDX-License-Identifier: Apache-2.0
// Contacts, overlaps or near pairs as a table of points with arrays, for VTP and .glb.
#ifndef TOC_IO_PAIRS_TABLE_H
#define TOC_IO_PAIRS_TABLE_H

#include "io/core/sink.h"
#include "toccata/io.h"

/// The items that become points.
typedef struct toc_point_table {
    size_t count;
    const void *items;                // contacts or pairs
    const toc_place *places;          // by item, or NULL
    int corners;                      // numbers of nodes that a place has
    const toc_contact_source *source; // gives the items and places, which are NULL then; NULL where they are at hand
} toc_point_table;

static inline bool toc_table_has_places(const toc_point_table *table) {
    return table->places || (table->source && table->source->has_places);
}

/// Pass over all items: call with tables of items that are at hand, one after the other.
/// @param needs_places false if the call does without; a source need not find them then.
/// @return the first failure, of the source or of the call.
toc_status toc_table_pass(const toc_point_table *table, bool needs_places,
                          toc_status (*call)(void *user, const toc_point_table *part), void *user);

typedef struct toc_point_array {
    const char *type, *name;
    int components;
    size_t size; // bytes an item
    void (*put)(toc_sink *sink, const toc_point_table *table, size_t i);
    bool of_places;
} toc_point_array;

/// The arrays of one kind of items.
typedef struct toc_point_layout {
    const char *attributes; // of PointData: "Scalars=\"toc\""
    toc_point_array points;
    size_t count;
    const toc_point_array *arrays;
} toc_point_layout;

extern const toc_point_layout toc_contact_points, toc_overlap_points, toc_near_points;

/// Write a VTP: the points, the arrays, and those of the places if there are any: `time`, `elements`, `element_labels`,
/// `vertex_labels`, `parts`. Names of parts are in the field data: `part_ids` and `part_names`.
toc_status toc_points_write(toc_sink *sink, const toc_point_table *table, const toc_point_layout *layout);

enum { TOC_MOST_ARRAYS = 16 };

/// The arrays of contacts: point, time of contact and the rest, then those of places. @return their number.
size_t toc_contact_arrays(const toc_point_table *table, toc_point_array out[TOC_MOST_ARRAYS]);
/// Append the arrays of places, if the table has any. @return the new number.
size_t toc_place_arrays(const toc_point_table *table, size_t count, toc_point_array out[TOC_MOST_ARRAYS]);

#endif
