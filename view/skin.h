// SPDX-License-Identifier: Apache-2.0
// A mesh as triangles to draw: the boundary, and the faces inside volumes for slices. Every face has a part, and says
// which of its sides are edges of elements, so that quads are drawn without diagonals.
#ifndef VIEW_SKIN_H
#define VIEW_SKIN_H

#include "view/parts.h"

/// Bits of a face's flags.
enum { VIEW_SIDE_01 = 1, VIEW_SIDE_12 = 2, VIEW_SIDE_20 = 4, VIEW_BOUNDARY = 8, VIEW_FLAGS_SHIFT = 24 };

/// Faces, those of the boundary first. A record is three vertex ids, and the part with the flags above it.
typedef struct view_skin {
    toc_allocator allocator;
    size_t face_count, boundary_count, room;
    bool has_volumes;
    uint32_t (*faces)[4];
    uint32_t (*owners)[2]; // the elements of each face, UINT32_MAX for none
} view_skin;

/// @param features of the mesh. Free with toc_view_skin_free, on failure too.
toc_status toc_view_skin_make(const toc_allocator *allocator, const toc_mesh *mesh, const toc_features *features,
                              const view_parts *parts, view_skin *out);
void toc_view_skin_free(view_skin *skin);

/// The sides of a face that are edges of elements, not diagonals: VIEW_SIDE_01 and so on. O(log n).
uint32_t toc_view_face_sides(const toc_features *features, const uint32_t face[3]);

/// Whether the features have an edge, a face (ids in any order) or a vertex. O(log n).
bool toc_view_features_have_edge(const toc_features *features, uint32_t a, uint32_t b);
bool toc_view_features_have_face(const toc_features *features, const uint32_t v[3]);
bool toc_view_features_have_vertex(const toc_features *features, uint32_t v);

#endif
