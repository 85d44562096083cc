// SPDX-License-Identifier: Apache-2.0
// A sheet of triangles whose vertices move at random: a small mesh with as many contacts as wanted.
#ifndef BENCH_SUPPORT_SHEET_H
#define BENCH_SUPPORT_SHEET_H

#include "toccata/toccata.h"

/// A scene of one sheet of n by n squares of edge length 1, each of two triangles; every vertex moves by up to `far`
/// along each axis. The same for each call.
toc_scene *bench_random_sheet(uint32_t n, double far);

#endif
