// SPDX-License-Identifier: Apache-2.0
#ifndef TOCCATA_IO_H
#define TOCCATA_IO_H

#include <math.h>

#include "toccata/mesh.h"
#include "toccata/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A file format, as toc_format_get lists it.
typedef struct toc_format_info {
    const char *name;       ///< "ply"
    const char *extensions; ///< ".ply", or several separated by blanks.
    const char *what;       ///< A few words on the supported content.
    bool reads, writes;
} toc_format_info;

/// The i-th format; false past the last.
/// @param size sizeof *out as the caller knows it; fields beyond it are left out, and unknown ones set to 0.
TOC_IO_API bool toc_format_get_sized(size_t i, toc_format_info *out, size_t size);
/// The same for the structure of this header.
TOC_INLINE_API bool toc_format_get(size_t i, toc_format_info *out) { return toc_format_get_sized(i, out, sizeof *out); }

/// How to read files. Begin with toc_read_options_default or toc_read_options_init.
typedef struct toc_read_options {
    uint32_t size; ///< Set by toc_read_options_init; do not change it.
    /// Bytes that one call may hold at once, results included. Default 0: a quarter of the memory that the system (or
    /// the container) has available when the file is opened. Files that expand beyond it, such as a mesh with many
    /// instances, are refused with TOC_OUT_OF_MEMORY before they expand; the message gives both numbers.
    uint64_t memory;
    const toc_allocator *allocator; ///< Default NULL: the C library's.
    /// Of a file in pieces (.pvtu, decomposed Exodus) read one of `shares` shares of consecutive pieces, number `share`
    /// from 0. A share may be empty. Later frames of a sequence must have their vertices in the same shares. Other
    /// files are read as a whole. Default 0, 0: all pieces.
    uint32_t share, shares;
    const uint64_t *step; ///< Of the table of a sequence, with a column `step`, read this one. Default NULL: of none.
} toc_read_options;

/// Write the defaults named in toc_read_options.
/// @param size sizeof *options as the caller knows it; base.h, "Growth".
TOC_IO_API toc_status toc_read_options_init(toc_read_options *options, size_t size);
/// The same as a value.
TOC_INLINE_API toc_read_options toc_read_options_default(void) {
    toc_read_options options;
    toc_read_options_init(&options, sizeof options);
    return options;
}

/// Read a mesh at rest (x0 = x1). The content determines the format; if it cannot, the extension does.
/// Vertices and elements keep the order of the file; polygons of more than four corners become fans of triangles, and
/// a file with vertices only becomes a mesh of points. A file without either is refused. docs/formats.md lists the
/// content that is read of each format.
/// A file compressed with gzip is unpacked first, to 128 times its size and a megabyte at most.
/// A large file is mapped, not copied, and takes no memory of the allocator. While it is read, the library handles
/// SIGBUS for its pages, in case another program truncates the file. Any other SIGBUS goes to the previous handler.
/// Failures name the file and the line or byte. Devices are refused.
/// @param options NULL for the defaults. The mesh keeps the allocator, not the limit.
/// @return TOC_OK, TOC_BAD_INPUT or TOC_OUT_OF_MEMORY.
TOC_IO_API toc_status toc_mesh_read(const char *path, const toc_read_options *options, toc_mesh **out);

/// Write a mesh, as it is at an end of the step, in the format of the path's extension. The file appears whole or not
/// at all; one that was there before is replaced only by a whole one. Doubles survive a round trip bit for bit wherever
/// the format can hold them. Formats for surfaces get the boundary of volume elements. Vertex ids stay, removed ones
/// included; STL has none. A device or a pipe at the path is written into directly.
/// @param velocities of the vertices, 3 doubles a vertex id, which .vtu and .vtk files hold, as the array "velocity",
/// .ply files, as vx, vy, vz, and .glb files, as the attribute _VELOCITY in floats; others leave them out.
/// toc_sequence_take_velocities reads the same numbers. NULL for none.
TOC_IO_API toc_status toc_mesh_write_moving(const char *path, const toc_mesh *mesh, toc_end end,
                                            const double *velocities);
/// The same without velocities.
TOC_INLINE_API toc_status toc_mesh_write(const char *path, const toc_mesh *mesh, toc_end end) {
    return toc_mesh_write_moving(path, mesh, end, NULL);
}

/// Frames of one moving mesh, read one after the other; never more than two frames in memory.
typedef struct toc_sequence toc_sequence;

/// Open frames given as files in order. A .pvd stands for the frames it lists, and a file that holds many (the states
/// of a d3plot family, the time steps of an Exodus file, an animation) for all of them. A folder stands for the one
/// .pvd or d3plot in it. The number of frames and their times are read, but no frame yet. A missing file, another
/// folder, and a later file of a d3plot family are refused. Exodus files must not be used from several threads at once:
/// netCDF's library has state.
/// @param options NULL for the defaults. The memory limit holds for each call that reads.
TOC_IO_API toc_status toc_sequence_open(size_t path_count, const char *const *paths, const toc_read_options *options,
                                        toc_sequence **out);
/// Close it and free all it holds; NULL is fine. Meshes made from it stay.
TOC_IO_API void toc_sequence_close(toc_sequence *sequence);
/// Sample animations, whose motion is continuous, at this many frames a second, > 0. Default 30. The number of frames
/// changes with it. On failure nothing but toc_sequence_close may be called.
TOC_IO_API toc_status toc_sequence_sample(toc_sequence *sequence, double rate);
/// Take the frames of a clip, the named animation of a file. Default NULL: the first animation that moves a vertex. The
/// number of frames changes with it. A clip that does not exist is TOC_BAD_INPUT; the message lists those that do. On
/// failure nothing but toc_sequence_close may be called.
TOC_IO_API toc_status toc_sequence_play(toc_sequence *sequence, const char *clip);
/// The frames and clips of a sequence. Its arrays are valid until the sequence is closed, sampled or played.
typedef struct toc_sequence_info {
    size_t frame_count;       ///< Of all files.
    const double *times;      ///< Of the frames, as the file or the .pvd says, else their numbers.
    size_t clip_count;        ///< Of the first file; 0 for formats without clips.
    const char *const *clips; ///< Their names, numbers where the file has none.
    /// In the frame that was read last, in the units of the file, 3 doubles for each vertex id; NULL if the file has
    /// none, or if they are not read (toc_sequence_take_velocities). Vertices that the file lacks have 0. Valid until
    /// the next frame is read.
    const double *velocities;
} toc_sequence_info;
/// The frames and clips; none for NULL.
TOC_IO_API toc_sequence_info toc_sequence_get_info(const toc_sequence *sequence);
/// Number of clips of the first file.
TOC_INLINE_API size_t toc_sequence_get_clip_count(const toc_sequence *sequence) {
    return toc_sequence_get_info(sequence).clip_count;
}
/// The name of a clip; NULL past the last.
TOC_INLINE_API const char *toc_sequence_get_clip(const toc_sequence *sequence, size_t i) {
    const toc_sequence_info info = toc_sequence_get_info(sequence);
    return i < info.clip_count ? info.clips[i] : NULL;
}
/// Whether to read velocities of vertices, too, from the next frame on. Default false. They are in the point data
/// `velocity`, `velocities`, `vel` or `v` of VTK, VTU and VTP, in the nodal variables `velx vely velz` (or `vel_x`,
/// `velocity_x`, `v_x`) of Exodus, and in the states of a d3plot. A velocity that is not finite is TOC_BAD_INPUT then.
TOC_IO_API toc_status toc_sequence_take_velocities(toc_sequence *sequence, bool on);
/// The velocities in the frame that was read last, as toc_sequence_info says.
TOC_INLINE_API const double *toc_sequence_get_velocities(const toc_sequence *sequence) {
    return toc_sequence_get_info(sequence).velocities;
}
/// Number of frames of all files.
TOC_INLINE_API size_t toc_sequence_get_frame_count(const toc_sequence *sequence) {
    return toc_sequence_get_info(sequence).frame_count;
}
/// The file of a frame; NULL past the last.
TOC_IO_API const char *toc_sequence_get_path(const toc_sequence *sequence, size_t frame);
/// The time of a frame; NaN past the last.
TOC_INLINE_API double toc_sequence_get_time(const toc_sequence *sequence, size_t frame) {
    const toc_sequence_info info = toc_sequence_get_info(sequence);
    return frame < info.frame_count ? info.times[frame] : NAN;
}
/// Read frame 0 into a new mesh at rest.
TOC_IO_API toc_status toc_sequence_read_first(toc_sequence *sequence, toc_mesh **out);
/// Read a frame and move the mesh there: the old end becomes the start. Elements that are gone in the frame are removed
/// from the mesh before the step. Of frames given as files, elements may also be torn or added, and those of Alembic
/// files replaced: new vertices and elements have ids behind the old. A frame that cannot have come from the mesh in
/// this way, or not certainly so, is refused: the message names both files, and the mesh stays as it was. Lack of
/// memory may leave it half changed.
TOC_IO_API toc_status toc_sequence_advance(toc_sequence *sequence, size_t frame, toc_mesh *mesh);

/// Numbers of a file for each vertex or element id of a mesh: temperature, stress, velocity.
typedef struct toc_field {
    const char *name;
    bool of_elements;     ///< One for each element id; else for each vertex id.
    uint32_t components;  ///< 1, or 3 of a vector.
    size_t count;         ///< Of ids.
    const double *values; ///< `components` each. They may be not finite; those of removed elements are NaN.
} toc_field;

/// The fields of a file. A result: it may gain fields at the end.
typedef struct toc_fields {
    size_t count;
    const toc_field *fields; ///< In the order of the file.
    size_t left_out;         ///< Fields for other points or cells than those of the mesh.
} toc_fields;

/// Read the point data and cell data of a .vtk, .vtu or .vtp in one piece, of one or three components, for a mesh that
/// is at this file: after toc_mesh_read, toc_sequence_read_first or toc_sequence_advance. Arrays that are parts,
/// thicknesses or labels are none of them. Fields of points that are not the vertices of the mesh at the end of its
/// step, or of cells that became several elements, are left out. Other formats have none. Text that holds no numbers,
/// or too few, is left out, too. Reads the whole file: O(file).
/// @param options NULL for the defaults. @param out free with toc_fields_destroy. Untouched on failure.
/// @return TOC_OK, TOC_BAD_INPUT or TOC_OUT_OF_MEMORY.
TOC_IO_API toc_status toc_fields_read(const char *path, const toc_read_options *options, const toc_mesh *mesh,
                                      toc_fields **out);
/// The fields of a frame of a sequence, for the mesh that is at this frame, in whatever format: those of
/// toc_fields_read, and the results that d3plot, Exodus, CalculiX and VTKHDF files have of each frame. Displacements
/// and velocities of these are none of them: see toc_sequence_take_velocities. Of stresses the von Mises stress is a
/// field. Of a d3plot these are `von Mises stress`, `plastic strain` and `pressure` of elements, for shells the largest
/// of their layers, `thickness` of shells, `acceleration` and `temperature` of nodes. Elements without a result have
/// NaN. Reads the frame alone.
/// @param out free with toc_fields_destroy. Untouched on failure.
/// @return TOC_OK, TOC_BAD_INPUT or TOC_OUT_OF_MEMORY.
TOC_IO_API toc_status toc_sequence_read_fields(toc_sequence *sequence, size_t frame, const toc_mesh *mesh,
                                               toc_fields **out);
/// Free the result; NULL is fine.
TOC_IO_API void toc_fields_destroy(toc_fields *fields);

/// Write all frames of a sequence, from the first on. A .glb has an animation that moves vertices from frame to frame
/// in straight lines, at the frames a second of toc_sequence_sample. A .pvd comes with a .vtu for each frame beside it
/// (NAME-0000.vtu). Frames are read one by one. In a .glb, faces show in the steps that have them.
TOC_IO_API toc_status toc_sequence_write(const char *path, toc_sequence *sequence);

/// A joint of a skeleton.
typedef struct toc_rig_joint {
    const char *name;        ///< "" where the file has none. Valid as long as the rig.
    uint32_t parent;         ///< The nearest joint above it; UINT32_MAX for none.
    double inverse_bind[12]; ///< Three rows: from the bind pose into the frame of the joint.
} toc_rig_joint;

/// A joint that moves a vertex.
typedef struct toc_rig_weight {
    uint32_t joint;
    double weight; ///< Above 0.
} toc_rig_weight;

/// A character of a file: a mesh in its bind pose, the skeleton that moves it, and clips. Its fields are valid as long
/// as the rig, and only to read. A result: it may gain fields at the end. One call at a time.
typedef struct toc_rig {
    const toc_mesh *mesh; ///< In its bind pose.
    size_t joint_count;   ///< Of all skins, those that skins share once.
    const toc_rig_joint *joints;
    size_t clip_count;
    const char *const *clips; ///< Their names, numbers where the file has none.
    size_t morph_count;       ///< Morph targets of all nodes (toc_rig_morph).
    size_t scaled_count;      ///< Skinned vertices whose weights did not sum to 1 within 0.02 and were scaled.
} toc_rig;

/// Read a character: glTF with a skin or morph targets. Vertices have the ids of toc_mesh_read. The bind pose is that
/// of the first skin; others are placed relative to a joint they share with it, else as in the scene at rest. Parts of
/// the file without a skin move with a joint of their own, their node.
/// @param options as in toc_mesh_read.
/// @param out free with toc_rig_destroy. Untouched on failure.
/// @return TOC_OK; TOC_BAD_INPUT for another format, a file with neither or a broken one; TOC_OUT_OF_MEMORY.
TOC_IO_API toc_status toc_rig_read(const char *path, const toc_read_options *options, toc_rig **out);
/// Free a rig; NULL is fine.
TOC_IO_API void toc_rig_destroy(toc_rig *rig);
/// The joints of a vertex; their weights sum to 1 within rounding.
/// @param count receives their number; 0 past the last vertex.
TOC_IO_API const toc_rig_weight *toc_rig_get_weights(const toc_rig *rig, size_t vertex, size_t *count);
/// The time of the first and of the last key of a clip, seconds; 0 for one that moves nothing.
TOC_IO_API toc_status toc_rig_find_times(toc_rig *rig, size_t clip, double *start, double *end);
/// The clip of a name. @return TOC_BAD_INPUT without such a clip; the message lists those that exist.
TOC_IO_API toc_status toc_rig_find_clip(const toc_rig *rig, const char *name, size_t *clip);
/// The matrices of a pose: for each joint 12 doubles, three rows, from the bind pose to the world. Morph targets move
/// vertices before these do (toc_rig_morph).
/// @param clip SIZE_MAX for the pose without an animation. @param time seconds; outside of the clip the nearest key.
/// @param joint_count matrices that there is room for; another number than the joints of the rig is TOC_BAD_INPUT.
TOC_IO_API toc_status toc_rig_pose(toc_rig *rig, size_t clip, double time, size_t joint_count, double *matrices);
/// The ways of the vertices by morph targets in a pose: 3 doubles for each vertex of the mesh, in the bind pose. All 0
/// in a file without targets.
/// @param clip, time as in toc_rig_pose. @param vertex_count vertices that there is room for; another number than the
/// vertices of the mesh is TOC_BAD_INPUT.
TOC_IO_API toc_status toc_rig_morph(toc_rig *rig, size_t clip, double time, size_t vertex_count, double *ways);

/// A motion of a skeleton, captured or exported without a mesh. Its fields are valid as long as the capture, and only
/// to read. A result: it may gain fields at the end. One call at a time.
typedef struct toc_capture {
    size_t joint_count;
    const char *const *joints; ///< Their names.
    double end;                ///< The time of the last frame, seconds; that of the first is 0.
} toc_capture;

/// Read a motion: a BVH file.
/// @param options as in toc_mesh_read.
/// @param out free with toc_capture_destroy. Untouched on failure.
/// @return TOC_OK; TOC_BAD_INPUT for a file that is broken, with its line; TOC_OUT_OF_MEMORY.
TOC_IO_API toc_status toc_capture_read(const char *path, const toc_read_options *options, toc_capture **out);
/// Free a capture; NULL is fine.
TOC_IO_API void toc_capture_destroy(toc_capture *capture);
/// Apply a motion to the joints of a rig that have the same names, without regard to case and to a prefix that ends
/// with a colon. The motion without rotations and the bind pose stand for the same pose. All other joints move with the
/// joint above. The place of the root is scaled by the lengths of the bones that both have.
/// @param rig read once; it may be destroyed afterwards. @param matched receives the number of joints; may be NULL.
/// @return TOC_OK; TOC_BAD_INPUT if no name fits; TOC_OUT_OF_MEMORY.
TOC_IO_API toc_status toc_capture_attach(toc_capture *capture, toc_rig *rig, size_t *matched);
/// The matrices of a pose for the rig that the motion is attached to, as in toc_rig_pose.
/// @param time seconds; outside of the motion the nearest frame.
TOC_IO_API toc_status toc_capture_pose(toc_capture *capture, double time, size_t joint_count, double *matrices);

/// Write a .pvd that lists files as frames, for ParaView and toc_sequence_open.
/// @param frames their paths as seen from the folder of the .pvd, or absolute.
/// @param times ascending; NULL for 0, 1, 2, ...
TOC_IO_API toc_status toc_sequence_write_pvd(const char *path, size_t frame_count, const char *const *frames,
                                             const double *times);

/// Where two features or elements are, in the words of their files.
typedef struct toc_place {
    uint32_t element[2];      ///< An element around each of the two.
    int64_t element_label[2]; ///< Its number in the file (toc_mesh_get_element_label).
    int64_t vertex_label[6];  ///< Of the four vertices of a contact or near pair, or the six of two faces; else 0.
    int32_t part[2];          ///< The number of the part in its file.
    const char *part_name[2]; ///< May be NULL. Names are compared by their addresses, so each has one.
    double time;              ///< In the unit of the file.
} toc_place;

/// Write items of any kind as .csv, .json (one JSON object a line), or, if they have a point, .vtp.
/// @param items `count` items of the kind: `near->pairs` for TOC_ITEM_NEAR.
/// @param places one for each item, in columns behind the others; NULL for none.
TOC_IO_API toc_status toc_answer_write(const char *path, toc_item item, size_t count, const void *items,
                                       const toc_place *places);
/// The same for contacts.
TOC_INLINE_API toc_status toc_contacts_write(const char *path, const toc_contacts *contacts, const toc_place *places) {
    if (!contacts) return toc_message_set(TOC_BAD_INPUT, "toc_contacts_write: contacts is NULL");
    return toc_answer_write(path, TOC_ITEM_CONTACT, contacts->count, contacts->contacts, places);
}

/// Contacts in their order that need not be in memory all at once.
typedef struct toc_contact_source {
    size_t count;    ///< Of all contacts.
    bool has_places; ///< Whether `get` gives places, too.
    /// Give the contacts from number `first` on: at least one, at most all that follow. A file takes one pass or
    /// several, each from 0 on to the end.
    /// @param contacts, places receive arrays that stay valid until the next call; places only if there are any.
    /// `places` is NULL in a pass that needs none.
    /// @param count receives the number of items in them.
    toc_status (*get)(void *user, size_t first, const toc_contact **contacts, const toc_place **places, size_t *count);
    void *user;
} toc_contact_source;

/// As toc_contacts_write, from a source: the same bytes, in memory that does not grow with the contacts.
/// @return TOC_OK, a status of the source, which leaves no file behind, or as toc_contacts_write.
TOC_IO_API toc_status toc_contacts_write_source(const char *path, const toc_contact_source *source);

/// Read contacts or near pairs from a file that this library has written: a .csv, .json or .vtp with any columns of
/// places, which are left out, and contacts from a .glb of toc_step_write. Doubles are the same bit for bit, the order
/// is that of the file. No file has the `time` of near pairs, which is 0, and a .vtp has no `thickness` either. Of the
/// table of a sequence, as `toccata check` writes it, toc_read_options.step names the step. Files of other programs,
/// truncated ones, times outside of the step and numbers that are not finite are refused; the message names the line,
/// or the item counted from 0.
/// @param options NULL for the defaults. @param item TOC_ITEM_CONTACT or TOC_ITEM_NEAR.
/// @param out the address of a pointer to a list of the kind, as in toc_answer_create. Untouched on failure.
/// @return TOC_OK, TOC_BAD_INPUT or TOC_OUT_OF_MEMORY.
TOC_IO_API toc_status toc_answer_read(const char *path, const toc_read_options *options, toc_item item, void *out);
/// The same for contacts; free with toc_contacts_destroy.
TOC_INLINE_API toc_status toc_contacts_read(const char *path, const toc_read_options *options, toc_contacts **out) {
    return toc_answer_read(path, options, TOC_ITEM_CONTACT, out);
}
/// The same for near pairs; free with toc_near_destroy.
TOC_INLINE_API toc_status toc_near_read(const char *path, const toc_read_options *options, toc_near **out) {
    return toc_answer_read(path, options, TOC_ITEM_NEAR, out);
}

/// Write a step as a .glb: the surface of the mesh, moving from start to end within a second, and a point at each
/// contact. Points have the attributes POSITION, NORMAL, _TOC (the second of the animation), _TIME and _KIND (0 for
/// vf, 1 for ee) as floats. The extras of the file describe arrays with the exact numbers, as in a .vtp. Readers of
/// this library leave the points out.
/// @param contacts of this mesh alone. @param places one for each contact; NULL for none.
TOC_IO_API toc_status toc_step_write(const char *path, const toc_mesh *mesh, const toc_contacts *contacts,
                                     const toc_place *places);
/// An animated .glb that grows step by step: the surface of a mesh, and the contacts of each step as points that show
/// during it. Elements may come and go; faces show in the steps that have them. Readers of this library refuse a file
/// in which they do.
typedef struct toc_animation toc_animation;
/// Begin a file with a mesh at the start of its step.
/// @param rate steps a second, > 0.
/// @param out free with toc_animation_destroy. Untouched on failure.
/// @return TOC_OK; TOC_BAD_INPUT for another extension, an unwritable path, coordinates beyond a float;
/// TOC_OUT_OF_MEMORY.
TOC_IO_API toc_status toc_animation_create(const char *path, const toc_mesh *mesh, double rate, toc_animation **out);
/// Add the step of the mesh, from where the last one ended. Vertices keep their ids. Displacements wait in a temporary
/// file. It may be another mesh than before, as long as that one still exists.
/// @param contacts, places as in toc_step_write; all steps have places, or none.
TOC_IO_API toc_status toc_animation_add(toc_animation *animation, const toc_mesh *mesh, const toc_contacts *contacts,
                                        const toc_place *places);
/// Write the file, which appears whole or not at all.
TOC_IO_API toc_status toc_animation_write(toc_animation *animation);
/// Free it; a file that was not written does not appear. NULL is fine.
TOC_IO_API void toc_animation_destroy(toc_animation *animation);
/// Write a .pvtp for ParaView that stands for several .vtp of toc_answer_write.
/// @param has_places whether these have places. @param pieces their paths as seen from the folder of the .pvtp, or
/// absolute.
TOC_IO_API toc_status toc_answer_write_pieces(const char *path, toc_item item, bool has_places, size_t count,
                                              const char *const *pieces);

#ifdef __cplusplus
}
#endif

#endif
