// SPDX-License-Identifier: Apache-2.0
// Soft bodies that fall into a funnel and pile up, simulated: each is a few balls held together by shape matching
// (Mueller et al. 2005), balls of different bodies push each other apart. Small and the same everywhere, for scenes
// that put a mesh around the balls.
#ifndef SCENES_HEAP_H
#define SCENES_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HEAP_BALLS_MOST = 16 };

typedef struct heap_form {
    uint32_t balls; // of a body
    void (*rest)(uint64_t body, uint32_t ball, double out[3]);
    double radius;        // of the balls
    double spacing;       // of the bodies where they start
    double stiffness;     // 0 to 1: how much of their shape bodies regain in a step
    double seconds;       // that all frames take
    size_t frames, steps; // steps a frame
} heap_form;

typedef struct heap_body {
    double centre[3], turn[3][3];     // as a rigid body; columns are where x, y and z go
    double shift[HEAP_BALLS_MOST][3]; // of its balls from their positions in a rigid body
} heap_body;

/// Bodies at a time. Zero at first; kept between frames, so that the next frame takes few steps.
typedef struct heap {
    uint64_t bodies;
    uint64_t steps; // since the start
    struct heap_ball *balls;
    double (*turns)[4];     // quaternions
    uint32_t *first, *next; // lists of balls by cell
    uint32_t cells;
} heap;

/// Bring a heap of bodies to a time, 0 at the first frame and 1 at the last. A heap beyond that time starts again. Time
/// advances in steps, 6 for each frame. @return false when memory is out.
bool heap_run(heap *h, const heap_form *form, uint64_t bodies, double time);
/// A body at the time of the heap.
heap_body heap_look(const heap *h, const heap_form *form, uint64_t body);

#endif
