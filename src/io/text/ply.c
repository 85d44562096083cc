// SPDX-License-Identifier: Apache-2.0
// PLY, the Stanford polygon format: text or binary in either byte order, any scalar types, any further elements and
// properties, which are passed over. Read are x, y, z of `vertex`, its velocity vx, vy, vz on request, its number
// vertex_label, the corners of `face`, both ends of `edge`, and `point`, which Toccata writes for loose points among
// faces. Written in binary, with doubles.
// After Greg Turk's description of 1994.
#include <assert.h>

#include "io/core/builder.h"
#include "io/core/format.h"
#include "io/core/surface.h"
#include "mesh/mesh.h"

typedef enum ply_type { NO_TYPE, INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64 } ply_type;

static const struct {
    const char *name;
    ply_type type;
} type_names[] = {{"char", INT8},   {"uchar", UINT8},   {"short", INT16},     {"ushort", UINT16},
                  {"int", INT32},   {"uint", UINT32},   {"float", FLOAT32},   {"double", FLOAT64},
                  {"int8", INT8},   {"uint8", UINT8},   {"int16", INT16},     {"uint16", UINT16},
                  {"int32", INT32}, {"uint32", UINT32}, {"float32", FLOAT32}, {"float64", FLOAT64}};

static size_t type_size(ply_type type) {
    static const uint8_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[type];
}

// Every type of the format fits a double.
static inline double ply_load(const char *at, ply_type type, bool big) {
    switch (type) {
    case INT8:
        return (int8_t)*at;
    case UINT8:
        return (uint8_t)*at;
    case INT16:
        return (int16_t)toc_load_u16(at, big);
    case UINT16:
        return toc_load_u16(at, big);
    case INT32:
        return (int32_t)toc_load_u32(at, big);
    case UINT32:
        return toc_load_u32(at, big);
    case FLOAT32:
        return (double)toc_load_f32(at, big);
    default:
        return toc_load_f64(at, big);
    }
}

// The use of a property.
typedef enum ply_role {
    OTHER,
    AXIS_X,
    AXIS_Y,
    AXIS_Z,
    SPEED_X,
    SPEED_Y,
    SPEED_Z,
    LABEL,
    CORNER,
    VERTEX_ROLES = LABEL // those of vertices, from AXIS_X on
} ply_role;
typedef enum ply_kind { KIND_OTHER, KIND_VERTEX, KIND_POLYGON } ply_kind;

typedef struct ply_property {
    ply_type count_type; // of a list; NO_TYPE for a single value
    ply_type type;
    ply_role role;
} ply_property;

typedef struct ply_element {
    toc_text name;
    ply_kind kind;
    uint64_t count;
    size_t first, end; // of its properties
} ply_element;

typedef struct ply_reader {
    toc_source *source;
    toc_builder builder;
    bool text, big;
    TOC_ARRAY(ply_element) elements;
    TOC_ARRAY(ply_property) properties;
    TOC_ARRAY(double) velocities; // 3 a vertex, where they are wanted and there
    TOC_ARRAY(int64_t) labels;    // of vertices; fewer than these where one is no integer
} ply_reader;

static bool ply_recognise(const toc_source *source) {
    const char *at = source->begin;
    return strncmp(at, "ply", 3) == 0 && (at[3] == '\n' || toc_is_blank(at[3]));
}

static toc_status read_encoding(ply_reader *reader) {
    const toc_text word = toc_source_word(reader->source);
    reader->text = toc_text_is(word, "ascii");
    reader->big = toc_text_is(word, "binary_big_endian");
    reader->builder.binary = !reader->text;
    if (reader->text || reader->big || toc_text_is(word, "binary_little_endian")) return TOC_OK;
    return toc_source_fail(reader->source, "the encoding \"%.*s\" is not one of PLY's", (int)(word.count % 100),
                           word.at);
}

static ply_kind find_kind(toc_text name) {
    if (toc_text_is(name, "vertex")) return KIND_VERTEX;
    const bool polygon = toc_text_is(name, "face") || toc_text_is(name, "edge") || toc_text_is(name, "point");
    return polygon ? KIND_POLYGON : KIND_OTHER;
}

static toc_status read_element_line(ply_reader *reader) {
    const toc_text name = toc_source_word(reader->source);
    int64_t count;
    TOC_TRY(toc_source_integer(reader->source, &count));
    if (count < 0) return toc_source_fail(reader->source, "an element cannot occur %lld times", (long long)count);
    if (toc_text_is(name, "tristrips") && count > 0) {
        return toc_source_fail(reader->source, "triangle strips are not read; faces are");
    }
    const size_t first = reader->properties.count;
    TOC_TRY(toc_array_reserve(&reader->source->allocator, &reader->elements, 1));
    reader->elements.at[reader->elements.count++] =
        (ply_element){.name = name, .kind = find_kind(name), .count = (uint64_t)count, .first = first, .end = first};
    return TOC_OK;
}

static toc_status ply_read_type(toc_source *source, toc_text word, ply_type *out) {
    for (size_t i = 0; i < sizeof type_names / sizeof type_names[0]; i++) {
        if (!toc_text_is(word, type_names[i].name)) continue;
        *out = type_names[i].type;
        return TOC_OK;
    }
    return toc_source_fail(source, "\"%.*s\" is not one of PLY's types", (int)(word.count % 100), word.at);
}

static ply_role find_role(const ply_element *element, bool list, toc_text name) {
    static const char *const names[VERTEX_ROLES] = {"x", "y", "z", "vx", "vy", "vz", "vertex_label"};
    for (int i = 0; i < VERTEX_ROLES; i++) {
        if (element->kind == KIND_VERTEX && !list && toc_text_is(name, names[i])) return (ply_role)(AXIS_X + i);
    }
    if (element->kind != KIND_POLYGON) return OTHER;
    const bool corners = toc_text_is(name, "vertex_indices") || toc_text_is(name, "vertex_index");
    const bool end = toc_text_is(name, "vertex1") || toc_text_is(name, "vertex2");
    return (list && corners) || (!list && end) ? CORNER : OTHER;
}

static toc_status read_property_line(ply_reader *reader) {
    toc_source *source = reader->source;
    if (reader->elements.count == 0) return toc_source_fail(source, "a property before any element");
    ply_element *element = &reader->elements.at[reader->elements.count - 1];
    ply_property property = {NO_TYPE, NO_TYPE, OTHER};
    toc_text word = toc_source_word(source);
    const bool list = toc_text_is(word, "list");
    if (list) {
        TOC_TRY(ply_read_type(source, toc_source_word(source), &property.count_type));
        word = toc_source_word(source);
    }
    TOC_TRY(ply_read_type(source, word, &property.type));
    property.role = find_role(element, list, toc_source_word(source));
    TOC_TRY(toc_array_reserve(&source->allocator, &reader->properties, 1));
    reader->properties.at[reader->properties.count++] = property;
    element->end++;
    return TOC_OK;
}

static toc_status read_header_line(ply_reader *reader, toc_text word) {
    if (toc_text_is(word, "format")) return read_encoding(reader);
    if (toc_text_is(word, "element")) return read_element_line(reader);
    if (toc_text_is(word, "property")) return read_property_line(reader);
    if (toc_text_is(word, "comment") || toc_text_is(word, "obj_info") || word.count == 0) return TOC_OK;
    return toc_source_fail(reader->source, "\"%.*s\" does not belong in a PLY header", (int)(word.count % 100),
                           word.at);
}

static toc_status ply_read_header(ply_reader *reader) {
    while (toc_source_next_line(reader->source)) {
        const toc_text word = toc_source_word(reader->source);
        if (toc_text_is(word, "end_header")) {
            toc_source_next_line(reader->source);
            return TOC_OK;
        }
        TOC_TRY(read_header_line(reader, word));
    }
    return toc_source_fail(reader->source, "the header has no end");
}

static void count_roles(const ply_reader *reader, const ply_element *element, int roles[CORNER + 1]) {
    memset(roles, 0, (CORNER + 1) * sizeof *roles);
    for (size_t i = element->first; i < element->end; i++) roles[reader->properties.at[i].role]++;
}

// Velocities that are not wanted or not whole, and labels that are there twice, are passed over.
static void drop_roles(const ply_reader *reader, const ply_element *element) {
    int roles[CORNER + 1];
    count_roles(reader, element, roles);
    const bool moves = reader->source->velocities && roles[SPEED_X] == 1 && roles[SPEED_Y] == 1 && roles[SPEED_Z] == 1;
    for (size_t i = element->first; i < element->end; i++) {
        ply_role *role = &reader->properties.at[i].role;
        const bool speed = SPEED_X <= *role && *role <= SPEED_Z;
        if ((speed && !moves) || (*role == LABEL && roles[LABEL] > 1)) *role = OTHER;
    }
}

// Refuse polygons without corners and vertices without coordinates before any are read.
static toc_status check_element(const ply_reader *reader, const ply_element *element) {
    int roles[CORNER + 1];
    count_roles(reader, element, roles);
    const bool placed = roles[AXIS_X] == 1 && roles[AXIS_Y] == 1 && roles[AXIS_Z] == 1;
    if (element->kind == KIND_VERTEX && !placed) return toc_source_fail(reader->source, "vertices have no x, y and z");
    if (element->kind == KIND_POLYGON && roles[CORNER] == 0) {
        return toc_source_fail(reader->source, "elements \"%.*s\" have no corners", (int)(element->name.count % 100),
                               element->name.at);
    }
    return TOC_OK;
}

// The least size of an item: with all its lists empty.
static size_t least_bytes(const ply_reader *reader, const ply_element *element) {
    size_t bytes = 0;
    for (size_t i = element->first; i < element->end; i++) {
        const ply_property *p = &reader->properties.at[i];
        bytes += reader->text ? 2 : type_size(p->count_type ? p->count_type : p->type);
    }
    return bytes;
}

static toc_status read_number(ply_reader *reader, ply_type type, double *out) {
    toc_source *source = reader->source;
    if (reader->text) return toc_source_double(source, out);
    if (toc_source_left(source) < type_size(type)) return toc_source_fail_byte(source, "the file ends too early");
    *out = ply_load(source->at, type, reader->big);
    source->at += type_size(type);
    return TOC_OK;
}

static toc_status ply_skip_numbers(ply_reader *reader, ply_type type, size_t count) {
    if (!reader->text) {
        reader->source->at += count * type_size(type);
        return TOC_OK;
    }
    for (size_t i = 0; i < count; i++) {
        if (toc_source_word(reader->source).count == 0) return toc_source_fail(reader->source, "the line is too short");
    }
    return TOC_OK;
}

// A value that cannot be a vertex index becomes -1, which the builder refuses.
static inline int64_t as_vertex(double value) {
    const int64_t vertex = value >= 0 && value < UINT32_MAX ? (int64_t)value : -1;
    return (double)vertex == value ? vertex : -1;
}

static toc_status ply_read_corners(ply_reader *reader, ply_type type, size_t count) {
    double value;
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(read_number(reader, type, &value));
        TOC_TRY(toc_builder_add_corner(&reader->builder, as_vertex(value)));
    }
    return TOC_OK;
}

static toc_status read_list(ply_reader *reader, const ply_property *property) {
    double length;
    TOC_TRY(read_number(reader, property->count_type, &length));
    const size_t left = toc_source_left(reader->source);
    const size_t room = reader->text ? (left + 1) / 2 : left / type_size(property->type);
    if (!(length >= 0 && length <= (double)room)) {
        const char *sentence = "a list of %g items does not fit the file";
        return reader->text ? toc_source_fail(reader->source, sentence, length)
                            : toc_source_fail_byte(reader->source, sentence, length);
    }
    if (property->role == OTHER) return ply_skip_numbers(reader, property->type, (size_t)length);
    return ply_read_corners(reader, property->type, (size_t)length);
}

// The values of a vertex by their roles: coordinates, velocity, label.
static toc_status read_property(ply_reader *reader, const ply_property *property, double values[VERTEX_ROLES]) {
    if (property->count_type) return read_list(reader, property);
    if (property->role == OTHER && reader->text) return ply_skip_numbers(reader, property->type, 1);
    double value;
    TOC_TRY(read_number(reader, property->type, &value));
    if (property->role == CORNER) return toc_builder_add_corner(&reader->builder, as_vertex(value));
    if (property->role != OTHER) values[property->role - AXIS_X] = value;
    return TOC_OK;
}

// Texts were checked word by word.
static toc_status check_vertex(const ply_reader *reader, const double x[3]) {
    if (reader->text || (x[0] - x[0]) + (x[1] - x[1]) + (x[2] - x[2]) == 0) return TOC_OK;
    return toc_source_fail_byte(reader->source, "a coordinate of vertex %zu is not a finite number",
                                toc_builder_vertex_count(&reader->builder));
}

static bool has_role(const ply_reader *reader, const ply_element *element, ply_role role) {
    for (size_t i = element->first; i < element->end; i++)
        if (reader->properties.at[i].role == role) return true;
    return false;
}

// Keep the velocity and the label of a vertex. Doubles hold all integers up to 2^53.
static toc_status keep_extras(ply_reader *reader, const ply_element *element, const double values[VERTEX_ROLES]) {
    const toc_allocator *memory = &reader->source->allocator;
    const double label = values[LABEL - AXIS_X];
    if (has_role(reader, element, SPEED_X)) {
        TOC_TRY(toc_array_reserve(memory, &reader->velocities, 3));
        memcpy(reader->velocities.at + reader->velocities.count, values + 3, 3 * sizeof *values);
        reader->velocities.count += 3;
    }
    if (!has_role(reader, element, LABEL) || !(label >= -0x1p53 && label <= 0x1p53) || label != (double)(int64_t)label)
        return TOC_OK;
    TOC_TRY(toc_array_reserve(memory, &reader->labels, 1));
    reader->labels.at[reader->labels.count++] = (int64_t)label;
    return TOC_OK;
}

static toc_status read_item(ply_reader *reader, const ply_element *element) {
    double x[VERTEX_ROLES] = {0};
    if (reader->text) toc_source_skip_space(reader->source);
    for (size_t i = element->first; i < element->end; i++) {
        TOC_TRY(read_property(reader, &reader->properties.at[i], x));
    }
    if (element->kind == KIND_VERTEX) TOC_TRY(check_vertex(reader, x));
    if (element->kind == KIND_VERTEX) TOC_TRY(toc_builder_add_vertex(&reader->builder, x));
    if (element->kind == KIND_VERTEX) TOC_TRY(keep_extras(reader, element, x));
    if (element->kind == KIND_POLYGON) TOC_TRY(toc_builder_close_polygon(&reader->builder));
    if (reader->text) toc_source_next_line(reader->source);
    return TOC_OK;
}

/// Where the values of binary vertices of one size are, by role; no type for those that are not there.
typedef struct ply_layout {
    size_t offsets[VERTEX_ROLES];
    ply_type types[VERTEX_ROLES];
} ply_layout;

// Whether these are binary vertices that all have the same size.
static bool find_layout(const ply_reader *reader, const ply_element *element, ply_layout *layout) {
    if (reader->text || element->kind != KIND_VERTEX) return false;
    size_t offset = 0;
    for (size_t i = element->first; i < element->end; i++) {
        const ply_property *p = &reader->properties.at[i];
        if (p->count_type) return false;
        if (p->role != OTHER) {
            layout->offsets[p->role - AXIS_X] = offset;
            layout->types[p->role - AXIS_X] = p->type;
        }
        offset += type_size(p->type);
    }
    return true;
}

// Vertices of `stride` bytes each, known to be there.
static toc_status take_vertices(ply_reader *reader, const ply_element *element, size_t stride,
                                const ply_layout *layout) {
    assert(stride > 0);
    toc_source *source = reader->source;
    const size_t count = (size_t)element->count;
    const int roles = layout->types[SPEED_X - AXIS_X] || layout->types[LABEL - AXIS_X] ? VERTEX_ROLES : 3;
    TOC_TRY(toc_builder_reserve(&reader->builder, count, 0));
    for (size_t i = 0; i < count; i++, source->at += stride) {
        double x[VERTEX_ROLES] = {0};
        for (int k = 0; k < roles; k++)
            if (layout->types[k]) x[k] = ply_load(source->at + layout->offsets[k], layout->types[k], reader->big);
        TOC_TRY(check_vertex(reader, x));
        toc_builder_put_vertex(&reader->builder, x);
        if (roles > 3) TOC_TRY(keep_extras(reader, element, x));
    }
    return TOC_OK;
}

// Whether these are binary polygons of the common kind: a byte that counts the corners, and 32 bits for each.
static bool is_plain(const ply_reader *reader, const ply_element *element) {
    const ply_property *p = &reader->properties.at[element->first];
    return !reader->text && element->kind == KIND_POLYGON && element->end == element->first + 1 &&
           p->count_type == UINT8 && (p->type == INT32 || p->type == UINT32);
}

static toc_status take_polygon(ply_reader *reader, bool is_signed) {
    toc_source *source = reader->source;
    const size_t left = toc_source_left(source), count = left > 0 ? (uint8_t)*source->at : 1;
    if (left < 1 + 4 * count) return toc_source_fail_byte(source, "the file ends too early");
    TOC_TRY(toc_builder_reserve(&reader->builder, 0, count));
    source->at++;
    for (size_t i = 0; i < count; i++, source->at += 4) {
        const uint32_t bits = toc_load_u32(source->at, reader->big);
        const int64_t vertex = is_signed ? (int32_t)bits : (int64_t)bits;
        if (!toc_builder_put_corner(&reader->builder, vertex)) return toc_builder_fail_corner(&reader->builder, vertex);
    }
    return toc_builder_close_polygon(&reader->builder);
}

static toc_status take_polygons(ply_reader *reader, const ply_element *element) {
    const bool is_signed = reader->properties.at[element->first].type == INT32;
    for (uint64_t i = 0; i < element->count; i++) TOC_TRY(take_polygon(reader, is_signed));
    return TOC_OK;
}

static toc_status ply_read_elements(ply_reader *reader, const ply_element *element) {
    TOC_TRY(check_element(reader, element));
    drop_roles(reader, element);
    const size_t least = least_bytes(reader, element);
    if (least == 0) return TOC_OK;
    TOC_TRY(toc_source_check_count(reader->source, element->count, least, "items"));
    ply_layout layout = {{0}, {NO_TYPE}};
    if (find_layout(reader, element, &layout) && element->count <= toc_source_left(reader->source) / least) {
        return take_vertices(reader, element, least, &layout);
    }
    if (is_plain(reader, element)) return take_polygons(reader, element);
    for (uint64_t i = 0; i < element->count; i++) TOC_TRY(read_item(reader, element));
    return TOC_OK;
}

static toc_status ply_read_body(ply_reader *reader) {
    TOC_TRY(ply_read_header(reader));
    for (size_t i = 0; i < reader->elements.count; i++) TOC_TRY(ply_read_elements(reader, &reader->elements.at[i]));
    return TOC_OK;
}

// Extras of some vertices only count for none.
static toc_status hand_over_extras(ply_reader *reader, toc_mesh *mesh) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    if (reader->velocities.count == 3 * count && count > 0) {
        TOC_TRY(toc_array_reserve(&mesh->allocator, &mesh->velocities, 3 * count));
        memcpy(mesh->velocities.at, reader->velocities.at, 3 * count * sizeof *mesh->velocities.at);
        mesh->velocities.count = 3 * count;
    }
    if (reader->labels.count != count || count == 0) return TOC_OK;
    return toc_mesh_set_vertex_labels(mesh, count, reader->labels.at);
}

static toc_status read_ply(toc_source *source, toc_mesh *mesh) {
    if (!ply_recognise(source)) return toc_source_fail(source, "a PLY file begins with \"ply\"");
    ply_reader reader = {.source = source, .builder = toc_builder_begin(source), .text = true};
    toc_status status = ply_read_body(&reader);
    if (status == TOC_OK) status = toc_builder_finish(&reader.builder, mesh);
    if (status == TOC_OK) status = hand_over_extras(&reader, mesh);
    toc_builder_free(&reader.builder);
    toc_array_free(&source->allocator, &reader.velocities);
    toc_array_free(&source->allocator, &reader.labels);
    toc_array_free(&source->allocator, &reader.elements);
    toc_array_free(&source->allocator, &reader.properties);
    return status;
}

// Whether the mesh has one point for each vertex, in order, and nothing else: a file with vertices only says the same.
static bool is_cloud(size_t vertex_count, const toc_surface *surface) {
    if (surface->faces.count > 0 || surface->edges.count > 0 || surface->points.count != vertex_count) return false;
    for (size_t i = 0; i < vertex_count; i++) {
        if (surface->points.at[i] != i) return false;
    }
    return true;
}

static void write_header(toc_sink *sink, const toc_mesh *mesh, const toc_surface *surface, size_t points) {
    toc_sink_print(sink, "ply\nformat binary_little_endian 1.0\ncomment written by toccata\nelement vertex %zu\n",
                   toc_mesh_get_vertex_count(mesh));
    toc_sink_text(sink, "property double x\nproperty double y\nproperty double z\n");
    if (toc_sink_velocities(sink)) toc_sink_text(sink, "property double vx\nproperty double vy\nproperty double vz\n");
    if (mesh->vertex_labels.count > 0) toc_sink_text(sink, "property double vertex_label\n");
    const size_t faces = surface->faces.count, edges = surface->edges.count / 2;
    if (faces) toc_sink_print(sink, "element face %zu\nproperty list uchar uint vertex_indices\n", faces);
    if (edges) toc_sink_print(sink, "element edge %zu\nproperty uint vertex1\nproperty uint vertex2\n", edges);
    if (points) toc_sink_print(sink, "element point %zu\nproperty uint vertex1\n", points);
    toc_sink_text(sink, "end_header\n");
}

static void ply_write_vertices(toc_sink *sink, const toc_mesh *mesh, const double *x) {
    const size_t count = toc_mesh_get_vertex_count(mesh);
    const double *velocities = toc_sink_velocities(sink);
    const bool labelled = mesh->vertex_labels.count > 0;
    if (!velocities && !labelled) toc_sink_little(sink, x, sizeof *x, 3 * count);
    for (size_t v = 0; v < count && (velocities || labelled); v++) {
        int64_t label;
        toc_mesh_get_vertex_label(mesh, (uint32_t)v, &label);
        const double number = (double)label;
        toc_sink_little(sink, x + 3 * v, sizeof *x, 3);
        if (velocities) toc_sink_little(sink, velocities + 3 * v, sizeof *velocities, 3);
        if (labelled) toc_sink_little(sink, &number, sizeof number, 1);
    }
}

static void ply_write_all(toc_sink *sink, const toc_mesh *mesh, const double *x, const toc_surface *surface) {
    const size_t points = is_cloud(toc_mesh_get_vertex_count(mesh), surface) ? 0 : surface->points.count;
    write_header(sink, mesh, surface, points);
    ply_write_vertices(sink, mesh, x);
    for (size_t i = 0; i < surface->faces.count; i++) {
        const toc_surface_face *face = &surface->faces.at[i];
        toc_sink_write(sink, &face->corner_count, 1);
        toc_sink_little(sink, face->corners, sizeof face->corners[0], face->corner_count);
    }
    toc_sink_little(sink, surface->edges.at, sizeof surface->edges.at[0], surface->edges.count);
    toc_sink_little(sink, surface->points.at, sizeof surface->points.at[0], points);
}

static toc_status write_ply(toc_sink *sink, const toc_mesh *mesh, const double *x) {
    toc_surface surface;
    const toc_status status = toc_surface_find(mesh, toc_sink_allocator(sink), &surface);
    if (status == TOC_OK) ply_write_all(sink, mesh, x, &surface);
    toc_surface_free(&surface);
    return status;
}

const toc_format toc_format_ply = {
    .info = {.name = "ply", .extensions = ".ply", .what = "surfaces, edges and points; text, binary"},
    .recognise = ply_recognise,
    .read = read_ply,
    .write = write_ply,
};
