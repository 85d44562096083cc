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
