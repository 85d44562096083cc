// SPDX-License-Identifier: Apache-2.0
// Exact answers for pairs of features on a small lattice, in integers of 128 bits: a microsecond a pair.
//
// No code of the library is used, and no code of the rational oracle (support/oracle.h) but where 128 bits do not
// suffice. Contact does not depend on the frame: a map that keeps lines, such as a scaling of each axis, a shear or a
// common motion, changes neither the answer nor the time. One answer thus serves for many pairs of doubles.
#ifndef TOC_CAMPAIGN_LATTICE_H
#define TOC_CAMPAIGN_LATTICE_H

#include "toccata/pair.h"

/// Coordinates are at most this.
enum { LATTICE_MOST = 8 };

/// Four vertices at both ends of a step, as in toc_pair.
typedef struct lattice_pair {
    int x0[4][3], x1[4][3];
} lattice_pair;

/// Whether the features touch, and the first time between two doubles.
typedef struct lattice_answer {
    bool touches;
    double low, high; // at most 2^-34 apart; the same where the time is known exactly
} lattice_answer;

/// Decide a pair. @return whether 128 bits were enough; else the rational oracle decided.
bool lattice_decide(toc_kind kind, const lattice_pair *pair, lattice_answer *out);

#endif
