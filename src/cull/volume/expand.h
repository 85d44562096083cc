// SPDX-License-Identifier: Apache-2.0
// From pairs of elements to the pairs of features that belong to them and whose swept DOPs overlap.
#ifndef TOC_CULL_VOLUME_EXPAND_H
#define TOC_CULL_VOLUME_EXPAND_H

#include "bound/dop.h"
#include "cull/shared.h"
#include "cull/volume/feature_csat.h"
#include "cull/volume/orphan_pairs.h"
#include "toccata/scene.h"

enum {
    TOC_CELL_EDGES = 18, // of a hex, with the diagonals
    TOC_CELL_FACES = 12,
    TOC_CELL_PAIRS = TOC_CELL_EDGES * TOC_CELL_EDGES // most pairs of one kind of two cells
};

/// Two features of one body: a vertex and a face, or two edges with the lower one first.
typedef struct toc_orphan {
    uint32_t a, b;
} toc_orphan;

/// The input of an expansion: the cells of a step, their bounds, and the wanted features.
typedef struct toc_expander {
    const toc_cells *cells;
    const toc_dop_kind *kind;
    const float *vertex_dops; // swept
    bool surface_only;
    bool inside_only;             // skip pairs with both features on the boundary
    uint32_t skip;                // as in toc_query
    const toc_feature_csat *axes; // drop vertices and edges that an axis separates from the other cell; NULL for none
} toc_expander;

/// Features of one kind of a cell: their vertices, numbered through all bodies, and their ids in the body; the DOPs of
/// those that overlap the other cell.
typedef struct toc_parts {
    int count, near_count;
    uint64_t first;               // bit i: the cell is the first one around feature i
    uint8_t near[TOC_CELL_EDGES]; // the features that overlap the other cell
    uint32_t v[TOC_CELL_EDGES][3], id[TOC_CELL_EDGES];
    uint8_t corner[TOC_CELL_EDGES][3]; // of the cell: its vertices
    float dops[TOC_CELL_EDGES * TOC_DOP_FLOATS_MOST];
} toc_parts;

typedef struct toc_cell_parts {
    uint32_t cell; // UINT32_MAX for none
    toc_parts points, edges, faces;
    float dop[TOC_DOP_FLOATS_MOST]; // of the cell
} toc_cell_parts;

/// Numbers of feature pairs: without a common vertex, with overlapping DOPs, written.
typedef struct toc_expand_counts {
    uint64_t in, overlapping, out;
} toc_expand_counts;

/// The state of one thread. Pairs of edges have the lower edge first.
typedef struct toc_expansion {
    const toc_expander *expander;
    toc_cell_parts parts[2];
    toc_expand_counts counts[2]; // by toc_kind, likewise below
    enum {
        TOC_EXPAND_ASSIGNED, // keep the pairs that are assigned to the present cells
        TOC_EXPAND_FIRST,    // all pairs are assigned to the present cells: keep all
        TOC_EXPAND_INNER     // keep the orphans of one cell
    } rule;
    uint64_t cells_left; // pairs of cells with features left, where axes are tried
    size_t pair_count[2], room;
    toc_feature_pair *pairs[2];
} toc_expansion;

/// Make an empty expansion. The arena holds the pairs.
/// @param room for pairs of each kind; more than TOC_CELL_PAIRS.
toc_status toc_expansion_make(toc_arena *arena, const toc_expander *expander, size_t room, toc_expansion *out);
/// The DOPs of the vertices change: list the features of the next cells again.
void toc_expansion_forget(toc_expansion *expansion);

/// Add the feature pairs of two cells, or of one cell given twice, that share no vertex and overlap. There must be room
/// for TOC_CELL_PAIRS of each kind.
void toc_expand_cells(toc_expansion *expansion, uint32_t a, uint32_t b);
/// Add the orphans whose features a cell, and no lower one, both has, if their DOPs overlap. The same room is needed.
void toc_expand_inner(toc_expansion *expansion, uint32_t cell);
/// Add an orphan of a body, if its DOPs overlap. @return whether they do.
bool toc_expand_orphan(toc_expansion *expansion, uint32_t body, toc_kind kind, toc_orphan orphan);

#endif
