// SPDX-License-Identifier: Apache-2.0
// The swarm: very many small questions whose answers are known exactly (lattice.h).
//
// A block is the work of one seed: pairs, and scenes of two to twenty triangles, on a small lattice. Each is decided
// once and asked in many images: maps that keep lines and times, exact in doubles, at any scale. A question is one pair
// of a batch, or one call for a scene; each answer is compared.
#ifndef TOC_CAMPAIGN_SWARM_H
#define TOC_CAMPAIGN_SWARM_H

#include <stdio.h>

#include "campaign/lattice.h"
#include "campaign/trial.h"

/// A map of lattice points to doubles, without rounding: rows of small integers, a shift and a scale for each axis, and
/// a common motion.
typedef struct swarm_map {
    int rows[3][3];
    double shift[3], drift[3]; // integers
    int exponent[3];
    bool is_even; // one exponent, and no shift beyond the lattice: lengths stay in proportion
} swarm_map;

swarm_map swarm_map_make(trial_random *random);
/// Map a lattice point at the start (end 0) or at the end of the step.
void swarm_map_point(const swarm_map *map, const int at[3], int end, double out[3]);

/// The number of questions, and of broken promises.
typedef struct swarm_counts {
    uint64_t blocks, pairs, calls; // questions: pairs of batches, and calls
    uint64_t decided, by_oracle;   // exact answers, and those of them that took rational numbers
    uint64_t contacts;
    uint64_t steps; // of simulations
    uint64_t failures;
} swarm_counts;

/// Note a broken promise. The first of a run are shown.
void swarm_fail(swarm_counts *counts, uint64_t seed, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// Decide, and count how.
void swarm_decide(swarm_counts *counts, toc_kind kind, const lattice_pair *pair, lattice_answer *out);
/// Whether a time is as promised: never late, at most 1e-9 of itself early, 0 only for contact at the start.
bool swarm_time_is_right(const lattice_answer *truth, double toc);

/// All questions of one seed.
void swarm_run_block(uint64_t seed, swarm_counts *counts);
void swarm_pairs(uint64_t seed, swarm_counts *counts);
void swarm_scenes(uint64_t seed, swarm_counts *counts);
void swarm_bodies(uint64_t seed, swarm_counts *counts);
/// Write the first step of a scene as a line of JSON: its bodies, and the pairs that touch, with bounds of their times.
void swarm_write_scene(uint64_t seed, FILE *to);

#endif
