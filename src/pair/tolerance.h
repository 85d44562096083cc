// SPDX-License-Identifier: Apache-2.0
// The distance that counts as touching, for methods that need a tolerance.
#ifndef TOC_PAIR_TOLERANCE_H
#define TOC_PAIR_TOLERANCE_H

#include "toccata/pair.h"

/// The tolerance asked for, or 1e-6 for 0: the distance threshold of the local-advancement paper and of tight
/// inclusion.
static inline double toc_tolerance_of(const toc_pair_test *test) {
    return test->tolerance > 0 ? test->tolerance : 1e-6;
}

#endif
