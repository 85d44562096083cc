// SPDX-License-Identifier: Apache-2.0
// A square sheet folded over itself, whose upper half falls onto the lower one.
#ifndef BENCH_SUPPORT_FOLDED_H
#define BENCH_SUPPORT_FOLDED_H

#include "toccata/toccata.h"

/// Steps 17 to 19, from frame 17, 18 or 19 to the next one, have contacts; the others before have none.
enum { BENCH_FOLDED_FREE = 10, BENCH_FOLDED_DENSE = 17 };

/// How the halves lie upon each other.
typedef enum bench_folded_lay {
    BENCH_FOLDED_GENERIC, ///< The upper half is turned a little.
    BENCH_FOLDED_ALIGNED, ///< Upper vertices pass exactly over lower edges and vertices, in planes of constant x or y.
    BENCH_FOLDED_SHEARED, ///< Likewise in oblique planes: sheared without rounding.
    BENCH_FOLDED_TURNED   ///< Likewise but for rounding: aligned, then turned.
} bench_folded_lay;

/// The number of vertices of a sheet of n by n squares, each of two triangles.
size_t bench_folded_vertices(uint32_t n);
/// The sheet in its place at a frame.
void bench_folded_place(uint32_t n, bench_folded_lay lay, int frame, double *x);
toc_mesh *bench_folded_mesh(uint32_t n);

#endif
