// SPDX-License-Identifier: Apache-2.0
// The shapes of elements: their edges and sides by corner number, in VTK's corner order.
#ifndef TOC_MESH_SHAPE_H
#define TOC_MESH_SHAPE_H

#include "toccata/mesh.h"

/// A side of three or four corners. Sides of volumes are counter-clockwise seen from outside.
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

/// In most programs the first triangle of a wedge is counter-clockwise seen from inside, in VTK from outside: corner i
/// here is corner toc_wedge_turn[i] there, and vice versa.
extern const uint8_t toc_wedge_turn[6];

/// Write the distinct ones of `count` ids in the order of their first appearance. @return their number.
int toc_ids_distinct(const uint32_t *ids, int count, uint32_t *distinct);

/// Write the distinct corners of a side of an element, in order. A collapsed quad with three is a triangle. A quad with
/// equal opposite corners is folded onto its edges and has none. @return their number.
int toc_side_distinct(const toc_side *side, const uint32_t *corners, uint32_t distinct[4]);

/// Whether an element has a side that is more than an edge.
bool toc_shape_has_side(toc_shape shape, const uint32_t *corners);

/// Reduce an element with repeated corners: a volume with four distinct ones becomes a tet (as LS-DYNA writes it) with
/// the orientation of the element's sides. Other elements keep their shape and lose only collapsed edges and sides.
/// @param reduced receives the corners.
toc_shape toc_shape_reduce(toc_shape shape, const uint32_t *corners, uint32_t reduced[8]);

#endif
