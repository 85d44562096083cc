// SPDX-License-Identifier: Apache-2.0
// Paths of the vertices from frame to frame: straight, or parabolas through a middle frame or along velocities.
#ifndef TOOLS_PATHS_H
#define TOOLS_PATHS_H

#include "tools/command.h"

typedef struct tool_paths {
    bool middles;     // each second frame is the middle of a step
    bool by_velocity; // paths begin with the velocities of the files
    bool timed;       // the files, or --dt, tell times
    double dt;        // of a step along velocities; not above 0 for the times of the files
    size_t steps;
} tool_paths;

/// Choose the paths that the options --parabolas and --velocities ask for.
/// @param count of the frames that are used. @param dt of --dt, -1 if it is not given.
tool_paths tool_paths_choose(const toc_sequence *frames, size_t count, bool parabolas, bool velocities, double dt);
/// The frame at which a step begins, and the time of a fraction of it.
size_t tool_paths_frame(const tool_paths *paths, size_t step);
double tool_paths_time(const tool_paths *paths, const toc_sequence *frames, size_t step, double fraction);

/// A mesh on its way through the frames.
typedef struct tool_mover {
    const tool_paths *paths;
    toc_sequence *frames;
    toc_mesh *mesh;
    toc_status (*read)(void *user, size_t frame); // reads a frame into the mesh
    void *user;
} tool_mover;

/// Move the mesh over a step.
toc_status tool_paths_advance(const tool_mover *mover, size_t step);

#endif
