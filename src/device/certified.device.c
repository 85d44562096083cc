// SPDX-License-Identifier: Apache-2.0
// The certified test on a device, one pair a thread: the first axes and some rounds on the pairs that the prefilter
// left, then more rounds on those that stay. The rounds are those of the kernel, and so are the bits.
#define CERTIFIED_ROOM 1
#include "device/kernel.h"

#include "device/pairs.h"

__attribute__((unused)) static toc_certified_kernel TOC_FOR_LANES(toc_certified_kernel);
#include "pair/certified.kernel.c"

// The rounds of a pass and those before it. One pair in a thousand needs more: a round of one pair takes 7 us here, and
// less on the processor.
static TOC_INLINE int rounds_until(uint32_t pass) { return pass == 0 ? 1 : pass == 1 ? 3 : 12; }

static TOC_INLINE uint32_t waiting(const toc_device_batch *batch, uint32_t pass) {
    return pass == 0 ? batch->counts->rest : toc_device_least(batch->counts->live[pass - 1], batch->live_room);
}

// Neighbours go to different warps in later passes, which have few pairs of many rounds.
static TOC_INLINE uint32_t item_of_thread(uint32_t thread, uint32_t threads, uint32_t pass) {
    enum { WARP = 32 };
    return pass == 0 ? thread : thread % WARP * (threads / WARP) + thread / WARP;
}

// @return whether the pair stays live.
static TOC_INLINE bool run_rounds(const toc_certified_work *one, toc_kind kind, uint32_t pass, queue *live) {
    if (pass == 0) {
        try_first_axes(one, kind, live);
    } else {
        live->count = 0;
        queue_push(live, 0, one->times[0]);
        queue_pad(live);
    }
    for (int round = pass == 0 ? 0 : rounds_until(pass - 1); round < rounds_until(pass) && live->count > 0; round++)
        advance_queue(one, kind, live);
    return live->count > 0;
}

static TOC_INLINE void put_outcome(const toc_device_batch *batch, uint32_t pair, toc_verdict verdict, double time,
                                   bool tie) {
    const uint32_t at = toc_thread_append(&batch->counts->outcomes);
    if (at >= batch->outcome_room) return;
    toc_device_outcome *out = &batch->outcomes[at];
    out->pair = pair;
    for (int k = 0; k < 4; k++) out->v[k] = batch->certified.pairs.vertices[pair][k];
    out->tie = tie;
    out->done = false;
    out->hit.verdict = verdict;
    out->hit.toc = time;
}

static TOC_INLINE void put_live(const toc_device_batch *batch, uint32_t pass, uint32_t pair, double time) {
    uint32_t *count = pass == 0 ? &batch->counts->live[0] : &batch->counts->live[1];
    toc_device_live *to = pass == 0 ? batch->live[0] : batch->live[1];
    const uint32_t at = toc_thread_append(count);
    if (at < batch->live_room) to[at] = (toc_device_live){time, pair, 0};
}

static TOC_INLINE void certify(const toc_device_pairs *work, const toc_device_batch *batch, toc_kind kind,
                               uint32_t number) {
    const uint32_t pass = work->pass;
    const toc_device_live *from = pass == 1 ? batch->live[0] : batch->live[1];
    const uint32_t pair = pass == 0 ? batch->rest[number] : from[number].pair;
    toc_verdict verdict = TOC_APART;
    double time = pass == 0 ? batch->certified.from : from[number].time;
    bool tie = false;
    queue live;
    toc_certified_work one = batch->certified;
    one.pairs.vertices += pair;
    one.pairs.count = 1;
    one.verdicts = &verdict;
    one.times = &time;
    if (work->decides_ties) one.ties = &tie;
    if (work->limits.thickness)
        one.separation = toc_device_limit(&work->limits, one.pairs.vertices[0], kind == TOC_VF ? 1 : 2);
    const bool stays = run_rounds(&one, kind, pass, &live);
    if (stays && pass + 1 < TOC_DEVICE_PASSES)
        put_live(batch, pass, pair, live.time[0]);
    else if (stays)
        put_outcome(batch, pair, TOC_APART, live.time[0], false);
    else if (verdict != TOC_APART)
        put_outcome(batch, pair, verdict, time, tie);
}

TOC_DEVICE_KERNEL(certified, toc_device_pairs) {
    const uint32_t pass = work->pass, vf = waiting(&work->of[0], pass), count = vf + waiting(&work->of[1], pass);
    for (uint32_t i = item_of_thread(thread, threads, pass); i < count; i += threads)
        if (i < vf)
            certify(work, &work->of[0], TOC_VF, i);
        else
            certify(work, &work->of[1], TOC_EE, i - vf);
}
