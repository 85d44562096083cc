// SPDX-License-Identifier: Apache-2.0
// The vertices of a scene from step to step: which of them rest, and all of them in single precision.
//
// A vertex rests when it has the same positions as in the step before, at both ends. The frame is kept while it fits,
// so that data derived from resting vertices stay valid.
#ifndef TOC_SCENE_MOTION_H
#define TOC_SCENE_MOTION_H

#include "pair/prefilter.h"
#include "scene/step.h"

typedef struct toc_motion {
    size_t count;   // vertices
    uint64_t steps; // the number of steps followed
    toc_frame frame;
    double far;         // the largest distance of a vertex in it
    bool fits;          // whether packed vertices are valid: no coordinate exceeds 1
    size_t resting;     // resting vertices
    toc_packed *packed; // by vertex
    double *seen;       // 3 a vertex: its position when it was last still
    uint8_t *rests;     // by vertex: 0 it moves; 1 it is still; 2 it is still and has its previous position: it rests
    double *farthest;   // of each round: the largest distance of its vertices in the frame
} toc_motion;

/// A function that is told of runs of vertices that do not rest, from several threads at once. All vertices are
/// reported again when there is a new frame.
typedef struct toc_motion_follower {
    void (*moved)(void *user, size_t first, size_t last);
    void *user;
} toc_motion_follower;

/// The arena owns all memory.
toc_status toc_motion_make(toc_arena *arena, size_t vertex_count, toc_motion *out);
/// Treat every vertex as moving in the next step.
void toc_motion_forget(toc_motion *motion);
/// Advance to a step. O(n), and very little for resting vertices. @return whether the frame is a new one.
bool toc_motion_follow(toc_motion *motion, const toc_step *step, const toc_motion_follower *follower, int threads);

/// The prefilter for pairs of the scene.
static inline toc_prefilter toc_motion_prefilter(const toc_motion *motion) {
    const toc_packed *packed = motion->fits ? motion->packed : NULL;
    return (toc_prefilter){{packed, packed}, motion->frame.scale};
}

/// Whether all of some vertices rest.
static inline bool toc_motion_rests(const toc_motion *motion, const uint32_t *vertices, int count) {
    for (int i = 0; i < count; i++)
        if (motion->rests[vertices[i]] != 2) return false;
    return true;
}

#endif
