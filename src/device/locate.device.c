// SPDX-License-Identifier: Apache-2.0
// The places of hits within a separation or a tolerance, one a thread: those of toc_hit_locate, with its operations in
// their order. Pairs that need scaled coordinates are left to the processor, and so are those without a thickness among
// thick ones: their hits are crossings of planes.
#include "device/kernel.h"

#include "device/pairs.h"
#include "pair/closest_points.h"
#include "pair/hit_place.h"

static TOC_INLINE void read_device_corners(const double *from, const uint32_t v[4], double to[4][3]) {
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) to[k][c] = from[3 * (size_t)v[k] + (size_t)c];
}

static TOC_INLINE void locate_outcome(const toc_device_limits *limits, const toc_device_batch *batch, toc_kind kind,
                                      toc_device_outcome *out) {
    double x0[4][3], x1[4][3];
    toc_vec at[4];
    toc_local_pair local;
    if (out->hit.verdict != TOC_HIT) return;
    if (limits->thickness && toc_device_limit(limits, out->v, kind == TOC_VF ? 1 : 2) == 0) return;
    read_device_corners(batch->certified.pairs.body0[0], out->v, x0);
    read_device_corners(batch->certified.pairs.body1[0], out->v, x1);
    const double(*from)[3] = (const double(*)[3])x0, (*to)[3] = (const double(*)[3])x1;
    vertices_at(from, to, out->hit.toc, at);
    if (!take_local_pair(at, &local)) return;
    const toc_closest closest = closest_of_local_pair(kind, &local);
    for (int k = 0; k < 4; k++) out->hit.weights[k] = closest.weights[k];
    place_hit(kind, from, to, &out->hit);
    out->done = true;
}

TOC_DEVICE_KERNEL(locate, toc_device_pairs) {
    const toc_device_batch *of = work->of;
    const uint32_t vf = toc_device_least(of[0].counts->outcomes, of[0].outcome_room);
    const uint32_t count = vf + toc_device_least(of[1].counts->outcomes, of[1].outcome_room);
    for (uint32_t i = thread; i < count; i += threads)
        if (i < vf)
            locate_outcome(&work->limits, &of[0], TOC_VF, &of[0].outcomes[i]);
        else
            locate_outcome(&work->limits, &of[1], TOC_EE, &of[1].outcomes[i - vf]);
}
