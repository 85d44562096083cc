// SPDX-License-Identifier: Apache-2.0
// Conservative advancement of two features, or of two triangles.
#ifndef TOC_PAIR_ADVANCEMENT_H
#define TOC_PAIR_ADVANCEMENT_H

#include "cull/axis.h"
#include "pair/distance.h"
#include "pair/tolerance.h"
#include "toccata/pair.h"

/// The two features: the vertices of the first, then of the second, in one toc_moving.
typedef struct toc_feature_query {
    int first, second; ///< The number of vertices of each.
    toc_closest (*closest)(const toc_vec *x);
} toc_feature_query;

toc_feature_query toc_feature_query_of(toc_kind kind);
toc_feature_query toc_feature_query_of_triangles(void);

/// The bound on the speed of approach.
typedef enum toc_bound {
    TOC_BOUND_SPEED, ///< The largest relative speed of two vertices in any direction (Mirtich 1996).
    TOC_BOUND_ALONG  ///< The largest along the closest direction (local advancement, Lemmas 1 to 3).
} toc_bound;

/// The settings of one advancement.
typedef struct toc_advance {
    toc_bound bound;
    toc_stop stop;
    double separation, from, to; ///< As in toc_pair_test.
} toc_advance;

/// Advance until the distance is that of the stop, with its answer, the step is over (TOC_APART), or rounding or the
/// limit of rounds ends it (TOC_UNDECIDED).
/// @param toc the time reached, never later than the first contact; untouched for TOC_APART.
toc_verdict toc_advance_run(const toc_moving *moving, toc_feature_query features, const toc_advance *advance,
                            double *toc);

#endif
