// SPDX-License-Identifier: Apache-2.0
// Positions of the caller as doubles, vertex after vertex. Floats become the doubles of the same value.
#include "device/kernel.h"

#include "device/gather.h"

TOC_DEVICE_KERNEL(gather, toc_device_gathering) {
    for (uint32_t v = thread; v < work->count; v += threads) {
        const char *at = (const char *)work->at + v * work->stride;
        for (size_t c = 0; c < 3; c++)
            work->to[3 * (size_t)v + c] = work->is_float ? (double)((const float *)at)[c] : ((const double *)at)[c];
    }
}
