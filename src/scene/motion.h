// SPDX-License-Identifier: Apache-2.0
// The vertices of a scene from step to step: which of them rest, and all of them in single precision.
//
// A vertex rests when it is where it was a step ago, at both ends of the step. The frame stays as long as it fits, so
// that what was derived from a vertex that rests is still right.
#ifndef TOC_SCENE_MOTION_H
#define TOC_SCENE_MOTION_H

#include "pair/prefilter.h"
#include "scene/step.h"

typedef struct toc_motion {
    size_t count;   // vertices
    uint64_t steps; // that were followed
    toc_frame frame;
    double far;         // how far out the vertices are in it
    bool fits;          // whether packed vertices may be looked at: no more than 1
    size_t resting;     // vertices that do
    toc_packed *packed; // by vertex
    double *seen;       // 3 a vertex: where it was still
    uint8_t *rests;     // by vertex: 0 it moves; 1 it is still; 2 and is where it was before: it rests
    double *farthest;   // of each round: how far out its vertices are in the frame
} toc_motion;

/// Who is told of runs of vertices that do not rest, side by side. All of them are told again where a new frame is
/// needed.
typedef struct toc_motion_follower {
    void (*moved)(void *user, size_t first, size_t last);
    void *user;
} toc_motion_follower;

/// The arena holds it all.
toc_status toc_motion_make(toc_arena *arena, size_t vertex_count, toc_motion *out);
/// Take every vertex for one that moves, in the next step.
void toc_motion_forget(toc_motion *motion);
/// Go on to a step. O(n), and next to nothing for what rests. @return whether the frame is a new one.
bool toc_motion_follow(toc_motion *motion, const toc_step *step, const toc_motion_follower *follower, int threads);

/// A first look at its pairs.
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
