// SPDX-License-Identifier: Apache-2.0
// Vertices and elements of a file, gathered for a mesh. Most readers use it. The arrays have the layout of the mesh and
// are handed over without a copy, so that nothing is in memory twice.
//
// Triangles and quads stay; larger polygons become fans of triangles, two corners an edge, one corner a
// point. Elements keep the order of the file. A file with vertices only becomes a mesh of points.
#ifndef TOC_IO_CORE_BUILDER_H
#define TOC_IO_CORE_BUILDER_H

#include "io/core/source.h"
#include "mesh/mesh.h"

typedef struct toc_builder {
    toc_source *source;
    bool binary;   // failures name the byte instead of the line
    bool shared;   // others read the source, too: it stays open
    int32_t group; // of the elements that follow
    int first;     // the number of the first vertex in the file, for messages
    toc_mesh_parts parts;
    size_t closed;          // corners that belong to an element
    uint32_t highest;       // corner so far: faces may stand before their vertices, so it is checked last,
    const char *highest_at; // its position in the file
} toc_builder;

toc_builder toc_builder_begin(toc_source *source);
void toc_builder_free(toc_builder *builder);

static inline size_t toc_builder_vertex_count(const toc_builder *builder) { return builder->parts.positions.count / 3; }

size_t toc_builder_element_count(const toc_builder *builder);

/// Reserve room for toc_builder_put_vertex and toc_builder_put_corner; toc_builder_add_... reserve their own.
toc_status toc_builder_reserve(toc_builder *builder, size_t vertices, size_t corners);

static inline void toc_builder_put_vertex(toc_builder *builder, const double x[3]) {
    memcpy(builder->parts.positions.at + builder->parts.positions.count, x, 3 * sizeof *x);
    builder->parts.positions.count += 3;
}

/// Add a corner to the open polygon, with room reserved; false if no vertex can have this id.
static inline bool toc_builder_put_corner(toc_builder *builder, int64_t vertex) {
    if (vertex < 0 || vertex >= UINT32_MAX) return false;
    builder->parts.corners.at[builder->parts.corners.count++] = (uint32_t)vertex;
    if (vertex >= builder->highest) {
        builder->highest = (uint32_t)vertex;
        builder->highest_at = builder->source->at;
    }
    return true;
}

toc_status toc_builder_add_vertex(toc_builder *builder, const double x[3]);
/// Add a corner to the open polygon; refused if no vertex can have this id.
toc_status toc_builder_add_corner(toc_builder *builder, int64_t vertex);
/// The failure for a corner that is no vertex, at the present position.
toc_status toc_builder_fail_corner(const toc_builder *builder, int64_t vertex);
/// Make an element of the corners since the last one.
toc_status toc_builder_close_polygon(toc_builder *builder);
/// The same for `count` elements of one shape; the corners must be as many as these have.
toc_status toc_builder_close_elements(toc_builder *builder, toc_shape shape, size_t count);
/// Make a point of each corner, or an edge of each two neighbours.
toc_status toc_builder_close_points(toc_builder *builder);
toc_status toc_builder_close_line(toc_builder *builder);

/// Move everything into the mesh. Closes the source first, to release its memory. The builder must still be freed.
toc_status toc_builder_finish(toc_builder *builder, toc_mesh *mesh);

#endif
