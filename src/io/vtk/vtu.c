// SPDX-License-Identifier: Apache-2.0
// VTK's XML files: UnstructuredGrid (.vtu) and PolyData (.vtp), in text, base64 or raw, compressed with zlib or not.
//
// One pass over the XML notes the beginning of each useful array. Then the arrays are decoded; raw ones are used in
// place. Every count is checked against the bytes that follow. After "VTK XML Format" of the VTK documentation.
#include "io/vtk/vtu.h"

#include <assert.h>
#include <strings.h>

#include "base/platform/platform.h"
#include "io/core/fields.h"
#include "io/core/format.h"
#include "io/core/xml.h"
#include "io/vtk/cells.h"
#include "io/vtk/payload.h"
#include "mesh/mesh.h"

enum { GROUP_NAME = 255 }; // bytes of a name that are read

typedef enum encoding { TEXT = 0, INLINE, APPENDED } encoding;

/// An array in use: its position and type. Without a tag the file has no such array.
typedef struct data_array {
    const char *tag;
    toc_number type;
    size_t components;
    encoding encoding;
    const char *text, *text_end; // between the tags
    size_t offset;               // in the appended data
} data_array;

/// The sections of PolyData in the order in which cell data counts their cells; an UnstructuredGrid has one.
enum { VERTS, LINES, POLYS, STRIPS, SECTIONS, CELLS = 0 };

typedef struct vtu_section {
    size_t count;
    data_array offsets, corners;
} vtu_section;

typedef struct vtu_piece {
    size_t points;
    vtu_section sections[SECTIONS];
    data_array coordinates, types, groups, thicknesses, velocities;
    data_array vertex_labels, element_labels; // numbers that the first file gave, as they are written below
    toc_vtk_cell_data group;                  // the source of the groups so far
    data_array point_ids, cell_ids, ghosts;   // of a piece of a .pvtu
    int64_t ghost_mask;
} vtu_piece;

/// An array that is no part of the mesh.
typedef struct vtu_field {
    data_array array;
    bool of_cells;
    char name[GROUP_NAME + 1];
} vtu_field;

typedef struct vtu_reader {
    toc_source *source;
    const char *appended, *appended_end; // NULL where there is none
    bool appended_raw;
    bool big_endian, wide_heads, compressed; // see toc_payload
    bool polydata;
    TOC_ARRAY(vtu_piece) pieces;
    TOC_ARRAY(vtu_field) fields;       // of the first piece, where they are wanted
    data_array group_ids, group_names; // field data of written files, in text
    bool is_piece;                     // of a .pvtu: global ids are the labels, and ghost cells are left out
    // Of the walk:
    const char *section; // the element that arrays belong to, a name of section_names, or NULL
    data_array *array;   // being walked through, or NULL
    const char *text;    // the possible start of its text
    bool rooted;         // <VTKFile> was seen
    char id_name[64];    // of the array of global ids in the section
} vtu_reader;

static toc_status vtu_fail_at(vtu_reader *reader, const char *at, const char *sentence) {
    assert(at);
    reader->source->at = at;
    return toc_source_fail(reader->source, "%s", sentence);
}

/// Add the position of an array to a message that has none.
static toc_status vtu_place(vtu_reader *reader, const data_array *array, toc_status status) {
    return status == TOC_BAD_INPUT ? vtu_fail_at(reader, array->tag, toc_message_get()) : status;
}

// The walk.

static const char *const section_names[] = {"Points", "Cells",    "Verts",     "Lines",    "Polys",
                                            "Strips", "CellData", "PointData", "FieldData"};

static toc_number vtu_number_of(const char *name) {
    static const struct {
        const char *name;
        toc_number number;
    } types[] = {{"Int8", TOC_INT8},       {"Int16", TOC_INT16},    {"Int32", TOC_INT32},   {"Int64", TOC_INT64},
                 {"UInt8", TOC_UINT8},     {"UInt16", TOC_UINT16},  {"UInt32", TOC_UINT32}, {"UInt64", TOC_UINT64},
                 {"Float32", TOC_FLOAT32}, {"Float64", TOC_FLOAT64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(name, types[i].name) == 0) return types[i].number;
    return TOC_NUMBER_NONE;
}

/// A count among the attributes; `otherwise` if it is missing.
static toc_status vtu_take_count(toc_xml *xml, const char **attributes, const char *name, size_t otherwise,
                                 size_t *out) {
    assert(name);
    const char *value = toc_xml_attribute(attributes, name);
    *out = otherwise;
    if (!value) return TOC_OK;
    size_t count = 0;
    const char *c = value;
    for (; *c >= '0' && *c <= '9'; c++)
        if (__builtin_mul_overflow(count, 10, &count) || __builtin_add_overflow(count, (size_t)(*c - '0'), &count))
            break;
    if (c == value || *c) {
        xml->source->at = toc_xml_tag(xml);
        return toc_source_fail(xml->source, "%s=\"%.40s\" is not a count", name, value);
    }
    *out = count;
    return TOC_OK;
}

static toc_status begin_file(toc_xml *xml, const char **attributes) {
    vtu_reader *reader = xml->user;
    const char *compressor = toc_xml_attribute(attributes, "compressor");
    reader->rooted = true;
    reader->polydata = toc_xml_attribute_is(attributes, "type", "PolyData");
    reader->big_endian = toc_xml_attribute_is(attributes, "byte_order", "BigEndian");
    reader->wide_heads = toc_xml_attribute_is(attributes, "header_type", "UInt64");
    reader->compressed = compressor && *compressor;
    if (!reader->polydata && !toc_xml_attribute_is(attributes, "type", "UnstructuredGrid"))
        return vtu_fail_at(reader, toc_xml_tag(xml),
                           "a VTKFile of this type is not read, only UnstructuredGrid and PolyData");
    if (reader->compressed && strcmp(compressor, "vtkZLibDataCompressor") != 0)
        return vtu_fail_at(reader, toc_xml_tag(xml), "of the compressors only vtkZLibDataCompressor is known");
    return TOC_OK;
}

static toc_status begin_piece(toc_xml *xml, const char **attributes) {
    static const char *const counts[SECTIONS] = {"NumberOfVerts", "NumberOfLines", "NumberOfPolys", "NumberOfStrips"};
    vtu_reader *reader = xml->user;
    vtu_piece piece = {0};
    if (!toc_xml_attribute(attributes, "NumberOfPoints"))
        return vtu_fail_at(reader, toc_xml_tag(xml), "a Piece without NumberOfPoints");
    TOC_TRY(vtu_take_count(xml, attributes, "NumberOfPoints", 0, &piece.points));
    if (!reader->polydata) TOC_TRY(vtu_take_count(xml, attributes, "NumberOfCells", 0, &piece.sections[CELLS].count));
    for (int i = 0; i < SECTIONS && reader->polydata; i++)
        TOC_TRY(vtu_take_count(xml, attributes, counts[i], 0, &piece.sections[i].count));
    TOC_TRY(toc_array_reserve(&reader->source->allocator, &reader->pieces, 1));
    reader->pieces.at[reader->pieces.count++] = piece;
    return TOC_OK;
}

/// The place for an array of cell data, NULL if it is not used.
static data_array *cell_data_place(vtu_piece *piece, const char *name, const data_array *array) {
    const toc_vtk_cell_data what = toc_vtk_cell_data_of(name, strlen(name), array->type, array->components);
    if (what == TOC_CELL_OTHER) return NULL;
    if (what == TOC_CELL_THICKNESS) return &piece->thicknesses;
    if (what <= piece->group) return NULL;
    piece->group = what;
    piece->groups.tag = NULL;
    return &piece->groups;
}

static bool is_label_array(const char *name, const char *wanted, const data_array *array) {
    return toc_vtk_is_label(name, strlen(name), wanted, array->type, array->components);
}

/// The place for an array of point data, NULL if it is not used.
static data_array *point_data_place(const vtu_reader *reader, vtu_piece *piece, const char *name,
                                    const data_array *array) {
    if (is_label_array(name, "vertex_labels", array)) return &piece->vertex_labels;
    const bool wanted = reader->source->velocities && array->type != TOC_NUMBER_NONE &&
                        toc_vtk_is_velocity(name, strlen(name), array->components);
    return wanted ? &piece->velocities : NULL;
}

/// Whether an array of a piece holds global ids: the one that the section names, or one of VTK's usual names.
static bool is_id_array(const vtu_reader *reader, const char *name, const data_array *array,
                        const char *const usual[4]) {
    if (!reader->is_piece || array->components != 1 || !toc_number_is_integer(array->type)) return false;
    if (reader->id_name[0]) return strcmp(name, reader->id_name) == 0;
    for (int i = 0; i < 4; i++)
        if (strcasecmp(name, usual[i]) == 0) return true;
    return false;
}

/// The place for an array that only pieces of a .pvtu use; NULL for others.
static data_array *piece_data_place(const vtu_reader *reader, vtu_piece *piece, const char *name,
                                    const data_array *array) {
    static const char *const points[4] = {"GlobalNodeId", "GlobalNodeIds", "GlobalPointIds", "vtkGlobalNodeIds"};
    static const char *const cells[4] = {"GlobalElementId", "GlobalElementIds", "GlobalCellIds", "vtkGlobalElementIds"};
    if (strcmp(reader->section, "PointData") == 0)
        return is_id_array(reader, name, array, points) ? &piece->point_ids : NULL;
    if (strcmp(reader->section, "CellData") != 0 || !reader->is_piece) return NULL;
    if (is_id_array(reader, name, array, cells)) return &piece->cell_ids;
    const bool is_type = strcmp(name, "vtkGhostType") == 0; // bit 0: another piece has the cell
    if (!is_type && strcmp(name, "vtkGhostLevels") != 0) return NULL;
    piece->ghost_mask = is_type ? 1 : -1;
    return &piece->ghosts;
}

/// Names of groups, as they are written below. Other forms of them are not used.
static data_array *field_data_place(vtu_reader *reader, const char *name, const data_array *array) {
    if (array->encoding != TEXT) return NULL;
    if (strcmp(name, "group_ids") == 0) return &reader->group_ids;
    return strcmp(name, "group_names") == 0 ? &reader->group_names : NULL;
}

static data_array *vtu_place_of(vtu_reader *reader, const char *name, const data_array *array) {
    static const char *const names[SECTIONS] = {"Verts", "Lines", "Polys", "Strips"};
    if (reader->section && strcmp(reader->section, "FieldData") == 0) return field_data_place(reader, name, array);
    if (!reader->section || reader->pieces.count == 0) return NULL;
    vtu_piece *piece = &reader->pieces.at[reader->pieces.count - 1];
    if (strcmp(reader->section, "Points") == 0) return &piece->coordinates;
    data_array *of_piece = piece_data_place(reader, piece, name, array);
    if (of_piece) return of_piece;
    if (strcmp(reader->section, "PointData") == 0) return point_data_place(reader, piece, name, array);
    if (strcmp(reader->section, "CellData") == 0 && is_label_array(name, "element_labels", array))
        return &piece->element_labels;
    if (strcmp(reader->section, "CellData") == 0) return cell_data_place(piece, name, array);
    vtu_section *section = NULL;
    if (!reader->polydata && strcmp(reader->section, "Cells") == 0) section = &piece->sections[CELLS];
    for (int i = 0; i < SECTIONS && reader->polydata; i++)
        if (strcmp(reader->section, names[i]) == 0) section = &piece->sections[i];
    if (!section) return NULL;
    if (strcmp(name, "connectivity") == 0) return &section->corners;
    if (strcmp(name, "offsets") == 0) return &section->offsets;
    return strcmp(name, "types") == 0 ? &piece->types : NULL;
}

/// The place for an array that the mesh does not use: NULL unless it becomes a field.
static toc_status vtu_field_place(vtu_reader *reader, const char *name, const data_array *array, data_array **out) {
    const size_t length = strlen(name);
    const bool of_cells = reader->section && strcmp(reader->section, "CellData") == 0;
    *out = NULL;
    if (reader->pieces.count != 1 || length > GROUP_NAME || !reader->section) return TOC_OK;
    if (!of_cells && strcmp(reader->section, "PointData") != 0) return TOC_OK;
    if (!toc_fields_want(reader->source, (toc_text){name, length}, array->type, array->components)) return TOC_OK;
    TOC_TRY(toc_array_reserve(&reader->source->allocator, &reader->fields, 1));
    vtu_field *field = &reader->fields.at[reader->fields.count++];
    *field = (vtu_field){.of_cells = of_cells};
    memcpy(field->name, name, length);
    *out = &field->array;
    return TOC_OK;
}

static toc_status begin_array(toc_xml *xml, const char **attributes) {
    vtu_reader *reader = xml->user;
    const char *name = toc_xml_attribute(attributes, "Name"), *type = toc_xml_attribute(attributes, "type");
    data_array array = {.tag = toc_xml_tag(xml), .type = type ? vtu_number_of(type) : TOC_NUMBER_NONE};
    if (toc_xml_attribute_is(attributes, "format", "binary")) array.encoding = INLINE;
    if (toc_xml_attribute_is(attributes, "format", "appended")) array.encoding = APPENDED;
    TOC_TRY(vtu_take_count(xml, attributes, "NumberOfComponents", 1, &array.components));
    TOC_TRY(vtu_take_count(xml, attributes, "offset", 0, &array.offset));
    data_array *to = vtu_place_of(reader, name ? name : "", &array);
    if (!to) TOC_TRY(vtu_field_place(reader, name ? name : "", &array, &to));
    if (!to || to->tag) return TOC_OK; // not used, or a later step in time
    if (array.type == TOC_NUMBER_NONE && to != &reader->group_names)
        return vtu_fail_at(reader, array.tag, "this array holds no numbers of a known type");
    *to = array;
    reader->array = to;
    reader->text = toc_xml_behind_tag(xml);
    return TOC_OK;
}

/// Note the text before this tag as that of the array, unless it is blank: notes on the array are elements inside it,
/// before or behind the text.
static void note_text(vtu_reader *reader, const char *tag) {
    data_array *array = reader->array;
    const char *at = reader->text;
    if (!array || array->text || !at) return;
    while (at < tag && (toc_is_blank(*at) || *at == '\n')) at++;
    if (at >= tag) return;
    array->text = at;
    array->text_end = tag;
}

static void begin_vtu_section(vtu_reader *reader, const char *section, const char **attributes) {
    const char *ids = toc_xml_attribute(attributes, "GlobalIds");
    const size_t length = ids ? strlen(ids) : 0;
    reader->section = section;
    reader->id_name[0] = 0;
    if (length < sizeof reader->id_name && ids) memcpy(reader->id_name, ids, length + 1);
}

static toc_status vtu_on_begin(toc_xml *xml, const char *name, const char **attributes) {
    vtu_reader *reader = xml->user;
    if (!reader->rooted) {
        if (strcmp(name, "VTKFile") == 0) return begin_file(xml, attributes);
        return vtu_fail_at(reader, toc_xml_tag(xml), "the outermost element is not VTKFile");
    }
    if (reader->array) {
        note_text(reader, toc_xml_tag(xml));
        reader->text = NULL;
        return TOC_OK;
    }
    if (strcmp(name, "Piece") == 0) return begin_piece(xml, attributes);
    if (strcmp(name, "DataArray") == 0) return begin_array(xml, attributes);
    if (strcmp(name, "AppendedData") == 0) reader->appended_raw = toc_xml_attribute_is(attributes, "encoding", "raw");
    for (size_t i = 0; i < sizeof section_names / sizeof *section_names; i++)
        if (strcmp(name, section_names[i]) == 0) begin_vtu_section(reader, section_names[i], attributes);
    return TOC_OK;
}

static toc_status vtu_on_end(toc_xml *xml, const char *name) {
    vtu_reader *reader = xml->user;
    if (reader->array && strcmp(name, "DataArray") == 0) {
        note_text(reader, toc_xml_tag(xml));
        reader->array = NULL;
    } else if (reader->array) {
        reader->text = toc_xml_behind_tag(xml);
    } else if (reader->section && strcmp(name, reader->section) == 0) {
        reader->section = NULL;
    }
    return TOC_OK;
}

/// The tag of the appended data, or NULL. Searched for in parts, so that the file need not be in memory as a whole.
static const char *find_appended_tag(const toc_source *source) {
    static const char tag[] = "<AppendedData";
    const size_t part = TOC_SOURCE_KEPT;
    toc_source ahead = *source;
    for (ahead.at = ahead.begin;; ahead.at += part - sizeof tag) {
        const size_t left = toc_source_left(&ahead);
        const char *at = toc_bytes_find(ahead.at, left < part ? left : part, tag, sizeof tag - 1);
        if (at || left <= part) return at;
        toc_source_pass(&ahead);
    }
}

/// Find the appended data, which need not be XML: it begins behind the "_" that follows its tag.
static toc_status find_appended(vtu_reader *reader, const char **xml_end) {
    toc_source *source = reader->source;
    *xml_end = source->end;
    const char *at = find_appended_tag(source);
    if (!at) return TOC_OK;
    const char *close = memchr(at, '>', (size_t)(source->end - at));
    const char *mark = close ? memchr(close, '_', (size_t)(source->end - close)) : NULL;
    if (!mark) return vtu_fail_at(reader, at, "the file ends before the appended data");
    reader->appended = mark + 1;
    *xml_end = mark;
    return TOC_OK;
}

static toc_status vtu_walk(vtu_reader *reader) {
    const char *xml_end;
    TOC_TRY(find_appended(reader, &xml_end));
    toc_xml xml = {
        .source = reader->source, .user = reader, .begin = vtu_on_begin, .end = vtu_on_end, .texts = "<DataArray"};
    TOC_TRY(toc_xml_parse(&xml, xml_end));
    reader->appended_end = reader->source->end;
    if (!reader->appended || reader->appended_raw) return TOC_OK;
    const char *end = memchr(reader->appended, '<', (size_t)(reader->source->end - reader->appended));
    if (!end) return vtu_fail_at(reader, reader->source->end, "the file ends within the appended data");
    reader->appended_end = end;
    return TOC_OK;
}

// Decoding.

static toc_status find_payload(vtu_reader *reader, const data_array *array, toc_payload *out) {
    *out = (toc_payload){.at = array->text,
                         .end = array->text_end,
                         .base64 = array->encoding == INLINE || !reader->appended_raw,
                         .big_endian = reader->big_endian,
                         .wide_heads = reader->wide_heads,
                         .compressed = reader->compressed};
    if (array->encoding == INLINE) return array->text ? TOC_OK : vtu_fail_at(reader, array->tag, "this array is empty");
    if (!reader->appended) return vtu_fail_at(reader, array->tag, "there is no appended data in the file");
    if (array->offset > (size_t)(reader->appended_end - reader->appended))
        return vtu_fail_at(reader, array->tag, "this offset is behind the appended data");
    out->at = reader->appended + array->offset;
    out->end = reader->appended_end;
    return TOC_OK;
}

/// The text of an array ends with "<", which ends blanks, numbers and words just like a 0 byte.
static toc_status decode_text(vtu_reader *reader, const data_array *array, size_t count, toc_numbers *out) {
    assert(array->encoding == TEXT);
    toc_source text = *reader->source;
    text.at = array->text ? array->text : text.end;
    text.end = array->text ? array->text_end : text.end;
    toc_numbers numbers = {0};
    toc_status status = toc_numbers_scan(&text, array->type, count, &numbers);
    if (status == TOC_OK && toc_source_skip_space(&text))
        status = toc_source_fail(&text, "there are more than the %zu numbers needed here", count);
    if (status == TOC_OK)
        *out = numbers;
    else
        toc_numbers_free(&text.allocator, &numbers);
    return status;
}

/// Decode an array that must have `count` numbers.
static toc_status decode(vtu_reader *reader, const data_array *array, size_t count, toc_numbers *out) {
    if (array->encoding == TEXT) return decode_text(reader, array, count, out);
    toc_payload payload;
    TOC_TRY(find_payload(reader, array, &payload));
    return vtu_place(reader, array, toc_payload_decode(&payload, &reader->source->allocator, array->type, count, out));
}

// From arrays to cells.

static toc_status need_array(vtu_reader *reader, const data_array *array, const char *name) {
    if (array->tag) return TOC_OK;
    reader->source->at = reader->source->end;
    return toc_source_fail(reader->source, "the array of %s is missing", name);
}

static toc_status add_points(vtu_reader *reader, toc_vtk_cells *cells, const vtu_piece *piece) {
    if (piece->points == 0) return TOC_OK;
    const data_array *array = &piece->coordinates;
    TOC_TRY(need_array(reader, array, "points"));
    if (array->components != 3) return vtu_fail_at(reader, array->tag, "points have three components");
    if (piece->points > UINT32_MAX) return vtu_fail_at(reader, array->tag, "so many points cannot be");
    toc_numbers coordinates = {0};
    TOC_TRY(decode(reader, array, 3 * piece->points, &coordinates));
    TOC_TRY(vtu_place(reader, array, toc_vtk_cells_add_points(cells, coordinates)));
    reader->source->at = reader->source->end; // the mesh owns them now, and cells come later
    toc_source_let_go(reader->source);
    return TOC_OK;
}

static toc_status add_velocities(vtu_reader *reader, toc_vtk_cells *cells, const vtu_piece *piece) {
    const data_array *array = &piece->velocities;
    toc_numbers values = {0};
    if (!array->tag || piece->points == 0) return TOC_OK;
    TOC_TRY(decode(reader, array, 3 * piece->points, &values));
    return vtu_place(reader, array, toc_vtk_cells_add_velocities(cells, values));
}

/// The number of corners: the last of the offsets.
static toc_status count_corners(vtu_reader *reader, const data_array *array, const toc_numbers *offsets, size_t *out) {
    int64_t last = 0;
    if (!toc_number_is_integer(array->type)) return vtu_fail_at(reader, array->tag, "the offsets are not integers");
    toc_numbers_as_integers(offsets, offsets->count - 1, 1, &last);
    if (last < 0) return vtu_fail_at(reader, array->tag, "the last offset is negative");
    *out = (size_t)last;
    return TOC_OK;
}

static toc_status add_section(vtu_reader *reader, toc_vtk_cells *cells, const vtu_section *section, uint8_t type) {
    if (section->count == 0) return TOC_OK;
    TOC_TRY(need_array(reader, &section->offsets, "offsets"));
    TOC_TRY(need_array(reader, &section->corners, "connectivity"));
    toc_vtk_cell_section decoded = {.at = section->corners.tag, .count = section->count, .type = type};
    size_t count = 0;
    TOC_TRY(decode(reader, &section->offsets, section->count, &decoded.offsets));
    toc_status status = count_corners(reader, &section->offsets, &decoded.offsets, &count);
    if (status == TOC_OK && count > 0) status = decode(reader, &section->corners, count, &decoded.corners);
    if (status == TOC_OK) return vtu_place(reader, &section->corners, toc_vtk_cells_add(cells, decoded));
    toc_numbers_free(&reader->source->allocator, &decoded.offsets);
    return status;
}

static toc_status add_types(vtu_reader *reader, toc_vtk_cells *cells, const vtu_piece *piece) {
    if (reader->polydata || cells->count == 0) return TOC_OK;
    TOC_TRY(need_array(reader, &piece->types, "types"));
    toc_numbers types = {0};
    TOC_TRY(decode(reader, &piece->types, cells->count, &types));
    return vtu_place(reader, &piece->types, toc_vtk_cells_set_types(cells, types));
}

static toc_status add_data(vtu_reader *reader, toc_vtk_cells *cells, const data_array *array, toc_vtk_cell_data what) {
    if (!array->tag || cells->count == 0) return TOC_OK;
    toc_numbers values = {0};
    TOC_TRY(decode(reader, array, cells->count, &values));
    return vtu_place(reader, array, toc_vtk_cells_set_data(cells, what, values));
}

static toc_status add_ghosts(vtu_reader *reader, toc_vtk_cells *cells, const vtu_piece *piece) {
    if (!piece->ghosts.tag || cells->count == 0) return TOC_OK;
    toc_numbers bits = {0};
    TOC_TRY(decode(reader, &piece->ghosts, cells->count, &bits));
    return vtu_place(reader, &piece->ghosts, toc_vtk_cells_set_ghosts(cells, bits, piece->ghost_mask));
}

static toc_status add_piece(vtu_reader *reader, toc_vtk_cells *cells, const vtu_piece *piece) {
    static const uint8_t types[SECTIONS] = {TOC_CELL_POINTS, TOC_CELL_LINES, TOC_CELL_POLYGON, TOC_CELL_STRIP};
    TOC_TRY(add_points(reader, cells, piece));
    TOC_TRY(add_velocities(reader, cells, piece));
    for (int i = 0; i < SECTIONS; i++)
        TOC_TRY(add_section(reader, cells, &piece->sections[i], reader->polydata ? types[i] : 0));
    TOC_TRY(add_types(reader, cells, piece));
    TOC_TRY(add_data(reader, cells, &piece->groups, TOC_CELL_GROUP));
    TOC_TRY(add_data(reader, cells, &piece->thicknesses, TOC_CELL_THICKNESS));
    TOC_TRY(add_ghosts(reader, cells, piece));
    const char *at = reader->source->end;
    const toc_status status = toc_vtk_cells_build(cells, &at);
    return status == TOC_BAD_INPUT ? vtu_fail_at(reader, at, toc_message_get()) : status;
}

/// The next name, as the numbers of its characters up to a 0. False if there is none.
static bool take_group_name(toc_source *source, char name[GROUP_NAME + 1]) {
    size_t count = 0;
    for (int64_t c; toc_source_skip_space(source) && toc_source_digits(source, &c);) {
        name[count] = 0;
        if (c == 0) return true;
        if (c > 0 && c < 256 && count < GROUP_NAME) name[count++] = (char)c;
    }
    return false;
}

static toc_status name_groups(const vtu_reader *reader, toc_mesh *mesh) {
    const data_array *given = &reader->group_ids, *spelt = &reader->group_names;
    if (!given->text || !spelt->text) return TOC_OK;
    toc_source ids = *reader->source, names = *reader->source;
    char name[GROUP_NAME + 1];
    ids.at = given->text;
    ids.end = given->text_end;
    names.at = spelt->text;
    names.end = spelt->text_end;
    for (int64_t id; toc_source_skip_space(&ids) && toc_source_digits(&ids, &id) && take_group_name(&names, name);)
        if (id >= INT32_MIN && id <= INT32_MAX) TOC_TRY(toc_mesh_set_group_name(mesh, (int32_t)id, name));
    return TOC_OK;
}

static toc_status take_file_labels(vtu_reader *reader, const data_array *array, size_t count, toc_id_labels *to) {
    toc_numbers numbers = {0};
    if (!array->tag || count == 0) return TOC_OK;
    TOC_TRY(decode(reader, array, count, &numbers));
    return toc_vtk_take_labels(&reader->source->allocator, numbers, to);
}

/// Drop the labels of ghost cells; all of them where other cells became several elements or none.
static toc_status drop_ghost_labels(vtu_reader *reader, const vtu_piece *piece, toc_mesh *mesh) {
    toc_id_labels *labels = &mesh->element_labels;
    toc_numbers bits = {0};
    size_t kept = 0;
    if (piece->ghosts.tag && labels->count > 0) {
        TOC_TRY(decode(reader, &piece->ghosts, labels->count, &bits));
        for (size_t i = 0; i < labels->count; i++) {
            int64_t mark;
            toc_numbers_as_integers(&bits, i, 1, &mark);
            if (!(mark & piece->ghost_mask)) labels->each.at[kept++] = labels->each.at[i];
        }
        labels->count = labels->each.count = kept;
        toc_numbers_free(&reader->source->allocator, &bits);
    }
    if (labels->count != toc_mesh_get_element_count(mesh)) labels->count = labels->each.count = 0;
    return TOC_OK;
}

static size_t count_cells(const vtu_piece *piece) {
    size_t cells = 0;
    for (int i = 0; i < SECTIONS; i++) cells += piece->sections[i].count;
    return cells;
}

/// Labels of a file in one piece. Cells that became several elements have none.
static toc_status take_labels_of(vtu_reader *reader, toc_mesh *mesh) {
    if (reader->pieces.count != 1) return TOC_OK;
    const vtu_piece *piece = &reader->pieces.at[0];
    const size_t cells = count_cells(piece);
    const bool ids = reader->is_piece;
    TOC_TRY(take_file_labels(reader, ids ? &piece->point_ids : &piece->vertex_labels, toc_mesh_get_vertex_count(mesh),
                             &mesh->vertex_labels));
    if (ids) TOC_TRY(take_file_labels(reader, &piece->cell_ids, cells, &mesh->element_labels));
    if (ids) return drop_ghost_labels(reader, piece, mesh);
    if (cells != toc_mesh_get_element_count(mesh)) return TOC_OK;
    return take_file_labels(reader, &piece->element_labels, cells, &mesh->element_labels);
}

/// Fields of a file in one piece. An array that cannot be decoded is none: nothing else depends on it.
static toc_status take_fields(vtu_reader *reader) {
    for (size_t i = 0; i < reader->fields.count && reader->pieces.count == 1; i++) {
        const vtu_field *field = &reader->fields.at[i];
        const vtu_piece *piece = &reader->pieces.at[0];
        const size_t tuples = field->of_cells ? count_cells(piece) : piece->points;
        toc_numbers values = {0};
        toc_status status = decode(reader, &field->array, field->array.components * tuples, &values);
        if (status == TOC_BAD_INPUT) continue;
        TOC_TRY(status);
        status = toc_fields_add(reader->source, (toc_text){field->name, strlen(field->name)}, field->of_cells,
                                field->array.components, &values);
        toc_numbers_free(&reader->source->allocator, &values);
        TOC_TRY(status);
    }
    return TOC_OK;
}

static toc_status vtu_read_file(vtu_reader *reader, toc_mesh *mesh) {
    TOC_TRY(vtu_walk(reader));
    for (size_t i = 0; i < reader->pieces.count; i++) {
        toc_vtk_cells cells = toc_vtk_cells_begin(&reader->source->allocator, mesh);
        const toc_status status = add_piece(reader, &cells, &reader->pieces.at[i]);
        toc_vtk_cells_free(&cells);
        if (status != TOC_OK) return status;
    }
    TOC_TRY(name_groups(reader, mesh));
    TOC_TRY(take_labels_of(reader, mesh));
    TOC_TRY(take_fields(reader));
    return reader->is_piece ? TOC_OK : toc_vtk_cells_finish(mesh);
}

static toc_status read_vtu_as(toc_source *source, bool is_piece, toc_mesh *mesh) {
    vtu_reader reader = {.source = source, .is_piece = is_piece};
    const toc_status status = vtu_read_file(&reader, mesh);
    toc_array_free(&source->allocator, &reader.pieces);
    toc_array_free(&source->allocator, &reader.fields);
    return status;
}

static toc_status vtu_read(toc_source *source, toc_mesh *mesh) { return read_vtu_as(source, false, mesh); }

toc_status toc_vtu_read_piece(toc_source *source, toc_mesh *mesh) { return read_vtu_as(source, true, mesh); }

/// The root element is near the beginning, behind a declaration and comments.
static bool vtu_recognise(const toc_source *source) {
    static const char tag[] = "<VTKFile";
    const size_t size = (size_t)(source->end - source->begin);
    return toc_bytes_find(source->begin, size < 1024 ? size : 1024, tag, sizeof tag - 1) != NULL;
}

const toc_format toc_format_vtu = {
    .info = {.name = "vtu", .extensions = ".vtu", .what = "VTK XML UnstructuredGrid; reads .vtp (PolyData) too"},
    .recognise = vtu_recognise,
    .read = vtu_read,
    .write = toc_vtu_write,
};
