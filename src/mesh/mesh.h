// SPDX-License-Identifier: Apache-2.0
// The internals of a mesh, for modules that read all of it.
#ifndef TOC_MESH_MESH_H
#define TOC_MESH_MESH_H

#include <assert.h>

#include "base/guard.h"
#include "base/memory.h"
#include "toccata/mesh.h"

/// No vertex, element or corner has this index. Counts are at most one less.
#define TOC_NONE UINT32_MAX

/// A corner in the list of all corners at its vertex.
typedef struct toc_corner_link {
    uint32_t next, previous; // corners, TOC_NONE at the ends
    uint32_t element;
} toc_corner_link;

/// A group with a name, and the start of the name in `names`.
typedef struct toc_group_name {
    int32_t group;
    size_t first;
} toc_group_name;

/// Numbers of a file for the first `count` ids.
typedef struct toc_id_labels {
    size_t count;
    int64_t first;           // of consecutive ones
    TOC_ARRAY(int64_t) each; // of others
} toc_id_labels;

struct toc_mesh {
    toc_allocator allocator;
    toc_guard guard;                // owned by a call that changes the mesh, shared by calls that read it
    toc_guard *owner;               // the guard of the scene that the mesh is a body of; NULL for none
    TOC_ARRAY(double) x0, x1;       // 3 for each vertex id
    TOC_ARRAY(double) acceleration; // 3 for each vertex id, or none
    // By element id. A removed element keeps its place in `corners`, so `first` ascends.
    TOC_ARRAY(uint8_t) shapes; // toc_shape
    TOC_ARRAY(uint32_t) first; // its first corner in `corners`
    TOC_ARRAY(uint32_t) corners;
    // These may be shorter than the ids: values past the count are 0.
    TOC_ARRAY(int32_t) groups;         // by element id
    TOC_ARRAY(double) thicknesses;     // by element id
    TOC_ARRAY(uint8_t) vertex_removed; // by vertex id
    TOC_ARRAY(toc_group_name) named;   // ascending (groups.c)
    TOC_ARRAY(char) names;
    toc_id_labels vertex_labels, element_labels; // (labels.c)
    size_t skinned_vertices;                     // for toc_mesh_inspect: vertices of a file, in their bind pose
    size_t higher_order;          // for toc_mesh_inspect: cells of a file that were reduced to their corners
    TOC_ARRAY(double) velocities; // of a file that is being read, 3 for each vertex id, or none
    TOC_ARRAY(toc_event) events;
    uint64_t events_forgotten;
    // The corners at each vertex, for edits (edits.c), of the first `linked_elements` elements.
    TOC_ARRAY(toc_corner_link) links; // by corner
    TOC_ARRAY(uint32_t) heads;        // by vertex id: a corner, or TOC_NONE
    size_t linked_elements;
};

/// Make an empty mesh whose history begins at a revision: earlier events count as forgotten.
toc_status toc_mesh_create_at(const toc_allocator *allocator, uint64_t revision, toc_mesh **out);

/// Begin a call that changes a mesh: until it ends, no other call may use the mesh or query its scene. @return TOC_BUSY
/// if one does; TOC_BAD_INPUT for NULL.
toc_status toc_mesh_begin_change(toc_mesh *mesh, toc_hold *hold);
/// Begin a call that reads a mesh: until it ends, no other call may change the mesh.
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

/// Refuse positions of `count` vertices that are not finite. The message numbers the vertices from `first`.
toc_status toc_mesh_check_positions(size_t count, const double *positions, size_t first);
/// Refuse `more` vertices, elements or corners if 32 bits do not hold their number together with `have`.
toc_status toc_mesh_check_room(const char *what, size_t have, size_t more);

/// Consecutive elements of one shape and group.
typedef struct toc_run {
    toc_shape shape;
    int32_t group;
    size_t count;
} toc_run;

/// The result of a reader: vertices, and the corners of all elements, run by run.
typedef struct toc_mesh_parts {
    TOC_ARRAY(double) positions; // 3 for each vertex
    TOC_ARRAY(uint32_t) corners;
    TOC_ARRAY(toc_run) runs;
} toc_mesh_parts;

/// Reserve memory for this many more vertices, elements and corners, so that arrays do not grow step by step.
toc_status toc_mesh_reserve(toc_mesh *mesh, size_t vertices, size_t elements, size_t corners);

/// Fill an empty mesh as toc_mesh_add_vertices and toc_mesh_add_elements would, but without a copy: positions and
/// corners move from the parts to the mesh. They must come from the mesh's allocator.
toc_status toc_mesh_adopt(toc_mesh *mesh, toc_mesh_parts *parts);

/// The corners of an element, removed or not. Their number is toc_shape_count_corners of its shape.
static inline const uint32_t *toc_mesh_corners(const toc_mesh *mesh, uint32_t element) {
    assert(element < mesh->first.count);
    return mesh->corners.at + mesh->first.at[element];
}

static inline toc_shape toc_mesh_shape(const toc_mesh *mesh, uint32_t element) {
    assert(element < mesh->shapes.count);
    return (toc_shape)mesh->shapes.at[element];
}

/// Record an event; memory for it must have been reserved.
static inline void toc_mesh_note(toc_mesh *mesh, toc_event event) {
    assert(mesh->events.count < mesh->events.capacity);
    mesh->events.at[mesh->events.count++] = event;
}

/// Make every later removal of an element or a vertex possible without memory, with room for this many events.
toc_status toc_mesh_prepare_removal(toc_mesh *mesh, size_t events);
/// Remove an element, for a caller that holds the mesh; room for one event must have been reserved.
void toc_mesh_drop_element(toc_mesh *mesh, uint32_t element);
/// Remove a vertex that no element uses, after toc_mesh_prepare_removal; leave any other.
void toc_mesh_drop_unused_vertex(toc_mesh *mesh, uint32_t vertex);

/// As toc_mesh_set_group_name, for a caller that holds the mesh.
toc_status toc_mesh_put_group_name(toc_mesh *mesh, int32_t group, const char *name);

/// As toc_mesh_append and toc_mesh_extract, for a caller that holds the meshes.
toc_status toc_mesh_append_held(toc_mesh *mesh, const toc_mesh *other, uint32_t *first_vertex, uint32_t *first_element);
toc_status toc_mesh_extract_held(toc_mesh *mesh, size_t count, const uint32_t *elements, toc_mesh **out);

/// Refuse an id that was never assigned, or whose vertex or element was removed.
toc_status toc_mesh_need_vertex(const toc_mesh *mesh, uint32_t vertex);
toc_status toc_mesh_need_element(const toc_mesh *mesh, uint32_t element);

#endif
