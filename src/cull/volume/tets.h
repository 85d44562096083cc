// SPDX-License-Identifier: Apache-2.0
// An element as tets: of its lowest vertex and the faces that it is not on.
//
// Sides of four corners are split through their lowest vertex, here as in the features of a mesh (mesh/features.h), so
// the tets of elements that share a side fit together.
#ifndef TOC_CULL_VOLUME_TETS_H
#define TOC_CULL_VOLUME_TETS_H

#include <stdint.h>

struct toc_cell;

enum { TOC_CELL_TETS = 6 }; // of a hex

/// Four vertices, numbered through.
typedef struct toc_tet {
    uint32_t v[4];
} toc_tet;

/// @return how many tets a cell has: 1 to 6, and none where it is no volume. All of them have one vertex in common.
int toc_cell_tets(const struct toc_cell *cell, toc_tet tets[TOC_CELL_TETS]);

#endif
