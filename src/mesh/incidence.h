// SPDX-License-Identifier: Apache-2.0
// Who is around whom: the features of each element, and the elements around each feature.
#ifndef TOC_MESH_INCIDENCE_H
#define TOC_MESH_INCIDENCE_H

#include "mesh/features.h"

/// Lists that can grow and shrink one by one: the list of i is items[first] .. items[first + count - 1], ascending,
/// with room for more behind it.
typedef struct toc_bag_run {
    uint32_t first, count, room;
} toc_bag_run;

typedef struct toc_bag {
    TOC_ARRAY(toc_bag_run) runs;
    toc_ids items;
} toc_bag;

static inline const uint32_t *toc_bag_items(const toc_bag *bag, uint32_t i, size_t *count) {
    *count = bag->runs.at[i].count;
    return bag->items.at + bag->runs.at[i].first;
}

typedef uint32_t toc_edge_ids[2];
typedef uint32_t toc_face_ids[3];

typedef struct toc_incidence {
    toc_allocator allocator;
    // By edge and by face, vertices as in toc_features.
    TOC_ARRAY(toc_edge_ids) edges;
    TOC_ARRAY(toc_face_ids) faces;
    TOC_ARRAY(uint8_t) vertex_flags, edge_flags, face_flags; // TOC_ON_BOUNDARY, TOC_DIAGONAL; of vertices by their id
    toc_bag element_edges, element_faces;                    // by element id
    toc_bag vertex_elements, edge_elements, face_elements;   // by vertex id, by edge, by face
} toc_incidence;

/// From the features of a mesh as it is now. O(n). Free with toc_incidence_free, on failure too.
toc_status toc_incidence_make(const toc_mesh *mesh, const toc_features *features, toc_incidence *out);
void toc_incidence_free(toc_incidence *incidence);

#endif
