// SPDX-License-Identifier: Apache-2.0
// A lattice of tetrahedra around a surface of any kind.
#ifndef TOOLS_LATTICE_H
#define TOOLS_LATTICE_H

#include "tools/command.h"

/// Make the envelope of a surface: all cells of a grid that meet it or that it encloses, six tets each, in about `tets`
/// tets. Open surfaces, surfaces that cross themselves and loose pieces are fine; places closer than a cell are joined.
/// Destroy the mesh.
toc_status tool_lattice_make(const toc_mesh *surface, size_t tets, toc_mesh **out);

#endif
