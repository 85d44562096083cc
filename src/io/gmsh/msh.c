// SPDX-License-Identifier: Apache-2.0
// Gmsh's files (.msh), versions 2 and 4.1, text and binary of either byte order.
//
// Vertices are the nodes in the order of the file, for any tags. Physical groups are the groups of the elements, with
// their names. Where one tag has different names in several dimensions, the highest dimension keeps it and the others
// get numbers above all tags. Cells of higher order are taken by their corners, which come first; the nodes between
// stay vertices that no element uses. Sections that do not concern the mesh are skipped. Every count is checked against
// the bytes that follow. One pass; nothing but the mesh grows with the file. After "Gmsh's file formats" of its
// reference manual.
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "io/core/builder.h"
#include "io/core/format.h"
#include "io/core/labels.h"
#include "io/gmsh/msh.h"
#include "mesh/shape.h"

/// An element type of Gmsh, by its number.
typedef struct msh_type {
    uint8_t shape;
    uint16_t nodes;
} msh_type;

// clang-format off
static const msh_type types[] = {
    [1] = {TOC_EDGE, 2}, [2] = {TOC_TRIANGLE, 3}, [3] = {TOC_QUAD, 4}, [4] = {TOC_TET, 4}, [5] = {TOC_HEX, 8},
    [6] = {TOC_WEDGE, 6}, [7] = {TOC_PYRAMID, 5}, [15] = {TOC_POINT, 1},
    // Second order, with and without nodes inside.
    [8] = {TOC_EDGE, 3}, [9] = {TOC_TRIANGLE, 6}, [10] = {TOC_QUAD, 9}, [11] = {TOC_TET, 10}, [12] = {TOC_HEX, 27},
    [13] = {TOC_WEDGE, 18}, [14] = {TOC_PYRAMID, 14}, [16] = {TOC_QUAD, 8}, [17] = {TOC_HEX, 20},
    [18] = {TOC_WEDGE, 15}, [19] = {TOC_PYRAMID, 13},
    // Higher orders.
    [20] = {TOC_TRIANGLE, 9}, [21] = {TOC_TRIANGLE, 10}, [22] = {TOC_TRIANGLE, 12}, [23] = {TOC_TRIANGLE, 15},
    [24] = {TOC_TRIANGLE, 15}, [25] = {TOC_TRIANGLE, 21}, [42] = {TOC_TRIANGLE, 28}, [43] = {TOC_TRIANGLE, 36},
    [44] = {TOC_TRIANGLE, 45}, [45] = {TOC_TRIANGLE, 55}, [46] = {TOC_TRIANGLE, 66},
    [26] = {TOC_EDGE, 4}, [27] = {TOC_EDGE, 5}, [28] = {TOC_EDGE, 6}, [62] = {TOC_EDGE, 7}, [63] = {TOC_EDGE, 8},
    [64] = {TOC_EDGE, 9}, [65] = {TOC_EDGE, 10}, [66] = {TOC_EDGE, 11},
    [36] = {TOC_QUAD, 16}, [37] = {TOC_QUAD, 25}, [38] = {TOC_QUAD, 36}, [39] = {TOC_QUAD, 12}, [40] = {TOC_QUAD, 16},
    [41] = {TOC_QUAD, 20}, [47] = {TOC_QUAD, 49}, [48] = {TOC_QUAD, 64}, [49] = {TOC_QUAD, 81}, [50] = {TOC_QUAD, 100},
    [51] = {TOC_QUAD, 121},
    [29] = {TOC_TET, 20}, [30] = {TOC_TET, 35}, [31] = {TOC_TET, 56}, [71] = {TOC_TET, 84}, [72] = {TOC_TET, 120},
    [73] = {TOC_TET, 165}, [74] = {TOC_TET, 220}, [75] = {TOC_TET, 286},
    [92] = {TOC_HEX, 64}, [93] = {TOC_HEX, 125}, [94] = {TOC_HEX, 216}, [95] = {TOC_HEX, 343}, [96] = {TOC_HEX, 512},
    [97] = {TOC_HEX, 729}, [98] = {TOC_HEX, 1000},
    [90] = {TOC_WEDGE, 40}, [91] = {TOC_WEDGE, 75}, [106] = {TOC_WEDGE, 126}, [107] = {TOC_WEDGE, 196},
    [108] = {TOC_WEDGE, 288}, [109] = {TOC_WEDGE, 405}, [110] = {TOC_WEDGE, 550},
    [118] = {TOC_PYRAMID, 30}, [119] = {TOC_PYRAMID, 55}, [120] = {TOC_PYRAMID, 91},
};
// clang-format on

/// A physical group that has a name, and the group it is to the mesh.
typedef struct physical {
    int32_t dimension, tag, group;
    toc_text name;
} physical;

typedef struct msh_reader {
    toc_source *source;
    toc_mesh *mesh;
    toc_builder builder;
    int version; // 2 or 4; 0 before $MeshFormat
    bool binary, big_endian, has_nodes, has_elements;
    size_t width;                                 // bytes of a count or a tag in a binary file
    toc_labels nodes;                             // by tag
    toc_labels entities;                          // by dimension and tag: those with a physical group,
    TOC_ARRAY(int32_t) entity_tags;               // which is this
    TOC_ARRAY(physical) physicals;                // ascending by tag, then descending by dimension
    int32_t last_dimension, last_tag, last_group; // of the element before, since most have the same
} msh_reader;

#define fail_here(reader, ...)                                              \
    ((reader)->binary ? toc_source_fail_byte((reader)->source, __VA_ARGS__) \
                      : toc_source_fail((reader)->source, __VA_ARGS__))

/// Bytes of a binary part, which must be there.
static inline toc_status msh_need(const msh_reader *reader, uint64_t count, size_t size) {
    assert(size > 0);
    uint64_t bytes;
    if (!__builtin_mul_overflow(count, size, &bytes) && bytes <= toc_source_left(reader->source)) return TOC_OK;
    return fail_here(reader, "the file ends too soon: %llu times %zu bytes were to follow, not %zu",
                     (unsigned long long)count, size, toc_source_left(reader->source));
}

/// The next integer: on any line of a text, or of `size` bytes.
static inline toc_status msh_take(msh_reader *reader, size_t width, int64_t *out) {
    toc_source *source = reader->source;
    if (!reader->binary) {
        toc_source_skip_space(source);
        return toc_source_integer(source, out);
    }
    TOC_TRY(msh_need(reader, 1, width));
    *out = width == 4 ? (int32_t)toc_load_u32(source->at, reader->big_endian)
                      : (int64_t)toc_load_u64(source->at, reader->big_endian);
    source->at += width;
    return TOC_OK;
}

/// A count in a binary file is as wide as a tag.
static toc_status msh_take_count(msh_reader *reader, size_t *out) {
    int64_t count;
    TOC_TRY(msh_take(reader, reader->width, &count));
    if (count < 0) return fail_here(reader, "a count of %lld", (long long)count);
    *out = (size_t)count;
    return TOC_OK;
}

/// Numbers of no interest, which may be anything.
static toc_status msh_skip(msh_reader *reader, size_t count, size_t width) {
    if (reader->binary) {
        TOC_TRY(msh_need(reader, count, width));
        reader->source->at += count * width;
        return TOC_OK;
    }
    for (size_t i = 0; i < count; i++) {
        toc_source_skip_space(reader->source);
        if (toc_source_word(reader->source).count == 0) return fail_here(reader, "a number is missing; the file ends");
    }
    return TOC_OK;
}

/// The number of items that begins a section, none of which may take fewer bytes than these.
static toc_status take_promise(msh_reader *reader, size_t text_bytes, size_t binary_bytes, const char *what,
                               size_t *out) {
    TOC_TRY(msh_take_count(reader, out));
    if (reader->binary) return msh_need(reader, *out, binary_bytes);
    return toc_source_check_count(reader->source, *out, text_bytes, what);
}

static toc_status read_format(msh_reader *reader) {
    toc_source *source = reader->source;
    double version;
    int64_t binary, size, one = 0;
    toc_source_skip_space(source);
    TOC_TRY(toc_source_double(source, &version));
    reader->version = version >= 2 && version < 3 ? 2 : version == 4.1 ? 4 : 0;
    if (reader->version == 0) return toc_source_fail(source, "version %g is not read, only 2 and 4.1", version);
    TOC_TRY(toc_source_integer(source, &binary));
    TOC_TRY(toc_source_integer(source, &size));
    if (binary < 0 || binary > 1 || (size != 8 && (size != 4 || reader->version == 2)))
        return toc_source_fail(source, "files of kind %lld with numbers of %lld bytes are not known", (long long)binary,
                               (long long)size);
    reader->width = reader->version == 2 ? 4 : (size_t)size;
    if (binary == 0) return TOC_OK;
    toc_source_next_line(source);
    reader->binary = true;
    TOC_TRY(msh_take(reader, 4, &one));
    reader->big_endian = one != 1;
    if (one == 1 || one == 1 << 24) return TOC_OK;
    return fail_here(reader, "the number 1 was expected, in either byte order");
}

/// "dimension tag "name"" on a line each, in binary files too.
static toc_status msh_read_name(msh_reader *reader) {
    toc_source *source = reader->source;
    int64_t dimension, tag;
    toc_source_skip_space(source);
    TOC_TRY(toc_source_integer(source, &dimension));
    TOC_TRY(toc_source_integer(source, &tag));
    if (dimension < 0 || dimension > 3 || tag < 1 || tag > INT32_MAX)
        return toc_source_fail(source, "a physical group of dimension %lld and tag %lld", (long long)dimension,
                               (long long)tag);
    toc_text name = toc_source_line(source);
    if (name.count >= 2 && name.at[0] == '"' && name.at[name.count - 1] == '"')
        name = (toc_text){name.at + 1, name.count - 2};
    TOC_TRY(toc_array_reserve(&source->allocator, &reader->physicals, 1));
    reader->physicals.at[reader->physicals.count++] = (physical){(int32_t)dimension, (int32_t)tag, (int32_t)tag, name};
    return TOC_OK;
}

static int compare_physicals(const void *a, const void *b) {
    const physical *p = a, *q = b;
    if (p->tag != q->tag) return p->tag < q->tag ? -1 : 1;
    return (p->dimension < q->dimension) - (p->dimension > q->dimension);
}

static toc_status read_names(msh_reader *reader) {
    toc_source_skip_space(reader->source);
    int64_t count;
    TOC_TRY(toc_source_integer(reader->source, &count));
    if (reader->has_elements) return toc_source_fail(reader->source, "$PhysicalNames are too late behind $Elements");
    for (int64_t i = 0; i < count; i++) TOC_TRY(msh_read_name(reader));
    if (reader->physicals.count > 0)
        qsort(reader->physicals.at, reader->physicals.count, sizeof *reader->physicals.at, compare_physicals);
    return TOC_OK;
}

/// In place of a group: the interface of a partitioned mesh. Its elements are not part of the mesh.
enum { SEAM = INT32_MIN };

static int64_t entity_label(int64_t dimension, int64_t tag) {
    assert(0 <= dimension && dimension <= 3 && INT32_MIN <= tag && tag <= INT32_MAX);
    return dimension * ((int64_t)1 << 32) + tag;
}

/// The tag of an entity. Text may have more than the 4 bytes of a binary file.
static toc_status take_entity_tag(msh_reader *reader, int64_t *tag) {
    TOC_TRY(msh_take(reader, 4, tag));
    if (INT32_MIN <= *tag && *tag <= INT32_MAX) return TOC_OK;
    return fail_here(reader, "an entity of tag %lld", (long long)*tag);
}

/// An entity: only its physical group is kept, the first if there are several. A negative one is negated.
static toc_status read_entity(msh_reader *reader, int dimension, bool partitioned) {
    int64_t tag, parent = dimension, group = 0;
    size_t count;
    TOC_TRY(take_entity_tag(reader, &tag));
    if (partitioned) {
        TOC_TRY(msh_take(reader, 4, &parent));
        TOC_TRY(msh_skip(reader, 1, 4));
        TOC_TRY(msh_take_count(reader, &count));
        TOC_TRY(msh_skip(reader, count, 4));
    }
    TOC_TRY(msh_skip(reader, dimension == 0 ? 3 : 6, 8)); // its place or its bounds
    TOC_TRY(msh_take_count(reader, &count));
    if (count > 0) TOC_TRY(msh_take(reader, 4, &group));
    TOC_TRY(msh_skip(reader, count > 0 ? count - 1 : 0, 4));
    if (dimension > 0) TOC_TRY(msh_take_count(reader, &count));
    if (dimension > 0) TOC_TRY(msh_skip(reader, count, 4)); // its boundary
    if (parent != dimension) group = SEAM;
    if (group == 0) return TOC_OK;
    if (group < SEAM || group > INT32_MAX) return fail_here(reader, "physical group %lld", (long long)group);
    TOC_TRY(toc_array_reserve(&reader->source->allocator, &reader->entity_tags, 1));
    reader->entity_tags.at[reader->entity_tags.count++] = (int32_t)(group < 0 && group != SEAM ? -group : group);
    return toc_labels_add(&reader->entities, entity_label(dimension, tag));
}

static toc_status read_entities(msh_reader *reader, bool partitioned) {
    size_t counts[4], count;
    if (reader->has_elements) return fail_here(reader, "$Entities are too late behind $Elements");
    if (partitioned) {
        TOC_TRY(msh_skip(reader, 1, reader->width));
        TOC_TRY(msh_take_count(reader, &count));
        TOC_TRY(msh_need(reader, count, 2)); // ghosts
        TOC_TRY(msh_skip(reader, 2 * count, 4));
    }
    for (int i = 0; i < 4; i++) TOC_TRY(msh_take_count(reader, &counts[i]));
    for (int dimension = 0; dimension < 4; dimension++)
        for (size_t i = 0; i < counts[dimension]; i++) TOC_TRY(read_entity(reader, dimension, partitioned));
    return TOC_OK;
}

static toc_status take_point(msh_reader *reader) {
    toc_source *source = reader->source;
    double x[3];
    if (reader->binary) {
        TOC_TRY(msh_need(reader, 3, 8));
        for (int i = 0; i < 3; i++, source->at += 8) {
            x[i] = toc_load_f64(source->at, reader->big_endian);
            if (!isfinite(x[i])) return fail_here(reader, "a coordinate is %g", x[i]);
        }
    } else {
        toc_source_skip_space(source);
        for (int i = 0; i < 3; i++) TOC_TRY(toc_source_double(source, &x[i]));
    }
    return toc_builder_add_vertex(&reader->builder, x);
}

static toc_status take_tag(msh_reader *reader) {
    int64_t tag;
    TOC_TRY(msh_take(reader, reader->width, &tag));
    return toc_labels_add(&reader->nodes, tag);
}

/// Version 2: tag and place, and in $ParametricNodes an entity and as many parameters as a curve or a surface has.
static toc_status read_plain_nodes(msh_reader *reader, size_t count, bool parametric) {
    int64_t dimension = 0;
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(take_tag(reader));
        TOC_TRY(take_point(reader));
        if (!parametric) continue;
        TOC_TRY(msh_take(reader, 4, &dimension));
        TOC_TRY(msh_skip(reader, 1, 4));
        TOC_TRY(msh_skip(reader, dimension == 1 || dimension == 2 ? (size_t)dimension : 0, 8));
    }
    return TOC_OK;
}

/// Version 4: the tags of an entity's nodes, then their places, perhaps with parameters.
static toc_status read_node_block(msh_reader *reader, size_t *left) {
    int64_t dimension, parametric;
    size_t count;
    TOC_TRY(msh_take(reader, 4, &dimension));
    TOC_TRY(msh_skip(reader, 1, 4));
    TOC_TRY(msh_take(reader, 4, &parametric));
    TOC_TRY(msh_take_count(reader, &count));
    if (dimension < 0 || dimension > 3) return fail_here(reader, "an entity of dimension %lld", (long long)dimension);
    if (count > *left) return fail_here(reader, "%zu nodes, but only %zu are left of those promised", count, *left);
    *left -= count;
    for (size_t i = 0; i < count; i++) TOC_TRY(take_tag(reader));
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(take_point(reader));
        if (parametric) TOC_TRY(msh_skip(reader, (size_t)dimension, 8));
    }
    return TOC_OK;
}

static toc_status read_node_blocks(msh_reader *reader) {
    size_t blocks, count;
    TOC_TRY(msh_take_count(reader, &blocks));
    TOC_TRY(take_promise(reader, 8, reader->width + 24, "nodes", &count));
    TOC_TRY(msh_skip(reader, 2, reader->width)); // the least and the greatest tag
    TOC_TRY(toc_builder_reserve(&reader->builder, count, 0));
    for (size_t i = 0; i < blocks; i++) TOC_TRY(read_node_block(reader, &count));
    return count == 0 ? TOC_OK : fail_here(reader, "%zu nodes less than were promised", count);
}

/// In version 2 the count of a section is a line of text in binary files, too.
static toc_status take_line_count(msh_reader *reader, size_t text_bytes, size_t binary_bytes, const char *what,
                                  size_t *out) {
    int64_t count;
    toc_source_skip_space(reader->source);
    TOC_TRY(toc_source_integer(reader->source, &count));
    if (count < 0) return fail_here(reader, "a count of %lld", (long long)count);
    *out = (size_t)count;
    if (!reader->binary) return toc_source_check_count(reader->source, *out, text_bytes, what);
    toc_source_next_line(reader->source);
    return msh_need(reader, *out, binary_bytes);
}

static toc_status msh_read_nodes(msh_reader *reader, bool parametric) {
    if (reader->has_nodes) return fail_here(reader, "there are $Nodes already");
    reader->has_nodes = true;
    if (reader->version == 2) {
        size_t count;
        TOC_TRY(take_line_count(reader, 8, 28, "nodes", &count));
        TOC_TRY(toc_builder_reserve(&reader->builder, count, 0));
        TOC_TRY(read_plain_nodes(reader, count, parametric));
    } else {
        TOC_TRY(read_node_blocks(reader));
    }
    const toc_status status = toc_labels_finish(&reader->nodes);
    return status == TOC_BAD_INPUT ? fail_here(reader, "%s", toc_message_get()) : status;
}

/// The group of a physical tag in the mesh; unnamed tags are their own group.
static int32_t find_group(const msh_reader *reader, int32_t dimension, int32_t tag) {
    const physical key = {.dimension = dimension, .tag = tag};
    const size_t count = reader->physicals.count;
    const physical *found =
        count > 0 ? bsearch(&key, reader->physicals.at, count, sizeof key, compare_physicals) : NULL;
    return found ? found->group : tag;
}

static void msh_set_group(msh_reader *reader, int32_t dimension, int32_t tag) {
    if (dimension != reader->last_dimension || tag != reader->last_tag)
        reader->last_group = tag == 0 ? 0 : find_group(reader, dimension, tag);
    reader->last_dimension = dimension;
    reader->last_tag = tag;
    reader->builder.group = reader->last_group;
}

static bool same_name(toc_text a, toc_text b) { return a.count == b.count && memcmp(a.at, b.at, a.count) == 0; }

static int32_t highest_tag(const msh_reader *reader) {
    int32_t highest = 0;
    for (size_t i = 0; i < reader->physicals.count; i++)
        if (reader->physicals.at[i].tag > highest) highest = reader->physicals.at[i].tag;
    for (size_t i = 0; i < reader->entity_tags.count; i++)
        if (reader->entity_tags.at[i] > highest) highest = reader->entity_tags.at[i];
    return highest;
}

static toc_status msh_name_group(msh_reader *reader, const physical *p) {
    char name[256];
    const size_t count = p->name.count < sizeof name ? p->name.count : sizeof name - 1;
    memcpy(name, p->name.at, count);
    name[count] = 0;
    return toc_mesh_set_group_name(reader->mesh, p->group, name);
}

/// Give each name its group: the tag, unless a higher dimension uses that for another name.
static toc_status msh_name_groups(msh_reader *reader) {
    int32_t highest = highest_tag(reader);
    for (size_t i = 0; i < reader->physicals.count; i++) {
        physical *p = &reader->physicals.at[i];
        const bool first = i == 0 || p[-1].tag != p->tag;
        if (!first && same_name(p->name, p[-1].name)) {
            p->group = p[-1].group;
        } else if (!first && highest < INT32_MAX) {
            p->group = ++highest;
        }
        TOC_TRY(msh_name_group(reader, p));
    }
    return TOC_OK;
}

/// Before the first element: all entities and names are known.
static toc_status finish_groups(msh_reader *reader) {
    const toc_status status = toc_labels_finish(&reader->entities);
    if (status == TOC_BAD_INPUT) return fail_here(reader, "an entity is there twice");
    return status == TOC_OK ? msh_name_groups(reader) : status;
}

/// Version 2: the tags of an element, the first of which is its physical group.
static toc_status read_tags(msh_reader *reader, msh_type type, size_t tags) {
    int64_t group;
    TOC_TRY(msh_take(reader, 4, &group));
    if (tags > 1) TOC_TRY(msh_skip(reader, tags - 1, 4));
    if (group < -INT32_MAX || group > INT32_MAX) return fail_here(reader, "physical group %lld", (long long)group);
    msh_set_group(reader, toc_shape_infos[type.shape].dimension, (int32_t)(group < 0 ? -group : group));
    return TOC_OK;
}

/// The corners of an element; room for them was made.
static inline toc_status msh_read_corners(msh_reader *reader, msh_type type, size_t corners) {
    assert(corners > 0 && corners <= 8);
    int64_t vertices[8], tag;
    for (size_t i = 0; i < corners; i++) {
        TOC_TRY(msh_take(reader, reader->width, &tag));
        vertices[i] = toc_labels_find(&reader->nodes, tag);
        if (vertices[i] == TOC_LABEL_MISSING)
            return fail_here(reader, "node %lld is used, but no node has this tag", (long long)tag);
    }
    if (type.nodes > corners) TOC_TRY(msh_skip(reader, type.nodes - corners, reader->width));
    for (size_t i = 0; i < corners; i++)
        toc_builder_put_corner(&reader->builder, vertices[type.shape == TOC_WEDGE ? toc_wedge_turn[i] : i]);
    return TOC_OK;
}

/// Elements one after the other: each has its own tag, unless that was read, the given number of tags of version 2, and
/// the nodes.
static toc_status read_rows(msh_reader *reader, msh_type type, size_t count, size_t own, size_t tags) {
    const toc_shape shape = (toc_shape)type.shape;
    const size_t corners = (size_t)toc_shape_count_corners(shape);
    if (reader->binary) TOC_TRY(msh_need(reader, count, (own + tags + type.nodes) * reader->width));
    TOC_TRY(toc_builder_reserve(&reader->builder, 0, count * corners));
    for (size_t i = 0; i < count; i++) {
        TOC_TRY(msh_skip(reader, own, reader->width));
        if (tags > 0) TOC_TRY(read_tags(reader, type, tags));
        TOC_TRY(msh_read_corners(reader, type, corners));
        if (tags > 0) TOC_TRY(toc_builder_close_elements(&reader->builder, shape, 1));
    }
    if (type.nodes > corners) reader->mesh->higher_order += count;
    return tags > 0 ? TOC_OK : toc_builder_close_elements(&reader->builder, shape, count);
}

static toc_status msh_find_type(const msh_reader *reader, int64_t number, msh_type *out) {
    *out = (msh_type){0};
    if (number > 0 && number < (int64_t)(sizeof types / sizeof *types)) *out = types[number];
    return out->nodes > 0 ? TOC_OK : fail_here(reader, "elements of type %lld are not known", (long long)number);
}

/// Elements of version 2 that share a header. In a text each has its own, with its tag before it.
static toc_status read_plain_elements(msh_reader *reader, size_t *left) {
    int64_t number, count = 1, tags;
    msh_type type;
    if (!reader->binary) TOC_TRY(msh_skip(reader, 1, 4));
    TOC_TRY(msh_take(reader, 4, &number));
    if (reader->binary) TOC_TRY(msh_take(reader, 4, &count));
    TOC_TRY(msh_take(reader, 4, &tags));
    TOC_TRY(msh_find_type(reader, number, &type));
    if (tags < 0 || count < 1 || (size_t)count > *left)
        return fail_here(reader, "%lld elements with %lld tags, but %zu are left of those promised", (long long)count,
                         (long long)tags, *left);
    *left -= (size_t)count;
    msh_set_group(reader, 0, 0);
    return read_rows(reader, type, (size_t)count, reader->binary ? 1 : 0, (size_t)tags);
}

/// Version 4: elements of one entity and type.
static toc_status read_element_block(msh_reader *reader, size_t *left) {
    int64_t dimension, entity, number;
    size_t count;
    msh_type type;
    TOC_TRY(msh_take(reader, 4, &dimension));
    if (dimension < 0 || dimension > 3) return fail_here(reader, "an entity of dimension %lld", (long long)dimension);
    TOC_TRY(take_entity_tag(reader, &entity));
    TOC_TRY(msh_take(reader, 4, &number));
    TOC_TRY(msh_take_count(reader, &count));
    TOC_TRY(msh_find_type(reader, number, &type));
    if (count > *left) return fail_here(reader, "%zu elements, but %zu are left of those promised", count, *left);
    *left -= count;
    const int64_t found = toc_labels_find(&reader->entities, entity_label(dimension, entity));
    const int32_t tag = found == TOC_LABEL_MISSING ? 0 : reader->entity_tags.at[found];
    if (tag == SEAM) return msh_skip(reader, count * (1 + (size_t)type.nodes), reader->width);
    msh_set_group(reader, toc_shape_infos[type.shape].dimension, tag);
    return read_rows(reader, type, count, 1, 0);
}

static toc_status msh_read_elements(msh_reader *reader) {
    size_t blocks = 0, left;
    if (!reader->has_nodes) return fail_here(reader, "$Elements before $Nodes");
    if (!reader->has_elements) TOC_TRY(finish_groups(reader));
    reader->has_elements = true;
    if (reader->version == 2) {
        TOC_TRY(take_line_count(reader, 8, 8, "elements", &left));
        while (left > 0) TOC_TRY(read_plain_elements(reader, &left));
        return TOC_OK;
    }
    TOC_TRY(msh_take_count(reader, &blocks));
    TOC_TRY(take_promise(reader, 4, 2 * reader->width, "elements", &left));
    TOC_TRY(msh_skip(reader, 2, reader->width)); // the least and the greatest tag
    for (size_t i = 0; i < blocks; i++) TOC_TRY(read_element_block(reader, &left));
    return left == 0 ? TOC_OK : fail_here(reader, "%zu elements less than were promised", left);
}

/// Go behind "$End" and the name.
static toc_status end_section(msh_reader *reader, toc_text name) {
    toc_source_skip_space(reader->source);
    const toc_text word = toc_source_word(reader->source);
    const bool ends = word.count == name.count + 4 && memcmp(word.at, "$End", 4) == 0 &&
                      memcmp(word.at + 4, name.at, name.count) == 0;
    if (ends) return TOC_OK;
    reader->source->at = word.at;
    return fail_here(reader, "$End%.*s was expected", (int)(name.count % 100), name.at);
}

static toc_status skip_section(msh_reader *reader, toc_text name) {
    toc_source *source = reader->source;
    const char *from = source->at;
    for (; source->at < source->end; source->at++) {
        source->at = memchr(source->at, '$', toc_source_left(source));
        if (!source->at) source->at = source->end;
        if (toc_source_left(source) < name.count + 4 || memcmp(source->at, "$End", 4) != 0) continue;
        if (memcmp(source->at + 4, name.at, name.count) == 0) return end_section(reader, name);
    }
    source->at = from;
    return fail_here(reader, "the file ends within $%.*s", (int)(name.count % 100), name.at);
}

static toc_status read_parametric_nodes(msh_reader *reader) { return msh_read_nodes(reader, true); }
static toc_status read_plain_or_block_nodes(msh_reader *reader) { return msh_read_nodes(reader, false); }
static toc_status read_whole_entities(msh_reader *reader) { return read_entities(reader, false); }
static toc_status read_partitioned_entities(msh_reader *reader) { return read_entities(reader, true); }

static toc_status msh_read_section(msh_reader *reader, toc_text name) {
    static const struct {
        const char *name;
        int version; // the first version that has it; $MeshFormat gives it
        toc_status (*read)(msh_reader *reader);
    } sections[] = {{"MeshFormat", 0, read_format},          {"PhysicalNames", 2, read_names},
                    {"Entities", 4, read_whole_entities},    {"PartitionedEntities", 4, read_partitioned_entities},
                    {"Nodes", 2, read_plain_or_block_nodes}, {"ParametricNodes", 2, read_parametric_nodes},
                    {"Elements", 2, msh_read_elements}};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (!toc_text_is(name, sections[i].name)) continue;
        if (reader->version < sections[i].version) return fail_here(reader, "$%s before $MeshFormat", sections[i].name);
        TOC_TRY(sections[i].read(reader));
        return end_section(reader, name);
    }
    return skip_section(reader, name);
}

static toc_status read_sections(msh_reader *reader) {
    toc_source *source = reader->source;
    while (toc_source_skip_space(source)) {
        const toc_text word = toc_source_word(source);
        if (word.at[0] != '$' || word.count < 2) {
            source->at = word.at;
            return fail_here(reader, "a section such as $Nodes was expected");
        }
        toc_source_next_line(source);
        TOC_TRY(msh_read_section(reader, (toc_text){word.at + 1, word.count - 1}));
        reader->builder.binary = reader->binary;
    }
    if (!reader->has_elements)
        return fail_here(reader, "the file ends before any %s", reader->has_nodes ? "$Elements" : "$Nodes");
    TOC_TRY(toc_builder_finish(&reader->builder, reader->mesh));
    toc_labels_hand_over(&reader->nodes, &reader->mesh->vertex_labels);
    return TOC_OK;
}

static bool msh_recognise(const toc_source *source) { return strncmp(source->begin, "$MeshFormat", 11) == 0; }

static toc_status msh_read(toc_source *source, toc_mesh *mesh) {
    const toc_allocator *memory = &source->allocator;
    msh_reader reader = {.source = source,
                         .mesh = mesh,
                         .builder = toc_builder_begin(source),
                         .nodes = toc_labels_begin(memory),
                         .entities = toc_labels_begin(memory)};
    const toc_status status = read_sections(&reader);
    toc_array_free(memory, &reader.physicals);
    toc_array_free(memory, &reader.entity_tags);
    toc_labels_free(&reader.entities);
    toc_labels_free(&reader.nodes);
    toc_builder_free(&reader.builder);
    return status;
}

const toc_format toc_format_msh = {
    .info = {.name = "msh", .extensions = ".msh", .what = "Gmsh 2 and 4.1, text or binary: all shapes, named groups"},
    .recognise = msh_recognise,
    .read = msh_read,
    .write = toc_msh_write,
};
