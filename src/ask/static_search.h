// SPDX-License-Identifier: Apache-2.0
// A search through a tree of the scene for questions other than contacts: at one end of the step, or over all of it.
// Each thread has a worker with a list of results; the lists are joined and sorted, the same for any number of threads.
#ifndef TOC_ASK_STATIC_SEARCH_H
#define TOC_ASK_STATIC_SEARCH_H

#include "ask/query.h"
#include "cull/surface/features.h"
#include "scene/scene.h"
#include "search/order.h"

enum { TOC_STATIC_DOP = 16 }; // sides of the DOPs

typedef struct toc_static_worker {
    struct toc_static_search *all;
    int thread;
    size_t piece; // of the search under way
    toc_arena scratch;
    toc_feature_pairs *pairs;
    TOC_ARRAY(char) items;
} toc_static_worker;

typedef struct toc_static_search {
    toc_scene *scene;
    toc_query query;
    toc_filter filter;
    toc_step step; // with the arrays of the scene; at an instant, x0 and x1 are the same array
    int threads;
    toc_static_worker *workers;
    toc_arena arena;                     // of the workers
    const struct toc_surface_tree *tree; // of toc_static_tree
    const toc_bvh *bvh;                  // of the search under way
    toc_leaf_pairs_take *take;           // takes its leaves; the user is a worker
    toc_node_pairs pieces;
    size_t item_size;
    bool bare;     // whether the tree needs no DOPs of features
    uint8_t *ties; // by vertex: 1, to leave out leaves that share a vertex; else NULL
    toc_query_use use;
} toc_static_search;

/// Check the query, begin it, and bring the scene's step up to date. End with toc_static_end or toc_static_free, on
/// failure too.
/// @param end NULL for all of the step.
toc_status toc_static_begin(toc_scene *scene, const toc_query *query, const toc_end *end, size_t item_size,
                            toc_static_search *out);
/// Free the search and end its query. @return the status given, with a message of its own where the memory limit was
/// too low.
toc_status toc_static_end(toc_static_search *search, toc_status status);
void toc_static_free(toc_static_search *search);

/// Fit the scene's tree for such questions to the step, every point grown by a thickness. The tree of contacts is not
/// touched.
toc_status toc_static_tree(toc_static_search *search, double thickness);
/// Leave out pairs of leaves of the tree that share a vertex.
toc_status toc_static_part_neighbours(toc_static_search *search);
/// Write those of up to TOC_LEAF_PAIRS pairs of leaves of the tree without an axis that proves a distance between them.
/// @return their number.
size_t toc_static_separate(const toc_static_worker *worker, double distance, const toc_leaf_pair *pairs, size_t count,
                           toc_leaf_pair *kept);
/// Hand all pairs of overlapping leaves to `take`.
toc_status toc_static_run(toc_static_search *search, const toc_bvh *bvh, toc_leaf_pairs_take *take);
/// Keep an item of `item_size` bytes.
toc_status toc_static_keep(toc_static_worker *worker, const void *item);

/// Ask the caller's progress function whether to go on; for work that takes long within one piece of the search. Only
/// the worker of the calling thread asks. @return TOC_OK or TOC_STOPPED.
toc_status toc_static_poll(const toc_static_worker *worker);

/// Items of a result, as bytes.
typedef TOC_ARRAY(char) toc_static_items;

/// Replace a list by all items, in order. On failure it stays as it was.
/// @return TOC_OUT_OF_MEMORY or TOC_OK.
toc_status toc_static_collect(const toc_static_search *search, const toc_order *order, const toc_allocator *allocator,
                              toc_static_items *list);

#endif
