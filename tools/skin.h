// SPDX-License-Identifier: Apache-2.0
// A mesh as triangles to draw: the boundary, and the faces inside volumes for slices. Every face has a part, and says
// which of its sides are edges of elements, so that quads are drawn without diagonals.
#ifndef TOOLS_SKIN_H
#define TOOLS_SKIN_H

#include "tools/command.h"

/// Parts of a mesh: its groups if there are several, else its connected components. Parts keep their numbers while
/// elements are added, removed and torn.
typedef struct tool_bodies {
    bool by_group;
    size_t part_count, vertex_count, element_count;
    int32_t *groups;        // by part, ascending; NULL without groups
    uint32_t *vertex_parts; // by vertex id
    uint32_t *element_parts;
} tool_bodies;

/// Bits of a face's flags.
enum { TOOL_SIDE_01 = 1, TOOL_SIDE_12 = 2, TOOL_SIDE_20 = 4, TOOL_BOUNDARY = 8, TOOL_FLAGS_SHIFT = 24 };

/// Faces, those of the boundary first. A record is three vertex ids, and the part with the flags above it.
typedef struct tool_skin {
    size_t face_count, boundary_count;
    uint32_t (*faces)[4];
    bool has_volumes;
    uint32_t (*owners)[2]; // the elements of each face, UINT32_MAX for none; NULL without volumes
} tool_skin;

/// Number the parts of a mesh; empty bodies to begin with. Call again after edits. Free with tool_bodies_free.
toc_status tool_bodies_update(tool_bodies *bodies, const toc_mesh *mesh);
void tool_bodies_free(tool_bodies *bodies);

/// @param features of the mesh. Free with tool_skin_free, on failure too.
toc_status tool_skin_make(const toc_mesh *mesh, const toc_features *features, const tool_bodies *bodies,
                          tool_skin *out);
void tool_skin_free(tool_skin *skin);

/// The sides of a face that are edges of elements, not diagonals: TOOL_SIDE_01 and so on. O(log n).
uint32_t tool_face_sides(const toc_features *features, const uint32_t face[3]);

/// Whether the features have an edge, a face (ids in any order) or a vertex. O(log n).
bool tool_features_have_edge(const toc_features *features, uint32_t a, uint32_t b);
bool tool_features_have_face(const toc_features *features, const uint32_t v[3]);
bool tool_features_have_vertex(const toc_features *features, uint32_t v);

#endif
