// SPDX-License-Identifier: Apache-2.0
// Measuring the extents of a sample of primitives.
#include "search/sweep_ratio.h"

#include <math.h>

#include "base/vec.h"

// The extents of a primitive along x, y and z together, at the start, and swept.
static void measure_extents(const toc_step *step, const uint32_t vertices[3], double *start, double *swept) {
    *start = *swept = 0;
    for (size_t c = 0; c < 3; c++) {
        double low0 = INFINITY, high0 = -INFINITY, low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 3 && vertices[i] != UINT32_MAX; i++) {
            const double x0 = step->x0[3 * (size_t)vertices[i] + c], x1 = step->x1[3 * (size_t)vertices[i] + c];
            low0 = toc_smaller(low0, x0), high0 = toc_larger(high0, x0);
            low = toc_smaller(low, toc_smaller(x0, x1)), high = toc_larger(high, toc_larger(x0, x1));
        }
        *start += high0 - low0;
        *swept += high - low;
    }
}

double toc_sweep_ratio(const toc_step *step, const toc_primitives *primitives, bool moving_only) {
    enum { SAMPLE = 1024 };
    double start = 0, swept = 0;
    const size_t stride = primitives->count / SAMPLE + 1;
    for (size_t i = 0; i < primitives->count; i += stride) {
        double own, all;
        measure_extents(step, primitives->at[i].vertices, &own, &all);
        if (moving_only && !(all > own)) continue;
        start += own;
        swept += all;
    }
    return start > 0 && isfinite(swept) ? swept / start : 1;
}
