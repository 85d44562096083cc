// SPDX-License-Identifier: Apache-2.0
// What a file format is to the rest: one file in this folder, one row in formats.c.
#ifndef TOC_IO_FORMAT_H
#define TOC_IO_FORMAT_H

#include "io/sink.h"
#include "io/source.h"
#include "toccata/io.h"

typedef struct toc_format {
    toc_format_info info;
    /// Whether the content is of this format for certain; NULL where it cannot be told and the extension decides.
    bool (*recognise)(const toc_source *source);
    /// Read a source into an empty mesh; NULL where the format is not read.
    toc_status (*read)(toc_source *source, toc_mesh *mesh);
    /// Write positions x (toc_mesh_x0 or toc_mesh_x1) and the elements; NULL where the format is not written.
    toc_status (*write)(toc_sink *sink, const toc_mesh *mesh, const double *x);
} toc_format;

extern const toc_format toc_format_obj, toc_format_ply, toc_format_stl, toc_format_off, toc_format_vtk, toc_format_vtu;

/// The i-th format, NULL past the last.
const toc_format *toc_format_at(size_t i);
/// The format of a path's extension in upper or lower case; NULL where there is none.
const toc_format *toc_format_of_path(const char *path);
/// Whether a path ends with an extension (".pvd"), in upper or lower case.
bool toc_path_has_extension(const char *path, const char *extension);

/// Read a source from where it stands as the given format, or as the one its content or name tells for NULL.
/// Failures name the source's path.
toc_status toc_format_read(const toc_format *format, toc_source *source, toc_mesh **out);

/// Call `found` with the file of each frame of a .pvd, in the order of time, as reached from the present folder
/// (the .pvd's own folder is put before relative names). The text is the callee's for the call only. Stops at the first
/// status that is not TOC_OK and returns it.
toc_status toc_pvd_list(toc_source *source, toc_status (*found)(void *user, const char *path), void *user);

#endif
