// SPDX-License-Identifier: Apache-2.0
// The definition of a character in arrays that grow: joints, and the weights of the vertices of a cage.
#ifndef SCENES_SKELETON_H
#define SCENES_SKELETON_H

#include "toccata/character.h"

typedef struct skeleton {
    toc_character_def def; // points into the arrays below
    uint32_t *parents, *joints;
    double *inverse_binds, *weights;
    size_t *weight_ends;
    size_t vertex_count, vertex_room, weight_count, weight_room;
} skeleton;

/// Make room for joints: without parents, with unit matrices. The cage stays the caller's and may grow. Free with
/// skeleton_free, also on failure.
toc_status skeleton_begin(const toc_mesh *cage, size_t joints, skeleton *out);
/// Give the next vertex of the cage its weights; those of 0 are left out.
toc_status skeleton_add_vertex(skeleton *s, size_t count, const uint32_t *joints, const double *weights);
void skeleton_free(skeleton *s);

#endif
