// SPDX-License-Identifier: Apache-2.0
// A scene of one machine, spread over ranks in many ways, and answers compared bit for bit.
#ifndef TEST_MPI_SPREAD_H
#define TEST_MPI_SPREAD_H

#include <mpi.h>
#include <stdio.h>

#include "support/test.h"
#include "toccata/mpi.h"

/// End all ranks with a message unless it holds.
#define check_that(condition)                                                                       \
    do {                                                                                            \
        if (!(condition)) {                                                                         \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, toc_message_get()); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                           \
        }                                                                                           \
    } while (0)
#define check_ok(expression) check_that((expression) == TOC_OK)

/// How elements are handed in.
typedef enum spread_kind {
    SPREAD_ONE,    ///< All on rank 0.
    SPREAD_SLICES, ///< Ranges of ids.
    SPREAD_DEALT,  ///< One after the other to the next rank.
    SPREAD_RANDOM, ///< Any rank.
    SPREAD_HALOS,  ///< Any rank, and copies on others.
    SPREAD_LAST,   ///< All on the last rank.
    SPREAD_COUNT
} spread_kind;

typedef struct spread_options {
    spread_kind kind;
    uint64_t seed;
    uint64_t first, stride; ///< The id of vertex or element i is first + stride * i.
} spread_options;

/// Hand in this rank's part of the bodies of a scene. Vertices are added in a random order.
void spread_scene(const toc_scene *from, MPI_Comm comm, const spread_options *options, toc_mpi_scene *to);
/// Hand in the motion of the bodies, with their accelerations. @param layout the scene as it was handed in, before
/// edits.
void spread_motion(const toc_scene *layout, const toc_scene *from, MPI_Comm comm, const spread_options *options,
                   toc_mpi_scene *to);
/// Remove an element on every rank that has it.
void spread_remove(const toc_scene *layout, MPI_Comm comm, const spread_options *options, uint32_t body,
                   uint32_t element, toc_mpi_scene *to);

/// The contacts of all ranks must be those of one machine, bit for bit; checked on rank 0. Other ranks may have NULL.
void check_same_contacts(toc_mpi_scene *scene, MPI_Comm comm, const toc_mpi_contacts *got, const toc_contacts *wanted,
                         const spread_options *options);

#endif
