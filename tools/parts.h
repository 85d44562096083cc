// SPDX-License-Identifier: Apache-2.0
// The parts of a mesh: vertices that elements join, directly or through others, are in the same part.
#ifndef TOOLS_PARTS_H
#define TOOLS_PARTS_H

#include "tools/command.h"

/// The number of its part for each vertex id: 1, 2, ... in the order of their lowest vertices, 0 for vertices that no
/// element uses. The caller frees it; NULL when memory is out.
uint32_t *tool_parts_find(const toc_mesh *mesh);

#endif
