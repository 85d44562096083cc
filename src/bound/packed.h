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

/// Pack vertices. @return the largest coordinate in the frame, of either sign; infinity where one is a NaN. Above 1,
/// what is packed must not be looked at but by those who count with it.
double toc_packed_set(const toc_frame *frame, size_t count, const double *x0, const double *x1, toc_packed *packed);

#endif
