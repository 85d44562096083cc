// SPDX-License-Identifier: Apache-2.0
// Connected components: primitives that share a vertex belong to the same component.
#ifndef TOC_CULL_SURFACE_COMPONENTS_H
#define TOC_CULL_SURFACE_COMPONENTS_H

#include "cull/surface/representatives.h"

/// Write for each vertex the lowest vertex of its component; UINT32_MAX for a vertex of no primitive. Nearly O(n), no
/// allocation. The result does not depend on the number of threads.
void toc_components_find(const toc_primitives *primitives, size_t vertex_count, int threads, uint32_t *lowest);

#endif
