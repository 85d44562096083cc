// SPDX-License-Identifier: Apache-2.0
// The tree of a scene, kept from step to step: refitted to the motion, built anew where it decayed. Each connected part
// of a body has a tree of its own, which keeps while parts move past each other; those that do not fill a block share
// one. What rests is left alone. docs/decisions/0019-connected-parts.md
#ifndef TOC_SEARCH_SURFACE_TREE_H
#define TOC_SEARCH_SURFACE_TREE_H

#include "cull/surface/features.h"
#include "cull/surface/flat_rings.h"
#include "cull/surface/triangle_axes.h"
#include "scene/motion.h"
#include "search/resting_pairs.h"

/// How to bound what moves.
typedef struct toc_surface_tree_form {
    toc_dop_kind kind;
    double thickness;         // what every point is grown by
    uint32_t lower;           // leaves of the largest nodes of the lower layer; 0 for no such layer
    double lower_from;        // no lower layer where primitives sweep less than so many times their own extent
    const toc_window *window; // what the lower layer is searched for
    double until;             // the part of the step that is bounded; where that is less than all, no layer is lower
    bool fans;                // whether it is found out which fans are flat
    bool bare;                // whether features need no DOPs
    bool settles;             // whether pairs of what rests may be left to toc_surface_tree_settle
} toc_surface_tree_form;

typedef struct toc_surface_tree {
    toc_allocator allocator;
    uint64_t version; // of the step it is for
    toc_dop_kind kind;
    toc_arena arena; // of the arrays
    toc_feature_set features;
    toc_primitives primitives;
    toc_arena dops;                            // of what follows, which is made where a form is not bare
    float *vertex_dops;                        // moving
    float *point_dops, *edge_dops, *face_dops; // moving where it has a lower layer, else swept; faces by primitive
    toc_arena_mark before_owners;
    toc_bvh bvh;
    bool has_room; // for a lower layer
    toc_representatives owners;
    uint32_t (*corners)[3]; // of the leaves, by number: cull/surface/triangle_axes.h, toc_bvh_scope
    toc_flat_rings fans;
    uint8_t *flat; // by vertex: whether its fan is
    toc_motion motion;
    uint32_t group_count;            // parts that have a tree of their own, and bodies, for what is left of each
    uint32_t *groups;                // by primitive
    uint8_t *still;                  // by primitive: toc_stillness
    bool rests;                      // whether any of them does
    bool settling;                   // resting_pairs are yet to be found, of all that rests
    toc_resting_pairs resting_pairs; // of what is settled
    toc_surface_tree_form form;      // of the last step
    bool late;                       // nothing touched soon when the first contact was last asked for
    toc_represented_dops owned;      // what culling works on
} toc_surface_tree;

/// How updates went: seconds add up, so it begins with none.
typedef struct toc_surface_tree_update {
    double bound_seconds, build_seconds;
    size_t bounded; // primitives that did not rest
    size_t fitted;  // nodes above them
    size_t rebuilt; // leaves below nodes that were built anew; all of them for a new tree
} toc_surface_tree_update;

/// Fit the tree in *tree to a step, making one where it is NULL or of another step's features. O(n) as long as the
/// motion keeps the tree good. On failure *tree is NULL.
toc_status toc_surface_tree_fit(const toc_allocator *allocator, const toc_step *step, const toc_surface_tree_form *form,
                                int threads, toc_surface_tree **tree, toc_surface_tree_update *how);
/// The swept DOP of some vertices, as the tree bounds them.
void toc_surface_tree_bound(const toc_surface_tree *tree, const toc_step *step, const uint32_t *vertices, int count,
                            float *dop);
/// Once resting_pairs holds all pairs of what rests: leave these to it from now on.
void toc_surface_tree_settle(toc_surface_tree *tree, int threads);
/// Whether two primitives are settled: their pairs are in resting_pairs, and nowhere else.
bool toc_surface_tree_has_settled(const void *tree, toc_primitive_pair primitives);
void toc_surface_tree_free(toc_surface_tree *tree);

#endif
