// SPDX-License-Identifier: Apache-2.0
/// Ablation: leave out single stages of a preset to measure their worth. For research, not for solvers: the bits may
/// change with any version. Not part of toccata.h.
#ifndef TOCCATA_RESEARCH_H
#define TOCCATA_RESEARCH_H

#include "toccata/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Stages that a query leaves out: bits of toc_query.skip. A preset without that stage ignores the bit.
enum {
    TOC_SKIP_ELEMENT_AXES = 1, ///< Volumes: continuous separating axes for pairs of elements.
    TOC_SKIP_FEATURE_DOPS = 2, ///< k-DOPs of features: all pairs of two elements' features go on.
    TOC_SKIP_ASSIGNMENT = 4,   ///< O-Sets and dynamic assignment: a pair of features is asked as often as it comes.
    TOC_SKIP_DYNAMIC_ASSIGNMENT = 8, ///< Static assignment instead of both.
    TOC_SKIP_FEATURE_AXES = 16,      ///< Continuous separating axes for pairs of features.
    TOC_SKIP_DIAGONALS = 32,         ///< Edges that only split quads, which the paper does not count: can miss.
    TOC_SKIP_ELEMENT_DOPS = 64,      ///< Voxels: k-DOPs of elements: all pairs that share a cell go on.
    TOC_SKIP_NORMALS = 128,          ///< The surface normal test of neighbours, which can miss, and only `voxel` has.
    TOC_SKIP_TRIANGLE_AXES = 256,    ///< Separating axes for pairs of triangles, and fans of triangles that lie flat.
    TOC_SKIP_ALL = 511
};

#ifdef __cplusplus
}
#endif

#endif
