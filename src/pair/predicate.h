// SPDX-License-Identifier: Apache-2.0
// A floating-point look ahead of the integers: says apart or hit only where rounding cannot matter.
#ifndef TOC_PAIR_PREDICATE_H
#define TOC_PAIR_PREDICATE_H

#include "toccata/pair.h"

/// Over the whole step. TOC_UNDECIDED: the integers must tell. For TOC_HIT, verdict, toc and weights are filled: the
/// time is not later than the true one, and earlier by at most 2^-32 of it.
toc_verdict toc_filter_pair(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_hit *hit);

#endif
