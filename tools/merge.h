// SPDX-License-Identifier: Apache-2.0
// All bodies of a scene as one mesh, for output that holds one.
#ifndef TOOLS_MERGE_H
#define TOOLS_MERGE_H

#include "tools/command.h"

/// Put the vertices and elements of all bodies into a new mesh, body by body, with their motion, groups and names.
toc_status tool_scene_merge(const toc_scene *scene, toc_mesh **out);

#endif
