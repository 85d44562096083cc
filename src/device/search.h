// SPDX-License-Identifier: Apache-2.0
// The search of a step on a device: what its kernels read and write.
//
// Primitives are sorted along a Hilbert curve through their swept boxes. Node i of a level holds the nodes 4 i to 4 i +
// 3 of the level below; those of level 0 are the primitives. Pairs of nodes that overlap become pairs of their
// children, level by level, one launch each, so that all threads have the same work. Pairs of primitives become pairs
// of the features that they represent. The order of pairs changes from run to run; which pairs there are does not.
#ifndef TOC_DEVICE_SEARCH_H
#define TOC_DEVICE_SEARCH_H

#include "bound/packed.h"
#include "cull/shared.h"
#include "cull/surface/representatives.h"
#include "device/pairs.h"

enum {
    TOC_DEVICE_ARITY = 4,
    TOC_DEVICE_LEVELS = 16,   // at most
    TOC_DEVICE_KEY_BITS = 12, // of a coordinate
    TOC_DEVICE_ID_BITS = 28,  // of a primitive's number, behind its place on the curve
    TOC_DEVICE_WAYS = 8       // runs that are merged at a time
};

typedef struct __attribute__((aligned(16))) toc_device_box {
    float low[4], high[4]; // the last of each is unused
} toc_device_box;

typedef struct toc_device_node_pair {
    uint32_t a, b; // a <= b
} toc_device_node_pair;

typedef struct toc_device_search_counts {
    uint32_t outside;                  // vertices that are not in the frame
    uint32_t pairs[TOC_DEVICE_LEVELS]; // of nodes, by level
    toc_device_counts kinds[2];        // TOC_VF, TOC_EE
} toc_device_search_counts;

/// All pointers are of the device.
typedef struct toc_device_search {
    // The step.
    uint32_t vertex_count, count; // primitives
    toc_frame frame;
    float grown; // margin of boxes on all sides, for the distance and all rounding
    const double *x0, *x1;
    toc_packed *packed;
    // The features.
    const uint32_t (*corners)[3];       // by primitive; vertices are repeated where it has fewer than three
    const toc_representative *features; // by primitive
    const uint32_t (*edges)[2];
    const uint32_t *points;
    // Sorting: `run` keys are in order already.
    uint64_t *keys, *sorted;
    uint32_t run;
    // The tree.
    toc_device_box *boxes; // level after level
    toc_representative *leaves;
    uint32_t nodes[TOC_DEVICE_LEVELS], first[TOC_DEVICE_LEVELS]; // of each level; where its boxes are
    // The descent from `level` to the one below: pairs whose first primitive is in a range of the leaves.
    uint32_t level, begin, end;
    bool from_root; // there is the pair of the root with itself, wherever `from` is
    uint32_t pair_room, feature_room[2];
    const toc_device_node_pair *from;
    toc_device_node_pair *to;
    toc_feature_pair *found[2]; // TOC_VF, TOC_EE
    toc_device_search_counts *counts;
} toc_device_search;

// clang for the device and the compiler of the library lay out the same.
_Static_assert(sizeof(void *) != 8 || sizeof(toc_device_search) == 344, "work of the search");
_Static_assert(sizeof(void *) != 8 || sizeof(toc_device_pairs) == 432, "work of the tests");
_Static_assert(sizeof(void *) != 8 || sizeof(toc_device_outcome) == 120, "an outcome");

static inline bool toc_device_boxes_overlap(const toc_device_box *a, const toc_device_box *b) {
    bool apart = false;
    for (int c = 0; c < 3; c++) apart |= (a->low[c] > b->high[c]) | (b->low[c] > a->high[c]);
    return !apart;
}

static inline void toc_device_box_put(toc_device_box *box, const float *x) {
    for (int c = 0; c < 3; c++) {
        box->low[c] = x[c] < box->low[c] ? x[c] : box->low[c];
        box->high[c] = x[c] > box->high[c] ? x[c] : box->high[c];
    }
}

/// The swept box of some vertices.
static inline toc_device_box toc_device_box_of(const toc_device_search *work, const uint32_t *vertices, int count) {
    toc_device_box box;
    for (int c = 0; c < 4; c++) box.low[c] = INFINITY, box.high[c] = -INFINITY;
    for (int k = 0; k < count; k++) {
        toc_device_box_put(&box, work->packed[vertices[k]].x0);
        toc_device_box_put(&box, work->packed[vertices[k]].x1);
    }
    for (int c = 0; c < 3; c++) box.low[c] -= work->grown, box.high[c] += work->grown;
    return box;
}

#endif
