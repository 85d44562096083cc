// SPDX-License-Identifier: Apache-2.0
// Passes over the items of a table, and the arrays of contacts, overlaps, near pairs and places.
#include "io/pairs/table.h"

#include <assert.h>
#include <string.h>

// ---- passes

static toc_status pass_source(const toc_point_table *table, bool needs_places,
                              toc_status (*call)(void *user, const toc_point_table *part), void *user) {
    const toc_contact_source *source = table->source;
    const bool placed = source->has_places && needs_places;
    for (size_t first = 0; first < table->count;) {
        toc_point_table part = {.corners = table->corners};
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

toc_status toc_table_pass(const toc_point_table *table, bool needs_places,
                          toc_status (*call)(void *user, const toc_point_table *part), void *user) {
    return table->source ? pass_source(table, needs_places, call, user) : call(user, table);
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
    {"Float64", "time", 1, 8, put_time, true},
    {"UInt32", "elements", 2, 8, put_elements, true},
    {"Int64", "element_labels", 2, 16, put_element_labels, true},
    [VERTEX_LABELS] = {"Int64", "vertex_labels", 4, 32, put_vertex_labels, true},
    {"Int32", "parts", 2, 8, put_place_parts, true},
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

// ---- arrays of items

#define PUT(name, type, field)                                                 \
    static void name(toc_sink *sink, const toc_point_table *table, size_t i) { \
        const type *item = (const type *)table->items + i;                     \
        toc_sink_write(sink, &item->field, sizeof item->field);                \
    }
PUT(put_toc, toc_contact, toc)
PUT(put_contact_normal, toc_contact, normal)
PUT(put_contact_vertices, toc_contact, v)
PUT(put_contact_bodies, toc_contact, body)
PUT(put_contact_weights, toc_contact, weights)
PUT(put_contact_point, toc_contact, point)
PUT(put_depth, toc_overlap_pair, depth)
PUT(put_overlap_normal, toc_overlap_pair, normal)
PUT(put_overlap_faces, toc_overlap_pair, v)
PUT(put_overlap_bodies, toc_overlap_pair, body)
PUT(put_overlap_point, toc_overlap_pair, point)
PUT(put_distance, toc_near_pair, distance)
PUT(put_near_normal, toc_near_pair, normal)
PUT(put_near_vertices, toc_near_pair, v)
PUT(put_near_bodies, toc_near_pair, body)
PUT(put_near_weights, toc_near_pair, weights)
PUT(put_near_point, toc_near_pair, points[0])
PUT(put_near_second, toc_near_pair, points[1])
#undef PUT

static void put_byte(toc_sink *sink, int x) { toc_sink_write(sink, &(uint8_t){(uint8_t)x}, 1); }
static void put_contact_kind(toc_sink *sink, const toc_point_table *t, size_t i) {
    put_byte(sink, (int)((const toc_contact *)t->items)[i].kind);
}
static void put_verdict(toc_sink *sink, const toc_point_table *t, size_t i) {
    put_byte(sink, (int)((const toc_contact *)t->items)[i].verdict);
}
static void put_near_kind(toc_sink *sink, const toc_point_table *t, size_t i) {
    put_byte(sink, (int)((const toc_near_pair *)t->items)[i].kind);
}

static const toc_point_array contact_arrays[] = {
    {"Float64", "toc", 1, 8, put_toc, false},
    {"Float64", "normal", 3, 24, put_contact_normal, false},
    {"UInt8", "kind", 1, 1, put_contact_kind, false},
    {"UInt8", "verdict", 1, 1, put_verdict, false},
    {"UInt32", "vertices", 4, 16, put_contact_vertices, false},
    {"UInt32", "bodies", 2, 8, put_contact_bodies, false},
    {"Float64", "weights", 4, 32, put_contact_weights, false},
};
static const toc_point_array overlap_arrays[] = {
    {"Float64", "depth", 1, 8, put_depth, false},
    {"Float64", "normal", 3, 24, put_overlap_normal, false},
    {"UInt32", "faces", 6, 24, put_overlap_faces, false},
    {"UInt32", "bodies", 2, 8, put_overlap_bodies, false},
};
static const toc_point_array near_arrays[] = {
    {"Float64", "distance", 1, 8, put_distance, false},      {"Float64", "normal", 3, 24, put_near_normal, false},
    {"Float64", "second", 3, 24, put_near_second, false},    {"UInt8", "kind", 1, 1, put_near_kind, false},
    {"UInt32", "vertices", 4, 16, put_near_vertices, false}, {"UInt32", "bodies", 2, 8, put_near_bodies, false},
    {"Float64", "weights", 4, 32, put_near_weights, false},
};

#define LAYOUT(scalars, put_point, arrays)                                                            \
    {                                                                                                 \
        "Scalars=\"" scalars "\" Normals=\"normal\"", {"Float64", "Points", 3, 24, put_point, false}, \
            sizeof arrays / sizeof *(arrays), arrays                                                  \
    }
const toc_point_layout toc_contact_points = LAYOUT("toc", put_contact_point, contact_arrays);
const toc_point_layout toc_overlap_points = LAYOUT("depth", put_overlap_point, overlap_arrays);
const toc_point_layout toc_near_points = LAYOUT("distance", put_near_point, near_arrays);

size_t toc_contact_arrays(const toc_point_table *table, toc_point_array out[TOC_MOST_ARRAYS]) {
    out[0] = toc_contact_points.points;
    memcpy(out + 1, contact_arrays, sizeof contact_arrays);
    return toc_place_arrays(table, toc_contact_points.count + 1, out);
}
