// SPDX-License-Identifier: Apache-2.0
// The elements of all bodies side by side, as culling needs them: their corners, and who is around each feature.
#ifndef TOC_CULL_CELLS_H
#define TOC_CULL_CELLS_H

#include "bound/overlap.h"
#include "mesh/incidence.h"

enum { TOC_CELL_CORNERS = 8 };

/// An element. Vertices are numbered through all bodies; those of more than four corners, and the rest of four, are
/// padded with the first.
typedef struct toc_cell {
    uint32_t v[TOC_CELL_CORNERS];
    uint32_t body, element;
    uint32_t block;  // its first block (cull/csat.h)
    uint8_t corners; // distinct ones; 0 for an element that is gone
    uint8_t blocks;  // 1, or 2 for more than four corners
} toc_cell;

/// Where a body begins, and its incidence.
typedef struct toc_cell_body {
    uint32_t first_cell, first_vertex;
    toc_incidence incidence;
} toc_cell_body;

/// Cell first_cell + e is element e of a body.
typedef struct toc_cells {
    size_t count, body_count;
    toc_cell *at;
    toc_cell_body *bodies;
} toc_cells;

typedef int32_t toc_id_lanes __attribute__((vector_size(16), aligned(4), may_alias));

/// Whether two cells share a vertex; a cell does with itself.
static inline bool toc_cells_adjacent(const toc_cell *a, const toc_cell *b) {
    toc_slab_mask shared = {0};
    for (int i = 0; i < a->blocks; i++) {
        const toc_id_lanes ids = *(const toc_id_lanes *)(a->v + 4 * i);
        for (int j = 0; j < 4 * b->blocks; j++) shared |= ids == (int32_t)b->v[j];
    }
    return toc_slabs_any(shared);
}

/// The cells around a feature.
typedef struct toc_around {
    const uint32_t *elements;
    size_t count;
    uint32_t first_cell;
} toc_around;

static inline toc_around toc_around_of(const toc_cell_body *body, const toc_bag *bag, uint32_t feature) {
    toc_around around = {.first_cell = body->first_cell};
    around.elements = toc_bag_items(bag, feature, &around.count);
    return around;
}

#endif
