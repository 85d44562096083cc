// SPDX-License-Identifier: Apache-2.0
// A file format: one source file, one row in formats.c.
#ifndef TOC_IO_CORE_FORMAT_H
#define TOC_IO_CORE_FORMAT_H

#include "io/core/sink.h"
#include "io/core/source.h"
#include "toccata/io.h"

/// The frames that a caller wants of a file with continuous motion.
typedef struct toc_frame_wish {
    double rate;           // frames a second
    const char *clip;      // the name of the clip; NULL for the first that moves
    toc_piece_share share; // of a file in pieces
} toc_frame_wish;

struct toc_field_list;

/// Functions of a format whose files hold many frames. Frames are read one by one, so that a long sequence is never in
/// memory as a whole. `frames` belongs to the format.
typedef struct toc_frame_methods {
    bool unpacks; // whether `open` takes a gzip file as its contents
    /// Find the number of frames of a file, and their times.
    toc_status (*open)(const char *path, const toc_frame_wish *wish, const toc_allocator *allocator, void **frames);
    void (*close)(void *frames);
    /// At least 1.
    size_t (*count)(const void *frames);
    double (*time)(const void *frames, size_t frame);
    /// Read the mesh of the first frame, at rest, into an empty one, with an id for each vertex and element that any
    /// frame has, unless `grow` adds them.
    toc_status (*first)(void *frames, toc_mesh *mesh);
    /// Add the vertices and elements that begin at a frame, or since the one before, to the mesh, at rest. NULL where
    /// `first` has all.
    toc_status (*grow)(void *frames, size_t frame, toc_mesh *mesh);
    /// The positions of a frame, 3 doubles for each vertex of that mesh.
    toc_status (*positions)(void *frames, size_t frame, double *x);
    /// Set gone[i] for each element of that mesh that a frame does not have; all are 0 before. NULL where elements
    /// never go.
    toc_status (*removals)(void *frames, size_t frame, uint8_t *gone);
    /// The velocities of a frame, 3 doubles for each vertex. Sets *known to false where the file has none. NULL for
    /// formats without.
    toc_status (*velocities)(void *frames, size_t frame, double *v, bool *known);
    /// Hand over the fields of a frame (toc_fields_new), for the ids of that mesh; displacements and velocities are
    /// none of them. NULL for formats without.
    toc_status (*fields)(void *frames, size_t frame, struct toc_field_list *list);
    /// The name of the i-th clip, NULL past the last. NULL for formats without clips.
    const char *(*clip)(const void *frames, size_t i);
} toc_frame_methods;

typedef struct toc_format {
    toc_format_info info;
    /// Whether the content is certainly of this format; NULL if only the extension can tell.
    bool (*recognise)(const toc_source *source);
    /// Read a source into an empty mesh; NULL where the format is not read.
    toc_status (*read)(toc_source *source, toc_mesh *mesh);
    /// Write positions x (toc_mesh_get_x0 or toc_mesh_get_x1) and the elements; NULL where the format is not written.
    toc_status (*write)(toc_sink *sink, const toc_mesh *mesh, const double *x);
    /// Write all frames of a sequence, played at `rate` frames a second; NULL where the format holds one.
    toc_status (*write_frames)(toc_sink *sink, toc_sequence *sequence, double rate);
    /// NULL where a file is one frame.
    const toc_frame_methods *frames;
} toc_format;

extern const toc_format toc_format_obj, toc_format_ply, toc_format_stl, toc_format_off, toc_format_vtk, toc_format_vtu,
    toc_format_msh, toc_format_tetgen, toc_format_mfem, toc_format_d3plot, toc_format_gltf, toc_format_dyna,
    toc_format_exodus, toc_format_abaqus, toc_format_frd, toc_format_pvtu, toc_format_mdd, toc_format_pc2,
    toc_format_vtkhdf, toc_format_xdmf, toc_format_med, toc_format_radioss, toc_format_alembic;

/// The i-th format, NULL past the last.
const toc_format *toc_format_at(size_t i);
/// The length of a path without the ".gz" of a compressed file.
size_t toc_path_unpacked(const char *path);
/// The format of a path's extension in upper or lower case; NULL where there is none.
const toc_format *toc_format_of_path(const char *path);
/// The same without regard to ".gz" behind it, for reading.
const toc_format *toc_format_of_packed_path(const char *path);
/// Whether a path ends with an extension (".pvd"), in upper or lower case.
bool toc_path_has_extension(const char *path, const char *extension);

/// The format of a file that may hold several frames, by the extension, else by the first bytes; NULL for any other
/// file, and for a file that cannot be read.
toc_status toc_format_of_frames(const char *path, const toc_allocator *allocator, const toc_format **out);

/// Refuse a later file of a d3plot family (d3plot03) and name its first one.
toc_status toc_family_check(const char *path, const toc_allocator *allocator);

/// The allocator of a sequence, and its frames a second.
const toc_allocator *toc_sequence_allocator(const toc_sequence *sequence);
double toc_sequence_rate(const toc_sequence *sequence);

/// Prefix the message with the name of the file, unless it has that prefix.
toc_status toc_fail_file(toc_status status, const char *path);

/// Read a source from its present position in the given format; NULL: in the format of its content or name.
/// Failures name the source's path.
toc_status toc_format_read(const toc_format *format, toc_source *source, toc_mesh **out);

/// Read a source of one frame from its beginning into an empty mesh, in the format of its content or name.
toc_status toc_format_fill(toc_source *source, toc_mesh *mesh);

/// Called with the file and the time of each frame of a .pvd. The text is the callee's for the call only.
typedef toc_status toc_pvd_found(void *user, const char *path, double time);

/// Call `found` for the frames of a .pvd, in the order of time; paths are as reached from the present folder (the
/// .pvd's own folder is put before relative names). Stops at the first status that is not TOC_OK and returns it.
toc_status toc_pvd_list(toc_source *source, toc_pvd_found *found, void *user);

#endif
