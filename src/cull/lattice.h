// SPDX-License-Identifier: Apache-2.0
// The hexes around a vertex as cubes of a lattice, where they are arranged like some of the eight around a point.
#ifndef TOC_CULL_LATTICE_H
#define TOC_CULL_LATTICE_H

#include "cull/cells.h"

enum { TOC_LATTICE_MOST = 26 };

/// The other vertices of the hexes, and the places that they have from the middle: -1, 0 or 1 along each axis. Those
/// that are on an axis come first.
typedef struct toc_lattice {
    int count;
    uint32_t v[TOC_LATTICE_MOST]; // numbered through
    int8_t at[TOC_LATTICE_MOST][3];
} toc_lattice;

/// No two features of such cubes that share no vertex are closer than this, whichever way squares are split: two
/// diagonals across an edge, 1 / sqrt(3).
#define TOC_LATTICE_DISTANCE 0.577f

/// Whether cells around a vertex are hexes, one in each of some of the eight places. O(1).
bool toc_lattice_find(const toc_cells *cells, const toc_around *around, uint32_t middle, toc_lattice *out);

#endif
