// SPDX-License-Identifier: Apache-2.0
// Features, with or without the elements around them and the neighbours of elements, which take most of the memory.
#ifndef TOC_MESH_FEATURES_H
#define TOC_MESH_FEATURES_H

#include "mesh/mesh.h"

/// As toc_mesh_find_features; element_neighbours stays empty (count 0) unless `neighbours` is set. The result does not
/// depend on the number of threads.
toc_status toc_features_make(const toc_mesh *mesh, bool neighbours, int threads, toc_features **out);
/// The same with lists of elements only where they cost nothing: on one thread, a mesh of triangles has none.
toc_status toc_features_make_bare(const toc_mesh *mesh, int threads, toc_features **out);
/// List the elements around the features of toc_features_make_bare, unless they are there. The mesh must be the same,
/// unchanged. All other arrays stay in place. After a failure the features are as before.
toc_status toc_features_list_elements(toc_features *features, const toc_mesh *mesh, int threads);
static inline bool toc_features_have_elements(const toc_features *f) { return f->vertex_elements.first != NULL; }

/// The position in `edges` of the edge between two vertices, which must exist. Each side of a face is an edge.
/// O(log of the edges at the lower vertex).
size_t toc_features_find_edge(const toc_features *features, uint32_t a, uint32_t b);
/// Whether there is an edge between two vertices of the mesh. O(the same).
bool toc_features_has_edge(const toc_features *features, uint32_t a, uint32_t b);

/// Whether all elements have the same set of vertices; true for a single element.
bool toc_elements_are_duplicates(const toc_mesh *mesh, const uint32_t *elements, size_t count);

typedef TOC_ARRAY(uint32_t) toc_ids;
typedef uint32_t toc_edge_ids[2];
typedef uint32_t toc_face_ids[3];
typedef TOC_ARRAY(toc_edge_ids) toc_edge_array;
typedef TOC_ARRAY(toc_face_ids) toc_face_array;

/// Lists under construction: `first` begins with 0, followed by the end of each list.
typedef struct toc_list_maker {
    toc_ids first, items;
} toc_list_maker;

/// Find the elements that share a vertex with each element. The elements around vertex id v are
/// vertex_items[vertex_first[v]] .. vertex_items[vertex_first[v + 1] - 1], ascending.
toc_status toc_neighbours_find(const toc_mesh *mesh, const uint32_t *vertex_first, const uint32_t *vertex_items,
                               toc_list_maker *neighbours);

/// Refuse lists with more items than 32 bits can count.
toc_status toc_list_maker_check(const toc_list_maker *lists, const char *what);

#endif
