// SPDX-License-Identifier: Apache-2.0
// A glTF scene as a mesh.
#ifndef TOC_IO_GLTF_GLTF_H
#define TOC_IO_GLTF_GLTF_H

#include "io/gltf/scene.h"
#include "toccata/mesh.h"

/// Make the mesh of the present pose in an empty one; the source stays open if more poses follow.
toc_status toc_gltf_mesh_make(toc_gltf_scene *scene, bool more, toc_mesh *mesh);

#endif
