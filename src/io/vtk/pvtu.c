// SPDX-License-Identifier: Apache-2.0
// VTK's index of an UnstructuredGrid in pieces (.pvtu): an XML file that names a .vtu for each.
//
// The points of several pieces are joined by their global ids, which every piece must have. Vertices come in the order
// of these ids, elements in the order of theirs, or piece by piece where cells have none. Copies of a point or a cell
// must agree. Ghost cells are left out. The mesh is in memory twice while pieces are joined.
#include <stdlib.h>

#include "io/core/format.h"
#include "io/core/include.h"
#include "io/core/xml.h"
#include "io/vtk/vtu.h"
#include "mesh/mesh.h"

typedef struct pvtu_piece {
    size_t name;     // the start of its name among the names
    const char *tag; // for messages
    toc_mesh *mesh;  // NULL before it is read
} pvtu_piece;

/// A point or a cell of a piece.
typedef struct pvtu_item {
    int64_t id;
    uint32_t piece, at;
} pvtu_item;

typedef struct pvtu_reader {
    toc_source *source;
    toc_allocator memory;
    TOC_ARRAY(pvtu_piece) pieces;
    TOC_ARRAY(char) names; // one behind the other, each ended by a 0 byte
    bool rooted;           // <VTKFile> was seen
    // Of the join:
    TOC_ARRAY(pvtu_item) items; // points, then cells
    TOC_ARRAY(uint32_t) places; // by piece and point: the vertex
    TOC_ARRAY(size_t) first;    // by piece: its first point among the places
    TOC_ARRAY(int64_t) labels;
    bool has_element_ids;
} pvtu_reader;

static toc_status pvtu_fail_at(const pvtu_reader *reader, const char *tag, const char *sentence) {
    reader->source->at = tag;
    return toc_source_fail(reader->source, "%s", sentence);
}

// ---- the index

static toc_status note_piece(toc_xml *xml, const char **attributes) {
    pvtu_reader *reader = xml->user;
    const char *name = toc_xml_attribute(attributes, "Source");
    if (!name || !*name) return pvtu_fail_at(reader, toc_xml_tag(xml), "a Piece without a Source");
    const size_t size = strlen(name) + 1;
    TOC_TRY(toc_array_reserve(&reader->memory, &reader->pieces, 1));
    TOC_TRY(toc_array_reserve(&reader->memory, &reader->names, size));
    reader->pieces.at[reader->pieces.count++] = (pvtu_piece){reader->names.count, toc_xml_tag(xml), NULL};
    memcpy(reader->names.at + reader->names.count, name, size);
    reader->names.count += size;
    return TOC_OK;
}

static toc_status pvtu_on_begin(toc_xml *xml, const char *name, const char **attributes) {
    pvtu_reader *reader = xml->user;
    if (!reader->rooted &&
        (strcmp(name, "VTKFile") != 0 || !toc_xml_attribute_is(attributes, "type", "PUnstructuredGrid")))
        return pvtu_fail_at(reader, toc_xml_tag(xml), "a .pvtu begins with <VTKFile type=\"PUnstructuredGrid\">");
    reader->rooted = true;
    return strcmp(name, "Piece") == 0 ? note_piece(xml, attributes) : TOC_OK;
}

static toc_status pvtu_on_end(toc_xml *xml, const char *name) {
    (void)xml, (void)name;
    return TOC_OK;
}

static toc_status list_pieces(pvtu_reader *reader) {
    toc_xml xml = {.source = reader->source, .user = reader, .begin = pvtu_on_begin, .end = pvtu_on_end};
    TOC_TRY(toc_xml_parse(&xml, reader->source->end));
    if (reader->pieces.count == 0) return pvtu_fail_at(reader, reader->source->end, "no piece is listed");
    if (reader->pieces.count < UINT32_MAX) return TOC_OK;
    return pvtu_fail_at(reader, reader->source->end, "there are too many pieces");
}

// ---- pieces

static toc_status read_piece(const pvtu_reader *reader, pvtu_piece *piece) {
    toc_include index = toc_include_begin(reader->source), file;
    const char *name = reader->names.at + piece->name;
    index.source.at = piece->tag;
    TOC_TRY(toc_mesh_create(&reader->memory, &piece->mesh));
    TOC_TRY(toc_include_open(&index, (toc_text){name, strlen(name)}, &file));
    toc_status status = toc_vtu_read_piece(&file.source, piece->mesh);
    if (status != TOC_OK) status = toc_fail_file(status, file.path);
    return toc_include_close(&file, status);
}

static bool has_vertex_ids(const toc_mesh *mesh) { return toc_mesh_get_vertex_label(mesh, 0, NULL); }

/// Keep the pieces of the share: consecutive ones.
static void keep_share(pvtu_reader *reader) {
    const toc_piece_share share = reader->source->share;
    const size_t count = reader->pieces.count, shares = share.count > 0 ? share.count : 1;
    const size_t first = count * share.index / shares, end = count * (share.index + 1) / shares;
    memmove(reader->pieces.at, reader->pieces.at + first, (end - first) * sizeof *reader->pieces.at);
    reader->pieces.count = end - first;
}

static toc_status read_pieces(pvtu_reader *reader) {
    const bool is_joined = reader->pieces.count > 1;
    keep_share(reader);
    for (size_t i = 0; i < reader->pieces.count; i++) {
        pvtu_piece *piece = &reader->pieces.at[i];
        TOC_TRY(read_piece(reader, piece));
        if (is_joined && toc_mesh_get_vertex_count(piece->mesh) > 0 && !has_vertex_ids(piece->mesh))
            return pvtu_fail_at(reader, piece->tag,
                                "the points of this piece have no global ids (an array GlobalNodeId, or the one that "
                                "GlobalIds names), and pieces are joined by them");
    }
    return TOC_OK;
}

// ---- points

static int compare_pvtu_items(const void *a, const void *b) {
    const pvtu_item *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    if (x->piece != y->piece) return x->piece < y->piece ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static const toc_mesh *piece_mesh(const pvtu_reader *reader, const pvtu_item *item) {
    return reader->pieces.at[item->piece].mesh;
}

static const double *place_of_point(const pvtu_reader *reader, const pvtu_item *item) {
    return toc_mesh_get_x0(piece_mesh(reader, item)) + 3 * (size_t)item->at;
}

/// All points in the order of their ids. A piece without ids stands alone, and its points keep their order.
static toc_status list_points(pvtu_reader *reader) {
    size_t total = 0;
    TOC_TRY(toc_array_reserve(&reader->memory, &reader->first, reader->pieces.count));
    for (size_t i = 0; i < reader->pieces.count; i++) {
        reader->first.at[i] = total;
        total += toc_mesh_get_vertex_count(reader->pieces.at[i].mesh);
    }
    reader->first.count = reader->pieces.count;
    if (total >= UINT32_MAX) return pvtu_fail_at(reader, reader->source->end, "there are too many points");
    TOC_TRY(toc_array_reserve(&reader->memory, &reader->items, total));
    TOC_TRY(toc_array_reserve(&reader->memory, &reader->places, total));
    for (uint32_t i = 0; i < reader->pieces.count; i++) {
        const toc_mesh *mesh = reader->pieces.at[i].mesh;
        for (uint32_t v = 0; v < toc_mesh_get_vertex_count(mesh); v++) {
            pvtu_item item = {v, i, v};
            toc_mesh_get_vertex_label(mesh, v, &item.id);
            reader->items.at[reader->items.count++] = item;
        }
    }
    if (total) qsort(reader->items.at, total, sizeof *reader->items.at, compare_pvtu_items);
    reader->places.count = total;
    return TOC_OK;
}

static toc_status fail_copy(const pvtu_reader *reader, const char *what, const pvtu_item *a, const pvtu_item *b) {
    const pvtu_piece *pieces = reader->pieces.at;
    reader->source->at = pieces[b->piece].tag;
    return toc_source_fail(reader->source, "%s with the global id %lld differ in %.200s and %.200s", what,
                           (long long)a->id, reader->names.at + pieces[a->piece].name,
                           reader->names.at + pieces[b->piece].name);
}

static toc_status join_points(pvtu_reader *reader, toc_mesh *mesh) {
    const pvtu_item *items = reader->items.at, *before = NULL;
    uint32_t count = 0;
    TOC_TRY(toc_array_reserve(&reader->memory, &reader->labels, reader->items.count));
    for (size_t i = 0; i < reader->items.count; i++) {
        const double *x = place_of_point(reader, &items[i]);
        if (!before || before->id != items[i].id) {
            TOC_TRY(toc_mesh_add_vertices(mesh, 1, x, NULL));
            reader->labels.at[count++] = items[i].id;
            before = &items[i];
        } else {
            const double *y = place_of_point(reader, before);
            if (x[0] != y[0] || x[1] != y[1] || x[2] != y[2]) return fail_copy(reader, "points", before, &items[i]);
        }
        reader->places.at[reader->first.at[items[i].piece] + items[i].at] = count - 1;
    }
    if (count == 0 || !has_vertex_ids(piece_mesh(reader, items))) return TOC_OK;
    return toc_mesh_set_vertex_labels(mesh, count, reader->labels.at);
}

// ---- cells

/// Whether cells have ids: those of all pieces, or none.
static toc_status check_element_ids(pvtu_reader *reader) {
    bool with = false, without = false;
    for (size_t i = 0; i < reader->pieces.count; i++) {
        const toc_mesh *mesh = reader->pieces.at[i].mesh;
        if (toc_mesh_get_element_count(mesh) == 0) continue;
        const bool has = toc_mesh_get_element_label(mesh, 0, NULL);
        with |= has;
        without |= !has;
        if (with && without)
            return pvtu_fail_at(reader, reader->pieces.at[i].tag,
                                "the cells of some pieces have global ids, and those of this or another one have none");
    }
    reader->has_element_ids = with;
    return TOC_OK;
}

static toc_status list_cells(pvtu_reader *reader) {
    size_t total = 0;
    for (size_t i = 0; i < reader->pieces.count; i++) total += toc_mesh_get_element_count(reader->pieces.at[i].mesh);
    if (total >= UINT32_MAX) return pvtu_fail_at(reader, reader->source->end, "there are too many cells");
    reader->items.count = 0;
    TOC_TRY(toc_array_reserve(&reader->memory, &reader->items, total));
    for (uint32_t i = 0; i < reader->pieces.count; i++) {
        const toc_mesh *mesh = reader->pieces.at[i].mesh;
        for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
            pvtu_item item = {(int64_t)reader->items.count, i, e};
            if (reader->has_element_ids) toc_mesh_get_element_label(mesh, e, &item.id);
            reader->items.at[reader->items.count++] = item;
        }
    }
    if (total) qsort(reader->items.at, total, sizeof *reader->items.at, compare_pvtu_items);
    return TOC_OK;
}

static toc_element joined_element(const pvtu_reader *reader, const pvtu_item *item, uint32_t corners[8]) {
    toc_element e = toc_mesh_get_element(piece_mesh(reader, item), item->at);
    for (int k = 0; k < e.corner_count; k++)
        corners[k] = reader->places.at[reader->first.at[item->piece] + e.corners[k]];
    e.corners = corners;
    return e;
}

static bool same_elements(toc_element a, toc_element b) {
    return a.shape == b.shape && memcmp(a.corners, b.corners, (size_t)a.corner_count * sizeof *a.corners) == 0;
}

static toc_status add_joined(toc_mesh *mesh, toc_element e) {
    uint32_t id;
    TOC_TRY(toc_mesh_add_elements(mesh, e.shape, 1, e.corners, &id));
    if (e.group != 0) TOC_TRY(toc_mesh_set_group(mesh, id, e.group));
    return e.thickness != 0 ? toc_mesh_set_thickness(mesh, id, e.thickness) : TOC_OK;
}

static toc_status join_cells(pvtu_reader *reader, toc_mesh *mesh) {
    uint32_t corners[8], kept[8];
    toc_element last = {.corners = kept};
    size_t count = 0;
    TOC_TRY(toc_array_reserve(&reader->memory, &reader->labels, reader->items.count));
    for (size_t i = 0; i < reader->items.count; i++) {
        const pvtu_item *item = &reader->items.at[i];
        const toc_element e = joined_element(reader, item, corners);
        if (i > 0 && item[-1].id == item->id) {
            if (!same_elements(last, e)) return fail_copy(reader, "cells", item - 1, item);
            continue;
        }
        TOC_TRY(add_joined(mesh, e));
        reader->labels.at[count++] = item->id;
        memcpy(kept, corners, sizeof kept);
        last.shape = e.shape;
        last.corner_count = e.corner_count;
    }
    if (!reader->has_element_ids) return TOC_OK;
    return toc_mesh_set_element_labels(mesh, count, reader->labels.at);
}

static toc_status join_names(const pvtu_reader *reader, toc_mesh *mesh) {
    for (size_t i = reader->pieces.count; i-- > 0;) { // the first piece has the last word
        const toc_mesh *piece = reader->pieces.at[i].mesh;
        mesh->higher_order += piece->higher_order;
        for (size_t k = 0; k < piece->named.count; k++)
            TOC_TRY(
                toc_mesh_set_group_name(mesh, piece->named.at[k].group, piece->names.at + piece->named.at[k].first));
    }
    return TOC_OK;
}

// ---- all of it

static toc_status pvtu_join(pvtu_reader *reader, toc_mesh *mesh) {
    TOC_TRY(list_pieces(reader));
    TOC_TRY(read_pieces(reader));
    TOC_TRY(list_points(reader));
    TOC_TRY(join_points(reader, mesh));
    TOC_TRY(check_element_ids(reader));
    TOC_TRY(list_cells(reader));
    TOC_TRY(join_cells(reader, mesh));
    return join_names(reader, mesh);
}

static toc_status pvtu_read(toc_source *source, toc_mesh *mesh) {
    pvtu_reader reader = {.source = source, .memory = source->allocator};
    const toc_status status = pvtu_join(&reader, mesh);
    for (size_t i = 0; i < reader.pieces.count; i++) toc_mesh_destroy(reader.pieces.at[i].mesh);
    toc_array_free(&reader.memory, &reader.pieces);
    toc_array_free(&reader.memory, &reader.names);
    toc_array_free(&reader.memory, &reader.items);
    toc_array_free(&reader.memory, &reader.places);
    toc_array_free(&reader.memory, &reader.first);
    toc_array_free(&reader.memory, &reader.labels);
    return status;
}

/// The root element is near the beginning, and its type in it.
static bool pvtu_recognise(const toc_source *source) {
    static const char tag[] = "<VTKFile", type[] = "\"PUnstructuredGrid\"";
    const size_t size = (size_t)(source->end - source->begin), part = size < 1024 ? size : 1024;
    const char *at = memmem(source->begin, part, tag, sizeof tag - 1);
    const char *end = at ? memchr(at, '>', part - (size_t)(at - source->begin)) : NULL;
    return end && memmem(at, (size_t)(end - at), type, sizeof type - 1);
}

const toc_format toc_format_pvtu = {
    .info = {.name = "pvtu", .extensions = ".pvtu", .what = "VTK XML UnstructuredGrid in pieces, joined by global ids"},
    .recognise = pvtu_recognise,
    .read = pvtu_read,
};
