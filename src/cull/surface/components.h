// SPDX-License-Identifier: Apache-2.0
// Connected parts: primitives that share a vertex are of one part, and so is whatever shares one with those.
#ifndef TOC_CULL_SURFACE_COMPONENTS_H
#define TOC_CULL_SURFACE_COMPONENTS_H

#include "cull/surface/representatives.h"

/// Tell for every vertex the lowest one of its part, UINT32_MAX where it is of no primitive. Nearly O(n), no
/// allocation.
void toc_components_find(const toc_primitives *primitives, size_t vertex_count, uint32_t *lowest);

#endif
