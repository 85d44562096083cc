// SPDX-License-Identifier: Apache-2.0
// Vertices in single precision, both ends of the step in half a cache line, for looks that come before any exact test.
//
// Positions are off by 2^-53 of themselves when they are moved to the frame and by 2^-25 when they are made floats:
// those who look at two of them count 2^-24 for both.
#ifndef TOC_BOUND_PACKED_H
#define TOC_BOUND_PACKED_H

#include "base/memory.h"
#include "bound/dop.h"

typedef struct toc_packed {
    float x0[4], x1[4]; // the last of each is not used
} toc_packed;

/// Room for packed vertices that begins a cache line, so that none of them is in two. NULL on failure.
toc_packed *toc_packed_new(toc_arena *arena, size_t count);

/// Pack vertices. @return the largest coordinate in the frame, of either sign, or infinity where it is not 1 or less:
/// then what is packed must not be looked at.
double toc_packed_set(const toc_frame *frame, size_t count, const double *x0, const double *x1, toc_packed *packed);

#endif
