// SPDX-License-Identifier: Apache-2.0
// The elements of a scene with their tree and their O-Sets, kept from step to step.
#ifndef TOC_QUERY_VOLUME_H
#define TOC_QUERY_VOLUME_H

#include "broad/hash.h"
#include "cull/csat.h"
#include "cull/osets.h"
#include "query/scene.h"

typedef struct toc_volume {
    toc_allocator allocator;
    uint64_t version; // of the step it is for
    toc_arena arena;  // of the arrays
    toc_dop_kind kind;
    toc_cells cells;
    toc_oset *osets; // by body; empty before they are first needed
    bool has_osets;
    size_t live_count;
    uint32_t *live; // the cells in the tree: those with features that are asked about
    float *vertex_dops, *end_dops, *cell_dops;
    toc_bvh bvh;          // one of the two
    toc_hash hash;        // its primitives are leaves
    uint32_t *leaf_cells; // by leaf
    toc_leaves leaves;
    toc_csat csat;
} toc_volume;

/// How to bound what moves.
typedef struct toc_volume_form {
    toc_dop_kind kind;
    double separation; // what is closer than this counts as touching
    bool osets, hashes;
} toc_volume_form;

/// How an update went.
typedef struct toc_volume_update {
    double bound_seconds, build_seconds;
    size_t rebuilt; // leaves below nodes that were built anew; all of them for a new tree
} toc_volume_update;

/// Fit the scene's volume to its step, making one where there is none or the features are others. On failure the scene
/// has none.
toc_status toc_volume_fit(toc_scene *scene, const toc_volume_form *form, int threads, toc_volume_update *how);
void toc_volume_free(toc_volume *volume);

#endif
