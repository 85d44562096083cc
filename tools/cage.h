// SPDX-License-Identifier: Apache-2.0
// The cage of a character: tetrahedra around its surface, with the weights of the surface.
#ifndef TOOLS_CAGE_H
#define TOOLS_CAGE_H

#include "scenes/skeleton.h"
#include "toccata/solver.h"
#include "tools/command.h"

/// How a cage is made.
typedef struct tool_cage_wish {
    const char *maker; // "envelope" or "tetgen"
    size_t tets;       // about this many, of tetgen at least; 0: the choice of the envelope
    double seconds;    // that tetgen may take
    uint64_t memory;   // that tetgen may take
    bool cache;        // keep those of tetgen
} tool_cage_wish;

/// A character ready to be created.
typedef struct tool_cage {
    toc_mesh *mesh;
    skeleton skeleton;
    skeleton skin;           // the surface in place of tets
    toc_scene_point *places; // by vertex: the nearest point of the surface in the bind pose
    const char *maker;       // that made it
    bool kept;               // from an earlier run
    char note[512];          // how it differs from the wanted one; "" for not at all
} tool_cage;

/// The names of makers.
tool_names tool_cage_maker;

/// Make the cage of a rig; with tetgen, or take that of an earlier run for the same surface and wish. Free with
/// tool_cage_free, also on failure.
toc_status tool_cage_make(const toc_rig *rig, const tool_cage_wish *wish, tool_cage *out);
void tool_cage_free(tool_cage *cage);

#endif
