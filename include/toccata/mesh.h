// SPDX-License-Identifier: Apache-2.0
#ifndef TOCCATA_MESH_H
#define TOCCATA_MESH_H

#include <stdbool.h>

#include "toccata/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A body: vertices that move from x0 to x1 in a step, and the elements between them, of any mix of shapes.
/// Ids of vertices and elements are given once and never change or get used again, so that edits can be followed.
/// Ids and corners are counted with 32 bits: a mesh holds 2^32 - 2 vertices, elements and corners at most.
/// A call that fails leaves the mesh as it was. For threads see base.h.
typedef struct toc_mesh toc_mesh;

/// An end of the step.
typedef enum toc_end { TOC_AT_START = 0, TOC_AT_END = 1 } toc_end;

/// The shape of an element. Corner order is VTK's.
typedef enum toc_shape {
    TOC_REMOVED = 0, ///< An id whose element is gone.
    TOC_POINT,       ///< A loose vertex.
    TOC_EDGE,        ///< A loose edge (cable, yarn, beam).
    TOC_TRIANGLE,    ///< Surface triangle; a shell when its thickness is not 0.
    TOC_QUAD,        ///< Surface quad, split along the diagonal through its lowest vertex id; a shell likewise.
    TOC_TET,
    TOC_PYRAMID, ///< Quad base, then the apex.
    TOC_WEDGE,   ///< Triangle, then the opposite triangle.
    TOC_HEX,     ///< Quad, then the opposite quad.
    TOC_SHAPE_COUNT
} toc_shape;

/// The name of a shape and the number of its corners.
typedef struct toc_shape_properties {
    const char *name; ///< "tet", "hex", ...; never NULL.
    int corner_count; ///< 0 for TOC_REMOVED.
} toc_shape_properties;
/// The properties of a shape; those of TOC_REMOVED where there is none.
TOC_API toc_shape_properties toc_shape_get(toc_shape shape);
/// The number of corners alone.
TOC_INLINE_API int toc_shape_count_corners(toc_shape shape) { return toc_shape_get(shape).corner_count; }
/// The name alone.
TOC_INLINE_API const char *toc_shape_get_name(toc_shape shape) { return toc_shape_get(shape).name; }

/// An element as the mesh holds it. The corners stay valid until the mesh is next edited.
typedef struct toc_element {
    toc_shape shape;
    int corner_count;
    const uint32_t *corners;
    int32_t group;    ///< Part, material or body, as given by the file or the caller. Default 0.
    double thickness; ///< Of a shell, length, >= 0. Default 0. Counts as toc_scene_set_body_thickness says.
} toc_element;

/// Make an empty mesh. @param allocator NULL for the default.
TOC_API toc_status toc_mesh_create(const toc_allocator *allocator, toc_mesh **out);
/// Free a mesh; NULL is fine. A mesh that a scene owns, or that another call uses, stays as it is.
TOC_API void toc_mesh_destroy(toc_mesh *mesh);
/// An independent copy, ids and all; its event history starts empty.
TOC_API toc_status toc_mesh_copy(const toc_mesh *mesh, toc_mesh **out);

/// The numbers and the motion of a mesh. Arrays have 3 doubles a vertex id, and are valid until the mesh is next
/// changed.
typedef struct toc_mesh_info {
    size_t vertex_count;        ///< Ids given so far, removed ones among them: ids are 0 .. count-1.
    size_t element_count;       ///< Likewise.
    uint64_t revision;          ///< As toc_mesh_get_revision.
    const double *x0, *x1;      ///< Positions at the start and at the end of the step.
    const double *acceleration; ///< As set, 0 for vertices added since; NULL for straight paths.
} toc_mesh_info;
/// The numbers and the motion as they are now; all 0 for NULL.
TOC_API toc_mesh_info toc_mesh_get_info(const toc_mesh *mesh);
/// Number of vertex ids given so far, removed ones among them: ids are 0 .. count-1.
TOC_INLINE_API size_t toc_mesh_get_vertex_count(const toc_mesh *mesh) { return toc_mesh_get_info(mesh).vertex_count; }
/// Number of element ids given so far, removed ones among them.
TOC_INLINE_API size_t toc_mesh_get_element_count(const toc_mesh *mesh) { return toc_mesh_get_info(mesh).element_count; }
/// Number of events since the mesh was made: remember it, and later ask for the events from there on
/// (toc_mesh_get_events).
TOC_INLINE_API uint64_t toc_mesh_get_revision(const toc_mesh *mesh) { return toc_mesh_get_info(mesh).revision; }
/// Positions at the start of the step, 3 doubles a vertex id. Valid until the mesh is next changed.
TOC_INLINE_API const double *toc_mesh_get_x0(const toc_mesh *mesh) { return toc_mesh_get_info(mesh).x0; }
/// Positions at the end of the step, likewise.
TOC_INLINE_API const double *toc_mesh_get_x1(const toc_mesh *mesh) { return toc_mesh_get_info(mesh).x1; }
/// As set by toc_mesh_set_acceleration, 0 for vertices added since; NULL for straight paths. Valid likewise.
TOC_INLINE_API const double *toc_mesh_get_acceleration(const toc_mesh *mesh) {
    return toc_mesh_get_info(mesh).acceleration;
}
/// The element of an id; of shape TOC_REMOVED, without corners, when it is gone or was never given.
TOC_API toc_element toc_mesh_get_element(const toc_mesh *mesh, uint32_t element);
/// False for the id of a vertex that is gone or was never given.
TOC_API bool toc_mesh_has_vertex(const toc_mesh *mesh, uint32_t vertex);

/// Add vertices that rest at the given positions (3 doubles each). NaN and infinity are refused, with the vertex and
/// the coordinate named. One event, however many.
/// @param first receives the id of the first one; may be NULL.
TOC_API toc_status toc_mesh_add_vertices(toc_mesh *mesh, size_t count, const double *positions, uint32_t *first);
/// Add elements of one shape: their corners one after the other. A vertex that is not there is refused, with element
/// and corner named. One event, however many. A corner may be used twice: a hex may stand for a wedge, a pyramid or a
/// tet, a quad for a triangle.
TOC_API toc_status toc_mesh_add_elements(toc_mesh *mesh, toc_shape shape, size_t count, const uint32_t *corners,
                                         uint32_t *first);
/// Set the group of an element that exists; refused otherwise.
TOC_API toc_status toc_mesh_set_group(toc_mesh *mesh, uint32_t element, int32_t group);
/// Set the thickness of an element that exists. Negative and non-finite ones are refused.
TOC_API toc_status toc_mesh_set_thickness(toc_mesh *mesh, uint32_t element, double thickness);

/// Give a group a name, which is copied; NULL or "" takes it away. Bytes that are not UTF-8 and control characters
/// become question marks.
TOC_API toc_status toc_mesh_set_group_name(toc_mesh *mesh, int32_t group, const char *name);
/// The name of a group, from the file or the caller; NULL if it has none. Valid until a group is next named.
TOC_API const char *toc_mesh_get_group_name(const toc_mesh *mesh, int32_t group);

/// The parts of a mesh that have ids.
typedef enum toc_mesh_item { TOC_MESH_VERTEX = 0, TOC_MESH_ELEMENT } toc_mesh_item;

/// Give vertices or elements, from id 0 on, the numbers that their file or the caller knows them by; copied. Later ones
/// have none. A count of 0 takes all away. Labels may repeat. More of them than vertices or elements are refused.
TOC_API toc_status toc_mesh_set_labels(toc_mesh *mesh, toc_mesh_item item, size_t count, const int64_t *labels);
/// The number of a vertex or an element in its file: LS-DYNA's and d3plot's user numbers, Abaqus labels, Exodus maps,
/// Gmsh tags.
/// @param label receives it, or the id where there is none; may be NULL. @return false where there is none.
TOC_API bool toc_mesh_get_label(const toc_mesh *mesh, toc_mesh_item item, uint32_t id, int64_t *label);
/// The labels of vertices.
TOC_INLINE_API toc_status toc_mesh_set_vertex_labels(toc_mesh *mesh, size_t count, const int64_t *labels) {
    return toc_mesh_set_labels(mesh, TOC_MESH_VERTEX, count, labels);
}
/// The labels of elements.
TOC_INLINE_API toc_status toc_mesh_set_element_labels(toc_mesh *mesh, size_t count, const int64_t *labels) {
    return toc_mesh_set_labels(mesh, TOC_MESH_ELEMENT, count, labels);
}
/// The label of a vertex.
TOC_INLINE_API bool toc_mesh_get_vertex_label(const toc_mesh *mesh, uint32_t vertex, int64_t *label) {
    return toc_mesh_get_label(mesh, TOC_MESH_VERTEX, vertex, label);
}
/// The label of an element.
TOC_INLINE_API bool toc_mesh_get_element_label(const toc_mesh *mesh, uint32_t element, int64_t *label) {
    return toc_mesh_get_label(mesh, TOC_MESH_ELEMENT, element, label);
}

/// Both ends of the step at once, 3 doubles a vertex id, removed ones too. Positions may be the mesh's own.
/// @param count vertices in each array, likewise below. Another number than the vertex ids of the mesh
/// (toc_mesh_get_vertex_count), as of an array from before an edit, is TOC_BAD_INPUT.
/// @param x0 NULL for the old end, as in toc_mesh_move.
TOC_API toc_status toc_mesh_set_motion(toc_mesh *mesh, size_t count, const double *x0, const double *x1);
/// Next step: the old end becomes the start, and x1 the end.
TOC_INLINE_API toc_status toc_mesh_move(toc_mesh *mesh, size_t count, const double *x1) {
    return toc_mesh_set_motion(mesh, count, NULL, x1);
}

/// Constant acceleration over the step, length per step squared, 3 doubles a vertex id; NULL, of any count, for
/// straight paths, which toc_mesh_move and toc_mesh_set_motion go back to. The vertex then moves on the parabola from
/// x0 to x1 that toc_path_find_control describes. The presets that take such paths say so (toc_scene_find_contacts).
TOC_API toc_status toc_mesh_set_acceleration(toc_mesh *mesh, size_t count, const double *acceleration);

/// Add vertices that are at the given positions at the end of the step and came there with constant velocities: they
/// start at p - step * v (VolCCD, section 6.3). Else as toc_mesh_add_vertices.
/// @param step how long the step is, in the velocities' unit of time.
TOC_API toc_status toc_mesh_add_moving_vertices(toc_mesh *mesh, size_t count, const double *positions,
                                                const double *velocities, double step, uint32_t *first);

/// Make shells solid: a copy in which triangles and quads with a thickness are wedges and hexes. Each extends by half
/// the thickness to either side along the normals of its vertices, by the normals at each end of the step. A shell that
/// turns is therefore a little thinner in between. Other elements stay as they are; removed ones are left out. Vertices
/// keep their ids; those of thick shells lie on the side that the shell faces. The vertices of the far sides follow
/// behind, in the same order. A vertex between shells of different thickness takes the largest. Straight paths. Groups,
/// their names and labels stay. O(n).
/// @param out receives the new mesh. Untouched on failure.
TOC_API toc_status toc_mesh_thicken(const toc_mesh *mesh, toc_mesh **out);

/// Remove a vertex or an element. O(1); of a vertex, but see toc_mesh_split_vertex.
TOC_API toc_status toc_mesh_remove(toc_mesh *mesh, toc_mesh_item item, uint32_t id);
/// Remove an element; its vertices stay.
TOC_INLINE_API toc_status toc_mesh_remove_element(toc_mesh *mesh, uint32_t element) {
    return toc_mesh_remove(mesh, TOC_MESH_ELEMENT, element);
}
/// Remove a vertex that no element uses; refused otherwise, naming one that does.
TOC_INLINE_API toc_status toc_mesh_remove_vertex(toc_mesh *mesh, uint32_t vertex) {
    return toc_mesh_remove(mesh, TOC_MESH_VERTEX, vertex);
}
/// Tear: give the named elements a new vertex in place of `vertex`, at the same place and with the same motion. Refused
/// when one of them does not use it. O(corners changed), but the first edit of a mesh that needs the elements around a
/// vertex (this, toc_mesh_remove_vertex, toc_mesh_merge_vertices) takes O(n), and the first after adding O(added).
/// @param new_vertex receives its id; may be NULL.
TOC_API toc_status toc_mesh_split_vertex(toc_mesh *mesh, uint32_t vertex, size_t element_count,
                                         const uint32_t *elements, uint32_t *new_vertex);
/// Weld: every element that uses `gone` uses `kept` instead, and `gone` is removed. Positions of `kept` stay.
/// Refused when an element uses both, since it would lose a corner. O(corners changed), but see toc_mesh_split_vertex.
TOC_API toc_status toc_mesh_merge_vertices(toc_mesh *mesh, uint32_t kept, uint32_t gone);

/// Collapse an edge: every element that uses `gone` uses `kept` instead, and `gone` is removed. Positions of `kept`
/// stay. A triangle, a tet or a loose edge that has both vertices is removed; an element with more corners stays, with
/// a corner used twice, while enough of them are left for its dimension. Refused when no element has the edge, or when
/// one has both vertices and no edge between them (opposite corners). O(corners changed), but see
/// toc_mesh_split_vertex.
TOC_API toc_status toc_mesh_collapse_edge(toc_mesh *mesh, uint32_t kept, uint32_t gone);

/// Append a copy of another mesh, with its motion, groups and thicknesses: vertex v becomes *first_vertex + v, element
/// e becomes *first_element + e, removed ones included. Nothing is welded: see toc_mesh_merge_vertices. Where both
/// meshes name a group, the name of `mesh` stays. O(vertices and elements of `other`).
/// @param first_vertex, first_element may be NULL.
TOC_API toc_status toc_mesh_append(toc_mesh *mesh, const toc_mesh *other, uint32_t *first_vertex,
                                   uint32_t *first_element);
/// Move elements to a mesh of their own, in the given order, with their motion, groups, thicknesses and names. Their
/// vertices get new ids there, in ascending order of the old ones. Vertices that other elements use stay in both
/// meshes; the rest are removed here. An element named twice is refused. O(vertices of the mesh).
/// @param out receives the new mesh, made with the allocator of `mesh`. Untouched on failure.
TOC_API toc_status toc_mesh_extract(toc_mesh *mesh, size_t count, const uint32_t *elements, toc_mesh **out);

/// One change by an edit. The events in their order are enough to update derived data around the change only.
/// Elements and positions are read from the mesh as it is now: one added and removed since is TOC_REMOVED already.
typedef enum toc_event_kind {
    TOC_EVENT_VERTICES_ADDED,  ///< ids first .. first+count-1
    TOC_EVENT_ELEMENTS_ADDED,  ///< ids first .. first+count-1
    TOC_EVENT_ELEMENT_REMOVED, ///< id first
    TOC_EVENT_VERTEX_REMOVED,  ///< id first
    TOC_EVENT_CORNER_CHANGED   ///< element `first`: its corner `corner` was vertex `before`, is `after`
} toc_event_kind;

typedef struct toc_event {
    toc_event_kind kind;
    uint32_t first;
    uint32_t count;                 ///< 1, except for added vertices and elements.
    uint32_t corner, before, after; ///< Of TOC_EVENT_CORNER_CHANGED; else 0.
} toc_event;

/// The events from revision `since` to now. Valid until the mesh is next edited.
/// Refused when those events were forgotten (toc_mesh_forget_events), naming the oldest one kept.
TOC_API toc_status toc_mesh_get_events(const toc_mesh *mesh, uint64_t since, const toc_event **events, size_t *count);
/// Drop the events before a revision, once all derived data have followed them.
TOC_API toc_status toc_mesh_forget_events(toc_mesh *mesh, uint64_t before);

/// The counts of toc_mesh_inspect. Every such element is allowed; the counts inform the user. Signs of volumes and the
/// test for zero extent are exact, as if computed without rounding.
typedef struct toc_mesh_report {
    size_t vertices, elements;      ///< That exist.
    size_t shapes[TOC_SHAPE_COUNT]; ///< Elements by shape.
    size_t unused_vertices;         ///< Used by no element.
    size_t degenerate;              ///< Zero length, area or volume at the start, or a corner used twice.
    size_t inverted;          ///< Volume elements of negative volume at the start, within their triangulated faces.
    size_t skinned_vertices;  ///< Vertices of a file that a skeleton moves; toc_mesh_read gives their bind pose.
    size_t higher_order;      ///< Cells of a file with nodes between their corners; only the corners are read.
    size_t duplicate;         ///< Same shape and same corners, in any order, as an element before it.
    size_t boundary_edges;    ///< Edges with one face on the boundary surface; 0 when closed.
    size_t nonmanifold_edges; ///< Edges with more than two faces on the boundary surface.
    int64_t first_degenerate; ///< Element ids; -1 if there is none.
    int64_t first_inverted;
    int64_t first_duplicate;
    double low[3], high[3]; ///< Bounds of the start positions of used vertices; 0 when there are none.
    double mean_edge;       ///< Mean length of the unique edges at the start, without diagonals; 0 when there are none.
} toc_mesh_report;

/// Count the parts of a mesh and its oddities, at the start positions. O(n log n).
/// @param size sizeof *out as the caller knows it; fields beyond it are left out, and unknown ones set to 0.
TOC_API toc_status toc_mesh_inspect_sized(const toc_mesh *mesh, toc_mesh_report *out, size_t size);
/// The same for the structure of this header.
TOC_INLINE_API toc_status toc_mesh_inspect(const toc_mesh *mesh, toc_mesh_report *out) {
    return toc_mesh_inspect_sized(mesh, out, sizeof *out);
}

/// Flags of features.
enum {
    /// On the surface. A face that one volume element has and no other (duplicates of it count as itself), or that a
    /// surface element has; the edges and vertices of such faces; loose edges and points.
    TOC_FEATURE_ON_BOUNDARY = 1,
    TOC_FEATURE_DIAGONAL = 2 ///< An edge that only splits a quad.
};

/// Lists of varying length side by side: the list of i is items[first[i]] .. items[first[i+1]-1], ascending.
typedef struct toc_lists {
    size_t count;
    const uint32_t *first; ///< count + 1 of them.
    const uint32_t *items;
} toc_lists;

/// The features of a mesh: its vertices, edges and faces. Each appears once, for any number of elements that share it,
/// in ascending order. Quads are split along the diagonal through their lowest vertex id, so that elements that share
/// one agree. An element with a corner used twice has the features of the shape it stands for. Unchanged by later edits
/// of the mesh.
typedef struct toc_features {
    size_t vertex_count, edge_count, face_count;
    const uint32_t *vertices;   ///< Ids of the vertices that elements use.
    const uint32_t (*edges)[2]; ///< Lower id first.
    const uint32_t (*faces)[3]; ///< Lowest id first; wound as in the lowest element that has it, outward for a volume.
    const uint8_t *vertex_flags, *edge_flags, *face_flags; ///< TOC_FEATURE_ON_BOUNDARY, TOC_FEATURE_DIAGONAL.
    toc_lists vertex_elements; ///< By position in `vertices`: the elements around it; likewise for edges and faces.
    toc_lists edge_elements, face_elements;
    toc_lists element_neighbours; ///< By element id: the other elements that share a vertex with it.
} toc_features;

/// Derive the features as the mesh is now. O(n log n), and the neighbours: n * n of them around a vertex that n
/// elements use. Lists of 2^32 items or more are refused. Free with toc_features_destroy, before the mesh's allocator
/// goes.
TOC_API toc_status toc_mesh_find_features(const toc_mesh *mesh, toc_features **out);
/// Free the features of toc_mesh_find_features; NULL is fine.
TOC_API void toc_features_destroy(toc_features *features);

/// A rigid motion at a constant rate: a rotation about the axis through the centre, by an angle in radians, together
/// with a shift. Paths of vertices are straight within a step, so a body that turns shrinks a little in between.
typedef struct toc_rotation {
    double centre[3];
    double axis[3]; ///< Of any length but 0.
    double angle;
    double shift[3];
} toc_rotation;

/// The number of equal steps of the motion whose straight paths stay within a tolerance of it, at all times: at
/// least 1. A free answer of every step, with the tolerance as its separation, thus holds for the rigid motion against
/// bodies at rest (examples/turning.c). A step that turns by w is off by r w^2 / 8 at most, r being the largest
/// distance of a vertex from the axis. O(n).
/// @param x positions at the start, 3 doubles for each vertex.
/// @param tolerance length, > 0. One that needs more than 2^31 - 1 steps is TOC_BAD_INPUT.
/// @return TOC_OK; TOC_BAD_INPUT for NULL, numbers that are not finite or too large, an axis without length.
TOC_API toc_status toc_rotation_find_steps(const toc_rotation *rotation, size_t count, const double *x,
                                           double tolerance, uint32_t *steps);
/// The positions after a fraction of the motion, 0 to 1, within a few roundings. x may be x0.
TOC_API toc_status toc_rotation_place(const toc_rotation *rotation, double fraction, size_t count, const double *x0,
                                      double *x);

#ifdef __cplusplus
}
#endif

#endif
