// SPDX-License-Identifier: Apache-2.0
// MFEM's meshes (.mesh), versions 1.0 and 1.2: elements, boundary, and vertices, whose positions may be the nodes of a
// finite element space instead.
//
// Attributes of elements are their groups. Those of the boundary are counted on from the highest of them and named,
// since both are numbered from 1. Of a curved mesh the vertices are taken, which come first in every continuous space;
// others, as periodic meshes have them, are refused. After "Mesh formats" of MFEM's documentation.
#include <assert.h>
#include <stdio.h>

#include "io/core/builder.h"
#include "io/core/format.h"
#include "mesh/features.h"
#include "mesh/shape.h"

typedef struct mfem_reader {
    toc_source *source;
    toc_mesh *mesh;
    toc_builder builder;
    int64_t highest; // attribute of an element
    bool has_elements, has_vertices;
    // Nodes of a space in place of vertices; their numbers begin at `values`, NULL if there are none.
    const char *values;
    size_t value_count, order, dimension;
    bool side_by_side;
} mfem_reader;

static const char magic[] = "MFEM mesh v1.";

static toc_status take_integer(mfem_reader *reader, int64_t *out) {
    toc_source_skip_comments(reader->source);
    return toc_source_integer(reader->source, out);
}

static toc_status mfem_read_corners(mfem_reader *reader, toc_shape shape) {
    assert(shape != TOC_REMOVED);
    const int corners = toc_shape_count_corners(shape);
    int64_t vertices[8];
    for (int i = 0; i < corners; i++) TOC_TRY(take_integer(reader, &vertices[i]));
    for (int i = 0; i < corners; i++)
        TOC_TRY(toc_builder_add_corner(&reader->builder, vertices[shape == TOC_WEDGE ? toc_wedge_turn[i] : i]));
    return toc_builder_close_elements(&reader->builder, shape, 1);
}

// "attribute geometry corners"
static toc_status mfem_read_element(mfem_reader *reader, int64_t base) {
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
    return mfem_read_corners(reader, shapes[geometry]);
}

static toc_status mfem_read_elements(mfem_reader *reader) {
    size_t count;
    TOC_TRY(toc_source_count(reader->source, 6, "elements", &count));
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(mfem_read_element(reader, 0));
        if (reader->builder.group > reader->highest) reader->highest = reader->builder.group;
    }
    reader->has_elements = true;
    return TOC_OK;
}

static toc_status name_boundary(mfem_reader *reader) {
    const int32_t group = reader->builder.group;
    if (toc_mesh_get_group_name(reader->mesh, group)) return TOC_OK;
    char name[32];
    snprintf(name, sizeof name, "boundary %lld", (long long)(group - reader->highest));
    return toc_mesh_set_group_name(reader->mesh, group, name);
}

static toc_status read_boundary(mfem_reader *reader) {
    size_t count;
    TOC_TRY(toc_source_count(reader->source, 6, "boundary elements", &count));
    int32_t last = -1;
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(mfem_read_element(reader, reader->highest));
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
static toc_status mfem_take_field(mfem_reader *reader, const char *label, toc_text *out) {
    toc_source_skip_comments(reader->source);
    const toc_text word = toc_source_word(reader->source);
    *out = toc_source_line(reader->source);
    if (toc_text_is(word, label)) return TOC_OK;
    reader->source->at = word.at;
    return toc_source_fail(reader->source, "\"%s\" was expected", label);
}

static bool mfem_begins(toc_text text, const char *with) {
    return text.count >= strlen(with) && memcmp(text.at, with, strlen(with)) == 0;
}

// The order of a space whose first degrees of freedom are the vertices, "H1_3D_P2" or "Quadratic"; 0 for others.
static size_t order_of(toc_text space) {
    static const char *const old_names[] = {"Linear", "Quadratic", "Cubic"};
    for (size_t i = 0; i < 3; i++)
        if (toc_text_is(space, old_names[i])) return i + 1;
    if (!mfem_begins(space, "H1_") && !mfem_begins(space, "H1@") && !mfem_begins(space, "H1Pos_")) return 0;
    size_t at = space.count, order = 0, place = 1;
    for (; at > 0 && space.count - at < 3 && (unsigned char)(space.at[at - 1] - '0') < 10; at--, place *= 10)
        order += place * (size_t)(space.at[at - 1] - '0');
    return at > 0 && space.at[at - 1] == 'P' ? order : 0;
}

// The number of numbers from here to the end, or to the word that ends a file of version 1.2.
static size_t count_numbers(toc_source source) {
    size_t count = 0;
    while (toc_source_skip_space(&source) && *source.at != 'm') {
        toc_source_word(&source);
        count++;
    }
    return count;
}

// "label: integer"
static toc_status take_labelled(mfem_reader *reader, const char *label, int64_t least, int64_t most, int64_t *out) {
    toc_source *source = reader->source;
    toc_source_skip_comments(source);
    if (!toc_text_is(toc_source_word(source), label)) return toc_source_fail(source, "\"%s\" was expected", label);
    TOC_TRY(toc_source_integer(source, out));
    if (*out >= least && *out <= most) return TOC_OK;
    return toc_source_fail(source, "\"%s %lld\" is not known", label, (long long)*out);
}

static toc_status mfem_read_nodes(mfem_reader *reader) {
    toc_source *source = reader->source;
    toc_text text, space;
    int64_t dimension, ordering;
    TOC_TRY(mfem_take_field(reader, "FiniteElementSpace", &text));
    TOC_TRY(mfem_take_field(reader, "FiniteElementCollection:", &space));
    reader->order = order_of(space);
    if (reader->order == 0)
        return toc_source_fail(source, "nodes of the space \"%.*s\" are not read, only of continuous ones",
                               (int)(space.count % 60), space.at);
    TOC_TRY(take_labelled(reader, "VDim:", 1, 3, &dimension));
    TOC_TRY(take_labelled(reader, "Ordering:", 0, 1, &ordering));
    reader->dimension = (size_t)dimension;
    reader->side_by_side = ordering == 0;
    reader->values = source->at;
    reader->value_count = count_numbers(*source);
    source->at = source->end; // they are read once the mesh is known
    return TOC_OK;
}

static void count_kinds(const toc_features *f, size_t *edges, size_t *triangles, size_t *quads) {
    *quads = 0;
    for (size_t i = 0; i < f->edge_count; i++) *quads += (f->edge_flags[i] & TOC_FEATURE_DIAGONAL) != 0;
    *edges = f->edge_count - *quads;
    *triangles = f->face_count - 2 * *quads;
}

// A mesh of the elements so far; only its features are used.
static toc_status sketch(const mfem_reader *reader, toc_mesh *mesh) {
    const toc_mesh_parts *parts = &reader->builder.parts;
    const uint32_t *corners = parts->corners.at;
    TOC_TRY(toc_mesh_add_vertices(mesh, parts->positions.count / 3, parts->positions.at, NULL));
    for (size_t i = 0; i < parts->runs.count; i++) {
        const toc_run *run = &parts->runs.at[i];
        TOC_TRY(toc_mesh_add_elements(mesh, run->shape, run->count, corners, NULL));
        corners += run->count * (size_t)toc_shape_count_corners(run->shape);
    }
    return TOC_OK;
}

// Nodes within an element that are within none of its faces.
static size_t inner_nodes(toc_shape shape, size_t n) {
    const size_t triangle = n > 1 ? n * (n - 1) / 2 : 0;
    if (shape == TOC_TET) return n > 1 ? triangle * (n - 2) / 3 : 0;
    if (shape == TOC_PYRAMID) return n > 1 ? triangle * (2 * n - 1) / 3 : 0;
    return shape == TOC_WEDGE ? triangle * n : shape == TOC_HEX ? n * n * n : 0;
}

static size_t mfem_add_nodes(const mfem_reader *reader, const toc_features *f) {
    const toc_mesh_parts *parts = &reader->builder.parts;
    const size_t n = reader->order - 1; // within an edge
    size_t edges, triangles, quads;
    count_kinds(f, &edges, &triangles, &quads);
    size_t count = parts->positions.count / 3 + edges * n + quads * n * n;
    if (n > 1) count += triangles * (n * (n - 1) / 2);
    for (size_t i = 0; i < parts->runs.count; i++)
        count += parts->runs.at[i].count * inner_nodes(parts->runs.at[i].shape, n);
    return count;
}

// The number of nodes of the space: at vertices, within edges, faces and volumes.
static toc_status count_nodes(const mfem_reader *reader, size_t *out) {
    toc_mesh *mesh;
    toc_features *features;
    TOC_TRY(toc_mesh_create(&reader->source->allocator, &mesh));
    toc_status status = sketch(reader, mesh);
    if (status == TOC_OK) status = toc_features_make(mesh, false, 1, &features);
    if (status == TOC_OK) {
        *out = mfem_add_nodes(reader, features);
        toc_features_destroy(features);
    }
    toc_mesh_destroy(mesh);
    return status;
}

static void mfem_skip_numbers(toc_source *source, size_t count) {
    for (size_t i = 0; i < count; i++) {
        toc_source_skip_space(source);
        toc_source_word(source);
    }
}

// Places one after the other, or side by side (all x, all y, all z), with the nodes that are no vertices behind.
static toc_status read_values(mfem_reader *reader, size_t nodes) {
    double *positions = reader->builder.parts.positions.at;
    const size_t vertices = toc_builder_vertex_count(&reader->builder), dimension = reader->dimension;
    for (size_t k = 0; reader->side_by_side && k < dimension; k++) {
        for (size_t i = 0; i < vertices; i++) TOC_TRY(take_double(reader, &positions[3 * i + k]));
        mfem_skip_numbers(reader->source, nodes - vertices);
    }
    for (size_t i = 0; !reader->side_by_side && i < vertices; i++)
        for (size_t k = 0; k < dimension; k++) TOC_TRY(take_double(reader, &positions[3 * i + k]));
    return TOC_OK;
}

// Move the vertices to their nodes, all of which must exist.
static toc_status mfem_place_vertices(mfem_reader *reader) {
    toc_builder *builder = &reader->builder;
    size_t nodes;
    if (builder->parts.corners.count > 0 && builder->highest >= toc_builder_vertex_count(builder))
        return TOC_OK; // refused with its position later
    TOC_TRY(count_nodes(reader, &nodes));
    if (reader->value_count != nodes * reader->dimension)
        return toc_source_fail(reader->source, "%zu numbers for %zu nodes of %zu dimensions", reader->value_count,
                               nodes, reader->dimension);
    if (reader->order > 1) reader->mesh->higher_order = toc_builder_element_count(builder);
    reader->source->at = reader->values;
    return read_values(reader, nodes);
}

// Vertices at the origin, to be moved.
static toc_status mfem_add_vertices(mfem_reader *reader, size_t count) {
    TOC_TRY(toc_builder_reserve(&reader->builder, count, 0));
    for (size_t i = 0; i < count; i++) toc_builder_put_vertex(&reader->builder, (const double[3]){0});
    return TOC_OK;
}

static toc_status read_vertices(mfem_reader *reader) {
    toc_source *source = reader->source;
    size_t count;
    int64_t dimension;
    TOC_TRY(toc_source_count(source, 2, "vertices", &count));
    reader->has_vertices = true;
    TOC_TRY(mfem_add_vertices(reader, count));
    toc_source_skip_comments(source);
    if (mfem_begins((toc_text){source->at, toc_source_left(source)}, "nodes")) {
        toc_source_word(source);
        return mfem_read_nodes(reader);
    }
    TOC_TRY(take_integer(reader, &dimension));
    if (dimension < 1 || dimension > 3)
        return toc_source_fail(source, "vertices of %lld dimensions", (long long)dimension);
    double *positions = reader->builder.parts.positions.at;
    for (size_t i = 0; i < count; i++)
        for (int64_t k = 0; k < dimension; k++) TOC_TRY(take_double(reader, &positions[3 * i + (size_t)k]));
    return TOC_OK;
}

static toc_status mfem_read_section(mfem_reader *reader, toc_text name) {
    int64_t dimension;
    if (toc_text_is(name, "dimension")) return take_integer(reader, &dimension);
    if (toc_text_is(name, "elements")) return mfem_read_elements(reader);
    if (toc_text_is(name, "boundary") && reader->has_elements) return read_boundary(reader);
    if (toc_text_is(name, "vertices") && !reader->has_vertices) return read_vertices(reader);
    if (toc_text_is(name, "mfem_mesh_end")) return reader->source->at = reader->source->end, TOC_OK;
    reader->source->at = name.at;
    return toc_source_fail(reader->source, "a section \"%.*s\" was not expected here", (int)(name.count % 60), name.at);
}

static bool mfem_recognise(const toc_source *source) { return strncmp(source->begin, magic, sizeof magic - 1) == 0; }

static toc_status mfem_read_file(mfem_reader *reader) {
    toc_source *source = reader->source;
    const toc_text head = toc_source_line(source);
    if (!toc_text_is(head, "MFEM mesh v1.0") && !toc_text_is(head, "MFEM mesh v1.2")) {
        source->at = head.at;
        return toc_source_fail(source, "does not begin with \"%s0\" or \"%s2\"", magic, magic);
    }
    for (toc_source_skip_comments(source); source->at < source->end; toc_source_skip_comments(source))
        TOC_TRY(mfem_read_section(reader, toc_source_word(source)));
    if (!reader->has_vertices) return toc_source_fail(source, "the file ends before any vertices");
    if (reader->values) TOC_TRY(mfem_place_vertices(reader));
    return toc_builder_finish(&reader->builder, reader->mesh);
}

static toc_status mfem_read(toc_source *source, toc_mesh *mesh) {
    mfem_reader reader = {.source = source, .mesh = mesh, .builder = toc_builder_begin(source)};
    const toc_status status = mfem_read_file(&reader);
    toc_builder_free(&reader.builder);
    return status;
}

const toc_format toc_format_mfem = {
    .info = {.name = "mfem",
             .extensions = ".mesh",
             .what = "MFEM 1.0 and 1.2: all shapes and the boundary, attributes"},
    .recognise = mfem_recognise,
    .read = mfem_read,
};
