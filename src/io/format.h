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

#endif
