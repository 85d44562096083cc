// SPDX-License-Identifier: Apache-2.0
// What each shape is made of: its edges and sides by corner number, in VTK's corner order.
#ifndef TOC_MESH_SHAPE_H
#define TOC_MESH_SHAPE_H

#include "toccata/mesh.h"

/// A side has three corners, or four; sides of volumes wind so that they are seen counter-clockwise from outside.
typedef struct toc_side {
    uint8_t corner_count;
    uint8_t corners[4];
    uint8_t mask; // bit i for corner i
} toc_side;

typedef struct toc_shape_info {
    const char *name;
    uint8_t corner_count, dimension, edge_count, side_count;
    uint8_t edges[12][2];
    toc_side sides[6]; // of a triangle or a quad: itself
} toc_shape_info;

/// By toc_shape.
extern const toc_shape_info toc_shape_infos[TOC_SHAPE_COUNT];

/// Most programs have the first triangle of a wedge seen counter-clockwise from inside, VTK from outside: corner i here
/// is corner toc_wedge_turn[i] there, and the other way round.
extern const uint8_t toc_wedge_turn[6];

/// The distinct ones of `count` ids, in the order they first appear. Returns how many.
int toc_ids_distinct(const uint32_t *ids, int count, uint32_t *distinct);

/// The distinct corners of a side of an element, in order; three of a collapsed quad are the triangle it became. None
/// of a quad that is folded onto its edges because opposite corners are one.
int toc_side_distinct(const toc_side *side, const uint32_t *corners, uint32_t distinct[4]);

/// Whether an element has a side that is more than an edge.
bool toc_shape_has_side(toc_shape shape, const uint32_t *corners);

/// What an element with repeated corners is: a volume with four distinct ones is a tet (as LS-DYNA writes it), facing
/// as the sides of the element do; anything else stays and loses its collapsed edges and sides only.
/// @param reduced receives the corners.
toc_shape toc_shape_reduce(toc_shape shape, const uint32_t *corners, uint32_t reduced[8]);

#endif
