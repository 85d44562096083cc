// SPDX-License-Identifier: Apache-2.0
// The vertices of a frame in the order of the mesh that it is a frame of, by the numbers of the file.
#ifndef TOC_IO_CORE_RENUMBER_H
#define TOC_IO_CORE_RENUMBER_H

#include "mesh/mesh.h"

/// Whether every vertex has a number of the file.
bool toc_mesh_is_labelled(const toc_mesh *mesh);
/// Whether the first vertices of a frame have the numbers of those of the mesh.
bool toc_labels_agree(const toc_mesh *mesh, const toc_mesh *frame);
/// Give the vertices of a frame the ids of those of the mesh with the same number; others follow behind. Vertices that
/// the frame lacks stay where the mesh ends. Both are labelled; the frame was not edited. Lack of memory may leave the
/// frame half done.
/// @param known receives whether at least half of the numbers are common. Else the frame stays as it is.
toc_status toc_frame_renumber(const toc_mesh *mesh, toc_mesh *frame, bool *known);
/// Copy all numbers of the vertices to a mesh with as many.
toc_status toc_labels_copy(const toc_mesh *from, toc_mesh *to);

#endif
