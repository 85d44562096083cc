// SPDX-License-Identifier: Apache-2.0
// The features of one element, by their vertices.
#ifndef TOC_MESH_PARTS_H
#define TOC_MESH_PARTS_H

#include "mesh/mesh.h"

enum { TOC_MOST_EDGES = 18, TOC_MOST_FACES = 12 };

typedef struct toc_element_parts {
    int vertex_count, edge_count, face_count;
    uint32_t vertices[8];
    uint32_t edges[TOC_MOST_EDGES][2]; // lower id first
    bool diagonal[TOC_MOST_EDGES];     // by edge: whether it only splits a side of this element
    uint32_t faces[TOC_MOST_FACES][3]; // lowest id first, with the winding of the element
    bool thin;                         // whether the element bounds no volume
} toc_element_parts;

/// Find the features of an element, as in toc_features; none for a removed element.
void toc_element_find_parts(const toc_mesh *mesh, uint32_t element, toc_element_parts *out);

/// Whether an element has an edge between two vertices; diagonals that only split its quads do not count.
bool toc_element_has_edge(const toc_mesh *mesh, uint32_t element, uint32_t a, uint32_t b);

#endif
