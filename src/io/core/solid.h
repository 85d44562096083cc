// SPDX-License-Identifier: Apache-2.0
// Elements on their way into a mesh by the codes of crash and structural analysis, which write a smaller element as a
// larger one with nodes repeated.
#ifndef TOC_IO_CORE_SOLID_H
#define TOC_IO_CORE_SOLID_H

#include "io/core/labels.h"
#include "mesh/mesh.h"

/// What a solid of eight nodes is: a tet, a pyramid or a wedge where nodes are repeated as LS-DYNA does it, else a hex.
/// @param corners receives them in the order of the shape.
toc_shape toc_solid_of(const uint32_t nodes[8], uint32_t corners[8]);

/// What a shell of four nodes is: a triangle where the last two are one.
static inline toc_shape toc_shell_of(const uint32_t nodes[4]) { return nodes[3] == nodes[2] ? TOC_TRIANGLE : TOC_QUAD; }

/// Add an element behind the others.
toc_status toc_parts_add(toc_mesh_parts *parts, const toc_allocator *allocator, toc_shape shape,
                         const uint32_t *corners, int32_t group);

/// Corners that are labels of nodes become vertices; false where a node is missing.
bool toc_parts_resolve(toc_mesh_parts *parts, const toc_labels *labels);

void toc_parts_free(toc_mesh_parts *parts, const toc_allocator *allocator);

#endif
