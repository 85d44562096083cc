// SPDX-License-Identifier: Apache-2.0
// A body of the check and its file. Rank 0 reads a single file as a whole and deals it; of a file in pieces, a .pvtu or
// a decomposed Exodus file, each rank reads its share.
#ifndef TOOLS_MPI_FILE_H
#define TOOLS_MPI_FILE_H

#include "tools/mpi/deal.h"
#include "tools/mpi/numbers.h"

typedef struct rank_file {
    toc_sequence *frames; // on rank 0; of a file in pieces on every rank
    toc_mesh *mesh;       // likewise: the whole mesh, or the share of this rank
    bool is_shared;       // a file in pieces
    size_t frame_count;
    char *name;     // of the first frame
    deal dealt;     // of a single file
    uint32_t body;  // in the scene
    uint64_t known; // revision of the mesh when it was handed in
    // Of a share: ids of vertices and elements, which are the numbers that one machine gives them.
    uint64_t *vertex_ids, *element_ids;
    uint64_t *element_hashes; // of the corners in the first frame
    size_t vertex_count, element_count;
    uint64_t compared; // revision of the mesh that was found to have elements of the first frame alone
} rank_file;

/// The frames that a user wants of a file.
typedef struct rank_file_wish {
    size_t count;
    const char *const *paths;
    uint64_t memory;
    const char *clip; // NULL for the first
    double rate;      // 0 for the default
} rank_file_wish;

/// Open the file; collective.
toc_status file_open(const rank_file_wish *wish, rank_file *out);
/// Read the first frame. Collective.
/// @param velocities whether these are wanted, too.
toc_status file_read_first(rank_file *f, bool velocities);
void file_close(rank_file *f);

/// Whether the share of this rank has elements and vertices of the first frame alone, and can go on by itself. Elements
/// may be gone.
bool file_can_go_on(rank_file *f);
/// Let rank 0 read a file in pieces as a whole, from the first frame on to another. Frames have new elements, or their
/// pieces have others than before, so that a share does not know the motion of its vertices. Collective.
toc_status file_read_whole(rank_file *f, const rank_file_wish *wish, bool velocities, size_t frame);

/// Whether the scene has the elements of the mesh as they are now; on this rank.
bool file_is_handed_in(const rank_file *f);
/// Add the mesh as the next body of a new scene. Collective.
toc_status file_add(rank_file *f, toc_mpi_scene *scene);
/// Hand in the motion of the mesh. Collective.
toc_status file_move(rank_file *f, toc_mpi_scene *scene);

/// The ids of a vertex and of an element of the mesh.
static inline uint64_t file_vertex_id(const rank_file *f, uint32_t v) { return f->is_shared ? f->vertex_ids[v] : v; }
static inline uint64_t file_element_id(const rank_file *f, uint32_t e) { return f->is_shared ? f->element_ids[e] : e; }
/// Their numbers in the file, else their ids.
int64_t file_vertex_label(const rank_file *f, uint32_t v);
int64_t file_element_label(const rank_file *f, uint32_t e);

#endif
