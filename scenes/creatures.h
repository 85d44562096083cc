// SPDX-License-Identifier: Apache-2.0
// A human and a horse that walk: characters of our own, at the sizes of those of Abu Rumman et al. 2015.
#ifndef SCENES_CREATURES_H
#define SCENES_CREATURES_H

#include "scenes/skeleton.h"

typedef enum creature_kind {
    CREATURE_HUMAN, ///< 25 bones, about 5,000 tets, 9,500 vertices of the skin.
    CREATURE_HORSE, ///< 43 bones, about 6,100 tets, 3,800 vertices of the skin.
    CREATURE_KINDS
} creature_kind;

typedef struct creature {
    creature_kind kind;
    toc_mesh *cage; // tets
    toc_mesh *skin; // triangles
    size_t joint_count;
    skeleton skeleton;
} creature;

/// "human", "horse"; NULL past the last.
const char *creature_name(size_t kind);
/// Make a creature in its bind pose: a human whose arms point down and sideways, a horse that stands. Free with
/// creature_free, also on failure.
/// @param detail of the skin: 1 for the paper's size, 2 for four times as many triangles.
toc_status creature_make(creature_kind kind, double detail, creature *out);
void creature_free(creature *c);
/// The name of a joint; NULL past the last. The next call overwrites it.
const char *creature_joint(const creature *c, size_t joint);
/// The matrices of a pose, 12 a joint; `time` from 0 to 1 is one walking cycle.
void creature_pose(const creature *c, double time, double *matrices);

#endif
