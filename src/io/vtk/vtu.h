// SPDX-License-Identifier: Apache-2.0
// A .vtu: read as a piece of a .pvtu, and written.
#ifndef TOC_IO_VTK_VTU_H
#define TOC_IO_VTK_VTU_H

#include "io/core/sink.h"
#include "io/core/source.h"
#include "toccata/mesh.h"

/// Read a piece into an empty mesh. Global ids of points and cells become the labels. Ghost cells, which another piece
/// has, are left out. The mesh may stay without elements.
toc_status toc_vtu_read_piece(toc_source *source, toc_mesh *mesh);
/// Write the elements and the positions x. toc_format.write.
toc_status toc_vtu_write(toc_sink *sink, const toc_mesh *mesh, const double *x);

#endif
