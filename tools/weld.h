// SPDX-License-Identifier: Apache-2.0
// Joining the vertices of a mesh that move alike.
#ifndef TOOLS_WELD_H
#define TOOLS_WELD_H

#include "tools/command.h"

/// Merge vertices that are at one place at both ends of the step, each into the lowest of them. Two vertices of one
/// element stay apart. O(n log n).
toc_status tool_mesh_weld(toc_mesh *mesh);

#endif
