// SPDX-License-Identifier: Apache-2.0
// Whether rings lie flat, TOC_LANES rings of one size at a time.
//
// Seen along d, a triangle of spokes a and b has the area d . (a x b) / 2, a quadratic in time: it is positive if its
// Bernstein coefficients d . (a0 x b0), d . (a0 x b1 + a1 x b0) / 2 and d . (a1 x b1) are. Let u = 2^-53 and M be the
// largest coordinate of a spoke. The errors are 4 u M for coordinates at a time between the ends, 20 u M^2 for a
// component of a cross product, 44 u M^2 for the sum of two, and at most 60 u M^2 |d|_1 for the product with d. The
// code takes 64 u. Any d is valid.
#include "cull/surface/flat_rings.h"

#include "base/wide3.h"

#define AREA_ERROR 0x1p-47
#define UNDERFLOW_ERROR 0x1p-1000
// For coordinates in this range, products of three neither overflow nor underflow below the error bound.
#define SMALLEST 0x1p-100
#define LARGEST 0x1p100

// The spokes of a ring at both ends of the time span.
typedef struct spokes {
    wide3 start[TOC_RING_MOST], end[TOC_RING_MOST];
    toc_wide reach;
} spokes;

static inline wide3 load_ring_vertex(const double *x, const uint32_t *const rings[TOC_LANES], int i) {
    const double *from[TOC_LANES];
    toc_wide p[3];
    for (int lane = 0; lane < TOC_LANES; lane++) from[lane] = x + 3 * (size_t)rings[lane][i];
    toc_wide_load3(from, p);
    return (wide3){p[0], p[1], p[2]};
}

static inline spokes load_spokes(const uint32_t *const rings[TOC_LANES], int size, const toc_ring_motion *motion) {
    spokes f;
    f.reach = toc_wide_all(0);
    const toc_wide until = toc_wide_all(motion->until), before = toc_wide_all(1 - motion->until);
    const wide3 middle0 = load_ring_vertex(motion->x0, rings, 0), middle1 = load_ring_vertex(motion->x1, rings, 0);
    for (int i = 0; i < size; i++) {
        f.start[i] = wide3_sub(load_ring_vertex(motion->x0, rings, 1 + i), middle0);
        const wide3 end = wide3_sub(load_ring_vertex(motion->x1, rings, 1 + i), middle1);
        f.end[i] = wide3_add(wide3_scale(f.start[i], before), wide3_scale(end, until));
        f.reach = toc_wide_max(f.reach, wide3_largest(wide3_max(wide3_abs(f.start[i]), wide3_abs(f.end[i]))));
    }
    return f;
}

// The direction of projection: the sum of all normals at both ends.
static inline wide3 direction(const spokes *f, int size) {
    wide3 d = {toc_wide_all(0), toc_wide_all(0), toc_wide_all(0)};
    for (int i = 0; i < size; i++) {
        const int j = i + 1 < size ? i + 1 : 0;
        d = wide3_add(d, wide3_add(wide3_cross(f->start[i], f->start[j]), wide3_cross(f->end[i], f->end[j])));
    }
    return d;
}

static inline toc_mask is_upright(const spokes *f, int size, wide3 d, toc_wide error) {
    toc_mask upright = error == error;
    for (int i = 0; i < size; i++) {
        const int j = i + 1 < size ? i + 1 : 0;
        const wide3 mixed = wide3_add(wide3_cross(f->start[i], f->end[j]), wide3_cross(f->end[i], f->start[j]));
        upright &= wide3_dot(d, wide3_cross(f->start[i], f->start[j])) > error;
        upright &= wide3_dot(d, mixed) > error;
        upright &= wide3_dot(d, wide3_cross(f->end[i], f->end[j])) > error;
    }
    return upright;
}

// Whether upright triangles go round once. All angles are positive and less than half a turn, so the spokes are first
// on the left of spoke 0, then on its right, and do not return to the left. One may be too close to its line to decide.
static inline toc_mask turns_once(const spokes *f, int size, wide3 d, toc_wide error) {
    toc_mask once = error == error, passed = ~once;
    for (int i = 2; i < size - 1; i++) {
        const toc_wide side = wide3_dot(d, wide3_cross(f->start[0], f->start[i]));
        const toc_mask left = side > error, right = side < -error;
        once &= right | ~passed;
        passed |= ~left;
    }
    return once;
}

void TOC_FOR_LANES(toc_flat_rings_kernel)(const uint32_t *rings, size_t count, int size, const toc_ring_motion *motion,
                                          uint8_t *flat) {
    for (size_t first = 0; first < count; first += TOC_LANES) {
        const uint32_t *ring[TOC_LANES];
        for (size_t i = 0; i < TOC_LANES; i++)
            ring[i] = rings + (size_t)(1 + size) * (first + i < count ? first + i : count - 1);
        const spokes f = load_spokes(ring, size, motion);
        const wide3 d = direction(&f, size), a = wide3_abs(d);
        const toc_wide error =
            f.reach * f.reach * (a.x + a.y + a.z) * toc_wide_all(AREA_ERROR) + toc_wide_all(UNDERFLOW_ERROR);
        const toc_mask fits = (f.reach >= toc_wide_all(SMALLEST)) & (f.reach <= toc_wide_all(LARGEST));
        const unsigned bits = toc_mask_bits(fits & is_upright(&f, size, d, error) & turns_once(&f, size, d, error));
        for (unsigned i = 0; i < TOC_LANES; i++) flat[ring[i][0]] = bits >> i & 1;
    }
}
