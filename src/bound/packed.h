// SPDX-License-Identifier: Apache-2.0
// Vertices in single precision, both ends of the step in half a cache line, for the filters before exact tests.
//
// Moving a position to the frame has a relative error of 2^-53, and rounding it to float an error of 2^-25. Users of
// two coordinates count 2^-24 for both.
#ifndef TOC_BOUND_PACKED_H
#define TOC_BOUND_PACKED_H

#include "base/memory.h"
#include "bound/dop.h"

typedef struct toc_packed {
    float x0[4], x1[4]; // the last of each is unused
} toc_packed;

/// Pack vertices. @return the largest absolute coordinate in the frame; infinity if one is a NaN. If it is above 1,
/// only users that include it in their error bounds may use the packed vertices.
double toc_packed_set(const toc_frame *frame, size_t count, const double *x0, const double *x1, toc_packed *packed);

enum { TOC_BOX_FLOATS = 8 }; // of a box: low x, y, z and 0, then high x, y, z and 0

/// Set the swept boxes of triangles.
/// @param grown margin on all sides, toc_packed_grown (bound/block.h); boxes hold everything if it is infinite.
void toc_packed_boxes(const toc_packed *packed, float grown, const uint32_t (*corners)[3], size_t count, float *boxes);

#endif
