// SPDX-License-Identifier: Apache-2.0
// Measures of a simulation: crossings, debris, penetration. For the command and the benchmark.
#ifndef SCENES_SIMULATED_MEASURE_H
#define SCENES_SIMULATED_MEASURE_H

#include "toccata/sim.h"

/// Add the face pairs that cross now, decided exactly: of the surface only, or inside of volumes, too. Faces with a
/// common vertex cross where they meet beyond it.
toc_status measure_crossings(toc_sim *sim, int threads, bool inside, size_t *count);

/// The pieces of all bodies: sets of elements that hang together by their vertices.
typedef struct measure_pieces {
    size_t pieces;   ///< Of all bodies.
    size_t bodies;   ///< Pieces beyond these are debris.
    size_t elements; ///< Those that are left.
    size_t debris;   ///< Elements that are in none of the largest pieces of the bodies.
} measure_pieces;
toc_status measure_debris(toc_sim *sim, measure_pieces *out);

/// Add the volume elements that overlap now, inside of bodies too: their pairs, and the deepest one. Hulls of their
/// corners: those of bent hexes can overlap a little without a crossing.
typedef struct measure_overlaps {
    size_t pairs;
    double deepest, sum; ///< Lengths; the sum of all depths.
} measure_overlaps;
toc_status measure_penetration(toc_sim *sim, int threads, measure_overlaps *out);

#endif
