// SPDX-License-Identifier: Apache-2.0
// Exact decisions about convex elements: right for any finite input, in integers, without any tolerance.
#ifndef TOC_CONVEX_DECISION_H
#define TOC_CONVEX_DECISION_H

#include "base/memory.h"
#include "toccata/convex.h"

/// Whether two hulls share a point at time t.
toc_status toc_decide_instant(const toc_hull *a, const toc_hull *b, double t, toc_arena *scratch, bool *share);

/// Whether two hulls share a point at any time in [from, to], and the first such time, rounded down.
/// @param clear nothing touches before this time; may be `from`.
/// @param verdict TOC_APART or TOC_HIT; out untouched on failure, which can only be lack of memory.
toc_status toc_decide_moving(const toc_hull *a, const toc_hull *b, const toc_pair_test *test, double clear,
                             toc_arena *scratch, toc_verdict *verdict, double *toc);

#endif
