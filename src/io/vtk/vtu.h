// SPDX-License-Identifier: Apache-2.0
// A .vtu as a piece of a .pvtu.
#ifndef TOC_IO_VTK_VTU_H
#define TOC_IO_VTK_VTU_H

#include "io/core/source.h"
#include "toccata/mesh.h"

/// Read a piece into an empty mesh. Global ids of points and cells become the labels. Ghost cells, which another piece
/// has, are left out. The mesh may stay without elements.
toc_status toc_vtu_read_piece(toc_source *source, toc_mesh *mesh);

#endif
