// SPDX-License-Identifier: Apache-2.0
// VTK's index of an UnstructuredGrid in pieces (.pvtu): an XML file that names a .vtu for each.
//
// The points of several pieces are joined by their global ids, which every piece must have (io/core/join.h). Ghost
// cells are left out.
#include <stdlib.h>

#include "base/platform/platform.h"
#include "io/core/format.h"
#include "io/core/include.h"
#include "io/core/join.h"
#include "io/core/xml.h"
#include "io/vtk/vtu.h"
#include "mesh/mesh.h"

typedef struct pvtu_piece {
    size_t name;     // the start of its name among the names
    const char *tag; // for messages
} pvtu_piece;

typedef struct pvtu_reader {
    toc_source *source;
    toc_allocator memory;
    TOC_ARRAY(pvtu_piece) pieces;
    TOC_ARRAY(char) names; // one behind the other, each ended by a 0 byte
    bool rooted;           // <VTKFile> was seen
    toc_join join;
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
    reader->pieces.at[reader->pieces.count++] = (pvtu_piece){reader->names.count, toc_xml_tag(xml)};
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

static int compare_piece_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/// A piece that is listed twice would have its cells twice where these have no ids.
static toc_status check_names(const pvtu_reader *reader) {
    const size_t count = reader->pieces.count;
    const char **names = toc_new(&reader->memory, count, sizeof *names);
    const char *twice = NULL;
    if (!names) return TOC_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) names[i] = reader->names.at + reader->pieces.at[i].name;
    qsort(names, count, sizeof *names, compare_piece_names);
    for (size_t i = 1; i < count && !twice; i++)
        if (strcmp(names[i - 1], names[i]) == 0) twice = names[i];
    toc_free(&reader->memory, names, count, sizeof *names);
    reader->source->at = reader->source->end;
    return twice ? toc_source_fail(reader->source, "the piece \"%.200s\" is listed twice", twice) : TOC_OK;
}

static toc_status list_pieces(pvtu_reader *reader) {
    toc_xml xml = {.source = reader->source, .user = reader, .begin = pvtu_on_begin, .end = pvtu_on_end};
    TOC_TRY(toc_xml_parse(&xml, reader->source->end));
    if (reader->pieces.count == 0) return pvtu_fail_at(reader, reader->source->end, "no piece is listed");
    if (reader->pieces.count < UINT32_MAX) return check_names(reader);
    return pvtu_fail_at(reader, reader->source->end, "there are too many pieces");
}

// ---- pieces

static toc_status read_piece(const pvtu_reader *reader, const pvtu_piece *piece, toc_mesh *mesh) {
    toc_include index = toc_include_begin(reader->source), file;
    const char *name = reader->names.at + piece->name;
    index.source.at = piece->tag;
    TOC_TRY(toc_include_open(&index, (toc_text){name, strlen(name)}, &file));
    file.source.velocities = reader->source->velocities;
    toc_status status = toc_vtu_read_piece(&file.source, mesh);
    if (status != TOC_OK) status = toc_fail_file(status, file.path);
    return toc_include_close(&file, status);
}

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
    toc_join *join = &reader->join;
    keep_share(reader);
    TOC_TRY(toc_array_reserve(&reader->memory, &join->pieces, reader->pieces.count));
    for (size_t i = 0; i < reader->pieces.count; i++) {
        const pvtu_piece *piece = &reader->pieces.at[i];
        toc_mesh *mesh;
        TOC_TRY(toc_mesh_create(&reader->memory, &mesh));
        join->pieces.at[join->pieces.count++] = (toc_join_piece){mesh, reader->names.at + piece->name};
        TOC_TRY(read_piece(reader, piece, mesh));
        if (is_joined && toc_mesh_get_vertex_count(mesh) > 0 && !toc_mesh_get_vertex_label(mesh, 0, NULL))
            return pvtu_fail_at(reader, piece->tag,
                                "the points of this piece have no global ids (an array GlobalNodeId, or the one that "
                                "GlobalIds names), and pieces are joined by them");
    }
    return TOC_OK;
}

// ---- all of it

static toc_status pvtu_join(pvtu_reader *reader, toc_mesh *mesh) {
    TOC_TRY(list_pieces(reader));
    TOC_TRY(read_pieces(reader));
    const toc_status status = toc_join_pieces(&reader->join, mesh);
    if (status != TOC_BAD_INPUT) return status;
    return pvtu_fail_at(reader, reader->pieces.at[reader->join.failed].tag, toc_message_get());
}

static toc_status pvtu_read(toc_source *source, toc_mesh *mesh) {
    pvtu_reader reader = {.source = source, .memory = source->allocator};
    reader.join = (toc_join){.memory = reader.memory, .vertices = "points", .elements = "cells", .label = "global id"};
    const toc_status status = pvtu_join(&reader, mesh);
    toc_join_free(&reader.join);
    toc_array_free(&reader.memory, &reader.pieces);
    toc_array_free(&reader.memory, &reader.names);
    return status;
}

/// The root element is near the beginning, and its type in it.
static bool pvtu_recognise(const toc_source *source) {
    static const char tag[] = "<VTKFile", type[] = "\"PUnstructuredGrid\"";
    const size_t size = (size_t)(source->end - source->begin), part = size < 1024 ? size : 1024;
    const char *at = toc_bytes_find(source->begin, part, tag, sizeof tag - 1);
    const char *end = at ? memchr(at, '>', part - (size_t)(at - source->begin)) : NULL;
    return end && toc_bytes_find(at, (size_t)(end - at), type, sizeof type - 1);
}

const toc_format toc_format_pvtu = {
    .info = {.name = "pvtu", .extensions = ".pvtu", .what = "VTK XML UnstructuredGrid in pieces, joined by global ids"},
    .recognise = pvtu_recognise,
    .read = pvtu_read,
};
