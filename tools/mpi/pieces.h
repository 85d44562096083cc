// SPDX-License-Identifier: Apache-2.0
// Partitioned files, decomposed Exodus and .pvtu: each rank reads its share of the parts.
#ifndef TOOLS_MPI_PIECES_H
#define TOOLS_MPI_PIECES_H

#include "tools/mpi/team.h"

/// A part that this rank reads; its share of a .pvtu is one.
typedef struct piece {
    toc_sequence *frames;
    toc_mesh *mesh;
} piece;

/// A vertex of this rank: its id, and a part that has it.
typedef struct piece_vertex {
    uint64_t id;
    uint32_t piece, vertex;
} piece_vertex;

typedef struct pieces {
    size_t count; // of this rank
    piece *at;
    size_t frame_count;
    piece_vertex *vertices; // ascending, each once
    size_t vertex_count;
    uint64_t revision; // of all parts together, when they were handed in
    double start, end; // times of the frames of the step
    char *name;        // of the whole file
    bool is_vtk;       // a .pvtu
    // Numbers in the file that become the id 0. Elements of a .pvtu without numbers count from `first_element`.
    int64_t vertex_base, element_base;
    uint64_t first_element;
} pieces;

/// The ids of a vertex and of an element of a part: their numbers in the file less the base.
uint64_t pieces_vertex_id(const pieces *p, const toc_mesh *mesh, uint32_t vertex);
uint64_t pieces_element_id(const pieces *p, const toc_mesh *mesh, uint32_t element);

/// Whether the file is one part of a decomposed Exodus file, name.PARTS.PART, or all of them are .pvtu.
bool pieces_are(int count, char **paths);
/// Open the parts of this rank. Of an Exodus file: part r, r + ranks, and so on. Collective.
toc_status pieces_open(int count, char **paths, uint64_t memory, pieces *out);
/// Read a frame of all parts and hand it in; makes the scene. Collective.
toc_status pieces_advance(pieces *p, size_t frame, toc_mpi_scene **scene);
void pieces_close(pieces *p);

#endif
