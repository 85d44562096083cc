// SPDX-License-Identifier: Apache-2.0
// Meshes of a description: files, prescribed scenes and simple shapes, put in place and split into bodies.
#ifndef SCENES_SIMULATED_SHAPES_H
#define SCENES_SIMULATED_SHAPES_H

#include "scenes/simulated/reader.h"

/// The keys of a body that describe its mesh.
#define SHAPE_KEYS "mesh scene frame box sphere sheet unit scale turn move"

/// Make the mesh of a body, at rest where its keys put it.
toc_status shape_make(const reader *r, const cJSON *body, const char *path, toc_mesh **out);

/// A copy of the elements of one group, and of the vertices they use, in their order.
toc_status shape_take_group(const toc_mesh *mesh, int32_t group, toc_mesh **out);
/// The groups of a mesh, ascending. Free them. @return their number; 0 when memory is out.
size_t shape_groups(const toc_mesh *mesh, int32_t **out);
/// Move a mesh so that the middle of its box is `factor` times as far from the origin.
toc_status shape_spread(toc_mesh *mesh, double factor);
/// A copy of a mesh, displaced.
toc_status shape_copy(const toc_mesh *mesh, const double move[3], toc_mesh **out);

#endif
