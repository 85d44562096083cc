// SPDX-License-Identifier: Apache-2.0
// The elements of a scene as a device searches them: each with its corners and the features that it represents.
#ifndef TOC_SEARCH_DEVICE_CELLS_H
#define TOC_SEARCH_DEVICE_CELLS_H

#include "device/search.h"
#include "scene/scene.h"

/// Elements that represent a feature, and the features in their order. Vertices are numbered through all bodies.
typedef struct toc_device_cells {
    size_t count, point_count, edge_count, face_count;
    uint32_t corner_count; // 4, or TOC_DEVICE_CORNERS if an element has more
    toc_device_cell *at;
    uint32_t *corners; // corner_count each; the first one again where an element has fewer
    uint32_t *points;
    uint32_t (*edges)[2];
    uint32_t (*faces)[3];
} toc_device_cells;

/// List the elements of a scene whose step has all features, and lists of the elements around them. O(n). The arena
/// holds the result.
toc_status toc_device_cells_make(toc_arena *arena, const toc_scene *scene, toc_device_cells *out);

#endif
