// SPDX-License-Identifier: Apache-2.0
// Where methods that approach a contact stop, and what a pair is then.
#ifndef TOC_PAIR_TOLERANCE_H
#define TOC_PAIR_TOLERANCE_H

#include <float.h>

#include "toccata/pair.h"

/// The distance, beyond the separation, at which a method stops, > 0, and its answer for pairs within it.
typedef struct toc_stop {
    double distance;
    toc_verdict within;
} toc_stop;

/// Pairs within a tolerance touch. A tolerance of 0 invents no contact: the method stops at a part of the size of the
/// pair, and leaves the pair to exact arithmetic. A larger part saves rounds and costs exact decisions; 2^-14 is the
/// fastest on cloth-ball and n-body. Without exact arithmetic it is a millionth.
/// @param size the largest coordinate of the pair, relative to one of its vertices
static inline toc_stop toc_stop_of(const toc_pair_test *test, double size) {
    if (test->tolerance > 0) return (toc_stop){test->tolerance, TOC_HIT};
    return (toc_stop){(test->exact ? 0x1p-14 : 0x1p-20) * size + DBL_MIN, TOC_UNDECIDED};
}

#endif
