// SPDX-License-Identifier: Apache-2.0
// Elements of codes for crash and structural analysis, which write a small element as a larger one with repeated nodes.
#ifndef TOC_IO_CORE_SOLID_H
#define TOC_IO_CORE_SOLID_H

#include "io/core/labels.h"
#include "mesh/mesh.h"

/// The shape of a solid of eight nodes: a tet, a pyramid or a wedge if nodes repeat as in LS-DYNA, else a hex.
/// @param corners receives them in the order of the shape.
toc_shape toc_solid_of(const uint32_t nodes[8], uint32_t corners[8]);
/// The same for OpenRadioss, which repeats nodes of tets and wedges in its own way.
toc_shape toc_solid_of_radioss(const uint32_t nodes[8], uint32_t corners[8]);

/// The shape of a shell of four nodes: a triangle if the last two are the same.
static inline toc_shape toc_shell_of(const uint32_t nodes[4]) { return nodes[3] == nodes[2] ? TOC_TRIANGLE : TOC_QUAD; }

/// Add an element behind the others.
toc_status toc_parts_add(toc_mesh_parts *parts, const toc_allocator *allocator, toc_shape shape,
                         const uint32_t *corners, int32_t group);

/// Corners that are labels of nodes become vertices; false where a node is missing.
bool toc_parts_resolve(toc_mesh_parts *parts, const toc_labels *labels);

void toc_parts_free(toc_mesh_parts *parts, const toc_allocator *allocator);

#endif
