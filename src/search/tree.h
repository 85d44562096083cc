// SPDX-License-Identifier: Apache-2.0
// The way through the surface tree, as far as the interior of volumes and the questions of src/ask share it.
#ifndef TOC_SEARCH_TREE_H
#define TOC_SEARCH_TREE_H

#include <assert.h>

#include "search/pipeline.h"
#include "search/surface_tree.h"

/// A query of the tree: pipeline->tree.
typedef struct toc_tree_query {
    toc_surface_tree_form form;
    const uint8_t *ties;                  // by vertex: whether to leave out leaves that share it; NULL for none
    toc_node_pairs pieces;                // of the search
    struct toc_interior_search *interior; // NULL for the surface alone
} toc_tree_query;

/// The plan and the freeing of the tree way.
toc_status toc_tree_plan(toc_pipeline *pipeline);
void toc_tree_free(toc_pipeline *pipeline);

/// The plan of a question other than contacts, over the static tree: no stages yet.
/// @param bare whether features need no DOPs. @param thickness added around every point.
toc_status toc_tree_plan_question(toc_pipeline *pipeline, bool bare, double thickness);
/// Leave out pairs of leaves that share a vertex.
toc_status toc_tree_part_neighbours(toc_pipeline *pipeline);
/// Fit the tree to the plan of the query: toc_way.fit.
toc_status toc_tree_fit(toc_pipeline *pipeline);
/// Pairs of leaves.
extern const toc_traversal toc_tree_traversal;

static inline toc_surface_tree *toc_tree_of(const toc_pipeline *pipeline) {
    assert(*pipeline->index && (*pipeline->index)->type == &toc_surface_tree_type);
    return (toc_surface_tree *)*pipeline->index;
}

#endif
