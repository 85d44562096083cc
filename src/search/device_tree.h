// SPDX-License-Identifier: Apache-2.0
// The tree over the surface primitives or the elements of a scene on a device (device/search.h), made anew for each
// step.
//
// Features are sent when they changed. The order of the primitives is kept from step to step while it is good, and so
// is the frame: the device tells which vertices have left it.
#ifndef TOC_SEARCH_DEVICE_TREE_H
#define TOC_SEARCH_DEVICE_TREE_H

#include "device/array.h"
#include "device/search.h"
#include "pair/pair.h"
#include "search/device_positions.h"

/// The arrays of a tree on the device.
enum {
    TOC_DEVICE_TREE_PACKED,
    TOC_DEVICE_TREE_CORNERS,
    TOC_DEVICE_TREE_FEATURES, // of primitives, or toc_device_cells.at
    TOC_DEVICE_TREE_EDGES,
    TOC_DEVICE_TREE_POINTS,
    TOC_DEVICE_TREE_FACES,     // of elements
    TOC_DEVICE_TREE_BODIES,    // the first vertex of each
    TOC_DEVICE_TREE_THICKNESS, // of each
    TOC_DEVICE_TREE_ENTRIES,
    TOC_DEVICE_TREE_MORE_ENTRIES,
    TOC_DEVICE_TREE_BOXES,
    TOC_DEVICE_TREE_LEAVES,
    TOC_DEVICE_TREE_LEAF_CORNERS,
    TOC_DEVICE_TREE_COUNTS,
    TOC_DEVICE_TREE_ARRAYS
};

typedef struct toc_device_tree {
    toc_device_positions positions;
    toc_device_array there[TOC_DEVICE_TREE_ARRAYS];
    toc_device_array counts; // pinned: toc_device_search_counts
    uint64_t version;        // of the features that are there
    bool is_of_elements;     // whether the primitives are elements
    uint32_t count;          // primitives
    uint32_t corner_count;   // of each
    uint32_t sorted_pairs;   // of primitives, in the first step after they were sorted; UINT32_MAX before they are
    uint32_t frame_steps;    // for which the frame in `work` is kept
    toc_device_search work;  // for all kernels of the search
    int levels;              // below the root
} toc_device_tree;

/// An empty tree: no features are there.
void toc_device_tree_clear(toc_device_tree *tree);
/// Send the primitives of a step with their features, unless they are there. Waits for the copies.
toc_status toc_device_tree_send_features(toc_device_memory *memory, const toc_step *step, toc_arena *arena, int threads,
                                         toc_device_tree *tree);
/// Likewise the elements of a scene, as toc_device_cells_make needs it.
toc_status toc_device_tree_send_elements(toc_device_memory *memory, const toc_scene *scene, toc_arena *arena,
                                         toc_device_tree *tree);
/// Build the tree around the positions that were sent. The launches are under way afterwards, with empty counts.
/// @param distance within which primitives are near.
toc_status toc_device_tree_build(toc_device_memory *memory, const toc_step *step, double distance,
                                 const toc_pair_test *test, int threads, toc_device_tree *tree);
/// Whether the next tree keeps the frame: then it takes no positions of the processor.
bool toc_device_tree_has_frame(const toc_device_tree *tree);
/// Whether the frame was kept from an earlier step. The next tree has a new one.
bool toc_device_tree_forget_frame(toc_device_tree *tree);
/// The level at which a descent begins, with all pairs: one of a few nodes.
uint32_t toc_device_tree_top(const toc_device_tree *tree);
/// An order that was good for an earlier step may let many more pairs through: then the next tree has a new one.
/// The counts are those of a whole descent.
void toc_device_tree_judge(toc_device_tree *tree);
/// The counts that came back.
static inline const toc_device_search_counts *toc_device_tree_counts(const toc_device_tree *tree) {
    return tree->counts.at;
}
/// Launch a kernel of the search.
toc_status toc_device_tree_launch(const toc_device_memory *memory, const toc_device_tree *tree,
                                  toc_device_kernel kernel);
/// Sort entries in the first of two arrays, each with room for all. The result is in the first one again.
toc_status toc_device_sort_entries(const toc_device_memory *memory, toc_device_array *arrays, uint32_t count);
void toc_device_tree_free(const toc_device_memory *memory, toc_device_tree *tree);

#endif
