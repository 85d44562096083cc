// SPDX-License-Identifier: Apache-2.0
// The near pairs of outcomes that are done, in the order of their entries.
#include "device/kernel.h"

#include "device/near.h"
#include "pair/gap.h"

TOC_DEVICE_KERNEL(near_pair, toc_device_near_answer) {
    const toc_device_answer *of = &work->of;
    for (uint32_t i = thread; i < of->count; i += threads) {
        const uint32_t item = of->entries[i].item, kind = item >> TOC_DEVICE_KIND_SHIFT;
        const toc_device_outcome *outcome = &of->outcomes[kind][item & ((1u << TOC_DEVICE_KIND_SHIFT) - 1)];
        const int second = toc_second_feature(kind ? TOC_EE : TOC_VF);
        toc_near_pair *pair = &work->pairs[i];
        memset(pair, 0, sizeof *pair);
        pair->kind = kind ? TOC_EE : TOC_VF;
        for (int k = 0; k < 2; k++)
            pair->body[k] = toc_device_body(of->body_first, of->body_count, outcome->v[k ? second : 0]);
        for (int k = 0; k < 4; k++) {
            const double *x = work->x + 3 * (size_t)outcome->v[k];
            pair->v[k] = outcome->v[k] - of->body_first[pair->body[k >= second]];
            pair->weights[k] = outcome->hit.weights[k];
            for (int c = 0; c < 3; c++) pair->points[k >= second][c] += pair->weights[k] * x[c];
        }
        pair->distance = outcome->hit.toc;
        for (int c = 0; c < 3; c++) pair->normal[c] = outcome->hit.normal[c];
        pair->time = work->time;
        pair->thickness = outcome->hit.point[0];
    }
}
