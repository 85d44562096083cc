// SPDX-License-Identifier: Apache-2.0
// A mesh in pieces: vertices are joined by their labels, which every piece must have.
//
// Vertices come in the order of these labels, elements in the order of theirs, or piece by piece where they have none.
// Copies of a vertex or an element must agree.
#ifndef TOC_IO_CORE_JOIN_H
#define TOC_IO_CORE_JOIN_H

#include "base/memory.h"
#include "toccata/mesh.h"

typedef struct toc_join_piece {
    toc_mesh *mesh;   // with labels; at rest
    const char *name; // for messages
} toc_join_piece;

/// A vertex or an element of a piece.
typedef struct toc_join_item {
    int64_t label;
    uint32_t piece, at;
} toc_join_item;

typedef struct toc_join {
    toc_allocator memory;
    const char *vertices, *elements, *label; // in the words of the format: "points", "cells", "global id"
    TOC_ARRAY(toc_join_piece) pieces;        // of the caller
    // Results:
    TOC_ARRAY(uint32_t) places; // by piece and vertex: the vertex of the joined mesh
    TOC_ARRAY(size_t) first;    // by piece: its first vertex among the places
    size_t failed;              // the piece of a failure, where the status is TOC_BAD_INPUT
    // Of the work:
    TOC_ARRAY(toc_join_item) items;
    TOC_ARRAY(int64_t) labels;
    bool has_element_labels;
} toc_join;

/// Join the pieces into an empty mesh, with their velocities if all pieces have them. One piece alone needs no labels.
toc_status toc_join_pieces(toc_join *join, toc_mesh *mesh);
/// Destroy the meshes of the pieces, and drop all but the places and their firsts.
void toc_join_drop(toc_join *join);
void toc_join_free(toc_join *join);

#endif
