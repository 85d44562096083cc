// SPDX-License-Identifier: Apache-2.0
// Packing vertices. O(n), a few ns for each vertex.
#include "bound/packed.h"

#include <math.h>
#include <stdbool.h>

// The largest absolute coordinate, and whether it is certain: no coordinate is a NaN.
typedef struct reach {
    double far;
    bool sure;
} reach;

static inline void pack_end(const toc_frame *frame, const double x[3], reach *r, float packed[4]) {
    for (int c = 0; c < 3; c++) {
        const double p = (x[c] - frame->centre[c]) * frame->scale;
        r->far = fabs(p) > r->far ? fabs(p) : r->far;
        r->sure &= p == p;
        packed[c] = (float)p;
    }
    packed[3] = 0;
}

double toc_packed_set(const toc_frame *frame, size_t count, const double *x0, const double *x1, toc_packed *packed) {
    reach r = {0, true};
    for (size_t i = 0; i < count; i++) {
        pack_end(frame, x0 + 3 * i, &r, packed[i].x0);
        pack_end(frame, x1 + 3 * i, &r, packed[i].x1);
    }
    return r.sure ? r.far : INFINITY;
}

static inline void box_of_triangle(const toc_packed *packed, float grown, const uint32_t corners[3], float *box) {
    float low[4], high[4];
    for (int c = 0; c < 4; c++) low[c] = high[c] = packed[corners[0]].x0[c];
    for (int k = 0; k < 3; k++)
        for (int end = 0; end < 2; end++) {
            const float *x = end ? packed[corners[k]].x1 : packed[corners[k]].x0;
            for (int c = 0; c < 4; c++) {
                low[c] = x[c] < low[c] ? x[c] : low[c];
                high[c] = x[c] > high[c] ? x[c] : high[c];
            }
        }
    for (int c = 0; c < 4; c++) {
        box[c] = low[c] - grown;
        box[c + 4] = high[c] + grown;
    }
}

void toc_packed_boxes(const toc_packed *packed, float grown, const uint32_t (*corners)[3], size_t count, float *boxes) {
    const float *end = boxes + count * TOC_BOX_FLOATS;
    if (grown == INFINITY)
        for (size_t i = 0; boxes < end; i++) *boxes++ = i % TOC_BOX_FLOATS < TOC_BOX_FLOATS / 2 ? -grown : grown;
    for (size_t i = 0; boxes < end; i++, boxes += TOC_BOX_FLOATS) box_of_triangle(packed, grown, corners[i], boxes);
}
