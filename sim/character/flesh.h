// SPDX-License-Identifier: Apache-2.0
// The flesh: its elements, its state between frames, and the energy that a frame makes small.
#ifndef SIM_CHARACTER_FLESH_H
#define SIM_CHARACTER_FLESH_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/memory.h"
#include "sim/character/relax.h"
#include "sim/core/colours.h"

/// An upright tet of the cage. Moduli are times its volume at rest.
typedef struct flesh_tet {
    uint32_t v[4];
    double shear[4][4]; // products of the gradients of its linear shape functions
    double bulk;
    double per_volume; // 1 / (6 volumes at rest)
    double size;       // of its joints in this frame, over the mean scale of the first one
} flesh_tet;

/// One side of a quadratic: weight / 2 min(0, value + along . d)^2 for a vertex that moves by d.
typedef struct flesh_term {
    double value, along[3], weight;
} flesh_term;

/// A vertex that is held in front of a face: a multiplier `force` and a penalty (augmented Lagrangian).
typedef struct flesh_push {
    uint32_t vertex, face;
    double weights[3];
    double normal[3]; // of the face, at the start of the sweep
    double force, stiffness;
    double room;      // in front of the face
    uint32_t sibling; // the next push of the vertex
    bool hit;         // in the last search
    bool is_gone;     // behind its face, and in no tet
} flesh_push;

/// Of a block of tets.
typedef struct flesh_volume {
    double now, rest;
} flesh_volume;

typedef struct character_flesh {
    TOC_ARRAY(flesh_tet) tets;
    TOC_ARRAY(uint32_t) corner_ends; // by vertex, in `corners`
    TOC_ARRAY(flesh_corner) corners;
    TOC_ARRAY(double) mass;
    TOC_ARRAY(double) pull;                // by vertex: stiffness of the spring to its place in the pose, in this frame
    TOC_ARRAY(double) inertia;             // by vertex: mass over the square of the step, times `calm`
    TOC_ARRAY(double) stiff;               // by vertex: its shear with itself, of all elements
    TOC_ARRAY(double) firm;                // by vertex: a measure of all stiffness around it
    TOC_ARRAY(double) target;              // places in the pose, 3 a vertex
    TOC_ARRAY(double) before;              // those of the frame before
    TOC_ARRAY(double) last;                // positions of the frame before the last
    TOC_ARRAY(double) anchor;              // where inertia alone would bring the vertex
    TOC_ARRAY(double) way;                 // from the last positions to the guess of this frame
    TOC_ARRAY(double) old_matrices, turns; // of the last frame, 12 a joint; from there to this frame, 9 a joint
    TOC_ARRAY(double) sizes;               // by joint: its scale, over the mean one of the first frame
    TOC_ARRAY(flesh_term) terms;           // of one vertex in each part of a loop
    TOC_ARRAY(double) normals;             // by vertex of all bodies
    TOC_ARRAY(double) prior;               // positions of all bodies at the last search
    bool is_prior;                         // nothing was searched since, and no body was added
    TOC_ARRAY(atomic_bool) awake;          // by vertex: it, or one next to it, moved in the last sweep
    TOC_ARRAY(uint8_t) colours;            // by vertex (sweep.c)
    TOC_ARRAY(uint32_t) order;             // vertices by colour, in each by the number of corners
    size_t first[SIM_COLOURS + 2];         // of each colour in the order, and the end
    TOC_ARRAY(uint8_t) is_late;            // by vertex: it is among the late ones
    TOC_ARRAY(uint32_t) late;              // vertices that a push joins with one of their colour: they move alone
    TOC_ARRAY(uint32_t) moving;            // vertices of a colour that are awake
    TOC_ARRAY(double) steps;               // how far each of these moved
    TOC_ARRAY(flesh_volume) volumes;       // of blocks of tets
    TOC_ARRAY(flesh_push) pushes;
    TOC_ARRAY(uint32_t) push_heads, push_next; // lists of pushes: by vertex, and four a push
    TOC_ARRAY(uint32_t) push_of;               // by vertex of all bodies: its push
    TOC_ARRAY(uint32_t) pieces;                // by vertex of all bodies: a vertex that names its piece
    size_t most_corners;                       // of a vertex
    size_t most_terms;                         // of a vertex
    double goal;                               // volume at which a tet has no pressure, in volumes at rest
    double swell;                              // added to it in this frame, so that the body keeps its volume
    double mu, lambda;                         // moduli of the flesh
    double ahead;                              // share of the way that is still to go
    double held;                               // seconds for which neither the pose nor another body has moved
    double calm;                               // how many times heavier flesh is in a pose that is held
    double energy, distance, least, volume;    // of the last frame: energy, from the pose, of a tet, of all
    double rest;                               // volume of all tets at rest, with the sizes of this frame
    size_t inverted;
} character_flesh;

#endif
