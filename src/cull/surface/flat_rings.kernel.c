// SPDX-License-Identifier: Apache-2.0
// Whether fans lie flat, TOC_LANES fans of one size at a time.
//
// Seen along d, a triangle of spokes a and b has the area d . (a x b) / 2, a quadratic in time: it is positive while
// its Bernstein coefficients d . (a0 x b0), d . (a0 x b1 + a1 x b0) / 2 and d . (a1 x b1) are. With u = 2^-53 and M the
// largest coordinate of a spoke: coordinates at a time between the ends are off by 4 u M, a component of a cross
// product by 20 u M^2, the sum of two by 44 u M^2, and the product with d by 60 u M^2 |d|_1 at most. 64 u is above
// that. Any d is valid.
#include "cull/surface/flat_rings.h"

#include "base/lanes.h"
#include "base/wide3.h"

#define AREA_ERROR 0x1p-47
#define UNDERFLOW_ERROR 0x1p-1000
// Coordinates in between give products of three that neither overflow nor lose what counts to underflow.
#define SMALLEST 0x1p-100
#define LARGEST 0x1p100

// The spokes of a fan at both ends of what counts.
typedef struct fan {
    wide3 start[TOC_FAN_MOST], end[TOC_FAN_MOST];
    toc_wide reach;
} fan;

static inline wide3 load(const double *x, const uint32_t *const rings[TOC_LANES], int i) {
    const double *from[TOC_LANES];
    toc_wide p[3];
    for (int lane = 0; lane < TOC_LANES; lane++) from[lane] = x + 3 * (size_t)rings[lane][i];
    toc_wide_load3(from, p);
    return (wide3){p[0], p[1], p[2]};
}

static inline fan load_fan(const uint32_t *const rings[TOC_LANES], int size, const toc_ring_motion *motion) {
    fan f;
    f.reach = toc_wide_all(0);
    const toc_wide until = toc_wide_all(motion->until), before = toc_wide_all(1 - motion->until);
    const wide3 middle0 = load(motion->x0, rings, 0), middle1 = load(motion->x1, rings, 0);
    for (int i = 0; i < size; i++) {
        f.start[i] = wide3_sub(load(motion->x0, rings, 1 + i), middle0);
        const wide3 end = wide3_sub(load(motion->x1, rings, 1 + i), middle1);
        f.end[i] = wide3_add(wide3_scale(f.start[i], before), wide3_scale(end, until));
        f.reach = toc_wide_max(f.reach, wide3_largest(wide3_max(wide3_abs(f.start[i]), wide3_abs(f.end[i]))));
    }
    return f;
}

// A direction to look along: the sum of all normals at both ends.
static inline wide3 direction(const fan *f, int size) {
    wide3 d = {toc_wide_all(0), toc_wide_all(0), toc_wide_all(0)};
    for (int i = 0; i < size; i++) {
        const int j = i + 1 < size ? i + 1 : 0;
        d = wide3_add(d, wide3_add(wide3_cross(f->start[i], f->start[j]), wide3_cross(f->end[i], f->end[j])));
    }
    return d;
}

static inline toc_mask is_upright(const fan *f, int size, wide3 d, toc_wide error) {
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

// Whether upright triangles go round once: as angles are positive and less than half a turn, the spokes are on the left
// of the first one, then on its right, and do not come back to the left. One may be too close to its line to tell.
static inline toc_mask turns_once(const fan *f, int size, wide3 d, toc_wide error) {
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
        const fan f = load_fan(ring, size, motion);
        const wide3 d = direction(&f, size), a = wide3_abs(d);
        const toc_wide error =
            f.reach * f.reach * (a.x + a.y + a.z) * toc_wide_all(AREA_ERROR) + toc_wide_all(UNDERFLOW_ERROR);
        const toc_mask fits = (f.reach >= toc_wide_all(SMALLEST)) & (f.reach <= toc_wide_all(LARGEST));
        const unsigned bits = toc_mask_bits(fits & is_upright(&f, size, d, error) & turns_once(&f, size, d, error));
        for (unsigned i = 0; i < TOC_LANES; i++) flat[ring[i][0]] = bits >> i & 1;
    }
}
