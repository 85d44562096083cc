// SPDX-License-Identifier: Apache-2.0
// The places of several contacts at a time: the operations of toc_hit_place (locate.c) in their order.
#ifndef TOC_PAIR_WIDE_PLACE_H
#define TOC_PAIR_WIDE_PLACE_H

#include "pair/place.h"
#include "pair/wide_question.h"

typedef struct wide_place {
    toc_wide weights[4];
    wide3 point, normal;
    toc_mask known;
} wide_place;

/// As toc_weights_tidy. A quotient by 1 changes nothing.
static TOC_INLINE void wide_weights_tidy(int count, toc_wide *weights) {
    toc_wide sum = toc_wide_all(0);
    for (int i = 0; i < count; i++) sum += weights[i] = wide_clamp(weights[i]);
    for (int i = 0; i < count; i++) weights[i] /= sum;
}

/// As toc_vec_unit, where the square is safe.
static TOC_INLINE wide3 wide3_unit(wide3 a, toc_mask *safe) {
    const toc_wide square = wide3_dot(a, a);
    *safe &= (square > toc_wide_all(0x1p-960)) & (square < toc_wide_all(0x1p960));
    return wide3_scale(a, toc_wide_all(1) / toc_wide_sqrt(square));
}

/// The factor of motions, as in locate.c.
static TOC_INLINE toc_wide wide_motion_unit(const wide_corners *c) {
    toc_wide size = toc_wide_all(0);
    for (int i = 0; i < 4; i++) size = toc_wide_max(size, toc_wide_max(wide3_size(c->x0[i]), wide3_size(c->x1[i])));
    return toc_wide_select(size < toc_wide_all(0x1p-500), toc_wide_all(0x1p500), toc_wide_all(0.125));
}

/// The motion of the first feature relative to the second, at the place of the weights.
static TOC_INLINE wide3 wide_approach(toc_kind kind, const wide_corners *c, const toc_wide weights[4]) {
    const toc_wide zero = toc_wide_all(0), unit = wide_motion_unit(c);
    wide3 sum = {zero, zero, zero};
    for (int i = 0; i < 4; i++) {
        const wide3 motion = wide3_sub(wide3_scale(c->x1[i], unit), wide3_scale(c->x0[i], unit));
        sum = wide3_add(sum, wide3_scale(motion, i < (kind == TOC_VF ? 1 : 2) ? weights[i] : -weights[i]));
    }
    return sum;
}

/// As toc_hit_place.
static TOC_INLINE void wide_place_from(toc_kind kind, const wide_corners *c, toc_wide time, wide_place *out) {
    const int second = kind == TOC_VF ? 1 : 2;
    const toc_wide zero = toc_wide_all(0);
    wide3 p[4];
    wide_weights_tidy(second, out->weights);
    wide_weights_tidy(4 - second, out->weights + second);
    for (int i = 0; i < 4; i++) p[i] = wide3_mix(c->x0[i], c->x1[i], time);
    out->point = (wide3){zero, zero, zero};
    for (int i = second; i < 4; i++) out->point = wide3_add(out->point, wide3_scale(p[i], out->weights[i]));
    const wide3 d = kind == TOC_VF ? wide3_sub(p[2], p[1]) : wide3_sub(p[1], p[0]);
    const wide3 e = kind == TOC_VF ? wide3_sub(p[3], p[1]) : wide3_sub(p[3], p[2]);
    const wide3 n = wide3_unit(wide3_cross(wide3_unit(d, &out->known), wide3_unit(e, &out->known)), &out->known);
    const wide3 approach = wide_approach(kind, c, out->weights);
    const toc_wide against = wide3_dot(n, approach);
    const toc_mask along = against > zero;
    out->normal = wide3_select(along, wide3_scale(n, toc_wide_all(-1)), n);
}

/// Write a lane.
static TOC_INLINE void wide_place_store(const wide_place *place, toc_wide time, unsigned lane, toc_hit *hit) {
    hit->verdict = TOC_HIT;
    hit->toc = time[lane];
    for (int k = 0; k < 4; k++) hit->weights[k] = place->weights[k][lane];
    hit->point[0] = place->point.x[lane], hit->point[1] = place->point.y[lane], hit->point[2] = place->point.z[lane];
    hit->normal[0] = place->normal.x[lane], hit->normal[1] = place->normal.y[lane];
    hit->normal[2] = place->normal.z[lane];
}

/// The pairs of a block of lanes, the last one again where lanes are left. @return the number of different ones.
static TOC_INLINE unsigned wide_work_block(const toc_place_work *work, size_t first, uint32_t at[TOC_LANES]) {
    const unsigned some = work->count - first < TOC_LANES ? (unsigned)(work->count - first) : TOC_LANES;
    for (unsigned i = 0; i < TOC_LANES; i++) at[i] = work->at[first + (i < some ? i : some - 1)];
    return some;
}

/// Write the known places of a block, and list the other pairs in `left`. @return the number of those.
static TOC_INLINE size_t wide_place_keep(const toc_place_work *work, size_t first, unsigned some, toc_wide time,
                                         const wide_place *place, uint32_t *left) {
    const unsigned known = toc_mask_bits(place->known);
    size_t left_count = 0;
    for (unsigned i = 0; i < some; i++) {
        if (known >> i & 1)
            wide_place_store(place, time, i, work->hits[first + i]);
        else
            left[left_count++] = (uint32_t)(first + i);
    }
    return left_count;
}

#endif
