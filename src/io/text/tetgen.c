// SPDX-License-Identifier: Apache-2.0
// TetGen's files: nodes (.node), tets (.ele) and faces (.face), and those of Triangle, which are the same in the plane.
// Text, with comments from a # to the end of the line.
//
// A .ele or a .face takes its vertices from the .node beside it, in the order of that file, whether it counts from 0 or
// 1. The first attribute of an element and the marker of a face or a lone node are the group, where they are integers.
// Elements of second order are taken by their corners, which come first. After "File formats" of TetGen's manual.
#include <assert.h>
#include <math.h>
#include <strings.h>

#include "base/platform/platform.h"
#include "io/core/builder.h"
#include "io/core/format.h"
#include "io/core/labels.h"
#include "io/text/tetgen.h"

typedef struct tetgen_reader {
    toc_source *source;
    toc_mesh *mesh;
    toc_builder builder;
    toc_labels nodes;
} tetgen_reader;

static bool line_is_over(toc_source *source) { return toc_source_line_ends(source) || *source->at == '#'; }

// A number of the head, or 0 if the line ends before it.
static toc_status read_option(toc_source *source, int64_t *out) {
    *out = 0;
    return line_is_over(source) ? TOC_OK : toc_source_integer(source, out);
}

// The words left on a line, at most `room` of which are kept.
static size_t take_words(toc_source *source, toc_text *words, size_t room) {
    assert(room > 0);
    size_t count = 0;
    for (; !line_is_over(source); count++) {
        const toc_text word = toc_source_word(source);
        if (count < room) words[count] = word;
    }
    return count;
}

// Attributes are any numbers; one that is an integer can be a group.
static int32_t tetgen_group_of(toc_source *source, toc_text word) {
    toc_source there = *source;
    double x;
    there.at = word.at;
    if (toc_source_double(&there, &x) != TOC_OK) return 0;
    return x == floor(x) && fabs(x) <= INT32_MAX ? (int32_t)x : 0;
}

// "index x y [z] [attributes] [marker]"
static toc_status read_node(tetgen_reader *reader, toc_source *source, int64_t dimension) {
    double x[3] = {0};
    int64_t index;
    toc_source_skip_comments(source);
    TOC_TRY(toc_source_integer(source, &index));
    for (int64_t i = 0; i < dimension; i++) TOC_TRY(toc_source_double(source, &x[i]));
    TOC_TRY(toc_labels_add(&reader->nodes, index));
    return toc_builder_add_vertex(&reader->builder, x);
}

// A single node is a point; its marker is the group.
static toc_status add_point(tetgen_reader *reader, int64_t attributes) {
    toc_source *source = reader->source;
    enum { ROOM = 64 };
    toc_text words[ROOM];
    const size_t count = take_words(source, words, ROOM), marker = (size_t)attributes;
    reader->builder.group = marker < count && marker < ROOM ? tetgen_group_of(source, words[marker]) : 0;
    TOC_TRY(toc_builder_add_corner(&reader->builder, (int64_t)toc_builder_vertex_count(&reader->builder) - 1));
    return toc_builder_close_elements(&reader->builder, TOC_POINT, 1);
}

// "count dimension attributes markers", then the nodes.
static toc_status tetgen_read_nodes(tetgen_reader *reader, toc_source *source) {
    size_t count;
    int64_t dimension, attributes;
    TOC_TRY(toc_source_count(source, 6, "nodes", &count));
    TOC_TRY(toc_source_integer(source, &dimension));
    TOC_TRY(read_option(source, &attributes));
    if (dimension < 2 || dimension > 3 || attributes < 0)
        return toc_source_fail(source, "nodes of %lld dimensions with %lld attributes", (long long)dimension,
                               (long long)attributes);
    toc_source_next_line(source);
    TOC_TRY(toc_builder_reserve(&reader->builder, count, 0));
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(read_node(reader, source, dimension));
        if (source == reader->source) TOC_TRY(add_point(reader, attributes));
        toc_source_next_line(source);
    }
    const toc_status status = toc_labels_finish(&reader->nodes);
    return status == TOC_BAD_INPUT ? toc_source_fail(source, "%s", toc_message_get()) : status;
}

static toc_status tetgen_read_corner(tetgen_reader *reader) {
    int64_t index;
    TOC_TRY(toc_source_integer(reader->source, &index));
    const int64_t vertex = toc_labels_find(&reader->nodes, index);
    if (vertex != TOC_LABEL_MISSING) return toc_builder_add_corner(&reader->builder, vertex);
    return toc_source_fail(reader->source, "node %lld is used, but the .node file has none of that number",
                           (long long)index);
}

// "index corners [nodes between] [group]" of an element of that many nodes; behind a face may stand its neighbours.
static toc_status tetgen_read_element(tetgen_reader *reader, toc_shape shape, size_t nodes) {
    toc_source *source = reader->source;
    enum { ROOM = 8 };
    toc_text words[ROOM];
    int64_t index;
    size_t between = nodes - (size_t)toc_shape_count_corners(shape);
    toc_source_skip_comments(source);
    TOC_TRY(toc_source_integer(source, &index));
    for (int i = 0; i < toc_shape_count_corners(shape); i++) TOC_TRY(tetgen_read_corner(reader));
    const size_t count = take_words(source, words, ROOM);
    if (nodes == 0) between = count >= 4 ? 3 : 0;
    if (count < between) return toc_source_fail(source, "%zu nodes are missing; the line ends", between - count);
    reader->mesh->higher_order += between > 0;
    reader->builder.group = between < count ? tetgen_group_of(source, words[between]) : 0;
    toc_source_next_line(source);
    return toc_builder_close_elements(&reader->builder, shape, 1);
}

// "count nodes-of-each attributes", then the elements.
static toc_status tetgen_read_elements(tetgen_reader *reader) {
    size_t count;
    int64_t nodes;
    TOC_TRY(toc_source_count(reader->source, 8, "elements", &count));
    TOC_TRY(toc_source_integer(reader->source, &nodes));
    if (nodes != 3 && nodes != 4 && nodes != 6 && nodes != 10)
        return toc_source_fail(reader->source, "elements of %lld nodes are not known", (long long)nodes);
    const toc_shape shape = nodes == 4 || nodes == 10 ? TOC_TET : TOC_TRIANGLE;
    toc_source_next_line(reader->source);
    for (size_t i = 0; i < count; i++) TOC_TRY(tetgen_read_element(reader, shape, (size_t)nodes));
    return TOC_OK;
}

// "count markers", then the faces. Only the length of the lines shows whether they are of second order.
static toc_status read_faces(tetgen_reader *reader) {
    size_t count;
    TOC_TRY(toc_source_count(reader->source, 8, "faces", &count));
    toc_source_next_line(reader->source);
    for (size_t i = 0; i < count; i++) TOC_TRY(tetgen_read_element(reader, TOC_TRIANGLE, 0));
    return TOC_OK;
}

static bool is_kind(const toc_source *source, const char *extension) {
    const size_t length = toc_path_unpacked(source->path), count = strlen(extension);
    return length > count && strncasecmp(source->path + length - count, extension, count) == 0;
}

static toc_status tetgen_read_file(tetgen_reader *reader, toc_source *nodes) {
    TOC_TRY(tetgen_read_nodes(reader, nodes));
    if (nodes != reader->source)
        TOC_TRY(is_kind(reader->source, ".face") ? read_faces(reader) : tetgen_read_elements(reader));
    return toc_builder_finish(&reader->builder, reader->mesh);
}

toc_status toc_tetgen_read(toc_source *source, toc_source *nodes, toc_mesh *mesh) {
    tetgen_reader reader = {.source = source,
                            .mesh = mesh,
                            .builder = toc_builder_begin(source),
                            .nodes = toc_labels_begin(&source->allocator)};
    const toc_status status = tetgen_read_file(&reader, nodes);
    toc_labels_free(&reader.nodes);
    toc_builder_free(&reader.builder);
    return status;
}

// The .node beside a file, or its compressed form if only that exists.
static toc_status read_beside(toc_source *source, toc_mesh *mesh) {
    const char *path = source->path;
    const toc_allocator *memory = &source->allocator;
    size_t stem = toc_path_unpacked(path);
    while (path[stem - 1] != '.') stem--;
    const size_t size = stem + sizeof "node.gz";
    char *beside = toc_new(memory, size, 1);
    if (!beside) return TOC_OUT_OF_MEMORY;
    memcpy(beside, path, stem);
    memcpy(beside + stem, "node", 5);
    if (!toc_path_exists(beside)) memcpy(beside + stem, "node.gz", 8);
    if (!toc_path_exists(beside)) beside[stem + 4] = 0;
    toc_source nodes;
    toc_status status = toc_source_open(beside, memory, &nodes);
    if (status == TOC_OK) {
        status = toc_tetgen_read(source, &nodes, mesh);
        if (status == TOC_OK) status = toc_source_is_settled(&nodes);
        toc_source_close(&nodes);
    }
    toc_free(memory, beside, size, 1);
    return status;
}

static toc_status tetgen_read(toc_source *source, toc_mesh *mesh) {
    return is_kind(source, ".node") ? toc_tetgen_read(source, source, mesh) : read_beside(source, mesh);
}

const toc_format toc_format_tetgen = {
    .info = {.name = "tetgen", .extensions = ".node .ele .face", .what = "TetGen and Triangle: tets, faces or nodes"},
    .read = tetgen_read,
};
