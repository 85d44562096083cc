// SPDX-License-Identifier: Apache-2.0
// The potential of one near pair, with its derivatives.
#ifndef TOC_POTENTIAL_TERMS_H
#define TOC_POTENTIAL_TERMS_H

#include <stdbool.h>

#include "base/vec.h"
#include "toccata/potential.h"

/// A matrix of rank 1: `scale` z z', z having a vector for each vertex.
typedef struct toc_square {
    double scale, z[4][3];
} toc_square;

/// Four vertices have 12 directions; a potential does not change with the three translations.
enum { TOC_SQUARES_MOST = 9 };

/// The addition of a pair; the Hessian is the sum of the squares, of which there are none if it is not asked for.
typedef struct toc_terms {
    double energy, gradient[4][3];
    int count;
    toc_square squares[TOC_SQUARES_MOST];
} toc_terms;

/// A pair to evaluate.
typedef struct toc_terms_query {
    toc_potential_order order;
    bool indefinite;
    double distance, minimum, stiffness; // of the barrier; minimum: where it has no value any more
    double coefficient, slip;            // of friction
} toc_terms_query;

/// The outcome of a pair.
typedef enum toc_terms_outcome {
    TOC_TERMS_NONE, // too far apart: nothing is added
    TOC_TERMS_SOME,
    TOC_TERMS_TOUCHING, // at or below the minimum distance
    TOC_TERMS_BEYOND    // beyond the range of doubles
} toc_terms_outcome;

/// The vertices of a pair with weights, signed: positive for those of the first feature.
typedef struct toc_terms_place {
    toc_pair_class class;
    bool mollified;
    bool active[4]; // the weight is not 0
} toc_terms_place;

/// The product of the squared lengths of two edges, a thousandth of it: edges whose product has a smaller square are
/// nearly parallel.
double toc_mollifier_limit(const toc_vec rest[4]);

/// The barrier of a pair.
/// @param limit of the mollifier; 0 for a vertex and a face.
toc_terms_outcome toc_terms_barrier(const toc_terms_query *query, toc_kind kind, const toc_vec x[4], double limit,
                                    toc_terms_place *place, toc_terms *out);

/// A pair as it was when friction looked at it last.
typedef struct toc_lagged_pair {
    toc_kind kind;
    double distance, weights[4];
    toc_vec normal;
} toc_lagged_pair;

/// The friction of a pair whose vertices have moved by u.
/// @param mollifier of the edges at the start of the step; 1 for a vertex and a face.
toc_terms_outcome toc_terms_friction(const toc_terms_query *query, const toc_lagged_pair *pair, double mollifier,
                                     const toc_vec u[4], toc_terms_place *place, toc_terms *out);

/// The factor of two edges, 1 where they are not nearly parallel.
double toc_mollifier_find(const toc_vec x[4], double limit);

#endif
