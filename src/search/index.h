// SPDX-License-Identifier: Apache-2.0
// An index: a structure over the primitives of a scene that finds pairs near each other, kept from step to step.
//
// The surface tree, the surface grid and the element tree implement this interface. The sweep of `brute`, the solid
// tree and listed pairs do too, but are not kept. A new index is one file with a toc_index_type and a slot below.
#ifndef TOC_SEARCH_INDEX_H
#define TOC_SEARCH_INDEX_H

#include <stdbool.h>

#include "base/memory.h"

struct toc_pipeline;
struct toc_worker;
struct toc_index;

/// The place of an index in toc_search.
typedef enum toc_index_slot {
    TOC_SLOT_SURFACE_TREE, ///< Of the motion of a step.
    TOC_SLOT_STATIC_TREE,  ///< A surface tree for questions other than contacts, most of them at an end of the step.
    TOC_SLOT_SURFACE_GRID,
    TOC_SLOT_STATIC_GRID, ///< A surface grid for near pairs.
    TOC_SLOT_ELEMENT_TREE,
    TOC_SLOT_SWEEP,
    TOC_SLOT_SOLID_TREE,
    TOC_SLOT_LISTED, ///< Empty: the caller keeps listed pairs.
    TOC_SLOT_COUNT
} toc_index_slot;

/// The operations of an index. Each takes the pipeline of the query, whose `index` names the slot.
typedef struct toc_index_type {
    toc_index_slot slot;
    bool kept; // from query to query
    /// Bring the index up to date with the step, or make it. Name its parts with toc_pipeline_enter. On failure the
    /// slot is empty.
    toc_status (*fit)(struct toc_pipeline *pipeline);
    /// Find the feature pairs that rest near each other, once, so that later steps need not search them. May be NULL.
    toc_status (*settle)(struct toc_pipeline *pipeline);
    /// Split the search into rounds, the same ones for any number of threads.
    toc_status (*split)(struct toc_pipeline *pipeline, size_t *rounds);
    /// Run a round: hand pairs to the stages of the worker.
    toc_status (*search)(struct toc_worker *worker, size_t round);
    void (*free)(struct toc_index *index);
} toc_index_type;

/// The first field of every index.
typedef struct toc_index {
    const toc_index_type *type;
    toc_allocator allocator;
} toc_index;

extern const toc_index_type toc_surface_tree_index, toc_static_tree_index, toc_surface_grid_index,
    toc_static_grid_index, toc_element_tree_index, toc_sweep_index, toc_solid_tree_index, toc_vertex_tree_index,
    toc_listed_index;

#endif
