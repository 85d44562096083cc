// SPDX-License-Identifier: Apache-2.0
// The connected parts of a mesh: elements join their vertices, directly or through other elements.
#ifndef TOOLS_PARTS_H
#define TOOLS_PARTS_H

#include "tools/command.h"

/// The part number of each vertex id: 1, 2, ... in the order of the lowest vertices, 0 for unused vertices. The caller
/// frees the array; NULL when memory is out.
uint32_t *tool_parts_find(const toc_mesh *mesh);

#endif
