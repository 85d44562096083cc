// SPDX-License-Identifier: Apache-2.0
// What each shape is made of: its edges and sides by corner number, in VTK's corner order.
#ifndef TOC_MESH_SHAPE_H
#define TOC_MESH_SHAPE_H

#include "toccata/mesh.h"

/// A side has three corners, or four; sides of volumes wind so that they are seen counter-clockwise from outside.
typedef struct toc_side {
    uint8_t corner_count;
    uint8_t corners[4];
} toc_side;

typedef struct toc_shape_info {
    const char *name;
    uint8_t corner_count, dimension, edge_count, side_count;
    uint8_t edges[12][2];
    toc_side sides[6]; // of a triangle or a quad: itself
} toc_shape_info;

/// By toc_shape.
extern const toc_shape_info toc_shape_infos[TOC_SHAPE_COUNT];

#endif
