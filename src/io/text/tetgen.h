// SPDX-License-Identifier: Apache-2.0
// TetGen's pairs of files.
#ifndef TOC_IO_TEXT_TETGEN_H
#define TOC_IO_TEXT_TETGEN_H

#include "io/core/source.h"
#include "toccata/mesh.h"

/// Read a .ele or .face (by its path) with its .node; or a .node given as both, whose nodes become points.
toc_status toc_tetgen_read(toc_source *source, toc_source *nodes, toc_mesh *mesh);

#endif
