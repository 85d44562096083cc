// SPDX-License-Identifier: Apache-2.0
// Incidence: the features of each element, and the elements around each feature.
#ifndef TOC_MESH_INCIDENCE_H
#define TOC_MESH_INCIDENCE_H

#include <assert.h>

#include "mesh/features.h"

/// A list of an adjacency: items[first] .. items[first + count - 1], ascending, with room for `room` items.
typedef struct toc_adjacency_run {
    uint32_t first, count, room;
} toc_adjacency_run;

/// Lists that grow and shrink independently.
typedef struct toc_adjacency {
    TOC_ARRAY(toc_adjacency_run) runs;
    toc_ids items;
} toc_adjacency;

void toc_adjacency_free(const toc_allocator *allocator, toc_adjacency *adjacency);
/// Have at least `lists` lists; new ones are empty.
toc_status toc_adjacency_cover(const toc_allocator *allocator, toc_adjacency *adjacency, size_t lists);
/// Insert an item into a list, unless it is there. O(list), amortised.
toc_status toc_adjacency_insert(const toc_allocator *allocator, toc_adjacency *adjacency, uint32_t list, uint32_t item);
/// Remove an item from a list, if it is there. O(list).
void toc_adjacency_erase(toc_adjacency *adjacency, uint32_t list, uint32_t item);

static inline const uint32_t *toc_adjacency_items(const toc_adjacency *adjacency, uint32_t i, size_t *count) {
    assert(i < adjacency->runs.count);
    *count = adjacency->runs.at[i].count;
    return adjacency->items.at + adjacency->runs.at[i].first;
}

typedef struct toc_incidence {
    toc_allocator allocator;
    uint64_t revision; // of the mesh
    // By edge and by face, vertices as in toc_features. A removed one has no elements, and its place is used again.
    TOC_ARRAY(toc_edge_ids) edges;
    TOC_ARRAY(toc_face_ids) faces;
    TOC_ARRAY(uint8_t)
    vertex_flags, edge_flags, face_flags; // TOC_FEATURE_ON_BOUNDARY, TOC_FEATURE_DIAGONAL; of vertices by their id
    toc_adjacency element_vertices, element_edges, element_faces; // by element id; empty for a removed one
    toc_adjacency vertex_elements, edge_elements, face_elements;  // by vertex id, by edge, by face
    toc_ids free_edges, free_faces;                               // places for new edges and faces
    uint64_t work; // number of features visited by updates since toc_incidence_make
} toc_incidence;

/// Make the incidence from the current features of a mesh. O(n). Free with toc_incidence_free, on failure too.
toc_status toc_incidence_make(const toc_mesh *mesh, const toc_features *features, toc_incidence *out);
void toc_incidence_free(toc_incidence *incidence);

/// The changes of edits: ascending ids, each once.
typedef struct toc_changes {
    toc_ids elements;               // added, removed, or with changed corners
    toc_ids vertices, edges, faces; // with other elements around them, or other flags; some may be removed
} toc_changes;

void toc_changes_free(const toc_allocator *allocator, toc_changes *changes);

/// Follow the edits of the mesh since the incidence's revision. O(the elements changed and those around them).
/// @param changes receives the changes; it must be empty. Free with toc_changes_free, on failure too.
/// @return TOC_BAD_INPUT if the events were forgotten. After any failure the incidence may only be freed.
toc_status toc_incidence_follow(toc_incidence *incidence, const toc_mesh *mesh, toc_changes *changes);

#endif
