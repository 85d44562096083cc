// SPDX-License-Identifier: Apache-2.0
// The primitives of a scene in hashed cells, renewed with every step: what moves anew, what rests once.
//
// A primitive rests when its vertices do (scene/motion.h). What rests long enough to be worth it stands in a table of
// its own until it moves: it is neither bounded nor hashed again, and the feature pairs that rest close together are
// known.
#ifndef TOC_SEARCH_SURFACE_GRID_H
#define TOC_SEARCH_SURFACE_GRID_H

#include "cull/surface/flat_rings.h"
#include "cull/surface/primitive_features.h"
#include "index/hash.h"
#include "scene/motion.h"
#include "search/resting_pairs.h"

typedef struct toc_surface_grid {
    toc_allocator allocator;
    uint64_t version; // of the step it is for
    toc_dop_kind kind;
    bool published;  // as Jung and Choi have it, else as we do
    toc_arena arena; // of the arrays
    toc_feature_set features;
    toc_primitives primitives;
    uint32_t (*corners)[3];     // of the primitives; vertices are repeated where one has fewer than three
    toc_representatives owners; // not as published, likewise below
    toc_flat_rings fans;
    uint8_t *flat; // by vertex: whether its fan is
    bool told;     // whether that was asked in the last step
    toc_motion motion;
    double thickness;
    float *vertex_dops, *primitive_dops; // swept
    bool has_ends;                       // where things move far: moving ones, too (bound/span.h)
    float *vertex_ends, *primitive_ends; // NULL until then
    uint32_t *stamps;                    // by primitive: that of `resting`, or 0
    uint32_t *list;                      // room for a list of primitives
    toc_hash_form form;                  // of the two tables
    toc_hash moving, resting;            //
    uint32_t stamp;                      // of the last table of what rests
    size_t rest_count;                   // primitives that are in it
    toc_resting_pairs resting_pairs;
    uint32_t skip; // the steps of culling these were found without
    bool is_new;   // the table of what rests: its pairs are yet to be found
} toc_surface_grid;

/// How to bound and to hash.
typedef struct toc_surface_grid_form {
    toc_dop_kind kind;
    double thickness; // what every point is grown by
    bool published;
    bool fans; // whether to tell which are flat
} toc_surface_grid_form;

/// How a renewal went.
typedef struct toc_surface_grid_update {
    double bound_seconds, hash_seconds;
    size_t bounded, hashed, items; // primitives bounded and hashed anew, and into how many cells
} toc_surface_grid_update;

/// Renew what *hashed holds for a step, making it where it is NULL or of another step's features. O(n).
/// On failure *hashed is NULL.
toc_status toc_surface_grid_fit(const toc_allocator *allocator, const toc_step *step, const toc_surface_grid_form *form,
                                int threads, toc_surface_grid **hashed, toc_surface_grid_update *how);
void toc_surface_grid_free(toc_surface_grid *hashed);

#endif
