// SPDX-License-Identifier: Apache-2.0
// The element tree: the elements of a scene in a k-DOP tree or a hash, with their orphan pairs.
//
// Kept from step to step and from edit to edit.
#ifndef TOC_SEARCH_ELEMENT_TREE_H
#define TOC_SEARCH_ELEMENT_TREE_H

#include "cull/volume/csat.h"
#include "cull/volume/orphan_pairs.h"
#include "index/hash.h"
#include "index/index.h"
#include "scene/scene.h"

struct toc_pipeline;

/// Leaves are first those of the tree, then young ones, whose elements were added since it was built.
typedef struct toc_element_tree {
    toc_index index; // the first field
    toc_arena arena; // of the arrays
    toc_dop_kind kind;
    bool surface_only, hashes;
    toc_cells cells;
    toc_orphan_pairs *orphan_pairs; // by body; empty before they are first needed, and for worlds
    bool has_orphans;
    size_t live_count, ghosts;     // cells in the tree or young; those of them that are removed
    size_t live_room, vertex_room; // of the arrays
    uint32_t *live;                // cells with features that the query asks about
    uint32_t *leaf_cells;          // by leaf
    float *vertex_dops, *end_dops; // by vertex
    float *cell_dops;              // as in `live`
    toc_bvh bvh;                   // one of the two
    toc_hash hash;                 // its primitives are leaves
    toc_leaves leaves;
    toc_csat csat;
    struct toc_interior *interior; // NULL before it is first needed
} toc_element_tree;

/// How to bound the motion.
typedef struct toc_element_tree_form {
    toc_dop_kind kind;
    double separation; // elements closer than this count as touching
    const double *x1;  // of all vertices: the end of the part of the step that is bounded
    bool surface_only, orphans, hashes;
} toc_element_tree_form;

/// Fit the tree in the slot of a pipeline to the bodies and the step of the scene; make one where it is empty or cannot
/// follow. On failure the slot is empty. Rows of the report: `follow` counts elements edited and features visited,
/// `bound` the elements, `build` the elements and the leaves below rebuilt nodes.
/// @param changed whether the tree is new, or followed an edit.
toc_status toc_element_tree_fit(struct toc_pipeline *pipeline, const toc_element_tree_form *form, bool *changed);
extern const toc_index_type toc_element_tree_type;
void toc_element_tree_free(toc_element_tree *tree);
/// Whether the tree has followed the last edit of every body.
bool toc_element_tree_is_current(const toc_element_tree *tree, const toc_scene *scene);

/// The number of young leaves.
static inline size_t toc_element_tree_young(const toc_element_tree *tree) {
    return tree->hashes ? 0 : tree->live_count - tree->bvh.count;
}

#endif
