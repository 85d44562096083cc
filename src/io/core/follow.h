// SPDX-License-Identifier: Apache-2.0
// A mesh brought to the topology of its next frame, where the two differ.
#ifndef TOC_IO_CORE_FOLLOW_H
#define TOC_IO_CORE_FOLLOW_H

#include "toccata/mesh.h"

/// The same shape and corners.
bool toc_element_is(toc_element a, toc_element b);

/// Edit the mesh until it has the vertices and elements of a frame: remove elements, replace vertices by those split
/// from them or welded to them, add elements. Ambiguous changes are refused, with the mesh unchanged. Positions stay: a
/// vertex split off starts at the old one. Any other new vertex starts where the motion of the old vertices of its
/// elements puts it, or at rest. Lack of memory may leave some of the edits done.
/// Where all vertices of both have numbers of their files, these tell which is which: the frame may leave vertices out,
/// or list them in another order. It then gets the vertex ids of the mesh.
toc_status toc_mesh_follow(toc_mesh *mesh, toc_mesh *frame);

#endif
