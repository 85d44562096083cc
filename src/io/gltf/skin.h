// SPDX-License-Identifier: Apache-2.0
// Skins of a glTF scene: joints, bind matrices, and the joints that move each vertex.
#ifndef TOC_IO_GLTF_SKIN_H
#define TOC_IO_GLTF_SKIN_H

#include "io/gltf/scene.h"

/// Open the skins of all nodes that have a mesh. Fails for a skin that cannot be applied: joints outside of the scene,
/// a singular bind matrix, a vertex whose weights do not sum to 1.
toc_status toc_gltf_skins_open(toc_gltf_scene *scene);

/// Whether two primitives of a node have the same joints and weights.
bool toc_gltf_skin_is_same(const toc_gltf *file, toc_json_id attributes, toc_json_id other);

/// The matrices of all joints in the present pose; the nodes are placed.
void toc_gltf_skins_pose(toc_gltf_scene *scene);
/// Move vertices of the bind pose: linear blend skinning.
void toc_gltf_skin_apply(const toc_gltf_scene *scene, size_t first, size_t count, double *x);

#endif
