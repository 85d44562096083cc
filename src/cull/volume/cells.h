// SPDX-License-Identifier: Apache-2.0
// Cells: the elements of all bodies as culling needs them, with their corners and the cells around each feature.
#ifndef TOC_CULL_VOLUME_CELLS_H
#define TOC_CULL_VOLUME_CELLS_H

#include <assert.h>

#include "bound/overlap.h"
#include "mesh/incidence.h"

enum { TOC_CELL_CORNERS = 8 };

enum {
    TOC_FIRST_POINT = 0,
    TOC_FIRST_EDGE = 8,
    TOC_FIRST_FACE = 26
}; // bits: the corners, then the lists of toc_incidence in order

/// An element. Vertices are numbered through all bodies; unused places repeat the first vertex.
typedef struct toc_cell {
    uint32_t v[TOC_CELL_CORNERS];
    uint32_t body, element;
    uint32_t leaf;   // its leaf in the element tree; UINT32_MAX for none
    uint32_t piece;  // cells of different pieces are not connected, not even through other cells
    uint64_t first;  // bits: the features of which it is the first cell, from TOC_FIRST_POINT, _EDGE and _FACE on
    uint8_t corners; // distinct ones; 0 for a removed element
    uint8_t shape;   // toc_shape; TOC_REMOVED if a corner is used twice
    uint8_t fours;   // groups of four vertices: 1, or 2 for more than four corners
} toc_cell;

/// Two cells, by their numbers in toc_cells.
typedef struct toc_cell_pair {
    uint32_t a, b;
} toc_cell_pair;
typedef TOC_ARRAY(toc_cell_pair) toc_cell_pairs;

/// The first cell and vertex of a body, and its incidence.
typedef struct toc_cell_body {
    uint32_t first_cell, first_vertex;
    bool joined; // edits may have connected any of its pieces
    toc_incidence incidence;
} toc_cell_body;

/// Cell first_cell + e is element e of a body; there may be unused cells between bodies.
typedef struct toc_cells {
    size_t count, body_count;
    toc_cell *at;
    toc_cell_body *bodies;
} toc_cells;

typedef int32_t toc_id_lanes __attribute__((vector_size(16), aligned(4), may_alias));

/// Whether 4 * a_fours ids and 4 * b_fours other ids have one in common.
static TOC_INLINE bool toc_ids_share(const uint32_t *a, int a_fours, const uint32_t *b, int b_fours) {
    toc_slab_mask shared = {0};
    for (int i = 0; i < a_fours; i++) {
        const toc_id_lanes ids = *(const toc_id_lanes *)(a + 4 * i);
        for (int j = 0; j < 4 * b_fours; j++) shared |= ids == (int32_t)b[j];
    }
    return toc_slabs_any(shared);
}

/// Whether two cells share a vertex. A cell is adjacent to itself.
static inline bool toc_cells_adjacent(const toc_cell *a, const toc_cell *b) {
    return toc_ids_share(a->v, a->fours, b->v, b->fours);
}

/// Set the corners of a cell to those of its element. The cell of a removed element keeps its vertices and has no
/// corners.
void toc_cell_set(const toc_mesh *mesh, uint32_t first_vertex, toc_cell *cell);
/// Find `piece` and `first` of cells whose other members are set. O(n).
toc_status toc_cells_join(const toc_allocator *allocator, toc_cells *cells);
/// Bring the cells of a body up to date after edits that its incidence has followed; there must be room for new cells.
/// O(the changes and their neighbours).
void toc_cells_follow(toc_cells *cells, const toc_mesh *mesh, uint32_t body, const toc_changes *changes);

/// Whether two cells may be connected through other cells.
static inline bool toc_cells_connected(const toc_cells *cells, const toc_cell *a, const toc_cell *b) {
    return a->piece == b->piece || (a->body == b->body && cells->bodies[a->body].joined);
}

/// The cells around a feature.
typedef struct toc_around {
    const uint32_t *elements;
    size_t count;
    uint32_t first_cell;
} toc_around;

static inline toc_around toc_around_of(const toc_cell_body *body, const toc_adjacency *adjacency, uint32_t feature) {
    assert(feature < adjacency->runs.count);
    toc_around around = {.first_cell = body->first_cell};
    around.elements = toc_adjacency_items(adjacency, feature, &around.count);
    return around;
}

#endif
