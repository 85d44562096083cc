// SPDX-License-Identifier: Apache-2.0
/// Ablation: leave out single stages of a preset to measure their effect. For research, not for solvers: the bits may
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
    TOC_SKIP_ASSIGNMENT = 4,   ///< Orphan pairs and dynamic assignment: a feature pair is tested for each element pair
                               ///< that contains it.
    TOC_SKIP_DYNAMIC_ASSIGNMENT = 8, ///< Static assignment instead of both.
    TOC_SKIP_FEATURE_AXES = 16,      ///< Continuous separating axes for pairs of features.
    TOC_SKIP_DIAGONALS = 32,         ///< Edges that only split quads, which the paper does not count: can miss.
    TOC_SKIP_ELEMENT_DOPS = 64,      ///< Voxels: k-DOPs of elements: all pairs that share a cell go on.
    TOC_SKIP_NORMALS = 128,          ///< The surface normal test of neighbours, which can miss. Only `voxel` has it.
    TOC_SKIP_TRIANGLE_AXES = 256,    ///< Separating axes for pairs of triangles, and flat rings of triangles.
    TOC_SKIP_INTACT = 512,           ///< Volumes: intact elements, whose own features cannot touch each other.
    /// The steps of the preset `culling`: bits TOC_SKIP_TRIANGLE_PLANE << toc_triangle_step.
    TOC_SKIP_TRIANGLE_PLANE = 1024,
    TOC_SKIP_TRIANGLE_THREE = 2048,
    TOC_SKIP_TRIANGLE_TWO = 4096,
    TOC_SKIP_TRIANGLE_LINES = 8192,
    TOC_SKIP_TRIANGLE_LINES_THIRD = 16384,
    TOC_SKIP_TRIANGLE_CIRCLE = 32768,
    TOC_SKIP_TRIANGLE_CIRCLES = 65536,
    TOC_SKIP_ALL = 131071
};

/// Name of the stage of bit 1 << i, as the command takes it: "element-axes", ... NULL past the last.
TOC_API const char *toc_skip_get_name(size_t i);

#ifdef __cplusplus
}
#endif

#endif
