// SPDX-License-Identifier: Apache-2.0
// What most readers share: vertices, polygons and volumes come in as the file has them, a mesh goes out. They are kept
// as the mesh will keep them and then handed over, so that nothing is in memory twice.
//
// Triangles and quads stay what they are, larger polygons are split into a fan, two corners make an edge and one a
// point. Elements keep the order of the file. A file with vertices only becomes a mesh of points.
#ifndef TOC_IO_CORE_BUILDER_H
#define TOC_IO_CORE_BUILDER_H

#include "io/core/source.h"
#include "mesh/mesh.h"

typedef struct toc_builder {
    toc_source *source;
    bool binary;   // failures name the byte instead of the line
    bool shared;   // others read the source, too: it stays open
    int32_t group; // of the elements to come
    toc_mesh_parts parts;
    size_t closed;          // corners that belong to an element
    uint32_t highest;       // corner so far: faces may stand before their vertices, so it is checked last,
    const char *highest_at; // and this is where it stood
} toc_builder;

toc_builder toc_builder_begin(toc_source *source);
void toc_builder_free(toc_builder *builder);

static inline size_t toc_builder_vertex_count(const toc_builder *builder) { return builder->parts.positions.count / 3; }

size_t toc_builder_element_count(const toc_builder *builder);

/// Make room for vertices and corners to be put; adding makes its own.
toc_status toc_builder_reserve(toc_builder *builder, size_t vertices, size_t corners);

static inline void toc_builder_put_vertex(toc_builder *builder, const double x[3]) {
    memcpy(builder->parts.positions.at + builder->parts.positions.count, x, 3 * sizeof *x);
    builder->parts.positions.count += 3;
}

/// A corner of the polygon being made; false where it can be no vertex.
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
/// Add a corner to the polygon being made; refused where it can be no vertex.
toc_status toc_builder_add_corner(toc_builder *builder, int64_t vertex);
/// The failure for a corner that is no vertex, at the present position.
toc_status toc_builder_fail_corner(const toc_builder *builder, int64_t vertex);
/// Make an element of the corners since the last one.
toc_status toc_builder_close_polygon(toc_builder *builder);
/// Make them so many elements of this shape; the reader has seen to their number.
toc_status toc_builder_close_elements(toc_builder *builder, toc_shape shape, size_t count);
/// Make each of them a point, or each two neighbours an edge.
toc_status toc_builder_close_points(toc_builder *builder);
toc_status toc_builder_close_line(toc_builder *builder);

/// Put everything into the mesh, for which the source makes room: it is closed. The builder is still to be freed.
toc_status toc_builder_finish(toc_builder *builder, toc_mesh *mesh);

#endif
