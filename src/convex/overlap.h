// SPDX-License-Identifier: Apache-2.0
// Overlap at an instant, for callers that have checked the input.
#ifndef TOC_CONVEX_OVERLAP_H
#define TOC_CONVEX_OVERLAP_H

#include "base/memory.h"
#include "toccata/convex.h"

/// As toc_overlap_find for the start positions of two hulls, with the caller's scratch memory.
toc_status toc_overlap_find_unchecked(const toc_hull *a, const toc_hull *b, toc_arena *scratch, toc_overlap *out);

#endif
