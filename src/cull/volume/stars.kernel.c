// SPDX-License-Identifier: Apache-2.0
// Whether tets keep their volume through a step: both ends of the step side by side in one register.
//
// Let a, b, c be the edges from one corner, linear in time. The volume det(a, b, c) is a cubic, and as long as its
// coefficients in the basis of Bernstein have one sign so has it. These are, times 1, 3, 3 and 1,
//     a0 (b0 x c0),  a1 (b0 x c0) + a0 (b0 x c1 + b1 x c0),  a0 (b1 x c1) + a1 (b0 x c1 + b1 x c0),  a1 (b1 x c1).
//
// Rounding, u = 2^-24, L the longest edge: coordinates are 1 at the most, so a component of an edge is off by 2u and L
// is below 3.5. The three edges move a volume by 11u L^2, and computing it adds 20u L^3, less than 70u L^2; the sums of
// three are off by three times that at the most. 128u and three times as much are taken.
#include "cull/volume/stars.h"
#include "base/lanes.h"
#include "base/simd.h"

#pragma GCC diagnostic ignored "-Wpsabi" // nothing of `both` leaves this file

// Three floats and one that does not count; the same twice, at the start and at the end.
typedef float both __attribute__((vector_size(32), aligned(4), may_alias));

#define SWAP(b) __builtin_shufflevector(b, b, 4, 5, 6, 7, 0, 1, 2, 3)
#define TURN(b) __builtin_shufflevector(b, b, 1, 2, 0, 3, 5, 6, 4, 7)

static TOC_INLINE both load(const toc_packed *at) { return *(const both *)at; }

static TOC_INLINE both cross(both a, both b) {
    const both c = a * TURN(b) - TURN(a) * b;
    return TURN(c);
}

// The sum of three, in the first lane of either half.
static TOC_INLINE both sum(both a) {
    return a + __builtin_shufflevector(a, a, 1, 1, 1, 1, 5, 5, 5, 5) +
           __builtin_shufflevector(a, a, 2, 2, 2, 2, 6, 6, 6, 6);
}

static TOC_INLINE float larger(float a, float b) { return a > b ? a : b; }

static TOC_INLINE float square_of(both edge) {
    const both square = sum(edge * edge);
    return larger(square[0], square[4]);
}

static TOC_INLINE bool has_volume(const toc_tet *tet, const toc_packed *packed) {
    const both at = load(&packed[tet->v[0]]), a = load(&packed[tet->v[1]]) - at, b = load(&packed[tet->v[2]]) - at,
               c = load(&packed[tet->v[3]]) - at;
    const both normal = cross(b, c), halves = cross(b, SWAP(c)), mixed = halves + SWAP(halves);
    const both ends = sum(a * normal), between = sum(a * mixed + SWAP(a) * normal);
    const float margin = 0x1p-17f * larger(square_of(a), larger(square_of(b), square_of(c)));
    const float sign = ends[0] > 0 ? 1 : -1;
    return sign * ends[0] > margin && sign * ends[4] > margin && sign * between[0] > 3 * margin &&
           sign * between[4] > 3 * margin;
}

void TOC_FOR_LANES(toc_stars_kernel)(const toc_tet *tets, size_t count, const toc_packed *packed, uint8_t *turns) {
    for (size_t i = 0; i < count; i++) turns[i] = !has_volume(&tets[i], packed);
}
