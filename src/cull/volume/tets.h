// SPDX-License-Identifier: Apache-2.0
// Cuts an element into tets: the cones from its lowest vertex over the faces that do not contain it.
//
// Sides of four corners are split through their lowest vertex, here as in the features of a mesh (mesh/features.h), so
// the tets of elements that share a side fit together.
#ifndef TOC_CULL_VOLUME_TETS_H
#define TOC_CULL_VOLUME_TETS_H

#include <stdint.h>

struct toc_cell;

enum { TOC_CELL_TETS = 6 }; // of a hex

/// Four vertices, numbered through all bodies.
typedef struct toc_tet {
    uint32_t v[4];
} toc_tet;

/// Cut a cell into tets, which all have one vertex in common. @return their number: 1 to 6, or 0 if the cell is no
/// volume.
int toc_cell_tets(const struct toc_cell *cell, toc_tet tets[TOC_CELL_TETS]);

#endif
