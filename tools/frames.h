// SPDX-License-Identifier: Apache-2.0
// The frames of a simulation in a folder: NAME-0000.vtu and so on, NAME.pvd that lists them, and NAME.state to go on
// from; where they are wanted, the states of all frames, NAME-0000.state and so on. Contacts, where they are wanted,
// are in its folder contacts: NAME-0000.vtp and so on, and NAME.pvd.
#ifndef TOOLS_FRAMES_H
#define TOOLS_FRAMES_H

#include "scenes/simulated/simulation.h"
#include "tools/command.h"

typedef struct tool_frames {
    toc_mesh *mesh; // all bodies, each a group
    const char *format;
    char *folder, *list, *state; // paths
    char *contacts;              // the folder of contacts, NULL without them
    char **names;                // of the frames so far, within the folder
    double *times;
    size_t count, capacity;
    size_t first;      // frame in the folder
    bool states;       // keep the state of every frame
    bool begins;       // the next frame is that of another run: it has no contacts
    double *positions; // of the mesh, then its velocities
    uint64_t edits;    // of the bodies when they were merged
} tool_frames;

/// @param format NULL for vtu. @param contacts whether to write those, too; their folder is made.
toc_status tool_frames_make(const char *folder, const char *format, bool contacts, simulation *s, tool_frames *out);
void tool_frames_free(tool_frames *frames);

/// Write a frame, its contacts, the state, and the lists. Frames come in order.
toc_status tool_frames_write(tool_frames *frames, simulation *s, size_t frame);
/// Take over the state of the folder. @param next receives the frame to go on with; 0 if there is no state yet.
toc_status tool_frames_resume(tool_frames *frames, simulation *s, size_t *next);

/// Take over the state of a frame of another run, or a state file, and begin at its frame. The folder must have no run.
/// @param next receives that frame, to be written first.
toc_status tool_frames_start(tool_frames *frames, simulation *s, const char *frame, size_t *next);

/// Make a folder, unless it is there.
toc_status tool_folder_make(const char *folder);

#endif
