// SPDX-License-Identifier: Apache-2.0
// A sheet of triangles whose vertices move at random: a small mesh with as many contacts as wanted.
#ifndef BENCH_SUPPORT_SHEET_H
#define BENCH_SUPPORT_SHEET_H

#include "toccata/toccata.h"

/// A scene of one sheet of n by n squares of edge length 1, each of two triangles; every vertex moves by up to `far`
/// along each axis. The same for each call.
toc_scene *bench_random_sheet(uint32_t n, double far);

/// A degenerate sheet.
typedef struct bench_degenerate {
    int parts;      // motion is rounded to multiples of 1 / parts; 0 for none
    int dimensions; // 3; 2 for motion in one oblique plane, 1 on one line
} bench_degenerate;

/// The same, degenerate: features are parallel, collinear, in one plane or in one place.
toc_scene *bench_degenerate_sheet(uint32_t n, double far, bench_degenerate how);

#endif
