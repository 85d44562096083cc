// SPDX-License-Identifier: Apache-2.0
// Features with or without the neighbours of elements, which take more memory than all the rest.
#ifndef TOC_MESH_FEATURES_H
#define TOC_MESH_FEATURES_H

#include "mesh/mesh.h"

/// As toc_mesh_find_features; element_neighbours stays empty (count 0) unless asked for. The same for any number
/// of threads.
toc_status toc_features_make(const toc_mesh *mesh, bool neighbours, int threads, toc_features **out);

/// The position in `edges` of the edge between two vertices, which must exist: each side of a face does.
/// O(log of the edges at the lower vertex).
size_t toc_features_find_edge(const toc_features *features, uint32_t a, uint32_t b);

/// Whether elements have the same vertices, all of them; so does one alone.
bool toc_elements_are_duplicates(const toc_mesh *mesh, const uint32_t *elements, size_t count);

typedef TOC_ARRAY(uint32_t) toc_ids;

/// Lists being made: `first` begins with 0, and gets the end of each list in turn.
typedef struct toc_list_maker {
    toc_ids first, items;
} toc_list_maker;

/// The elements that share a vertex with each element: the lists of its vertices united. By vertex id, the list of v is
/// vertex_items[vertex_first[v]] .. vertex_items[vertex_first[v + 1] - 1], ascending.
toc_status toc_neighbours_find(const toc_mesh *mesh, const uint32_t *vertex_first, const uint32_t *vertex_items,
                               toc_list_maker *neighbours);

/// Refuse lists whose items cannot be counted with 32 bits.
toc_status toc_list_maker_check(const toc_list_maker *lists, const char *what);

#endif
