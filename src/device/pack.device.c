// SPDX-License-Identifier: Apache-2.0
// Vertices in single precision, as toc_packed_set has them. Those that do not fit are counted.
#include "device/kernel.h"

#include "device/search.h"

TOC_DEVICE_KERNEL(pack, toc_device_search) {
    for (uint32_t v = thread; v < work->vertex_count; v += threads) {
        toc_packed packed;
        bool fits = true;
        for (size_t c = 0; c < 3; c++) {
            const double p = (work->x0[3 * (size_t)v + c] - work->frame.centre[c]) * work->frame.scale;
            const double q = (work->x1[3 * (size_t)v + c] - work->frame.centre[c]) * work->frame.scale;
            fits &= p >= -1 && p <= 1 && q >= -1 && q <= 1;
            packed.x0[c] = (float)p, packed.x1[c] = (float)q;
        }
        packed.x0[3] = packed.x1[3] = 0;
        work->packed[v] = packed;
        if (!fits) toc_thread_append(&work->counts->outside);
    }
}
