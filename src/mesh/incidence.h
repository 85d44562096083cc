// SPDX-License-Identifier: Apache-2.0
// Who is around whom: the features of each element, and the elements around each feature.
#ifndef TOC_MESH_INCIDENCE_H
#define TOC_MESH_INCIDENCE_H

#include "mesh/features.h"

/// Lists that can grow and shrink one by one: the list of i is items[first] .. items[first + count - 1], ascending,
/// with room for more behind it.
typedef struct toc_adjacency_run {
    uint32_t first, count, room;
} toc_adjacency_run;

typedef struct toc_adjacency {
    TOC_ARRAY(toc_adjacency_run) runs;
    toc_ids items;
} toc_adjacency;

void toc_adjacency_free(const toc_allocator *allocator, toc_adjacency *adjacency);
/// Have so many lists, more of them empty.
toc_status toc_adjacency_cover(const toc_allocator *allocator, toc_adjacency *adjacency, size_t lists);
/// Put an item into its place, unless it is there. O(list), amortised.
toc_status toc_adjacency_insert(const toc_allocator *allocator, toc_adjacency *adjacency, uint32_t list, uint32_t item);
/// Take an item out, if it is there. O(list).
void toc_adjacency_erase(toc_adjacency *adjacency, uint32_t list, uint32_t item);

static inline const uint32_t *toc_adjacency_items(const toc_adjacency *adjacency, uint32_t i, size_t *count) {
    *count = adjacency->runs.at[i].count;
    return adjacency->items.at + adjacency->runs.at[i].first;
}

typedef uint32_t toc_edge_ids[2];
typedef uint32_t toc_face_ids[3];

typedef struct toc_incidence {
    toc_allocator allocator;
    uint64_t revision; // of the mesh
    // By edge and by face, vertices as in toc_features. One that is gone has no elements, and its place is used again.
    TOC_ARRAY(toc_edge_ids) edges;
    TOC_ARRAY(toc_face_ids) faces;
    TOC_ARRAY(uint8_t)
    vertex_flags, edge_flags, face_flags; // TOC_FEATURE_ON_BOUNDARY, TOC_FEATURE_DIAGONAL; of vertices by their id
    toc_adjacency element_vertices, element_edges, element_faces; // by element id; all empty for one that is gone
    toc_adjacency vertex_elements, edge_elements, face_elements;  // by vertex id, by edge, by face
    toc_ids free_edges, free_faces;                               // places to be used again
    uint64_t work; // features that edits made it look at, since it was made
} toc_incidence;

/// From the features of a mesh as it is now. O(n). Free with toc_incidence_free, on failure too.
toc_status toc_incidence_make(const toc_mesh *mesh, const toc_features *features, toc_incidence *out);
void toc_incidence_free(toc_incidence *incidence);

/// What edits changed, each once.
typedef struct toc_changes {
    toc_ids elements;               // added, gone, or with other corners
    toc_ids vertices, edges, faces; // that have other elements around them, or other flags; some may be gone
} toc_changes;

void toc_changes_free(const toc_allocator *allocator, toc_changes *changes);

/// Follow the edits of the mesh since the incidence's revision. O(the elements changed and those around them).
/// @param changes receives what it changed; empty to begin with. Free with toc_changes_free, on failure too.
/// @return TOC_BAD_INPUT where the events were forgotten. After any failure the incidence is of no use.
toc_status toc_incidence_follow(toc_incidence *incidence, const toc_mesh *mesh, toc_changes *changes);

#endif
