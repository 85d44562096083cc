// SPDX-License-Identifier: Apache-2.0
// A scene of the swarm on its lattice, with the exact answer for each pair of features.
#ifndef TOC_CAMPAIGN_SWARM_SCENE_H
#define TOC_CAMPAIGN_SWARM_SCENE_H

#include "campaign/swarm.h"
#include "toccata/toccata.h"

enum {
    SWARM_BODIES = 3,
    SWARM_TRIANGLES = 10, // of a body
    SWARM_VERTICES = 20,
    SWARM_FEATURES = SWARM_BODIES * (SWARM_VERTICES + 4 * SWARM_TRIANGLES),
    SWARM_PAIRS = 12000,
    SWARM_IMAGES = 3
};

#define TOC_TRY_(call)                         \
    do {                                       \
        const toc_status status_ = (call);     \
        if (status_ != TOC_OK) return status_; \
    } while (0)

typedef struct swarm_body {
    uint32_t vertex_count, triangle_count;
    int x0[SWARM_VERTICES][3], x1[SWARM_VERTICES][3];
    uint32_t triangles[SWARM_TRIANGLES][3];
    bool alive[SWARM_TRIANGLES];
    bool is_world;  // rests for ever
    bool is_shared; // its positions are in memory of the caller
} swarm_body;

typedef struct swarm_feature {
    uint32_t body, v[3]; // ascending
    int size;
} swarm_feature;

typedef struct swarm_pair {
    toc_kind kind;
    uint32_t body[2], v[4];
    lattice_answer truth;
    bool seen; // in the present answer
} swarm_pair;

typedef struct swarm_scene {
    uint64_t seed;
    trial_random random;
    swarm_counts *counts;
    int size; // of the lattice
    uint32_t body_count;
    swarm_body bodies[SWARM_BODIES];
    uint32_t feature_count, pair_count;
    swarm_feature features[SWARM_FEATURES];
    swarm_pair pairs[SWARM_PAIRS];
    uint32_t filter; // of the present question; 0 for none
} swarm_scene;

typedef struct swarm_image {
    swarm_map map;
    toc_scene *scene;
    double x0[SWARM_BODIES][SWARM_VERTICES][3], x1[SWARM_BODIES][SWARM_VERTICES][3];
} swarm_image;

/// Where features are a pair; NULL if they are none. Corners in any order.
swarm_pair *swarm_find_pair(swarm_scene *s, toc_kind kind, const uint32_t body[2], const uint32_t v[4]);
/// Ask a random question about the present step, and compare.
void swarm_ask(swarm_scene *s, swarm_image *image);
/// Ask for potentials of near pairs of the bodies, without edits.
void swarm_ask_potential(swarm_scene *s);

#endif
