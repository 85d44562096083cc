// SPDX-License-Identifier: Apache-2.0
// The inside of a mesh, for the stages that walk all of it.
#ifndef TOC_MESH_MESH_H
#define TOC_MESH_MESH_H

#include "base/guard.h"
#include "base/memory.h"
#include "toccata/mesh.h"

/// No vertex, element or corner has this index: counts stop one below it.
#define TOC_NONE UINT32_MAX

/// A corner in the list of all corners at its vertex.
typedef struct toc_corner_link {
    uint32_t next, previous; // corners, TOC_NONE at the ends
    uint32_t element;
} toc_corner_link;

/// A group that has a name, and where in `names` it begins.
typedef struct toc_group_name {
    int32_t group;
    size_t first;
} toc_group_name;

struct toc_mesh {
    toc_allocator allocator;
    toc_guard guard;                // owned by a call that changes the mesh, shared by calls that read it
    toc_guard *owner;               // the guard of the scene that it is a body of; NULL for none
    TOC_ARRAY(double) x0, x1;       // 3 a vertex id
    TOC_ARRAY(double) acceleration; // 3 a vertex id, or none
    // By element id. A removed element keeps its place in `corners`, so `first` ascends.
    TOC_ARRAY(uint8_t) shapes; // toc_shape
    TOC_ARRAY(uint32_t) first; // its first corner in `corners`
    TOC_ARRAY(uint32_t) corners;
    // Only as long as needed: beyond the count the value is 0.
    TOC_ARRAY(int32_t) groups;         // by element id
    TOC_ARRAY(double) thicknesses;     // by element id
    TOC_ARRAY(uint8_t) vertex_removed; // by vertex id
    TOC_ARRAY(toc_group_name) named;   // ascending (groups.c)
    TOC_ARRAY(char) names;
    size_t skinned_vertices; // of a file, in their bind pose, for toc_mesh_inspect
    size_t higher_order;     // cells of a file that were taken by their corners, for toc_mesh_inspect
    TOC_ARRAY(toc_event) events;
    uint64_t events_forgotten;
    // Which corners use a vertex, for edits (edits.c). Holds the first `linked_elements` elements.
    TOC_ARRAY(toc_corner_link) links; // by corner
    TOC_ARRAY(uint32_t) heads;        // by vertex id: a corner, or TOC_NONE
    size_t linked_elements;
};

/// Make an empty mesh whose history begins at a revision: earlier events count as forgotten.
toc_status toc_mesh_create_at(const toc_allocator *allocator, uint64_t revision, toc_mesh **out);

/// Enter a call that changes a mesh: nothing else may use it, nor query its scene. TOC_BUSY, or NULL refused.
toc_status toc_mesh_begin_change(toc_mesh *mesh, toc_hold *hold);
/// Enter a call that reads a mesh at length: nothing may change it meanwhile.
toc_status toc_mesh_begin_read(const toc_mesh *mesh, toc_hold *hold);

/// Hold a mesh to the end of the function.
#define TOC_CHANGE_MESH(mesh)      \
    TOC_SCOPED_HOLD(mesh_change_); \
    TOC_TRY(toc_mesh_begin_change((mesh), &mesh_change_))
#define TOC_READ_MESH(mesh)      \
    TOC_SCOPED_HOLD(mesh_read_); \
    TOC_TRY(toc_mesh_begin_read((mesh), &mesh_read_))

/// As toc_mesh_add_vertices, for a caller that holds the mesh.
toc_status toc_mesh_put_vertices(toc_mesh *mesh, size_t count, const double *positions, uint32_t *first);

/// Refuse positions of `count` vertices that are no numbers, naming the vertex as if the first were vertex `first`.
toc_status toc_mesh_check_positions(size_t count, const double *positions, size_t first);
/// Refuse `more` vertices, elements or corners beside those there are, where 32 bits do not hold their count.
toc_status toc_mesh_check_room(const char *what, size_t have, size_t more);

/// Elements of one shape and group, one after the other.
typedef struct toc_run {
    toc_shape shape;
    int32_t group;
    size_t count;
} toc_run;

/// What a reader gathered: vertices, and the corners of all elements, run by run.
typedef struct toc_mesh_parts {
    TOC_ARRAY(double) positions; // 3 a vertex
    TOC_ARRAY(uint32_t) corners;
    TOC_ARRAY(toc_run) runs;
} toc_mesh_parts;

/// Make room for so many more, without any to grow: whoever knows the numbers saves the memory of growing.
toc_status toc_mesh_reserve(toc_mesh *mesh, size_t vertices, size_t elements, size_t corners);

/// Fill an empty mesh as toc_mesh_add_vertices and toc_mesh_add_elements would, but without a copy: positions and
/// corners become the mesh's own, and the parts lose them. They must come from the mesh's allocator.
toc_status toc_mesh_adopt(toc_mesh *mesh, toc_mesh_parts *parts);

/// The corners of an element, gone or not; toc_shape_count_corners of its shape of them.
static inline const uint32_t *toc_mesh_corners(const toc_mesh *mesh, uint32_t element) {
    return mesh->corners.at + mesh->first.at[element];
}

static inline toc_shape toc_mesh_shape(const toc_mesh *mesh, uint32_t element) {
    return (toc_shape)mesh->shapes.at[element];
}

/// Note an event; room for it must have been reserved.
static inline void toc_mesh_note(toc_mesh *mesh, toc_event event) { mesh->events.at[mesh->events.count++] = event; }

/// Refuse an id that was never given, or whose vertex or element is gone.
toc_status toc_mesh_need_vertex(const toc_mesh *mesh, uint32_t vertex);
toc_status toc_mesh_need_element(const toc_mesh *mesh, uint32_t element);

#endif
