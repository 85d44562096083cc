// SPDX-License-Identifier: Apache-2.0
// A square sheet folded over itself, whose upper half falls onto the lower one.
#ifndef BENCH_SUPPORT_FOLDED_H
#define BENCH_SUPPORT_FOLDED_H

#include <stdbool.h>

#include "toccata/toccata.h"

/// Steps 17 to 19, from frame 17, 18 or 19 to the next one, have contacts; the others before have none.
enum { BENCH_FOLDED_FREE = 10, BENCH_FOLDED_DENSE = 17 };

/// The number of vertices of a sheet of n by n squares, each of two triangles.
size_t bench_folded_vertices(uint32_t n);
/// The sheet in its place at a frame. Aligned: upper vertices pass exactly over lower edges and vertices.
void bench_folded_place(uint32_t n, bool aligned, int frame, double *x);
toc_mesh *bench_folded_mesh(uint32_t n);

#endif
