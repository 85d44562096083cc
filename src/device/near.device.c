// SPDX-License-Identifier: Apache-2.0
// Near pairs among those that the prefilter left, one a thread, with the operations of the processor in their order.
// Pairs that need scaled coordinates or exact arithmetic are left to it.
#include "device/kernel.h"

#include "device/near.h"
#include "pair/closest_points.h"
#include "pair/gap.h"

typedef enum look_at_near { LOOK_FARTHER, LOOK_NEAR, LOOK_IN_DOUBT } look_at_near;

static TOC_INLINE look_at_near look_at_pair(const toc_device_batch *batch, toc_kind kind, const uint32_t v[4],
                                            double limit, toc_closest *closest) {
    toc_vec x[4];
    toc_local_pair local;
    for (int k = 0; k < 4; k++) x[k] = toc_vec_of(batch->certified.pairs.body0[0] + 3 * (size_t)v[k]);
    if (!take_local_pair(x, &local)) return LOOK_IN_DOUBT;
    *closest = closest_of_local_pair(kind, &local);
    if (closest->distance <= limit) return LOOK_NEAR;
    return toc_gap_exceeds(kind, &local, closest, limit) ? LOOK_FARTHER : LOOK_IN_DOUBT;
}

static TOC_INLINE void fill_near(const toc_closest *closest, double limit, toc_hit *hit) {
    const toc_vec away = toc_vec_unit(closest->gap);
    hit->verdict = TOC_HIT;
    hit->toc = closest->distance;
    for (int k = 0; k < 4; k++) hit->weights[k] = closest->weights[k];
    hit->point[0] = limit, hit->point[1] = hit->point[2] = 0;
    toc_vec_to(hit->normal, (toc_vec){0 - away.x, 0 - away.y, 0 - away.z});
}

static TOC_INLINE void put_near_outcome(const toc_device_batch *batch, const toc_device_outcome *found) {
    const uint32_t at = toc_thread_append(&batch->counts->outcomes);
    if (at < batch->outcome_room) batch->outcomes[at] = *found;
    if (found->done || !batch->open) return;
    const uint32_t open = toc_thread_append(&batch->counts->open);
    if (open < batch->open_room) batch->open[open] = *found;
}

static TOC_INLINE void test_near(const toc_device_near_test *work, const toc_device_batch *batch, toc_kind kind,
                                 uint32_t pair) {
    toc_device_outcome found = {.pair = pair, .hit = {.verdict = TOC_UNDECIDED}};
    toc_closest closest;
    for (int k = 0; k < 4; k++) found.v[k] = batch->certified.pairs.vertices[pair][k];
    const double limit = toc_device_limit(&work->pairs.limits, found.v, toc_second_feature(kind));
    const look_at_near look = look_at_pair(batch, kind, found.v, limit, &closest);
    if (look == LOOK_FARTHER) return;
    found.done = look == LOOK_NEAR && work->decides;
    if (found.done) fill_near(&closest, limit, &found.hit);
    put_near_outcome(batch, &found);
}

TOC_DEVICE_KERNEL(near, toc_device_near_test) {
    const toc_device_batch *of = work->pairs.of;
    const uint32_t vf = of[0].counts->rest, count = vf + of[1].counts->rest;
    for (uint32_t i = thread; i < count; i += threads)
        if (i < vf)
            test_near(work, &of[0], TOC_VF, of[0].rest[i]);
        else
            test_near(work, &of[1], TOC_EE, of[1].rest[i - vf]);
}
