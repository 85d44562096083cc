// SPDX-License-Identifier: Apache-2.0
// The surface tree: a k-DOP tree over the primitives of a scene, kept from step to step.
//
// The tree is refitted to the motion and rebuilt where it decayed. Each connected component of a body has its own
// subtree, which stays good while components pass each other; components smaller than a block share one. Resting
// primitives are not refitted. docs/decisions/0019-connected-parts.md
#ifndef TOC_SEARCH_SURFACE_TREE_H
#define TOC_SEARCH_SURFACE_TREE_H

#include "cull/surface/features.h"
#include "cull/surface/flat_rings.h"
#include "cull/surface/triangle_axes.h"
#include "index/index.h"
#include "scene/motion.h"
#include "search/resting_pairs.h"

struct toc_pipeline;

/// How to bound the motion.
typedef struct toc_surface_tree_form {
    toc_dop_kind kind;
    double thickness;         // added around every point
    uint32_t lower;           // leaves of the largest nodes of the lower layer; 0 for no such layer
    double lower_from;        // sweep ratio from which the lower layer is used (sweep_ratio.h)
    const toc_window *window; // times for which the lower layer is searched
    double until;             // the part of the step that is bounded; below 1 there is no lower layer
    bool rings;               // whether to test which rings are flat
    bool bare;                // whether features need no DOPs
    bool settles;             // whether resting pairs may be left to toc_surface_tree_settle
    bool has_region;          // whether primitives that do not meet `region` are hidden
    toc_box region;           // of toc_scene_set_region
} toc_surface_tree_form;

typedef struct toc_surface_tree {
    toc_index index;  // the first field
    uint64_t version; // of the features of the step
    toc_dop_kind kind;
    toc_arena arena; // of the arrays
    toc_feature_set features;
    toc_primitives primitives;
    toc_arena dops;                            // of the next four, made for forms that are not bare
    float *vertex_dops;                        // moving
    float *point_dops, *edge_dops, *face_dops; // moving where there is a lower layer, else swept; faces by primitive
    toc_arena_mark before_representatives;
    toc_bvh bvh;
    bool has_room; // for a lower layer
    toc_representatives representatives;
    uint32_t (*corners)[3]; // by leaf, as in toc_surface_view
    toc_flat_rings rings;
    uint8_t *flat; // by vertex: true if its ring is flat
    toc_motion motion;
    uint32_t component_count;        // components with a subtree, and bodies, for the small components of each
    uint32_t *components;            // by primitive
    uint8_t *still;                  // by primitive: toc_stillness
    bool rests;                      // whether any primitive does
    bool settling;                   // the resting pairs are yet to be found
    bool crowded;                    // they are too many: none is kept while something rests
    toc_resting_pairs resting_pairs; // of settled primitives
    toc_surface_tree_form form;      // of the last step
    toc_represented_dops represented;
} toc_surface_tree;

/// Fit the tree in the slot of a pipeline to its step; make one where it is empty or has other features. O(n) as long
/// as the motion keeps the tree good. On failure the slot is empty. Rows of the report: `bound` counts the primitives
/// and those that did not rest, `build` the nodes above these and the leaves below rebuilt nodes.
toc_status toc_surface_tree_fit(struct toc_pipeline *pipeline, const toc_surface_tree_form *form);
/// The swept DOP of some vertices, with the form of the tree.
void toc_surface_tree_bound(const toc_surface_tree *tree, const toc_step *step, const uint32_t *vertices, int count,
                            float *dop);
/// Leave the pairs of resting primitives to resting_pairs, which must hold all of them.
void toc_surface_tree_settle(toc_surface_tree *tree, bool crowded, int threads);
extern const toc_index_type toc_surface_tree_type;
void toc_surface_tree_free(toc_surface_tree *tree);

#endif
