// SPDX-License-Identifier: Apache-2.0
// The first contact of two moving triangles.
#ifndef TOC_PAIR_TRIANGLE_PAIR_H
#define TOC_PAIR_TRIANGLE_PAIR_H

#include "cull/surface/triangle_features.h"
#include "pair/pair.h"

/// Two triangles that move: a is 0, 1, 2, b is 3, 4, 5.
typedef struct toc_triangles {
    double x0[6][3], x1[6][3];
    unsigned pairs; ///< The feature pairs to look at (cull/surface/triangle_features.h): TOC_TRIANGLE_ALL, less those
                    ///< of shared vertices.
} toc_triangles;

/// Their first contact.
typedef struct toc_triangles_hit {
    toc_verdict verdict;
    double toc;  ///< Never later than the first contact, for methods that promise that of a feature pair.
    int pair;    ///< The bit of the feature pair that touches, -1 where the method does not know.
    int queries; ///< Feature pairs, or triangle pairs, that were advanced or solved.
} toc_triangles_hit;

/// Find the first contact by the test's method. Feature pairs are asked one after the other, each only for the time
/// before the best contact so far (temporal culling). TOC_METHOD_CULLING first culls by the steps given
/// (cull/surface/triangle_features.h); with no step it is plain conservative advancement of the 15 pairs along the
/// closest direction. TOC_METHOD_CA_TRIANGLE advances the whole triangles, needs all pairs, and reports triangles that
/// are through each other at the start, which touch by no feature pair, too.
/// @param counts of the culling steps, added to; may be NULL.
toc_status toc_triangles_find(const toc_triangles *triangles, const toc_pair_test *test, unsigned steps,
                              toc_arena *scratch, toc_triangle_counts *counts, toc_triangles_hit *out);

#endif
