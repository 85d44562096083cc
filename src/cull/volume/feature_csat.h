// SPDX-License-Identifier: Apache-2.0
// Continuous separating axes of a vertex, or an edge, and a whole element: Algorithm 2 of Tang et al. 2011, "VolCCD",
// for straight paths and for constant acceleration (Section 7.1).
#ifndef TOC_CULL_VOLUME_FEATURE_CSAT_H
#define TOC_CULL_VOLUME_FEATURE_CSAT_H

#include <stdbool.h>
#include <stdint.h>

/// The step, and the distance below which features are not apart.
typedef struct toc_feature_csat {
    const double *x0, *x1; // 3 doubles a vertex
    const double *control; // of parabolas, likewise; NULL where all paths are straight
    double separation;
} toc_feature_csat;

/// Corollary 2: whether a vertex stays apart from an element along the normal of one of its faces at the start.
/// @param cell the corners of the element, at most 8.
bool toc_csat_vertex_apart(const toc_feature_csat *csat, uint32_t vertex, const uint32_t *cell, int corners,
                           const uint32_t face[3]);
/// Corollary 4: the same for an edge, along the normal of it and of an edge of the element at the start.
bool toc_csat_edge_apart(const toc_feature_csat *csat, const uint32_t edge[2], const uint32_t *cell, int corners,
                         const uint32_t other[2]);

/// The face or edge whose axis is tried, of `count`: the paper picks one at random, this picks by the ids.
static inline int toc_csat_pick(uint32_t cell_a, uint32_t cell_b, uint32_t feature, int count) {
    const uint64_t mixed = (((uint64_t)cell_a << 32 | cell_b) ^ ((uint64_t)feature << 17)) * 0x9e3779b97f4a7c15u;
    return (int)((mixed >> 40) % (uint64_t)count);
}

#endif
