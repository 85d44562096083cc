// SPDX-License-Identifier: Apache-2.0
// The way through the surface tree, as far as the way through the interior of volumes shares it.
#ifndef TOC_SEARCH_TREE_H
#define TOC_SEARCH_TREE_H

#include "search/pipeline.h"
#include "search/surface_tree.h"

/// A query of the tree: pipeline->own.
typedef struct toc_tree_query {
    toc_surface_tree_form form;
    toc_surface_tree_update update;
    toc_node_pairs pieces;                // of the search
    struct toc_interior_search *interior; // NULL for the surface alone
} toc_tree_query;

/// The plan and the freeing of the tree way.
toc_status toc_tree_plan(toc_pipeline *pipeline);
void toc_tree_free(toc_pipeline *pipeline);

static inline toc_surface_tree *toc_tree_of(const toc_pipeline *pipeline) {
    return (toc_surface_tree *)*pipeline->index;
}

#endif
