// SPDX-License-Identifier: Apache-2.0
// The exact decision in floating point: says apart or hit only where rounding cannot matter.
#ifndef TOC_PAIR_PREDICATE_H
#define TOC_PAIR_PREDICATE_H

#include "pair/error_bound.h"
#include "toccata/pair.h"

/// Weights below this error put a point within 2^-30 of the pair's size (docs/guarantees.md, G12): a point is the sum
/// of weights times vectors no longer than the size, and the errors of a feature's weights sum up to 4 of these.
#define TOC_WEIGHT_ERROR 0x1p-32

/// Over the whole step. TOC_UNDECIDED: exact arithmetic must tell. For TOC_HIT, verdict, toc and weights are filled:
/// the time is not later than the true one, and earlier by at most 2^-32 of it; the weights are those of the true time,
/// to within TOC_WEIGHT_ERROR.
toc_verdict toc_predicate_pair(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit);
/// The same in double-double precision: for what the first leaves undecided. Ten times slower.
toc_verdict toc_predicate_fine(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit);

/// The weights of a contact that is known to be first in [time, time (1 + 2^-30)], where the features are over each
/// other and the plane is crossed; to within TOC_WEIGHT_ERROR. False where rounding can be more than that.
bool toc_predicate_weights(toc_kind kind, const double x0[4][3], const double x1[4][3], double time, double weights[4]);

/// Shares of the whole that belong to the vertices of a kind, up to a common factor, and how far they can be off:
/// barycentrics of a face, or the places along two edges and the rests of the edges.
typedef struct toc_shares {
    int count;
    double at[4], error[4];
} toc_shares;

/// TOC_HIT where all are certainly above 0, TOC_APART where one is certainly below.
toc_verdict toc_shares_verdict(const toc_shares *shares);
/// The weights of certainly positive shares. False where they can be off by more than TOC_WEIGHT_ERROR.
bool toc_shares_weigh(toc_kind kind, const toc_shares *shares, double weights[4]);

#endif
