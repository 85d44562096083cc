// SPDX-License-Identifier: Apache-2.0
// A character on its way through a clip: from a file, or one that is built in.
#ifndef TOOLS_ACTOR_H
#define TOOLS_ACTOR_H

#include "scenes/creatures.h"
#include "scenes/limbs.h"
#include "tools/cage.h"

typedef struct tool_actor {
    toc_rig *rig;        // of a file, else NULL
    toc_capture *motion; // in place of a clip; NULL for none
    tool_cage cage;      // of a file
    limb limb;           // built in
    creature creature;   // built in
    size_t clip;
    double start, end, rate;
    size_t frames, joints;
    size_t matched; // joints that the motion moves
    toc_character *character;
    toc_binding *binding; // of the surface to the cage; NULL where the cage is shown
    toc_binding *back;    // of the cage to the surface; NULL without morph targets
    double *ways;         // of the surface by morph targets, in the bind pose; likewise
    double *cage_ways;    // of the cage
    toc_mesh *shown;      // the surface, or the tets of a limb and of its prop
    double *matrices, *points, *flags, *shares;
    const char *clip_name;
} tool_actor;

/// Names of the characters that are built in: arm, leg, twist, arm-box, human and horse.
tool_names tool_actor_name;

/// A character to make.
typedef struct tool_actor_wish {
    const char *name;   // of a file, or built in
    const char *clip;   // NULL for the first one
    const char *motion; // a .bvh in place of a clip; NULL for none
    double rate;        // frames a second
    tool_cage_wish cage;
    toc_character_settings settings;
    uint64_t memory; // for reading; 0 for the default
} tool_actor_wish;

/// Read the file, or build the character. Free with tool_actor_free, also on failure.
toc_status tool_actor_make(const tool_actor_wish *wish, tool_actor *out);
void tool_actor_free(tool_actor *actor);

/// Move to a frame and find the contacts.
toc_status tool_actor_step(tool_actor *actor, size_t frame, toc_character_report *report);
enum { TOOL_ACTOR_PROP = 2 };
/// Move the shown mesh, too; elements that touch are of group 1, those of a prop of group TOOL_ACTOR_PROP, all others
/// of group 0.
toc_status tool_actor_show(tool_actor *actor);
/// The tets that carry the character, in the bind pose.
const toc_mesh *tool_actor_cage(const tool_actor *actor);
double tool_actor_time(const tool_actor *actor, size_t frame);

#endif
