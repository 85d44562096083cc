// SPDX-License-Identifier: Apache-2.0
// The sweep ratio of a step: how many times their own extent primitives sweep.
//
// Moving DOPs cull better than swept ones where the ratio is large, and cost twice as much
// (docs/decisions/0006-moving-dops.md).
#ifndef TOC_SEARCH_SWEEP_RATIO_H
#define TOC_SEARCH_SWEEP_RATIO_H

#include "scene/step.h"

#define TOC_SWEEP_FAR 1.8       // moving DOPs pay from this ratio on,
#define TOC_SWEEP_STILL_FAR 1.5 // and are kept down to this one, since changing back means bounding everything

/// The mean ratio of a sample of at most about 1024 primitives; 1 where nothing moves. O(1).
/// @param moving_only whether resting primitives count for nothing, rather than for 1.
double toc_sweep_ratio(const toc_step *step, const toc_primitives *primitives, bool moving_only);

#endif
