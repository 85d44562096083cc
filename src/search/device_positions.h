// SPDX-License-Identifier: Apache-2.0
// The positions of a step on a device: both ends of all vertices, as the step has them.
#ifndef TOC_SEARCH_DEVICE_POSITIONS_H
#define TOC_SEARCH_DEVICE_POSITIONS_H

#include "device/array.h"
#include "scene/scene.h"

typedef struct toc_device_positions {
    toc_device_array ends[2]; // x0 and x1
} toc_device_positions;

/// Send the positions of a step, from the pinned memory of the scene's own one. Those that are there already
/// (toc_scene_move_on_device) do not travel again. The copies are under way afterwards.
toc_status toc_device_positions_send(toc_device_memory *memory, toc_scene *scene, const toc_step *step, int threads,
                                     toc_device_positions *positions);
void toc_device_positions_free(const toc_device_memory *memory, toc_device_positions *positions);

#endif
