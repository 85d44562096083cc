// SPDX-License-Identifier: Apache-2.0
// All times at which two features touch, with the caller's memory.
#ifndef TOC_PAIR_TOUCHES_H
#define TOC_PAIR_TOUCHES_H

#include "base/memory.h"
#include "number/path.h"
#include "toccata/solver.h"

/// As toc_pair_find_touches, for straight paths and parabolas. The input is finite.
toc_status toc_touches_find(toc_kind kind, const toc_course *course, double separation, toc_arena *scratch,
                            toc_touches *out);

#endif
