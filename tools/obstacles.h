// SPDX-License-Identifier: Apache-2.0
// Further bodies of a check, from files beside its frames: at rest, or with as many frames as the check.
#ifndef TOOLS_OBSTACLES_H
#define TOOLS_OBSTACLES_H

#include "tools/places.h"

typedef struct tool_obstacles {
    size_t count;
    toc_sequence *frames[TOOL_MOST_TEXTS];
    size_t frame_counts[TOOL_MOST_TEXTS];
} tool_obstacles;

/// Read the first frame of each and add it to the scene, as bodies 1, 2, ...; their parts to the places. An obstacle
/// with several frames, but not as many as the check has, is refused.
toc_status tool_obstacles_open(tool_obstacles *obstacles, const tool_files *files, const toc_read_options *options,
                               size_t frame_count, toc_scene *scene, tool_places *places);
/// Move them to a frame.
toc_status tool_obstacles_advance(tool_obstacles *obstacles, size_t frame, toc_scene *scene);
/// Whether one of them moves.
bool tool_obstacles_move(const tool_obstacles *obstacles);
void tool_obstacles_close(tool_obstacles *obstacles);

#endif
