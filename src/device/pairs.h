// SPDX-License-Identifier: Apache-2.0
// The elementary test of many feature pairs on a device: what its kernels read and write.
//
// The pairs of either kind are in a list of their own; one launch takes both. The certified test takes several
// launches: most pairs are decided in the first round, a few need dozens. Those that stay are packed between the
// launches, so that threads do not wait for the slowest pair of their warp.
#ifndef TOC_DEVICE_PAIRS_H
#define TOC_DEVICE_PAIRS_H

#include <string.h>

#include "device/limits.h"
#include "pair/certified.h"

enum {
    TOC_DEVICE_KINDS = 2,  // TOC_VF, TOC_EE
    TOC_DEVICE_PASSES = 3, // launches of the certified test
};

/// The lengths of the arrays of a list. The counts of pairs that a pass left are behind those of the prefilter.
typedef struct toc_device_counts {
    uint32_t pairs, rest, live[TOC_DEVICE_PASSES - 1], outcomes, open;
    uint64_t first; // the complement of the bits of the earliest time of all that are done; 0 without any
} toc_device_counts;

/// A pair that a pass left, and the time up to which it is apart.
typedef struct toc_device_live {
    double time;
    uint32_t pair, unused;
} toc_device_live;

/// A pair that is not certainly apart. The verdict TOC_APART stands for one that needs more rounds than the device
/// gives: the processor tests it from the beginning.
typedef struct toc_device_outcome {
    uint32_t pair; // its number in the list
    uint32_t v[4]; // its vertices
    uint8_t tie;   // as toc_certified_work.ties
    uint8_t done;  // the hit is complete; else it has a verdict and a time
    toc_hit hit;
} toc_device_outcome;

/// Pairs of one kind. All pointers are of the device. Counts may exceed the room of the arrays: items without room are
/// counted and not written.
typedef struct toc_device_batch {
    toc_prefilter_work prefilter; // the settings; its vertices are the pairs
    toc_certified_work certified; // likewise
    toc_device_counts *counts;
    uint32_t pair_room, live_room, outcome_room, open_room;
    uint32_t *rest;                               // of the prefilter: numbers of pairs
    toc_device_live *live[TOC_DEVICE_PASSES - 1]; // of the passes
    toc_device_outcome *outcomes;
    toc_device_outcome *open; // those that are not done, once more, and the first ones; NULL where nobody asks
} toc_device_batch;

/// A test of pairs.
typedef struct toc_device_pairs {
    toc_device_batch of[TOC_DEVICE_KINDS];
    bool has_prefilter;       // else all pairs stay
    bool decides_ties;        // ties end their rounds early
    bool places;              // hits are crossings of planes, which the device can place
    bool locates;             // hits are within a distance, and the device can locate them
    uint32_t pass;            // of the certified test
    toc_device_limits limits; // with thicknesses: each pair has its own separation in the certified test
} toc_device_pairs;

/// A time as its bits, which ascend as times do. It is not below 0.
static inline uint64_t toc_device_time_bits(double time) {
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits & ~(UINT64_C(1) << 63); // -0 is 0
}

static inline uint32_t toc_device_least(uint32_t a, uint32_t b) { return a < b ? a : b; }

#endif
