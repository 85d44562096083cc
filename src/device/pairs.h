// SPDX-License-Identifier: Apache-2.0
// The elementary test of many feature pairs on a device: what its kernels read and write.
#ifndef TOC_DEVICE_PAIRS_H
#define TOC_DEVICE_PAIRS_H

#include "pair/certified.h"

/// The lengths of the arrays of a batch.
typedef struct toc_device_counts {
    uint32_t pairs, rest, outcomes;
} toc_device_counts;

/// A pair that is not certainly apart.
typedef struct toc_device_outcome {
    uint32_t pair; // its number in the batch
    uint32_t v[4]; // its vertices
    uint8_t tie;   // as toc_certified_work.ties
    uint8_t done;  // the hit is complete; else it has a verdict and a time
    toc_hit hit;
} toc_device_outcome;

/// Pairs of one kind and their test. All pointers are of the device. Counts may exceed the room of the arrays: what has
/// no room is counted and not written.
typedef struct toc_device_pairs {
    toc_prefilter_work prefilter; // the settings; its vertices are the pairs
    toc_certified_work certified; // likewise
    bool has_prefilter;           // else all pairs stay
    bool decides_ties;            // ties end their rounds early
    bool places;                  // hits are crossings of planes, which the device can place
    toc_device_counts *counts;
    uint32_t pair_room, outcome_room;
    uint32_t *rest; // of the prefilter: numbers of pairs
    toc_device_outcome *outcomes;
} toc_device_pairs;

static inline uint32_t toc_device_least(uint32_t a, uint32_t b) { return a < b ? a : b; }

#endif
