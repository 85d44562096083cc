// SPDX-License-Identifier: Apache-2.0
// The exact decision in floating point: apart or hit only if rounding cannot change the answer.
#ifndef TOC_PAIR_PREDICATE_H
#define TOC_PAIR_PREDICATE_H

#include "number/double_double.h"
#include "pair/error_bound.h"
#include "toccata/pair.h"

/// Weights below this error put a point within 2^-30 of the pair's size (docs/guarantees.md, G12): a point is the sum
/// of weights times vectors no longer than the size, and the errors of a feature's weights sum up to 4 of these.
#define TOC_WEIGHT_ERROR 0x1p-32

/// A predicate of the ladder (ladder.c), over the whole step. TOC_UNDECIDED: a later rung must decide. For TOC_HIT,
/// verdict, toc and weights are filled. The time is not later than the true one, and earlier by at most 2^-32 of it.
/// The weights are those of the true time, to within TOC_WEIGHT_ERROR.
typedef toc_verdict toc_predicate(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit);

/// In doubles.
toc_predicate toc_predicate_pair;
/// In double-double precision. Ten times slower.
toc_predicate toc_predicate_fine;
/// The part of toc_predicate_pair for features that move in one plane. Sizes are in the range of predicate.c.
toc_predicate toc_predicate_flat;

/// The weights of a contact that is known to be first in [time, time (1 + 2^-30)], where the features are over each
/// other and the plane is crossed; to within TOC_WEIGHT_ERROR. False if rounding can exceed that.
bool toc_predicate_weights(toc_kind kind, const double x0[4][3], const double x1[4][3], double time, double weights[4]);

/// The shares of the vertices of a kind in a total, up to a common factor, and the bounds of their errors. For a face,
/// its barycentric coordinates; for two edges, the places along them and the remainders.
typedef struct toc_shares {
    int count;
    double at[4], error[4];
} toc_shares;

/// TOC_HIT if all are certainly above 0, TOC_APART if one is certainly below.
toc_verdict toc_shares_verdict(const toc_shares *shares);
/// Decide uncertain shares at the only root of the coplanarity cubic in [t, t + blur] by single components, or because
/// three vertices move in one plane. After TOC_HIT, all are at least 0; those that are exactly 0 have no error. Most
/// ties of grids are decided.
toc_verdict toc_shares_settle(toc_kind kind, const double x0[4][3], const double x1[4][3], double t, double blur,
                              toc_shares *shares);
/// The weights of shares that are at least 0. False if they can be off by more than TOC_WEIGHT_ERROR.
bool toc_shares_weigh(toc_kind kind, const toc_shares *shares, double weights[4]);

/// The value of the coplanarity cubic r . (d x e) at a time, and its error bound, in double-double precision.
toc_dd toc_fine_value(toc_kind kind, const double x0[4][3], const double x1[4][3], double t, double *error);
/// The largest double that is not above the root of a function near t, given its value there and its slope on the whole
/// way from t to the root. False if the error bounds leave more than one.
bool toc_root_round_down(double t, toc_dd value, double value_error, double slope, double slope_error, double *out);

/// A number with its own error bound. Both 0: exactly 0.
typedef struct toc_tie_number {
    double value, error;
} toc_tie_number;

toc_tie_number toc_tie_difference(double a, double b);
toc_tie_number toc_tie_sum(toc_tie_number a, toc_tie_number b);
/// Between a at time 0 and b at time 1, at all times in [t, t + blur].
toc_tie_number toc_tie_mix(toc_tie_number a, toc_tie_number b, double t, double blur);
/// a d - b c.
toc_tie_number toc_tie_determinant(toc_tie_number a, toc_tie_number b, toc_tie_number c, toc_tie_number d);
/// 1 or -1 if certain, else 0.
int toc_tie_sign(toc_tie_number a);

/// The vector between two places; false if it has more digits than a double, or is out of range.
bool toc_plane_vector(const double from[3], const double to[3], double out[3]);
/// Whether two or more vectors of toc_plane_vector lie exactly in one plane, and its normal, of which a component at
/// least is certainly not 0. False also where all are, or may be, on one line.
bool toc_plane_of_vectors(int count, const double (*v)[3], toc_tie_number normal[3]);

#endif
