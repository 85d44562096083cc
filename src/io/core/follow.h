// SPDX-License-Identifier: Apache-2.0
// A mesh brought to the topology of its next frame, where the two differ.
#ifndef TOC_IO_CORE_FOLLOW_H
#define TOC_IO_CORE_FOLLOW_H

#include "toccata/mesh.h"

/// The same shape and corners.
bool toc_element_is(toc_element a, toc_element b);

/// Give the mesh the vertices and elements of a frame by edits: elements that went are removed, vertices that came take
/// the place of those they were split from, and elements that came are added. Refused, with nothing changed, where it
/// cannot be told surely what became what. Positions are not touched: a vertex split off starts where the old one is,
/// any other new one where the old vertices of its elements make it come from, or at rest where it has none.
/// Out of memory may leave some of the edits done.
toc_status toc_mesh_follow(toc_mesh *mesh, const toc_mesh *frame);

#endif
