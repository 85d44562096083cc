// SPDX-License-Identifier: Apache-2.0
// Velocities and numbers of vertices as attributes of glTF, whose names begin with an underscore for that: _VELOCITY,
// three floats, and _VERTEX_LABEL, four unsigned integers of 16 bits, the lowest first: an integer of 64 bits. glTF has
// no larger integers for vertices, and a float would not hold the numbers.
#ifndef TOC_IO_GLTF_VERTEX_DATA_H
#define TOC_IO_GLTF_VERTEX_DATA_H

#include "io/core/sink.h"
#include "io/gltf/scene.h"
#include "mesh/mesh.h"

#define TOC_GLTF_VELOCITY "_VELOCITY"
#define TOC_GLTF_LABEL "_VERTEX_LABEL"
enum { TOC_GLTF_VELOCITY_BYTES = 12, TOC_GLTF_LABEL_BYTES = 8 };

/// Read the numbers of all vertices.
/// @param known false if some have none.
toc_status toc_gltf_labels_read(const toc_gltf_scene *scene, int64_t *labels, bool *known);
/// Read the velocities of all vertices, turned and scaled as the nodes are now: 3 doubles each.
/// @param known false if some vertices have none, or move by a skin or by morph targets.
toc_status toc_gltf_velocities_read(const toc_gltf_scene *scene, double *v, bool *known);

/// Write the velocities of a mesh as floats. @return TOC_BAD_INPUT if one is beyond a float.
toc_status toc_gltf_velocities_write(toc_sink *sink, const double *velocities, size_t vertices);
void toc_gltf_labels_write(toc_sink *sink, const toc_mesh *mesh, size_t vertices);

#endif
