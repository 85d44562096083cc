// SPDX-License-Identifier: Apache-2.0
// The elements of a scene with their tree and their O-Sets, kept from step to step and from edit to edit.
#ifndef TOC_SEARCH_ELEMENT_TREE_H
#define TOC_SEARCH_ELEMENT_TREE_H

#include "cull/volume/csat.h"
#include "cull/volume/orphan_pairs.h"
#include "index/hash.h"
#include "scene/scene.h"

/// Leaves are first those of the tree, then young ones, whose elements were added since it was built.
typedef struct toc_element_tree {
    toc_allocator allocator;
    toc_arena arena; // of the arrays
    toc_dop_kind kind;
    bool surface_only, hashes;
    toc_cells cells;
    toc_orphan_pairs *osets; // by body; empty before they are first needed
    bool has_osets;
    size_t live_count, ghosts;     // cells in the tree or young; those of them that are gone
    size_t live_room, vertex_room; // what the arrays can hold
    uint32_t *live;                // those with features that are asked about
    uint32_t *leaf_cells;          // by leaf
    float *vertex_dops, *end_dops; // by vertex
    float *cell_dops;              // as in `live`
    toc_bvh bvh;                   // one of the two
    toc_hash hash;                 // its primitives are leaves
    toc_leaves leaves;
    toc_csat csat;
    int asked;                   // how often since the last edit
    struct toc_interior *inside; // NULL before it is first needed
} toc_element_tree;

/// How to bound what moves.
typedef struct toc_element_tree_form {
    toc_dop_kind kind;
    double separation; // what is closer than this counts as touching
    bool surface_only, osets, hashes;
} toc_element_tree_form;

/// How an update went.
typedef struct toc_element_tree_update {
    double follow_seconds, bound_seconds, build_seconds;
    uint64_t edited; // elements that edits changed
    uint64_t work;   // features looked at to follow them
    size_t rebuilt;  // leaves below nodes that were built anew; all of them for a new tree
} toc_element_tree_update;

/// Fit the scene's volume to its bodies and its step, making one where there is none, or none that can follow. On
/// failure the scene has none.
toc_status toc_element_tree_fit(toc_scene *scene, const toc_element_tree_form *form, int threads,
                                toc_element_tree_update *how);
void toc_element_tree_free(toc_element_tree *volume);
/// The DOPs of all vertices, swept.
void toc_element_tree_bound_vertices(toc_element_tree *volume, const toc_step *step, const toc_frame *frame,
                                     double separation);
/// Whether it is of the bodies as they are.
bool toc_element_tree_is_current(const toc_element_tree *volume, const toc_scene *scene);

static inline size_t toc_element_tree_young(const toc_element_tree *volume) {
    return volume->hashes ? 0 : volume->live_count - volume->bvh.count;
}

#endif
