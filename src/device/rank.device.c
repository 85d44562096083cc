// SPDX-License-Identifier: Apache-2.0
// An entry for each outcome that is done, to sort the contacts by.
#include "device/kernel.h"

#include "device/answer.h"

// 128 bits of ids, the first ones highest.
typedef struct rank {
    uint64_t high, low;
} rank;

static TOC_INLINE rank rank_append(rank r, uint32_t id, uint32_t bits) {
    if (bits == 0) return r;
    return (rank){r.high << bits | r.low >> (64 - bits), r.low << bits | id};
}

static TOC_INLINE rank rank_ids(const toc_device_answer *work, uint32_t kind, const uint32_t v[4]) {
    rank r = {0, kind};
    for (uint32_t second = 0; second < 2; second++) {
        const uint32_t vertex = v[second ? 1 + kind : 0];
        r = rank_append(r, toc_device_body(work->body_first, work->body_count, vertex), work->body_bits);
    }
    for (int k = 0; k < 4; k++) r = rank_append(r, v[k], work->vertex_bits);
    return r;
}

TOC_DEVICE_KERNEL(rank, toc_device_answer) {
    const uint32_t vf = work->outcome_count[0], count = vf + work->outcome_count[1];
    for (uint32_t i = thread; i < count; i += threads) {
        const uint32_t kind = i >= vf, number = kind ? i - vf : i;
        const toc_device_outcome *outcome = &work->outcomes[kind][number];
        if (!outcome->done) continue;
        const rank r = rank_ids(work, kind, outcome->v);
        work->entries[toc_thread_append(work->entry_count)] =
            (toc_device_entry){r.high, r.low, kind << TOC_DEVICE_KIND_SHIFT | number, 0};
    }
}
