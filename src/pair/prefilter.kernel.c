// SPDX-License-Identifier: Apache-2.0
// The prefilter in single precision, 2 TOC_LANES pairs at a time, on the packed vertices of prefilter.c.
//
// Pairs that it drops are apart by more than the tolerance and the separation, for any input; the others are left to
// the certified test. Half the memory and twice the lanes of the first axes in certified.kernel.c: 5 to 10 ns a pair.
#define TOC_SINGLE
#include "pair/prefilter.h"
#include "pair/axes.h"

// The error that underflow can add to a gap: products below 2^-126 are off by 2^-150 each.
#define UNDERFLOW_ERROR 0x1p-120f
// With u = 2^-24 and positions of at most 1 (prefilter.c): a packed coordinate is off by u / 2, so a difference of two
// up to R is off by u + u R, and by 3 u R more when mixed to a time between the ends. A dot product with n is then off
// by (u + 4 u R) |n| and 3 u R |n|, the difference of two of them by 2 u + 14 u R and 2 u R of rounding, all times the
// sum |n| of n's coordinates: 2 u + 16 u R. The bound and the comparison cost 4 u of themselves. 3 u + 20 u R is above.
#define CONSTANT_ERROR 0x3p-24f
#define RELATIVE_ERROR 0x14p-24f

static TOC_INLINE void load_packed_corner(const toc_prefilter_work *work, toc_kind kind, int k,
                                          const uint32_t (*vertices)[4], wide3 *start, wide3 *end) {
    const toc_packed *body = work->bodies[k > (kind == TOC_VF ? 0 : 1)];
    const float *from[TOC_WIDTH];
    for (int i = 0; i < TOC_WIDTH; i++) from[i] = body[vertices[i][k]].x0;
    toc_wide x[6];
    toc_wide_load6(from, x);
    *start = (wide3){x[0], x[1], x[2]};
    *end = (wide3){x[3], x[4], x[5]};
}

static TOC_INLINE ends load_ends(const toc_prefilter_work *work, toc_kind kind, const uint32_t (*vertices)[4]) {
    wide3 origin0, origin1;
    ends e;
    load_packed_corner(work, kind, 0, vertices, &origin0, &origin1);
    load_packed_corner(work, kind, 1, vertices, &e.start[0], &e.end[0]);
    load_packed_corner(work, kind, 2, vertices, &e.start[1], &e.end[1]);
    load_packed_corner(work, kind, 3, vertices, &e.start[2], &e.end[2]);
    for (int k = 0; k < 3; k++) {
        e.start[k] = wide3_sub(e.start[k], origin0);
        e.end[k] = wide3_sub(e.end[k], origin1);
    }
    return e;
}

static TOC_INLINE wide3 blur_of(const toc_prefilter_work *work, const ends *e) {
    wide3 reach = wide3_abs(e->start[0]);
    for (int k = 1; k < 6; k++) reach = wide3_max(reach, wide3_abs(k < 3 ? e->start[k] : e->end[k - 3]));
    const toc_wide need = toc_wide_all(work->distance + CONSTANT_ERROR), part = toc_wide_all(RELATIVE_ERROR);
    return (wide3){reach.x * part + need, reach.y * part + need, reach.z * part + need};
}

/// For most pairs the gap on the first axis exceeds the largest possible error bound. The answer must not depend on the
/// other lanes, so this bound exceeds theirs by more than rounding.
static TOC_INLINE bool all_clear(const toc_prefilter_work *work, const wide_axis *a) {
    const toc_wide most = toc_wide_all((work->distance + CONSTANT_ERROR + 2 * RELATIVE_ERROR) * 1.0001f);
    const toc_wide need = wide3_sum(wide3_abs(a->n)) * most + toc_wide_all(2 * UNDERFLOW_ERROR);
    return toc_mask_bits(a->gap > need) == AXES_ALL;
}

static TOC_INLINE unsigned look(const toc_prefilter_work *work, toc_kind kind, const uint32_t (*vertices)[4]) {
    ends e = load_ends(work, kind, vertices);
    if (work->from > 0 || work->to < 1) {
        const wide3 blur = blur_of(work, &e);
        ends_cut(&e, work->from, work->to);
        return axes_separate(kind, &e, axes_first(kind, &e), blur, UNDERFLOW_ERROR);
    }
    const wide_axis a = axes_first(kind, &e);
    return all_clear(work, &a) ? AXES_ALL : axes_separate(kind, &e, a, blur_of(work, &e), UNDERFLOW_ERROR);
}

static TOC_INLINE size_t look_at_all(const toc_prefilter_work *work, toc_kind kind, uint32_t *rest) {
    size_t count = 0;
    for (size_t first = 0; first < work->count; first += TOC_WIDTH) {
        const size_t some = work->count - first;
        uint32_t last[TOC_WIDTH][4];
        for (size_t i = 0; some < TOC_WIDTH && i < TOC_WIDTH; i++)
            memcpy(last[i], work->vertices[first + (i < some ? i : some - 1)], sizeof last[i]);
        const bool whole = some >= TOC_WIDTH;
        unsigned left = ~look(work, kind, whole ? work->vertices + first : (const uint32_t(*)[4])last);
        for (left &= (2u << ((whole ? TOC_WIDTH : some) - 1)) - 1; left; left &= left - 1)
            rest[count++] = (uint32_t)first + (uint32_t)__builtin_ctz(left);
    }
    return count;
}

size_t TOC_FOR_LANES(toc_prefilter_kernel)(const toc_prefilter_work *work, uint32_t *rest) {
    return work->kind == TOC_VF ? look_at_all(work, TOC_VF, rest) : look_at_all(work, TOC_EE, rest);
}
