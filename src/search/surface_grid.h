// SPDX-License-Identifier: Apache-2.0
// The surface grid: the primitives of a scene in hashed cells, kept from step to step.
//
// Moving primitives are hashed again in every step. Primitives that rest long enough stand in a table of their own
// until they move: they are neither bounded nor hashed again, and their resting pairs are kept.
#ifndef TOC_SEARCH_SURFACE_GRID_H
#define TOC_SEARCH_SURFACE_GRID_H

#include "cull/surface/flat_rings.h"
#include "cull/surface/primitive_features.h"
#include "index/hash.h"
#include "index/index.h"
#include "scene/motion.h"
#include "search/resting_pairs.h"

struct toc_pipeline;

typedef struct toc_surface_grid {
    toc_index index;  // the first field
    uint64_t version; // of the features of the step
    toc_dop_kind kind;
    bool published;  // as Jung and Choi have it
    bool bare;       // boxes alone, no DOPs
    toc_arena arena; // of the arrays
    toc_feature_set features;
    toc_primitives primitives;
    uint32_t (*corners)[3];              // by primitive, as in toc_surface_view
    toc_representatives representatives; // not as published, likewise below
    toc_flat_rings rings;
    uint8_t *flat;    // by vertex: true if its ring is flat
    bool rings_known; // whether the rings were tested in the last step
    toc_motion motion;
    double thickness;
    float *boxes;                        // by primitive, swept (toc_packed_boxes); NULL unless bare
    float *vertex_dops, *primitive_dops; // swept; NULL if bare
    bool moving_dops;                    // whether moving DOPs are compared (bound/moving.h)
    toc_dop_axes axes;                   // of these
    uint32_t *stamps;                    // by primitive: that of `resting`, or 0
    uint32_t *list;                      // room for a list of primitives
    toc_hash_form form;                  // of the two tables
    toc_hash moving, resting;            //
    uint32_t stamp;                      // of the last table of resting primitives
    size_t rest_count;                   // primitives in it
    toc_resting_pairs resting_pairs;
    bool crowded;   // they are too many: none is kept
    uint32_t skip;  // the stages that were left out when these were found
    bool unsettled; // the table of resting primitives is new: its pairs are yet to be found
} toc_surface_grid;

/// How to bound and to hash.
typedef struct toc_surface_grid_form {
    toc_dop_kind kind;
    double thickness; // added around every point
    bool published;
    bool bare;  // no DOPs of features are compared; not with `published`
    bool rings; // whether to test which rings are flat
} toc_surface_grid_form;

/// Fit the grid in the slot of a pipeline to its step; make one where it is empty or has other features. O(n). On
/// failure the slot is empty. Rows of the report: `bound` counts the primitives and those that did not rest, `hash` the
/// primitives hashed and the cells they went into.
toc_status toc_surface_grid_fit(struct toc_pipeline *pipeline, const toc_surface_grid_form *form);
extern const toc_index_type toc_surface_grid_type;
void toc_surface_grid_free(toc_surface_grid *grid);

#endif
