// SPDX-License-Identifier: Apache-2.0
// Weights, points and normals of certified contacts, TOC_LANES at a time.
//
// The operations of toc_predicate_weights and toc_hit_place in their order: the bits are the same for any number of
// lanes, and those of the scalar functions. A lane in which one of these would take another branch than most (weights
// that rounding hides, edges without length, coordinates near the ends of the range of doubles) is left to them.
// About 70 ns a contact with four lanes.
#include "pair/place.h"
#include "pair/predicate.h"
#include "pair/wide_place.h"

/// As toc_predicate_weights.
static TOC_INLINE toc_mask wide_weights(toc_kind kind, const wide_corners *c, toc_wide time, toc_wide weights[4]) {
    const wide_question q = wide_question_of(kind, c);
    toc_wide t = time, error;
    const toc_wide width = time * toc_wide_all(0x1p-29), slope = wide_slope_around(&q, time, width, &error);
    const toc_wide least = toc_wide_abs(slope) - error;
    const toc_mask steep = least > toc_wide_all(0);
    for (int i = 0; i < 3; i++) {
        const toc_wide value = i < 2 ? wide_cubic_at(q.cubic, t) : wide_plane_value(&q, t, &error);
        t = toc_wide_min(toc_wide_max(t - value / slope, time), time + width);
    }
    const toc_wide value = wide_plane_value(&q, t, &error);
    const wide_shares shares = wide_shares_at(kind, c, &q, t, wide_slack((toc_wide_abs(value) + error) / least));
    const toc_mask inside = wide_shares_hit(kind, &shares);
    return q.sized & steep & inside & wide_shares_weigh(kind, &shares, TOC_WEIGHT_ERROR, weights);
}

static TOC_INLINE size_t place_in_lanes(const toc_place_work *work, toc_kind kind, uint32_t *left) {
    size_t left_count = 0;
    for (size_t first = 0; first < work->count; first += TOC_LANES) {
        uint32_t at[TOC_LANES];
        double times[TOC_LANES];
        const unsigned some = wide_work_block(work, first, at);
        for (unsigned i = 0; i < TOC_LANES; i++) times[i] = work->hits[first + (i < some ? i : some - 1)]->toc;
        const wide_corners c = wide_corners_load(&work->pairs, kind, at);
        const toc_wide time = toc_wide_load(times);
        wide_place place;
        place.known = wide_weights(kind, &c, time, place.weights);
        wide_place_from(kind, &c, time, &place);
        left_count += wide_place_keep(work, first, some, time, &place, left + left_count);
    }
    return left_count;
}

size_t TOC_FOR_LANES(toc_place_kernel)(const toc_place_work *work, uint32_t *left) {
    return work->pairs.kind == TOC_VF ? place_in_lanes(work, TOC_VF, left) : place_in_lanes(work, TOC_EE, left);
}
