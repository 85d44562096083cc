// SPDX-License-Identifier: Apache-2.0
// The cage of a character: tetrahedra around its surface, made once and kept by content, with the weights of the
// surface.
#ifndef TOOLS_CAGE_H
#define TOOLS_CAGE_H

#include "scenes/skeleton.h"
#include "tools/command.h"

/// How a cage is made.
typedef struct tool_cage_wish {
    const char *maker; // "auto", "tetgen" or "lattice"
    size_t tets;       // about so many
    double seconds;    // that tetgen may take
    uint64_t memory;   // that tetgen may take
    bool cache;        // keep cages of earlier runs
} tool_cage_wish;

/// A character ready to be created.
typedef struct tool_cage {
    toc_mesh *mesh;
    skeleton skeleton;
    const char *maker; // that made it
    bool kept;         // from an earlier run
    char note[512];    // why it is not the wanted one; "" for none
} tool_cage;

/// The names of makers.
tool_names tool_cage_maker;

/// Make the cage of a rig, or take that of an earlier run for the same surface and wish. Free with tool_cage_free, also
/// on failure.
toc_status tool_cage_make(const toc_rig *rig, const tool_cage_wish *wish, tool_cage *out);
void tool_cage_free(tool_cage *cage);

#endif
