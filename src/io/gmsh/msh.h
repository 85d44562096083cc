// SPDX-License-Identifier: Apache-2.0
// The two halves of Gmsh's format: msh.c reads, msh_write.c writes.
#ifndef TOC_IO_GMSH_MSH_H
#define TOC_IO_GMSH_MSH_H

#include "io/core/sink.h"
#include "toccata/mesh.h"

toc_status toc_msh_write(toc_sink *sink, const toc_mesh *mesh, const double *x);

#endif
