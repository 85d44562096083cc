// SPDX-License-Identifier: Apache-2.0
// The features of a plain mesh: triangles alone, each of three vertices, none removed.
#ifndef TOC_MESH_PLAIN_H
#define TOC_MESH_PLAIN_H

#include <stdbool.h>

#include "mesh/features.h"

/// Arrays of toc_features without the elements around features. All features are on the boundary.
typedef struct toc_plain_features {
    toc_ids vertices;
    toc_edge_array edges;
    toc_face_array faces;
    toc_ids edge_first; // by vertex id and one more: the first edge whose lower vertex it is
} toc_plain_features;

/// Find the features of a plain mesh, on one thread. O(n): no array is larger than the corners of the mesh.
/// @param out must be empty; its arrays are of the mesh's allocator. Free with toc_plain_free, on failure too.
/// @param found whether the mesh is plain enough: no triangle uses a vertex twice, no vertex is crowded, and no two
/// triangles are the two sides of one face. If not, nothing is said about the mesh.
toc_status toc_plain_find(const toc_mesh *mesh, toc_plain_features *out, bool *found);
void toc_plain_free(const toc_mesh *mesh, toc_plain_features *features);

#endif
