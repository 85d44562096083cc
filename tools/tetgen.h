// SPDX-License-Identifier: Apache-2.0
// TetGen as a separate process: tetrahedra that fill a closed surface.
#ifndef TOOLS_TETGEN_H
#define TOOLS_TETGEN_H

#include "tools/command.h"

/// Limits of the process.
typedef struct tool_tetgen_limits {
    double seconds;  // of the clock
    uint64_t memory; // address space, bytes
} tool_tetgen_limits;

/// Fill a surface of triangles with at least about `tets` tetrahedra; the surface keeps its vertices and faces. Files
/// go to a temporary folder that is removed in any case. Destroy the mesh.
/// @return TOC_BAD_INPUT if the program is missing, fails, is killed by a limit or writes no tetrahedra; the message
/// says which.
toc_status tool_tetgen_run(const toc_mesh *surface, size_t tets, const tool_tetgen_limits *limits, toc_mesh **out);

#endif
