// SPDX-License-Identifier: Apache-2.0
// A search at one end of the step, through a tree over what stands still there. One worker a thread, each with a list
// of what it found; the lists become one, sorted, the same for any number of threads.
#ifndef TOC_ASK_STATIC_SEARCH_H
#define TOC_ASK_STATIC_SEARCH_H

#include "cull/surface/features.h"
#include "scene/scene.h"

enum { TOC_INSTANT_DOP = 16 }; // sides of the DOPs, as the presets have them: they share the scene's tree

typedef struct toc_static_worker {
    struct toc_static_search *all;
    toc_arena scratch;
    toc_feature_pairs *pairs;
    TOC_ARRAY(char) items;
} toc_static_worker;

typedef struct toc_static_search {
    toc_scene *scene;
    toc_query query;
    toc_filter filter;
    toc_step step; // the arrays are the scene's; at an instant both ends are
    int threads;
    toc_static_worker *workers;
    toc_arena arena;           // of the workers
    const toc_bvh *bvh;        // of the search under way, and what takes its leaves
    toc_leaf_pairs_take *take; // its user is a worker
    toc_node_pairs pieces;
    size_t item_size;
} toc_static_search;

/// Check the query and bring the scene's step up to date. Free with toc_static_free, on failure too.
/// @param end NULL for all of the step.
toc_status toc_static_begin(toc_scene *scene, const toc_query *query, const toc_end *end, size_t item_size,
                            toc_static_search *out);
void toc_static_free(toc_static_search *search);

/// The scene's tree as of the instant, every point grown by a thickness.
toc_status toc_static_tree(toc_static_search *search, double thickness, const struct toc_surface_tree **tree);
/// Hand all pairs of overlapping leaves to `take`.
toc_status toc_static_run(toc_static_search *search, const toc_bvh *bvh, toc_leaf_pairs_take *take);
/// Keep an item of `item_size` bytes.
toc_status toc_static_keep(toc_static_worker *worker, const void *item);

/// All that was kept, in order. @param out receives a block of toc_new for `count` items.
toc_status toc_static_collect(const toc_static_search *search, int (*compare)(const void *, const void *), void **out,
                              size_t *count);

#endif
