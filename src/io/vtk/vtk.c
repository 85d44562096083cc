// SPDX-License-Identifier: Apache-2.0
// Legacy VTK files (.vtk), versions 1.0 to 5.1, text and binary: POLYDATA and UNSTRUCTURED_GRID.
//
// Binary arrays are read in place; every count is checked against the bytes that follow. Written files are binary and
// of version 3.0, which every program since 2000 reads. After "VTK File Formats" of the VTK User's Guide and Kitware's
// note on the 5.1 layout of cells.
#include <assert.h>
#include <strings.h>

#include "io/core/fields.h"
#include "io/core/format.h"
#include "io/vtk/cells.h"
#include "mesh/mesh.h"

typedef struct vtk_reader {
    toc_source *source;
    toc_vtk_cells cells;
    bool binary, polydata;
    int version;    // the major one
    size_t tuples;  // of POINT_DATA or CELL_DATA, the last of the two
    bool cell_data; // it was CELL_DATA
    bool moves;     // velocities were read
} vtk_reader;

static bool is_word(toc_text word, const char *wanted) {
    return word.count == strlen(wanted) && strncasecmp(word.at, wanted, word.count) == 0;
}

/// Add the position in the file to a message that has none.
static toc_status vtk_place(const vtk_reader *reader, const char *at, toc_status status) {
    if (status != TOC_BAD_INPUT) return status;
    reader->source->at = at;
    return reader->binary ? toc_source_fail_byte(reader->source, "%s", toc_message_get())
                          : toc_source_fail(reader->source, "%s", toc_message_get());
}

#define fail_here(reader, ...)                                              \
    ((reader)->binary ? toc_source_fail_byte((reader)->source, __VA_ARGS__) \
                      : toc_source_fail((reader)->source, __VA_ARGS__))

/// A word for a message, cut when it is long.
#define SHOW(word) (int)((word).count < 40 ? (word).count : 40), (word).at

/// Sizes of a type in bits, because there are bit arrays; strings have none.
typedef struct vtk_type {
    const char *name;
    toc_number number;
    size_t bits;
} vtk_type;

static const vtk_type types[] = {
    {"float", TOC_FLOAT32, 32},        {"double", TOC_FLOAT64, 64},         {"int", TOC_INT32, 32},
    {"unsigned_int", TOC_UINT32, 32},  {"vtkIdType", TOC_INT32, 32}, // VTK writes these as int in legacy files
    {"vtktypeint64", TOC_INT64, 64},   {"vtktypeuint64", TOC_UINT64, 64},   {"long", TOC_INT64, 64},
    {"unsigned_long", TOC_UINT64, 64}, {"long_long", TOC_INT64, 64},        {"unsigned_long_long", TOC_UINT64, 64},
    {"short", TOC_INT16, 16},          {"unsigned_short", TOC_UINT16, 16},  {"char", TOC_INT8, 8},
    {"signed_char", TOC_INT8, 8},      {"unsigned_char", TOC_UINT8, 8},     {"bit", TOC_NUMBER_NONE, 1},
    {"string", TOC_NUMBER_NONE, 0},    {"utf8_string", TOC_NUMBER_NONE, 0},
};

static toc_status vtk_take_type(vtk_reader *reader, vtk_type *out) {
    const toc_text word = toc_source_word(reader->source);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (is_word(word, types[i].name)) {
            *out = types[i];
            return TOC_OK;
        }
    return fail_here(reader, "unknown type of numbers \"%.*s\"", SHOW(word));
}

static toc_status vtk_take_count(vtk_reader *reader, size_t *out) {
    int64_t count;
    TOC_TRY(toc_source_integer(reader->source, &count));
    if (count < 0) return fail_here(reader, "a count of %lld", (long long)count);
    *out = (size_t)count;
    return TOC_OK;
}

/// Bytes of a binary array, all of which must be there.
static toc_status need_bytes(vtk_reader *reader, size_t count, size_t bits, size_t *out) {
    size_t total;
    if (__builtin_mul_overflow(count, bits, &total) || (total + 7) / 8 > toc_source_left(reader->source))
        return fail_here(reader, "%zu numbers of %zu bits are promised, but only %zu bytes follow", count, bits,
                         toc_source_left(reader->source));
    *out = (total + 7) / 8;
    return TOC_OK;
}

/// The array that begins on the next line.
static toc_status take_array(vtk_reader *reader, vtk_type type, size_t count, toc_numbers *out) {
    if (type.number == TOC_NUMBER_NONE) return fail_here(reader, "an array of type %s cannot be used here", type.name);
    toc_source_next_line(reader->source);
    if (!reader->binary) return toc_numbers_scan(reader->source, type.number, count, out);
    size_t bytes = 0;
    TOC_TRY(need_bytes(reader, count, type.bits, &bytes));
    *out = (toc_numbers){.type = type.number, .big_endian = true, .count = count, .bytes = reader->source->at};
    reader->source->at += bytes;
    return TOC_OK;
}

/// The length of a string in a binary file precedes it in 1, 2, 4 or 8 bytes, as its first two bits say.
static toc_status skip_binary_string(vtk_reader *reader) {
    const size_t left = toc_source_left(reader->source);
    const unsigned char *at = (const unsigned char *)reader->source->at;
    const size_t width = left > 0 ? (size_t)8 >> (at[0] >> 6) : 1;
    if (width > left) return fail_here(reader, "the file ends within an array of strings");
    uint64_t length = at[0] & 0x3f;
    for (size_t i = 1; i < width; i++) length = length << 8 | at[i];
    if (length > left - width)
        return fail_here(reader, "a string of %llu bytes, but only %zu follow", (unsigned long long)length,
                         left - width);
    reader->source->at += width + length;
    return TOC_OK;
}

static toc_status skip_strings(vtk_reader *reader, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (toc_source_left(reader->source) == 0) return fail_here(reader, "the file ends within an array of strings");
        if (reader->binary)
            TOC_TRY(skip_binary_string(reader));
        else
            toc_source_next_line(reader->source);
    }
    return TOC_OK;
}

/// Words of a text are skipped unchecked: unused data may hold NaN and infinity.
static toc_status skip_array(vtk_reader *reader, vtk_type type, size_t count) {
    toc_source_next_line(reader->source);
    if (type.bits == 0) return skip_strings(reader, count);
    if (reader->binary) {
        size_t bytes = 0;
        TOC_TRY(need_bytes(reader, count, type.bits, &bytes));
        reader->source->at += bytes;
        return TOC_OK;
    }
    for (size_t i = 0; i < count; i++) {
        toc_source_skip_space(reader->source);
        if (toc_source_word(reader->source).count == 0)
            return fail_here(reader, "the file ends within an array of %zu numbers, after %zu", count, i);
    }
    return TOC_OK;
}

static toc_status read_points(vtk_reader *reader) {
    size_t count = 0;
    vtk_type type = {0};
    TOC_TRY(vtk_take_count(reader, &count));
    TOC_TRY(vtk_take_type(reader, &type));
    if (reader->cells.points > 0) return fail_here(reader, "there are POINTS already");
    if (count > SIZE_MAX / 3) return fail_here(reader, "%zu points are too many", count);
    const char *at = reader->source->at;
    toc_numbers numbers = {0};
    TOC_TRY(take_array(reader, type, 3 * count, &numbers));
    return vtk_place(reader, at, toc_vtk_cells_add_points(&reader->cells, numbers));
}

/// "OFFSETS type" or "CONNECTIVITY type" and the array.
static toc_status take_named_array(vtk_reader *reader, const char *name, size_t count, toc_numbers *out) {
    assert(name);
    toc_source_skip_space(reader->source);
    const toc_text word = toc_source_word(reader->source);
    if (!is_word(word, name)) return fail_here(reader, "%s was expected, not \"%.*s\"", name, SHOW(word));
    vtk_type type = {0};
    TOC_TRY(vtk_take_type(reader, &type));
    return take_array(reader, type, count, out);
}

/// Since version 5: offsets and corners apart. The first offset is 0, so there is one more than cells.
static toc_status take_split_cells(vtk_reader *reader, size_t size, toc_vtk_cell_section *section) {
    const toc_allocator *memory = &reader->source->allocator;
    if (section->count == 0 && size == 0) return TOC_OK;
    if (section->count == 0) return fail_here(reader, "corners without offsets");
    TOC_TRY(take_named_array(reader, "OFFSETS", section->count, &section->offsets));
    section->count--;
    const toc_status status = take_named_array(reader, "CONNECTIVITY", size, &section->corners);
    if (status != TOC_OK) toc_numbers_free(memory, &section->offsets);
    return status;
}

static const vtk_type int_type = {"int", TOC_INT32, 32};

/// CELLS, or a section of POLYDATA, whose cells are all of one type.
static toc_status read_cells(vtk_reader *reader, uint8_t type) {
    if ((type != 0) != reader->polydata)
        return fail_here(reader, "%s has no such section", reader->polydata ? "POLYDATA" : "UNSTRUCTURED_GRID");
    toc_vtk_cell_section section = {.at = reader->source->at, .type = type, .packed = reader->version < 5};
    size_t size = 0;
    TOC_TRY(vtk_take_count(reader, &section.count));
    TOC_TRY(vtk_take_count(reader, &size));
    TOC_TRY(section.packed ? take_array(reader, int_type, size, &section.corners)
                           : take_split_cells(reader, size, &section));
    return vtk_place(reader, section.at, toc_vtk_cells_add(&reader->cells, section));
}

static toc_status read_cell_types(vtk_reader *reader) {
    size_t count = 0;
    TOC_TRY(vtk_take_count(reader, &count));
    const char *at = reader->source->at;
    toc_numbers numbers = {0};
    TOC_TRY(take_array(reader, int_type, count, &numbers));
    return vtk_place(reader, at, toc_vtk_cells_set_types(&reader->cells, numbers));
}

static toc_status begin_data(vtk_reader *reader, bool cell_data) {
    TOC_TRY(vtk_take_count(reader, &reader->tuples));
    reader->cell_data = cell_data;
    const size_t cells = reader->cells.count;
    if (cell_data && reader->tuples != cells)
        return fail_here(reader, "CELL_DATA for %zu cells, but there are %zu", reader->tuples, cells);
    return TOC_OK;
}

/// Whether an array is the velocity of the points, the first such one.
static bool wants_velocity(const vtk_reader *reader, toc_text name, vtk_type type, size_t components, size_t tuples) {
    return type.number != TOC_NUMBER_NONE && reader->source->velocities && !reader->cell_data && !reader->moves &&
           tuples == reader->cells.points && toc_vtk_is_velocity(name.at, name.count, components);
}

static toc_status read_velocity(vtk_reader *reader, vtk_type type, size_t count) {
    const char *at = reader->source->at;
    toc_numbers values = {0};
    TOC_TRY(take_array(reader, type, count, &values));
    reader->moves = true;
    return vtk_place(reader, at, toc_vtk_cells_add_velocities(&reader->cells, values));
}

/// The labels that an array of integers is, one for each point or cell; NULL for none.
static toc_id_labels *labels_place(const vtk_reader *reader, toc_text name, vtk_type type, size_t components,
                                   size_t tuples) {
    toc_mesh *mesh = reader->cells.mesh;
    const size_t wanted = reader->cell_data ? reader->cells.count : reader->cells.points;
    const char *spelt = reader->cell_data ? "element_labels" : "vertex_labels";
    if (tuples != wanted || tuples == 0 || !toc_vtk_is_label(name.at, name.count, spelt, type.number, components))
        return NULL;
    return reader->cell_data ? &mesh->element_labels : &mesh->vertex_labels;
}

static toc_status read_labels(vtk_reader *reader, vtk_type type, size_t count, toc_id_labels *to) {
    toc_numbers values = {0};
    TOC_TRY(take_array(reader, type, count, &values));
    return toc_vtk_take_labels(&reader->source->allocator, values, to);
}

/// Skip an array that the mesh does not use, or keep it as a field. One that is no array of numbers is none.
static toc_status pass_data(vtk_reader *reader, toc_text name, vtk_type type, size_t components, size_t tuples) {
    const size_t count = components * tuples, wanted = reader->cell_data ? reader->cells.count : reader->cells.points;
    if (tuples != wanted || !toc_fields_want(reader->source, name, type.number, components))
        return skip_array(reader, type, count);
    const char *at = reader->source->at;
    toc_numbers values = {0};
    const toc_status status = take_array(reader, type, count, &values);
    if (status == TOC_BAD_INPUT) {
        reader->source->at = at;
        return skip_array(reader, type, count);
    }
    TOC_TRY(status);
    const toc_status added = toc_fields_add(reader->source, name, reader->cell_data, components, &values);
    toc_numbers_free(&reader->source->allocator, &values);
    return added;
}

/// An array of data: the group or the thickness of the cells, the velocity of the points, labels, or unused.
static toc_status read_data(vtk_reader *reader, toc_text name, vtk_type type, size_t components, size_t tuples) {
    size_t count = 0;
    if (__builtin_mul_overflow(components, tuples, &count)) return fail_here(reader, "%zu values are too many", tuples);
    if (wants_velocity(reader, name, type, components, tuples)) return read_velocity(reader, type, count);
    toc_id_labels *labels = labels_place(reader, name, type, components, tuples);
    if (labels) return read_labels(reader, type, count, labels);
    toc_vtk_cell_data what = TOC_CELL_OTHER;
    if (reader->cell_data) what = toc_vtk_cell_data_of(name.at, name.count, type.number, components);
    if (!toc_vtk_cells_want(&reader->cells, what)) return pass_data(reader, name, type, components, tuples);
    const char *at = reader->source->at;
    toc_numbers values = {0};
    TOC_TRY(take_array(reader, type, count, &values));
    return vtk_place(reader, at, toc_vtk_cells_set_data(&reader->cells, what, values));
}

/// Skip a line that begins with a keyword, if it does.
static bool skip_if(vtk_reader *reader, const char *keyword) {
    const char *at = reader->source->at;
    toc_source_skip_space(reader->source);
    if (is_word(toc_source_word(reader->source), keyword)) return true;
    reader->source->at = at;
    return false;
}

/// METADATA goes up to an empty line.
static void skip_metadata(vtk_reader *reader) {
    while (toc_source_next_line(reader->source) && !toc_source_line_ends(reader->source)) continue;
}

/// SCALARS name type [components], then LOOKUP_TABLE name, then the array.
static toc_status read_scalars(vtk_reader *reader) {
    const toc_text name = toc_source_word(reader->source);
    vtk_type type = {0};
    TOC_TRY(vtk_take_type(reader, &type));
    size_t components = 1;
    if (!toc_source_line_ends(reader->source)) TOC_TRY(vtk_take_count(reader, &components));
    skip_if(reader, "LOOKUP_TABLE"); // some writers leave it out
    return read_data(reader, name, type, components, reader->tuples);
}

static toc_status read_field(vtk_reader *reader) {
    toc_source_word(reader->source);
    size_t arrays = 0, components = 0, tuples = 0;
    TOC_TRY(vtk_take_count(reader, &arrays));
    for (size_t i = 0; i < arrays; i++) {
        while (skip_if(reader, "METADATA")) skip_metadata(reader);
        if (!toc_source_skip_space(reader->source))
            return fail_here(reader, "the file ends after %zu of %zu arrays of a FIELD", i, arrays);
        const toc_text name = toc_source_word(reader->source);
        vtk_type type = {0};
        TOC_TRY(vtk_take_count(reader, &components));
        TOC_TRY(vtk_take_count(reader, &tuples));
        TOC_TRY(vtk_take_type(reader, &type));
        TOC_TRY(read_data(reader, name, type, components, tuples));
    }
    return TOC_OK;
}

/// COLOR_SCALARS name components and LOOKUP_TABLE name tuples: bytes in a binary file, fractions in a text.
static toc_status skip_colours(vtk_reader *reader, bool table) {
    toc_source_word(reader->source);
    size_t number = 0, count;
    TOC_TRY(vtk_take_count(reader, &number));
    if (__builtin_mul_overflow(number, table ? 4 : reader->tuples, &count))
        return fail_here(reader, "%zu colours are too many", number);
    return skip_array(reader, (vtk_type){"unsigned_char", TOC_UINT8, 8}, count);
}

/// VECTORS name type and its like; TEXTURE_COORDINATES say how many components they have.
static toc_status read_tuples(vtk_reader *reader, size_t components) {
    const toc_text name = toc_source_word(reader->source);
    if (components == 0) TOC_TRY(vtk_take_count(reader, &components));
    vtk_type type = {0};
    TOC_TRY(vtk_take_type(reader, &type));
    return read_data(reader, name, type, components, reader->tuples);
}

static toc_status read_attribute(vtk_reader *reader, toc_text keyword) {
    static const struct {
        const char *keyword;
        size_t components;
    } tuples[] = {{"VECTORS", 3},    {"NORMALS", 3},      {"TENSORS", 9},    {"TENSORS6", 6},
                  {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}, {"EDGE_FLAGS", 1}, {"TEXTURE_COORDINATES", 0}};
    for (size_t i = 0; i < sizeof tuples / sizeof *tuples; i++)
        if (is_word(keyword, tuples[i].keyword)) return read_tuples(reader, tuples[i].components);
    if (is_word(keyword, "SCALARS")) return read_scalars(reader);
    if (is_word(keyword, "COLOR_SCALARS")) return skip_colours(reader, false);
    if (is_word(keyword, "LOOKUP_TABLE")) return skip_colours(reader, true);
    return fail_here(reader, "unknown section \"%.*s\"", SHOW(keyword));
}

static toc_status vtk_read_section(vtk_reader *reader, toc_text keyword) {
    if (is_word(keyword, "POINTS")) return read_points(reader);
    if (is_word(keyword, "CELLS")) return read_cells(reader, 0);
    if (is_word(keyword, "CELL_TYPES")) return read_cell_types(reader);
    if (is_word(keyword, "VERTICES")) return read_cells(reader, TOC_CELL_POINTS);
    if (is_word(keyword, "LINES")) return read_cells(reader, TOC_CELL_LINES);
    if (is_word(keyword, "POLYGONS")) return read_cells(reader, TOC_CELL_POLYGON);
    if (is_word(keyword, "TRIANGLE_STRIPS")) return read_cells(reader, TOC_CELL_STRIP);
    if (is_word(keyword, "CELL_DATA")) return begin_data(reader, true);
    if (is_word(keyword, "POINT_DATA")) return begin_data(reader, false);
    if (is_word(keyword, "FIELD")) return read_field(reader);
    if (is_word(keyword, "METADATA")) return skip_metadata(reader), TOC_OK;
    return read_attribute(reader, keyword);
}

static const char magic[] = "# vtk DataFile Version ";

static bool vtk_recognise(const toc_source *source) {
    const size_t length = sizeof magic - 1;
    return (size_t)(source->end - source->begin) > length && strncasecmp(source->begin, magic, length) == 0;
}

/// The first two lines and the word for the encoding.
static toc_status vtk_read_header(vtk_reader *reader) {
    toc_source *source = reader->source;
    if (!vtk_recognise(source)) return toc_source_fail(source, "does not begin with \"%s\"", magic);
    source->at = source->begin + sizeof magic - 1;
    int64_t version;
    if (!toc_source_digits(source, &version) || version < 1 || version > 5)
        return toc_source_fail(source, "versions 1 to 5 are known");
    reader->version = (int)version;
    toc_source_next_line(source);
    toc_source_next_line(source); // skip the title
    toc_source_skip_space(source);
    const toc_text encoding = toc_source_word(source);
    reader->binary = is_word(encoding, "BINARY");
    if (reader->binary || is_word(encoding, "ASCII")) return TOC_OK;
    return toc_source_fail(source, "ASCII or BINARY was expected, not \"%.*s\"", SHOW(encoding));
}

static toc_status read_dataset(vtk_reader *reader) {
    toc_source *source = reader->source;
    toc_source_skip_space(source);
    const toc_text keyword = toc_source_word(source);
    if (!is_word(keyword, "DATASET"))
        return toc_source_fail(source, "DATASET was expected, not \"%.*s\"", SHOW(keyword));
    const toc_text kind = toc_source_word(source);
    reader->polydata = is_word(kind, "POLYDATA");
    if (reader->polydata || is_word(kind, "UNSTRUCTURED_GRID")) return TOC_OK;
    return toc_source_fail(source, "a DATASET of kind \"%.*s\" is not read, only POLYDATA and UNSTRUCTURED_GRID",
                           SHOW(kind));
}

static toc_status vtk_read_file(vtk_reader *reader) {
    TOC_TRY(vtk_read_header(reader));
    TOC_TRY(read_dataset(reader));
    while (toc_source_skip_space(reader->source)) TOC_TRY(vtk_read_section(reader, toc_source_word(reader->source)));
    if (!reader->polydata && reader->cells.sections.count == 0)
        return toc_source_fail(reader->source, "the file ends before any CELLS");
    const char *at = reader->source->end;
    const toc_status status = toc_vtk_cells_build(&reader->cells, &at);
    return vtk_place(reader, at, status);
}

static toc_status vtk_read(toc_source *source, toc_mesh *mesh) {
    vtk_reader reader = {.source = source, .cells = toc_vtk_cells_begin(&source->allocator, mesh)};
    const toc_status status = vtk_read_file(&reader);
    toc_vtk_cells_free(&reader.cells);
    // Cells that became several elements, or none, have no labels.
    if (mesh->element_labels.count != toc_mesh_get_element_count(mesh))
        mesh->element_labels.count = mesh->element_labels.each.count = 0;
    return status == TOC_OK ? toc_vtk_cells_finish(mesh) : status;
}

static void put32(toc_sink *sink, size_t count, const uint32_t *values) {
    assert(count <= 16);
    uint32_t turned[16];
    for (size_t i = 0; i < count; i++) turned[i] = toc_load_u32(values + i, true);
    toc_sink_write(sink, turned, count * sizeof *turned);
}

static void put64(toc_sink *sink, size_t count, const double *values) {
    assert(count <= 16);
    uint64_t turned[16];
    for (size_t i = 0; i < count; i++) turned[i] = toc_load_u64(values + i, true);
    toc_sink_write(sink, turned, count * sizeof *turned);
}

static void write_points(toc_sink *sink, const toc_mesh *mesh, const double *x) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    toc_sink_print(sink, "POINTS %zu double\n", count);
    for (size_t i = 0; i < count; i++) put64(sink, 3, x + 3 * i);
    toc_sink_print(sink, "\n");
}

/// Call `put` with each element that exists.
static void vtk_write_each(toc_sink *sink, const toc_mesh *mesh,
                           void (*put)(toc_sink *sink, const toc_element *element)) {
    const size_t count = toc_mesh_get_element_count(mesh);
    for (size_t i = 0; i < count; i++) {
        const toc_element element = toc_mesh_get_element(mesh, (uint32_t)i);
        if (element.shape != TOC_REMOVED) put(sink, &element);
    }
    toc_sink_print(sink, "\n");
}

static void vtk_put_corners(toc_sink *sink, const toc_element *element) {
    uint32_t row[9] = {(uint32_t)element->corner_count};
    for (int i = 0; i < element->corner_count; i++) row[i + 1] = element->corners[i];
    put32(sink, 1 + (size_t)element->corner_count, row);
}

static void put_type(toc_sink *sink, const toc_element *element) {
    put32(sink, 1, &(uint32_t){toc_vtk_cell_of_shape(element->shape)});
}

static void put_group(toc_sink *sink, const toc_element *element) {
    put32(sink, 1, &(uint32_t){(uint32_t)element->group});
}

static void put_thickness(toc_sink *sink, const toc_element *element) { put64(sink, 1, &element->thickness); }

static void put_label(toc_sink *sink, int64_t label) {
    const uint64_t turned = toc_load_u64(&label, true);
    toc_sink_write(sink, &turned, sizeof turned);
}

static void vtk_write_element_labels(toc_sink *sink, const toc_mesh *mesh) {
    const uint32_t count = (uint32_t)toc_mesh_get_element_count(mesh);
    toc_sink_print(sink, "SCALARS element_labels vtktypeint64 1\nLOOKUP_TABLE default\n");
    for (uint32_t i = 0; i < count; i++) {
        int64_t label;
        toc_mesh_get_element_label(mesh, i, &label);
        if (toc_mesh_get_element(mesh, i).shape != TOC_REMOVED) put_label(sink, label);
    }
    toc_sink_print(sink, "\n");
}

/// Readers of frames follow vertices by these numbers.
static void vtk_write_vertex_labels(toc_sink *sink, const toc_mesh *mesh, uint32_t count) {
    toc_sink_print(sink, "SCALARS vertex_labels vtktypeint64 1\nLOOKUP_TABLE default\n");
    for (uint32_t v = 0; v < count; v++) {
        int64_t label;
        toc_mesh_get_vertex_label(mesh, v, &label);
        put_label(sink, label);
    }
    toc_sink_print(sink, "\n");
}

static void vtk_write_vertex_data(toc_sink *sink, const toc_mesh *mesh) {
    const uint32_t count = (uint32_t)toc_mesh_get_vertex_count(mesh);
    const double *velocities = toc_sink_velocities(sink);
    if (count == 0 || (!velocities && mesh->vertex_labels.count == 0)) return;
    toc_sink_print(sink, "POINT_DATA %u\n", count);
    if (velocities) {
        toc_sink_print(sink, "VECTORS velocity double\n");
        for (size_t v = 0; v < count; v++) put64(sink, 3, velocities + 3 * v);
        toc_sink_print(sink, "\n");
    }
    if (mesh->vertex_labels.count > 0) vtk_write_vertex_labels(sink, mesh, count);
}

static void write_data(toc_sink *sink, const toc_mesh *mesh, toc_vtk_cell_totals totals) {
    const bool labelled = mesh->element_labels.count > 0;
    if (!totals.grouped && !totals.thick && !labelled) return;
    toc_sink_print(sink, "CELL_DATA %zu\n", totals.cells);
    if (totals.grouped) {
        toc_sink_print(sink, "SCALARS group int 1\nLOOKUP_TABLE default\n");
        vtk_write_each(sink, mesh, put_group);
    }
    if (totals.thick) {
        toc_sink_print(sink, "SCALARS thickness double 1\nLOOKUP_TABLE default\n");
        vtk_write_each(sink, mesh, put_thickness);
    }
    if (labelled) vtk_write_element_labels(sink, mesh);
}

static toc_status vtk_write(toc_sink *sink, const toc_mesh *mesh, const double *x) {
    const toc_vtk_cell_totals totals = toc_vtk_cell_totals_of(mesh);
    if (toc_mesh_get_vertex_count(mesh) > INT32_MAX || totals.cells + totals.corners > INT32_MAX)
        return toc_fail(TOC_BAD_INPUT,
                        "the mesh is too large for a .vtk file, whose integers have 32 bits; .vtu holds it");
    toc_sink_print(sink, "%s3.0\ntoccata\nBINARY\nDATASET UNSTRUCTURED_GRID\n", magic);
    write_points(sink, mesh, x);
    toc_sink_print(sink, "CELLS %zu %zu\n", totals.cells, totals.cells + totals.corners);
    vtk_write_each(sink, mesh, vtk_put_corners);
    toc_sink_print(sink, "CELL_TYPES %zu\n", totals.cells);
    vtk_write_each(sink, mesh, put_type);
    write_data(sink, mesh, totals);
    vtk_write_vertex_data(sink, mesh);
    return TOC_OK;
}

const toc_format toc_format_vtk = {
    .info = {.name = "vtk", .extensions = ".vtk", .what = "legacy VTK, text or binary: POLYDATA and UNSTRUCTURED_GRID"},
    .recognise = vtk_recognise,
    .read = vtk_read,
    .write = vtk_write,
};
