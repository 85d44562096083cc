// SPDX-License-Identifier: Apache-2.0
// The search of a step on a device: what its kernels read and write.
//
// Primitives are sorted along a Hilbert curve through their swept boxes. Node i of a level holds the nodes 4 i to 4 i +
// 3 of the level below; those of level 0 are the primitives. Each has a moving box: one at the start, one at the end.
// Pairs of nodes whose boxes meet become pairs of their children, level by level, one launch each, so that all threads
// have the same work. Pairs of primitives that no axis separates become pairs of the features that they represent. The
// order of pairs changes from run to run; which pairs there are does not.
//
// Of volumes the primitives are elements. Each feature belongs to one of the elements around it, which contains it: two
// features that touch are in elements that touch, or in one element, and are found there, once.
#ifndef TOC_DEVICE_SEARCH_H
#define TOC_DEVICE_SEARCH_H

#include "bound/packed.h"
#include "cull/shared.h"
#include "cull/surface/representatives.h"
#include "cull/surface/triangle_axes.h"
#include "device/pairs.h"
#include "device/sort.h"

enum {
    TOC_DEVICE_ARITY = 4,
    TOC_DEVICE_LEVELS = 16,   // at most
    TOC_DEVICE_KEY_BITS = 12, // of a coordinate
    TOC_DEVICE_CORNERS = 8,   // of an element
    TOC_DEVICE_ROOTS = 64     // the descent begins with all pairs of a level with at most as many nodes
};

/// A moving box: lower corners at the start and at the end, upper corners at the start and at the end.
typedef struct toc_device_box {
    float low[2][3], high[2][3];
} __attribute__((aligned(16))) toc_device_box;

typedef struct toc_device_node_pair {
    uint32_t a, b; // a <= b
} toc_device_node_pair;

/// The features that an element represents, by kind: runs of the points, edges and faces.
enum { TOC_DEVICE_POINTS, TOC_DEVICE_EDGES, TOC_DEVICE_FACES, TOC_DEVICE_FEATURES };
typedef struct toc_device_cell {
    uint32_t first[TOC_DEVICE_FEATURES];
    uint8_t count[TOC_DEVICE_FEATURES];
} toc_device_cell;

typedef struct toc_device_search_counts {
    uint32_t outside;                  // vertices that are not in the frame
    uint32_t pairs[TOC_DEVICE_LEVELS]; // of nodes, by level
    uint32_t near;                     // pairs of primitives that no axis separates, or that share a vertex
    uint32_t entries;                  // of the answer
    toc_device_counts kinds[TOC_DEVICE_KINDS];
} toc_device_search_counts;

/// All pointers are of the device.
typedef struct toc_device_search {
    // The step.
    uint32_t vertex_count, count; // primitives
    toc_frame frame;
    float grown;    // margin of boxes on all sides, for the distance and all rounding
    float distance; // as in toc_triangle_axes
    toc_look look;  // the part of the step
    const double *x0, *x1;
    toc_packed *packed;
    // The features.
    uint32_t corner_count;              // of each primitive: 3; of elements 4 or TOC_DEVICE_CORNERS
    const uint32_t *corners;            // by primitive; vertices are repeated where it has fewer
    const toc_representative *features; // by primitive; of elements NULL
    const toc_device_cell *cells;       // by element
    const uint32_t (*edges)[2];
    const uint32_t *points;
    const uint32_t (*faces)[3]; // of elements
    // The tree.
    toc_device_entry *entries; // the primitives in their order
    toc_device_box *boxes;     // level after level
    toc_representative *leaves;
    uint32_t *leaf_corners;                                      // as the corners
    uint32_t nodes[TOC_DEVICE_LEVELS], first[TOC_DEVICE_LEVELS]; // of each level; where its boxes are
    // The descent from `level` to the one below: pairs whose first primitive is in a range of the leaves.
    uint32_t level, begin, end;
    bool from_all; // there are all pairs of the level, wherever `from` is
    uint32_t pair_room, feature_room[TOC_DEVICE_KINDS];
    const toc_device_node_pair *from;
    toc_device_node_pair *to;
    toc_feature_pair *found[TOC_DEVICE_KINDS];
    toc_device_search_counts *counts;
} toc_device_search;

// clang for the device and the compiler of the library lay out the same.
_Static_assert(sizeof(void *) != 8 || sizeof(toc_device_search) == 384, "work of the search");
_Static_assert(sizeof(void *) != 8 || sizeof(toc_device_pairs) == 952, "work of the tests");
_Static_assert(sizeof(void *) != 8 || sizeof(toc_device_outcome) == 120, "an outcome");

/// Whether one gap between two moving boxes is open at both ends of the step, and so, as it is linear, all the time.
static inline bool toc_device_boxes_are_apart(const toc_device_box *a, const toc_device_box *b) {
    bool apart = false;
    for (int c = 0; c < 3; c++) {
        apart |= (a->low[0][c] > b->high[0][c]) & (a->low[1][c] > b->high[1][c]);
        apart |= (b->low[0][c] > a->high[0][c]) & (b->low[1][c] > a->high[1][c]);
    }
    return apart;
}

/// Whether two moving boxes meet at some time of the step. Times are rounded outward as in bound/span.h.
static inline bool toc_device_boxes_meet(const toc_device_box *a, const toc_device_box *b) {
    float gap[2][6], enter = 0, leave = 1;
    if (toc_device_boxes_are_apart(a, b)) return false;
    for (int end = 0; end < 2; end++)
        for (int c = 0; c < 3; c++) {
            gap[end][c] = a->low[end][c] - b->high[end][c];
            gap[end][c + 3] = b->low[end][c] - a->high[end][c];
        }
    for (int i = 0; i < 6; i++) {
        const bool before = gap[0][i] > 0, after = gap[1][i] > 0;
        if (before == after) continue;
        const float zero = gap[0][i] / (gap[0][i] - gap[1][i]);
        const float from = zero * (1 - 0x1p-20f) - 0x1p-126f, until = zero * (1 + 0x1p-20f) + 0x1p-126f;
        if (before) enter = from > enter ? from : enter;
        if (after) leave = until < leave ? until : leave;
    }
    return enter <= leave;
}

/// Write a pair of features to its place, if there is room.
static inline void toc_device_found_put(const toc_device_search *work, toc_kind kind, uint32_t at,
                                        toc_feature_pair pair) {
    if (at < work->feature_room[kind == TOC_EE]) work->found[kind == TOC_EE][at] = pair;
}

static inline void toc_device_box_put(toc_device_box *box, int end, const float *low, const float *high) {
    for (int c = 0; c < 3; c++) {
        box->low[end][c] = low[c] < box->low[end][c] ? low[c] : box->low[end][c];
        box->high[end][c] = high[c] > box->high[end][c] ? high[c] : box->high[end][c];
    }
}

/// The moving box of some vertices.
static inline toc_device_box toc_device_box_of(const toc_device_search *work, const uint32_t *vertices,
                                               uint32_t count) {
    toc_device_box box;
    for (int end = 0; end < 2; end++)
        for (int c = 0; c < 3; c++) box.low[end][c] = INFINITY, box.high[end][c] = -INFINITY;
    for (uint32_t k = 0; k < count; k++) {
        const toc_packed packed = work->packed[vertices[k]];
        toc_device_box_put(&box, 0, packed.x0, packed.x0);
        toc_device_box_put(&box, 1, packed.x1, packed.x1);
    }
    for (int end = 0; end < 2; end++)
        for (int c = 0; c < 3; c++) box.low[end][c] -= work->grown, box.high[end][c] += work->grown;
    return box;
}

#endif
