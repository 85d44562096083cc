// SPDX-License-Identifier: Apache-2.0
// Whether tets keep their volume throughout a step. Both ends of the step share one register.
//
// Let a, b, c be the edges from one corner, linear in time. The volume det(a, b, c) is a cubic in time; if its
// Bernstein coefficients all have one sign, so has the volume. The coefficients are, times 1, 3, 3 and 1,
//     a0 (b0 x c0),  a1 (b0 x c0) + a0 (b0 x c1 + b1 x c0),  a0 (b1 x c1) + a1 (b0 x c1 + b1 x c0),  a1 (b1 x c1).
//
// Rounding: let u = 2^-24 and L the longest edge. Coordinates are at most 1, so a component of an edge has an error of
// 2u, and L is below 3.5. The errors of the three edges change a volume by 11u L^2, and computing it adds 20u L^3, less
// than 70u L^2; the sums of three have at most three times that. The code takes 128u L^2, and three times as much.
#include "cull/volume/stars.h"
#include "base/simd.h"

#pragma GCC diagnostic ignored "-Wpsabi" // `both` is used in this file only

// Three floats and an unused one, at the start and at the end of the step.
typedef float both __attribute__((vector_size(32), aligned(4), may_alias));

#define SWAP(b) __builtin_shufflevector(b, b, 4, 5, 6, 7, 0, 1, 2, 3)
#define TURN(b) __builtin_shufflevector(b, b, 1, 2, 0, 3, 5, 6, 4, 7)

static TOC_INLINE both load_both_ends(const toc_packed *at) { return *(const both *)at; }

static TOC_INLINE both cross(both a, both b) {
    const both c = a * TURN(b) - TURN(a) * b;
    return TURN(c);
}

// The sum of the three floats, in the first lane of either half.
static TOC_INLINE both sum_of_three(both a) {
    return a + __builtin_shufflevector(a, a, 1, 1, 1, 1, 5, 5, 5, 5) +
           __builtin_shufflevector(a, a, 2, 2, 2, 2, 6, 6, 6, 6);
}

static TOC_INLINE float larger_square(float a, float b) { return a > b ? a : b; }

static TOC_INLINE float square_of(both edge) {
    const both square = sum_of_three(edge * edge);
    return larger_square(square[0], square[4]);
}

static TOC_INLINE bool has_volume(const toc_tet *tet, const toc_packed *packed) {
    const both at = load_both_ends(&packed[tet->v[0]]), a = load_both_ends(&packed[tet->v[1]]) - at,
               b = load_both_ends(&packed[tet->v[2]]) - at, c = load_both_ends(&packed[tet->v[3]]) - at;
    const both normal = cross(b, c), halves = cross(b, SWAP(c)), mixed = halves + SWAP(halves);
    const both ends = sum_of_three(a * normal), between = sum_of_three(a * mixed + SWAP(a) * normal);
    const float margin = 0x1p-17f * larger_square(square_of(a), larger_square(square_of(b), square_of(c)));
    const float sign = ends[0] > 0 ? 1 : -1;
    return sign * ends[0] > margin && sign * ends[4] > margin && sign * between[0] > 3 * margin &&
           sign * between[4] > 3 * margin;
}

void TOC_FOR_LANES(toc_stars_kernel)(const toc_tet *tets, size_t count, const toc_packed *packed, uint8_t *turns) {
    for (size_t i = 0; i < count; i++) turns[i] = !has_volume(&tets[i], packed);
}
