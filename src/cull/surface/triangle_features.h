// SPDX-License-Identifier: Apache-2.0
// Culls the 15 feature pairs of two moving triangles.
#ifndef TOC_CULL_SURFACE_TRIANGLE_FEATURES_H
#define TOC_CULL_SURFACE_TRIANGLE_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "cull/axis.h"
#include "toccata/pair.h"

/// Feature pairs are bits, numbered as in toc_triangle_pair. Triangle a has the vertices 0, 1, 2 of a toc_moving,
/// triangle b has 3, 4, 5; edge i of each goes from its corner i to the next.
enum { TOC_TRIANGLE_PAIRS = 15, TOC_TRIANGLE_ALL = (1 << TOC_TRIANGLE_PAIRS) - 1 };
/// Vertex i of a against b, vertex j of b against a, edge i of a against edge j of b.
#define TOC_TRIANGLE_AB(i) (1u << (i))
#define TOC_TRIANGLE_BA(j) (1u << (3 + (j)))
#define TOC_TRIANGLE_EE(i, j) (1u << (6 + 3 * (i) + (j)))

/// A feature pair's kind and vertices, as indices 0 .. 5 in the order of the kind.
typedef struct toc_triangle_feature {
    toc_kind kind;
    int at[4];
} toc_triangle_feature;
toc_triangle_feature toc_triangle_feature_of(int bit);

/// All culling steps (toc_triangle_step, toccata/pair.h).
enum { TOC_TRIANGLE_STEP_ALL = (1 << TOC_TRIANGLE_STEP_COUNT) - 1 };

/// @return the feature pairs, of those given, that the steps leave. Removed pairs are apart by more than `separation`
/// for the whole step, in real arithmetic. O(1), no allocation.
/// @param removed the number of pairs that each step removed is added to it; may be NULL.
unsigned toc_triangle_cull(const toc_moving *moving, double separation, unsigned pairs, unsigned steps,
                           uint32_t removed[TOC_TRIANGLE_STEP_COUNT]);

/// Vertices on parabolas: the ends of their paths, and their control points (both ends of `control`; toc_moving_set).
typedef struct toc_curved {
    toc_moving ends, control;
} toc_curved;

/// The same for one feature pair, its four vertices in the order of the kind: true if it is removed.
bool toc_feature_cull(toc_kind kind, const toc_moving *moving, double separation);
bool toc_feature_cull_curved(toc_kind kind, const toc_curved *curved, double separation);

/// The same by the first axis alone: the normal of the face, or of the two edges, at the start (Corollaries 1 and 3 of
/// Tang et al. 2011).
bool toc_feature_cull_along_normal(toc_kind kind, const toc_moving *moving, double separation);
bool toc_feature_cull_curved_along_normal(toc_kind kind, const toc_curved *curved, double separation);

#endif
