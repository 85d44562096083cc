// SPDX-License-Identifier: Apache-2.0
// Sums of the terms of pairs by vertex: the gradient, and the Hessian in compressed rows.
#ifndef TOC_POTENTIAL_ASSEMBLY_H
#define TOC_POTENTIAL_ASSEMBLY_H

#include "base/memory.h"
#include "base/threads.h"
#include "potential/terms.h"

/// A vertex that has no row: of a world.
#define TOC_NO_ROW UINT32_MAX

/// A pair and its addition.
typedef struct toc_pair_terms {
    uint32_t vertex[4]; // rows of vertices; TOC_NO_ROW for vertices that have none, or weight 0
    int squares;
    const double *square; // each: its scale, then three numbers for each vertex that has a row (toc_square)
    double energy, gradient[4][3];
} toc_pair_terms;

/// The pairs of a potential.
typedef struct toc_assembly {
    const toc_allocator *allocator; // of the work
    size_t vertex_count, pair_count;
    const toc_pair_terms *pairs;
    int threads;
    const toc_progress *progress;
} toc_assembly;

/// The pairs around each vertex, in their order: those of vertex v are at[first[v]] up to at[first[v + 1]].
typedef struct toc_pairs_around {
    size_t vertex_count, count;
    size_t *first;
    size_t *at; // four times the pair, plus the corner
} toc_pairs_around;

toc_status toc_pairs_around_make(const toc_assembly *assembly, toc_pairs_around *out);
void toc_pairs_around_free(const toc_allocator *allocator, toc_pairs_around *around);

/// Sum the gradients. @param gradient 3 doubles a vertex.
toc_status toc_assembly_gradient(const toc_assembly *assembly, const toc_pairs_around *around, double *gradient);

/// The blocks of a symmetric matrix, by vertex. Those of vertex v are those of columns[first[v]] up to
/// columns[first[v + 1]], ascending: vertices before it, itself if a pair has it, vertices after it.
typedef struct toc_block_rows {
    size_t vertex_count, count;
    size_t *first;
    uint32_t *before; // the number of vertices before it
    uint32_t *columns;
} toc_block_rows;

toc_status toc_block_rows_make(const toc_assembly *assembly, const toc_pairs_around *around, toc_block_rows *out);
void toc_block_rows_free(const toc_allocator *allocator, toc_block_rows *rows);

/// Sum the Hessians. @param rows 3 * vertex_count + 1, filled already; columns and values, zeroed, are filled here.
toc_status toc_assembly_hessian(const toc_assembly *assembly, const toc_pairs_around *around,
                                const toc_block_rows *blocks, const size_t *rows, uint32_t *columns, double *values);

#endif
