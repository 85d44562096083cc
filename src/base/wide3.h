// SPDX-License-Identifier: Apache-2.0
// Vectors of three coordinates, several at a time, for kernels.
#ifndef TOC_BASE_WIDE3_H
#define TOC_BASE_WIDE3_H

#include "base/simd.h"

typedef struct wide3 {
    toc_wide x, y, z;
} wide3;

static inline wide3 wide3_add(wide3 a, wide3 b) { return (wide3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline wide3 wide3_sub(wide3 a, wide3 b) { return (wide3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline wide3 wide3_scale(wide3 a, toc_wide s) { return (wide3){a.x * s, a.y * s, a.z * s}; }
static inline toc_wide wide3_dot(wide3 a, wide3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline wide3 wide3_cross(wide3 a, wide3 b) {
    return (wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline wide3 wide3_select(toc_mask mask, wide3 yes, wide3 no) {
    return (wide3){toc_wide_select(mask, yes.x, no.x), toc_wide_select(mask, yes.y, no.y),
                   toc_wide_select(mask, yes.z, no.z)};
}
static inline wide3 wide3_abs(wide3 a) { return (wide3){toc_wide_abs(a.x), toc_wide_abs(a.y), toc_wide_abs(a.z)}; }
static inline wide3 wide3_max(wide3 a, wide3 b) {
    return (wide3){toc_wide_max(a.x, b.x), toc_wide_max(a.y, b.y), toc_wide_max(a.z, b.z)};
}

/// Within [0, 1]; 0 for a NaN, which a division by a zero length leaves.
static inline toc_wide wide_clamp(toc_wide a) {
    const toc_wide zero = toc_wide_all(0), one = toc_wide_all(1);
    return toc_wide_min(toc_wide_max(a, zero), one);
}
static inline toc_wide wide3_largest(wide3 a) { return toc_wide_max(toc_wide_max(a.x, a.y), a.z); }
static inline toc_wide wide3_sum(wide3 a) { return a.x + a.y + a.z; }

#endif
