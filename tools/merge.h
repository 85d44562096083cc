// SPDX-License-Identifier: Apache-2.0
// All bodies of a scene as one mesh, for output that holds one.
#ifndef TOOLS_MERGE_H
#define TOOLS_MERGE_H

#include "tools/command.h"

/// Put the vertices and elements of all bodies into a new mesh, body by body, with their motion, groups and names.
toc_status tool_scene_merge(const toc_scene *scene, toc_mesh **out);

/// Add the elements of a body to a mesh, behind its vertices.
/// @param first the id of the first vertex of the body in the mesh. @param group of all elements; NULL: each keeps its
/// group, with the name of that.
toc_status tool_elements_merge(toc_mesh *mesh, const toc_mesh *body, uint32_t first, const int32_t *group);

#endif
