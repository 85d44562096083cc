// SPDX-License-Identifier: Apache-2.0
// MFEM's meshes (.mesh), versions 1.0 and 1.2: elements, boundary, and vertices, whose places may be the nodes of a
// finite element space instead.
//
// Attributes of elements are their groups. Those of the boundary are counted on from the highest of them and named,
// since both are numbered from 1. Of a curved mesh the vertices are taken, which come first in every continuous space;
// others, as periodic meshes have them, are refused. After "Mesh formats" of MFEM's documentation.
#include <stdio.h>

#include "io/builder.h"
#include "io/format.h"
#include "mesh/shape.h"

typedef struct mfem_reader {
    toc_source *source;
    toc_mesh *mesh;
    toc_builder builder;
    int64_t highest; // attribute of an element
    bool has_elements, has_vertices;
} mfem_reader;

static const char magic[] = "MFEM mesh v1.";

// To the next word that is not part of a comment.
static void skip_gap(toc_source *source) {
    while (toc_source_skip_space(source) && *source->at == '#') toc_source_next_line(source);
}

static toc_status take_integer(mfem_reader *reader, int64_t *out) {
    skip_gap(reader->source);
    return toc_source_integer(reader->source, out);
}

static toc_status take_count(mfem_reader *reader, size_t least_bytes, const char *what, size_t *out) {
    int64_t count;
    TOC_TRY(take_integer(reader, &count));
    if (count < 0) return toc_source_fail(reader->source, "%lld %s cannot be", (long long)count, what);
    *out = (size_t)count;
    return toc_source_check_count(reader->source, *out, least_bytes, what);
}

static toc_status read_corners(mfem_reader *reader, toc_shape shape) {
    const int corners = toc_shape_corners(shape);
    int64_t vertices[8];
    for (int i = 0; i < corners; i++) TOC_TRY(take_integer(reader, &vertices[i]));
    for (int i = 0; i < corners; i++)
        TOC_TRY(toc_builder_add_corner(&reader->builder, vertices[shape == TOC_WEDGE ? toc_wedge_turn[i] : i]));
    return toc_builder_close_elements(&reader->builder, shape, 1);
}

// "attribute geometry corners"
static toc_status read_element(mfem_reader *reader, int64_t base) {
    static const toc_shape shapes[] = {TOC_POINT, TOC_EDGE, TOC_TRIANGLE, TOC_QUAD,
                                       TOC_TET,   TOC_HEX,  TOC_WEDGE,    TOC_PYRAMID};
    int64_t attribute, geometry;
    TOC_TRY(take_integer(reader, &attribute));
    TOC_TRY(take_integer(reader, &geometry));
    if (attribute < 0 || attribute > INT32_MAX - base)
        return toc_source_fail(reader->source, "attribute %lld", (long long)attribute);
    if (geometry < 0 || geometry >= (int64_t)(sizeof shapes / sizeof *shapes))
        return toc_source_fail(reader->source, "elements of geometry %lld are not known", (long long)geometry);
    reader->builder.group = (int32_t)(base + attribute);
    return read_corners(reader, shapes[geometry]);
}

static toc_status read_elements(mfem_reader *reader) {
    size_t count;
    TOC_TRY(take_count(reader, 6, "elements", &count));
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(read_element(reader, 0));
        if (reader->builder.group > reader->highest) reader->highest = reader->builder.group;
    }
    reader->has_elements = true;
    return TOC_OK;
}

static toc_status name_boundary(mfem_reader *reader) {
    const int32_t group = reader->builder.group;
    if (toc_mesh_group_name(reader->mesh, group)) return TOC_OK;
    char name[32];
    snprintf(name, sizeof name, "boundary %lld", (long long)(group - reader->highest));
    return toc_mesh_set_group_name(reader->mesh, group, name);
}

static toc_status read_boundary(mfem_reader *reader) {
    size_t count;
    TOC_TRY(take_count(reader, 6, "boundary elements", &count));
    int32_t last = -1;
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(read_element(reader, reader->highest));
        if (reader->builder.group != last) TOC_TRY(name_boundary(reader));
        last = reader->builder.group;
    }
    return TOC_OK;
}

static toc_status take_double(mfem_reader *reader, double *out) {
    toc_source_skip_space(reader->source);
    return toc_source_double(reader->source, out);
}

// The rest of the line behind a label.
static toc_status take_field(mfem_reader *reader, const char *label, toc_text *out) {
    skip_gap(reader->source);
    const toc_text word = toc_source_word(reader->source);
    *out = toc_source_line(reader->source);
    if (toc_text_is(word, label)) return TOC_OK;
    reader->source->at = word.at;
    return toc_source_fail(reader->source, "\"%s\" was expected", label);
}

static bool begins(toc_text text, const char *with) {
    return text.count >= strlen(with) && memcmp(text.at, with, strlen(with)) == 0;
}

// Spaces whose first degrees of freedom are the vertices.
static bool is_continuous(toc_text space) {
    return begins(space, "H1_") || begins(space, "H1@") || begins(space, "H1Pos") || begins(space, "H1Ser") ||
           toc_text_is(space, "Linear") || toc_text_is(space, "Quadratic") || toc_text_is(space, "Cubic");
}

// How many numbers there are from here to the end, or to the word that ends a file of version 1.2.
static size_t count_numbers(toc_source source) {
    size_t count = 0;
    while (toc_source_skip_space(&source) && *source.at != 'm') {
        toc_source_word(&source);
        count++;
    }
    return count;
}

static toc_status skip_numbers(mfem_reader *reader, size_t count) {
    for (size_t i = 0; i < count; i++) {
        toc_source_skip_space(reader->source);
        toc_source_word(reader->source);
    }
    return TOC_OK;
}

// Places side by side (all x, all y, all z), or one after the other.
static toc_status read_values(mfem_reader *reader, size_t vertices, size_t dimension, bool side_by_side, size_t nodes) {
    double *positions = reader->builder.parts.positions.at;
    for (size_t k = 0; side_by_side && k < dimension; k++) {
        for (size_t i = 0; i < vertices; i++) TOC_TRY(take_double(reader, &positions[3 * i + k]));
        TOC_TRY(skip_numbers(reader, nodes - vertices));
    }
    for (size_t i = 0; !side_by_side && i < vertices; i++)
        for (size_t k = 0; k < dimension; k++) TOC_TRY(take_double(reader, &positions[3 * i + k]));
    return side_by_side ? TOC_OK : skip_numbers(reader, (nodes - vertices) * dimension);
}

// Vertices at the origin, to be moved.
static toc_status add_vertices(mfem_reader *reader, size_t count) {
    TOC_TRY(toc_builder_reserve(&reader->builder, count, 0));
    for (size_t i = 0; i < count; i++) toc_builder_put_vertex(&reader->builder, (const double[3]){0});
    return TOC_OK;
}

static toc_status read_nodes(mfem_reader *reader, size_t vertices) {
    toc_source *source = reader->source;
    toc_text text, space;
    TOC_TRY(take_field(reader, "FiniteElementSpace", &text));
    TOC_TRY(take_field(reader, "FiniteElementCollection:", &space));
    if (!is_continuous(space))
        return toc_source_fail(source, "nodes of the space \"%.*s\" are not read, only of continuous ones",
                               (int)(space.count % 60), space.at);
    int64_t dimension, ordering;
    skip_gap(source);
    if (!toc_text_is(toc_source_word(source), "VDim:")) return toc_source_fail(source, "\"VDim:\" was expected");
    TOC_TRY(toc_source_integer(source, &dimension));
    skip_gap(source);
    if (!toc_text_is(toc_source_word(source), "Ordering:"))
        return toc_source_fail(source, "\"Ordering:\" was expected");
    TOC_TRY(toc_source_integer(source, &ordering));
    if (dimension < 1 || dimension > 3 || ordering < 0 || ordering > 1)
        return toc_source_fail(source, "nodes of %lld dimensions in order %lld", (long long)dimension,
                               (long long)ordering);
    const size_t nodes = count_numbers(*source) / (size_t)dimension;
    if (nodes < vertices) return toc_source_fail(source, "%zu nodes for %zu vertices", nodes, vertices);
    TOC_TRY(add_vertices(reader, vertices));
    if (nodes > vertices) reader->mesh->higher_order = toc_builder_element_count(&reader->builder);
    return read_values(reader, vertices, (size_t)dimension, ordering == 0, nodes);
}

static toc_status read_vertices(mfem_reader *reader) {
    size_t count;
    int64_t dimension;
    TOC_TRY(take_count(reader, 2, "vertices", &count));
    reader->has_vertices = true;
    skip_gap(reader->source);
    if (begins((toc_text){reader->source->at, toc_source_left(reader->source)}, "nodes")) {
        toc_source_word(reader->source);
        return read_nodes(reader, count);
    }
    TOC_TRY(take_integer(reader, &dimension));
    if (dimension < 1 || dimension > 3)
        return toc_source_fail(reader->source, "vertices of %lld dimensions", (long long)dimension);
    TOC_TRY(add_vertices(reader, count));
    return read_values(reader, count, (size_t)dimension, false, count);
}

static toc_status read_section(mfem_reader *reader, toc_text name) {
    int64_t dimension;
    if (toc_text_is(name, "dimension")) return take_integer(reader, &dimension);
    if (toc_text_is(name, "elements")) return read_elements(reader);
    if (toc_text_is(name, "boundary") && reader->has_elements) return read_boundary(reader);
    if (toc_text_is(name, "vertices") && !reader->has_vertices) return read_vertices(reader);
    if (toc_text_is(name, "mfem_mesh_end")) return reader->source->at = reader->source->end, TOC_OK;
    reader->source->at = name.at;
    return toc_source_fail(reader->source, "a section \"%.*s\" was not expected here", (int)(name.count % 60), name.at);
}

static bool recognise(const toc_source *source) { return strncmp(source->begin, magic, sizeof magic - 1) == 0; }

static toc_status read_file(mfem_reader *reader) {
    toc_source *source = reader->source;
    const toc_text head = toc_source_line(source);
    if (!toc_text_is(head, "MFEM mesh v1.0") && !toc_text_is(head, "MFEM mesh v1.2")) {
        source->at = head.at;
        return toc_source_fail(source, "does not begin with \"%s0\" or \"%s2\"", magic, magic);
    }
    for (skip_gap(source); source->at < source->end; skip_gap(source))
        TOC_TRY(read_section(reader, toc_source_word(source)));
    if (!reader->has_vertices) return toc_source_fail(source, "the file ends before any vertices");
    return toc_builder_finish(&reader->builder, reader->mesh);
}

static toc_status mfem_read(toc_source *source, toc_mesh *mesh) {
    mfem_reader reader = {.source = source, .mesh = mesh, .builder = toc_builder_begin(source)};
    const toc_status status = read_file(&reader);
    toc_builder_free(&reader.builder);
    return status;
}

const toc_format toc_format_mfem = {
    .info = {.name = "mfem",
             .extensions = ".mesh",
             .what = "MFEM 1.0 and 1.2: all shapes and the boundary, attributes"},
    .recognise = recognise,
    .read = mfem_read,
};
